/*
 * pane: what the side panes have in common: a title, a list with one item
 * selected, the text of that item beneath it, the keys in the last line; and what
 * each is to the screen, a table of operations.
 *
 * A pane that is made of a list says what its items are by a few functions;
 * the text is laid out by a scrollback of its own, so that it may be of any
 * size.  May include: util, tui/term, tui/edit, tui/pane, tui/scrollback.
 */
#ifndef IK_TUI_PANE_PANE_H
#define IK_TUI_PANE_PANE_H

#include "tui/edit/keymap.h"
#include "tui/pane/invocation.h"
#include "tui/scrollback/scrollback.h"

struct ik_pane;
struct ik_status_bar;

/* What came of a key in a pane. */
enum ik_pane_result {
	IK_PANE_PASSED, /* it means nothing here */
	IK_PANE_TAKEN,
	IK_PANE_CALLED,  /* taken: it makes a call, which is to be shown */
	IK_PANE_CLOSED,  /* taken: the pane is to close */
	IK_PANE_YIELDED, /* the pane is to close, and the key goes to the editor */
	IK_PANE_BLOCKED  /* taken, but the editor must be empty for it */
};

/*
 * What a pane does, one constant table in its file.  A struct ik_pane is the first member of
 * what a pane is, so that each operation finds its own.  The screen makes the panes in
 * make_panes() (tui/screen/screen.c), where a new one takes a row, and uses them through these only.
 */
struct ik_pane_ops {
	/* The action that shows and closes it; IK_ACTION_NONE: it is shown by other means. */
	enum ik_action toggle;
	/* That action is about to show it; or NULL. */
	void (*open)(struct ik_pane *pane);
	/* In what its keys are pressed (of enum ik_context). */
	unsigned (*context)(const struct ik_pane *pane);
	/* A key, and what it is bound to, while it has focus. *ret_invocation is IK_ACTION_NONE, and
	 * set to what the program is asked for; its text is valid until the next key. */
	enum ik_pane_result (*key)(struct ik_pane *pane, const struct ik_key *key,
		enum ik_action action, struct ik_invocation *ret_invocation);
	/* An action that selects or scrolls; false: it means nothing here. */
	bool (*act)(struct ik_pane *pane, enum ik_action action);
	/* A click on a row of the screen; the wheel, wherever the focus is. */
	void (*click)(struct ik_pane *pane, int row);
	void (*scroll)(struct ik_pane *pane, int rows);
	/* bar: how things are. The cursor is set where something is being written, else left
	 * alone. */
	void (*draw)(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area, bool focus,
		const struct ik_status_bar *bar, int *ret_cursor_row, int *ret_cursor_column);
	void (*release)(struct ik_pane *pane);
};

struct ik_pane {
	const struct ik_pane_ops *ops; /* NULL: it is a part of something else */
	bool utf8;
	const struct ik_keymap *keymap; /* borrowed */
	size_t count;                   /* items */
	size_t selected;
	size_t list_top;         /* the first item that is seen, */
	int list_row, list_rows; /* where the list was drawn last */
	struct ik_scrollback *text;
	int text_row;      /* where it was drawn last */
	bool text_moved;   /* scrolled by the user: it stays where it is; */
	bool text_follows; /* else it shows its end, or its start */
};

void ik_pane_init(struct ik_pane *pane, const struct ik_pane_ops *ops,
	const struct ik_keymap *keymap, bool utf8);
void ik_pane_done(struct ik_pane *pane);

/* Up, down, start and end of the line select (changes *selected); page up and down, top,
 * bottom scroll the text. False for another action. */
bool ik_pane_act(struct ik_pane *pane, enum ik_action action);

/* Page up and down, half of one, top, bottom: scroll a text. False for another action. */
bool ik_pane_scroll_by(struct ik_scrollback *text, enum ik_action action);

/* Select the item that was drawn in a row of the screen; false: there is none. */
bool ik_pane_click(struct ik_pane *pane, int row);

/* Scroll the text. */
void ik_pane_scroll(struct ik_pane *pane, int rows);

/* Replace the text: begin, add, end. The place in it is kept if the user
 * scrolled; else it shows its start, or, with follow, its end. */
struct ik_scroll_place ik_pane_text_begin(struct ik_pane *pane);
void ik_pane_say(struct ik_pane *pane, enum ik_block_kind kind, const char *sentence);
/* Sanitised here; returns the block, which may be appended to. */
struct ik_block *ik_pane_text(struct ik_pane *pane, enum ik_block_kind kind, const char *text,
	size_t length);
/* JSON printed for people; as it is when it is no JSON. */
void ik_pane_json(struct ik_pane *pane, const char *text, size_t length);
void ik_pane_text_end(struct ik_pane *pane, struct ik_scroll_place place, bool follow);

/* How a pane is drawn. */
struct ik_pane_view {
	const char *title;
	unsigned context;                /* in which its keys are pressed */
	const struct ik_key_hint *hints; /* the last line: what has no room is left out */
	bool focus;
	/* Draw an item into one row; the background is there. */
	void (*item)(void *arg, size_t index, struct ik_cells *cells, struct ik_rectangle row,
		enum ik_style style);
	bool text_focus;   /* the text has focus: of the list, only what is selected is seen */
	bool list_first;   /* the list has what it needs before the text has anything */
	int reserved;      /* rows under the title that somebody else draws */
	const char *empty; /* instead of list and text when there is no item */
	void *arg;
};
void ik_pane_draw(struct ik_pane *pane, const struct ik_pane_view *view, struct ik_cells *cells,
	struct ik_rectangle area);

/* Only the title and the keys. */
void ik_pane_draw_frame(struct ik_pane *pane, const struct ik_pane_view *view,
	struct ik_cells *cells, struct ik_rectangle area);

/* A text in several lines, wrapped, dim, in the middle of area. */
void ik_pane_sentence(struct ik_cells *cells, struct ik_rectangle area, const char *text);
/* Draw a text at the right end of a row, in so many columns; returns the row without them. */
struct ik_rectangle ik_pane_right(struct ik_cells *cells, struct ik_rectangle row, int columns,
	enum ik_style style, const char *text);
/* A thin line. */
void ik_pane_rule(struct ik_cells *cells, struct ik_rectangle row, enum ik_style style, bool utf8);

#endif
