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

#include "guard/trust_file.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* Limit on the wait for another program that writes the file, which is small. */
enum { LOCK_TRIES = 50, LOCK_PAUSE_MS = 10 };

struct ik_trust {
	char *path; /* NULL: nothing is kept */
	char *directory;
	struct ik_trust_entry entry;
	struct ik_identity read; /* of the file that entry was read from; all zero: there was none */
	bool was_read;
	bool all;
	char *problem;
};

struct ik_trust *ik_trust_new(const char *path, const char *directory)
{
	struct ik_trust *trust = ik_alloc(sizeof(*trust));

	trust->path = path ? ik_strdup(path) : NULL;
	trust->directory = ik_strdup(directory);
	return trust;
}

struct ik_trust *ik_trust_free(struct ik_trust *trust)
{
	if (!trust)
		return NULL;
	ik_trust_entry_done(&trust->entry);
	free(trust->problem);
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

void ik_trust_all(struct ik_trust *trust)
{
	trust->all = true;
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

/* Use what a text says about the directory. */
static void take(struct ik_trust *trust, const struct ik_trust_text *text)
{
	ik_trust_entry_done(&trust->entry);
	ik_trust_text_entry(text, trust->directory, &trust->entry);
	trust->read = text->identity;
	trust->was_read = true;
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

/*
 * Read the file for a change, under the lock. A damaged file is renamed and counts as missing: the
 * status is IK_OK, but *error has the sentence.
 */
static enum ik_status read_locked(const struct ik_trust *trust, struct ik_trust_text *ret_text,
	struct ik_error *error)
{
	struct ik_error reason;
	enum ik_status status = ik_trust_text_read(trust->path, ret_text, &reason);

	if (status == IK_INVALID) {
		status = rename_damaged(trust->path, &reason, error);
		ik_trust_text_done(ret_text);
		memset(&ret_text->identity, 0, sizeof(ret_text->identity));
		return status == IK_INVALID ? IK_OK : status;
	}
	if (status != IK_OK)
		*error = reason;
	return status;
}

enum ik_status ik_trust_read(struct ik_trust *trust, struct ik_error *error)
{
	struct ik_trust_text text;
	struct ik_error reason;
	enum ik_status status;
	int fd;

	if (!trust->path || is_current(trust))
		return IK_OK;
	status = ik_trust_text_read(trust->path, &text, &reason);
	if (status == IK_INVALID) {
		ik_trust_text_done(&text);
		/* Another program may be repairing it right now. */
		fd = lock(trust, error);
		if (fd < 0) {
			free(trust->problem);
			trust->problem = ik_strdup(error->text);
			return error->status;
		}
		reason = (struct ik_error){ .status = IK_OK };
		status = read_locked(trust, &text, &reason);
		close(fd);
		if (status == IK_OK)
			status = reason.status;
	}
	free(trust->problem);
	trust->problem = NULL;
	if (status != IK_OK) {
		ik_trust_text_done(&text);
		*error = reason;
		trust->problem = ik_strdup(reason.text);
	}
	/* A file that cannot be used says nothing until it changes. */
	take(trust, &text);
	ik_trust_text_done(&text);
	return status;
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

enum ik_trust_state ik_trust_judge(const struct ik_trust *trust, const char *path,
	const struct ik_identity *identity, const char *digest)
{
	const struct ik_trust_record *record;

	if (trust->all)
		return IK_TRUST_TRUSTED;
	record = ik_trust_entry_find(&trust->entry, name_of(trust, path));
	if (!record)
		return IK_TRUST_NEW;
	if (record->seen && ik_identity_equal(&record->identity, identity))
		return IK_TRUST_TRUSTED;
	if (record->identity.size != identity->size)
		return IK_TRUST_CHANGED;
	if (!digest)
		return IK_TRUST_UNREAD;
	return ik_text_equal(record->digest, digest) ? IK_TRUST_TRUSTED : IK_TRUST_CHANGED;
}

bool ik_trust_is_refused(const struct ik_trust *trust)
{
	return trust->entry.refused;
}

const char *ik_trust_file_at(const struct ik_trust *trust, size_t index)
{
	return index < trust->entry.count ? trust->entry.records[index].name : NULL;
}

/* Return nanoseconds since 1970. */
static int64_t wall_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Would any further change of the file alter its identity? */
static bool is_settled(const struct ik_identity *identity)
{
	int64_t now = wall_ns();

	return identity->ctime_ns <= now && ik_identity_settles_ms(identity, now) == 0;
}

/* Record a file as trusted. */
static void note(struct ik_trust *trust, const struct ik_trust_file *file)
{
	struct ik_trust_record *record = ik_trust_entry_make(&trust->entry, name_of(trust, file->path));

	if (!ik_text_equal(record->digest, file->digest)) {
		(void)snprintf(record->digest, sizeof(record->digest), "%s", file->digest);
		ik_clock_text(ik_clock_wall_ms(), record->when);
	}
	record->identity = file->identity;
	record->seen = is_settled(&file->identity);
}

/* Write the directory's entry, with the rest of the file unchanged. */
static enum ik_status write_entry(struct ik_trust *trust, const struct ik_trust_text *text,
	struct ik_error *error)
{
	struct ik_buf out;
	enum ik_status status;

	ik_buf_init(&out, IK_LIMIT_TRUST);
	ik_trust_text_write(text, trust->directory, &trust->entry, &out);
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
	struct ik_trust_text text;
	struct ik_error aside;
	enum ik_status status;
	int fd;

	if (!trust->path) {
		change(trust, arg);
		return ik_error_set(error, IK_UNAVAILABLE,
			_("there is no home directory, so it is not remembered"));
	}
	fd = lock(trust, error);
	if (fd < 0) {
		change(trust, arg);
		return error->status;
	}
	status = read_locked(trust, &text, &aside);
	if (status == IK_OK) {
		take(trust, &text);
		change(trust, arg);
		status = write_entry(trust, &text, error);
	} else {
		change(trust, arg);
		*error = aside;
	}
	ik_trust_text_done(&text);
	close(fd);
	return status;
}

struct grant {
	const struct ik_trust_file *files;
	size_t count;
	bool only;
};

static void change_grant(struct ik_trust *trust, const void *arg)
{
	const struct grant *grant = arg;
	struct ik_trust_entry before = trust->entry;

	/* Files that stay trusted keep their time. */
	if (grant->only) {
		memset(&trust->entry, 0, sizeof(trust->entry));
		for (size_t i = 0; i < grant->count; i++) {
			const char *name = name_of(trust, grant->files[i].path);
			const struct ik_trust_record *old = ik_trust_entry_find(&before, name);
			struct ik_trust_record *record = ik_trust_entry_make(&trust->entry, name);

			if (old) {
				memcpy(record->digest, old->digest, sizeof(record->digest));
				memcpy(record->when, old->when, sizeof(record->when));
			}
		}
		ik_trust_entry_done(&before);
	}
	trust->entry.refused = false;
	for (size_t i = 0; i < grant->count; i++)
		note(trust, &grant->files[i]);
}

enum ik_status ik_trust_grant(struct ik_trust *trust, const struct ik_trust_file *files,
	size_t count, bool only, struct ik_error *error)
{
	const struct grant grant = { files, count, only };

	return update(trust, change_grant, &grant, error);
}

static void change_seen(struct ik_trust *trust, const void *arg)
{
	const struct grant *grant = arg;

	for (size_t i = 0; i < grant->count; i++) {
		const struct ik_trust_file *file = &grant->files[i];
		const struct ik_trust_record *record = ik_trust_entry_find(&trust->entry,
			name_of(trust, file->path));

		/* It may have been revoked meanwhile. */
		if (record && ik_text_equal(record->digest, file->digest) && is_settled(&file->identity))
			note(trust, file);
	}
}

void ik_trust_seen(struct ik_trust *trust, const struct ik_trust_file *files, size_t count)
{
	const struct grant grant = { files, count, false };
	struct ik_error error;
	bool any = false;

	for (size_t i = 0; i < count; i++)
		any = any || is_settled(&files[i].identity);
	if (any && update(trust, change_seen, &grant, &error) != IK_OK)
		ik_log(IK_LOG_ERROR, "%s", error.text);
}

static void change_revoke(struct ik_trust *trust, const void *arg)
{
	(void)arg;
	ik_trust_entry_done(&trust->entry);
}

enum ik_status ik_trust_revoke(struct ik_trust *trust, struct ik_error *error)
{
	return update(trust, change_revoke, NULL, error);
}

static void change_refuse(struct ik_trust *trust, const void *arg)
{
	(void)arg;
	trust->entry.refused = true;
}

enum ik_status ik_trust_refuse(struct ik_trust *trust, struct ik_error *error)
{
	return update(trust, change_refuse, NULL, error);
}
