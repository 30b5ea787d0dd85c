/*
 * action: a row of the table of actions.
 *
 * A row says how the user asks for an action (by a command, by keys bound to it, or by both), what
 * completes its argument, whether it changes the session, what /help says about it, and what it
 * runs. Commands, completion, /help and the manual use the rows; the key bindings themselves are in
 * tui/edit/keymap.c, which uses the same enum ik_action. Each front end has its own table; the
 * chat's is chat/actions.c.
 *
 * May include: all but the front ends.
 */
#ifndef IK_COMMANDS_ACTION_H
#define IK_COMMANDS_ACTION_H

#include "core/core.h"

struct ik_chat;

/* The kind of completion for a command's argument. */
enum ik_argument_kind {
	IK_ARGUMENT_NONE,
	IK_ARGUMENT_MODEL,
	IK_ARGUMENT_PROVIDER,
	IK_ARGUMENT_TOOL,
	IK_ARGUMENT_CALL, /* a tool, then JSON arguments that fit its schema */
	IK_ARGUMENT_MODE,
	IK_ARGUMENT_SANDBOX,
	IK_ARGUMENT_THEME,
	IK_ARGUMENT_FILE,
	IK_ARGUMENT_SESSION,
	IK_ARGUMENT_MOUSE
};

struct ik_action_row {
	enum ik_action key; /* the action that keys are bound to; IK_ACTION_NONE: a command only */
	const char *name;   /* the command, such as "/tool"; NULL: keys only */
	const char *usage;  /* the argument, such as "[NAME | --all]"; NULL: none */
	enum ik_argument_kind argument;
	bool writes; /* changes the session: refused while another program has it */
	/* The function to run, unless it is a custom command, which is a message; one that needs no
	 * screen (commands/commands.h), */
	ik_command *core;
	/* or one that needs the chat. */
	void (*run)(struct ik_chat *chat, const struct ik_invocation *invocation);
	enum ik_group group;     /* of a command: its place in the list of /help and in the help */
	const char *description; /* N_() text in that list; NULL if name is NULL */
	const char *details;     /* N_() text of /help COMMAND, or NULL */
};

struct ik_actions;

/* Return a front end's table together with the custom commands of the user (borrowed both). */
struct ik_actions *ik_actions_new(const struct ik_action_row *rows,
	struct ik_custom_commands *custom);
/* Takes NULL. Returns NULL. */
struct ik_actions *ik_actions_free(struct ik_actions *actions);
/* Return the table alone. */
const struct ik_action_row *ik_actions_table(const struct ik_actions *actions);
/* Return all rows as they are now, valid until the next call; those of the table longer. */
const struct ik_action_row *ik_actions_rows(struct ik_actions *actions);

/* Each function gets a whole table, which ends with an empty row. */

/* Is this line a command? ("/" and a letter; "//" begins a message.) */
bool ik_command_is(const char *line);

/* Return what follows word and blanks in argument; NULL if argument does not begin with word. */
const char *ik_argument_after(const char *argument, const char *word);

/* Return the row of the command that a line begins with, or NULL. */
const struct ik_action_row *ik_action_of_command(const struct ik_action_row *rows,
	const char *line);

/* Return the first row from rows on that is a command, or NULL. Used to list all commands. */
const struct ik_action_row *ik_action_next_command(const struct ik_action_row *rows);

/* Append a line for each command of a group, for ik_table_put(): its usage and description. */
void ik_action_list(const struct ik_action_row *rows, enum ik_group group, struct ik_buf *out);

/* Return the row that the keys of an action run, or NULL. */
const struct ik_action_row *ik_action_of_key(const struct ik_action_row *rows,
	enum ik_action action);

/* Run /help [COMMAND]: append the list of commands, or the description of one. */
void ik_command_help(const struct ik_core *core, const struct ik_action_row *rows,
	const char *argument, struct ik_buf *answer);

/* Answer a command that does not exist: name the nearest one. */
void ik_command_unknown(const struct ik_action_row *rows, const char *line, struct ik_buf *answer);

#endif
