/* Submitted text: commands, shell commands, messages, which go to the model once the prompt of a custom
 * command is made, and the files that they mention are read. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "core/attach.h"
#include "core/undo_command.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* ---- a message on its way ---- */

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

/* ---- what was typed ---- */

/* Cut "--keep" off either end of an argument. Return whether it was there. */
static bool cut_keep(char *argument)
{
	static const char word[] = "--keep";
	const char *rest = ik_argument_after(argument, word);
	size_t length = strlen(argument), least = sizeof(word); /* with a blank before it */

	if (rest) {
		memmove(argument, rest, strlen(rest) + 1);
	} else if (length >= least && ik_text_ends(argument, word) &&
		strchr(" \t", argument[length - least])) {
		for (length -= least; length > 0 && strchr(" \t", argument[length - 1]);)
			length--;
		argument[length] = '\0';
	} else {
		return false;
	}
	return true;
}

/* Run the row of a command, or report that there is no such command. */
static void run_command(struct ik_chat *chat, const struct ik_action_row *row, const char *line)
{
	const char *start = line + strcspn(line, " \t\n");
	struct ik_invocation invocation = { .line = line };
	struct ik_buf answer;
	size_t length;
	char *argument;

	start += strspn(start, " \t\n");
	length = strlen(start);
	while (length > 0 && strchr(" \t\n", start[length - 1]))
		length--;
	invocation.text = argument = ik_strndup(start, length);
	invocation.keep = row && ik_choices_has(row->argument) && cut_keep(argument);
	invocation.length = strlen(argument);
	ik_buf_init(&answer, IK_MIB(16));
	if (!row)
		ik_command_unknown(ik_actions_rows(chat->actions), line, &answer);
	else if (ik_choices_has(row->argument) && argument[0] == '\0')
		ik_chat_pick_argument(chat, row);
	else if (row->core)
		row->core(&chat->core, &invocation, &answer);
	else
		row->run(chat, &invocation);
	if (answer.length > 0)
		ik_command_answer(chat->core.session, line, &answer);
	ik_buf_done(&answer);
	free(argument);
}

/* "!COMMAND", or "!!" to repeat the last one. */
static void run_shell(struct ik_chat *chat, const char *text, size_t length)
{
	size_t start = 1 + strspn(text + 1, " \t\n");
	char *command;

	while (length > start && strchr(" \t\n", text[length - 1]))
		length--;
	if (start >= length || (length - start == 1 && text[start] == '!' && !chat->last_shell)) {
		ik_agent_say(chat->agent, IK_EVENT_ERROR,
			start >= length
				? _("! needs a command: !ls -l. Its output goes with your next message.")
				: _("!! repeats the last command; there was none yet."));
		return;
	}
	command = length - start == 1 && text[start] == '!' ? ik_strdup(chat->last_shell)
														: ik_strndup(text + start, length - start);
	ik_session_run_shell(chat->core.session, command);
	free(chat->last_shell);
	chat->last_shell = command;
}

/* Say so if an "@" in a message that was sent names no file: it may be a typo. */
static void tell_unknown(struct ik_chat *chat, const char *text, size_t length)
{
	char *name = ik_mention_unknown(text, length, &chat->setup->places);

	if (name)
		ik_chat_flash(chat, _("There is no file %s here: @%s was sent as text."), name, name);
	free(name);
}

static void send_message(struct ik_agent *agent, struct ik_message *message,
	const char *last_command, const char *draft)
{
	ik_session_submit(agent->session, message);
	if (last_command[0] != '\0')
		memcpy(agent->shared_command, last_command, sizeof(agent->shared_command));
	tell_unknown(agent->chat, draft, strlen(draft));
}

/* Send a message to the model, with what goes with it. */
static void send(struct ik_chat *chat, const char *text, size_t length)
{
	char *draft = ik_strndup(text, length);

	/* The model must also hear of files being undone. */
	chat->core.undo = ik_undo_work_finish(chat->core.undo);
	ik_chat_attach(chat->agent, text, length, draft, send_message);
	free(draft);
}

void ik_chat_submit(struct ik_chat *chat, const char *text, size_t length)
{
	/* A custom command is a message, for which core/attach.c makes the prompt. */
	bool command = ik_command_is(text) &&
		!ik_custom_command_of(chat->setup->custom_commands, text, length);
	const struct ik_action_row *row = command
		? ik_action_of_command(ik_actions_table(chat->actions), text)
		: NULL;
	bool writes = row ? row->writes : !command;
	char *line;

	if (writes && ik_chat_only_reads(chat)) {
		ik_screen_set_draft(chat->screen, text, length);
	} else if (command) {
		line = ik_strndup(text, length);
		run_command(chat, row, line);
		free(line);
	} else if (text[0] == '!') {
		run_shell(chat, text, length);
	} else {
		send(chat, text, length);
	}
}
