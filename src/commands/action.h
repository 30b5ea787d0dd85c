/*
 * action: a row of the one table of actions.
 *
 * A row says how you ask for an action (by a command, by the keys that are bound to it, or by
 * both), what completes its argument, whether it changes the session, what /help says about it,
 * and what it runs.  Commands, completion, /help and the manual come from the rows; the keys
 * themselves are in tui/edit/keymap.c, which names the same enum ik_action.  A front end has a
 * table of its rows: that of the chat is chat/actions.c.
 *
 * May include: all but the front ends.
 */
#ifndef IK_COMMANDS_ACTION_H
#define IK_COMMANDS_ACTION_H

#include "core/core.h"

struct ik_chat;

/* What completes the argument of a command. */
enum ik_argument_kind {
	IK_ARGUMENT_NONE,
	IK_ARGUMENT_MODEL,
	IK_ARGUMENT_PROVIDER,
	IK_ARGUMENT_TOOL,
	IK_ARGUMENT_CALL, /* a tool, then JSON that fits its schema */
	IK_ARGUMENT_MODE,
	IK_ARGUMENT_THEME,
	IK_ARGUMENT_FILE,
	IK_ARGUMENT_SESSION,
	IK_ARGUMENT_MOUSE
};

struct ik_action_row {
	enum ik_action key; /* the action that keys are bound to; IK_ACTION_NONE: a command only */
	const char *name;   /* of the command, "/tool"; NULL: keys only */
	const char *usage;  /* its argument, "[NAME | --all]"; NULL: it has none */
	enum ik_argument_kind argument;
	bool writes; /* changes the session: refused while another program has it */
	/* What it runs: a function that needs no screen (commands/commands.h), */
	ik_command *core;
	/* or one that needs the chat. */
	void (*run)(struct ik_chat *chat, const struct ik_invocation *invocation);
	const char *description; /* N_() text in the list of /help; NULL where name is */
	const char *details;     /* N_() text of /help COMMAND, or NULL */
};

/* Each function takes a whole table, which ends with a row that runs nothing. */

/* Is this line a command? ("/" and a letter; "//" begins a message.) */
bool ik_command_is(const char *line);

/* Return what follows a word that an argument begins with, behind the blanks; NULL: it begins
 * otherwise. */
const char *ik_argument_after(const char *argument, const char *word);

/* Return the row of the command that a line begins with, or NULL. */
const struct ik_action_row *ik_action_of_command(const struct ik_action_row *rows,
	const char *line);

/* Return the first row at or after rows that is a command, or NULL: to list them all. */
const struct ik_action_row *ik_action_next_command(const struct ik_action_row *rows);

/* Append a line for each command: its usage and what it does. */
void ik_action_list(const struct ik_action_row *rows, const char *indent, struct ik_buf *out);

/* Return the row that the keys of an action run, or NULL. */
const struct ik_action_row *ik_action_of_key(const struct ik_action_row *rows,
	enum ik_action action);

/* /help [COMMAND]: append the list of commands, or one of them. */
void ik_command_help(const struct ik_core *core, const struct ik_action_row *rows,
	const char *argument, struct ik_buf *answer);

/* Answer a command that does not exist: name the nearest one. */
void ik_command_unknown(const struct ik_action_row *rows, const char *line, struct ik_buf *answer);

#endif
