/* The line of the place that is shown, in words. */
#include "tui/scrollback/search_private.h"

#include <string.h>

#include "util/cluster.h"

#define LINE_BYTES 400u /* of a longer line what is around the place */
#define BEFORE_BYTES 100u

bool ik_search_put_line(const struct ik_search *search, struct ik_buf *out)
{
	const struct ik_scrollback *scrollback = search->scrollback;
	int64_t index = search->current.block - scrollback->first_number;
	struct ik_search_text unit;

	if (!search->found || index < 0 || index >= (int64_t)scrollback->count)
		return false;
	struct ik_block *block = ik_scrollback_at(scrollback, (size_t)index);
	ik_block_prepare(block);
	ik_search_text_init(&unit);
	ik_search_text_fill(&unit, scrollback, block, search->current.unit, false);
	size_t place = search->current.offset < unit.length ? search->current.offset : unit.length;
	const char *text = unit.text, *before = place > 0 ? memrchr(text, '\n', place) : NULL;
	size_t start = before ? (size_t)(before - text) + 1 : 0;
	const char *behind = place < unit.length ? memchr(text + place, '\n', unit.length - place)
											 : NULL;
	size_t end = behind ? (size_t)(behind - text) : unit.length;

	if (end - start > LINE_BYTES) {
		if (place - start > BEFORE_BYTES)
			start = ik_cluster_previous(text, place - BEFORE_BYTES);
		size_t at = start;

		while (at < end && at - start < LINE_BYTES)
			at += ik_cluster_next(text + at, end - at).length;
		end = at;
	}
	while (start < end && text[start] == ' ')
		start++;
	ik_buf_append(out, text + start, end - start);
	ik_search_text_done(&unit);
	return true;
}
