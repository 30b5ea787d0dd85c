/*
 * command: what a line that begins with "/" is, and how it answers.
 *
 * The table of them is commands/commands.h.
 *
 * May include: all but the front ends.
 */
#ifndef IK_CORE_COMMAND_H
#define IK_CORE_COMMAND_H

#include "core/core.h"

/* What the chat must do besides what the command did itself. */
enum ik_command_effect {
	IK_COMMAND_NOTHING,
	IK_COMMAND_REFRESH,         /* scan the tools; its end is told by ik_command_refreshed() */
	IK_COMMAND_MODE,            /* the mode or the rules are others */
	IK_COMMAND_THEME,           /* ui.theme is another */
	IK_COMMAND_MOUSE,           /* wheel and clicks: to the program, or to the terminal */
	IK_COMMAND_EDITOR,          /* write the next message in an editor */
	IK_COMMAND_CLEAR,           /* empty the scrollback */
	IK_COMMAND_ASKING_PROVIDER, /* its answer follows */
	IK_COMMAND_COPY,            /* core->copied, to the clipboard */
	IK_COMMAND_NEW,             /* begin another session */
	IK_COMMAND_SESSIONS,        /* show the stored ones */
	IK_COMMAND_PICK_SESSION,    /* choose the one to go on with */
	IK_COMMAND_SEARCH,          /* look for words in all of them */
	IK_COMMAND_RESUME,          /* go on with another */
	IK_COMMAND_FORKED, /* go on with core->fork, which has been made; core->draft: to be written on */
	IK_COMMAND_PICK_REWIND, /* choose the message to go back to before, */
	IK_COMMAND_PICK_FORK,   /* or up to whose answer a fork goes */
	IK_COMMAND_CHILD,       /* begin a child with the words behind it */
	IK_COMMAND_JOIN,   /* a child's last word is for this model, or this one's for its parent */
	IK_COMMAND_AGENTS, /* choose one of the conversations of the program */
	IK_COMMAND_CLOSE,  /* end one of them */
	IK_COMMAND_QUIT
};

struct ik_command {
	const char *name;        /* "/tool" */
	const char *usage;       /* "/tool [NAME | --all]" */
	const char *description; /* N_() text */
	enum ik_command_effect (*run)(struct ik_core *core, const char *line, const char *rest);
	const char *details; /* N_() text of /help COMMAND, or NULL */
};

/* Store and tell what a command has to say, less its last line feed; releases output. */
void ik_command_answer(struct ik_core *core, const char *line, struct ik_buf *output);

/* The same in a session that may not be the one in front. */
void ik_command_answer_in(struct ik_session *session, const char *line, struct ik_buf *output);

#endif
