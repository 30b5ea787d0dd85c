#include "agent/session/session_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* What a screen shows first, and what is read in one turn of the loop later:
 * some milliseconds' worth; less where events are large. */
#define NEWEST_PAGE 200
#define OLDER_PAGE 500

/* Put a page before all that is there. */
static void take_page(struct ik_session *session, struct ik_message **messages, size_t count)
{
	size_t i;

	ik_conversation_prepend(session->conversation, messages, count);
	for (i = 0; i < count; i++) {
		if (messages[i]->kind == IK_KIND_TOOL_CALL && messages[i]->call_id)
			ik_turn_know_call(session->turn, messages[i]->call_id);
	}
	if (count > 0)
		session->oldest = messages[0]->sequence;
}

static void tell_messages(struct ik_session *session, struct ik_message *const *messages,
	size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct ik_event event = { .kind = IK_EVENT_MESSAGE, .message = messages[i] };

		ik_session_emit(session, &event);
	}
}

static void tell_notice(struct ik_session *session, const char *sentence)
{
	struct ik_event event = {
		.kind = IK_EVENT_NOTICE,
		.text = sentence,
		.text_length = strlen(sentence),
	};

	ik_session_emit(session, &event);
}

/* Go on with the system prompt that is stored, unless another one is asked for. A session from
 * before prompts were stored has none. This is the one place where a stored prompt gets to
 * the model. */
static void take_prompt(struct ik_session *session)
{
	const struct ik_message *stored = ik_conversation_prompt(session->conversation);

	session->prompt_unstored = session->prompt_wanted &&
		!(stored && strcmp(stored->content, session->prompt) == 0);
	if (session->prompt_unstored)
		tell_notice(session, _("This session now uses the system prompt given with -s."));
	else if (stored)
		ik_session_set_prompt(session, stored->content);
	session->prompt_wanted = false;
}

void ik_session_begin_turns(struct ik_session *session)
{
	struct ik_message **added;
	size_t count, i;

	count = ik_conversation_mend(session->conversation, &added);
	for (i = 0; i < count; i++)
		ik_store_append(session->options.store, session->id, added[i]);
	if (count > 0) {
		tell_messages(session, added, count);
		for (i = 0; i < count; i++)
			ik_message_unref(added[i]);
		free(added);
	}
	ik_session_recall_context(session);
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_HISTORY, .ready = true });
}

/* All is there: give each call its result, and let the turn begin. */
static void finish_loading(struct ik_session *session)
{
	session->loading = false;
	take_prompt(session);
	if (session->following)
		ik_session_recall_context(session);
	else
		ik_session_begin_turns(session);
}

static ik_store_reader take_older;

/* Deferred: ask for one more page. */
static void read_older(void *arg)
{
	struct ik_session *session = arg;

	session->reading = ik_store_page(session->options.store, session->id, session->oldest,
		OLDER_PAGE, take_older, session);
}

static void tell_restored(struct ik_session *session, int64_t count)
{
	char *sentence = ik_format(ngettext("[Session restored: %lld message]",
								   "[Session restored: %lld messages]", (unsigned long)count),
		(long long)count);

	tell_notice(session, sentence);
	free(sentence);
}

/* In the next turn: what is there is drawn first. */
static void read_older_next(struct ik_session *session)
{
	ik_loop_defer(session->options.loop, read_older, session);
}

static void take_older(void *arg, const struct ik_store_answer *answer)
{
	struct ik_session *session = arg;
	const struct ik_event event = {
		.kind = IK_EVENT_OLDER,
		.older = answer->messages,
		.number = (int64_t)answer->count,
	};

	session->reading = NULL;
	if (answer->status != IK_OK) {
		char *sentence = ik_format(_("Older messages of this session cannot be read: %s"),
			answer->error.text);

		tell_notice(session, sentence);
		free(sentence);
	} else if (answer->count > 0) {
		take_page(session, answer->messages, answer->count);
		ik_session_emit(session, &event);
	}
	if (!session->loading)
		return; /* closed by whoever was told */
	if (answer->status == IK_OK && answer->count > 0)
		read_older_next(session);
	else
		finish_loading(session);
}

/* Which session this is, is known, or that it stays what it was; what was kept back
 * meanwhile can be stored. */
static void end_restoring(struct ik_session *session, const struct ik_error *error)
{
	session->restoring = false;
	if (session->kept)
		ik_session_begin_storing(session);
	if (session->restored)
		session->restored(session->restored_arg, error);
}

/* It is the fork that cannot be read, with what is known of it. */
static void go_on_with_copy(struct ik_session *session)
{
	struct ik_session_copy *copy = session->copy;
	size_t count, older;
	struct ik_message **messages = ik_session_copy_messages(copy, &count);
	struct ik_event event = { .kind = IK_EVENT_OLDER, .older = messages };

	session->copy = NULL;
	memcpy(session->id, session->copy_id, sizeof(session->id));
	ik_session_unlock(session);
	session->kept = false;
	/* With what was said here meanwhile; the store has all that the copy has. */
	ik_session_begin_storing(session);
	ik_session_tell_model(session);
	take_page(session, messages, count);
	older = count > NEWEST_PAGE ? count - NEWEST_PAGE : 0;
	tell_messages(session, messages + older, count - older);
	tell_restored(session, (int64_t)count);
	end_restoring(session, NULL);
	event.number = (int64_t)older;
	if (older > 0)
		ik_session_emit(session, &event);
	ik_session_copy_free(copy);
	if (session->loading)
		finish_loading(session);
}

/* It stays a new session. */
static void give_up(struct ik_session *session, const struct ik_error *error)
{
	if (session->copy) {
		go_on_with_copy(session);
		return;
	}
	session->loading = false;
	end_restoring(session, error);
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_HISTORY, .ready = true });
}

void ik_session_take_left_behind(struct ik_session *session)
{
	size_t count, i;
	struct ik_message **messages = ik_store_left_behind(session->options.store, session->id,
		session->conversation, &count);

	for (i = 0; i < count; i++) {
		if (messages[i]->kind == IK_KIND_TOOL_CALL && messages[i]->call_id)
			ik_turn_know_call(session->turn, messages[i]->call_id);
		ik_conversation_append(session->conversation, messages[i]);
	}
	tell_messages(session, messages, count);
	session->restored_count += (int64_t)count;
	for (i = 0; i < count; i++)
		ik_message_unref(messages[i]);
	free(messages);
}

/* The newest page is there. */
static void take_newest(void *arg, const struct ik_store_answer *answer)
{
	struct ik_session *session = arg;

	session->reading = NULL;
	if (answer->status != IK_OK) {
		ik_uuid_new(session->id);
		give_up(session, &answer->error);
		return;
	}
	session->newest = answer->count > 0 ? answer->messages[answer->count - 1]->sequence : 0;
	if (!session->following)
		ik_store_continue(session->options.store, session->id, session->directory, session->newest);
	ik_session_tell_model(session);
	take_page(session, answer->messages, answer->count);
	tell_messages(session, answer->messages, answer->count);
	if (!session->following)
		ik_session_take_left_behind(session);
	tell_restored(session, session->restored_count);
	session->copy = ik_session_copy_free(session->copy);
	if (session->loading)
		end_restoring(session, NULL);
	if (session->loading && session->oldest == 1)
		finish_loading(session); /* that was all of it */
	else if (session->loading)
		read_older_next(session);
	if (session->loading && session->following)
		ik_session_read_news(session);
}

/* Which session it is, is known. */
static void take_found(void *arg, const struct ik_store_answer *answer)
{
	struct ik_session *session = arg;

	session->reading = NULL;
	if (answer->status != IK_OK) {
		give_up(session, &answer->error);
		return;
	}
	memcpy(session->id, answer->sessions[0].id, sizeof(session->id));
	session->restored_count = answer->sessions[0].event_count;
	session->lock_awaited = true;
	ik_session_lock(session);
}

void ik_session_restore_locked(struct ik_session *session, const struct ik_error *error)
{
	if (error) {
		ik_uuid_new(session->id);
		give_up(session, error);
	} else {
		session->reading = ik_store_page(session->options.store, session->id, 0, NEWEST_PAGE,
			take_newest, session);
	}
}

void ik_session_restore(struct ik_session *session, const char *id, ik_session_restored *done,
	void *arg)
{
	struct ik_store *store = session->options.store;

	session->restored = done;
	session->restored_arg = arg;
	session->restoring = session->loading = true;
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_HISTORY, .ready = false });
	session->reading = id ? ik_store_find(store, id, take_found, session)
						  : ik_store_newest(store, session->directory, take_found, session);
}

void ik_session_want_prompt(struct ik_session *session)
{
	session->prompt_wanted = true;
}

void ik_session_restore_fork(struct ik_session *session, const char *id,
	struct ik_session_copy *copy, ik_session_restored *done, void *arg)
{
	session->copy = copy;
	memcpy(session->copy_id, id, strnlen(id, sizeof(session->copy_id) - 1));
	ik_session_restore(session, id, done, arg);
}

void ik_session_stop_loading(struct ik_session *session)
{
	session->copy = ik_session_copy_free(session->copy);
	session->loading = false;
	ik_loop_cancel_deferred(session->options.loop, read_older, session);
	session->reading = ik_store_read_close(session->reading);
	if (session->restoring) {
		/* What was said is kept, in a session of its own. */
		session->restoring = false;
		if (session->kept)
			ik_session_begin_storing(session);
	}
}
