/* A message on its way to the model: first the prompt of a custom command is made, and the files that
 * it mentions are read. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "core/attach.h"
#include "util/alloc.h"
#include "util/text.h"

/* Release what was on its way, and return what was typed. */
static char *end_sending(struct ik_agent *agent, struct ik_attach **ret_attach)
{
	char *draft = agent->sending_draft;

	*ret_attach = agent->sending;
	if (agent->sending)
		ik_agent_say(agent, IK_EVENT_WAITING, "%s", "");
	agent->sending_draft = NULL;
	agent->sending = NULL;
	return draft;
}

/* Pass on the message, or say why it can't be sent. */
static void on_attached(void *arg, struct ik_message *message, const char *last_command,
	const struct ik_error *error)
{
	struct ik_agent *agent = arg;
	struct ik_attach *attach; /* has message and error */
	char *draft = end_sending(agent, &attach);

	if (message) {
		agent->sent(agent, message, last_command, draft);
	} else {
		ik_agent_say(agent, IK_EVENT_ERROR, "%s", error->text);
		ik_agent_put_back(agent, draft, strlen(draft));
	}
	ik_attach_close(attach);
	free(draft);
}

void ik_chat_attach(struct ik_agent *agent, const char *text, size_t length, const char *draft,
	ik_chat_sent *sent)
{
	struct ik_chat *chat = agent->chat;
	const struct ik_attach_options options = {
		.loop = chat->loop,
		.places = &chat->setup->places,
		.core = &chat->core,
		.conversation = ik_session_conversation(agent->session),
		.since = agent->shared_command,
		.model = ik_session_model(agent->session),
	};
	struct ik_attach *attach;

	if (agent->sending_draft) {
		ik_agent_put_back(agent, draft, strlen(draft));
		ik_chat_flash(chat, _("The files of your last message are still being read."));
		return;
	}
	agent->sent = sent;
	agent->sending_draft = ik_strdup(draft);
	attach = ik_attach_start(&options, text, length, length, on_attached, agent);
	if (!attach)
		return; /* there was nothing to wait for */
	agent->sending = attach;
	if (ik_custom_command_of(chat->setup->custom_commands, text, length))
		ik_agent_say(agent, IK_EVENT_WAITING, _("Running %.*s…"), (int)strcspn(text, " \t\n"),
			text);
	else
		ik_agent_say(agent, IK_EVENT_WAITING, "%s", _("Reading files…"));
}

void ik_chat_stop_sending(struct ik_agent *agent)
{
	struct ik_attach *attach;
	char *draft;

	if (!agent->sending)
		return;
	draft = end_sending(agent, &attach);
	ik_attach_close(attach);
	ik_agent_put_back(agent, draft, strlen(draft));
	free(draft);
}
