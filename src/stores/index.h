/*
 * index: the words of all events, for the search in them.
 *
 * The index follows the events: up to a mark it has them all. It is brought up to date while nothing
 * else is to be done, and before a search.
 *
 * May include: util, conversation, conversation/search_text.h, stores.
 */
#ifndef IK_STORES_INDEX_H
#define IK_STORES_INDEX_H

#include "stores/database.h"

/* Index some events that are not in it yet; true: there may be others. gives_way: stop as soon as a
 * request comes. */
bool ik_index_some(struct ik_database *database, bool gives_way);

/* Append the words of an event as the index wants them; none where there is no event. */
void ik_index_put_words(const struct ik_message *message, struct ik_buf *out);

#endif
