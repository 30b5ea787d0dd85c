/*
 * expansion: the prompt that a custom command (core/custom_commands.h) makes.
 *
 * A text is read, and its arguments put in (core/prompt_text.h); the commands in it run one after the
 * other. A program is run with the arguments, and what it prints is the prompt. Both run with the
 * rights of the tool bash: if the policy denies that call, they aren't run; its sandbox holds them; and
 * they get no keys. (Where the policy says to ask, typing the command was the answer.) They have the
 * session's directory, no input, the time of a call, and ARGUMENTS, what was typed after the name. A
 * failure, or no output of a program, is an error that names the file and has the end of what went to
 * stderr.
 *
 * A project's file is used only if it is trusted in its current state, and a program is pinned to that.
 *
 * May include: util, loop, guard, tool, core.
 */
#ifndef IK_CORE_EXPANSION_H
#define IK_CORE_EXPANSION_H

#include "core/core.h"

struct ik_expansion;

/* Valid during the call. */
struct ik_expanded {
	const char *file; /* its path, as it is shown */
	const struct ik_buf *text;
	const struct ik_buf
		*written; /* the text without what commands printed: this may mention files */
};

/* expanded is NULL if there is no prompt; then error says why. */
typedef void ik_expansion_done(void *arg, const struct ik_expanded *expanded,
	const struct ik_error *error);

/*
 * Make the prompt of a command that was typed as line. If something is to be run, done is called in a
 * later turn of the loop, and may close the object; otherwise done is called at once, and NULL is
 * returned. core is borrowed; command and line are not.
 */
struct ik_expansion *ik_expansion_start(struct ik_core *core,
	const struct ik_custom_command *command, const char *line, size_t length,
	ik_expansion_done *done, void *arg);
/* End what runs, without a callback. Takes NULL. Returns NULL. */
struct ik_expansion *ik_expansion_close(struct ik_expansion *expansion);

#endif
