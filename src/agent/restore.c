#include "agent/session_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* What a screen shows first, and what is read in one turn of the loop later:
 * some milliseconds' worth; less where events are large. */
#define NEWEST_PAGE 200
#define OLDER_PAGE 1000

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

static void free_page(struct ik_message **messages, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		ik_message_unref(messages[i]);
	free(messages);
}

static void tell_messages(struct ik_session *session, struct ik_message **messages, size_t count)
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
		.kind = IK_EVENT_NOTICE, .text = sentence, .text_length = strlen(sentence),
	};

	ik_session_emit(session, &event);
}

/* All is there: give each call its result, and let the turn begin. */
static void finish_loading(struct ik_session *session)
{
	struct ik_message **added;
	size_t count, i;

	session->loading = false;
	count = ik_conversation_mend(session->conversation, &added);
	for (i = 0; i < count; i++)
		ik_store_append(session->options.store, session->id, added[i]);
	if (count > 0) {
		tell_messages(session, added, count);
		free_page(added, count);
	}
	ik_session_recall_context(session);
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_HISTORY, .ready = true });
}

/* Deferred: read one more page. */
static void load_older(void *arg)
{
	struct ik_session *session = arg;
	struct ik_message **messages;
	struct ik_error error;
	size_t count;

	if (ik_store_page(session->options.store, session->id, session->oldest, OLDER_PAGE,
	    &messages, &count, &error) != IK_OK) {
		char *sentence = ik_format(_("Older messages of this session cannot be read: %s"),
			error.text);

		tell_notice(session, sentence);
		free(sentence);
		finish_loading(session);
		return;
	}
	take_page(session, messages, count);
	if (count > 0) {
		struct ik_event event = {
			.kind = IK_EVENT_OLDER, .older = messages, .number = (int64_t)count,
		};

		ik_session_emit(session, &event);
	}
	free_page(messages, count);
	if (!session->loading)
		return; /* closed by whoever was told */
	if (count > 0)
		ik_loop_defer(session->options.loop, load_older, session);
	else
		finish_loading(session);
}

enum ik_status ik_session_restore(struct ik_session *session,
	const struct ik_session_info *info, struct ik_error *error)
{
	struct ik_message **messages;
	enum ik_status status;
	char *sentence;
	size_t count;

	status = ik_store_page(session->options.store, info->id, 0, NEWEST_PAGE, &messages, &count,
		error);
	if (status != IK_OK)
		return status;
	memcpy(session->id, info->id, sizeof(session->id));
	ik_session_tell_model(session);
	session->loading = true;
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_HISTORY, .ready = false });
	take_page(session, messages, count);
	tell_messages(session, messages, count);
	free_page(messages, count);
	sentence = ik_format(ngettext("[Session restored: %lld message]",
		"[Session restored: %lld messages]", (unsigned long)info->event_count),
		(long long)info->event_count);
	tell_notice(session, sentence);
	free(sentence);
	if (session->loading)
		ik_loop_defer(session->options.loop, load_older, session);
	return IK_OK;
}

void ik_session_stop_loading(struct ik_session *session)
{
	session->loading = false;
	ik_loop_cancel_deferred(session->options.loop, load_older, session);
}
