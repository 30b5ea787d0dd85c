/*
 * undo_text: texts about changes that were undone or can be.
 *
 * May include: util, tool.
 */
#ifndef IK_CORE_UNDO_TEXT_H
#define IK_CORE_UNDO_TEXT_H

#include "undo/undo.h"

/* Return a path as it is shown: relative to the session's directory if it is in it. Borrowed. */
const char *ik_undo_text_path(const char *path, const char *directory);

/* Append a line with the result for each file. */
void ik_undo_text_results(struct ik_buf *out, const struct ik_undo *undo, const char *directory);

/* Is the call not undone, and did it write the file, as far as is known? */
bool ik_undo_text_wrote(const struct ik_undo_history *history, const struct ik_undo_call *call,
	const char *path);

/* Return why it is unknown what a call did; NULL: nobody looked. */
const char *ik_undo_text_reason(const struct ik_undo_call *call);

/* Append the calls in the turns from first to last (indexes) whose changes are unknown, except in
 * turns that were undone. */
void ik_undo_text_commands(struct ik_buf *out, const struct ik_undo_history *history, size_t first,
	size_t last);

/* Append what the model is told; again: after a redo. */
void ik_undo_text_told(struct ik_buf *out, const struct ik_undo *undo, bool again);

/* Append the turns that changed files, newest first. Looks at the files. */
void ik_undo_text_list(struct ik_buf *out, const struct ik_undo_history *history,
	const char *directory);

/* Store the indexes of at most count turns that can be undone, newest first. Return how many. */
size_t ik_undo_text_turns(const struct ik_undo_history *history, size_t *turns, size_t count);

#endif
