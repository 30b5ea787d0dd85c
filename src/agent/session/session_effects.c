#include "agent/session/session_private.h"

#include <string.h>

void ik_session_begin_storing(struct ik_session *session)
{
	size_t count = ik_conversation_count(session->conversation), i;

	ik_store_begin(session->options.store, session->id, session->directory);
	session->stored = true;
	if (!session->lock)
		ik_session_lock(session);
	for (i = 0; i < count; i++) {
		struct ik_message *message = ik_conversation_at(session->conversation, i);

		if (message->sequence == 0)
			ik_store_append(session->options.store, session->id, message);
	}
}

/* Store the system prompt, where the session does not have it yet. */
static void keep_prompt(struct ik_session *session)
{
	struct ik_message *message;

	if (!session->prompt_unstored || session->following || session->loading)
		return;
	session->prompt_unstored = false;
	message = ik_message_new(IK_KIND_SYSTEM, session->prompt, strlen(session->prompt), NULL, 0);
	ik_session_keep(session, message);
	ik_message_unref(message);
}

void ik_session_keep(struct ik_session *session, struct ik_message *message)
{
	bool wanted;

	if (session->following)
		return; /* it is somebody else's: told here, kept nowhere */
	if (message->kind != IK_KIND_NOTICE)
		keep_prompt(session);
	wanted = !session->stored && message->kind != IK_KIND_NOTICE;
	if (wanted && session->restoring)
		session->kept = true;
	else if (wanted) /* notices from before it had anything to keep are stored first */
		ik_session_begin_storing(session);
	if (session->stored) {
		ik_store_append(session->options.store, session->id, message);
		ik_session_begun_moves(session);
	}
	ik_conversation_append(session->conversation, message);
}

void ik_session_keep_blobs(struct ik_session *session, const struct ik_message *message,
	struct ik_bytes *const whole[2])
{
	struct ik_blob blob;

	for (int i = 0; i < 2 && !session->following; i++) {
		if (whole[i] && ik_message_blob(message, i, &blob))
			ik_store_put_blob(session->options.store, blob.id, whole[i]);
	}
}

void ik_session_perform(struct ik_session *session, const struct ik_effect *effect)
{
	switch (effect->kind) {
	case IK_EFFECT_APPEND:
		ik_session_keep(session, effect->message);
		ik_session_keep_blobs(session, effect->message, effect->event.whole);
		ik_session_emit(session, &effect->event);
		if (effect->event.kind == IK_EVENT_USAGE)
			ik_session_measure_context(session, &effect->event.usage);
		break;
	case IK_EFFECT_EMIT:
		if (effect->event.kind == IK_EVENT_TURN_STARTED)
			ik_session_undo_turn(session);
		ik_session_emit(session, &effect->event);
		break;
	case IK_EFFECT_REQUEST:
		if (!session->closing)
			ik_exchange_start(session, effect->request, effect->forbid_calls);
		break;
	case IK_EFFECT_ABORT:
		session->exchange = ik_exchange_close(session->exchange);
		break;
	case IK_EFFECT_JUDGE:
		if (!session->closing)
			ik_session_judge(session, effect);
		break;
	case IK_EFFECT_RUN:
		if (!session->closing)
			ik_session_start_call(session, effect);
		break;
	case IK_EFFECT_CANCEL_RUNS:
		ik_session_cancel_runs(session, false);
		break;
	case IK_EFFECT_CLOSE_RUNS:
		ik_session_close_runs(session);
		break;
	case IK_EFFECT_RETRY:
		ik_timer_start(session->retry, effect->delay_ms);
		break;
	case IK_EFFECT_RETRY_STOP:
		ik_timer_stop(session->retry);
		break;
	}
}
