/*
 * pane: the common parts of side panes: a title, a list with a selected item and an optional
 * filter above it, the selected item's text below it, the keys in the last line; and the table of
 * operations that the screen uses.
 *
 * A pane defines how an item looks and what its own keys do:
 *
 *	static enum ik_pane_result key(struct ik_pane *pane, const struct ik_key *key, ...)
 *	{
 *		enum ik_pane_result result = ik_pane_key(pane, key, action);
 *
 *		if (result == IK_PANE_FILTERED) (list the items that match pane->words)
 *		if (result != IK_PANE_OTHER) return result;
 *		switch (action) { (its own keys) }
 *	}
 *
 * and draws itself by setting pane->count and calling ik_pane_draw().  A scrollback of its own lays
 * out the text, which may be of any size.
 *
 * Owns the filter, the text, and the argument of the last action; borrows the keymap.
 * May include: util, json, tui/term, tui/edit, tui/pane, tui/scrollback.
 */
#ifndef IK_TUI_PANE_PANE_H
#define IK_TUI_PANE_PANE_H

#include "tui/edit/vi.h"
#include "tui/scrollback/scrollback.h"

struct ik_pane;
struct ik_status_bar;

/* The result of a key in a pane. */
enum ik_pane_result {
	IK_PANE_PASSED, /* not handled */
	IK_PANE_TAKEN,
	IK_PANE_CALLED,   /* handled; it makes a call, so show the call */
	IK_PANE_CLOSED,   /* handled; close the pane */
	IK_PANE_FILTERED, /* handled; the filter's words have changed */
	IK_PANE_OTHER     /* not a key that all panes share; only ik_pane_key() returns this */
};

/*
 * The operations of a pane, one constant table in its file.  A struct ik_pane is the first
 * member of the pane's own struct, so that each operation can cast to that.  The screen creates
 * the panes in make_panes() (tui/screen/screen.c), where each has a row, and uses them only
 * through these operations.
 */
struct ik_pane_ops {
	/* The action that opens and closes the pane; IK_ACTION_NONE if another way does. */
	enum ik_action toggle;
	/* The context of its keys (of enum ik_context) while no text field has focus. */
	unsigned context;
	/* Prepare for being opened by that action; or NULL. */
	void (*open)(struct ik_pane *pane);
	/* Handle a key and the action it is bound to, while the pane has focus. *ret_invocation
	 * begins as IK_ACTION_NONE; set it to make a request to the program. Its text is valid until
	 * the next key. */
	enum ik_pane_result (*key)(struct ik_pane *pane, const struct ik_key *key,
		enum ik_action action, struct ik_invocation *ret_invocation);
	/* Run an action that selects or scrolls; false: not such an action. (ik_pane_act()) */
	bool (*act)(struct ik_pane *pane, enum ik_action action);
	/* Handle a click on a screen row; false: nothing there. (ik_pane_click()) Handle the wheel,
	 * with or without focus. (ik_pane_scroll()) */
	bool (*click)(struct ik_pane *pane, int row);
	void (*scroll)(struct ik_pane *pane, int rows);
	/* Draw the pane, and set the cursor of a text field with focus. bar: the current status. */
	void (*draw)(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area, bool focus,
		const struct ik_status_bar *bar);
	/* Draw a list item into one row with its background already filled. NULL: no list. */
	void (*item)(struct ik_pane *pane, size_t index, struct ik_cells *cells,
		struct ik_rectangle row, enum ik_style style);
	/* Release what the pane has besides struct ik_pane; or NULL. */
	void (*release)(struct ik_pane *pane);
};

struct ik_pane {
	const struct ik_pane_ops *ops;  /* NULL: part of a dialog */
	const struct ik_keymap *keymap; /* borrowed */
	size_t count;                   /* items */
	size_t selected;
	size_t list_top;          /* the first visible item */
	int list_row, list_rows;  /* screen rows of the list when last drawn */
	struct ik_editor *filter; /* NULL: not being edited */
	struct ik_vi *vi;         /* of the filter, if vi_keys */
	bool vi_keys;
	struct ik_buf words; /* the filter; "": none */
	bool writing;        /* another text field has focus: characters are text */
	struct ik_scrollback *text;
	bool text_moved;        /* the user scrolled: keep the place */
	bool text_follows;      /* otherwise show the end, or the start */
	bool in_text;           /* the text has focus: Up and Down scroll it */
	struct ik_buf argument; /* of the last action */
};

/* Make a pane whose struct has this size; free it. */
void *ik_pane_new(size_t size, const struct ik_pane_ops *ops, const struct ik_keymap *keymap);
void ik_pane_free(struct ik_pane *pane);
/* The same for one that is part of something else. */
void ik_pane_init(struct ik_pane *pane, const struct ik_pane_ops *ops,
	const struct ik_keymap *keymap);
void ik_pane_done(struct ik_pane *pane);

/* Return the current context of the pane's keys. */
unsigned ik_pane_context(const struct ik_pane *pane);

/* Handle a key (and the action it is bound to) while the pane has focus: every key while the
 * filter is being edited; otherwise those that open or clear the filter or move focus between
 * list and text. */
enum ik_pane_result ik_pane_key(struct ik_pane *pane, const struct ik_key *key,
	enum ik_action action);

/* Select with up, down, line start and line end (changes pane->selected); scroll the text with
 * page up, page down, top and bottom. Return false for other actions. */
bool ik_pane_act(struct ik_pane *pane, enum ik_action action);

/* Scroll a text, or the pane's, by a row, a page or half a page, or to the top or bottom (also
 * with line start and line end). Return false for other actions. */
bool ik_pane_scroll_by(struct ik_scrollback *text, enum ik_action action);
bool ik_pane_scroll_text(struct ik_pane *pane, enum ik_action action);

/* Select the item at a screen row. Return false if there is none. */
bool ik_pane_click(struct ik_pane *pane, int row);

/* Scroll the text. */
void ik_pane_scroll(struct ik_pane *pane, int rows);

/* Offer a key to the filter's vi. If it takes it, *key and *action become none, which lets the pane
 * see what the filter has become; otherwise *action may become another. */
void ik_pane_vi_key(struct ik_pane *pane, const struct ik_key **key, enum ik_action *action);

/* Edit the filter, beginning with its current words. */
void ik_pane_write(struct ik_pane *pane);
/* Stop editing the filter, and keep its words. */
void ik_pane_keep(struct ik_pane *pane);
/* Replace the filter's words, and stop editing. */
void ik_pane_set_words(struct ik_pane *pane, const char *words);

/* Does each of the words occur in one of the texts, ignoring case? Texts may be NULL. */
bool ik_pane_words_fit(const char *words, const char *const *texts, size_t count);

/* Return an invocation with a copy of the text, valid until the next call. */
struct ik_invocation ik_pane_invoke(struct ik_pane *pane, enum ik_action action, const char *text);

/* Replace the text: begin, add blocks, end. If the user has scrolled, the place is kept;
 * otherwise the start is shown, or, with follow, the end. */
struct ik_scroll_place ik_pane_text_begin(struct ik_pane *pane);
/* Add a paragraph, unless it is NULL or "". */
void ik_pane_say(struct ik_pane *pane, enum ik_block_kind kind, const char *sentence);
/* Sanitize a text and add it as a block. Return the block, to append to. */
struct ik_block *ik_pane_text(struct ik_pane *pane, enum ik_block_kind kind, const char *text,
	size_t length);
void ik_pane_text_end(struct ik_pane *pane, struct ik_scroll_place place, bool follow);

/* How a pane is drawn. */
struct ik_pane_view {
	const char *title;
	bool focus;
	/* The keys for the last line, as far as there is room: with focus on the list, on its text
	 * or on a text field of the pane (NULL: those of a filter), or elsewhere (NULL: the keys to
	 * focus and close the pane). In an empty list, only keys that work without an item are shown. */
	const struct ik_key_hint *keys, *text_keys, *writing_keys, *away_keys;
	/* A label (N_() text) for IK_ACTION_CANCEL while there is a filter; NULL: as in keys. */
	const char *all;
	const char *words_count; /* right of the filter: "3 of 12"; NULL: nothing */
	bool list_first;         /* the list takes the rows it needs; the text keeps a few */
	bool list_stays;         /* the list keeps its rows even if the text has focus */
	const char *empty;       /* shown instead of list and text if there are no items */
};
void ik_pane_draw(struct ik_pane *pane, const struct ik_pane_view *view, struct ik_cells *cells,
	struct ik_rectangle area);

/* Draw only the title and the keys. Return the area between them. */
struct ik_rectangle ik_pane_draw_frame(struct ik_pane *pane, const struct ik_pane_view *view,
	struct ik_cells *cells, struct ik_rectangle area);

/* Return an external text as one sanitized line, a new string. */
char *ik_pane_line(const char *text, size_t length);

/* Draw the hints that fit into a row. */
void ik_pane_hints(struct ik_cells *cells, struct ik_rectangle row, const struct ik_keymap *keymap,
	unsigned context, const struct ik_key_hint *hints);

/* Return the number of rows of a text wrapped to the columns. */
int ik_pane_rows(const char *text, size_t length, int columns);
/* Draw a text dim, wrapped and centered in area. */
void ik_pane_sentence(struct ik_cells *cells, struct ik_rectangle area, const char *text);
/* Draw a text at the right end of a row, `columns` wide. Return the rest of the row. */
struct ik_rectangle ik_pane_right(struct ik_cells *cells, struct ik_rectangle row, int columns,
	enum ik_style style, const char *text);

#endif
