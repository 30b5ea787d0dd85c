/*
 * undo_command: /undo and /redo: undo and redo what tools did to files.
 *
 * They work a slice in each turn of the loop.  The result is the command's answer, which the model
 * gets with the user's next message.
 *
 * May include: all.
 */
#ifndef IK_CORE_UNDO_COMMAND_H
#define IK_CORE_UNDO_COMMAND_H

#include "core/core.h"
#include "undo/undo.h"

struct ik_undo_work;

/* /undo [N | FILE[!] | #CALL | ?], /redo */
ik_command ik_command_undo, ik_command_redo;

/*
 * Find the newest call with that id of the model's: its index in history, and what it did to files
 * (ik_file_changes_free()). Paths are shown relative to directory. IK_NOT_FOUND: it can't be undone
 * by itself, and the error says why: a later call wrote the same files (undo that one first), or
 * another call wrote them at the same time.
 */
enum ik_status ik_undo_call_find(const struct ik_undo_history *history, const char *id,
	const char *directory, size_t *ret_call, struct ik_file_change **ret_files, size_t *ret_count,
	struct ik_error *error) IK_MUST_USE;

/* Append what /undo #ID would do, in lines, or fail and say why it can't. Changes nothing. */
enum ik_status ik_undo_call_look(const struct ik_core *core, const char *id,
	struct ik_buf *ret_text, struct ik_error *error) IK_MUST_USE;

/* Return how many files the session changed since that time (wall clock) that can be undone;
 * *ret_turns is the number of newest turns that did so. */
size_t ik_undo_files_since(const struct ik_core *core, int64_t time_ms, size_t *ret_turns);

/* Remove what was saved for a session that was deleted. */
void ik_undo_session_deleted(const struct ik_places *places, const char *session);

/* Finish a running command (or NULL) at once. Return NULL. */
struct ik_undo_work *ik_undo_work_finish(struct ik_undo_work *work);

#endif
