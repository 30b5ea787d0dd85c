/*
 * pane_sessions: the stored sessions, newest first, and the end of the selected one; or the
 * places in all of them where words were said.
 *
 * They are read page by page as one goes down, by whoever knows the store: it is
 * asked for a page or an end (struct ik_sessions_source) and hands it over in a
 * later turn of the loop.  Owns copies of what it is told of sessions and
 * references to messages.  May include: util, conversation, tui.
 */
#ifndef IK_TUI_PANE_PANE_SESSIONS_H
#define IK_TUI_PANE_PANE_SESSIONS_H

#include "tui/pane/pane.h"
#include "util/uuid.h"

#define IK_ROW_MARKS 8

/* A session as a row has it, or a place in one. */
struct ik_session_row {
	char id[IK_UUID_TEXT];
	const char *title, *directory; /* as they are stored */
	const char *owner;             /* on a server; NULL or "": nobody is known */
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
	bool anew; /* in place of all that were there */
	bool more; /* there are others after these */
};

#define IK_SESSIONS_PAGE 100 /* rows of a page; fewer: there are no more */

/* Which sessions there are: the user's, on a server also those of others, or those of the user in
 * this directory. */
enum ik_sessions_scope { IK_SESSIONS_OWN, IK_SESSIONS_EVERYBODY, IK_SESSIONS_HERE };

/* Whom to ask; what was asked for before is not wanted any more. */
struct ik_sessions_source {
	/* A page: the sessions after last (NULL: from the newest) that fit the words. Answered by
	 * ik_sessions_take(). */
	void (*list)(void *arg, const char *words, enum ik_sessions_scope scope,
		const struct ik_session_row *last);
	/* A page of the places where the words were said: the newest, or those after the page
	 * before. writing: they may be others in a moment. Answered by ik_sessions_take_found(). */
	void (*search)(void *arg, const char *words, enum ik_sessions_scope scope, bool writing,
		bool first);
	/* The end of one, or what comes before an event and itself (0: the last one). Answered by
	 * ik_sessions_take_end(). */
	void (*end)(void *arg, const char *id, int64_t sequence);
};

struct ik_sessions;

/* keymap and source are borrowed. */
struct ik_sessions *ik_sessions_new(const struct ik_keymap *keymap,
	const struct ik_sessions_source *source, void *arg);

/* Others keep sessions there, too. */
void ik_sessions_set_shared(struct ik_sessions *sessions, bool shared);

/* Read the list anew; words: the filter from now on (NULL: as it was, but no longer written). */
void ik_sessions_open(struct ik_sessions *sessions, const char *words);

/* The same, to choose one: the filter is written, Enter goes on with the selected one, Esc leaves
 * the pane. */
void ik_sessions_pick(struct ik_sessions *sessions, const char *words);

/* Search what was said for the words instead; "": they are to be written. */
void ik_sessions_search(struct ik_sessions *sessions, const char *words);

/* The page that was asked for, at a time of the wall clock; problem: why there is none, or NULL. */
void ik_sessions_take(struct ik_sessions *sessions, const struct ik_session_row *rows, size_t count,
	int64_t now_ms, const char *problem);
void ik_sessions_take_found(struct ik_sessions *sessions, const struct ik_session_row *rows,
	size_t count, const struct ik_search_page *page, int64_t now_ms, const char *problem);
void ik_sessions_take_end(struct ik_sessions *sessions, const char *id,
	struct ik_message *const *messages, size_t count);

/* The selected session or place, or NULL; valid until the rows change. */
const struct ik_session_row *ik_sessions_selected(const struct ik_sessions *sessions);

/* The place that is selected: its event, 0: it is none; and a new string of what of it was found. */
int64_t ik_sessions_place(const struct ik_sessions *sessions, char **ret_words);

/* The session that the program is in. */
void ik_sessions_set_running(struct ik_sessions *sessions, const char *id);
/* It was deleted. */
void ik_sessions_gone(struct ik_sessions *sessions, const char *id);

#endif
