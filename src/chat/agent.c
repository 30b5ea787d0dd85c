/* An agent, as the rest of the chat knows it: the list of them, what one is doing, what is said on its
 * screen and asked there; chat_agents.c creates and shows them. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "tui/edit/keymap.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define ENDING_MS 20 /* interval of the checks whether an agent is idle */

struct ik_agent *ik_agent_find(const struct ik_chat *chat, int number)
{
	struct ik_agent *agent = chat->agents;

	while (agent && agent->number != number)
		agent = agent->next;
	return agent;
}

struct ik_agent *ik_agent_with(const struct ik_chat *chat, const char *id)
{
	struct ik_agent *agent = chat->agents;

	while (agent && !ik_text_equal(id, ik_session_id(agent->session)))
		agent = agent->next;
	return agent;
}

size_t ik_agent_count(const struct ik_chat *chat)
{
	const struct ik_agent *agent;
	size_t count = 0;

	for (agent = chat->agents; agent; agent = agent->next)
		count++;
	return count;
}

bool ik_agent_begin_session(struct ik_agent *agent)
{
	struct ik_session *session = ik_core_begin_session(&agent->chat->core, agent->session);

	if (session)
		agent->session = session;
	return session;
}

bool ik_agent_works(const struct ik_agent *agent)
{
	return agent->session && ik_session_busy(agent->session);
}

enum ik_agent_state ik_agent_state(const struct ik_agent *agent)
{
	if (agent->questions)
		return IK_AGENT_ASKING;
	if (ik_agent_works(agent))
		return IK_AGENT_WORKING;
	if (agent->failed)
		return IK_AGENT_FAILED;
	return agent->unread ? IK_AGENT_UNREAD : IK_AGENT_IDLE;
}

static void look_whether_idle(void *arg)
{
	struct ik_agent *agent = arg;
	void (*when_idle)(struct ik_agent *) = agent->when_idle;

	if (when_idle && ik_agent_works(agent)) {
		ik_timer_start(agent->idle_timer, ENDING_MS);
	} else if (when_idle) {
		agent->when_idle = NULL;
		when_idle(agent);
	}
}

void ik_agent_when_idle(struct ik_agent *agent, void (*when_idle)(struct ik_agent *agent))
{
	if (!agent->idle_timer)
		agent->idle_timer = ik_timer_new(agent->chat->loop, look_whether_idle, agent);
	agent->when_idle = when_idle;
	ik_timer_start(agent->idle_timer, 0);
}

void ik_agents_pause(const struct ik_chat *chat, bool pause)
{
	for (const struct ik_agent *agent = chat->agents; agent; agent = agent->next) {
		if (agent->session && pause)
			ik_stored_pause(ik_session_stored(agent->session));
		else if (agent->session)
			ik_stored_resume(ik_session_stored(agent->session));
	}
}

/* ---- what is said ---- */

void ik_agent_say(struct ik_agent *agent, enum ik_event_kind kind, const char *format, ...)
{
	struct ik_event event = { .kind = kind };
	va_list arguments;
	char *sentence;

	va_start(arguments, format);
	event.text = sentence = ik_vformat(format, arguments);
	va_end(arguments);
	event.text_length = strlen(sentence);
	ik_screen_apply(agent->screen, &event);
	free(sentence);
}

void ik_chat_flash(const struct ik_chat *chat, const char *format, ...)
{
	va_list arguments;
	char *sentence;

	va_start(arguments, format);
	sentence = ik_vformat(format, arguments);
	va_end(arguments);
	ik_screen_flash(chat->screen, sentence);
	free(sentence);
}

char *ik_chat_with_keys(const struct ik_chat *chat, const char *sentence)
{
	struct ik_keymap *keymap = ik_keymap_new(chat->setup->config->ui_keys);
	char *text = ik_keymap_sentence(keymap, sentence);

	ik_keymap_free(keymap);
	return text;
}

char *ik_agent_key(const struct ik_chat *chat, int number)
{
	struct ik_keymap *keymap = ik_keymap_new(chat->setup->config->ui_keys);
	char *key = number <= 9 ? ik_keymap_digit_key(keymap, IK_ACTION_AGENT, number) : NULL;

	if (!key)
		key = ik_keymap_sentence(keymap, "{next-agent}");
	ik_keymap_free(keymap);
	return key;
}

/* ---- questions ---- */

struct ik_chat_question {
	struct ik_chat_question *next;
	int id;       /* unique in the chat */
	int shown_as; /* on its screen */
	ik_answer_handler *handler;
	ik_confirmed *yes;         /* replaces handler; arg is then freed with the question */
	ik_would_stop *would_stop; /* as in struct ik_confirmation */
	void *arg;
	char *words; /* title and text, if a key asked for it; or NULL */
};

enum { ANSWER_YES, ANSWER_NO };

static void question_free(struct ik_chat_question *question)
{
	if (question->yes)
		free(question->arg);
	free(question->words);
	free(question);
}

/* Pass the answer, or NULL, to the handler and release the question. */
static void settle(struct ik_chat *chat, struct ik_chat_question *question,
	const struct ik_invocation *answer)
{
	if (!question->yes)
		question->handler(chat, question->arg, answer);
	else if (answer && answer->value == ANSWER_YES)
		question->yes(chat, question->arg);
	question_free(question);
}

static struct ik_chat_question *take(struct ik_chat_question **place)
{
	struct ik_chat_question *found = *place;

	*place = found->next;
	return found;
}

static char *words_of(const struct ik_question *question)
{
	struct ik_buf words;

	ik_buf_init(&words, IK_LIMIT_ARGUMENTS);
	ik_buf_puts(&words, question->title);
	for (size_t i = 0; i < question->part_count; i++) {
		ik_buf_putc(&words, '\n');
		ik_buf_append(&words, question->parts[i].text, question->parts[i].length);
	}
	return ik_buf_take(&words, NULL);
}

/* Drop the question with these words, which is asked again. */
static void drop_same(struct ik_agent *agent, const char *words)
{
	struct ik_chat_question **place = &agent->questions;

	while (*place && !((*place)->words && ik_text_equal((*place)->words, words)))
		place = &(*place)->next;
	if (!*place)
		return;
	ik_screen_withdraw(agent->screen, (*place)->shown_as);
	settle(agent->chat, take(place), NULL);
}

int ik_agent_ask(struct ik_agent *agent, struct ik_question *question, ik_answer_handler *handler,
	void *arg)
{
	struct ik_chat_question *item = ik_alloc(sizeof(*item));

	/* One that was put aside may still be there. */
	if (question->wanted) {
		item->words = words_of(question);
		drop_same(agent, item->words);
	}
	item->id = ++agent->chat->last_question;
	item->shown_as = ik_screen_ask(agent->screen, question);
	ik_question_done(question);
	item->handler = handler;
	item->arg = arg;
	item->next = agent->questions;
	agent->questions = item;
	return item->id;
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
		question_free(take(place));
		return;
	}
}

void ik_agent_withdraw_all(struct ik_agent *agent, ik_confirmed *yes)
{
	struct ik_chat_question **place = &agent->questions;

	while (*place) {
		if ((*place)->yes == yes) {
			ik_screen_withdraw(agent->screen, (*place)->shown_as);
			question_free(take(place));
		} else {
			place = &(*place)->next;
		}
	}
}

/* Return the place of an agent's first question about what ran and has ended. */
static struct ik_chat_question **find_ended(struct ik_agent *agent)
{
	struct ik_chat_question **place = &agent->questions;

	while (*place && (!(*place)->would_stop || (*place)->would_stop(agent, (*place)->arg)))
		place = &(*place)->next;
	return place;
}

void ik_chat_questions_update(struct ik_chat *chat)
{
	static const struct ik_invocation yes = { .value = ANSWER_YES };
	struct ik_agent *agent = chat->ending ? NULL : chat->agents;
	struct ik_chat_question *question;

	while (agent && !*find_ended(agent))
		agent = agent->next;
	if (!agent)
		return;
	question = take(find_ended(agent));
	/* The wish lasts as long as the question. */
	if (agent == chat->agent && !ik_screen_is_aside(agent->screen)) {
		ik_screen_withdraw(agent->screen, question->shown_as);
		settle(chat, question, &yes);
	} else {
		ik_screen_withdraw(agent->screen, question->shown_as);
		question_free(question);
		ik_screen_flash(agent->screen, _("What the question was about has ended."));
	}
}

void ik_chat_answered(struct ik_chat *chat, const struct ik_invocation *answer)
{
	struct ik_chat_question **place = &chat->agent->questions;

	while (*place && (*place)->shown_as != answer->number)
		place = &(*place)->next;
	if (*place)
		settle(chat, take(place), answer);
}

void ik_chat_forget_questions(struct ik_agent *agent)
{
	while (agent->questions)
		settle(agent->chat, take(&agent->questions), NULL);
}

int ik_chat_confirm(struct ik_chat *chat, const struct ik_confirmation *about, ik_confirmed *yes,
	void *arg)
{
	const struct ik_choice choices[] = {
		{ .key = about->yes_key, .label = about->yes, .value = ANSWER_YES },
		{ .key = about->no_key, .label = about->no, .value = ANSWER_NO },
	};
	struct ik_question question = about->shown;
	int id;

	question.title = about->title;
	question.choices = choices;
	question.choice_count = 2;
	question.escape = 1;
	question.wanted = true;
	question.guarded = about->guarded;
	if (about->text)
		ik_question_add_sentence(&question, IK_QUESTION_TEXT, about->text);
	if (about->hint)
		ik_question_add_sentence(&question, IK_QUESTION_HINT, about->hint);
	id = ik_agent_ask(chat->agent, &question, NULL, arg);
	chat->agent->questions->yes = yes; /* new questions are first in the list */
	chat->agent->questions->would_stop = about->would_stop;
	return id;
}
