#include "tool/worktree_changes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* Git's modes. */
enum { GIT_TREE = 040000, GIT_FILE = 0100644, GIT_PROGRAM = 0100755 };

static bool is_regular(int mode)
{
	return mode == GIT_FILE || mode == GIT_PROGRAM;
}

static void change_done(struct ik_worktree_change *change)
{
	free(change->path);
	ik_file_state_done(&change->before);
	ik_file_state_done(&change->after);
}

void ik_worktree_changes_free(struct ik_worktree_change *changes, size_t count)
{
	while (count > 0)
		change_done(&changes[--count]);
	free(changes);
}

/* Take ":MODE MODE ID ID STATUS"; false: it is something else. */
static bool read_record(const char *record, struct ik_worktree_change *change)
{
	char *at;

	if (record[0] != ':')
		return false;
	change->modes[0] = (int)strtol(record + 1, &at, 8);
	change->modes[1] = (int)strtol(at, &at, 8);
	for (size_t i = 0; i < 2; i++) {
		size_t length;

		at += strspn(at, " ");
		length = strspn(at, "0123456789abcdef");
		if (length == 0 || length >= IK_WORKTREE_ID)
			return false;
		memcpy(change->ids[i], at, length);
		at += length;
	}
	return true;
}

/* The first of the directories (in git's order: one comes before what is in it) that lead to a
 * path; NULL: none does. */
static const char *first_directory(char *const *directories, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(directories[i]);

		if (strncmp(path, directories[i], length) == 0 && path[length] == '/')
			return directories[i];
	}
	return NULL;
}

/* The state of one that may be absent; directories: those that were missing then. */
static struct ik_file_state state_of(const struct ik_worktree_change *change, int which,
	char *const *directories, size_t count)
{
	struct ik_file_state state = { .kind = IK_FILE_OTHER };
	const char *missing;

	if (change->modes[which] == 0) {
		state.kind = IK_FILE_ABSENT;
		missing = first_directory(directories, count, change->path);
		state.made_from = missing != NULL ? ik_strdup(missing) : NULL;
	} else if (is_regular(change->modes[which])) {
		state.kind = IK_FILE_REGULAR;
	}
	return state;
}

struct ik_worktree_change *ik_worktree_changes_read(const char *root, const char *output,
	size_t length, size_t *ret_count)
{
	struct ik_worktree_change *changes = NULL;
	char **directories[2] = { NULL, NULL }; /* that were not there before, or are not after */
	size_t count = 0, directory_counts[2] = { 0, 0 }, at = 0;

	while (at < length && count <= IK_WORKTREE_CHANGES_MOST) {
		struct ik_worktree_change change = { .path = NULL };
		size_t record = strnlen(output + at, length - at), name, size;

		if (at + record + 1 >= length || !read_record(output + at, &change))
			break;
		name = at + record + 1;
		size = strnlen(output + name, length - name);
		at = name + size + 1;
		if (name + size >= length || ik_utf8_valid_prefix(output + name, size) != size)
			continue;
		change.path = ik_path_join(root, output + name);
		for (int i = 0; i < 2; i++) {
			if (change.modes[i] != 0 || change.modes[!i] != GIT_TREE)
				continue;
			directories[i] = ik_alloc_array(directories[i], directory_counts[i] + 1,
				sizeof(*directories[i]));
			directories[i][directory_counts[i]++] = ik_strdup(change.path);
		}
		/* A directory is told of by what is in it. */
		if ((change.modes[0] == GIT_TREE || change.modes[0] == 0) &&
		    (change.modes[1] == GIT_TREE || change.modes[1] == 0)) {
			change_done(&change);
			continue;
		}
		change.before = state_of(&change, 0, directories[0], directory_counts[0]);
		change.after = state_of(&change, 1, directories[1], directory_counts[1]);
		changes = ik_alloc_array(changes, count + 1, sizeof(*changes));
		changes[count++] = change;
	}
	for (int i = 0; i < 2; i++) {
		while (directory_counts[i] > 0)
			free(directories[i][--directory_counts[i]]);
		free(directories[i]);
	}
	*ret_count = count;
	return changes;
}

struct ik_worktree_blobs {
	char *objects;
	struct ik_worktree_change *changes;
	size_t count, at; /* at: twice the index, plus one for what it is after */
	struct ik_buf head;
	bool in_body;
	size_t left;      /* bytes of the body, with the line's end behind it */
	size_t room;      /* bytes that may be kept yet */
	struct ik_sha256 *sum;
	char *temporary;  /* NULL: the bytes are not kept */
	int to;
};

/* Is there an object to be asked for? */
static bool is_asked(const struct ik_worktree_blobs *blobs, size_t at)
{
	return is_regular(blobs->changes[at / 2].modes[at % 2]);
}

struct ik_worktree_blobs *ik_worktree_blobs_new(const char *objects,
	struct ik_worktree_change *changes, size_t count)
{
	struct ik_worktree_blobs *blobs = ik_alloc(sizeof(*blobs));

	blobs->objects = ik_strdup(objects);
	blobs->changes = changes;
	blobs->count = count;
	blobs->room = IK_WORKTREE_BYTES_MOST;
	blobs->to = -1;
	ik_buf_init(&blobs->head, IK_KIB(4));
	return blobs;
}

void ik_worktree_blobs_ask(const struct ik_worktree_blobs *blobs, struct ik_buf *out)
{
	for (size_t at = 0; at < 2 * blobs->count; at++)
		if (is_asked(blobs, at))
			ik_buf_printf(out, "%s\n", blobs->changes[at / 2].ids[at % 2]);
}

/* Let go of what belongs to one object. */
static void put_down(struct ik_worktree_blobs *blobs)
{
	if (blobs->to >= 0)
		(void)close(blobs->to);
	blobs->to = -1;
	if (blobs->temporary != NULL)
		(void)unlink(blobs->temporary);
	free(blobs->temporary);
	blobs->temporary = NULL;
	blobs->sum = ik_sha256_free(blobs->sum);
}

struct ik_worktree_blobs *ik_worktree_blobs_free(struct ik_worktree_blobs *blobs)
{
	if (blobs == NULL)
		return NULL;
	put_down(blobs);
	ik_buf_done(&blobs->head);
	free(blobs->objects);
	free(blobs);
	return NULL;
}

/* An object of that size begins. */
static void begin_body(struct ik_worktree_blobs *blobs, size_t size)
{
	struct ik_error error;

	blobs->in_body = true;
	blobs->left = size + 1;
	if (size > IK_WORKTREE_FILE_MOST || (blobs->at % 2 == 0 && size > blobs->room))
		return;
	blobs->sum = ik_sha256_new(&error);
	if (blobs->at % 2 != 0)
		return;
	blobs->room -= size;
	blobs->temporary = ik_format("%s/tmp-XXXXXX", blobs->objects);
	blobs->to = mkostemp(blobs->temporary, O_CLOEXEC);
	if (blobs->to < 0) {
		free(blobs->temporary);
		blobs->temporary = NULL;
		blobs->sum = ik_sha256_free(blobs->sum);
	}
}

/* Take bytes of an object, and then its end. */
static void take_body(struct ik_worktree_blobs *blobs, const char *bytes, size_t length)
{
	size_t own = length == blobs->left ? length - 1 : length;

	if (blobs->sum != NULL)
		ik_sha256_add(blobs->sum, bytes, own);
	if (blobs->to >= 0 && ik_write_all(blobs->to, bytes, own) != 0)
		put_down(blobs);
	blobs->left -= length;
}

/* All of an object is there: it gets its name. */
static void end_body(struct ik_worktree_blobs *blobs)
{
	struct ik_worktree_change *change = &blobs->changes[blobs->at / 2];
	struct ik_file_state *state = blobs->at % 2 == 0 ? &change->before : &change->after;
	char hash[IK_SHA256_TEXT], *name;
	struct ik_error error;

	if (blobs->sum != NULL && ik_sha256_end(blobs->sum, hash, &error) == IK_OK) {
		name = ik_path_join(blobs->objects, hash);
		if (blobs->temporary == NULL || access(name, F_OK) == 0 ||
		    rename(blobs->temporary, name) == 0)
			memcpy(state->hash, hash, sizeof(hash));
		free(name);
	}
	put_down(blobs);
	blobs->in_body = false;
	blobs->at++;
}

/* A head is whole: "ID TYPE SIZE", or "ID missing". */
static void take_head(struct ik_worktree_blobs *blobs)
{
	const char *type = strchr(blobs->head.data, ' ');

	if (type != NULL && strncmp(type, " blob ", 6) == 0)
		begin_body(blobs, (size_t)strtoull(type + 6, NULL, 10));
	else
		blobs->at++;
	ik_buf_clear(&blobs->head);
}

void ik_worktree_blobs_take(struct ik_worktree_blobs *blobs, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t part = length;

		while (!blobs->in_body && blobs->at < 2 * blobs->count && !is_asked(blobs, blobs->at))
			blobs->at++;
		if (blobs->at == 2 * blobs->count)
			return;
		if (blobs->in_body) {
			if (part > blobs->left)
				part = blobs->left;
			take_body(blobs, bytes, part);
			if (blobs->left == 0)
				end_body(blobs);
		} else {
			const char *end = memchr(bytes, '\n', length);

			part = end != NULL ? (size_t)(end - bytes) + 1 : length;
			ik_buf_append(&blobs->head, bytes, part);
			if (end != NULL)
				take_head(blobs);
		}
		bytes += part;
		length -= part;
	}
}

/* Give one the permissions that git knows of. */
static int with_program(int mode, bool program)
{
	return program ? mode | ((mode & 0444) >> 2) : mode & ~0111;
}

void ik_worktree_blobs_end(struct ik_worktree_blobs *blobs, struct ik_worktree_modes *modes)
{
	for (size_t i = 0; i < blobs->count; i++) {
		struct ik_worktree_change *change = &blobs->changes[i];
		struct ik_file_state *before = &change->before, *after = &change->after;
		bool program = change->modes[0] == GIT_PROGRAM;
		struct ik_file_state now = ik_file_state_look(change->path, 0);
		int mode = ik_worktree_new_mode(false), known = -1;

		after->directory = now.directory;
		if (is_regular(change->modes[1]) && now.kind == IK_FILE_REGULAR) {
			after->identity = now.identity;
			after->mode = mode = now.mode;
		}
		ik_file_state_done(&now);
		if (before->kind == IK_FILE_REGULAR && modes != NULL)
			known = ik_worktree_modes_of(modes, change->path, program);
		if (before->kind == IK_FILE_REGULAR && known < 0 && (!is_regular(change->modes[1]) ||
		    change->modes[0] != change->modes[1]))
			mode = with_program(mode, program);
		before->mode = known >= 0 ? known : mode;
	}
}
