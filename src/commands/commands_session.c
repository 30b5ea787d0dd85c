#include "commands/commands_session.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "core/undo_command.h"
#include "undo/undo_journal.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

struct ik_conversation *ik_command_make_fork(struct ik_core *core, struct ik_message *command,
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

char *ik_command_fork_sentence(const struct ik_core *core)
{
	return ik_format(_("A fork of the session: ikigai --resume=%s"), ik_session_id(core->session));
}

/* Make a fork that has the events up to sequence; sentence (taken over) is what it begins with. */
static struct ik_fork make_fork(struct ik_core *core, const char *line, char *sentence,
	int64_t sequence)
{
	struct ik_fork fork = { .copy = NULL };

	fork.copy = ik_command_make_fork(core, ik_message_command(line, sentence), sequence, fork.id);
	free(sentence);
	return fork;
}

bool ik_command_is_question(const struct ik_message *message)
{
	return message->kind == IK_KIND_USER && !ik_message_is_automatic(message);
}

const struct ik_message *ik_command_question_at(const struct ik_conversation *conversation,
	long number)
{
	size_t i;

	for (i = ik_conversation_count(conversation); i-- > 0;) {
		const struct ik_message *message = ik_conversation_at(conversation, i);

		if (ik_command_is_question(message) && message->sequence > 0 && --number == 0)
			return message;
	}
	return NULL;
}

/* What a message is known by. */
static char *title_of(const struct ik_message *question)
{
	return ik_session_title(question->content, ik_message_typed(question));
}

bool ik_command_can_fork(struct ik_core *core, const char *line)
{
	const char *problem = NULL;

	if (ik_session_busy(core->session))
		problem = _("Something is under way: wait for its end, or cancel it (Esc).");
	else if (ik_command_fork_point(core) == 0)
		problem = _("Nothing of this session is stored yet.");
	if (problem)
		ik_session_add_command(core->session, line, problem);
	return !problem;
}

bool ik_command_fork(struct ik_core *core, const char *line, long number, struct ik_fork *ret_fork)
{
	const struct ik_conversation *conversation = ik_session_conversation(core->session);
	const struct ik_message *question = number > 0 ? ik_command_question_at(conversation, number)
												   : NULL;
	const struct ik_message *next = number > 1 ? ik_command_question_at(conversation, number - 1)
											   : NULL;
	char *title, *sentence;

	if (!question) {
		ik_session_add_command(core->session, line,
			_("/fork 2 copies all up to the answer to the "
			  "message before your last one; there are not so many here."));
		return false;
	}
	title = title_of(question);
	sentence = ik_format(_("A fork of the session, up to the answer to: > %s\n"
						   "The session itself goes on with /resume %s"),
		title, ik_session_id(core->session));
	free(title);
	*ret_fork = make_fork(core, line, sentence,
		next ? next->sequence - 1 : ik_command_fork_point(core));
	return true;
}

struct ik_fork ik_command_fork_all(struct ik_core *core, const char *line)
{
	return make_fork(core, line, ik_command_fork_sentence(core), ik_command_fork_point(core));
}

int64_t ik_command_fork_point(const struct ik_core *core)
{
	const struct ik_conversation *conversation = ik_session_conversation(core->session);
	size_t i = ik_conversation_count(conversation);
	int64_t sequence = 0;

	if (ik_session_busy(core->session)) {
		while (i > 0 && !ik_command_is_question(ik_conversation_at(conversation, i - 1)))
			i--;
		i = i > 0 ? i - 1 : 0;
	}
	for (; i > 0 && sequence == 0; i--)
		sequence = ik_conversation_at(conversation, i - 1)->sequence;
	return sequence;
}

/* Say in the fork which files were written since the message that it goes back to. */
static void tell_of_files(struct ik_core *core, const struct ik_fork *fork, int64_t time_ms)
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
	message = ik_message_new(IK_KIND_NOTICE, sentence, strlen(sentence), NULL, 0);
	ik_store_append(core->store, fork->id, message);
	if (fork->copy)
		ik_conversation_append(fork->copy, message);
	ik_message_unref(message);
	free(sentence);
}

bool ik_command_rewind(struct ik_core *core, const char *line, const char *argument,
	struct ik_fork *ret_fork, char **ret_draft)
{
	char *end = NULL;
	long number = argument[0] != '\0' ? strtol(argument, &end, 10) : 1;
	const struct ik_message *question = number < 1 || (end && *end != '\0')
		? NULL
		: ik_command_question_at(ik_session_conversation(core->session), number);
	char *title, *sentence;

	if (!question) {
		ik_session_add_command(core->session, line,
			_("/rewind goes back to before your last message, /rewind 2 to before the one "
			  "before it; there are not so many here."));
		return false;
	}
	*ret_draft = ik_strndup(question->content, ik_message_typed(question));
	title = title_of(question);
	sentence =
		ik_format(_("Back before: > %s\n"
					"It and what came of it stay in the session, which goes on with /resume %s"),
			title, ik_session_id(core->session));
	free(title);
	*ret_fork = make_fork(core, line, sentence, question->sequence - 1);
	tell_of_files(core, ret_fork, question->time_ms);
	return true;
}
