#include "guard/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "json/scan.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/identity.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#define VERSION 1
/* Limit on the wait for another program that writes the file, which is small. */
enum { LOCK_TRIES = 50, LOCK_PAUSE_MS = 10 };

struct ik_trust {
	char *path; /* NULL: nothing is kept */
	char *directory;
	char *text;               /* of the file, */
	struct ik_json_span root; /* and what it says */
	struct ik_identity read;  /* of the file that it was read from; all zero: there was none */
	bool was_read;
	bool all;
	char *problem;
	char *name; /* that ik_trust_file_at() returned last */
};

/* Take over a text and what it says. */
static void set_text(struct ik_trust *trust, char *text, struct ik_json_span root)
{
	free(trust->text);
	trust->text = text;
	trust->root = root;
}

/* Set what a missing file says. */
static void set_nothing(struct ik_trust *trust)
{
	char *text = ik_format("{\"version\":%d,\"directories\":{}}", VERSION);

	set_text(trust, text, (struct ik_json_span){ text, strlen(text) });
}

struct ik_trust *ik_trust_new(const char *path, const char *directory)
{
	struct ik_trust *trust = ik_alloc(sizeof(*trust));

	trust->path = path ? ik_strdup(path) : NULL;
	trust->directory = ik_strdup(directory);
	set_nothing(trust);
	return trust;
}

struct ik_trust *ik_trust_free(struct ik_trust *trust)
{
	if (!trust)
		return NULL;
	free(trust->text);
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

/* ---- names in the text ---- */

/* Return the name that a path has in the text (new memory). */
static char *name_in_text(const char *path)
{
	struct ik_buf out;

	ik_buf_init(&out, SIZE_MAX / 2);
	ik_utf8_repair(&out, path, strlen(path));
	return ik_buf_take(&out, NULL);
}

static const struct ik_json_span nothing = { NULL, 0 };

/* Return the member of an object that a path names. */
static struct ik_json_span member_of(struct ik_json_span object, const char *path)
{
	char *name = name_in_text(path);
	struct ik_json_span member = ik_json_member(object, name);

	free(name);
	return member;
}

/* Return what the file says about the directory. */
static struct ik_json_span entry_of(const struct ik_trust *trust)
{
	return member_of(ik_json_member(trust->root, "directories"), trust->directory);
}

static void put_changed(struct ik_buf *out, struct ik_json_span object, const char *const *path,
	struct ik_json_span value);

/* Write the member that a path begins with, for put_changed(). */
static void put_member(struct ik_buf *out, struct ik_json_span old, const char *const *path,
	struct ik_json_span value)
{
	if (!path[1] && !value.text)
		return;
	ik_json_key(out, path[0]);
	if (path[1])
		put_changed(out, old, path + 1, value);
	else
		ik_json_put_raw(out, value);
}

/* Write an object in which the member that a path of names leads to has this value, or is missing if
 * it has none. New members are added in the order of their names. */
static void put_changed(struct ik_buf *out, struct ik_json_span object, const char *const *path,
	struct ik_json_span value)
{
	struct ik_json_span old = ik_json_member(object, path[0]), key, member;
	struct ik_json_walk walk = { NULL };
	bool done = false;

	ik_json_open(out, '{');
	while (ik_json_next(object, &walk, &key, &member)) {
		bool is_old = member.text == old.text;

		if (!done &&
			(is_old || (!old.text && strncmp(path[0], key.text + 1, key.length - 2) < 0))) {
			put_member(out, old, path, value);
			done = true;
		}
		if (!is_old) {
			ik_json_put_raw(out, key);
			ik_buf_putc(out, ':');
			ik_json_put_raw(out, member);
		}
	}
	if (!done)
		put_member(out, old, path, value);
	ik_json_close(out, '}');
}

/* Change what the file says about the directory: all of it (member is NULL), a member, a file in the
 * member "files", or a member of that. */
static void change_entry(struct ik_trust *trust, const char *member, const char *file,
	const char *inner, struct ik_json_span value)
{
	char *directory = name_in_text(trust->directory), *name = file ? name_in_text(file) : NULL;
	char *text;
	const char *const path[] = { "directories", directory, member, name, inner, NULL };
	struct ik_buf out;
	size_t length;

	ik_buf_init(&out, SIZE_MAX); /* write_file() has the limit */
	put_changed(&out, trust->root, path, value);
	text = ik_buf_take(&out, &length);
	set_text(trust, text, (struct ik_json_span){ text, length });
	free(name);
	free(directory);
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

/* Return what the file says about a file of the directory. */
static struct ik_json_span record_of(const struct ik_trust *trust, const char *path)
{
	return member_of(ik_json_member(entry_of(trust), "files"), name_of(trust, path));
}

enum ik_trust_state ik_trust_judge(const struct ik_trust *trust, const char *path,
	const char *digest)
{
	struct ik_json_span known;

	if (trust->all)
		return IK_TRUST_TRUSTED;
	known = ik_json_member(record_of(trust, path), "sha256");
	if (ik_json_span_type(known) != IK_JSON_STRING || known.length != IK_SHA256_TEXT + 1)
		return IK_TRUST_NEW;
	if (!digest)
		return IK_TRUST_UNREAD;
	return ik_json_string_is(known, digest) ? IK_TRUST_TRUSTED : IK_TRUST_CHANGED;
}

bool ik_trust_is_refused(const struct ik_trust *trust)
{
	return ik_json_is_true(ik_json_member(entry_of(trust), "never"));
}

const char *ik_trust_file_at(struct ik_trust *trust, size_t index)
{
	struct ik_json_span files = ik_json_member(entry_of(trust), "files"), name, record;
	struct ik_json_walk walk = { NULL };
	bool found;

	do {
		found = ik_json_next(files, &walk, &name, &record);
	} while (found && index-- > 0);
	free(trust->name);
	trust->name = found ? ik_json_string_new(name, NULL) : NULL;
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
static enum ik_status take_text(struct ik_trust *trust, struct ik_buf *text, struct ik_error *error)
{
	struct ik_error reason;
	struct ik_json_span root;
	int64_t version;
	size_t before;
	char *bytes;

	if (ik_json_check(text->data, text->length, &root, &reason) != IK_OK)
		return ik_error_set(error, IK_INVALID, "%s: %s", trust->path, reason.text);
	if (!ik_json_integer(ik_json_member(root, "version"), &version) ||
		ik_json_span_type(ik_json_member(root, "directories")) != IK_JSON_OBJECT)
		return ik_error_set(error, IK_INVALID,
			_("%s: \"version\" or \"directories\" is not what it was written as"), trust->path);
	if (version > VERSION)
		return ik_error_set(error, IK_UNAVAILABLE,
			_("%s was written by a newer version of ikigai: "
			  "no tool of a project is trusted by this one"),
			trust->path);
	/* Taking the bytes may move them. */
	before = (size_t)(root.text - text->data);
	bytes = ik_buf_take(text, NULL);
	set_text(trust, bytes, (struct ik_json_span){ bytes + before, root.length });
	return IK_OK;
}

/* Read the file; one that is missing says nothing. IK_INVALID: it is damaged; other errors: it must
 * be left alone. After an error, what it said before is still known. */
static enum ik_status read_file(struct ik_trust *trust, struct ik_error *error)
{
	struct ik_buf text;
	enum ik_status status;
	int fd, number;

	trust->was_read = true;
	memset(&trust->read, 0, sizeof(trust->read));
	/* Read the identity even if the file cannot be read, so that this is reported once. */
	status = ik_identity_read(trust->path, &trust->read, error);
	if (status == IK_NOT_FOUND) {
		set_nothing(trust);
		return IK_OK;
	}
	if (status != IK_OK)
		return status;
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
		set_nothing(trust);
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
	if (status != IK_OK)
		set_nothing(trust);
	return status;
}

/* Write the file. */
static enum ik_status write_file(struct ik_trust *trust, struct ik_error *error)
{
	enum ik_status status;
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_TRUST);
	ik_json_pretty(&out, trust->root);
	ik_buf_putc(&out, '\n');
	status = ik_buf_check(&out, trust->path, error);
	if (status == IK_OK)
		status = ik_file_write(trust->path, out.data, out.length, 0600, error);
	if (status == IK_OK)
		status = ik_identity_read(trust->path, &trust->read, error);
	ik_buf_done(&out);
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

/* Record a file as trusted, from now on unless it was before. */
static void note(struct ik_trust *trust, const struct ik_trust_file *file)
{
	const char *name = name_of(trust, file->path);
	char digest[IK_SHA256_TEXT + 2], now[IK_CLOCK_TEXT], when[IK_CLOCK_TEXT + 2];

	if (ik_json_string_is(ik_json_member(record_of(trust, file->path), "sha256"), file->digest))
		return;
	ik_clock_text(ik_clock_wall_ms(), now);
	(void)snprintf(digest, sizeof(digest), "\"%s\"", file->digest);
	(void)snprintf(when, sizeof(when), "\"%s\"", now);
	change_entry(trust, "files", name, "sha256", (struct ik_json_span){ digest, strlen(digest) });
	change_entry(trust, "files", name, "trusted", (struct ik_json_span){ when, strlen(when) });
}

struct grant {
	const struct ik_trust_file *files;
	size_t count;
	bool only;
};

/* Is this file of the directory among those that are granted? */
static bool is_granted(const struct ik_trust *trust, const struct grant *grant, const char *file)
{
	bool found = false;

	for (size_t i = 0; i < grant->count && !found; i++) {
		char *name = name_in_text(name_of(trust, grant->files[i].path));

		found = ik_text_equal(name, file);
		free(name);
	}
	return found;
}

static void change_grant(struct ik_trust *trust, const void *arg)
{
	const struct grant *grant = arg;
	const char *file;
	size_t kept = 0;

	change_entry(trust, "never", NULL, NULL, nothing);
	while (grant->only && (file = ik_trust_file_at(trust, kept))) {
		size_t length = trust->root.length;

		if (!is_granted(trust, grant, file))
			change_entry(trust, "files", file, NULL, nothing);
		kept += trust->root.length == length;
	}
	for (size_t i = 0; i < grant->count; i++)
		note(trust, &grant->files[i]);
	if (!ik_trust_file_at(trust, 0))
		change_entry(trust, NULL, NULL, NULL, nothing);
}

enum ik_status ik_trust_grant(struct ik_trust *trust, const struct ik_trust_file *files,
	size_t count, bool only, struct ik_error *error)
{
	const struct grant grant = { files, count, only };

	return update(trust, change_grant, &grant, error);
}

static void change_revoke(struct ik_trust *trust, const void *arg)
{
	(void)arg;
	change_entry(trust, NULL, NULL, NULL, nothing);
}

enum ik_status ik_trust_revoke(struct ik_trust *trust, struct ik_error *error)
{
	return update(trust, change_revoke, NULL, error);
}

static void change_refuse(struct ik_trust *trust, const void *arg)
{
	(void)arg;
	change_entry(trust, "never", NULL, NULL, (struct ik_json_span){ "true", 4 });
}

enum ik_status ik_trust_refuse(struct ik_trust *trust, struct ik_error *error)
{
	return update(trust, change_refuse, NULL, error);
}
