#include "chat/chat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define TEXT_BYTES 4000 /* limit of the message or reply shown below the list */

/* ---- messages ---- */

/* Return how long ago something was; the caller frees it. */
static char *age_of(int64_t time_ms)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(1));
	ik_age_text(&out, ik_clock_wall_ms() - time_ms);
	return ik_buf_take(&out, NULL);
}

const struct ik_message *ik_chat_question_at(const struct ik_conversation *conversation,
	long number)
{
	size_t i;

	for (i = ik_conversation_count(conversation); i-- > 0;) {
		const struct ik_message *message = ik_conversation_at(conversation, i);

		if (ik_message_is_question(message) && message->sequence > 0 && --number == 0)
			return message;
	}
	return NULL;
}

/* Add the user's stored messages, newest first. */
static void add_messages(const struct ik_agent *agent, const char *command,
	struct ik_pick_list *picks)
{
	const struct ik_conversation *conversation = ik_session_conversation(agent->session);
	size_t i = ik_conversation_count(conversation);
	int number = 0;

	while (i > 0) {
		const struct ik_message *message = ik_conversation_at(conversation, --i);
		size_t typed;

		if (!ik_message_is_question(message) || message->sequence == 0)
			continue;
		typed = ik_message_typed(message);
		number++;
		ik_pick_add(picks,
			(struct ik_pick){
				.number = number,
				.id = ik_format("%" PRId64, message->sequence),
				.title = ik_message_title(message),
				.aside = age_of(message->time_ms),
				.text = ik_strndup(message->content,
					ik_utf8_cut(message->content, typed, TEXT_BYTES)),
				.line = ik_format("%s %d", command, number),
			});
	}
}

/* ---- agents ---- */

/* What a conversation did since the fork. */
struct work {
	size_t turns, calls;
	struct ik_usage usage;
	const struct ik_message *reply; /* the last reply, or NULL */
};

static struct work work_of(const struct ik_agent *agent)
{
	const struct ik_conversation *conversation = ik_session_conversation(agent->session);
	struct work work = { .usage = { .cost = -1 } };
	size_t i = ik_conversation_count(conversation);

	while (i > 0) {
		const struct ik_message *message = ik_conversation_at(conversation, --i);
		struct ik_usage usage;

		/* Before the fork; messages without a number came after it. */
		if (message->sequence > 0 && message->sequence <= agent->forked_at)
			break;
		if (ik_message_is_question(message))
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

/* Append the agent's state, in a word or two. */
static void put_state(const struct ik_agent *agent, struct ik_buf *out)
{
	if (agent->calls || agent->forms)
		ik_buf_puts(out, _("waiting for you"));
	else if (ik_agent_works(agent))
		ik_buf_puts(out, _("working"));
	else if (agent->failed)
		ik_buf_puts(out, _("failed"));
	else
		ik_buf_puts(out, agent->unread ? _("ended, unread") : _("idle"));
}

/* Return the agent's task or title; the caller frees it. */
static char *title_of_agent(const struct ik_agent *agent)
{
	char *title = agent->task ? ik_strdup(agent->task)
							  : ik_conversation_title(ik_session_conversation(agent->session));

	if (title[0] != '\0')
		return title;
	free(title);
	return ik_strdup(_("(nothing was said yet)"));
}

/* Append turns, tokens, cost and parent, then its task and its last reply. */
static void put_facts(const struct ik_agent *agent, struct ik_buf *out)
{
	struct work work = work_of(agent);
	char *title = title_of_agent(agent);

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
			ik_utf8_cut(work.reply->content, work.reply->content_length, TEXT_BYTES));
	}
	free(title);
}

bool ik_agents_text_join(const struct ik_agent *child, const char *words, struct ik_buf *out)
{
	struct work work = work_of(child);

	if (!work.reply)
		return false;
	ik_buf_printf(out, _("Agent %d was given this task: %s"), child->number,
		child->task ? child->task : "-");
	/* An empty line, since a session whose first message this is has what precedes it as title. */
	ik_buf_puts(out, "\n\n");
	ik_buf_printf(out,
		ngettext("It made %zu tool call. Its last reply:",
			"It made %zu tool calls. Its last reply:", work.calls),
		work.calls);
	ik_buf_puts(out, "\n\n");
	ik_buf_append(out, work.reply->content, work.reply->content_length);
	if (words[0] != '\0')
		ik_buf_printf(out, "\n\n%s", words);
	return true;
}

/* Add all agents except one (or NULL). */
static void add_agents(const struct ik_chat *chat, const struct ik_agent *without,
	const char *command, const char *words, struct ik_pick_list *picks)
{
	const struct ik_agent *agent;

	for (agent = chat->agents; agent; agent = agent->next) {
		struct ik_buf state, facts;

		if (agent == without)
			continue;
		ik_buf_init(&state, IK_KIB(1));
		ik_buf_init(&facts, IK_KIB(64));
		put_state(agent, &state);
		put_facts(agent, &facts);
		ik_pick_add(picks,
			(struct ik_pick){
				.number = agent->number,
				.current = agent == chat->agent,
				.id = ik_strdup(ik_session_id(agent->session)),
				.title = title_of_agent(agent),
				.aside = ik_buf_take(&state, NULL),
				.text = ik_buf_take(&facts, NULL),
				.line = words[0] != '\0' ? ik_format("%s %d %s", command, agent->number, words)
										 : ik_format("%s %d", command, agent->number),
			});
	}
}

/* ---- lists ---- */

/* Show an agent's picker. again: update it. */
static void tell(struct ik_agent *agent, bool again)
{
	struct ik_pick_list list = { .empty = _("Nothing of this session is stored yet.") };

	switch (agent->picking) {
	case IK_PICKING_NOTHING:
		return;
	case IK_PICKING_REWIND:
		list.title = _(" Go back to before a message ");
		list.take = N_("rewind");
		add_messages(agent, "/rewind", &list);
		break;
	case IK_PICKING_FORK:
		list.title = _(" Copy up to the answer to a message ");
		list.take = N_("go on there");
		add_messages(agent, "/fork", &list);
		break;
	case IK_PICKING_JOIN:
		list.title = _(" Bring an agent's last word here ");
		list.take = N_("bring it");
		list.empty = _("There is no other agent: /fork PROMPT begins one.");
		add_agents(agent->chat, agent, "/join", agent->picking_words, &list);
		break;
	case IK_PICKING_AGENT:
		list.title = _(" Agents ");
		list.take = N_("show");
		add_agents(agent->chat, NULL, "/agents", "", &list);
		break;
	case IK_PICKING_ARGUMENT:
		ik_choices_list(agent->choices, agent->picking_row, &list);
		for (size_t i = 0; agent->linear && list.markdown && i < list.count; i++)
			list.picks[i].text[strcspn(list.picks[i].text, "\n")] = '\0'; /* it shows looks */
		break;
	}
	ik_screen_pick(agent->screen, &list, again);
}

void ik_chat_pick(struct ik_chat *chat, enum ik_picking what, const char *words)
{
	struct ik_agent *agent = chat->agent;

	free(agent->picking_words);
	agent->picking_words = ik_strdup(words);
	agent->picking = what;
	tell(agent, false);
}

void ik_chat_pick_argument(struct ik_chat *chat, const struct ik_action_row *row)
{
	chat->agent->picking_row = row;
	if (row->argument == IK_ARGUMENT_MODEL)
		ik_choices_forget(chat->agent->choices); /* there may be new ones */
	ik_chat_pick(chat, IK_PICKING_ARGUMENT, "");
}

void ik_chat_pick_again(struct ik_agent *agent)
{
	if (ik_screen_picks(agent->screen))
		tell(agent, true);
	else
		agent->picking = IK_PICKING_NOTHING;
}
