#include "tools/common/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

/* Small pieces are collected into blocks of this size; larger ones are written directly. */
#define BLOCK IK_KIB(128)

static void row_rewind(void *state)
{
	struct ik_parts_row *row = state;

	row->at = 0;
}

static bool row_next(void *state, struct iovec *part)
{
	struct ik_parts_row *row = state;

	if (row->at == row->count)
		return false;
	*part = row->list[row->at++];
	return true;
}

struct ik_parts ik_parts_of_row(struct ik_parts_row *row)
{
	struct ik_parts parts = { .rewind = row_rewind, .next = row_next, .state = row };

	for (size_t i = 0; i < row->count; i++)
		parts.total += (off_t)row->list[i].iov_len;
	return parts;
}

/* Write so many NULs, as a hole if possible. Return 0 or errno. */
static int write_hole(int fd, size_t length)
{
	static const char nuls[IK_KIB(64)];
	off_t at = lseek(fd, 0, SEEK_CUR);

	if (at >= 0 &&
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, (off_t)length) == 0)
		return lseek(fd, (off_t)length, SEEK_CUR) < 0 ? errno : 0;
	for (size_t left = length, size; left > 0; left -= size) {
		size = left < sizeof(nuls) ? left : sizeof(nuls);
		int number = ik_write_all(fd, nuls, size);

		if (number != 0)
			return number;
	}
	return 0;
}

/* Pieces collected for a file. */
struct gathered {
	int fd;
	char *block;
	size_t length;
};

/* Write what is collected. Return 0 or errno. */
static int flush(struct gathered *gathered)
{
	size_t length = gathered->length;

	gathered->length = 0;
	return length > 0 ? ik_write_all(gathered->fd, gathered->block, length) : 0;
}

/* Write a piece, or collect it. Return 0 or errno. */
static int put(struct gathered *gathered, const struct iovec *part)
{
	int number = 0;

	if (!part->iov_base || gathered->length + part->iov_len > BLOCK)
		number = flush(gathered);
	if (number != 0)
		return number;
	if (!part->iov_base)
		return write_hole(gathered->fd, part->iov_len);
	if (part->iov_len > BLOCK)
		return ik_write_all(gathered->fd, part->iov_base, part->iov_len);
	memcpy(gathered->block + gathered->length, part->iov_base, part->iov_len);
	gathered->length += part->iov_len;
	return 0;
}

int ik_parts_write(int fd, const struct ik_parts *parts)
{
	struct gathered gathered = { .fd = fd, .block = ik_alloc_array(NULL, BLOCK, 1) };
	bool hole = false;
	struct iovec part;
	int number = 0;

	parts->rewind(parts->state);
	while (number == 0 && parts->next(parts->state, &part)) {
		if (part.iov_len == 0)
			continue;
		hole = !part.iov_base;
		number = put(&gathered, &part);
	}
	if (number == 0)
		number = flush(&gathered);
	free(gathered.block);
	/* A hole at the end does not extend the file by itself. */
	if (number == 0 && hole && ftruncate(fd, lseek(fd, 0, SEEK_CUR)) < 0)
		number = errno;
	return number;
}

/* Add to the list: to its last element, unless either is a hole. */
static void add_copied(struct ik_parts_copy *copy, char *at, size_t length)
{
	struct ik_parts_row *row = &copy->row;
	bool joins = row->count > 0 && (!copy->list[row->count - 1].iov_base) == (!at);

	if (!joins) {
		copy->list = ik_alloc_array(copy->list, row->count + 1, sizeof(copy->list[0]));
		copy->list[row->count++] = (struct iovec){ at, 0 };
		row->list = copy->list;
	}
	copy->list[row->count - 1].iov_len += length;
}

int ik_parts_copy(const struct ik_parts *parts, struct ik_parts_copy *copy)
{
	struct iovec part;
	size_t length = 0;

	*copy = (struct ik_parts_copy){ .bytes = NULL };
	parts->rewind(parts->state);
	while (parts->next(parts->state, &part))
		length += !!part.iov_base ? part.iov_len : 0;
	char *at = copy->bytes = malloc(length > 0 ? length : 1);

	if (!at)
		return ENOMEM;
	parts->rewind(parts->state);
	while (parts->next(parts->state, &part)) {
		if (part.iov_len == 0)
			continue;
		/* A part may have grown if its file is being written. */
		if (part.iov_base && part.iov_len > length - (size_t)(at - copy->bytes))
			return EFAULT;
		add_copied(copy, part.iov_base ? at : NULL, part.iov_len);
		if (part.iov_base) {
			memcpy(at, part.iov_base, part.iov_len);
			at += part.iov_len;
		}
	}
	return 0;
}

void ik_parts_copy_free(struct ik_parts_copy *copy)
{
	free(copy->bytes);
	free(copy->list);
	*copy = (struct ik_parts_copy){ .bytes = NULL };
}
