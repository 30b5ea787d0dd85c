#include "agent/session/context.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/text.h"

/* From here on the user is warned. */
#define WARN_PERCENT 80

/* Return the used part of the model's window in percent; -1: not known. */
static int percent_used(const struct ik_context_meter *context, const struct ik_model *model)
{
	int64_t window = model ? model->spec.context_window : 0;

	if (window <= 0 || context->tokens <= 0)
		return -1;
	return context->tokens >= window ? 100 : (int)((double)context->tokens * 100 / (double)window);
}

void ik_context_tell(struct ik_context_meter *context, const struct ik_model *model)
{
	struct ik_event event = {
		.kind = IK_EVENT_CONTEXT,
		.percent = percent_used(context, model),
	};
	char *sentence;

	ik_session_record_emit(context->record, &event);
	if (event.percent < WARN_PERCENT) {
		context->warned = false;
		return;
	}
	if (context->warned || context->record->loading)
		return;
	context->warned = true;
	sentence = ik_format(context->attended
			? _("%d%% of the context of %s is in use (%lld of %lld tokens). /compact "
				"replaces what was said by a summary, /new begins another conversation.")
			: _("%d%% of the context of %s is in use (%lld of %lld tokens). Without --resume "
				"another conversation begins; in the chat, /compact replaces what was said by a "
				"summary."),
		event.percent, model->spec.name, (long long)context->tokens,
		(long long)model->spec.context_window);
	ik_session_record_add_notice(context->record, sentence);
	free(sentence);
}

void ik_context_measure(struct ik_context_meter *context, const struct ik_model *model,
	const struct ik_usage *usage)
{
	/* Thinking is not sent again, but providers don't say how many tokens the rest has. */
	context->tokens = usage->input_tokens + usage->output_tokens;
	ik_context_tell(context, model);
}

void ik_context_recall(struct ik_context_meter *context, const struct ik_model *model)
{
	const struct ik_conversation *conversation = context->record->conversation;
	size_t index = ik_conversation_count(conversation);
	struct ik_usage usage;

	while (index-- > 0) {
		const struct ik_message *message = ik_conversation_at(conversation, index);

		if (message->summarises)
			return;
		if (ik_usage_read(message, &usage)) {
			ik_context_measure(context, model, &usage);
			return;
		}
	}
}

void ik_context_reset(struct ik_context_meter *context, const struct ik_model *model)
{
	context->tokens = 0;
	ik_context_tell(context, model);
}
