/*
 * commands_session: the commands about stored sessions: /sessions, /resume, /title.
 *
 * May include: all.
 */
#ifndef IK_COMMANDS_COMMANDS_SESSION_H
#define IK_COMMANDS_COMMANDS_SESSION_H

#include "agent/session/fork_copy.h"
#include "commands/commands.h"

enum ik_command_effect ik_command_sessions(struct ik_core *core, const char *line,
	const char *rest);
enum ik_command_effect ik_command_search(struct ik_core *core, const char *line, const char *rest);
enum ik_command_effect ik_command_resume(struct ik_core *core, const char *line, const char *rest);
/* /title TEXT is kept as the event that it is: the store reads the title from it. */
enum ik_command_effect ik_command_title(struct ik_core *core, const char *line, const char *rest);

/* Did the person say it? */
bool ik_command_is_question(const struct ik_message *message);

/* /fork [N], /rewind [N]: a session that has this one's events, all of them, or those up to the
 * answer to the Nth last message of the person, or those before it; by reference. "?": the person
 * is to choose the message. */
enum ik_command_effect ik_command_fork(struct ik_core *core, const char *line, const char *rest);
enum ik_command_effect ik_command_rewind(struct ik_core *core, const char *line, const char *rest);

/* Make the fork of the session in front that has its events up to sequence; ret_id: what it
 * is called. command is stored in it; its reference is taken over. Returns what it has, in memory
 * (the caller's), or NULL. */
struct ik_fork_copy *ik_command_make_fork(struct ik_core *core, struct ik_message *command,
	int64_t sequence, char ret_id[IK_UUID_TEXT]) IK_MUST_USE;
/* The usual output: whose fork it is. New memory. */
char *ik_command_fork_sentence(const struct ik_core *core);

/* Up to which event a child of the session in front has it: of one that is at work up to
 * what its turn began with; 0: nothing was said yet. IK_UNAVAILABLE where it has yet to be
 * stored. */
enum ik_status ik_command_fork_point(const struct ik_core *core, int64_t *ret_sequence,
	struct ik_error *error) IK_MUST_USE;

/* /join, /agents, /close: of the chat's, nothing is done here. */
enum ik_command_effect ik_command_join(struct ik_core *core, const char *line, const char *rest);
enum ik_command_effect ik_command_agents(struct ik_core *core, const char *line, const char *rest);
enum ik_command_effect ik_command_close(struct ik_core *core, const char *line, const char *rest);

#endif
