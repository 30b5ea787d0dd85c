#include "chat/chat_private.h"

#include <stdlib.h>

#include "util/alloc.h"

struct ik_chat_question {
	struct ik_chat_question *next;
	int id;       /* in the chat */
	int shown_as; /* on its screen */
	ik_answer_handler *handler;
	void *arg;
};

/* With several agents, the status bar shows which of them wait for an answer. */
static void tell(const struct ik_agent *agent)
{
	if (agent->chat->agents && agent->chat->agents->next)
		agent->chat->questions_changed(agent->chat);
}

int ik_agent_ask(struct ik_agent *agent, const struct ik_question *question,
	ik_answer_handler *handler, void *arg)
{
	struct ik_chat_question *item = ik_alloc(sizeof(*item));

	item->id = ++agent->chat->last_question;
	item->shown_as = ik_screen_ask(agent->screen, question);
	item->handler = handler;
	item->arg = arg;
	item->next = agent->questions;
	agent->questions = item;
	tell(agent);
	return item->id;
}

int ik_chat_ask(struct ik_chat *chat, const struct ik_question *question,
	ik_answer_handler *handler, void *arg)
{
	return ik_agent_ask(chat->agent, question, handler, arg);
}

/* Take the question at a place off its list. */
static struct ik_chat_question *take(struct ik_chat_question **place)
{
	struct ik_chat_question *found = *place;

	*place = found->next;
	return found;
}

void ik_chat_withdraw(struct ik_chat *chat, int question)
{
	struct ik_chat_question **place;
	struct ik_agent *agent;

	for (agent = chat->agents; agent; agent = agent->next) {
		place = &agent->questions;
		while (*place && (*place)->id != question)
			place = &(*place)->next;
		if (!*place)
			continue;
		ik_screen_withdraw(agent->screen, (*place)->shown_as);
		free(take(place));
		tell(agent);
		return;
	}
}

void ik_chat_answered(struct ik_chat *chat, const struct ik_question_answer *answer)
{
	struct ik_chat_question **place = &chat->agent->questions, *question;

	while (*place && (*place)->shown_as != answer->question)
		place = &(*place)->next;
	if (!*place)
		return;
	question = take(place);
	tell(chat->agent);
	question->handler(chat, question->arg, answer);
	free(question);
}

void ik_chat_forget_questions(struct ik_agent *agent)
{
	while (agent->questions) {
		struct ik_chat_question *question = take(&agent->questions);

		question->handler(agent->chat, question->arg, NULL);
		free(question);
	}
}
