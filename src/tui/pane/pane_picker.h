/*
 * pane_picker: choose one of a few things: what one types filters them, Enter takes the
 * selected one, Esc leaves.
 *
 * Owns the list that it is told.
 * May include: util, tui.
 */
#ifndef IK_TUI_PANE_PANE_PICKER_H
#define IK_TUI_PANE_PANE_PICKER_H

#include "tui/edit/editor.h"
#include "tui/pane/pane.h"

/* One thing to choose; its texts are new strings. */
struct ik_pick {
	int number;  /* is before it; written into the filter it selects this one */
	char *id;    /* what it is known by when the list is told again */
	char *title; /* is shown in one line */
	char *aside; /* at the end of that, in words of ours: an age, a state */
	char *text;  /* all of it, to be read under the list */
	char *line;  /* the command line that takes it */
};

struct ik_pick_list {
	const char *title; /* what is chosen: " Go back to before… ", translated */
	const char *take;  /* what taking one does, for the keys: an N_() text */
	const char *empty; /* what to say where there is none, translated */
	struct ik_pick *picks;
	size_t count;
	bool fills_editor; /* what comes of it is written into the editor, which has to be empty */
};

/* Add a pick; takes its texts over. */
void ik_pick_add(struct ik_pick_list *list, struct ik_pick pick);

struct ik_picker;

/* keymap is borrowed, and so is the editor that what is chosen may be written into. */
struct ik_picker *ik_picker_new(const struct ik_keymap *keymap, const struct ik_editor *editor);

/* Begin to choose: nothing is filtered, the first is selected. The picks are taken over. */
void ik_picker_open(struct ik_picker *picker, const struct ik_pick_list *list);
/* The same things as they are now: filter and selection stay. */
void ik_picker_again(struct ik_picker *picker, const struct ik_pick_list *list);

#endif
