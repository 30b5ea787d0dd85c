/*
 * session_find: the stored session that a person means by a word or some.
 *
 * A number counts from the newest session, 1; digits and letters of an id are its
 * beginning; anything else are words of its title or directory.
 *
 * May include: util, store.
 */
#ifndef IK_COMMANDS_SESSION_FIND_H
#define IK_COMMANDS_SESSION_FIND_H

#include "store/store.h"

struct ik_session_find;

/* Called once, in a later turn: the session (valid during the call), or NULL and why: IK_NOT_FOUND,
 * IK_INVALID for several, or that of the store. The find is gone then. */
typedef void ik_session_found(void *arg, const struct ik_session_info *info,
	const struct ik_error *error);
struct ik_session_find *ik_session_find(struct ik_store *store, const char *text,
	ik_session_found *found, void *arg);
/* It is not wanted any more. Takes NULL, returns NULL. */
struct ik_session_find *ik_session_find_close(struct ik_session_find *find);

#endif
