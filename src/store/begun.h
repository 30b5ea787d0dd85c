/*
 * begun: what has arrived of a reply, safe before the reply is whole.
 *
 * An event is stored once it is whole, and a long reply is on its way for minutes: until then
 * it grows in a file of its own, in the lines of rescue.h, where the next process finds it if
 * this one is killed, and stores it as the beginning that it is.  What is kept here has the id
 * with which it is stored later, so that none is there twice.
 *
 * Owns the file.  May include: util, store/store.h.
 */
#ifndef IK_STORE_BEGUN_H
#define IK_STORE_BEGUN_H

#include "store/store.h"

struct ik_begun;

/* Nothing is kept yet: there is no file. NULL for a store that keeps nothing. */
struct ik_begun *ik_begun_new(struct ik_store *store);

/*
 * Keep an event of a session that has something stored; where it has grown since, what is new.
 * Events come in their order, and one that is followed by another grows no more. Where no file
 * can be written, or no more of it, nothing is kept, and the log says so.
 */
void ik_begun_keep(struct ik_begun *begun, const char *session, const struct ik_message *message);

/* Is what was handed to the store where it outlives this process, so that nothing need be kept
 * here of it? */
bool ik_begun_is_stored(const struct ik_begun *begun);

/* Is nothing kept? */
bool ik_begun_is_empty(const struct ik_begun *begun);

/* Nothing is kept any more, and the file is removed. Where other events are handed to the store
 * while a reply is on its way, all of it is to be kept anew, behind them. */
void ik_begun_clear(struct ik_begun *begun);

/* The same for good; takes NULL, returns NULL. */
struct ik_begun *ik_begun_free(struct ik_begun *begun);

#endif
