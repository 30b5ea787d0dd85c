#include "tui/edit/history_search.h"

#include <string.h>

#include "tui/edit/history.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/needle.h"
#include "util/utf8.h"

void ik_history_search_init(struct ik_history_search *search, struct ik_history *history)
{
	*search = (struct ik_history_search){ .history = history };
	ik_buf_init(&search->query, IK_KIB(4));
}

void ik_history_search_done(struct ik_history_search *search)
{
	ik_buf_done(&search->query);
}

/* Find the last match in a text; false: there is none. */
static bool find_last(const struct ik_needle *needle, const char *text, size_t length,
	size_t *ret_position, size_t *ret_length)
{
	struct ik_needle_scan scan;
	size_t at, matched;
	bool found = false;

	ik_needle_begin(&scan, needle, text, length, 0);
	for (; (at = ik_needle_next(&scan, &matched)) != SIZE_MAX; found = true) {
		*ret_position = at;
		*ret_length = matched;
	}
	return found;
}

/* Look from an index on in a direction, past what is the text of now. */
static void look(struct ik_history_search *search, size_t from, int direction, bool differs)
{
	size_t count = ik_history_count(search->history), length, old_length = 0;
	const char *old = search->found ? ik_history_at(search->history, search->index, &old_length)
									: NULL;
	struct ik_needle needle;

	search->failed = search->query.length > 0;
	if (search->query.length == 0) {
		search->found = false;
		return;
	}
	ik_needle_init(&needle, search->query.data, search->query.length);
	for (size_t i = from; search->failed && i < count; i += (size_t)direction) {
		const char *text = ik_history_at(search->history, i, &length);

		if ((differs && old && old_length == length && memcmp(old, text, length) == 0) ||
			!find_last(&needle, text, length, &search->position, &search->length))
			continue;
		search->found = true;
		search->failed = false;
		search->index = i;
	}
	ik_needle_done(&needle);
}

void ik_history_search_type(struct ik_history_search *search, const char *text, size_t length)
{
	size_t before = search->query.length;

	ik_utf8_repair(&search->query, text, length);
	if (ik_buf_status(&search->query) != IK_OK) {
		ik_buf_truncate(&search->query, before);
		search->query.status = IK_OK;
		return;
	}
	look(search, search->found ? search->index : 0, 1, false);
}

void ik_history_search_erase(struct ik_history_search *search)
{
	if (search->query.length > 0)
		ik_buf_truncate(&search->query,
			ik_cluster_previous(search->query.data, search->query.length));
	look(search, 0, 1, false);
}

void ik_history_search_move(struct ik_history_search *search, int direction)
{
	if (!search->found) {
		look(search, 0, 1, false);
		return;
	}
	/* From the newest on there is no newer one: the index goes round, and nothing is found. */
	look(search, search->index + (size_t)direction, direction, true);
}
