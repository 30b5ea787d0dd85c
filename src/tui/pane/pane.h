/*
 * pane: what the side panes have in common: a title, a list with one item selected, which can
 * be filtered by what one writes into a line above it, the text of the selected item beneath, the
 * keys in the last line; and what each is to the screen, a table of operations.
 *
 * Who makes one says what an item looks like and what its own keys do:
 *
 *	static enum ik_pane_result key(struct ik_pane *pane, const struct ik_key *key, ...)
 *	{
 *		enum ik_pane_result result = ik_pane_key(pane, key, action);
 *
 *		if (result == IK_PANE_FILTERED) (list anew what fits pane->words)
 *		if (result != IK_PANE_OTHER) return result;
 *		switch (action) { (its own keys) }
 *	}
 *
 * and draws it by setting pane->count, then ik_pane_draw().  The text is laid out by a scrollback
 * of its own, so that it may be of any size.
 *
 * Owns the filter, the text, and the argument of the last action; borrows the keymap.
 * May include: util, json, tui/term, tui/edit, tui/pane, tui/scrollback.
 */
#ifndef IK_TUI_PANE_PANE_H
#define IK_TUI_PANE_PANE_H

#include "tui/edit/editor.h"
#include "tui/scrollback/scrollback.h"

struct ik_pane;
struct ik_status_bar;

/* What came of a key in a pane. */
enum ik_pane_result {
	IK_PANE_PASSED, /* it means nothing here */
	IK_PANE_TAKEN,
	IK_PANE_CALLED,   /* taken: it makes a call, which is to be shown */
	IK_PANE_CLOSED,   /* taken: the pane is to close */
	IK_PANE_YIELDED,  /* the pane is to close, and the key goes to the editor */
	IK_PANE_BLOCKED,  /* taken, but the editor must be empty for it */
	IK_PANE_FILTERED, /* taken: the words that filter the list are others now */
	IK_PANE_OTHER     /* it means nothing in all panes; only ik_pane_key() returns this */
};

/*
 * What a pane does, one constant table in its file.  A struct ik_pane is the first member of
 * what a pane is, so that each operation finds its own.  The screen makes the panes in
 * make_panes() (tui/screen/screen.c), where a new one takes a row, and uses them through these only.
 */
struct ik_pane_ops {
	/* The action that shows and closes it; IK_ACTION_NONE: it is shown by other means. */
	enum ik_action toggle;
	/* In what its keys are pressed (of enum ik_context) while nothing is written in it. */
	unsigned context;
	/* That action is about to show it; or NULL. */
	void (*open)(struct ik_pane *pane);
	/* A key, and what it is bound to, while it has focus. *ret_invocation is IK_ACTION_NONE, and
	 * set to what the program is asked for; its text is valid until the next key. */
	enum ik_pane_result (*key)(struct ik_pane *pane, const struct ik_key *key,
		enum ik_action action, struct ik_invocation *ret_invocation);
	/* An action that selects or scrolls; false: it means nothing here. (ik_pane_act()) */
	bool (*act)(struct ik_pane *pane, enum ik_action action);
	/* A click on a row of the screen; false: there is nothing. (ik_pane_click()) The wheel,
	 * wherever the focus is. (ik_pane_scroll()) */
	bool (*click)(struct ik_pane *pane, int row);
	void (*scroll)(struct ik_pane *pane, int rows);
	/* The cursor of what is written in it is set. bar: how things are. */
	void (*draw)(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area, bool focus,
		const struct ik_status_bar *bar);
	/* Draw an item of the list into one row; the background is there. NULL: there is no list. */
	void (*item)(struct ik_pane *pane, size_t index, struct ik_cells *cells,
		struct ik_rectangle row, enum ik_style style);
	void (*release)(struct ik_pane *pane);
};

struct ik_pane {
	const struct ik_pane_ops *ops;  /* NULL: it is a part of something else */
	const struct ik_keymap *keymap; /* borrowed */
	size_t count;                   /* items */
	size_t selected;
	size_t list_top;          /* the first item that is seen, */
	int list_row, list_rows;  /* where the list was drawn last */
	struct ik_editor *filter; /* NULL: nobody writes it */
	struct ik_buf words;      /* what is filtered by; "": nothing */
	bool writing;             /* something else is written: what is typed is text */
	struct ik_scrollback *text;
	bool text_moved;        /* scrolled by the user: it stays where it is; */
	bool text_follows;      /* else it shows its end, or its start */
	bool in_text;           /* Up and Down move the text */
	struct ik_buf argument; /* of the last action */
};

void ik_pane_init(struct ik_pane *pane, const struct ik_pane_ops *ops,
	const struct ik_keymap *keymap);
void ik_pane_done(struct ik_pane *pane);

/* In what its keys are pressed. */
unsigned ik_pane_context(const struct ik_pane *pane);

/* A key (and what it is bound to) while the pane has them: all while the filter is written,
 * else what opens or ends it, or leads into the text of the selected item and back. */
enum ik_pane_result ik_pane_key(struct ik_pane *pane, const struct ik_key *key,
	enum ik_action action);

/* Up, down, start and end of the line select (changes *selected); page up and down, top,
 * bottom scroll the text. False for another action. */
bool ik_pane_act(struct ik_pane *pane, enum ik_action action);

/* Up, down, page up and down, half of one, top, bottom, as start and end of the line: scroll a text,
 * or the pane's. False for another action. */
bool ik_pane_scroll_by(struct ik_scrollback *text, enum ik_action action);
bool ik_pane_scroll_text(struct ik_pane *pane, enum ik_action action);

/* Select the item that was drawn in a row of the screen; false: there is none. */
bool ik_pane_click(struct ik_pane *pane, int row);

/* Scroll the text. */
void ik_pane_scroll(struct ik_pane *pane, int rows);

/* Begin to write the filter, from the words that are there. */
void ik_pane_write(struct ik_pane *pane);
/* Nobody writes it any more; the words go on filtering. */
void ik_pane_keep(struct ik_pane *pane);
/* Replace the words from outside; nobody writes them any more. */
void ik_pane_set_words(struct ik_pane *pane, const char *words);

/* Is each of the words in one of the texts, in any case? A text may be NULL. */
bool ik_pane_words_fit(const char *words, const char *const *texts, size_t count);

/* Return an action with a copy of a text, which is valid until the next one. */
struct ik_invocation ik_pane_invoke(struct ik_pane *pane, enum ik_action action, const char *text);

/* Replace the text: begin, add, end. The place in it is kept if the user
 * scrolled; else it shows its start, or, with follow, its end. */
struct ik_scroll_place ik_pane_text_begin(struct ik_pane *pane);
/* A paragraph; NULL, "": none. */
void ik_pane_say(struct ik_pane *pane, enum ik_block_kind kind, const char *sentence);
/* Sanitised here; returns the block, which may be appended to. */
struct ik_block *ik_pane_text(struct ik_pane *pane, enum ik_block_kind kind, const char *text,
	size_t length);
void ik_pane_text_end(struct ik_pane *pane, struct ik_scroll_place place, bool follow);

/* How a pane is drawn. */
struct ik_pane_view {
	const char *title;
	bool focus;
	/* The keys that the last line shows, as far as there is room: while the pane has focus, while
	 * its text has, while something is written in it, while others have focus (NULL: to go there,
	 * and to close it). Of keys only what works without an item where there is none. */
	const struct ik_key_hint *keys, *text_keys, *writing_keys, *away_keys;
	/* What IK_ACTION_CANCEL does in the list while words filter it, in place of what keys says
	 * of it: an N_() text; NULL: the same. */
	const char *all;
	const char *words_count; /* at the right of the filter: "3 of 12"; NULL: nothing */
	bool list_first;         /* the list has what it needs before the text has anything */
	bool list_stays;         /* while the keys are the text's, it has more than one row, too */
	const char *empty;       /* instead of list and text when there is no item */
};
void ik_pane_draw(struct ik_pane *pane, const struct ik_pane_view *view, struct ik_cells *cells,
	struct ik_rectangle area);

/* Only the title and the keys; returns what is between them. */
struct ik_rectangle ik_pane_draw_frame(struct ik_pane *pane, const struct ik_pane_view *view,
	struct ik_cells *cells, struct ik_rectangle area);

/* A text from anywhere as a harmless one in one line: a new string. */
char *ik_pane_line(const char *text, size_t length);

/* A text in several lines, wrapped, dim, in the middle of area. */
void ik_pane_sentence(struct ik_cells *cells, struct ik_rectangle area, const char *text);
/* Draw a text at the right end of a row, in so many columns; returns the row without them. */
struct ik_rectangle ik_pane_right(struct ik_cells *cells, struct ik_rectangle row, int columns,
	enum ik_style style, const char *text);

#endif
