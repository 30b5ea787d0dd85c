#include "app/chat_private.h"

#include <stdlib.h>

#include "util/alloc.h"

struct ik_chat_question {
	struct ik_chat_question *next;
	int id;
	ik_answer_handler *handler;
	void *arg;
};

int ik_chat_ask(struct ik_chat *chat, const struct ik_question *question,
	ik_answer_handler *handler, void *arg)
{
	struct ik_chat_question *item = ik_alloc(sizeof *item);

	item->id = ik_screen_ask(chat->screen, question);
	item->handler = handler;
	item->arg = arg;
	item->next = chat->questions;
	chat->questions = item;
	return item->id;
}

/* Take a question off the list; NULL when it is not there. */
static struct ik_chat_question *take_question(struct ik_chat *chat, int id)
{
	struct ik_chat_question **place = &chat->questions, *found;

	while (*place != NULL && (*place)->id != id)
		place = &(*place)->next;
	found = *place;
	if (found != NULL)
		*place = found->next;
	return found;
}

void ik_chat_withdraw(struct ik_chat *chat, int question)
{
	ik_screen_withdraw(chat->screen, question);
	free(take_question(chat, question));
}

void ik_chat_answered(struct ik_chat *chat, const struct ik_answer *answer)
{
	struct ik_chat_question *question = take_question(chat, answer->question);

	if (question != NULL)
		question->handler(chat, question->arg, answer);
	free(question);
}

void ik_chat_forget_questions(struct ik_chat *chat)
{
	while (chat->questions != NULL)
		free(take_question(chat, chat->questions->id));
}
