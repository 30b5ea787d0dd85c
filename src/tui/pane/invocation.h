/*
 * invocation: an action that a key or a click asks the program for, with its argument.
 *
 * May include: util, tui/edit.
 */
#ifndef IK_TUI_PANE_INVOCATION_H
#define IK_TUI_PANE_INVOCATION_H

#include "tui/edit/keymap.h"

/* The answer to a question. */
struct ik_question_answer {
	int question;     /* its id */
	int value;        /* of the choice */
	const char *text; /* what was written to it, perhaps nothing; valid until the next call */
	size_t length;
};

/* What text is depends on the action: a message to send, an id, a text to copy. */
struct ik_invocation {
	enum ik_action action; /* IK_ACTION_NONE: there is nothing left to do */
	const char *line;      /* the command that asks for it; NULL: a key does */
	const char *text;      /* valid until the next call */
	size_t length;
	bool cut;   /* IK_ACTION_COPY: the text is the beginning of a larger one */
	int number; /* IK_ACTION_AGENT: which one; 0: the next, -1: the one before.
				 * IK_ACTION_REWIND: the message, counted from the last */
	struct ik_question_answer answer; /* IK_ACTION_ANSWER; its text is valid as above */
};

#endif
