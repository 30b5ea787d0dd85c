/*
 * list_pane: a side pane whose list can be filtered by what one writes into a line above
 * it.  What tools, sessions and whatever else is listed have in common; pane.h draws it.
 *
 * Who owns one says what an item looks like and what its own keys do:
 *
 *	static enum ik_pane_result key(struct ik_pane *pane, const struct ik_key *key, ...)
 *	{
 *		switch (ik_list_pane_key(&x->list, key, action)) {
 *		case IK_LIST_FILTERED: (list anew what fits x->list.words); return IK_PANE_TAKEN;
 *		case IK_LIST_TAKEN:    return IK_PANE_TAKEN;
 *		case IK_LIST_PASSED:   return IK_PANE_PASSED;
 *		case IK_LIST_OTHER:    break;
 *		}
 *		switch (action) { (its own keys) }
 *	}
 *
 * and draws it by setting pane.count, then ik_list_pane_draw().  The rest of its table of
 * operations is ik_pane_act(), ik_list_pane_click() and ik_pane_scroll().
 *
 * Owns the filter and the argument of the last action; borrows the keymap.
 * May include: util, tui/pane, tui/edit.
 */
#ifndef IK_TUI_PANE_LIST_PANE_H
#define IK_TUI_PANE_LIST_PANE_H

#include "tui/edit/editor.h"
#include "tui/pane/pane.h"

#define IK_LIST_HINTS 16 /* that a list's last line has at most */

struct ik_list_pane {
	struct ik_pane pane;
	struct ik_editor *filter; /* NULL: nobody writes it */
	struct ik_buf words;      /* what is filtered by; "": nothing */
	bool in_text;             /* Up and Down move the text, which has nearly all the room */
	struct ik_buf argument;   /* of the last action */
	struct ik_key_hint hints[IK_LIST_HINTS]; /* of its last line */
};

void ik_list_pane_init(struct ik_list_pane *list, const struct ik_pane_ops *ops,
	const struct ik_keymap *keymap, bool utf8);
void ik_list_pane_done(struct ik_list_pane *list);

/* What a key was. */
enum ik_list_key {
	IK_LIST_OTHER,   /* one of the owner's own */
	IK_LIST_PASSED,  /* a filter is being written, and there it means nothing */
	IK_LIST_TAKEN,   /* done */
	IK_LIST_FILTERED /* done, and the words are others now */
};
/* A key (and what it is bound to) while the pane has them: all while the filter is written,
 * else what opens or ends it, or leads into the text of the selected item and back. */
enum ik_list_key ik_list_pane_key(struct ik_list_pane *list, const struct ik_key *key,
	enum ik_action action);
/* Begin to write the filter, from the words that are there. */
void ik_list_pane_write(struct ik_list_pane *list);
/* The words are written; they go on filtering. */
void ik_list_pane_keep(struct ik_list_pane *list);
/* Replace the words from outside; nobody writes them any more. */
void ik_list_pane_set_words(struct ik_list_pane *list, const char *words);

/* Is each of the words in one of the texts, in any case? A text may be NULL. */
bool ik_list_words_fit(const char *words, const char *const *texts, size_t count);

/* Select the item in a row of the screen (the list's pane is its first member). */
void ik_list_pane_click(struct ik_pane *pane, int row);

/* Return an action with a copy of a text, which is valid until the next one. */
struct ik_invocation ik_list_pane_invoke(struct ik_list_pane *list, enum ik_action action,
	const char *text);

/* Keys that the last line shows: while the list has focus, while its text has (where
 * IK_ACTION_DETAILS is bound), while its filter is written, while others have focus.
 * Tables, of N_() texts; of focus only what works without an item where there is none.
 * all: what IK_ACTION_CANCEL does in the list while words filter it, in place of what focus
 * says of it; NULL: the same. */
struct ik_list_hints {
	unsigned context; /* of the list itself */
	const struct ik_key_hint *focus, *text, *filter, *away;
	const char *all;
};
void ik_list_pane_hints(struct ik_list_pane *list, const struct ik_list_hints *hints, bool focus,
	struct ik_pane_view *view);

/* Draw it; view->empty: what is there when there is no item. count stands at the right of
 * the filter ("3 of 12"), NULL for nothing. The cursor is set where the filter is being
 * written, else left alone. */
void ik_list_pane_draw(struct ik_list_pane *list, struct ik_pane_view *view, const char *count,
	struct ik_cells *cells, struct ik_rectangle area, int *ret_cursor_row, int *ret_cursor_column);

#endif
