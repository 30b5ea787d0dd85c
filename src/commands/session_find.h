/*
 * session_find: find the stored session that the user names.
 *
 * A number counts from the newest session, 1; hexadecimal digits are the beginning of an id;
 * anything else is words of a title or directory.
 *
 * May include: util, store.
 */
#ifndef IK_COMMANDS_SESSION_FIND_H
#define IK_COMMANDS_SESSION_FIND_H

#include "store/store.h"

struct ik_session_find;

/* found is called once, in a later turn, with one session, or an error: IK_NOT_FOUND, IK_INVALID for
 * several, or the store's. The find is freed then. */
struct ik_session_find *ik_session_find(struct ik_store *store, const char *text,
	ik_store_reader *found, void *arg);
/* Cancel the find. Accepts NULL and returns NULL. */
struct ik_session_find *ik_session_find_close(struct ik_session_find *find);

#endif
