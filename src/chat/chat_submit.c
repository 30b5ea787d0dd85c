/* What a person sends. */
#include "chat/chat_private.h"

#include <stdlib.h>
#include <string.h>

#include "chat/chat_trust.h"
#include "chat/external_editor.h"
#include "commands/commands.h"
#include "core/attach.h"
#include "core/resume_text.h"
#include "core/undo_command.h"
#include "util/alloc.h"
#include "util/text.h"

/* /new: another session, on an empty screen that says how to come back. */
static void begin_session(struct ik_chat *chat)
{
	struct ik_session *session = chat->core.session;
	bool said = ik_resume_is_possible(session, true);
	char *sentence = ik_format(_("A new session. The one before: /resume %s"),
		ik_session_id(session));

	if (!ik_session_busy(session))
		ik_chat_take_queue_back(chat); /* what is held */
	ik_chat_session_changed(chat);
	if (ik_agent_begin_session(chat->agent) && said)
		ik_session_add_notice(chat->core.session, sentence);
	ik_core_tell_store_again(&chat->core);
	free(sentence);
}

/* What stands behind a command. */
static const char *argument_of(const char *line)
{
	const char *word_end = line + strcspn(line, " \t\n");

	return word_end + strspn(word_end, " \t\n");
}

/* The answer of a provider may take a while. */
static void say_who_is_asked(struct ik_chat *chat)
{
	char *sentence = ik_format(_("Asking %s what it offers…"),
		ik_core_choice(&chat->core)->provider);

	ik_screen_flash(chat->screen, sentence);
	free(sentence);
}

/* A line that begins with "/". */
static void run_command(struct ik_chat *chat, const char *text, size_t length)
{
	char *line = ik_strndup(text, length);

	switch (ik_command_run(&chat->core, line)) {
	case IK_COMMAND_REFRESH:
		ik_core_read_instructions(&chat->core);
		ik_chat_trust_again(chat);
		ik_chat_refresh(chat, line);
		break;
	case IK_COMMAND_MODE:
		ik_chat_set_mode(chat, ik_policy_mode(chat->core.policy));
		break;
	case IK_COMMAND_THEME:
		ik_chat_theme_apply(chat);
		ik_chat_terminal_ask(chat);
		break;
	case IK_COMMAND_MOUSE:
		ik_chat_set_mouse(chat,
			argument_of(line)[0] == '\0' ? !chat->modes.mouse
										 : ik_text_starts(argument_of(line), "on"));
		break;
	case IK_COMMAND_EDITOR:
		ik_external_editor_open(chat);
		break;
	case IK_COMMAND_ASKING_PROVIDER:
		say_who_is_asked(chat);
		break;
	case IK_COMMAND_COPY:
		ik_chat_copy(chat, chat->core.copied.data, chat->core.copied.length, false);
		break;
	case IK_COMMAND_CLEAR:
		ik_screen_clear(chat->screen);
		break;
	case IK_COMMAND_NEW:
		begin_session(chat);
		break;
	case IK_COMMAND_SESSIONS:
		ik_screen_show_sessions(chat->screen, argument_of(line));
		break;
	case IK_COMMAND_PICK_SESSION:
		ik_screen_pick_session(chat->screen, "");
		break;
	case IK_COMMAND_SEARCH:
		ik_screen_search_sessions(chat->screen, argument_of(line));
		break;
	case IK_COMMAND_RESUME:
		ik_chat_resume_named(chat, argument_of(line));
		break;
	case IK_COMMAND_FORKED:
		if (chat->core.draft)
			ik_screen_set_draft(chat->screen, chat->core.draft, strlen(chat->core.draft));
		/* What goes back into the editor does so once. */
		free(chat->core.draft);
		chat->core.draft = NULL;
		/* Only once it is there: what is said here stays on the screen until then. */
		ik_chat_resume_named(chat, chat->core.fork);
		break;
	case IK_COMMAND_PICK_REWIND:
		ik_chat_pick(chat, IK_PICKING_REWIND, "");
		break;
	case IK_COMMAND_PICK_FORK:
		ik_chat_pick(chat, IK_PICKING_FORK, "");
		break;
	case IK_COMMAND_CHILD:
		ik_agent_fork(chat, line, argument_of(line));
		break;
	case IK_COMMAND_JOIN:
		ik_agent_join(chat, line, argument_of(line));
		break;
	case IK_COMMAND_AGENTS:
		ik_agents_list(chat, line, argument_of(line));
		break;
	case IK_COMMAND_CLOSE:
		ik_agent_close_named(chat, line, argument_of(line));
		break;
	case IK_COMMAND_QUIT:
		ik_chat_quit(chat);
		break;
	case IK_COMMAND_NOTHING:
		break;
	}
	free(line);
}

/* "!COMMAND", or "!!" for the same once more. */
static void run_shell(struct ik_chat *chat, const char *text, size_t length)
{
	size_t start = 1 + strspn(text + 1, " \t\n");
	char *command;

	while (length > start && strchr(" \t\n", text[length - 1]))
		length--;
	if (start >= length || (length - start == 1 && text[start] == '!' && !chat->last_shell)) {
		ik_chat_complain(chat,
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

/* A message for the model, with what goes with it. */
static void send(struct ik_chat *chat, const char *text, size_t length)
{
	struct ik_session *session = chat->core.session;
	struct ik_attached attached;
	struct ik_error error;

	/* The model gets to know of files that are being taken back, too. */
	chat->core.undo = ik_undo_work_finish(chat->core.undo);
	ik_attached_init(&attached);
	if (ik_attach(text, length, length, &chat->setup->places, ik_session_conversation(session),
			chat->agent->shared_command, &attached, &error) != IK_OK) {
		ik_chat_complain(chat, error.text);
		ik_screen_set_draft(chat->screen, text, length);
	} else {
		ik_session_submit_with(session, attached.text.data, attached.text.length,
			attached.data.data, attached.data.length);
		if (attached.last_command[0] != '\0')
			memcpy(chat->agent->shared_command, attached.last_command,
				sizeof(chat->agent->shared_command));
	}
	ik_attached_done(&attached);
}

void ik_chat_complain(struct ik_chat *chat, const char *sentence)
{
	struct ik_event event = {
		.kind = IK_EVENT_ERROR,
		.text = sentence,
		.text_length = strlen(sentence),
	};

	ik_screen_apply(chat->screen, &event);
}

/* Does it change the session? Most commands only look at it, or at others. */
static bool writes(const char *text)
{
	static const char *const commands[] = { "/title", "/compact", "/run", "/undo", "/redo" };
	size_t length = strcspn(text, " \t\n"), i;

	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strlen(commands[i]) == length && memcmp(commands[i], text, length) == 0)
			return true;
	return !ik_command_is(text);
}

void ik_chat_submit(struct ik_chat *chat, const char *text, size_t length)
{
	if (writes(text) && ik_chat_only_reads(chat))
		ik_screen_set_draft(chat->screen, text, length);
	else if (ik_command_is(text))
		run_command(chat, text, length);
	else if (text[0] == '!')
		run_shell(chat, text, length);
	else
		send(chat, text, length);
}

void ik_chat_take_back(struct ik_chat *chat)
{
	struct ik_session *session = chat->core.session;
	size_t length, index = 0;
	const char *text;
	char *copy;

	while (ik_session_queued(session, index, &length))
		index++;
	if (index == 0)
		return;
	text = ik_session_queued(session, index - 1, &length);
	copy = ik_strndup(text, length);
	ik_session_take_back(session);
	ik_screen_set_draft(chat->screen, copy, length);
	free(copy);
	/* What went with it goes with what is sent in its place. */
	chat->agent->shared_command[0] = '\0';
}
