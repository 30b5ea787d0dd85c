/*
 * scrollback_search: what is looked for in a scrollback: the place that is
 * shown, how often it is there, the marks on what is in the window.
 *
 * What is searched is what is shown, section by section of each block, folded blocks as they are
 * when they are open; a block that still changes is searched once it is complete.  One that holds
 * the place that is shown is opened, and folded again when another place is.  All work is done in
 * slices of a few milliseconds that the owner asks for, so that the keys don't wait; blocks may
 * come at both ends meanwhile.
 *
 * Borrows the scrollback.  May include: util, tui.
 */
#ifndef IK_TUI_SCROLLBACK_SCROLLBACK_SEARCH_H
#define IK_TUI_SCROLLBACK_SCROLLBACK_SEARCH_H

#include "tui/scrollback/scrollback.h"

struct ik_search;

/* scrollback must outlive it. A first place is looked for upwards from the end of the window, or
 * downwards from its beginning, as in a text that is read from its start. */
struct ik_search *ik_search_new(struct ik_scrollback *scrollback, bool downwards);
struct ik_search *ik_search_free(struct ik_search *search);

/* Look for pattern (valid UTF-8; tui/text/needle.h) from the window on that was there when the
 * search began (ik_search_begin()). "": nothing is shown. */
void ik_search_set(struct ik_search *search, const char *pattern, size_t length);

/* The same downwards from the beginning of the block with that index, and no further than its
 * end: the window stays where that has nothing. */
void ik_search_set_in(struct ik_search *search, const char *pattern, size_t length, size_t index);

/* Remember the window, to begin from it and to come back to it. */
void ik_search_begin(struct ik_search *search);
void ik_search_back(struct ik_search *search);

/* To the next place (direction > 0) or the one before; after the last comes the first. */
void ik_search_step(struct ik_search *search, int direction);

/* Blocks are gone or look different: search again from here. */
void ik_search_restart(struct ik_search *search);

/* Do some milliseconds' work; true: something that is shown has changed. */
bool ik_search_work(struct ik_search *search);
/* Is there more to do? */
bool ik_search_working(const struct ik_search *search);

/* The mark of the scrollback on the block of the place that is shown, if one is. */
void ik_search_select(struct ik_search *search);

/* What a search has found. */
struct ik_search_state {
	bool on;      /* there is a pattern */
	bool seeking; /* for the place to show */
	bool found;   /* a place is shown */
	bool wrapped; /* the last step went past an end */
	bool counted; /* total is final */
	size_t total;
	size_t partly; /* calls that printed more than what is searched of them */
	size_t number; /* of the place that is shown, from 1; 0: not known */
	int percent;   /* searched so far */
};
struct ik_search_state ik_search_state(const struct ik_search *search);

/* Append the line of the shown place, or the part of a long line around it. Return false if no
 * place is shown. */
bool ik_search_put_line(struct ik_search *search, struct ik_buf *out);

/* Mark what was found in the cells that the scrollback was drawn into last. */
void ik_search_paint(struct ik_search *search, struct ik_cells *cells);

/* The next picture will have another size: a place that is shown now is shown then. */
void ik_search_hold(struct ik_search *search);

#endif
