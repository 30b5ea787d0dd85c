#include "agent/session/session_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* From here on the person is told. */
#define WARN_PERCENT 80

/* How much of the model's window the last round took; -1: not known. */
static int percent_used(const struct ik_session *session)
{
	int64_t window = session->model ? session->model->spec.context_window : 0;

	if (window <= 0 || session->context_tokens <= 0)
		return -1;
	return session->context_tokens >= window
		? 100
		: (int)((double)session->context_tokens * 100 / (double)window);
}

void ik_session_tell_context(struct ik_session *session)
{
	struct ik_event event = { .kind = IK_EVENT_CONTEXT, .number = percent_used(session) };
	char *sentence;

	ik_session_emit(session, &event);
	if (event.number < WARN_PERCENT) {
		session->context_warned = false;
		return;
	}
	if (session->context_warned || session->loading)
		return;
	session->context_warned = true;
	/* Where nobody can be asked nobody types commands either. */
	sentence = ik_format(session->options.asking == IK_ASKING_PERSON
			? _("%d%% of the context of %s is in use (%lld of %lld tokens). /compact "
				"replaces what was said by a summary, /new begins another conversation.")
			: _("%d%% of the context of %s is in use (%lld of %lld tokens). Without --resume "
				"another conversation begins; in the chat, /compact replaces what was said by a "
				"summary."),
		(int)event.number, session->model->spec.name, (long long)session->context_tokens,
		(long long)session->model->spec.context_window);
	ik_session_add_notice(session, sentence);
	free(sentence);
}

void ik_session_measure_context(struct ik_session *session, const struct ik_usage *usage)
{
	/* What was thought is not sent again, but nobody knows how much else was. */
	session->context_tokens = usage->input_tokens + usage->output_tokens;
	ik_session_tell_context(session);
}

void ik_session_recall_context(struct ik_session *session)
{
	size_t index = ik_conversation_count(session->conversation);
	struct ik_usage usage;

	while (index-- > 0) {
		const struct ik_message *message = ik_conversation_at(session->conversation, index);

		if (message->summarises)
			return;
		if (ik_usage_read(message, &usage)) {
			ik_session_measure_context(session, &usage);
			return;
		}
	}
}
