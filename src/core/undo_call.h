/*
 * undo_call: whether what one call did to files can be undone by itself.
 *
 * It can, unless a later call wrote the same files (undo that one first), or another call wrote
 * them at the same time.
 *
 * May include: util, tool.
 */
#ifndef IK_CORE_UNDO_CALL_H
#define IK_CORE_UNDO_CALL_H

#include "undo/undo.h"

/* Did the model make a call with that id? */
bool ik_undo_call_exists(const struct ik_undo_history *history, const char *id);

/*
 * Find the newest call with that id of the model's: its index in history, and what it did to files
 * (ik_file_changes_free()). Paths are shown relative to directory. IK_NOT_FOUND: it can't be undone,
 * and the error says why.
 */
enum ik_status ik_undo_call_find(const struct ik_undo_history *history, const char *id,
	const char *directory, size_t *ret_call, struct ik_file_change **ret_files, size_t *ret_count,
	struct ik_error *error) IK_MUST_USE;

/* The same; append the call, and what would become of each file, a line for each. Looks at the
 * files: where none of them could be undone as it is now, that is the error. */
enum ik_status ik_undo_call_text(const struct ik_undo_history *history, const char *id,
	const char *directory, struct ik_buf *out, struct ik_error *error) IK_MUST_USE;

#endif
