/* Who may write to the session, and reading along where somebody else does. */
#include "agent/session/session_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/text.h"

#define NEWS_AGAIN_MS 1000 /* so long after a failure */
#define NEWS_PAGE 200      /* events that are read in one turn of the loop */

static void emit(struct ik_session *session, enum ik_lock_change change,
	const struct ik_holder *holder)
{
	struct ik_event event = { .kind = IK_EVENT_LOCK, .lock = change };
	struct ik_buf who;

	ik_buf_init(&who, IK_KIB(4));
	if (holder)
		ik_holder_put(&who, holder);
	event.text = who.data;
	event.text_length = who.length;
	ik_session_emit(session, &event);
	ik_buf_done(&who);
}

/* ---- reading along ---- */

/* All that the other wrote is known: it is ours. */
static void finish_taking_over(struct ik_session *session)
{
	session->taking_over = session->following = false;
	ik_store_continue(session->options.store, session->id, session->directory, session->newest);
	ik_session_take_left_behind(session);
	if (session->closing)
		return;
	if (!session->loading)
		ik_session_begin_turns(session);
	emit(session, IK_LOCK_CHANGE_OURS, NULL);
}

static void read_again(void *arg)
{
	ik_session_read_news(arg);
}

/* It is ours, and what the other wrote cannot be read just now. */
static void read_again_later(struct ik_session *session)
{
	if (!session->news_timer)
		session->news_timer = ik_timer_new(session->options.loop, read_again, session);
	ik_timer_start(session->news_timer, NEWS_AGAIN_MS);
}

static void take_news(void *arg, const struct ik_store_answer *answer)
{
	struct ik_session *session = arg;
	size_t i;

	session->following_read = NULL;
	for (i = 0; i < answer->count && !session->closing; i++) {
		struct ik_message *message = answer->messages[i];
		struct ik_event event = { .kind = IK_EVENT_MESSAGE, .message = message };

		session->newest = message->sequence;
		if (message->kind == IK_KIND_TOOL_CALL && message->call_id)
			ik_turn_know_call(session->turn, message->call_id);
		ik_conversation_append(session->conversation, message);
		ik_session_emit(session, &event);
	}
	if (session->closing)
		return;
	if (answer->count > 0 && !session->loading)
		ik_session_recall_context(session);
	if (answer->count > 0 && !session->following)
		ik_store_continue(session->options.store, session->id, session->directory, session->newest);
	if (answer->count > 0 || session->news)
		ik_session_read_news(session);
	else if (session->taking_over && answer->status == IK_OK)
		finish_taking_over(session);
	else if (session->taking_over)
		read_again_later(session);
}

/* Unless that is being done. */
void ik_session_read_news(struct ik_session *session)
{
	session->news = session->following_read;
	if (!session->news)
		session->following_read = ik_store_after(session->options.store, session->id,
			session->newest, NEWS_PAGE, take_news, session);
}

/* The number of the last event of this conversation that is stored. */
static int64_t last_sequence(const struct ik_session *session)
{
	size_t i = ik_conversation_count(session->conversation);

	while (i > 0) {
		int64_t sequence = ik_conversation_at(session->conversation, --i)->sequence;

		if (sequence > 0)
			return sequence;
	}
	return 0;
}

static void stop_writing(struct ik_session *session)
{
	if (session->following)
		return;
	session->following = true;
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_HISTORY, .ready = false });
}

/* ---- what the lock tells ---- */

/* The session is to be restored: now it is known whose it is. */
static void decide(struct ik_session *session, enum ik_lock_state state)
{
	bool theirs = state == IK_LOCK_OTHERS || state == IK_LOCK_FREE;
	struct ik_error error = { .status = IK_OK };
	char *sentence;

	if (theirs && session->when_locked == IK_LOCKED_WAIT) {
		if (!ik_lock_is_asking(session->lock))
			emit(session, IK_LOCK_CHANGE_OTHERS, ik_lock_holder(session->lock));
		ik_lock_await(session->lock);
		return;
	}
	session->lock_awaited = false;
	if (theirs && session->when_locked == IK_LOCKED_REFUSE) {
		sentence = ik_session_lock_sentence(session);
		ik_error_set(&error, IK_UNAVAILABLE, "%s", sentence);
		free(sentence);
		session->lock = ik_lock_close(session->lock);
		ik_session_restore_locked(session, &error);
		return;
	}
	session->following = theirs;
	if (theirs)
		emit(session, IK_LOCK_CHANGE_OTHERS, ik_lock_holder(session->lock));
	ik_session_restore_locked(session, NULL);
}

static void on_changed(void *arg, enum ik_lock_state state, const struct ik_holder *holder)
{
	struct ik_session *session = arg;

	if (session->lock_awaited) {
		decide(session, state);
		return;
	}
	if (state == IK_LOCK_OURS || state == IK_LOCK_NONE) {
		session->taking_over = session->following;
		if (session->taking_over && !session->restoring)
			ik_session_read_news(session);
		return;
	}
	if (state == IK_LOCK_UNKNOWN)
		return;
	/* What is under way is stored as a fork, if somebody else writes: nobody waits for it. */
	if (!session->following && ik_session_busy(session))
		return;
	if (!session->restoring)
		session->newest = last_sequence(session);
	session->taking_over = false;
	stop_writing(session);
	emit(session, state == IK_LOCK_FREE ? IK_LOCK_CHANGE_FREE : IK_LOCK_CHANGE_OTHERS, holder);
	if (!session->closing && !session->restoring)
		ik_session_read_news(session);
}

static void on_asked(void *arg, const struct ik_holder *asker)
{
	struct ik_session *session = arg;

	emit(session, asker ? IK_LOCK_CHANGE_ASKED : IK_LOCK_CHANGE_UNASKED, asker);
}

static void on_refused(void *arg)
{
	struct ik_session *session = arg;

	emit(session, IK_LOCK_CHANGE_REFUSED, ik_lock_holder(session->lock));
}

static void on_news(void *arg)
{
	struct ik_session *session = arg;

	/* What others wrote while this process was stopped comes here, too. */
	if (!session->restoring && !session->lock_awaited &&
		(session->following || !ik_session_busy(session))) {
		if (!session->following)
			session->newest = last_sequence(session);
		ik_session_read_news(session);
	}
}

/* clang-format off */
static const struct ik_lock_events lock_events = {
	.changed = on_changed, .asked = on_asked, .refused = on_refused, .news = on_news,
};
/* clang-format on */

/* ---- from outside ---- */

static void stop_reading(struct ik_session *session)
{
	session->following_read = ik_store_read_close(session->following_read);
	session->news_timer = ik_timer_close(session->news_timer);
}

void ik_session_lock(struct ik_session *session)
{
	session->following = session->taking_over = false;
	stop_reading(session);
	session->lock = ik_lock_close(session->lock);
	session->lock = ik_lock_new(session->options.store, session->id, &lock_events, session);
}

void ik_session_unlock(struct ik_session *session)
{
	stop_reading(session);
	session->lock = ik_lock_close(session->lock);
}

void ik_session_when_locked(struct ik_session *session, enum ik_when_locked when)
{
	session->when_locked = when;
}

bool ik_session_reads_along(const struct ik_session *session)
{
	return session->following;
}

void ik_session_take_over(struct ik_session *session)
{
	if (session->following && session->lock)
		ik_lock_ask(session->lock);
}

void ik_session_withdraw(struct ik_session *session)
{
	if (session->lock)
		ik_lock_withdraw(session->lock);
}

bool ik_session_is_asking(const struct ik_session *session)
{
	return session->lock && ik_lock_is_asking(session->lock);
}

void ik_session_refuse(struct ik_session *session)
{
	if (session->lock)
		ik_lock_refuse(session->lock);
}

void ik_session_let_go(struct ik_session *session)
{
	if (!session->lock || session->following)
		return;
	stop_writing(session);
	ik_lock_let_go(session->lock);
}

void ik_session_pause(struct ik_session *session)
{
	if (session->lock && !session->following && !ik_session_busy(session))
		ik_lock_pause(session->lock);
}

void ik_session_continue(struct ik_session *session)
{
	if (session->lock && !session->following)
		ik_lock_continue(session->lock);
}

char *ik_session_lock_sentence(const struct ik_session *session)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_holder_put_sentence(&out, ik_lock_holder(session->lock));
	return ik_buf_take(&out, NULL);
}
