/*
 * What has arrived of a reply is kept while the rest is on its way (store/begun.h): at most
 * twice a second, so that a stream costs no more than it did, and let go once it is stored.
 */
#include "agent/session/session_private.h"

/* What a crash can cost of what was seen. */
#define KEEP_MS 500

static void keep(void *arg, struct ik_message *message)
{
	const struct ik_session *session = arg;

	ik_begun_keep(session->begun, session->id, message);
}

/* The time has come to keep what is new, or to let go of what is over. */
static void due(void *arg)
{
	struct ik_session *session = arg;

	if (ik_turn_has_begun(session->turn) && !session->following)
		ik_turn_begun(session->turn, keep, session);
	else
		ik_begun_clear(session->begun);
}

void ik_session_watch_reply(struct ik_session *session)
{
	bool coming = ik_turn_has_begun(session->turn);

	if (!session->begun && coming && session->stored && !session->following)
		session->begun = ik_begun_new(session->options.store);
	if (!session->begun || (!coming && ik_begun_is_empty(session->begun)))
		return;
	if (!coming && ik_begun_is_stored(session->begun)) {
		ik_begun_clear(session->begun);
		return;
	}
	if (!session->begun_timer)
		session->begun_timer = ik_timer_new(session->options.loop, due, session);
	if (!ik_timer_running(session->begun_timer))
		ik_timer_start(session->begun_timer, KEEP_MS);
}

void ik_session_begun_moves(struct ik_session *session)
{
	if (!session->begun || ik_begun_is_empty(session->begun) || !ik_turn_has_begun(session->turn))
		return;
	ik_begun_clear(session->begun);
	ik_turn_begun(session->turn, keep, session);
}

void ik_session_begun_done(struct ik_session *session)
{
	session->begun = ik_begun_free(session->begun);
	session->begun_timer = ik_timer_close(session->begun_timer);
}
