/*
 * index: the full-text index of all events.
 *
 * The index has all events up to a mark. It is updated while the program is idle, and before a
 * search.
 *
 * May include: util, conversation, conversation/search_text.h, stores.
 */
#ifndef IK_STORES_INDEX_H
#define IK_STORES_INDEX_H

#include "stores/database.h"

/* Index some of the unindexed events; return true if there may be more. gives_way: stop when a
 * request arrives. */
bool ik_index_some(struct ik_database *database, bool gives_way);

/* Append the words of an event in the index's format; nothing if message is NULL. */
void ik_index_put_words(const struct ik_message *message, struct ik_buf *out);

#endif
