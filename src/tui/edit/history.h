/*
 * history: what the user sent before, oldest first in a file.
 *
 * Each line is an entry, a JSON string. An entry is appended at once, so that
 * two programs lose nothing.  Lines that are not JSON strings are skipped.  A
 * file over half the limit becomes PATH.old, replacing an older one.  If a
 * file cannot be read or written, the user can still send messages: the
 * problem is reported once, and logged.
 *
 * Incremental search finds entries by a part of them. Lower-case letters match
 * both cases, upper-case ones only themselves (tui/text/needle.h).
 *
 * May include: util, json through scan and write only.
 */
#ifndef IK_TUI_EDIT_HISTORY_H
#define IK_TUI_EDIT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "util/buf.h"

struct ik_history;

/* Return a new history. If path is NULL, it is not saved. The files are read on first use, at
 * most the last `limit` bytes of each. */
struct ik_history *ik_history_new(const char *path, size_t limit);
struct ik_history *ik_history_free(struct ik_history *history);

/* Return a new problem with the file as a new string, each only once; NULL if there is none. */
char *ik_history_take_problem(struct ik_history *history);

/* Append an entry, unless it is empty or equal to the newest. */
void ik_history_add(struct ik_history *history, const char *text, size_t length);
size_t ik_history_count(struct ik_history *history);
/* Return the entry at index, 0 being the newest; NULL past the oldest. Borrowed. */
const char *ik_history_at(struct ik_history *history, size_t index, size_t *ret_length);

struct ik_history_search {
	struct ik_history *history; /* borrowed */
	struct ik_buf query;
	bool found;              /* the fields below are valid */
	bool failed;             /* no further match: the fields below keep the last one */
	size_t index;            /* of the entry */
	size_t position, length; /* of the match in it */
};

/* Start a search with an empty query and no match. */
void ik_history_search_init(struct ik_history_search *search, struct ik_history *history);
void ik_history_search_done(struct ik_history_search *search);

/* Append text to the query. The current entry stays if it still matches. */
void ik_history_search_type(struct ik_history_search *search, const char *text, size_t length);
/* Delete the last cluster of the query, and find the newest match. */
void ik_history_search_erase(struct ik_history_search *search);
/* Find the next older (1) or newer (-1) match with a different text. */
void ik_history_search_move(struct ik_history_search *search, int direction);

#endif
