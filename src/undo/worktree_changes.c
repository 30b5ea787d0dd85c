#include "undo/worktree_changes.h"

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

/* File systems without fractions of a second count in units of one second, or two. */
#define SECOND_NS INT64_C(1000000000)
#define COARSE_TICK_NS (2 * SECOND_NS)

void ik_worktree_found_done(struct ik_worktree_found *found)
{
	ik_file_changes_free(found->changes, found->count);
	free(found->objects);
	*found = (struct ik_worktree_found){ .changes = NULL };
}

/* A file in either or both of the indexes. */
struct pair {
	const char *path;
	struct ik_worktree_entry old, new; /* no path: it does not exist */
	size_t entry;                      /* position of the old entry */
};

/* Return the next file of both; false at the end. */
static bool next_pair(const struct ik_worktree_span *span, size_t *old, size_t *new,
	struct pair *pair)
{
	const struct ik_worktree_index *before = span->before->index;
	int order;

	*pair = (struct pair){ .entry = *old };
	if (*old < ik_worktree_index_count(before))
		pair->old = ik_worktree_index_entry(before, *old);
	if (*new < ik_worktree_index_count(span->after))
		pair->new = ik_worktree_index_entry(span->after, *new);
	if (!pair->old.path && !pair->new.path)
		return false;
	order = !pair->old.path ? 1 : !pair->new.path ? -1 : strcmp(pair->old.path, pair->new.path);
	if (order > 0)
		pair->old = (struct ik_worktree_entry){ .path = NULL };
	else
		(*old)++;
	if (order < 0)
		pair->new = (struct ik_worktree_entry){ .path = NULL };
	else
		(*new)++;
	pair->path = order > 0 ? pair->new.path : pair->old.path;
	return true;
}

/* Set or clear the executable bits in a mode. */
static int with_program(int mode, bool program)
{
	return program ? mode | ((mode & 0444) >> 2) : mode & ~0111;
}

/* Return the state of a file before the call, by the index. now is its mode now if git's mode has
 * not changed, else 0. */
static struct ik_file_state state_before(const struct ik_worktree_span *span,
	const struct pair *pair, int now)
{
	struct ik_file_state state = { .kind = IK_FILE_OTHER };
	bool program = pair->old.mode == IK_GIT_PROGRAM;
	char *missing;

	if (!pair->old.path) {
		state.kind = IK_FILE_ABSENT;
		missing = ik_worktree_index_missing(span->before->index, pair->path);
		state.made_from = missing ? ik_path_join(span->root, missing) : NULL;
		free(missing);
	} else if (ik_worktree_is_regular(pair->old.mode)) {
		state.kind = IK_FILE_REGULAR;
		state.mode = ik_worktree_check_mode(span->before, pair->entry);
		if (state.mode < 0 && now == 0)
			state.mode = program ? 0700 : 0600;
		else if (state.mode < 0)
			state.mode = pair->old.mode == pair->new.mode ? now : with_program(now, program);
	}
	return state;
}

/* Return when a file was created; 0: unknown. */
static int64_t birth_of(const struct ik_worktree_span *span, const struct pair *pair)
{
	char *path = ik_path_join(span->root, pair->path);
	struct statx status = { 0 };
	int failed = statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status);

	free(path);
	if (failed != 0 || (status.stx_mask & STATX_BTIME) == 0)
		return 0;
	return status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

/* Was the file still unchanged when the next call started? Then this call did not change it. */
static bool is_of_next_call(const struct ik_worktree_span *span, const struct pair *pair)
{
	const struct ik_worktree_check *next = span->next;

	return next && next->index == span->before->index && pair->old.path &&
		pair->entry < next->checked && !ik_worktree_check_seen(next, pair->entry);
}

/* How much a file's time may lag behind the event. */
static int64_t tick_of(int64_t time_ns)
{
	return time_ns % SECOND_NS == 0 ? COARSE_TICK_NS : 0;
}

/* Is a file that had changed before the call unchanged since then? */
static bool is_as_seen(const struct ik_worktree_span *span, const struct pair *pair,
	const struct ik_worktree_seen *seen)
{
	if (!pair->new.path || seen->state.kind == IK_FILE_ABSENT)
		return !pair->new.path && seen->state.kind == IK_FILE_ABSENT;
	/* If the times match, its contents decide. */
	return seen->state.identity.ctime_ns ==
		pair->new.ctime_ns &&ik_identity_settles_ms(&seen->state.identity, span->before->time_ns) ==
		0;
}

/* Was the file elsewhere in the tree right before the call? Renaming a directory does not change
 * the times of the files in it. */
static bool was_moved(const struct ik_worktree_span *span, const struct pair *pair)
{
	struct ik_worktree_entry entry;
	size_t place;

	if (!ik_worktree_index_inode(span->before->index, pair->new.inode, &entry) ||
		entry.ctime_ns != pair->new.ctime_ns)
		return false;
	place = ik_worktree_index_find(span->before->index, entry.path);
	return place < span->before->checked && !ik_worktree_check_seen(span->before, place);
}

/* Was this certainly done by another process, before or after the call? */
static bool is_foreign(const struct ik_worktree_span *span, const struct pair *pair,
	const struct ik_worktree_seen *seen)
{
	bool later = !pair->new.path || pair->new.ctime_ns > span->end_ns;

	if (later && !pair->old.path && birth_of(span, pair) > span->end_ns)
		return true;
	if (seen && is_as_seen(span, pair, seen))
		return true;
	/* A file that was checked has changed since then. For others, only their time tells. */
	if (pair->new.path && (!pair->old.path || pair->entry >= span->before->checked) &&
		pair->new.ctime_ns + tick_of(pair->new.ctime_ns) < span->before->time_ns &&
		(pair->old.path || !was_moved(span, pair)))
		return true;
	return later && is_of_next_call(span, pair);
}

/* Did a file that is new to the index exist before the call, or did the call move it here from
 * outside the tree? A file renamed within the tree is in the old index by its inode. */
static bool is_older(const struct ik_worktree_span *span, const struct pair *pair)
{
	int64_t birth = birth_of(span, pair);
	struct ik_worktree_entry entry;

	if (birth >= span->before->time_ns)
		return false;
	if (birth == 0 || birth + tick_of(birth) >= span->before->time_ns)
		return !span->fresh;
	return !ik_worktree_index_inode(span->before->index, pair->new.inode, &entry) ||
		entry.ctime_ns < birth; /* the inode number of a removed file was reused */
}

/* Remember to fetch the contents of the newest change before or after the call. */
static void add_object(struct ik_worktree_found *found, const unsigned char *id, bool after)
{
	struct ik_worktree_object *object;

	found->objects = ik_alloc_array(found->objects, found->object_count + 1,
		sizeof(*found->objects));
	object = &found->objects[found->object_count++];
	for (size_t i = 0; i < IK_WORKTREE_ID_BYTES; i++)
		(void)snprintf(object->id + 2 * i, 3, "%02x", id[i]);
	object->change = found->count - 1;
	object->after = after;
}

/* Return the state of a file after the call. now is its state now. */
static struct ik_file_state state_after(const struct ik_worktree_span *span,
	const struct pair *pair, const struct ik_file_state *now)
{
	struct ik_file_state state = { .kind = IK_FILE_OTHER, .directory = now->directory };

	if (!pair->new.path) {
		state.kind = IK_FILE_ABSENT;
		state.made_from = now->made_from ? ik_strdup(now->made_from) : NULL;
	} else if (ik_worktree_is_regular(pair->new.mode) && pair->new.ctime_ns <= span->end_ns) {
		state.kind = IK_FILE_REGULAR;
		if (now->kind == IK_FILE_REGULAR) {
			state.mode = now->mode;
			if (now->identity.ctime_ns == pair->new.ctime_ns) /* otherwise its contents tell */
				state.identity = now->identity;
		}
	}
	return state;
}

static void add_change(struct ik_worktree_found *found, const struct ik_worktree_span *span,
	const struct pair *pair, const struct ik_worktree_seen *seen)
{
	struct ik_file_change change = { .path = ik_path_join(span->root, pair->path) };
	struct ik_file_state now = ik_file_state_look(change.path, 0);

	if (seen) {
		change.before = ik_file_state_copy(&seen->state);
	} else {
		change.before = state_before(span, pair, now.kind == IK_FILE_REGULAR ? now.mode : 0);
		if (!pair->old.path && is_older(span, pair))
			change.before.kind = IK_FILE_OTHER;
	}
	change.after = state_after(span, pair, &now);
	ik_file_state_done(&now);
	found->changes = ik_alloc_array(found->changes, found->count + 1, sizeof(*found->changes));
	found->changes[found->count++] = change;
	if (!seen && change.before.kind == IK_FILE_REGULAR)
		add_object(found, pair->old.id, false);
	if (change.after.kind == IK_FILE_REGULAR)
		add_object(found, pair->new.id, true);
}

/* Do both indexes have the same contents of the file? */
static bool is_same(const struct pair *pair)
{
	return pair->old.path && pair->new.path &&
		pair->old.mode ==
		pair->new.mode &&memcmp(pair->old.id, pair->new.id, IK_WORKTREE_ID_BYTES) == 0;
}

struct ik_worktree_found ik_worktree_changes_find(const struct ik_worktree_span *span)
{
	struct ik_worktree_found found = { .changes = NULL };
	size_t old = 0, new = 0;
	struct pair pair;

	if (span->before->index == span->after && span->before->count == 0)
		old = new = ik_worktree_index_count(span->after);
	while (found.count <= IK_WORKTREE_CHANGES_MOST && next_pair(span, &old, &new, &pair)) {
		const struct ik_worktree_seen *seen = pair.old.path
			? ik_worktree_check_seen(span->before, pair.entry)
			: NULL;

		if ((seen || !is_same(&pair)) && !is_foreign(span, &pair, seen) &&
			ik_utf8_valid_prefix(pair.path, strlen(pair.path)) == strlen(pair.path))
			add_change(&found, span, &pair, seen);
	}
	return found;
}

struct ik_worktree_blobs {
	const char *objects;
	struct ik_worktree_found *found;
	size_t at; /* the object that is read */
	struct ik_buf head;
	bool in_body;
	bool missed; /* an object was missing */
	size_t left; /* bytes of the body, with the line feed after it */
	size_t room; /* bytes that may still be kept */
	struct ik_sha256 *sum;
	char *temporary; /* NULL: the contents are not kept */
	int to;
};

struct ik_worktree_blobs *ik_worktree_blobs_new(const char *objects,
	struct ik_worktree_found *found, struct ik_buf *input)
{
	struct ik_worktree_blobs *blobs = ik_alloc(sizeof(*blobs));

	blobs->objects = objects;
	blobs->found = found;
	blobs->room = IK_WORKTREE_BYTES_MOST;
	blobs->to = -1;
	ik_buf_init(&blobs->head, IK_KIB(4));
	for (size_t i = 0; i < found->object_count; i++)
		ik_buf_printf(input, "%s\n", found->objects[i].id);
	return blobs;
}

/* Release what belongs to the current object. */
static void put_down(struct ik_worktree_blobs *blobs)
{
	if (blobs->to >= 0)
		(void)close(blobs->to);
	blobs->to = -1;
	if (blobs->temporary)
		(void)unlink(blobs->temporary);
	free(blobs->temporary);
	blobs->temporary = NULL;
	blobs->sum = ik_sha256_free(blobs->sum);
}

struct ik_worktree_blobs *ik_worktree_blobs_free(struct ik_worktree_blobs *blobs)
{
	if (!blobs)
		return NULL;
	put_down(blobs);
	ik_buf_done(&blobs->head);
	free(blobs);
	return NULL;
}

/* Start an object of this size. Only contents from before the call are kept. */
static void begin_body(struct ik_worktree_blobs *blobs, size_t size)
{
	bool after = blobs->found->objects[blobs->at].after;

	blobs->in_body = true;
	blobs->left = size + 1;
	if (size > IK_FILE_KEPT_MOST || (!after && size > blobs->room))
		return;
	blobs->sum = ik_sha256_new();
	if (after)
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

/* Process bytes of an object, and the line feed after it. */
static void take_body(struct ik_worktree_blobs *blobs, const char *bytes, size_t length)
{
	size_t own = length == blobs->left ? length - 1 : length;

	if (blobs->sum)
		ik_sha256_add(blobs->sum, bytes, own);
	if (blobs->to >= 0 && ik_write_all(blobs->to, bytes, own) != 0)
		put_down(blobs);
	blobs->left -= length;
}

/* Name the finished object. */
static void end_body(struct ik_worktree_blobs *blobs)
{
	const struct ik_worktree_object *object = &blobs->found->objects[blobs->at];
	struct ik_file_change *change = &blobs->found->changes[object->change];
	struct ik_file_state *state = object->after ? &change->after : &change->before;
	char hash[IK_SHA256_TEXT], *name;

	if (blobs->sum) {
		ik_sha256_end(blobs->sum, hash);
		name = ik_path_join(blobs->objects, hash);
		if (!blobs->temporary || access(name, F_OK) == 0 || rename(blobs->temporary, name) == 0)
			memcpy(state->hash, hash, sizeof(hash));
		free(name);
	}
	put_down(blobs);
	blobs->in_body = false;
	blobs->at++;
}

/* Process a complete header: "ID TYPE SIZE" or "ID missing". */
static void take_head(struct ik_worktree_blobs *blobs)
{
	const char *type = strchr(blobs->head.data, ' ');

	if (type && strncmp(type, " blob ", 6) == 0)
		begin_body(blobs, (size_t)strtoull(type + 6, NULL, 10));
	else
		blobs->at++;
	blobs->missed = blobs->missed || (type && strncmp(type, " missing", 8) == 0);
	ik_buf_clear(&blobs->head);
}

bool ik_worktree_blobs_missed(const struct ik_worktree_blobs *blobs)
{
	return blobs->missed;
}

void ik_worktree_blobs_take(struct ik_worktree_blobs *blobs, const char *bytes, size_t length)
{
	while (length > 0 && blobs->at < blobs->found->object_count) {
		size_t part = length;

		if (blobs->in_body) {
			if (part > blobs->left)
				part = blobs->left;
			take_body(blobs, bytes, part);
			if (blobs->left == 0)
				end_body(blobs);
		} else {
			const char *end = memchr(bytes, '\n', length);

			part = end ? (size_t)(end - bytes) + 1 : length;
			ik_buf_append(&blobs->head, bytes, part);
			if (end)
				take_head(blobs);
		}
		bytes += part;
		length -= part;
	}
}
