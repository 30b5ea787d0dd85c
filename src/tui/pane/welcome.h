/*
 * welcome: what is shown until there is a conversation: where you are, which model answers, what
 * was found, what to try, and where a key for a real model is to be had.
 *
 * Pure: facts go in, cells come out.  Facts that change, such as the model and the tools, are those
 * of the status bar.  If there is little room, the most important rows are shown.
 * May include: util, tui/edit, tui/pane, tui/term.
 */
#ifndef IK_TUI_PANE_WELCOME_H
#define IK_TUI_PANE_WELCOME_H

#include "tui/edit/keymap.h"
#include "tui/pane/status_bar.h"

#define IK_WELCOME_KEYS 3

/* A variable for a provider's key, and the page where you get one; both NULL after the last. */
struct ik_welcome_key {
	const char *variable, *page;
};

/* What is in the session's directory; texts from outside are sanitised when they are drawn. */
struct ik_welcome {
	char *directory;       /* as shown: "~/src" */
	char *branch;          /* of its git work tree, or NULL */
	char *readme, *source; /* names of files worth a question, or NULL */
	bool empty;            /* there is nothing but hidden files */
	bool builds;           /* there is a Makefile or the like */
	bool instructions;     /* an AGENTS.md is sent to the model */
	struct ik_welcome_key keys[IK_WELCOME_KEYS + 1];
};

void ik_welcome_draw(const struct ik_welcome *welcome, const struct ik_status_bar *bar,
	const struct ik_keymap *keymap, struct ik_cells *cells, struct ik_rectangle area);

#endif
