#include "guard/trust_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#define VERSION 1

void ik_trust_entry_done(struct ik_trust_entry *entry)
{
	for (size_t i = 0; i < entry->count; i++)
		free(entry->records[i].name);
	free(entry->records);
	memset(entry, 0, sizeof(*entry));
}

/* Return the position of the record with that name, or the one where it belongs. */
static size_t place_of(const struct ik_trust_entry *entry, const char *name, bool *ret_found)
{
	size_t low = 0, high = entry->count;

	*ret_found = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(entry->records[middle].name, name);

		if (order == 0) {
			*ret_found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct ik_trust_record *ik_trust_entry_find(const struct ik_trust_entry *entry, const char *name)
{
	bool found;
	size_t place = place_of(entry, name, &found);

	return found ? &entry->records[place] : NULL;
}

struct ik_trust_record *ik_trust_entry_make(struct ik_trust_entry *entry, const char *name)
{
	bool found;
	size_t place = place_of(entry, name, &found);

	if (found)
		return &entry->records[place];
	if (entry->count == entry->capacity) {
		entry->capacity = entry->capacity ? 2 * entry->capacity : 16;
		entry->records = ik_alloc_array(entry->records, entry->capacity, sizeof(*entry->records));
	}
	memmove(&entry->records[place + 1], &entry->records[place],
		(entry->count - place) * sizeof(*entry->records));
	entry->count++;
	entry->records[place] = (struct ik_trust_record){ .name = ik_strdup(name) };
	return &entry->records[place];
}

/* Append a path as text from which it can be restored. */
static void put_path(struct ik_buf *out, const char *path)
{
	size_t length = strlen(path), at = 0;

	while (at < length) {
		size_t valid = ik_utf8_valid_prefix(path + at, length - at);
		size_t end = at + valid;

		for (; at < end; at++) {
			if (path[at] == '%')
				ik_buf_puts(out, "%25");
			else
				ik_buf_putc(out, path[at]);
		}
		if (at < length)
			ik_buf_printf(out, "%%%02X", (unsigned char)path[at++]);
	}
}

static int hex_value(char digit)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *found = digit != '\0' ? strchr(digits, digit) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* Restore a path from its text, in place. */
static char *take_path(char *text)
{
	char *to = text;
	const char *from;

	for (from = text; *from != '\0'; from++, to++) {
		int high = *from == '%' ? hex_value(from[1]) : -1;
		int low = high >= 0 ? hex_value(from[2]) : -1;

		*to = *from;
		if (low >= 0) {
			*to = (char)(16 * high + low);
			from += 2;
		}
	}
	*to = '\0';
	return text;
}

/* Fail if somebody else can change the file: then its contents count for nothing. */
static enum ik_status check_owner(const char *path, int fd, struct ik_identity *ret_identity,
	struct ik_error *error)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return ik_error_set_errno(error, errno, _("cannot read %s"), path);
	*ret_identity = ik_identity_of(&status);
	if (!S_ISREG(status.st_mode))
		return ik_error_set(error, IK_FAILED, _("cannot read %s: it is no regular file"), path);
	if (status.st_uid != geteuid() && status.st_uid != 0)
		return ik_error_set(error, IK_DENIED,
			_("%s belongs to another user, so it counts for "
			  "nothing: no tool of a project is trusted"),
			path);
	if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return ik_error_set(error, IK_DENIED,
			_("%s can be changed by other users, so it counts for "
			  "nothing: no tool of a project is trusted; look at it, then: chmod 600 %s"),
			path, path);
	return IK_OK;
}

/* Is the text one that this version writes? */
static enum ik_status check_text(const char *path, struct ik_trust_text *text,
	struct ik_error *error)
{
	struct ik_json_span root;
	struct ik_error reason;
	int64_t version;

	if (ik_json_check(text->bytes.data, text->bytes.length, &root, &reason) != IK_OK)
		return ik_error_set(error, IK_INVALID, "%s: %s", path, reason.text);
	text->directories = ik_json_member(root, "directories");
	if (!ik_json_integer(ik_json_member(root, "version"), &version) ||
		ik_json_span_type(text->directories) != IK_JSON_OBJECT)
		return ik_error_set(error, IK_INVALID,
			_("%s: \"version\" or \"directories\" is not what it was written as"), path);
	if (version > VERSION)
		return ik_error_set(error, IK_UNAVAILABLE,
			_("%s was written by a newer version of ikigai: "
			  "no tool of a project is trusted by this one"),
			path);
	return IK_OK;
}

enum ik_status ik_trust_text_read(const char *path, struct ik_trust_text *ret_text,
	struct ik_error *error)
{
	enum ik_status status;
	int fd, number;

	memset(ret_text, 0, sizeof(*ret_text));
	ik_buf_init(&ret_text->bytes, IK_LIMIT_TRUST);
	/* Read the identity even if the file cannot be read, so that this is reported once. */
	status = ik_identity_read(path, &ret_text->identity, error);
	if (status != IK_OK)
		return status == IK_NOT_FOUND ? IK_OK : status;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return ik_error_set_errno(error, errno, _("cannot read %s"), path);
	status = check_owner(path, fd, &ret_text->identity, error);
	if (status == IK_OK) {
		number = ik_read_all(fd, &ret_text->bytes, (size_t)ret_text->identity.size + 1);
		status = number != 0 ? ik_error_set_errno(error, number, _("cannot read %s"), path)
							 : ik_buf_check(&ret_text->bytes, path, error);
	}
	close(fd);
	return status == IK_OK ? check_text(path, ret_text, error) : status;
}

void ik_trust_text_done(struct ik_trust_text *text)
{
	ik_buf_done(&text->bytes);
	text->directories = (struct ik_json_span){ NULL, 0 };
}

/* "DEVICE INODE MTIME CTIME" */
static bool read_seen(struct ik_json_span value, struct ik_identity *identity)
{
	char *text = ik_json_string_new(value, NULL);
	int used = 0;
	bool good = text &&
		sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64 "%n", &identity->device,
			&identity->inode, &identity->mtime_ns, &identity->ctime_ns, &used) == 4 &&
		text[used] == '\0';

	free(text);
	return good;
}

/* Copy a short string; false if it is not a string, or too long. */
static bool read_text(struct ik_json_span value, char *out, size_t size)
{
	size_t length;
	char *text = ik_json_string_new(value, &length);
	bool good = text && length < size && strlen(text) == length;

	if (good)
		memcpy(out, text, length + 1);
	free(text);
	return good;
}

/* Read the record of one file; anything else is ignored. */
static void read_record(struct ik_trust_entry *entry, struct ik_json_span key,
	struct ik_json_span value)
{
	struct ik_trust_record found = { .name = NULL };
	struct ik_trust_record *record;
	int64_t size;
	char *name;

	if (!read_text(ik_json_member(value, "sha256"), found.digest, sizeof(found.digest)) ||
		strlen(found.digest) != IK_SHA256_TEXT - 1)
		return;
	if (!read_text(ik_json_member(value, "trusted"), found.when, sizeof(found.when)))
		found.when[0] = '\0';
	if (ik_json_integer(ik_json_member(value, "size"), &size) && size >= 0) {
		found.identity.size = (uint64_t)size;
		found.seen = read_seen(ik_json_member(value, "seen"), &found.identity);
	}
	name = take_path(ik_json_string_new(key, NULL));
	record = ik_trust_entry_make(entry, name);
	found.name = record->name;
	*record = found;
	free(name);
}

/* Is this the entry of that directory? */
static bool is_directory(struct ik_json_span key, const char *directory)
{
	char *name = take_path(ik_json_string_new(key, NULL));
	bool same = ik_text_equal(name, directory);

	free(name);
	return same;
}

void ik_trust_text_entry(const struct ik_trust_text *text, const char *directory,
	struct ik_trust_entry *ret_entry)
{
	struct ik_json_walk walk = { NULL }, files = { NULL };
	struct ik_json_span key, value, name, record;

	memset(ret_entry, 0, sizeof(*ret_entry));
	while (ik_json_next(text->directories, &walk, &key, &value)) {
		if (!is_directory(key, directory))
			continue;
		(void)ik_json_bool(ik_json_member(value, "never"), &ret_entry->refused);
		while (ik_json_next(ik_json_member(value, "files"), &files, &name, &record))
			read_record(ret_entry, name, record);
		return;
	}
}

/* Append a member's name. */
static void put_key(struct ik_buf *out, const char *path)
{
	struct ik_buf name;

	ik_buf_init(&name, IK_LIMIT_TRUST);
	put_path(&name, path);
	ik_json_key(out, name.data);
	ik_buf_done(&name);
}

static void put_record(struct ik_buf *out, const struct ik_trust_record *record)
{
	const struct ik_identity *identity = &record->identity;

	put_key(out, record->name);
	ik_json_open(out, '{');
	ik_json_key(out, "sha256");
	ik_json_put_text(out, record->digest);
	ik_json_key(out, "size");
	ik_json_put_integer(out, (int64_t)identity->size);
	if (record->when[0] != '\0') {
		ik_json_key(out, "trusted");
		ik_json_put_text(out, record->when);
	}
	if (record->seen) {
		char *seen = ik_format("%" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64, identity->device,
			identity->inode, identity->mtime_ns, identity->ctime_ns);

		ik_json_key(out, "seen");
		ik_json_put_text(out, seen);
		free(seen);
	}
	ik_json_close(out, '}');
}

static void put_entry(struct ik_buf *out, const char *directory, const struct ik_trust_entry *entry)
{
	if (entry->count == 0 && !entry->refused)
		return;
	put_key(out, directory);
	ik_json_open(out, '{');
	if (entry->refused) {
		ik_json_key(out, "never");
		ik_json_put_bool(out, true);
	}
	if (entry->count > 0) {
		ik_json_key(out, "files");
		ik_json_open(out, '{');
		for (size_t i = 0; i < entry->count; i++)
			put_record(out, &entry->records[i]);
		ik_json_close(out, '}');
	}
	ik_json_close(out, '}');
}

void ik_trust_text_write(const struct ik_trust_text *text, const char *directory,
	const struct ik_trust_entry *entry, struct ik_buf *out)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, value;
	struct ik_buf compact;

	ik_buf_init(&compact, IK_LIMIT_TRUST);
	ik_json_open(&compact, '{');
	ik_json_key(&compact, "version");
	ik_json_put_integer(&compact, VERSION);
	ik_json_key(&compact, "directories");
	ik_json_open(&compact, '{');
	while (ik_json_next(text->directories, &walk, &key, &value)) {
		if (is_directory(key, directory))
			continue;
		ik_json_put_raw(&compact, key);
		ik_buf_putc(&compact, ':');
		ik_json_put_raw(&compact, value);
	}
	put_entry(&compact, directory, entry);
	ik_json_close(&compact, '}');
	ik_json_close(&compact, '}');
	if (ik_buf_status(&compact) == IK_OK)
		ik_json_pretty(out, (struct ik_json_span){ compact.data, compact.length });
	else
		out->status = ik_buf_status(&compact);
	ik_buf_putc(out, '\n');
	ik_buf_done(&compact);
}
