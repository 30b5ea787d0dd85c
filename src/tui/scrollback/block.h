/*
 * block: one thing in a scrollback: a message, a call, a reply that grows, a
 * notice, a stretch of text in a pane.
 *
 * A block has a source (bytes it was given, a message, a call), the sanitised
 * text of it, and the lines of that text, made by a renderer section by section
 * for one width.  Both are made when they are asked for: a block that isn't
 * shown is never laid out.
 *
 * Owns its text and its lines; a message by reference; a call not at all (the
 * list of calls must outlive it).  May include: util, json, conversation,
 * tui/text, tui/scrollback, tui/term.
 */
#ifndef IK_TUI_SCROLLBACK_BLOCK_H
#define IK_TUI_SCROLLBACK_BLOCK_H

#include "conversation/attachment.h"
#include "tui/scrollback/calls.h"
#include "tui/term/drawing.h"
#include "tui/text/wrap.h"
#include "util/sanitize.h"

enum ik_block_kind {
	IK_BLOCK_USER,
	IK_BLOCK_ASSISTANT,
	IK_BLOCK_THINKING,
	IK_BLOCK_CALL,
	IK_BLOCK_COMMAND,
	IK_BLOCK_PICTURE, /* attached to the message or the call before it */
	IK_BLOCK_NOTICE,
	IK_BLOCK_ERROR,
	IK_BLOCK_HEADING, /* these five: contents of panes */
	IK_BLOCK_TEXT,
	IK_BLOCK_OUTPUT,
	IK_BLOCK_HINT,
	IK_BLOCK_WARNING,
	IK_BLOCK_KINDS
};

/* A stretch of the text that is laid out by itself. */
struct ik_section {
	uint32_t start, end;
	uint32_t opener; /* where the block of the text begins that it continues, or start */
	int columns;     /* the width of the lines; 0 if there are none */
	struct ik_lines lines;
};

/* Draws attached pictures (conversation/attachment.h) in at most that many cells. NULL: it is not to
 * be drawn, or not yet; then the screen is touched once it is there. Valid until the next call. */
struct ik_drawer {
	const struct ik_drawing *(*draw)(void *arg, const struct ik_attachment *picture, int columns,
		int rows);
	void *arg;
};

struct ik_block {
	enum ik_block_kind kind;
	bool growing; /* more text may come */
	bool joined;  /* of several messages */
	const struct ik_renderer *renderer;
	struct ik_message *message;
	struct ik_attachment picture;   /* of the message, */
	size_t attachment;              /* and its index */
	const struct ik_drawer *drawer; /* NULL: pictures are not drawn */
	int picture_rows;               /* that the picture may take */
	int drawn_rows;                 /* of the lines: below the text, of the picture */
	struct ik_shown_call *call;
	unsigned call_version; /* that the text was made of */
	bool filled;           /* text is there */
	bool folded;           /* it shows a few lines */
	size_t lines;          /* of a command's outcome that are shown while it is folded */
	int prose;             /* columns that its prose may take; 0: all */
	int64_t began_ms;      /* thinking that grows: monotonic; -1: at the next tick */
	int64_t seconds;       /* that it took; -1: not known */
	struct ik_buf own;     /* text, unless it is the message's own */
	struct ik_sanitize_state state;
	const char *text; /* its own, or the message's */
	size_t length;
	int hang;             /* indentation of rows that continue a line, or IK_HANG_TABLE */
	size_t head, tail;    /* parts of their own style: struct ik_render */
	struct ik_buf learnt; /* by the renderer, of all of it */
	struct ik_section *sections;
	uint32_t section_count;
};

/* What a kind looks like. */
struct ik_block_look {
	bool gutter; /* a mark of two columns before it */
	bool joins;  /* no blank row between two of the kind */
	enum ik_style head_style, style;
};
const struct ik_block_look *ik_block_look(enum ik_block_kind kind);

/* The mark before the first row and its style ("" for none). */
const char *ik_block_mark(const struct ik_block *block, enum ik_style *ret_style);

/* Is there more in it than blanks? */
bool ik_block_text_shows(const char *text, size_t length);

struct ik_block *ik_block_new(enum ik_block_kind kind);
struct ik_block *ik_block_free(struct ik_block *block);

/* A block of a stored message (takes a reference); NULL for the kinds that
 * are not shown, or not by themselves: system, usage, tool_call, tool_result,
 * and for a message of nothing but blanks. */
struct ik_block *ik_block_of_message(struct ik_message *message);
/* A block of the first picture that is attached from *index on, which is then after it; NULL: there
 * is none. */
struct ik_block *ik_block_of_picture(struct ik_message *message, size_t *index);
/* A block of a call; its list must outlive it. */
struct ik_block *ik_block_of_call(struct ik_shown_call *call);

/* Append bytes from outside, a piece of a stream: sanitised here. Empty lines
 * at the start are left out. */
void ik_block_append(struct ik_block *block, const char *bytes, size_t length);
/* The text is complete: show what was held back, and remove blanks at the end. */
void ik_block_finish(struct ik_block *block);
/* The stored message of what was streamed; its text is shown from now on. */
void ik_block_finish_with(struct ik_block *block, struct ik_message *message);
/* Let the text of a finished block continue: message (NULL: it is streamed) is the next
 * piece of the same reply. Blanks at the seam are kept. */
void ik_block_go_on(struct ik_block *block, const struct ik_message *message);
/* Add a dim remark after a finished text: "[interrupted]". Not twice. */
void ik_block_remark(struct ik_block *block, const char *remark);

/* From now on the text is laid out by that renderer. */
void ik_block_set_renderer(struct ik_block *block, const struct ik_renderer *renderer);

/* Can it be folded? Thinking, calls, and messages of the user's that are long or have texts attached
 * can, and are when they are made. Fold it, or not. */
bool ik_block_foldable(const struct ik_block *block);
void ik_block_fold(struct ik_block *block, bool folded);

/* Is it folded to one row, which is grouped with others of its kind? */
bool ik_block_is_row(const struct ik_block *block);

/* The time, for thinking that grows (monotonic); true: it shows another second now. */
bool ik_block_tick(struct ik_block *block, int64_t now_ms);

/* The block's text for the clipboard: a message as received, a call's result. */
void ik_block_copy(struct ik_block *block, struct ik_buf *out);

/* Bring text and sections up to date; must precede the four below. */
void ik_block_prepare(struct ik_block *block);
/* The section that holds the byte at offset. */
uint32_t ik_block_section_at(const struct ik_block *block, size_t offset);
/* The lines of a section at that width (at least 1). */
const struct ik_lines *ik_block_lines(struct ik_block *block, uint32_t section, int columns);
/* Draw what a line has of the picture into a row of area. */
void ik_block_draw_picture(struct ik_block *block, const struct ik_lines *lines, uint32_t line,
	struct ik_cells *cells, struct ik_rectangle area, int row);
/* Give the memory of a section's lines back; they are made again when they are asked for. */
void ik_block_forget_lines(struct ik_block *block, uint32_t section);

#endif
