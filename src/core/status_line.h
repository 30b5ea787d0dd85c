/*
 * status_line: a line for the status bar that a command of the user's makes (ui.status_command).
 *
 * The command gets the state of the chat as JSON on standard input, with the members that Claude
 * Code's statusLine has and some more, and prints a line. It is run by the shell, in the session's
 * directory, for five seconds at most, with the environment of tools.
 *
 * Owns the process. May include: util, json, conversation, loop, core.
 */
#ifndef IK_CORE_STATUS_LINE_H
#define IK_CORE_STATUS_LINE_H

#include "conversation/usage.h"
#include "loop/loop.h"

/* The state of the chat; texts may be NULL. */
struct ik_status_facts {
	const char *session, *title, *directory, *provider, *model, *mode, *branch;
	int context; /* percent; -1: unknown */
	int columns; /* of the screen */
	struct ik_usage usage;
};

/* Append what the command gets. */
void ik_status_facts_put(const struct ik_status_facts *facts, struct ik_buf *out);

struct ik_status_line;

/* The first line that the command printed, on one line and harmless, without colours; NULL: it
 * failed, and problem says how. Both are valid during the call. */
typedef void ik_status_line_done(void *arg, const char *line, const char *problem);

/* Run the command with input, which is copied. done is called once, from the loop; then close what is
 * returned. */
struct ik_status_line *ik_status_line_start(struct ik_loop *loop, const char *command,
	const char *directory, const char *const *environment, const struct ik_buf *input,
	ik_status_line_done *done, void *arg);
/* Stop it, without a callback. Takes NULL. Returns NULL. */
struct ik_status_line *ik_status_line_close(struct ik_status_line *line);

#endif
