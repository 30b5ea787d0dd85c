/*
 * search_private: the state of a search, shared by the files that are it:
 * scrollback_search.c (finding and counting), search_show.c (what is in the window),
 * search_paint.c (marking).
 */
#ifndef IK_TUI_SCROLLBACK_SEARCH_PRIVATE_H
#define IK_TUI_SCROLLBACK_SEARCH_PRIVATE_H

#include "tui/scrollback/scrollback_search.h"
#include "tui/scrollback/search_text.h"

/* A place in what is searched. */
struct ik_found_place {
	int64_t block; /* its number */
	uint32_t unit;
	size_t offset;
};

/* What to mark in a line of the section that is being drawn. */
struct ik_search_mark {
	uint32_t line;
	int column, columns;
	bool current;
};

struct ik_search {
	struct ik_scrollback *scrollback;
	struct ik_needle needle, word;
	bool has_word;
	struct ik_phrase phrase;
	uint32_t generation;        /* what block->found belongs to */
	struct ik_search_text text; /* of the unit that is looked at */

	struct ik_scroll_place back;  /* the window at the beginning */
	struct ik_found_place origin; /* and its end */

	int way; /* in which a first place is looked for: -1 upwards, 1 down */
	bool seeking;
	bool in_block; /* for a place in this block only */
	int direction;
	struct ik_found_place at, start;
	bool wrapped;
	bool inside;     /* a unit was left in the middle: at.offset is where */
	int64_t entered; /* the block that is looked through unit by unit */

	bool found;
	struct ik_found_place current;
	size_t current_length;
	bool held;   /* it is to be in the window of the next frame */
	bool opened; /* its block was folded before */
	size_t number;

	int64_t low, high;              /* blocks with these numbers, and between, are counted */
	struct ik_found_place counting; /* in the middle of a block: where to go on */
	size_t counting_found;
	size_t partly; /* calls of them that printed more than is searched */
	size_t total;

	/* Of the section that is being drawn. */
	const struct ik_block *painted;
	uint32_t painted_section;
	struct ik_search_text painted_text;
	struct ik_search_mark *marks;
	size_t mark_count, mark_capacity, mark_at;
};

/* How many bytes what is found has at most. */
size_t ik_search_reach(const struct ik_search *search);

/* The block with that number; NULL: there is none. */
struct ik_block *ik_search_block(const struct ik_search *search, int64_t number);

/* Bring the place that was found into the window. */
void ik_search_show(struct ik_search *search);

#endif
