#include "chat/chat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands_session.h"
#include "conversation/title.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define TEXT_BYTES 4000 /* of a message, to be read under the list */

/* ---- messages ---- */

/* Return how long ago something was; the caller frees it. */
static char *age_of(int64_t time_ms)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(1));
	ik_age_text(&out, ik_clock_wall_ms() - time_ms);
	return ik_buf_take(&out, NULL);
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

		if (!ik_command_is_question(message) || message->sequence == 0)
			continue;
		typed = ik_message_typed(message);
		number++;
		ik_pick_add(picks,
			(struct ik_pick){
				.number = number,
				.id = ik_format("%" PRId64, message->sequence),
				.title = ik_session_title(message->content, typed),
				.aside = age_of(message->time_ms),
				.text = ik_strndup(message->content,
					ik_utf8_cut(message->content, typed, TEXT_BYTES)),
				.line = ik_format("%s %d", command, number),
			});
	}
}

/* Run "/rewind N". */
static void go_back_to(struct ik_chat *chat, long number)
{
	char *line = ik_format("/rewind %ld", number);

	ik_chat_submit(chat, line, strlen(line));
	free(line);
}

static void on_rewind(struct ik_chat *chat, void *arg)
{
	const struct ik_conversation *conversation = ik_session_conversation(chat->core.session);
	const struct ik_message *message;
	const int64_t *sequence = arg;
	size_t length;
	long number = 1;

	/* Others may have been sent meanwhile, and the message goes into the editor. */
	while ((message = ik_command_question_at(conversation, number)) &&
		message->sequence != *sequence)
		number++;
	if (!message)
		return;
	(void)ik_screen_draft(chat->screen, &length);
	if (length > 0) {
		ik_screen_flash(chat->screen, _("Send or clear what stands in the editor first."));
	} else {
		ik_screen_go_to_editor(chat->screen);
		go_back_to(chat, number);
	}
}

void ik_chat_rewind(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	struct ik_confirmation about = {
		.hint = _("You go on in a copy of the session. This one stays as it is; /resume "
				  "brings it back."),
		.yes_key = 'b',
		.yes = _("Go back"),
		.no_key = 's',
		.no = _("Stay here"),
		.guarded = true,
	};
	const struct ik_message *message;
	long number = invocation->number;
	int64_t *sequence;
	char *words, *title;

	if (!chat->core_started)
		return;
	message = ik_session_busy(chat->core.session)
		? NULL
		: ik_command_question_at(ik_session_conversation(chat->core.session), number);
	if (!message) {
		go_back_to(chat, number); /* it says why not */
		return;
	}
	words = ik_session_title(message->content, ik_message_typed(message));
	about.title = title = ik_format(_("Go back to before \"%s\"?"), words);
	sequence = ik_alloc(sizeof(*sequence));
	*sequence = message->sequence;
	(void)ik_chat_confirm(chat, &about, on_rewind, sequence);
	free(title);
	free(words);
}

/* ---- agents ---- */

/* Add all agents but one (or NULL). */
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
		ik_agents_text_state(agent, &state);
		ik_agents_text_facts(agent, &facts);
		ik_pick_add(picks,
			(struct ik_pick){
				.number = agent->number,
				.id = ik_strdup(ik_session_id(agent->session)),
				.title = ik_agents_text_title(agent),
				.aside = ik_buf_take(&state, NULL),
				.text = ik_buf_take(&facts, NULL),
				.line = words[0] != '\0' ? ik_format("%s %d %s", command, agent->number, words)
										 : ik_format("%s %d", command, agent->number),
			});
	}
}

/* ---- lists ---- */

/* Show an agent's list; again: update it. */
static void tell(struct ik_agent *agent, bool again)
{
	struct ik_pick_list list = { .empty = _("Nothing of this session is stored yet.") };

	switch (agent->picking) {
	case IK_PICKING_NOTHING:
		return;
	case IK_PICKING_REWIND:
		list.title = _(" Go back to before a message ");
		list.take = N_("go back");
		list.fills_editor = true;
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

void ik_chat_pick_again(struct ik_agent *agent)
{
	if (ik_screen_picks(agent->screen))
		tell(agent, true);
	else
		agent->picking = IK_PICKING_NOTHING;
}
