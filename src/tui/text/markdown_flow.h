/*
 * markdown_flow: pieces of text in styles, collected from a parser, broken into
 * lines after the bars and marks of the quotes and lists that they are in.
 *
 * A piece is named by its place in the source where it is there as it is shown;
 * else it is kept beside the lines.
 *
 * Owns its buffers; the lines are the caller's.  May include: util, tui/text/wrap.h.
 */
#ifndef IK_TUI_TEXT_MARKDOWN_FLOW_H
#define IK_TUI_TEXT_MARKDOWN_FLOW_H

#include "tui/text/markdown_source.h"
#include "util/buf.h"

#define IK_FLOW_DEPTH 32 /* quotes and lists in each other that are shown as such */

struct ik_flow_piece {
	uint32_t start;  /* in text */
	uint32_t source; /* in the source, or beside the lines */
	uint8_t style;
	bool added;
};

/* A quote or a list item around what is laid out. */
struct ik_flow_frame {
	int columns;
	bool quote;
	bool mark_due;              /* the mark comes with the next line */
	uint32_t mark, mark_length; /* kept beside the lines */
};

struct ik_flow {
	struct ik_lines *lines;
	int columns;
	bool utf8;
	size_t source; /* how far in the source the lines are */
	struct ik_buf text;
	struct ik_flow_piece *pieces;
	size_t count, capacity;
	struct ik_flow_frame frames[IK_FLOW_DEPTH];
	size_t depth;
	uint32_t bar; /* of quotes, kept; 0 length: not yet */
	uint32_t bar_length;
};

void ik_flow_init(struct ik_flow *flow, struct ik_lines *lines, int columns, bool utf8);
void ik_flow_done(struct ik_flow *flow);

/* Append text in a style; source is where it is in there, or IK_MARKDOWN_NOWHERE. */
void ik_flow_add(struct ik_flow *flow, const char *text, size_t length, size_t source,
	enum ik_style style);

/* A tab: in code as many blanks as it takes (the parser has made blanks of those at the start of
 * a line), else one. */
void ik_flow_tab(struct ik_flow *flow, bool code, enum ik_style style);
/* Where the next tab of a text is, or, from breaks on, the next break of HTML ("<br>"); length:
 * there is none. *ret_length: of it, or 0. */
size_t ik_flow_special(const char *text, size_t length, size_t breaks, size_t *ret_length);
/* Columns of the widest line in bytes [start, end) of the flow. */
int ik_flow_width(const struct ik_flow *flow, size_t start, size_t end);

/* A quote or list item begins; mark is drawn before its first line (list items).
 * They take at most half of the width; then the mark is part of the text. */
void ik_flow_push(struct ik_flow *flow, const char *mark);
void ik_flow_pop(struct ik_flow *flow);

/* Begin a line with its bars and marks; return the column after them. */
int ik_flow_line(struct ik_flow *flow, size_t source);
/* Columns left for text within the frames. */
int ik_flow_room(const struct ik_flow *flow);
/* The source of the byte at a position of the flow, or of what comes next. */
size_t ik_flow_source(const struct ik_flow *flow, size_t position);

/* Add bytes [start, end) of the flow to the line begun last, at a column. */
void ik_flow_runs(struct ik_flow *flow, size_t start, size_t end, int column);

/* Lay out bytes [start, end) of the flow, wrapped between words. */
void ik_flow_wrap(struct ik_flow *flow, size_t start, size_t end);
/* The same as code: line by line, wrapped anywhere, the breaks marked. */
void ik_flow_code(struct ik_flow *flow, size_t start, size_t end);

/* A line of a repeated character, with a label after the first two. */
void ik_flow_rule(struct ik_flow *flow, const char *character, int columns, const char *label,
	size_t label_length);
/* An empty line (with the bars of quotes). */
void ik_flow_blank(struct ik_flow *flow);

/* Forget what was collected. */
void ik_flow_clear(struct ik_flow *flow);

#endif
