/*
 * session_row: stored sessions as a pane shows them, and whom it asks for them.
 *
 * May include: util.
 */
#ifndef IK_TUI_SESSION_ROW_H
#define IK_TUI_SESSION_ROW_H

#include "util/uuid.h"

#include <stdbool.h>
#include <stdint.h>

/* A session as a row has it. */
struct ik_session_row {
	char id[IK_UUID_TEXT];
	const char *title, *directory; /* as they are stored */
	int64_t updated_ms;            /* wall clock */
	int64_t messages;
	const char *holder;            /* computer where it is open for writing; NULL: it is not */
};

#define IK_SESSIONS_PAGE 100 /* rows of a page; fewer: there are no more */

/* Whom to ask; what was asked for before is not wanted any more. */
struct ik_sessions_source {
	/* A page: the sessions behind last (NULL: from the newest) that fit the words; here: only
	 * those of this directory. Answered by ik_sessions_take(). */
	void (*list)(void *arg, const char *words, bool here, const struct ik_session_row *last);
	/* The end of one. Answered by ik_sessions_take_end(). */
	void (*end)(void *arg, const char *id);
};

#endif
