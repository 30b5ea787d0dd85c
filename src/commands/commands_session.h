/*
 * commands_session: copies of the session in front: /fork, /rewind.
 *
 * A fork has the events of a session up to one of them, by reference.  May include: all but the
 * front ends.
 */
#ifndef IK_COMMANDS_COMMANDS_SESSION_H
#define IK_COMMANDS_COMMANDS_SESSION_H

#include "conversation/conversation.h"
#include "core/core.h"

/* A fork that was made, to be resumed. */
struct ik_fork {
	char id[IK_UUID_TEXT];
	struct ik_conversation *copy; /* what it has, in memory; owned by who has the fork */
};

/* Did the user say it? */
bool ik_command_is_question(const struct ik_message *message);
/* Return the user's stored message with that number from the end; NULL: there are not so many. */
const struct ik_message *ik_command_question_at(const struct ik_conversation *conversation,
	long number);

/* Can the session in front be forked now? If not, line is answered with the reason. */
bool ik_command_can_fork(struct ik_core *core, const char *line);

/* /fork: fork the whole session, which can be forked. */
struct ik_fork ik_command_fork_all(struct ik_core *core, const char *line);
/* /fork N: fork it up to the answer to the user's Nth last message. False: line was answered with
 * what is wrong. */
bool ik_command_fork(struct ik_core *core, const char *line, long number, struct ik_fork *ret_fork);
/* /rewind [N]: fork it up to before that message, whose text *ret_draft is (new memory). False as
 * above. */
bool ik_command_rewind(struct ik_core *core, const char *line, const char *argument,
	struct ik_fork *ret_fork, char **ret_draft);

/* Make the fork of the session in front that has its events up to sequence, and return its id in
 * ret_id. command is stored in it; its reference is taken over. Return what it has, in memory
 * (the caller's), or NULL. */
struct ik_conversation *ik_command_make_fork(struct ik_core *core, struct ik_message *command,
	int64_t sequence, char ret_id[IK_UUID_TEXT]) IK_MUST_USE;
/* Return the usual output of a fork: what it was forked from. New memory. */
char *ik_command_fork_sentence(const struct ik_core *core);

/* Return the last event that a child of the session in front has: while a turn runs, the one
 * before the turn; 0: nothing was said yet. */
int64_t ik_command_fork_point(const struct ik_core *core);

#endif
