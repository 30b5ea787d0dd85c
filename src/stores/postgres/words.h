/*
 * words: the words of all events as a server's tsvectors, and the search in them.
 *
 * Their store is a struct ik_server.  May include: util, conversation, store/search_query.h,
 * store/search_text.h, stores.
 */
#ifndef IK_STORES_POSTGRES_WORDS_H
#define IK_STORES_POSTGRES_WORDS_H

#include "stores/postgres/server.h"

/* Index some events of one session that are not indexed yet; *ret_more: there may be others. */
enum ik_status ik_words_index_some(struct ik_server *server, bool *ret_more,
	struct ik_error *error) IK_MUST_USE;

/* search {query, directory, row, count}: as in SQLite; "row" is a text. */
enum ik_status ik_pg_answer_search(void *store, struct ik_error *error);

#endif
