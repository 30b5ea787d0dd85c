/*
 * session_row: stored sessions, and places in them, as a pane shows them, and whom it asks
 * for them.
 *
 * May include: util.
 */
#ifndef IK_TUI_PANE_SESSION_ROW_H
#define IK_TUI_PANE_SESSION_ROW_H

#include "util/uuid.h"

#include <stdbool.h>
#include <stdint.h>

#define IK_ROW_MARKS 8

/* A session as a row has it, or a place in one. */
struct ik_session_row {
	char id[IK_UUID_TEXT];
	const char *title, *directory; /* as they are stored */
	int64_t updated_ms;            /* wall clock; of a place: when it was said */
	int64_t messages;
	const char *holder; /* computer where it is open for writing; NULL: it is not */

	int64_t sequence;    /* of the event that was found; 0: it is a session */
	const char *snippet; /* around what was found: harmless, in one line; else NULL */
	struct {
		size_t start, length;
	} marks[IK_ROW_MARKS]; /* and where in that it stands, in bytes */
	size_t mark_count;
};

/* How a search stands that was answered. */
struct ik_search_page {
	bool anew;   /* in place of all that were there */
	bool more;   /* there are others behind these */
	int percent; /* looked through; below 100 others come by themselves */
};

#define IK_SESSIONS_PAGE 100 /* rows of a page; fewer: there are no more */

/* Whom to ask; what was asked for before is not wanted any more. */
struct ik_sessions_source {
	/* A page: the sessions behind last (NULL: from the newest) that fit the words; here: only
	 * those of this directory. Answered by ik_sessions_take(). */
	void (*list)(void *arg, const char *words, bool here, const struct ik_session_row *last);
	/* A page of the places where the words were said: the newest, or those behind the page
	 * before. writing: they may be others in a moment. Answered by ik_sessions_take_found(). */
	void (*search)(void *arg, const char *words, bool here, bool writing, bool first);
	/* The end of one, or what comes before an event and itself (0: the last one). Answered by
	 * ik_sessions_take_end(). */
	void (*end)(void *arg, const char *id, int64_t sequence);
};

#endif
