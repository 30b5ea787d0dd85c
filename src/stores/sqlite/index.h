/*
 * index: the words of all events in SQLite's FTS5, and the search in them.
 *
 * The index follows the events: it has all up to a row, which search_state names. It is brought up
 * to date while nothing else is to be done, and before a search.
 *
 * May include: util, conversation, store/search_query.h, store/search_text.h, stores.
 */
#ifndef IK_STORES_SQLITE_INDEX_H
#define IK_STORES_SQLITE_INDEX_H

#include "stores/sqlite/database.h"

/* Index some events that are not in it yet; *ret_more: there are others. gives_way: stop as soon as
 * a request comes. */
enum ik_status ik_index_some(struct ik_database *database, bool gives_way, bool *ret_more,
	struct ik_error *error) IK_MUST_USE;

/* In a transaction that deletes them: take the words of the oldest events of a session that may go,
 * at most count, out of the index; *ret_count: how many events that were. */
enum ik_status ik_index_drop(struct ik_database *database, const char *session, int64_t count,
	int64_t *ret_count, struct ik_error *error) IK_MUST_USE;

/* Events of a session (?1) that no fork shares, oldest first, at most ?2. */
#define IK_OWN_EVENTS \
	"events WHERE session = ?1 AND sequence > coalesce((SELECT max(forked_at) FROM sessions" \
	" WHERE parent = ?1), 0) ORDER BY sequence LIMIT ?2"

/* search {query, directory, row, count}: a line {"session":{...},"event":{...},"row":N} for each
 * event that has the words, newest row first, below that row. The last line has "row": continue
 * there, or null where there are no more. */
enum ik_status ik_answer_search(void *store, struct ik_error *error);

#endif
