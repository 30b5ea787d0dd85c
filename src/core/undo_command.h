/*
 * undo_command: /undo and /redo: undo and redo what tools did to files.
 *
 * Done a slice in each turn of the loop; the end is told as the command's answer, which the
 * model gets with the person's next message.
 *
 * May include: all.
 */
#ifndef IK_CORE_UNDO_COMMAND_H
#define IK_CORE_UNDO_COMMAND_H

#include "core/command.h"

struct ik_undo_work;

/* /undo [N | FILE[!] | #CALL | ?], /redo */
void ik_command_undo(struct ik_core *core, const char *line, const char *rest);
void ik_command_redo(struct ik_core *core, const char *line, const char *rest);

/* Append what /undo #ID would do, in lines; or say why it cannot be done. Nothing is touched. */
enum ik_status ik_undo_call_look(const struct ik_core *core, const char *id,
	struct ik_buf *ret_text, struct ik_error *error) IK_MUST_USE;

/* How many files were changed in the session since that time (wall clock) and could be taken
 * back; *ret_turns: by so many turns, the newest ones. */
size_t ik_undo_files_since(const struct ik_core *core, int64_t time_ms, size_t *ret_turns);

/* A session is stored no longer: neither is what was kept for it. */
void ik_undo_session_deleted(const struct ik_places *places, const char *session);

/* Finish what is under way here and now (NULL: nothing is). Returns NULL. */
struct ik_undo_work *ik_undo_work_finish(struct ik_undo_work *work);

#endif
