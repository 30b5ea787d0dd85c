/*
 * facts: what a server says of itself, without changing anything there.
 *
 * May include: util, json, stores.
 */
#ifndef IK_STORES_POSTGRES_FACTS_H
#define IK_STORES_POSTGRES_FACTS_H

#include "stores/database.h"

/* facts: the server, our rights there, and the tables, with a connection of its own: they need not be
 * there. A line {"lock":{...}} for each of the newest sessions that are open for writing. */
enum ik_status ik_answer_facts(struct ik_database *database, struct ik_error *error);

#endif
