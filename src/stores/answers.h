/*
 * answers: what is asked about sessions and their events: read, searched for, deleted.
 *
 * Each function answers the current request, as ikigai-store(7) says: it sends a line for each session
 * ({"session":{...}}) or event ({"event":{...}}), and fails by the database's error.
 *
 * May include: util, json, conversation, journal, stores, conversation/search_query.h.
 */
#ifndef IK_STORES_ANSWERS_H
#define IK_STORES_ANSWERS_H

#include "stores/database.h"

void ik_answer_newest(struct ik_database *database);
void ik_answer_find(struct ik_database *database);
void ik_answer_list(struct ik_database *database);
void ik_answer_page(struct ik_database *database);
void ik_answer_after(struct ik_database *database);
void ik_answer_part(struct ik_database *database);
void ik_answer_search(struct ik_database *database);
/* What a fork shares with the session stays until the fork is deleted, too; until then the session
 * is hidden. A deletion that was killed is finished by the next one. */
void ik_answer_delete(struct ik_database *database);

#endif
