/*
 * history_search: looking for an entry of the history by a part of it, while
 * that is being typed.
 *
 * Small letters are for both cases, a capital one for itself (util/needle.h).
 *
 * Borrows the history; owns what was typed.  May include: util, tui/edit/history.h.
 */
#ifndef IK_TUI_EDIT_HISTORY_SEARCH_H
#define IK_TUI_EDIT_HISTORY_SEARCH_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct ik_history;

struct ik_history_search {
	struct ik_history *history;
	struct ik_buf query;
	bool found;              /* the fields below say where */
	bool failed;             /* there is no other: they say where the last one was */
	size_t index;            /* of the entry */
	size_t position, length; /* of the match in it */
};

/* Begin with nothing typed, and nothing found. */
void ik_history_search_init(struct ik_history_search *search, struct ik_history *history);
void ik_history_search_done(struct ik_history_search *search);

/* One more piece of what is searched for; the entry that fits already stays. */
void ik_history_search_type(struct ik_history_search *search, const char *text, size_t length);
/* The last cluster of it is gone; the newest entry that fits is found. */
void ik_history_search_erase(struct ik_history_search *search);
/* The next older entry (1) or newer one (-1) that fits and differs. */
void ik_history_search_move(struct ik_history_search *search, int direction);

#endif
