/*
 * pane: what the side panes have in common: a title, a list with one item
 * selected, the text of that item beneath it, the keys in the last line.
 *
 * A pane that is made of a list says what its items are by a few functions;
 * the text is laid out by a scrollback of its own, so that it may be of any
 * size.  May include: util, tui/{cells,keymap,scrollback}.h.
 */
#ifndef IK_TUI_PANE_PANE_H
#define IK_TUI_PANE_PANE_H

#include "tui/edit/keymap.h"
#include "tui/scrollback/scrollback.h"

struct ik_pane {
	bool utf8;
	const struct ik_keymap *keymap; /* borrowed */
	size_t count;            /* items */
	size_t selected;
	size_t list_top;         /* the first item that is seen, */
	int list_row, list_rows; /* where the list was drawn last */
	struct ik_scrollback *text;
	int text_row;            /* where it was drawn last */
	bool text_moved;         /* scrolled by the person: it stays where it is; */
	bool text_follows;       /* else it shows its end, or its start */
};

void ik_pane_init(struct ik_pane *pane, const struct ik_keymap *keymap, bool utf8);
void ik_pane_done(struct ik_pane *pane);

/* Up, down, start and end of the line select (changes *selected); page up and down, top,
 * bottom scroll the text. False for another action. */
bool ik_pane_act(struct ik_pane *pane, enum ik_action action);

/* Select the item that was drawn in a row of the screen; false: there is none. */
bool ik_pane_click(struct ik_pane *pane, int row);

/* Replace the text: begin, add, end. The place in it is kept if the person
 * scrolled; else it shows its start, or, with follow, its end. */
struct ik_scroll_place ik_pane_text_begin(struct ik_pane *pane);
void ik_pane_heading(struct ik_pane *pane, const char *heading);
/* Sanitised here; returns the block, which may be appended to. */
struct ik_block *ik_pane_text(struct ik_pane *pane, enum ik_block_kind kind,
	const char *text, size_t length);
/* JSON printed for people; as it is when it is no JSON. */
void ik_pane_json(struct ik_pane *pane, const char *text, size_t length);
void ik_pane_text_end(struct ik_pane *pane, struct ik_scroll_place place, bool follow);

/* How a pane is drawn. */
struct ik_pane_view {
	const char *title;
	unsigned context;        /* in which its keys are pressed */
	const struct ik_key_hint *hints; /* the last line: what has no room is left out */
	size_t hint_count;
	bool focus;
	/* Draw an item into one row; the background is there. */
	void (*item)(void *arg, size_t index, struct ik_cells *cells, struct ik_rectangle row,
		enum ik_style style);
	bool text_focus;         /* the text has the keys: of the list, only what is selected is seen */
	bool list_first;         /* the list has what it needs before the text has anything */
	int reserved;            /* rows under the title that somebody else draws */
	const char *empty;       /* instead of list and text when there is no item */
	void *arg;
};
void ik_pane_draw(struct ik_pane *pane, const struct ik_pane_view *view,
	struct ik_cells *cells, struct ik_rectangle area);

/* Only the title and the keys. */
void ik_pane_draw_frame(struct ik_pane *pane, const struct ik_pane_view *view,
	struct ik_cells *cells, struct ik_rectangle area);

/* A text in several lines, wrapped, dim, in the middle of area. */
void ik_pane_sentence(struct ik_cells *cells, struct ik_rectangle area, const char *text);
/* A thin line. */
void ik_pane_rule(struct ik_cells *cells, struct ik_rectangle row, enum ik_style style, bool utf8);

/* What the person wants done with what a pane shows. */
enum ik_pane_wish_kind {
	IK_WISH_NONE,
	IK_WISH_RUN,    /* text: the command line "/run NAME JSON" */
	IK_WISH_RERUN,  /* the same, of a call that was made before, by whomever; or "!COMMAND" */
	IK_WISH_SWITCH, /* text: the name of the tool to be switched on or off */
	IK_WISH_COPY,   /* text: for the clipboard */
	IK_WISH_RESUME, /* text: the id of the session to go on with */
	IK_WISH_DELETE, /* the same of one that is to be deleted */
	IK_WISH_UNDO,   /* text: the id of the call whose changes of files are to be taken back */
	IK_WISH_PAGER,  /* text: to be read in the person's own pager; sanitised */
	IK_WISH_LINE,   /* text: a command line */
	IK_WISH_LEAVE   /* close the pane */
};
struct ik_pane_wish {
	enum ik_pane_wish_kind kind;
	const char *text; /* valid until the next key */
	size_t length;
	bool cut;         /* of a text to be copied: it is the beginning of one that is larger */
};

#endif
