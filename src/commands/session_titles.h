/*
 * session_titles: the titles of the newest sessions, for those who complete them.
 *
 * Read when they are wanted, and again a moment later.  Owns the titles.
 * May include: util, store, tui/edit/completion.h.
 */
#ifndef IK_COMMANDS_SESSION_TITLES_H
#define IK_COMMANDS_SESSION_TITLES_H

#include "store/store.h"
#include "tui/edit/completion.h"

struct ik_session_titles;

/* changed(arg) is called, never inside a call from here, when there are others. */
struct ik_session_titles *ik_session_titles_new(void (*changed)(void *arg), void *arg);
struct ik_session_titles *ik_session_titles_free(struct ik_session_titles *titles);

/* Those that are known, the newest first; valid until they change. */
const struct ik_proposal *ik_session_titles_get(struct ik_session_titles *titles,
	struct ik_store *store, size_t *ret_count);

/* The store is going. */
void ik_session_titles_stop(struct ik_session_titles *titles);

#endif
