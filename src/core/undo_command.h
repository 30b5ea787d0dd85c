/*
 * undo_command: /undo and /redo, which undo and redo what tools did to files.
 *
 * They do a part of the work in each turn of the loop. The result is the command's answer, which
 * the model gets with the user's next message.
 *
 * May include: all.
 */
#ifndef IK_CORE_UNDO_COMMAND_H
#define IK_CORE_UNDO_COMMAND_H

#include "core/core.h"
#include "undo/undo.h"

struct ik_undo_work;

/* /undo [N | FILE[!] | #CALL | compact | ?], /redo */
ik_command ik_command_undo, ik_command_redo;

/* Find the newest model call with that id: its index in history, and its changes to files
 * (ik_file_changes_free()). Paths are shown relative to directory. Return IK_NOT_FOUND if it can't
 * be undone by itself; the error says why: a later call wrote the same files (undo that one first),
 * or another call wrote them at the same time. */
enum ik_status ik_undo_call_find(const struct ik_undo_history *history, const char *id,
	const char *directory, size_t *ret_call, struct ik_file_change **ret_files, size_t *ret_count,
	struct ik_error *error) IK_MUST_USE;

/* Append a description of what /undo #ID would do, or fail and say why it can't. Changes
 * nothing. */
enum ik_status ik_undo_call_look(const struct ik_core *core, const char *id,
	struct ik_buf *ret_text, struct ik_error *error) IK_MUST_USE;

/* Return the number of files whose changes by the session since time_ms (wall clock) can be undone;
 * *ret_turns is the number of newest turns that changed them. */
size_t ik_undo_files_since(const struct ik_core *core, int64_t time_ms, size_t *ret_turns);

/* Remove the undo data of a session that was deleted. */
void ik_undo_session_deleted(const struct ik_places *places, const char *session);

/* Finish a running command at once. Takes NULL. Returns NULL. */
struct ik_undo_work *ik_undo_work_finish(struct ik_undo_work *work);

#endif
