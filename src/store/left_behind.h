/*
 * left_behind: events of a session that are in journals, and not in the database yet.
 *
 * May include: util, json, conversation, journal.
 */
#ifndef IK_STORE_LEFT_BEHIND_H
#define IK_STORE_LEFT_BEHIND_H

#include "conversation/message.h"

/* Read from the journals of some directories (NULL: none) what comes after the event of a number,
 * oldest first, each with the number that it will have. References in new memory; NULL without any.
 * A reply that its writer did not live to complete is among them. */
struct ik_message **ik_left_behind(const char *const *directories, size_t directory_count,
	const char *session, int64_t sequence, size_t *ret_count);

#endif
