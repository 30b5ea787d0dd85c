/*
 * pane_sessions: the stored sessions, newest first, and the end of the
 * selected one; or the places in all sessions where words were said.
 *
 * Rows are loaded page by page as the user moves down. The owner of the store
 * gets requests for a page or an end (struct ik_sessions_source) and answers
 * in a later turn of the loop.  Owns copies of session data and references to
 * messages.  May include: util, conversation, tui.
 */
#ifndef IK_TUI_PANE_PANE_SESSIONS_H
#define IK_TUI_PANE_PANE_SESSIONS_H

#include "tui/pane/pane.h"
#include "util/uuid.h"

#define IK_ROW_MARKS 8

/* A row: a session, or a place in one. */
struct ik_session_row {
	char id[IK_UUID_TEXT];
	const char *title, *directory; /* as they are stored */
	const char *owner;             /* user name on a server; NULL or "": unknown */
	int64_t updated_ms;            /* wall clock; of a place: when it was said */
	int64_t messages;
	const char *holder; /* computer where the session is open for writing, or NULL */

	int64_t sequence;    /* of the event found; 0: the row is a session */
	const char *snippet; /* text around the match: sanitized, one line; else NULL */
	struct {
		size_t start, length;
	} marks[IK_ROW_MARKS]; /* the matches in the snippet, in bytes */
	size_t mark_count;
};

#define IK_SESSIONS_PAGE 100 /* rows of a page of the list */

/* Which sessions to list: the user's, on a server also other users', or the user's in this
 * directory. */
enum ik_sessions_scope { IK_SESSIONS_OWN, IK_SESSIONS_EVERYBODY, IK_SESSIONS_HERE };

/* Where to request rows; a new request replaces the one before. */
struct ik_sessions_source {
	/* Request a page of sessions that match the words, after last (NULL: from the newest).
	 * Answer with ik_sessions_take(). */
	void (*list)(void *arg, const char *words, enum ik_sessions_scope scope,
		const struct ik_session_row *last);
	/* Request a page of places where the words were said: the newest ones, or those after the
	 * last page. writing: the user is still typing. Answer with ik_sessions_take(). */
	void (*search)(void *arg, const char *words, enum ik_sessions_scope scope, bool writing,
		bool first);
	/* Request the messages of a session up to the event `sequence` (0: the last one), inclusive.
	 * Answer with ik_sessions_take_end(). */
	void (*end)(void *arg, const char *id, int64_t sequence);
};

struct ik_sessions;

/* Return a new pane. keymap and source are borrowed. */
struct ik_sessions *ik_sessions_new(const struct ik_keymap *keymap,
	const struct ik_sessions_source *source, void *arg);

/* Set whether the store holds sessions of other users too. */
void ik_sessions_set_shared(struct ik_sessions *sessions, bool shared);

/* Reload the list. words is the new filter; NULL keeps the filter but stops editing it. */
void ik_sessions_open(struct ik_sessions *sessions, const char *words);

/* Reload the list to choose a session: the filter has focus, Enter resumes the selected session,
 * Esc closes the pane. */
void ik_sessions_pick(struct ik_sessions *sessions, const char *words);

/* Search the text of all sessions for the words; "": the user types them. */
void ik_sessions_search(struct ik_sessions *sessions, const char *words);

/* Take the answer to a request. more: more rows follow; now_ms: wall clock; problem: why the page
 * failed, or NULL. */
void ik_sessions_take(struct ik_sessions *sessions, const struct ik_session_row *rows, size_t count,
	bool more, int64_t now_ms, const char *problem);
void ik_sessions_take_end(struct ik_sessions *sessions, const char *id,
	struct ik_message *const *messages, size_t count);

/* Return the selected session or place, or NULL; valid until the rows change. */
const struct ik_session_row *ik_sessions_selected(const struct ik_sessions *sessions);

/* Return the event of the selected place, or 0 if none is selected. *ret_words is a new string,
 * the text that matched there. */
int64_t ik_sessions_place(const struct ik_sessions *sessions, char **ret_words);

/* Set the session the program is running. */
void ik_sessions_set_running(struct ik_sessions *sessions, const char *id);
/* Remove a deleted session. */
void ik_sessions_gone(struct ik_sessions *sessions, const char *id);

#endif
