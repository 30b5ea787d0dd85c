/*
 * reaction: what a key asks the program for.
 *
 * May include: util.
 */
#ifndef IK_TUI_PANE_REACTION_H
#define IK_TUI_PANE_REACTION_H

#include <stdbool.h>
#include <stddef.h>

/* The answer to a question. */
struct ik_question_answer {
	int question;     /* its id */
	int value;        /* of the choice */
	const char *text; /* what was written to it, perhaps nothing; valid until the next call */
	size_t length;
};

enum ik_reaction_kind {
	IK_REACT_NONE,
	IK_REACT_SUBMIT,     /* text: a message or a command line; the editor is empty now */
	IK_REACT_EDITOR,     /* the draft is to be written in another editor */
	IK_REACT_TAKE_BACK,  /* the newest message that is queued is to be written on */
	IK_REACT_SEND_QUEUE, /* the messages that are held */
	IK_REACT_CANCEL,     /* the running turn */
	IK_REACT_REFRESH,    /* the tools */
	IK_REACT_MODE,       /* the next mode */
	IK_REACT_SUSPEND,
	IK_REACT_REDRAW, /* every cell anew */
	IK_REACT_QUIT,
	IK_REACT_RERUN,       /* text: "/run NAME JSON" or "!COMMAND", which was run before */
	IK_REACT_REWIND,      /* text: "/rewind N", where a key means it: to be asked about */
	IK_REACT_UNDO_CALL,   /* text: the id of a call whose changes of files are to be taken back */
	IK_REACT_PAGER,       /* text: to be read in a pager */
	IK_REACT_SWITCH_TOOL, /* text: the name of the one to be switched on or off */
	IK_REACT_TAKE_OVER,   /* the session is read along: to write in it */
	IK_REACT_MOUSE,       /* wheel and clicks: to the program, or to the terminal */
	IK_REACT_COPY,        /* text: for the clipboard */
	IK_REACT_RESUME,      /* text: the id of the session to go on with */
	IK_REACT_DELETE_SESSION, /* text: its id */
	IK_REACT_AGENT, /* number: of the conversation to be shown; 0: the next, -1: the one before */
	IK_REACT_ANSWER /* answer: to a question that was asked */
};
struct ik_reaction {
	enum ik_reaction_kind kind;
	const char *line; /* the command that asks for it; NULL: a key does */
	const char *text; /* valid until the next call */
	size_t length;
	bool cut;                         /* of IK_REACT_COPY: it is the beginning of a larger one */
	int number;                       /* of IK_REACT_AGENT */
	struct ik_question_answer answer; /* of IK_REACT_ANSWER; its text as above */
};

#endif
