#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "commands/commands_session.h"
#include "conversation/title.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/text.h"
#include "util/utf8.h"

#define REPLY_BYTES 4000 /* of a last reply, for a look at it */

/* What a conversation did since it was forked. */
struct work {
	size_t turns, calls;
	struct ik_usage usage;
	const struct ik_message *reply; /* the last one; NULL: none */
};

/* Did it come after the fork? Messages without a number did. */
static bool is_own(const struct ik_agent *agent, const struct ik_message *message)
{
	return message->sequence == 0 || message->sequence > agent->forked_at;
}

static struct work work_of(const struct ik_agent *agent)
{
	const struct ik_conversation *conversation = ik_session_conversation(agent->session);
	struct work work = { .usage = { .cost = -1 } };
	size_t i = ik_conversation_count(conversation);

	while (i > 0) {
		const struct ik_message *message = ik_conversation_at(conversation, --i);
		struct ik_usage usage;

		if (!is_own(agent, message))
			break;
		if (message->kind == IK_KIND_USER && !ik_message_is_automatic(message))
			work.turns++;
		else if (message->kind == IK_KIND_TOOL_CALL)
			work.calls++;
		else if (message->kind == IK_KIND_ASSISTANT && !work.reply)
			work.reply = message;
		else if (ik_usage_read(message, &usage))
			ik_usage_add(&work.usage, &usage);
	}
	return work;
}

/* ---- its state ---- */

void ik_agents_text_state(const struct ik_agent *agent, struct ik_buf *out)
{
	if (agent->calls)
		ik_buf_puts(out, _("waiting for you"));
	else if (ik_agent_works(agent))
		ik_buf_puts(out, _("working"));
	else if (agent->failed)
		ik_buf_puts(out, _("failed"));
	else
		ik_buf_puts(out, agent->unread ? _("ended, unread") : _("idle"));
}

char *ik_agents_text_title(const struct ik_agent *agent)
{
	char *title = agent->task ? ik_strdup(agent->task)
							  : ik_conversation_title(ik_session_conversation(agent->session));

	if (title[0] != '\0')
		return title;
	free(title);
	return ik_strdup(_("(nothing was said yet)"));
}

void ik_agents_text_facts(const struct ik_agent *agent, struct ik_buf *out)
{
	struct work work = work_of(agent);
	char *title = ik_agents_text_title(agent);

	ik_buf_printf(out, ngettext("%zu turn", "%zu turns", work.turns), work.turns);
	if (work.usage.input_tokens > 0 || work.usage.output_tokens > 0)
		ik_buf_printf(out, _(", tokens: %lld in, %lld out"), (long long)work.usage.input_tokens,
			(long long)work.usage.output_tokens);
	if (work.usage.cost >= 0) {
		ik_buf_puts(out, ", ");
		ik_cost_put(out, work.usage.cost);
	}
	if (agent->parent)
		ik_buf_printf(out, _(", child of %d"), agent->parent->number);
	ik_buf_printf(out, "\n> %s\n", title);
	if (work.reply) {
		ik_buf_putc(out, '\n');
		ik_buf_append(out, work.reply->content,
			ik_utf8_cut(work.reply->content, work.reply->content_length, REPLY_BYTES));
	}
	free(title);
}

/* ---- what is told ---- */

bool ik_agents_text_join(const struct ik_agent *child, const char *words, struct ik_buf *out)
{
	struct work work = work_of(child);

	if (!work.reply)
		return false;
	ik_buf_printf(out, _("Agent %d was given this task: %s"), child->number,
		child->task ? child->task : "-");
	ik_buf_puts(out, "\n");
	ik_buf_printf(out,
		ngettext("It made %zu call of tools. Its last reply:",
			"It made %zu calls of tools. Its last reply:", work.calls),
		work.calls);
	ik_buf_puts(out, "\n\n");
	ik_buf_append(out, work.reply->content, work.reply->content_length);
	if (words[0] != '\0')
		ik_buf_printf(out, "\n\n%s", words);
	return true;
}
