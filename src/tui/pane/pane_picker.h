/*
 * pane_picker: choose one item of a short list: typing filters it, Enter
 * accepts the selected item, Esc closes.
 *
 * Owns the list.  May include: util, tui.
 */
#ifndef IK_TUI_PANE_PANE_PICKER_H
#define IK_TUI_PANE_PANE_PICKER_H

#include "tui/pane/pane.h"

/* An item to choose; it owns its texts. */
struct ik_pick {
	int number;   /* shown first; typing it into the filter selects the item; 0: none */
	char *id;     /* identifies the item when the list is updated */
	char *title;  /* shown in one line */
	char *aside;  /* shown at the end of that line, from ikigai: an age, a state */
	char *text;   /* the full text, shown below the list */
	char *line;   /* the command line that accepts the item */
	bool current; /* marked, and selected at first */
};

struct ik_pick_list {
	const char *title; /* title of the pane: " Go back to before… ", translated */
	const char *take;  /* label of the key that accepts an item: an N_() text */
	const char *empty; /* shown if the list is empty, translated */
	struct ik_pick *picks;
	size_t count;
	bool markdown; /* the texts are Markdown */
	bool keeps;    /* Tab accepts an item for good: adds --keep to its command line */
};

/* Free the picks of a list. */
void ik_pick_list_clear(struct ik_pick_list *list);
/* Append a pick, and take ownership of its texts. */
void ik_pick_add(struct ik_pick_list *list, struct ik_pick pick);

struct ik_picker;

/* Return a new picker; keymap is borrowed. */
struct ik_picker *ik_picker_new(const struct ik_keymap *keymap);

/* Open the picker with no filter and the first item selected. Takes ownership of the picks. */
void ik_picker_open(struct ik_picker *picker, const struct ik_pick_list *list);
/* Return the id of the selected item, or NULL. */
const char *ik_picker_selected(const struct ik_picker *picker);
/* Update the list; keep filter and selection. Takes ownership of the picks. */
void ik_picker_again(struct ik_picker *picker, const struct ik_pick_list *list);

#endif
