#include "stores/sqlite/leaves.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Page size if the header is damaged, and its limits. */
#define USUAL_PAGE_SIZE 4096
#define LEAST_PAGE_SIZE 512
#define MOST_PAGE_SIZE 65536
#define HEADER 100 /* bytes, at the start of the first page */
#define LOG_HEADER 32
#define FRAME_HEADER 24
#define LEAF_OF_TABLE 0x0D
#define LEAF_HEADER 8

struct ik_leaves {
	const char *path; /* borrowed */
	int file;
	size_t page_size;
	bool *is_free; /* pages without rows */
	int64_t count, read;
	unsigned char *page, *other; /* the page whose rows are read; an overflow page */
	size_t cell, cells;          /* of that page */
	struct ik_buf payload;       /* of the current row */
	int error;                   /* errno of the disk */
};

static uint32_t number_at(const unsigned char *at, size_t size)
{
	uint32_t number = 0;

	while (size-- > 0)
		number = number << 8 | *at++;
	return number;
}

/* Read bytes; those past the end of the file are 0. */
static void read_at(struct ik_leaves *leaves, int fd, off_t at, unsigned char *out, size_t size)
{
	ssize_t length = pread(fd, out, size, at);

	if (length < 0) {
		leaves->error = errno;
		length = 0;
	}
	memset(out + length, 0, size - (size_t)length);
}

/* Read a page, numbered from 1; false if it doesn't exist or is free. */
static bool read_page(struct ik_leaves *leaves, int64_t number, unsigned char *out)
{
	if (number < 1 || number > leaves->count || leaves->is_free[number - 1])
		return false;
	read_at(leaves, leaves->file, (off_t)(number - 1) * (off_t)leaves->page_size, out,
		leaves->page_size);
	return true;
}

/* ---- pages ---- */

static void find_page_size(struct ik_leaves *leaves)
{
	unsigned char header[HEADER];
	size_t size;

	read_at(leaves, leaves->file, 0, header, sizeof(header));
	size = number_at(header + 16, 2);
	if (size == 1)
		size = MOST_PAGE_SIZE;
	leaves->page_size = memcmp(header, "SQLite format 3", 16) == 0 && size >= LEAST_PAGE_SIZE &&
			(size & (size - 1)) == 0
		? size
		: USUAL_PAGE_SIZE;
}

static void count_pages(struct ik_leaves *leaves)
{
	struct stat about = { .st_size = 0 };

	(void)fstat(leaves->file, &about);
	leaves->count = (about.st_size + (off_t)leaves->page_size - 1) / (off_t)leaves->page_size;
	leaves->is_free = ik_alloc((size_t)leaves->count + 1);
}

/* Add to the log's checksum, whose words have the byte order of the machine that started the
 * log. */
static void add_to_sum(uint32_t sum[2], bool big_endian, const unsigned char *at, size_t size)
{
	for (size_t i = 0; i < size; i += 4) {
		uint32_t word = number_at(at + i, 4);

		if (!big_endian)
			word = __builtin_bswap32(word);
		sum[i / 4 % 2] += word + sum[1 - i / 4 % 2];
	}
}

/* Write the page that was read from the log to the file. */
static void write_page(struct ik_leaves *leaves, int64_t number)
{
	ssize_t length = pwrite(leaves->file, leaves->page, leaves->page_size,
		(off_t)(number - 1) * (off_t)leaves->page_size);

	if (length != (ssize_t)leaves->page_size)
		leaves->error = length < 0 ? errno : ENOSPC;
}

/* Read the valid frames of the log, and write the pages of those before write_until to the file.
 * Return the offset past the last frame that commits. */
static off_t read_log(struct ik_leaves *leaves, int log, off_t write_until)
{
	unsigned char header[LOG_HEADER], frame[FRAME_HEADER];
	off_t at = LOG_HEADER, committed = 0;
	uint32_t sum[2] = { 0, 0 };
	bool big_endian;

	read_at(leaves, log, 0, header, sizeof(header));
	big_endian = header[3] & 1;
	add_to_sum(sum, big_endian, header, LOG_HEADER - 8);
	while (number_at(header + 8, 4) == leaves->page_size) {
		read_at(leaves, log, at, frame, sizeof(frame));
		read_at(leaves, log, at + FRAME_HEADER, leaves->page, leaves->page_size);
		add_to_sum(sum, big_endian, frame, 8);
		add_to_sum(sum, big_endian, leaves->page, leaves->page_size);
		if (memcmp(header + 16, frame + 8, 8) != 0 || sum[0] != number_at(frame + 16, 4) ||
			sum[1] != number_at(frame + 20, 4) || number_at(frame, 4) == 0)
			break;
		if (at < write_until)
			write_page(leaves, number_at(frame, 4));
		at += FRAME_HEADER + (off_t)leaves->page_size;
		if (number_at(frame + 4, 4) != 0)
			committed = at;
	}
	return committed;
}

/* Write what is in the log to the file, as SQLite itself refuses to where the file is damaged. */
static void empty_log(struct ik_leaves *leaves)
{
	char *path = ik_format("%s-wal", leaves->path);
	int log = open(path, O_RDONLY | O_CLOEXEC);

	if (log >= 0) {
		(void)read_log(leaves, log, read_log(leaves, log, 0));
		if (fsync(leaves->file) != 0)
			leaves->error = errno;
		(void)close(log);
	}
	free(path);
}

/* Mark the free pages, if there are as many as the header says. */
static void find_free(struct ik_leaves *leaves)
{
	int64_t count = 0, trunk = 0, wanted = 0;

	if (read_page(leaves, 1, leaves->page)) {
		trunk = number_at(leaves->page + 32, 4);
		wanted = number_at(leaves->page + 36, 4);
	}
	while (read_page(leaves, trunk, leaves->page)) {
		size_t leaf_count = number_at(leaves->page + 4, 4);

		leaves->is_free[trunk - 1] = true; /* and isn't read again */
		for (size_t i = 0; i < leaf_count && i < leaves->page_size / 4 - 2; i++) {
			int64_t leaf = number_at(leaves->page + 8 + 4 * i, 4);

			if (leaf >= 1 && leaf <= leaves->count)
				leaves->is_free[leaf - 1] = true;
		}
		count += 1 + (int64_t)leaf_count;
		trunk = number_at(leaves->page, 4);
	}
	if (count != wanted)
		memset(leaves->is_free, 0, (size_t)leaves->count);
}

struct ik_leaves *ik_leaves_open(const char *path, struct ik_error *error)
{
	struct ik_leaves *leaves = ik_alloc(sizeof(*leaves));

	leaves->path = path;
	leaves->file = open(path, O_RDWR | O_CLOEXEC);
	ik_buf_init(&leaves->payload, SIZE_MAX / 2);
	if (leaves->file < 0) {
		ik_error_set_errno(error, errno, _("Cannot read %s"), path);
		return ik_leaves_close(leaves);
	}
	find_page_size(leaves);
	leaves->page = ik_alloc(leaves->page_size);
	leaves->other = ik_alloc(leaves->page_size);
	empty_log(leaves);
	count_pages(leaves);
	find_free(leaves);
	return leaves;
}

struct ik_leaves *ik_leaves_close(struct ik_leaves *leaves)
{
	if (!leaves)
		return NULL;
	if (leaves->file >= 0)
		(void)close(leaves->file);
	ik_buf_done(&leaves->payload);
	free(leaves->is_free);
	free(leaves->page);
	free(leaves->other);
	free(leaves);
	return NULL;
}

/* ---- rows ---- */

/* Read an integer of one to nine bytes; false if it doesn't end before `end`. */
static bool read_varint(const unsigned char *bytes, size_t end, size_t *at, int64_t *ret)
{
	uint64_t value = 0;

	for (int i = 0; i < 9 && *at < end; i++) {
		unsigned char byte = bytes[(*at)++];

		value = i == 8 ? value << 8 | byte : value << 7 | (byte & 0x7f);
		if (i == 8 || byte < 0x80) {
			*ret = (int64_t)value;
			return true;
		}
	}
	return false;
}

/* Return how many bytes of a payload are in the leaf itself. */
static size_t local_size(const struct ik_leaves *leaves, size_t size)
{
	size_t most = leaves->page_size - 35, least = (leaves->page_size - 12) * 32 / 255 - 23, local;

	if (size <= most)
		return size;
	local = least + (size - least) % (leaves->page_size - 4);
	return local <= most ? local : least;
}

/* Read the payload of a cell, which starts in the leaf and continues in a list of overflow
 * pages. */
static bool read_payload(struct ik_leaves *leaves, size_t at, size_t size)
{
	size_t local = local_size(leaves, size);
	struct ik_buf *payload = &leaves->payload;
	int64_t next;

	ik_buf_clear(payload);
	if (at + local + (local < size ? 4 : 0) > leaves->page_size)
		return false;
	ik_buf_append(payload, (const char *)leaves->page + at, local);
	next = local < size ? number_at(leaves->page + at + local, 4) : 0;
	while (payload->length < size && read_page(leaves, next, leaves->other)) {
		size_t left = size - payload->length, most = leaves->page_size - 4;

		ik_buf_append(payload, (const char *)leaves->other + 4, left < most ? left : most);
		next = number_at(leaves->other, 4);
	}
	return payload->length == size && ik_buf_status(payload) == IK_OK;
}

static int64_t signed_at(const unsigned char *at, size_t size)
{
	uint64_t number = size > 0 && *at >= 0x80 ? UINT64_MAX : 0;

	while (size-- > 0)
		number = number << 8 | *at++;
	return (int64_t)number;
}

/* Read a value of this serial type at *at of the payload; false if the payload is too short. */
static bool take_value(const struct ik_buf *payload, int64_t type, size_t *at,
	struct ik_value *value)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
	size_t length = type < 0 ? SIZE_MAX : type < 10 ? sizes[type] : (size_t)(type - 12) / 2;
	const unsigned char *bytes = (const unsigned char *)payload->data + *at;

	if (type == 7 || type == 10 || type == 11 || length > payload->length - *at)
		return false; /* our tables have no fractions */
	*value = type == 0  ? ik_value_text(NULL)
		: type < 12     ? ik_value_number(type < 8 ? signed_at(bytes, length) : type - 8)
		: type % 2 == 0 ? ik_value_bytes(payload->data + *at, length)
						: ik_value_chars(payload->data + *at, length);
	*at += length;
	return true;
}

/* Split the payload into values; false if it isn't a row, or has too many values. */
static bool take_values(const struct ik_buf *payload, struct ik_leaf_row *row)
{
	const unsigned char *bytes = (const unsigned char *)payload->data;
	size_t at = 0, value_at;
	int64_t header, type;

	row->count = 0;
	if (!read_varint(bytes, payload->length, &at, &header) || header < 1 ||
		(size_t)header > payload->length)
		return false;
	value_at = (size_t)header;
	while (at < (size_t)header) {
		if (row->count == IK_LEAF_COLUMNS || !read_varint(bytes, (size_t)header, &at, &type) ||
			!take_value(payload, type, &value_at, &row->values[IK_LEAF_FIRST + row->count++]))
			return false;
	}
	row->values[IK_LEAF_FIRST + row->count].type = IK_VALUE_END;
	return true;
}

/* Read the next cell of the page. */
static bool read_cell(struct ik_leaves *leaves, struct ik_leaf_row *row)
{
	size_t head = leaves->read == 1 ? HEADER : 0, at = head + LEAF_HEADER + 2 * leaves->cell++;
	int64_t size, rowid = 0;
	bool found;

	at = number_at(leaves->page + at, 2);
	found = read_varint(leaves->page, leaves->page_size, &at, &size) &&
		read_varint(leaves->page, leaves->page_size, &at, &rowid) && size > 0 &&
		size <= leaves->count * (int64_t)leaves->page_size &&
		read_payload(leaves, at, (size_t)size) && take_values(&leaves->payload, row);
	row->values[0] = ik_value_number(rowid);
	row->page = leaves->read;
	row->pages = leaves->count;
	return found;
}

/* Go to the next page; it may have no rows. */
static void turn_page(struct ik_leaves *leaves)
{
	size_t head = leaves->read == 0 ? HEADER : 0, most;

	leaves->cell = leaves->cells = 0;
	if (!read_page(leaves, ++leaves->read, leaves->page) || leaves->page[head] != LEAF_OF_TABLE)
		return;
	leaves->cells = number_at(leaves->page + head + 3, 2);
	most = (leaves->page_size - head - LEAF_HEADER) / 2;
	if (leaves->cells > most)
		leaves->cells = most;
}

bool ik_leaves_next(struct ik_leaves *leaves, struct ik_leaf_row *row, struct ik_error *error)
{
	bool found = false;

	while (!found && leaves->error == 0 &&
		(leaves->cell < leaves->cells || leaves->read < leaves->count)) {
		if (leaves->cell < leaves->cells)
			found = read_cell(leaves, row);
		else
			turn_page(leaves);
	}
	if (leaves->error != 0)
		ik_error_set_errno(error, leaves->error, _("Cannot read %s"), leaves->path);
	return found && leaves->error == 0;
}
