#include "guard/trust.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/scan.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#define VERSION 1

/* A file that is trusted. */
struct trusted {
	char *name; /* as in trust.json */
	char digest[IK_SHA256_TEXT];
};

/* The user's decisions about the directory. */
struct decisions {
	struct trusted *files; /* sorted by name */
	size_t count;
	bool never;
};

struct ik_trust {
	char *path; /* NULL: nothing is kept */
	char *directory;
	char *entry; /* its name in trust.json */
	struct decisions known;
	struct ik_identity read; /* of the file that was read; all zero if there was no file */
	bool was_read;
	bool all;
	struct ik_error problem; /* why the file cannot be used; IK_OK: it can */
};

/* ---- decisions ---- */

static void decisions_done(struct decisions *decisions)
{
	for (size_t i = 0; i < decisions->count; i++)
		free(decisions->files[i].name);
	free(decisions->files);
	*decisions = (struct decisions){ .count = 0 };
}

/* Return the file of that name; NULL: it is not trusted. */
static struct trusted *file_of(const struct decisions *decisions, const char *name)
{
	for (size_t i = 0; i < decisions->count; i++)
		if (ik_text_equal(decisions->files[i].name, name))
			return &decisions->files[i];
	return NULL;
}

/* Add a file that is not known yet (its name is taken over), without contents. */
static struct trusted *add_file(struct decisions *decisions, char *name)
{
	size_t at = 0;

	while (at < decisions->count && strcmp(decisions->files[at].name, name) < 0)
		at++;
	decisions->files = ik_alloc_more(decisions->files, decisions->count, sizeof(*decisions->files));
	memmove(decisions->files + at + 1, decisions->files + at,
		(decisions->count++ - at) * sizeof(*decisions->files));
	decisions->files[at] = (struct trusted){ .name = name };
	return &decisions->files[at];
}

/* Trust a file with those contents; NULL: do not trust it any longer. */
static void set_file(struct decisions *decisions, const char *name, const char *digest)
{
	struct trusted *file = file_of(decisions, name);

	if (digest) {
		file = file ? file : add_file(decisions, ik_strdup(name));
		memcpy(file->digest, digest, sizeof(file->digest));
	} else if (file) {
		free(file->name);
		memmove(file, file + 1,
			(size_t)(decisions->files + --decisions->count - file) * sizeof(*file));
	}
}

/* Take what a line says about the directory. */
static void take_line(const struct ik_trust *trust, struct ik_json_span line,
	struct decisions *decisions)
{
	struct ik_json_span entry = ik_json_member(ik_json_member(line, "directories"), trust->entry);

	if (!entry.text)
		return;
	decisions->never = ik_json_is_true(ik_json_member(entry, "never"));
	for (struct ik_json_walk walk = ik_json_walk(ik_json_member(entry, "files"));
		 ik_json_next(&walk);) {
		char *name = ik_json_text_new(walk.key);
		char *digest = ik_json_text_new(ik_json_member(walk.value, "sha256"));

		if (name)
			set_file(decisions, name,
				digest && strlen(digest) == IK_SHA256_TEXT - 1 ? digest : NULL);
		free(digest);
		free(name);
	}
}

/* ---- the object ---- */

/* Return the name that a path has in the file (new memory). */
static char *repaired(const char *path)
{
	struct ik_buf out;

	ik_buf_init(&out, SIZE_MAX / 2);
	ik_utf8_repair(&out, path, strlen(path));
	return ik_buf_take(&out, NULL);
}

/* Return the name of a file in trust.json: relative to the directory, without "./" (new memory). */
static char *name_of(const struct ik_trust *trust, const char *path)
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
	return repaired(path);
}

struct ik_trust *ik_trust_new(const char *path, const char *directory)
{
	struct ik_trust *trust = ik_alloc(sizeof(*trust));

	trust->path = path ? ik_strdup(path) : NULL;
	trust->directory = ik_strdup(directory);
	trust->entry = repaired(directory);
	return trust;
}

struct ik_trust *ik_trust_free(struct ik_trust *trust)
{
	if (!trust)
		return NULL;
	decisions_done(&trust->known);
	free(trust->path);
	free(trust->directory);
	free(trust->entry);
	free(trust);
	return NULL;
}

const char *ik_trust_directory(const struct ik_trust *trust)
{
	return trust->directory;
}

const char *ik_trust_problem(const struct ik_trust *trust)
{
	return trust->problem.status != IK_OK ? trust->problem.text : NULL;
}

const char *ik_trust_path(const struct ik_trust *trust)
{
	return trust->path;
}

void ik_trust_all(struct ik_trust *trust)
{
	trust->all = true;
}

enum ik_trust_state ik_trust_judge(const struct ik_trust *trust, const char *path,
	const char *digest)
{
	char *name = name_of(trust, path);
	const struct trusted *file = file_of(&trust->known, name);

	free(name);
	if (trust->all)
		return IK_TRUST_TRUSTED;
	if (!file)
		return IK_TRUST_NEW;
	if (!digest)
		return IK_TRUST_UNREAD;
	return ik_text_equal(file->digest, digest) ? IK_TRUST_TRUSTED : IK_TRUST_CHANGED;
}

bool ik_trust_is_refused(const struct ik_trust *trust)
{
	return trust->known.never;
}

const char *ik_trust_file_at(const struct ik_trust *trust, size_t index)
{
	return index < trust->known.count ? trust->known.files[index].name : NULL;
}

/* ---- the file ---- */

/* Fail if another user can change the file: its contents can't be trusted then. */
static enum ik_status check_owner(const char *path, const struct stat *status,
	struct ik_error *error)
{
	if (status->st_uid != geteuid() && status->st_uid != 0)
		return ik_error_set(error, IK_DENIED,
			_("%s belongs to another user, so it counts for "
			  "nothing: no tool of a project is trusted"),
			path);
	if ((status->st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return ik_error_set(error, IK_DENIED,
			_("%s can be changed by other users, so it counts for "
			  "nothing: no tool of a project is trusted; look at it, then: chmod 600 %s"),
			path, path);
	return IK_OK;
}

/* Check that a line is one that this version writes. */
static enum ik_status check_line(const char *path, struct ik_json_span line, struct ik_error *error)
{
	int64_t version;

	if (!ik_json_integer(ik_json_member(line, "version"), &version) ||
		ik_json_span_type(ik_json_member(line, "directories")) != IK_JSON_OBJECT)
		return ik_error_set(error, IK_INVALID,
			_("%s: \"version\" or \"directories\" is not what it was written as"), path);
	if (version > VERSION)
		return ik_error_set(error, IK_UNAVAILABLE,
			_("%s was written by a newer version of ikigai: "
			  "no tool of a project is trusted by this one"),
			path);
	return IK_OK;
}

/* Return the end of the line at at; NULL: it has none. What earlier versions wrote, one value over
 * many lines, of which only the last begins with a brace, counts as a line. */
static const char *end_of_line(const char *at, const char *end)
{
	const char *last = ik_text_starts(at, "{\n") ? strstr(at, "\n}\n") : NULL;

	return last ? last + 2 : memchr(at, '\n', (size_t)(end - at));
}

/* Take all lines of the file, later ones over earlier ones. */
static enum ik_status take_lines(const struct ik_trust *trust, const struct ik_buf *text,
	struct decisions *decisions, struct ik_error *error)
{
	const char *at = text->data, *end = text->data + text->length, *next;
	enum ik_status status = IK_OK;
	struct ik_json_span line;
	struct ik_error reason;

	for (; at < end && status == IK_OK; at = next + 1) {
		const char *stop = end_of_line(at, end);

		next = stop ? stop : end;
		if (next == at)
			continue;
		if (ik_json_check(at, (size_t)(next - at), &line, &reason) == IK_OK)
			status = check_line(trust->path, line, error);
		else if (stop) /* without an end, it is being written */
			return ik_error_set(error, IK_INVALID, "%s:%d: %s", trust->path,
				ik_json_line(text->data, at), reason.text);
		else
			return IK_OK;
		if (status == IK_OK)
			take_line(trust, line, decisions);
	}
	return status;
}

/* Read the file; one that is missing says nothing. IK_INVALID: it is damaged; other errors: it must
 * be left alone. After an error, what it said before is still known. */
static enum ik_status read_file(struct ik_trust *trust, struct ik_error *error)
{
	struct decisions decisions = { .count = 0 }, before = trust->known;
	enum ik_status status = IK_OK;
	struct ik_buf text;
	struct stat about;
	bool missing = stat(trust->path, &about) != 0;

	if (missing && errno != ENOENT)
		status = ik_error_set_errno(error, errno, _("cannot read %s"), trust->path);
	/* Known even if the file cannot be read, so that this is reported once. */
	trust->was_read = true;
	trust->read = missing ? (struct ik_identity){ .inode = 0 } : ik_identity_of(&about);
	ik_buf_init(&text, IK_LIMIT_TRUST);
	if (!missing)
		status = check_owner(trust->path, &about, error);
	if (!missing && status == IK_OK)
		status = ik_file_read(trust->path, &text, error);
	if (status == IK_OK)
		status = take_lines(trust, &text, &decisions, error);
	if (status == IK_OK)
		trust->known = decisions;
	decisions_done(status == IK_OK ? &before : &decisions);
	ik_buf_done(&text);
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

/* Rename the damaged file and report it. */
static enum ik_status rename_damaged(struct ik_trust *trust, struct ik_error *error)
{
	char time[IK_CLOCK_TEXT], *aside;
	struct ik_error reason = *error;
	enum ik_status status;

	ik_clock_text(ik_clock_wall_ms(), time);
	aside = ik_format("%s.damaged-%s", trust->path, time);
	memset(&trust->read, 0, sizeof(trust->read));
	if (rename(trust->path, aside) != 0)
		status = ik_error_set_errno(error, errno, _("%s; it cannot be put aside"), reason.text);
	else
		status = ik_error_set(error, IK_INVALID,
			_("%s. It was put aside as %s; no tool of a "
			  "project is trusted any more: ikigai tool trust"),
			reason.text, aside);
	free(aside);
	return status;
}

enum ik_status ik_trust_read(struct ik_trust *trust, struct ik_error *error)
{
	enum ik_status status;

	if (!trust->path || is_current(trust))
		return IK_OK;
	status = read_file(trust, error);
	if (status == IK_INVALID)
		status = rename_damaged(trust, error);
	trust->problem.status = IK_OK;
	if (status != IK_OK) {
		trust->problem = *error;
		decisions_done(&trust->known);
	}
	return status;
}

enum ik_trust_state ik_trust_judge_as(const struct ik_trust *trust, const char *path,
	const struct ik_identity *identity, const struct ik_buf *text, struct ik_error *error)
{
	enum ik_trust_state state = ik_trust_judge(trust, path, NULL);
	char digest[IK_SHA256_TEXT];

	if (state != IK_TRUST_UNREAD)
		return state;
	if (text)
		ik_sha256_of(text->data, text->length, digest);
	else if (ik_sha256_of_file(path, digest, error) != IK_OK)
		return IK_TRUST_NEW;
	return ik_identity_holds(path, identity) ? ik_trust_judge(trust, path, digest)
											 : IK_TRUST_CHANGED;
}

enum ik_trust_state ik_trust_examine(struct ik_trust *trust, const char *path,
	struct ik_identity *ret_identity, struct ik_error *error)
{
	*ret_identity = (struct ik_identity){ .inode = 0 };
	if (ik_trust_read(trust, error) != IK_OK ||
		ik_identity_read(path, ret_identity, error) != IK_OK)
		return IK_TRUST_NEW;
	return ik_trust_judge_as(trust, path, ret_identity, NULL, error);
}

/* ---- changes ---- */

/* Record a decision: trust these files from now on, instead of the known ones (only) or in addition
 * to them; never: do not ask about other files. */
struct decision {
	const struct ik_trust_file *files;
	size_t count;
	bool only, never;
};

/* Is the known file of that name among those of the decision? */
static bool is_granted(const struct ik_trust *trust, const struct decision *decision,
	const char *name)
{
	bool found = false;

	for (size_t i = 0; i < decision->count && !found; i++) {
		char *granted = name_of(trust, decision->files[i].path);

		found = ik_text_equal(granted, name);
		free(granted);
	}
	return found;
}

/* Write the line that records a decision: what it changes. */
static void put_line(const struct ik_trust *trust, const struct decision *decision,
	struct ik_buf *out)
{
	char now[IK_CLOCK_TEXT];

	ik_clock_text(ik_clock_wall_ms(), now);
	ik_json_printf(out, "{'version':%d,'directories':{'%s':{'files':{", VERSION, trust->entry);
	for (size_t i = 0; decision->only && i < trust->known.count; i++)
		if (!is_granted(trust, decision, trust->known.files[i].name))
			ik_json_printf(out, "'%s':null", trust->known.files[i].name);
	for (size_t i = 0; i < decision->count; i++) {
		char *name = name_of(trust, decision->files[i].path);
		const struct trusted *known = file_of(&trust->known, name);

		if (!known || !ik_text_equal(known->digest, decision->files[i].digest))
			ik_json_printf(out, "'%s':{'sha256':'%s','trusted':'%s'}", name,
				decision->files[i].digest, now);
		free(name);
	}
	ik_json_printf(out, decision->never ? "},'never':true}}}" : "}}}}");
}

/* Make a decision: know it, and append it to the file, provided that this may be used. */
static enum ik_status decide(struct ik_trust *trust, const struct decision *decision,
	struct ik_error *error)
{
	enum ik_status status;
	struct ik_json_span said;
	struct ik_buf line;

	if (!trust->path)
		status = ik_error_set(error, IK_UNAVAILABLE,
			_("there is no home directory, so it is not remembered"));
	else
		status = read_file(trust, error);
	if (status == IK_INVALID) {
		decisions_done(&trust->known);
		status = rename_damaged(trust, error);
		status = status == IK_INVALID ? IK_OK : status;
	}
	ik_buf_init(&line, IK_LIMIT_TRUST);
	put_line(trust, decision, &line);
	if (ik_json_check(line.data, line.length, &said, NULL) == IK_OK)
		take_line(trust, said, &trust->known);
	ik_buf_putc(&line, '\n');
	if (status == IK_OK)
		status = ik_buf_check(&line, trust->path, error);
	if (status == IK_OK)
		status = ik_file_append(trust->path, line.data, line.length, true, error);
	ik_buf_done(&line);
	return status;
}

enum ik_status ik_trust_grant(struct ik_trust *trust, const struct ik_trust_file *files,
	size_t count, bool only, struct ik_error *error)
{
	return decide(trust, &(struct decision){ files, count, only, false }, error);
}

enum ik_status ik_trust_refuse(struct ik_trust *trust, struct ik_error *error)
{
	return decide(trust, &(struct decision){ .never = true }, error);
}
