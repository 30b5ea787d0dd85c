/*
 * term_cell: a cell of the grid as a cell of ncurses.
 *
 * What is plain ASCII, nearly all of what is drawn, is made once in each style
 * and copied from then on.
 *
 * A look owns what it has made.  May include: <curses.h>, util, tui/term.
 */
#ifndef IK_TUI_TERM_TERM_CELL_H
#define IK_TUI_TERM_TERM_CELL_H

#include <wchar.h>

#define NCURSES_NOMACROS
#include <curses.h>

#include "tui/term/cells.h"

/* How a style looks here; all zero: not known yet. */
struct ik_term_look {
	bool known;
	attr_t attributes;
	short pair;
	cchar_t *ascii; /* cells from the blank on; NULL: none was drawn */
};

void ik_term_look_set(struct ik_term_look *look, attr_t attributes, short pair);
void ik_term_look_forget(struct ik_term_look *look);

/* Make what ncurses draws for a cell in a look that is known; returns how many of its cells
 * (out has room for 2) that is. utf8: the terminal shows more than ASCII. */
int ik_term_cell_make(struct ik_term_look *look, const struct ik_cell *cell, bool utf8,
	cchar_t *out);

#endif
