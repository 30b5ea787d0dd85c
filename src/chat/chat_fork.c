/* Forks of a conversation: continued in its place, or by child agents, which are joined and
 * closed. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/fork_link.h"
#include "conversation/title.h"
#include "core/attach.h"
#include "core/undo_command.h"
#include "undo/undo_journal.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* ---- copies ---- */

/* Fork the current session with its events up to sequence, and store the fork's ID. Takes over
 * command, which is stored in the fork. Return the fork's conversation in memory, which the caller
 * owns, or NULL. */
static struct ik_conversation *make_fork(struct ik_core *core, struct ik_message *command,
	int64_t sequence, char ret_id[IK_UUID_TEXT])
{
	struct ik_conversation *copy = ik_session_fork_copy(core->session, sequence);

	ik_uuid_new(ret_id);
	ik_store_begin_fork(core->store, ret_id, core->setup->places.directory,
		ik_session_id(core->session), sequence);
	ik_store_append(core->store, ret_id, command);
	if (core->undo_directory)
		ik_undo_fork(core->undo_directory, ik_session_id(core->session), ret_id);
	if (copy)
		ik_conversation_append(copy, command);
	ik_message_unref(command);
	return copy;
}

/* Return a fork's opening sentence; the caller frees it. */
static char *fork_sentence(const struct ik_core *core)
{
	return ik_format(_("A fork of the session: ikigai --resume=%s"), ik_session_id(core->session));
}

/* Return the last event for a fork of the current session: while a turn runs, the one before the
 * turn. Return 0 if there is none. */
static int64_t fork_point(const struct ik_core *core)
{
	const struct ik_conversation *conversation = ik_session_conversation(core->session);
	size_t i = ik_conversation_count(conversation);
	int64_t sequence = 0;

	if (ik_session_busy(core->session)) {
		while (i > 0 && !ik_message_is_question(ik_conversation_at(conversation, i - 1)))
			i--;
		i = i > 0 ? i - 1 : 0;
	}
	for (; i > 0 && sequence == 0; i--)
		sequence = ik_conversation_at(conversation, i - 1)->sequence;
	return sequence;
}

/* Can the current session be forked now? If not, answer line with the reason. */
static bool can_fork(struct ik_core *core, const char *line)
{
	const char *problem = NULL;

	if (ik_session_busy(core->session))
		problem = _("Something is under way: wait for its end, or cancel it (Esc).");
	else if (fork_point(core) == 0)
		problem = _("Nothing of this session is stored yet.");
	if (problem)
		ik_session_add_command(core->session, line, problem);
	return !problem;
}

/* List in the fork which files were written since the message that it goes back to. */
static void tell_of_files(struct ik_core *core, const char *id, struct ik_conversation *copy,
	int64_t time_ms)
{
	size_t turns, files = ik_undo_files_since(core, time_ms, &turns);
	struct ik_message *message;
	char *sentence;

	if (files == 0)
		return;
	sentence =
		ik_format(ngettext("%zu file was written since, and stays so: /undo %zu takes it "
						   "back.",
					  "%zu files were written since, and stay so: /undo %zu takes them back.",
					  files),
			files, turns);
	message = ik_message_notice(sentence, NULL);
	ik_store_append(core->store, id, message);
	if (copy)
		ik_conversation_append(copy, message);
	ik_message_unref(message);
	free(sentence);
}

/* Continue in a fork with the events up to sequence, which starts with line and a sentence
 * (taken over). back: the message to rewind to, whose text is put into the editor, or NULL. */
static void go_on_in_copy(struct ik_chat *chat, const char *line, char *sentence, int64_t sequence,
	const struct ik_message *back)
{
	char id[IK_UUID_TEXT];
	struct ik_conversation *copy = make_fork(&chat->core, ik_message_command(line, sentence),
		sequence, id);

	free(sentence);
	if (back) {
		tell_of_files(&chat->core, id, copy, back->time_ms);
		ik_agent_put_back(chat->agent, back->content, ik_message_typed(back));
	}
	ik_chat_resume_fork(chat, id, copy);
}

/* "/fork N": fork after the answer to the user's Nth last message. */
static void fork_at(struct ik_chat *chat, const char *line, long number)
{
	const struct ik_conversation *conversation = ik_session_conversation(chat->core.session);
	const struct ik_message *question = number > 0 ? ik_chat_question_at(conversation, number)
												   : NULL;
	const struct ik_message *next = number > 1 ? ik_chat_question_at(conversation, number - 1)
											   : NULL;
	char *title, *sentence;

	if (!question) {
		ik_session_add_command(chat->core.session, line,
			_("/fork 2 copies all up to the answer to the "
			  "message before your last one; there are not so many here."));
		return;
	}
	title = ik_message_title(question);
	sentence = ik_format(_("A fork of the session, up to the answer to: > %s\n"
						   "The session itself goes on with /resume %s"),
		title, ik_session_id(chat->core.session));
	free(title);
	go_on_in_copy(chat, line, sentence, next ? next->sequence - 1 : fork_point(&chat->core), NULL);
}

void ik_chat_rewind_to(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	const char *text = invocation->text;
	struct ik_session *session = chat->core.session;
	const struct ik_message *question;
	char *end = NULL, *title, *sentence;
	long number = text[0] != '\0' ? strtol(text, &end, 10) : 1;

	if (!can_fork(&chat->core, invocation->line))
		return;
	if (ik_text_equal(text, "?")) {
		ik_chat_pick(chat, IK_PICKING_REWIND, "");
		return;
	}
	question = number < 1 || (end && *end != '\0')
		? NULL
		: ik_chat_question_at(ik_session_conversation(session), number);
	if (!question) {
		ik_session_add_command(session, invocation->line,
			_("/rewind goes back to before your last message, /rewind 2 to before the one "
			  "before it; there are not so many here."));
		return;
	}
	title = ik_message_title(question);
	sentence =
		ik_format(_("Back before: > %s\n"
					"It and what came of it stay in the session, which goes on with /resume %s"),
			title, ik_session_id(session));
	free(title);
	go_on_in_copy(chat, invocation->line, sentence, question->sequence - 1, question);
}

/* Run "/rewind N", or with 0 "/rewind ?", which lets the user choose. */
static void go_back_to(struct ik_chat *chat, long number)
{
	char *line = number > 0 ? ik_format("/rewind %ld", number) : ik_strdup("/rewind ?");

	ik_chat_submit(chat, line, strlen(line));
	free(line);
}

static void on_rewind(struct ik_chat *chat, void *arg)
{
	const struct ik_conversation *conversation = ik_session_conversation(chat->core.session);
	const struct ik_message *message;
	const int64_t *sequence = arg;
	long number = 1;

	/* More messages may have been sent meanwhile, which changes the number. */
	while ((message = ik_chat_question_at(conversation, number)) && message->sequence != *sequence)
		number++;
	if (!message)
		return;
	ik_screen_go_to_editor(chat->screen);
	go_back_to(chat, number);
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

	message = number == 0 || ik_session_busy(chat->core.session)
		? NULL
		: ik_chat_question_at(ik_session_conversation(chat->core.session), number);
	if (!message) {
		go_back_to(chat, number); /* or it reports why not */
		return;
	}
	words = ik_message_title(message);
	about.title = title = ik_format(_("Go back to before \"%s\"?"), words);
	sequence = ik_alloc(sizeof(*sequence));
	*sequence = message->sequence;
	(void)ik_chat_confirm(chat, &about, on_rewind, sequence);
	free(title);
	free(words);
}

/* ---- /fork PROMPT ---- */

/* Create a child of the shown agent and store its session's ID. The session has all events up to
 * sequence. */
static struct ik_agent *make_child(struct ik_chat *chat, const char *line, const char *prompt,
	int64_t sequence, char ret_id[IK_UUID_TEXT])
{
	struct ik_agent *child = ik_agent_new(chat);

	child->parent = chat->agent;
	child->task = ik_session_title(prompt, strlen(prompt));
	child->forked_at = sequence;
	child->restoring = true;
	ik_chat_draft_begin(child, true);
	child->session = ik_core_add_session(&chat->core, child);
	if (sequence > 0) {
		char *sentence = fork_sentence(&chat->core);

		struct ik_conversation *copy = make_fork(&chat->core,
			ik_fork_link_command(line, sentence, IK_FORK_PARENT, ik_session_id(chat->core.session)),
			sequence, ret_id);

		free(sentence);
		ik_session_restore(child->session,
			&(struct ik_restoring){ ret_id, copy, .done = ik_agent_restored, .arg = child });
	} else {
		memcpy(ret_id, ik_session_id(child->session), IK_UUID_TEXT);
		ik_agent_restored(child, NULL);
	}
	return child;
}

/* Report in the parent where its child is, now and later. */
static void tell_parent(struct ik_chat *chat, const char *line, const struct ik_agent *child,
	const char *id)
{
	char *key = ik_agent_key(chat, child->number);
	char *output =
		ik_format(_("Agent %d works on it: %s shows it, /join %d brings its last word here."),
			child->number, key, child->number);
	struct ik_message *command = ik_fork_link_command(line, output, IK_FORK_CHILD, id);

	ik_session_add_message(chat->core.session, command);
	ik_message_unref(command);
	free(output);
	free(key);
}

/* Start a child of the agent with a message; line is the command. */
static void start_child(struct ik_agent *agent, struct ik_message *message,
	const char *last_command, const char *line)
{
	struct ik_chat *chat = agent->chat;
	const char *prompt = message->content;
	char *task = ik_strndup(prompt, ik_message_typed(message)), id[IK_UUID_TEXT];
	struct ik_agent *child;

	ik_agent_show(agent); /* another one may be shown by now */
	child = make_child(chat, line, task, fork_point(&chat->core), id);
	memcpy(child->shared_command, last_command[0] != '\0' ? last_command : agent->shared_command,
		sizeof(child->shared_command));
	tell_parent(chat, line, child, id);
	ik_session_submit(child->session, message);
	free(task);
}

/* Start a child of the shown agent with the prompt. */
static void fork_agent(struct ik_chat *chat, const char *line, const char *prompt)
{
	if (ik_agent_count(chat) >= IK_AGENTS_MOST)
		ik_agent_say(chat->agent, IK_EVENT_ERROR,
			_("There are as many agents as there can be: /close ends one."));
	else
		ik_chat_attach(chat->agent, prompt, strlen(prompt), line, start_child);
}

void ik_chat_fork(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	const char *line = invocation->line, *text = invocation->text;
	bool number = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);

	if (text[0] != '\0' && !number && !ik_text_equal(text, "?"))
		fork_agent(chat, line, text);
	else if (!can_fork(&chat->core, line))
		return;
	else if (text[0] == '\0')
		go_on_in_copy(chat, line, fork_sentence(&chat->core), fork_point(&chat->core), NULL);
	else if (!number)
		ik_chat_pick(chat, IK_PICKING_FORK, "");
	else
		fork_at(chat, line, strtol(text, NULL, 10));
}

/* ---- /join ---- */

/* Return the child for /join: the one with the number, else the only one. Return NULL with an
 * error, or without one if there are several. */
static struct ik_agent *child_named(struct ik_chat *chat, int number, struct ik_error *error)
{
	struct ik_agent *agent, *found = NULL;

	error->text[0] = '\0';
	if (number > 0) {
		found = ik_agent_find(chat, number);
		if (!found || found == chat->agent)
			(void)ik_error_set(error, IK_NOT_FOUND,
				!found ? _("There is no agent %d.") : _("This is agent %d."), number);
		return found == chat->agent ? NULL : found;
	}
	for (agent = chat->agents; agent; agent = agent->next) {
		if (agent->parent != chat->agent)
			continue;
		if (found)
			return NULL;
		found = agent;
	}
	if (!found)
		(void)ik_error_set(error, IK_NOT_FOUND, "%s",
			_("There is no other agent: /fork PROMPT begins one."));
	return found;
}

/* Send the last reply of an agent to the model of another. */
static enum ik_status join(const struct ik_agent *child, struct ik_agent *target, const char *words,
	struct ik_error *error)
{
	enum ik_status status = IK_OK;
	struct ik_message *message;
	struct ik_buf text;

	if (ik_session_is_following(target->session))
		return ik_error_set(error, IK_UNAVAILABLE,
			_("Agent %d only reads along: its session is open elsewhere."), target->number);
	if (ik_agent_works(child))
		return ik_error_set(error, IK_UNAVAILABLE,
			_("Agent %d is at work: /join it when it has ended its turn."), child->number);
	ik_buf_init(&text, IK_LIMIT_USER_TEXT);
	if (!ik_agents_text_join(child, words, &text))
		status = ik_error_set(error, IK_NOT_FOUND, _("Agent %d has not said anything yet."),
			child->number);
	else
		status = ik_buf_check(&text, _("the message"), error);
	if (status == IK_OK) {
		message = ik_message_new(IK_KIND_USER, text.data, text.length, NULL, 0);
		ik_session_submit(target->session, message);
		ik_message_unref(message);
	}
	ik_buf_done(&text);
	return status;
}

/* Parse a number at the start of *words and move past it; return 0 if there is none. */
static int take_number(const char **words)
{
	char *end;
	long number = strtol(*words, &end, 10);

	if (end == *words || number < 1 || number > IK_AGENTS_MOST || (*end != '\0' && *end != ' '))
		return 0;
	*words = end + strspn(end, " ");
	return (int)number;
}

void ik_agent_join(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	const char *line = invocation->line, *words = invocation->text;
	int number = take_number(&words);
	struct ik_agent *agent = chat->agent;
	struct ik_error error;

	if (ik_text_equal(words, "?")) {
		ik_chat_pick(chat, IK_PICKING_JOIN, "");
		return;
	}
	if (number == 0 && agent->parent) {
		if (join(agent, agent->parent, words, &error) != IK_OK) {
			ik_session_add_command(agent->session, line, error.text);
			return;
		}
		ik_session_add_command(agent->session, line, _("The other agent has been told."));
		ik_agent_show(agent->parent);
		return;
	}
	agent = child_named(chat, number, &error);
	if (!agent && error.text[0] == '\0')
		ik_chat_pick(chat, IK_PICKING_JOIN, words);
	else if (!agent || join(agent, chat->agent, words, &error) != IK_OK)
		ik_session_add_command(chat->core.session, line, error.text);
}

/* ---- /agents, /close ---- */

void ik_agents_list(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	const char *line = invocation->line, *words = invocation->text;
	int number = take_number(&words);

	if (words[0] != '\0')
		ik_session_add_command(chat->core.session, line,
			_("/agents takes the number of the one to be shown, or nothing."));
	else if (number > 0)
		ik_agent_show_number(chat, number);
	else
		ik_chat_pick(chat, IK_PICKING_AGENT, "");
}

/* Close an agent, and report in the one shown next how to resume it. */
static void close_agent(struct ik_chat *chat, struct ik_agent *agent)
{
	char *sentence = ik_format(_("Agent %d is closed. Its session stays: /resume %s"),
		agent->number, ik_session_id(agent->session));

	ik_agent_close(agent);
	ik_session_add_notice(chat->core.session, sentence);
	free(sentence);
}

static void close_idle(struct ik_agent *agent)
{
	if (agent->chat->agents->next)
		close_agent(agent->chat, agent);
}

/* Cancel what is under way, whose calls then end with what they have printed, and close. */
static void on_close(struct ik_chat *chat, void *arg)
{
	const int *number = arg;
	struct ik_agent *agent = ik_agent_find(chat, *number);

	if (!agent)
		return;
	if (ik_agent_works(agent))
		ik_session_cancel(agent->session);
	ik_agent_when_idle(agent, close_idle);
}

static bool is_at_work(const struct ik_agent *agent, const void *arg)
{
	const int *number = arg;
	const struct ik_agent *named = ik_agent_find(agent->chat, *number);

	return named && ik_agent_works(named);
}

/* Ask whether to close an agent that is working. */
static void ask_to_close(struct ik_chat *chat, int number)
{
	char *title = ik_format(_("Agent %d is at work. Close it?"), number);
	const struct ik_confirmation about = {
		.title = title,
		.hint = _("What has arrived is kept, and its session can be resumed."),
		.yes_key = 'c',
		.yes = _("Close it"),
		.no_key = 'k',
		.no = _("Keep it"),
		.would_stop = is_at_work,
	};
	int *asked = ik_alloc(sizeof(*asked));

	*asked = number;
	(void)ik_chat_confirm(chat, &about, on_close, asked);
	free(title);
}

void ik_agent_close_named(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	const char *line = invocation->line, *words = invocation->text;
	int number = take_number(&words);
	struct ik_agent *agent = number > 0 ? ik_agent_find(chat, number) : chat->agent;
	char *problem = NULL;

	if (!chat->agents->next)
		problem = ik_strdup(_("This is the only agent; /quit ends ikigai."));
	else if (!agent)
		problem = ik_format(_("There is no agent %d."), number);
	else if (words[0] != '\0')
		problem = ik_strdup(_("/close takes the number of an agent, or nothing: this one."));
	else if (ik_agent_works(agent))
		ask_to_close(chat, agent->number);
	else
		close_agent(chat, agent);
	if (problem)
		ik_session_add_command(chat->core.session, line, problem);
	free(problem);
}
