/*
 * commands: the commands that need no screen, as rows of a table have them (commands/action.h).
 *
 * What they append to answer is stored and shown; nothing: they answer later, or not at all.  May
 * include: all but the front ends.
 */
#ifndef IK_COMMANDS_COMMANDS_H
#define IK_COMMANDS_COMMANDS_H

#include "core/core.h"
#include "tui/edit/keymap.h"

/* commands.c: /tool [NAME | --all], /run TOOL JSON */
void ik_command_tool(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);
void ik_command_run(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);
/* /system, /compact [WORDS] */
void ik_command_system(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);
void ik_command_compact(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);
/* /title [TEXT]: the store reads the title from the event of the command. */
void ik_command_title(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);
/* /export [--force] [FILE] */
void ik_command_export(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);
/* Answer the line that started a scan of the tools, in its session. */
void ik_command_refreshed(struct ik_session *session, const char *line,
	const struct ik_registry *registry);

/* background.c: /background [end [PID]] */
void ik_command_background(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);

/* copy.c: /copy [N | code]: find the last reply, the Nth last, or the last code block. The text
 * belongs to the conversation. */
enum ik_status ik_command_copy(const struct ik_core *core, const char *argument,
	const char **ret_text, size_t *ret_length, struct ik_error *error) IK_MUST_USE;

/* commands_model.c: /model [NAME]. Without an answer the provider is being asked; its own follows. */
void ik_command_model(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);
/* /provider [NAME] */
void ik_command_provider(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);

/* mode_command.c: /mode [NAME | forget N] */
void ik_command_mode(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);

/* sandbox_command.c: /sandbox [NAME] */
void ik_command_sandbox(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);

/* usage.c: /usage */
void ik_command_usage(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer);

#endif
