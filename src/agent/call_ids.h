/*
 * call_ids: the set of call ids that a conversation uses.
 *
 * Some servers give calls no id, or the same one again; results are paired
 * with calls by id, so each call must have its own.  Pure.
 *
 * Owns the strings.  May include: util.
 */
#ifndef IK_AGENT_CALL_IDS_H
#define IK_AGENT_CALL_IDS_H

#include <stdbool.h>

struct ik_call_ids {
	void *tree;    /* of strings, for tsearch(3) */
	unsigned next; /* number of the next new id */
};

void ik_call_ids_done(struct ik_call_ids *ids);

/* Add an id. False when it is there already. */
bool ik_call_ids_add(struct ik_call_ids *ids, const char *id);

/* Return wanted if it can be used (not NULL, not empty, not too long, not in use), else a new id
 * ("call_7"); in either case in new memory, and in use from now on. */
char *ik_call_ids_claim(struct ik_call_ids *ids, const char *wanted);

#endif
