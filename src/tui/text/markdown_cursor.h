/*
 * markdown_cursor: how far in a section the parser has come, and what it does
 * not tell: the blank lines between blocks, and lines that are marks only.
 *
 * Pure.  May include: libc.
 */
#ifndef IK_TUI_TEXT_MARKDOWN_CURSOR_H
#define IK_TUI_TEXT_MARKDOWN_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

struct ik_markdown_cursor {
	const char *text;
	size_t start, until; /* the section */
	size_t at;           /* behind what was met */
	bool moved;          /* something was */
};

/* Text up to position was met. */
void ik_cursor_move(struct ik_markdown_cursor *cursor, size_t position);
/* A line of code ended: go to the start of the next. */
void ik_cursor_next_line(struct ik_markdown_cursor *cursor);
/* Go behind the next line that is not blank: one of marks only. */
void ik_cursor_skip_line(struct ik_markdown_cursor *cursor);
/* Code ended: go behind the fence that closes it (fence 0: there is none). */
void ik_cursor_leave_code(struct ik_markdown_cursor *cursor, char fence);
/* The first byte of the line it stands in, behind blanks and marks of quotes. */
char ik_cursor_line_starts(const struct ik_markdown_cursor *cursor);
/* Is a blank line before what comes next? Passes over it. */
bool ik_cursor_gap(struct ik_markdown_cursor *cursor);

#endif
