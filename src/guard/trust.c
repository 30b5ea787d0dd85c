#include "guard/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "json/json.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#define VERSION 1
/* Limit on the wait for another program that writes the file, which is small. */
enum { LOCK_TRIES = 50, LOCK_PAUSE_MS = 10 };

struct ik_trust {
	char *path; /* NULL: nothing is kept */
	char *directory;
	struct ik_json *tree;    /* what the file says */
	struct ik_identity read; /* of the file that tree was read from; all zero: there was none */
	bool was_read;
	bool all;
	char *problem;
	char *name; /* that ik_trust_file_at() returned last */
};

/* Make what a missing file says. */
static struct ik_json *new_tree(void)
{
	struct ik_json *tree = ik_json_new_object();

	ik_json_add(tree, "version", ik_json_new_integer(VERSION));
	ik_json_add(tree, "directories", ik_json_new_object());
	return tree;
}

struct ik_trust *ik_trust_new(const char *path, const char *directory)
{
	struct ik_trust *trust = ik_alloc(sizeof(*trust));

	trust->path = path ? ik_strdup(path) : NULL;
	trust->directory = ik_strdup(directory);
	trust->tree = new_tree();
	return trust;
}

struct ik_trust *ik_trust_free(struct ik_trust *trust)
{
	if (!trust)
		return NULL;
	ik_json_free(trust->tree);
	free(trust->problem);
	free(trust->name);
	free(trust->path);
	free(trust->directory);
	free(trust);
	return NULL;
}

const char *ik_trust_directory(const struct ik_trust *trust)
{
	return trust->directory;
}

const char *ik_trust_problem(const struct ik_trust *trust)
{
	return trust->problem;
}

const char *ik_trust_path(const struct ik_trust *trust)
{
	return trust->path;
}

void ik_trust_all(struct ik_trust *trust)
{
	trust->all = true;
}

/* ---- names in the tree ---- */

/* Return a path as text from which it can be restored (new memory). */
static char *encode(const char *path)
{
	size_t length = strlen(path), at = 0;
	struct ik_buf out;

	ik_buf_init(&out, 3 * length);
	while (at < length) {
		size_t valid = ik_utf8_valid_prefix(path + at, length - at);
		size_t end = at + valid;

		for (; at < end; at++) {
			if (path[at] == '%')
				ik_buf_puts(&out, "%25");
			else
				ik_buf_putc(&out, path[at]);
		}
		if (at < length)
			ik_buf_printf(&out, "%%%02X", (unsigned char)path[at++]);
	}
	return ik_buf_take(&out, NULL);
}

static int hex_value(char digit)
{
	static const char digits[] = "0123456789ABCDEF";
	const char *found = digit != '\0' ? strchr(digits, digit) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* Restore a path from its text, in place. */
static void decode(char *text)
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
}

/* Return the member of an object that a path names; NULL: there is none. */
static struct ik_json *member_of(const struct ik_json *object, const char *path)
{
	char *name = encode(path);
	struct ik_json *member = ik_json_get(object, name);

	free(name);
	return member;
}

/* The same, but add an empty object if there is none, sorted by name. */
static struct ik_json *make_member(struct ik_json *object, const char *path)
{
	struct ik_json *made = member_of(object, path), *child, *next;
	char *name;

	if (ik_json_type(made) == IK_JSON_OBJECT)
		return made;
	name = encode(path);
	made = ik_json_new_object();
	ik_json_set(object, name, made);
	for (child = ik_json_first(object); child && child != made; child = next) {
		next = ik_json_sibling(child);
		if (strcmp(ik_json_name(child), name) > 0)
			ik_json_append(object, ik_json_detach(object, child));
	}
	free(name);
	return made;
}

/* Return what the file says about the directory; NULL: nothing. */
static struct ik_json *entry_of(const struct ik_trust *trust)
{
	return member_of(ik_json_get(trust->tree, "directories"), trust->directory);
}

/* The same, but created if it is missing. */
static struct ik_json *make_entry(struct ik_trust *trust)
{
	return make_member(ik_json_get(trust->tree, "directories"), trust->directory);
}

/* Forget the directory. */
static void remove_entry(struct ik_trust *trust)
{
	struct ik_json *entry = entry_of(trust);

	if (entry)
		ik_json_free(ik_json_detach(ik_json_get(trust->tree, "directories"), entry));
}

/* Return the name of a file in trust.json: relative to the directory, without "./". */
static const char *name_of(const struct ik_trust *trust, const char *path)
{
	size_t length = strlen(trust->directory);

	if (strncmp(path, trust->directory, length) == 0 &&
		(path[length] == '/' || ik_text_equal(trust->directory, "/"))) {
		path += length;
		path += strspn(path, "/");
	}
	while (path[0] == '.' && path[1] == '/') {
		path++;
		path += strspn(path, "/");
	}
	return path;
}

/* Return what the file says about a file of the directory; NULL: nothing. */
static const struct ik_json *record_of(const struct ik_trust *trust, const char *path)
{
	return member_of(ik_json_get(entry_of(trust), "files"), name_of(trust, path));
}

/* Return what "seen" is for a file of that identity (new memory). */
static char *seen_text(const struct ik_identity *identity)
{
	return ik_format("%" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64, identity->device,
		identity->inode, identity->mtime_ns, identity->ctime_ns);
}

/* Has the file not changed since it was seen? */
static bool is_seen(const struct ik_json *record, const struct ik_identity *identity)
{
	const char *seen = ik_json_text(ik_json_get(record, "seen"));
	char *now = seen_text(identity);
	bool same = seen && ik_text_equal(seen, now);

	free(now);
	return same;
}

enum ik_trust_state ik_trust_judge(const struct ik_trust *trust, const char *path,
	const struct ik_identity *identity, const char *digest)
{
	const struct ik_json *record;
	const char *known;
	int64_t size;

	if (trust->all)
		return IK_TRUST_TRUSTED;
	record = record_of(trust, path);
	known = ik_json_text(ik_json_get(record, "sha256"));
	if (!known || strlen(known) != IK_SHA256_TEXT - 1)
		return IK_TRUST_NEW;
	if (!ik_json_whole(ik_json_get(record, "size"), &size) || (uint64_t)size != identity->size)
		return IK_TRUST_CHANGED;
	if (is_seen(record, identity))
		return IK_TRUST_TRUSTED;
	if (!digest)
		return IK_TRUST_UNREAD;
	return ik_text_equal(known, digest) ? IK_TRUST_TRUSTED : IK_TRUST_CHANGED;
}

bool ik_trust_is_refused(const struct ik_trust *trust)
{
	return ik_json_is_true(ik_json_get(entry_of(trust), "never"));
}

const char *ik_trust_file_at(struct ik_trust *trust, size_t index)
{
	const struct ik_json *file = ik_json_first(ik_json_get(entry_of(trust), "files"));

	while (file && index-- > 0)
		file = ik_json_sibling(file);
	free(trust->name);
	trust->name = file ? ik_strdup(ik_json_name(file)) : NULL;
	if (trust->name)
		decode(trust->name);
	return trust->name;
}

/* ---- the file ---- */

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

/* Use a text if it is one that this version writes. */
static enum ik_status take_text(struct ik_trust *trust, const struct ik_buf *text,
	struct ik_error *error)
{
	struct ik_error reason;
	struct ik_json *tree = ik_json_parse(text->data, text->length, &reason);
	enum ik_status status = IK_OK;
	int64_t version;

	if (!tree)
		return ik_error_set(error, IK_INVALID, "%s: %s", trust->path, reason.text);
	if (!ik_json_whole(ik_json_get(tree, "version"), &version) ||
		ik_json_type(ik_json_get(tree, "directories")) != IK_JSON_OBJECT)
		status = ik_error_set(error, IK_INVALID,
			_("%s: \"version\" or \"directories\" is not what it was written as"), trust->path);
	else if (version > VERSION)
		status = ik_error_set(error, IK_UNAVAILABLE,
			_("%s was written by a newer version of ikigai: "
			  "no tool of a project is trusted by this one"),
			trust->path);
	if (status != IK_OK) {
		ik_json_free(tree);
		return status;
	}
	ik_json_free(trust->tree);
	trust->tree = tree;
	return IK_OK;
}

/* Read the file; one that is missing, or cannot be used, says nothing. IK_INVALID: it is damaged;
 * other errors: it must be left alone. */
static enum ik_status read_file(struct ik_trust *trust, struct ik_error *error)
{
	struct ik_buf text;
	enum ik_status status;
	int fd, number;

	ik_json_free(trust->tree);
	trust->tree = new_tree();
	trust->was_read = true;
	memset(&trust->read, 0, sizeof(trust->read));
	/* Read the identity even if the file cannot be read, so that this is reported once. */
	status = ik_identity_read(trust->path, &trust->read, error);
	if (status != IK_OK)
		return status == IK_NOT_FOUND ? IK_OK : status;
	fd = open(trust->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return ik_error_set_errno(error, errno, _("cannot read %s"), trust->path);
	ik_buf_init(&text, IK_LIMIT_TRUST);
	status = check_owner(trust->path, fd, &trust->read, error);
	if (status == IK_OK) {
		number = ik_read_all(fd, &text, (size_t)trust->read.size + 1);
		status = number != 0 ? ik_error_set_errno(error, number, _("cannot read %s"), trust->path)
							 : ik_buf_check(&text, trust->path, error);
	}
	if (status == IK_OK)
		status = take_text(trust, &text, error);
	ik_buf_done(&text);
	close(fd);
	return status;
}

/* Is the file still the one that was read, or still missing? */
static bool is_current(const struct ik_trust *trust)
{
	struct ik_identity now;

	if (!trust->was_read)
		return false;
	if (ik_identity_read(trust->path, &now, NULL) != IK_OK)
		memset(&now, 0, sizeof(now));
	return ik_identity_equal(&now, &trust->read);
}

/* Lock the directory of the file; return a descriptor whose closing unlocks it, or -1. */
static int lock(const struct ik_trust *trust, struct ik_error *error)
{
	static const struct timespec pause = { 0, LOCK_PAUSE_MS * 1000000L };
	char *home = ik_strndup(trust->path, (size_t)(ik_path_base(trust->path) - trust->path));
	int fd = open(home[0] != '\0' ? home : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), tries;

	free(home);
	if (fd < 0) {
		(void)ik_error_set_errno(error, errno, _("cannot write %s"), trust->path);
		return -1;
	}
	for (tries = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; tries++) {
		/* On file systems without locks, the rename must do. */
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fd;
		if (tries == LOCK_TRIES) {
			close(fd);
			(void)ik_error_set(error, IK_UNAVAILABLE,
				_("cannot write %s: another program has locked it; try again"), trust->path);
			return -1;
		}
		(void)nanosleep(&pause, NULL);
	}
	return fd;
}

/* Rename the damaged file and report it. */
static enum ik_status rename_damaged(const char *path, const struct ik_error *reason,
	struct ik_error *error)
{
	char time[IK_CLOCK_TEXT], *aside;
	enum ik_status status;

	ik_clock_text(ik_clock_wall_ms(), time);
	aside = ik_format("%s.damaged-%s", path, time);
	if (rename(path, aside) != 0)
		status = ik_error_set_errno(error, errno, _("%s; it cannot be put aside"), reason->text);
	else
		status = ik_error_set(error, IK_INVALID,
			_("%s. It was put aside as %s; no tool of a "
			  "project is trusted any more: ikigai tool trust"),
			reason->text, aside);
	free(aside);
	return status;
}

/* Read the file under the lock. A damaged one is renamed: IK_INVALID, with a sentence about that. */
static enum ik_status read_locked(struct ik_trust *trust, struct ik_error *error)
{
	struct ik_error reason;
	enum ik_status status = read_file(trust, &reason);

	if (status == IK_INVALID) {
		memset(&trust->read, 0, sizeof(trust->read));
		return rename_damaged(trust->path, &reason, error);
	}
	if (status != IK_OK)
		*error = reason;
	return status;
}

enum ik_status ik_trust_read(struct ik_trust *trust, struct ik_error *error)
{
	enum ik_status status;
	int fd;

	if (!trust->path || is_current(trust))
		return IK_OK;
	status = read_file(trust, error);
	if (status == IK_INVALID) {
		/* Another program may be repairing it right now. */
		fd = lock(trust, error);
		trust->was_read = fd >= 0;
		status = fd >= 0 ? read_locked(trust, error) : error->status;
		if (fd >= 0)
			close(fd);
	}
	free(trust->problem);
	trust->problem = status != IK_OK ? ik_strdup(error->text) : NULL;
	return status;
}

/* Write the tree. */
static enum ik_status write_file(struct ik_trust *trust, struct ik_error *error)
{
	struct ik_buf compact, out;
	enum ik_status status;

	ik_buf_init(&compact, IK_LIMIT_TRUST);
	ik_buf_init(&out, IK_LIMIT_TRUST);
	ik_json_print(trust->tree, &compact);
	status = ik_buf_check(&compact, trust->path, error);
	if (status == IK_OK) {
		ik_json_pretty(&out, (struct ik_json_span){ compact.data, compact.length });
		ik_buf_putc(&out, '\n');
		status = ik_buf_check(&out, trust->path, error);
	}
	if (status == IK_OK)
		status = ik_file_write(trust->path, out.data, out.length, 0600, error);
	if (status == IK_OK)
		status = ik_identity_read(trust->path, &trust->read, error);
	ik_buf_done(&out);
	ik_buf_done(&compact);
	return status;
}

/* Apply a change to the present contents of the file. */
static enum ik_status update(struct ik_trust *trust,
	void (*change)(struct ik_trust *, const void *), const void *arg, struct ik_error *error)
{
	int fd = trust->path ? lock(trust, error) : -1;
	enum ik_status status;

	if (!trust->path)
		(void)ik_error_set(error, IK_UNAVAILABLE,
			_("there is no home directory, so it is not remembered"));
	if (fd < 0) {
		change(trust, arg);
		return error->status;
	}
	status = read_locked(trust, error);
	change(trust, arg);
	if (status == IK_OK || status == IK_INVALID)
		status = write_file(trust, error);
	close(fd);
	return status;
}

/* ---- changes ---- */

/* Would any further change of the file alter its identity? */
static bool is_settled(const struct ik_identity *identity)
{
	int64_t now = ik_clock_wall_ns();

	return identity->ctime_ns <= now && ik_identity_settles_ms(identity, now) == 0;
}

/* Record a file as trusted. */
static void note(struct ik_trust *trust, const struct ik_trust_file *file)
{
	struct ik_json *files = make_member(make_entry(trust), "files");
	struct ik_json *record = make_member(files, name_of(trust, file->path));
	const char *known = ik_json_text(ik_json_get(record, "sha256"));
	char when[IK_CLOCK_TEXT], *seen = seen_text(&file->identity);
	bool same = known && ik_text_equal(known, file->digest);

	ik_json_set(record, "sha256", ik_json_new_text(file->digest));
	ik_json_set(record, "size", ik_json_new_integer((int64_t)file->identity.size));
	if (!same) {
		ik_clock_text(ik_clock_wall_ms(), when);
		ik_json_set(record, "trusted", ik_json_new_text(when));
	}
	if (is_settled(&file->identity))
		ik_json_set(record, "seen", ik_json_new_text(seen));
	else
		ik_json_remove(record, "seen");
	free(seen);
}

struct grant {
	const struct ik_trust_file *files;
	size_t count;
	bool only;
};

/* Is this file of the entry among those that are granted? */
static bool is_granted(const struct ik_trust *trust, const struct grant *grant, const char *file)
{
	bool found = false;

	for (size_t i = 0; i < grant->count && !found; i++) {
		char *name = encode(name_of(trust, grant->files[i].path));

		found = ik_text_equal(name, file);
		free(name);
	}
	return found;
}

static void change_grant(struct ik_trust *trust, const void *arg)
{
	const struct grant *grant = arg;
	struct ik_json *entry = make_entry(trust), *files = ik_json_get(entry, "files"), *file, *next;

	ik_json_remove(entry, "never");
	for (file = grant->only ? ik_json_first(files) : NULL; file; file = next) {
		next = ik_json_sibling(file);
		if (!is_granted(trust, grant, ik_json_name(file)))
			ik_json_free(ik_json_detach(files, file));
	}
	for (size_t i = 0; i < grant->count; i++)
		note(trust, &grant->files[i]);
	if (!ik_json_first(ik_json_get(entry, "files")))
		remove_entry(trust);
}

enum ik_status ik_trust_grant(struct ik_trust *trust, const struct ik_trust_file *files,
	size_t count, bool only, struct ik_error *error)
{
	const struct grant grant = { files, count, only };

	return update(trust, change_grant, &grant, error);
}

/* Return what follows the device and the inode in "seen". */
static const char *times_in(const char *seen)
{
	const char *space = strchr(seen, ' ');

	space = space ? strchr(space + 1, ' ') : NULL;
	return space ? space : seen;
}

/* Should the identity of a trusted file be recorded? Not if only its device or inode is new: on some
 * file systems they are new each time, and each record makes those who watch the file look again. */
static bool is_new(const struct ik_trust *trust, const struct ik_trust_file *file)
{
	const struct ik_json *record = record_of(trust, file->path);
	const char *seen = ik_json_text(ik_json_get(record, "seen"));
	char *now = seen_text(&file->identity);
	bool new = !seen || !ik_text_equal(times_in(seen), times_in(now));

	free(now);
	return new &&is_settled(&file->identity) &&
		ik_trust_judge(trust, file->path, &file->identity, file->digest) == IK_TRUST_TRUSTED;
}

static void change_seen(struct ik_trust *trust, const void *arg)
{
	const struct grant *grant = arg;

	for (size_t i = 0; i < grant->count; i++) {
		/* It may have been revoked meanwhile. */
		if (is_new(trust, &grant->files[i]))
			note(trust, &grant->files[i]);
	}
}

void ik_trust_seen(struct ik_trust *trust, const struct ik_trust_file *files, size_t count)
{
	const struct grant grant = { files, count, false };
	struct ik_error error;
	bool any = false;

	for (size_t i = 0; i < count && !trust->all; i++)
		any = any || is_new(trust, &files[i]);
	if (any && update(trust, change_seen, &grant, &error) != IK_OK)
		ik_log(IK_LOG_ERROR, "%s", error.text);
}

static void change_revoke(struct ik_trust *trust, const void *arg)
{
	(void)arg;
	remove_entry(trust);
}

enum ik_status ik_trust_revoke(struct ik_trust *trust, struct ik_error *error)
{
	return update(trust, change_revoke, NULL, error);
}

static void change_refuse(struct ik_trust *trust, const void *arg)
{
	(void)arg;
	ik_json_set(make_entry(trust), "never", ik_json_new_bool(true));
}

enum ik_status ik_trust_refuse(struct ik_trust *trust, struct ik_error *error)
{
	return update(trust, change_refuse, NULL, error);
}
