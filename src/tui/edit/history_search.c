#include "tui/edit/history_search.h"

#include <string.h>

#include "tui/edit/history.h"
#include "util/cluster.h"
#include "util/limits.h"

void ik_history_search_init(struct ik_history_search *search, struct ik_history *history)
{
	*search = (struct ik_history_search){ .history = history };
	ik_buf_init(&search->query, IK_KIB(4));
}

void ik_history_search_done(struct ik_history_search *search)
{
	ik_buf_done(&search->query);
}

/* A letter without its case, where case does not count. */
static char folded(char byte, bool any_case)
{
	return any_case && byte >= 'A' && byte <= 'Z' ? (char)(byte + 'a' - 'A') : byte;
}

/* Where a text holds what is looked for, from behind; false: nowhere. */
static bool find_in(const struct ik_buf *query, const char *text, size_t length,
	size_t *ret_position)
{
	bool any_case = true;

	for (size_t i = 0; i < query->length; i++)
		any_case = any_case && !(query->data[i] >= 'A' && query->data[i] <= 'Z');
	if (query->length > length)
		return false;
	for (size_t at = length - query->length + 1; at-- > 0;) {
		size_t same = 0;

		while (same < query->length && folded(text[at + same], any_case) == query->data[same])
			same++;
		if (same == query->length) {
			*ret_position = at;
			return true;
		}
	}
	return false;
}

/* Look from an index on in a direction, past what is the text of now. */
static void look(struct ik_history_search *search, size_t from, int direction, bool differs)
{
	size_t count = ik_history_count(search->history), length, old_length = 0, position;
	const char *old = search->found ? ik_history_at(search->history, search->index, &old_length)
									: NULL;

	search->failed = search->query.length > 0;
	if (search->query.length == 0) {
		search->found = false;
		return;
	}
	for (size_t i = from; i < count; i += (size_t)direction) {
		const char *text = ik_history_at(search->history, i, &length);

		if (!find_in(&search->query, text, length, &position) ||
			(differs && old && old_length == length && memcmp(old, text, length) == 0))
			continue;
		search->found = true;
		search->failed = false;
		search->index = i;
		search->position = position;
		search->length = search->query.length;
		return;
	}
}

void ik_history_search_type(struct ik_history_search *search, const char *text, size_t length)
{
	size_t before = search->query.length;

	ik_buf_append(&search->query, text, length);
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
