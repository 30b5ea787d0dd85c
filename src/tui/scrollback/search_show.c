/* The place that was found, in the window. */
#include "tui/scrollback/search_private.h"

struct ik_block *ik_search_block(const struct ik_search *search, int64_t number)
{
	int64_t index = number - search->scrollback->first_number;
	bool there = index >= 0 && index < (int64_t)search->scrollback->count;

	return there ? ik_scrollback_at(search->scrollback, (size_t)index) : NULL;
}

/* The row of the place; its block is open. */
static struct ik_scrollback_place row_of_current(struct ik_search *search)
{
	struct ik_scrollback *scrollback = search->scrollback;
	size_t index = (size_t)(search->current.block - scrollback->first_number);
	struct ik_block *block = ik_scrollback_prepared(scrollback, index);
	struct ik_scrollback_place place = { .block = index, .section = search->current.unit };

	ik_search_text_fill(&search->text, scrollback, block, search->current.unit, false);
	if (search->text.flat) {
		place.line = ik_search_text_line(&search->text, search->current.offset);
	} else {
		place.section = ik_block_section_at(block, search->current.offset);
		place.line = ik_lines_find(ik_scrollback_lines(scrollback, block, place.section),
			search->current.offset);
	}
	if (place.section == 0)
		place.line += ik_scrollback_gap(scrollback, index);
	return place;
}

void ik_search_show(struct ik_search *search)
{
	struct ik_scrollback *scrollback = search->scrollback;
	struct ik_block *block = ik_search_block(search, search->current.block);

	if (ik_block_foldable(block) && block->folded) {
		ik_scrollback_fold(scrollback, (size_t)(search->current.block - scrollback->first_number),
			false);
		search->opened = true;
	}
	ik_scrollback_reveal(scrollback, row_of_current(search), scrollback->rows / 3);
	ik_search_select(search);
}

/* Is there a place that was found, in a block that is open? */
static bool is_open(const struct ik_search *search)
{
	struct ik_block *block = search->found ? ik_search_block(search, search->current.block) : NULL;

	return block && !(ik_block_foldable(block) && block->folded);
}

void ik_search_hold(struct ik_search *search)
{
	/* Of two sizes without a picture between them the first counts. */
	if (!search->held && is_open(search))
		search->held = ik_scrollback_in_window(search->scrollback, row_of_current(search));
}

void ik_search_frame(struct ik_search *search)
{
	struct ik_scrollback *scrollback = search->scrollback;

	search->painted = NULL;
	if (search->held && is_open(search))
		ik_scrollback_reveal(scrollback, row_of_current(search), scrollback->rows / 3);
	search->held = false;
}
