#include "undo/undo.h"

#include <stdlib.h>
#include <string.h>

#include "undo/file_keep.h"
#include "undo/file_put.h"
#include "util/alloc.h"

struct ik_undo {
	char *directory; /* NULL: preview only */
	const struct ik_undo_history *history;
	bool force;
	struct ik_undo_result *results;
	size_t count, at;
	struct ik_file_keep *keep; /* of the current file */
	struct ik_file_put *put;
};

struct ik_undo *ik_undo_new(const char *directory, const struct ik_undo_history *history,
	struct ik_file_change *files, size_t count, bool force)
{
	struct ik_undo *undo = ik_alloc(sizeof(*undo));

	undo->directory = directory ? ik_strdup(directory) : NULL;
	undo->history = history;
	undo->force = force;
	undo->results = ik_alloc((count + 1) * sizeof(*undo->results));
	for (size_t i = 0; i < count; i++)
		undo->results[i] = (struct ik_undo_result){ .file = files[i] };
	undo->count = count;
	free(files);
	return undo;
}

struct ik_undo *ik_undo_free(struct ik_undo *undo)
{
	if (!undo)
		return NULL;
	ik_file_put_free(undo->put);
	ik_file_keep_free(undo->keep);
	for (size_t i = 0; i < undo->count; i++) {
		struct ik_undo_result *result = &undo->results[i];

		free(result->file.path);
		ik_file_state_done(&result->file.before);
		ik_file_state_done(&result->file.after);
		ik_file_state_done(&result->done.before);
		ik_file_state_done(&result->done.after);
	}
	free(undo->results);
	free(undo->directory);
	free(undo);
	return NULL;
}

/* Is the file in another directory now than when the call ended? A directory reached through a
 * symbolic link may be anywhere, so such a file is left alone, too. */
static bool is_elsewhere(const struct ik_undo *undo, const struct ik_file_change *file,
	const struct ik_file_state *present)
{
	const struct ik_file_directory *then = &file->after.directory, *now = &present->directory;

	if (now->inode == 0)
		return present->kind == IK_FILE_OTHER;
	return !undo->force && file->after.kind != IK_FILE_UNKNOWN && then->inode != 0 &&
		!ik_file_directory_same(then, now);
}

/* May the file be replaced in its present state? */
static enum ik_undo_outcome judge(const struct ik_undo *undo, const struct ik_file_change *file,
	const struct ik_file_state *present)
{
	const struct ik_file_state *wanted = &file->before;

	if (ik_file_state_same(present, wanted) &&
		(present->mode == wanted->mode || file->after.kind == IK_FILE_UNKNOWN ||
			present->mode != file->after.mode))
		return IK_UNDO_ALREADY;
	if (wanted->kind == IK_FILE_OTHER || wanted->kind == IK_FILE_UNKNOWN ||
		(wanted->kind == IK_FILE_REGULAR && !ik_undo_place_of(undo->history, wanted->hash)))
		return IK_UNDO_NOT_KEPT;
	if (is_elsewhere(undo, file, present))
		return IK_UNDO_MOVED;
	if (present->kind == IK_FILE_OTHER)
		return IK_UNDO_NO_FILE;
	if (undo->force)
		return IK_UNDO_READY;
	if (file->after.kind == IK_FILE_UNKNOWN)
		return IK_UNDO_CUT_OFF;
	return ik_file_state_same(present, &file->after) ? IK_UNDO_READY : IK_UNDO_CHANGED;
}

/* Return the present state of a file; read it only if its identity is not enough. */
static struct ik_file_state look(const struct ik_file_change *file)
{
	struct ik_file_state present = ik_file_state_look(file->path, 0);

	if (present.kind != IK_FILE_REGULAR)
		return present;
	if (file->after.kind == IK_FILE_REGULAR &&
		ik_identity_equal(&present.identity, &file->after.identity))
		memcpy(present.hash, file->after.hash, sizeof(present.hash));
	else
		present = ik_file_state_look(file->path, IK_FILE_AT_ONCE);
	return present;
}

/* Predict the outcome for a file. One too large for a preview that may be as expected is judged
 * when it is read. */
static enum ik_undo_outcome foresee(const struct ik_undo *undo, const struct ik_file_change *file,
	const struct ik_file_state *present)
{
	enum ik_undo_outcome outcome = judge(undo, file, present);

	if (outcome == IK_UNDO_CHANGED && present->kind == IK_FILE_REGULAR &&
		present->hash[0] == '\0' && file->after.kind == IK_FILE_REGULAR &&
		file->after.hash[0] != '\0' && present->identity.size == file->after.identity.size)
		return IK_UNDO_READY;
	return outcome;
}

static void next(struct ik_undo *undo, enum ik_undo_outcome outcome)
{
	undo->results[undo->at++].outcome = outcome;
	undo->put = ik_file_put_free(undo->put);
	undo->keep = ik_file_keep_free(undo->keep);
}

/* The present contents are kept: judge the file and start to replace it. */
static void begin_put(struct ik_undo *undo, struct ik_undo_result *result)
{
	const struct ik_file_state *present = ik_file_keep_state(undo->keep);
	const struct ik_file_state *wanted = &result->file.before;
	enum ik_undo_outcome outcome = judge(undo, &result->file, present);

	result->present = present->kind != IK_FILE_ABSENT;
	if (outcome == IK_UNDO_READY && present->kind == IK_FILE_REGULAR && present->hash[0] == '\0' &&
		!undo->force)
		outcome = IK_UNDO_CHANGED; /* its contents cannot be kept, so this could not be redone */
	if (outcome != IK_UNDO_READY) {
		next(undo, outcome);
		return;
	}
	result->done.path = result->file.path;
	result->done.before = ik_file_state_copy(present);
	undo->put = ik_file_put_new(wanted->kind == IK_FILE_REGULAR
			? ik_undo_place_of(undo->history, wanted->hash)
			: undo->directory,
		result->file.path, wanted, present);
}

bool ik_undo_advance(struct ik_undo *undo)
{
	struct ik_undo_result *result = &undo->results[undo->at];

	if (undo->at == undo->count)
		return true;
	if (!undo->directory) {
		struct ik_file_state present = look(&result->file);

		result->present = present.kind != IK_FILE_ABSENT;
		next(undo, foresee(undo, &result->file, &present));
		ik_file_state_done(&present);
	} else if (undo->put) {
		if (ik_file_put_step(undo->put))
			next(undo,
				ik_file_put_end(undo->put, &result->done.after, &result->reason) == IK_OK
					? IK_UNDO_DONE
					: IK_UNDO_FAILED);
	} else if (!undo->keep) {
		undo->keep = ik_file_keep_new(undo->directory, result->file.path);
	} else if (ik_file_keep_step(undo->keep)) {
		begin_put(undo, result);
	}
	return undo->at == undo->count;
}

const struct ik_undo_result *ik_undo_results(const struct ik_undo *undo, size_t *ret_count)
{
	*ret_count = undo->count;
	return undo->results;
}

size_t ik_undo_count(const struct ik_undo *undo, enum ik_undo_outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < undo->count; i++)
		count += undo->results[i].outcome == outcome;
	return count;
}

struct ik_file_change *ik_undo_changes(const struct ik_undo *undo, size_t *ret_count)
{
	struct ik_file_change *changes = ik_alloc((undo->count + 1) * sizeof(*changes));

	*ret_count = 0;
	for (size_t i = 0; i < undo->count; i++)
		if (undo->results[i].outcome == IK_UNDO_DONE)
			changes[(*ret_count)++] = undo->results[i].done;
	return changes;
}
