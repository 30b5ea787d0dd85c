/*
 * commands: the commands that need no screen, for the rows of a table (commands/action.h).
 *
 * May include: all but the front ends.
 */
#ifndef IK_COMMANDS_COMMANDS_H
#define IK_COMMANDS_COMMANDS_H

#include "core/core.h"

/* /tool [NAME | --all], /run TOOL JSON */
ik_command ik_command_tool, ik_command_run;
/* /system, /compact [WORDS] */
ik_command ik_command_system, ik_command_compact;
/* /title [TEXT]; the store reads the title from the command's event */
ik_command ik_command_title;
/* /export [--force] [FILE] */
ik_command ik_command_export;
/* Answer the command line that started a scan of the tools, in its session. */
void ik_command_refreshed(struct ik_session *session, const char *line,
	const struct ik_registry *registry);

/* /background [end [PID]] */
ik_command ik_command_background;

/* Run /copy [N | code]: find the last reply, the Nth last, or the last code block. The text belongs
 * to the conversation. */
enum ik_status ik_command_copy(const struct ik_core *core, const char *argument,
	const char **ret_text, size_t *ret_length, struct ik_error *error) IK_MUST_USE;

/* commands_model.c: /model NAME. If the answer is empty, the provider is being asked, and answers
 * later. */
ik_command ik_command_model;
/* Keep a choice in the user's configuration file (core/setup.h), and append the result. */
void ik_command_keep(const struct ik_core *core, const char *key, const char *value,
	struct ik_buf *answer);
/* /provider NAME */
ik_command ik_command_provider;

/* /mode NAME, /mode forget N */
ik_command ik_command_mode;
/* Append what a mode means, and all rules. */
void ik_mode_text(struct ik_policy *policy, enum ik_mode mode, struct ik_buf *out);
/* Append a mode and what it means, in a line. */
void ik_mode_put(enum ik_mode mode, struct ik_buf *out);

/* sandbox_command.c: /sandbox NAME */
ik_command ik_command_sandbox;

/* usage_command.c: /context, /usage */
ik_command ik_command_context, ik_command_usage;

#endif
