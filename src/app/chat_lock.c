/* A session that is open in another ikigai, too: reading along, asking for it, letting it go. */
#include "app/chat_private.h"

#include <stdlib.h>
#include <string.h>

#include "tui/keymap.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define ENDING_MS 20 /* between two looks whether what was under way has ended */

/* A sentence in the conversation, with the keys of now for their names; it is not stored. */
static void say(struct ik_chat *chat, char *sentence)
{
	struct ik_keymap *keymap = ik_keymap_new_with(chat->setup->config->ui_keys);
	char *text = ik_keymap_sentence(keymap, sentence);
	const struct ik_event event = {
		.kind = IK_EVENT_NOTICE, .text = text, .text_length = strlen(text),
	};

	ik_screen_apply(chat->screen, &event);
	free(text);
	free(sentence);
	ik_keymap_free(keymap);
}

/* The same in the line over the editor. */
static void flash(struct ik_chat *chat, const char *sentence)
{
	struct ik_keymap *keymap = ik_keymap_new_with(chat->setup->config->ui_keys);
	char *text = ik_keymap_sentence(keymap, sentence);

	ik_screen_flash(chat->screen, text);
	free(text);
	ik_keymap_free(keymap);
}

const char *ik_chat_lock_mark(const struct ik_chat *chat)
{
	if (!chat->core_started || !ik_session_reads_along(chat->core.session))
		return NULL;
	return ik_session_is_asking(chat->core.session) ? _("asking") : _("reading");
}

static void show_mark(struct ik_chat *chat)
{
	if (chat->core_started)
		ik_chat_set_mode(chat, ik_policy_mode(chat->core.policy));
}

/* ---- somebody asks for ours ---- */

enum { ANSWER_NOW, ANSWER_THEN, ANSWER_NO };

/* Let it go, unless something is under way. */
static void try_to_let_go(void *arg)
{
	struct ik_chat *chat = arg;

	if (!ik_session_busy(chat->core.session)) {
		chat->letting_go = false;
		ik_session_let_go(chat->core.session);
		show_mark(chat);
	} else if (chat->cancelled_for_it) {
		ik_timer_start(chat->lock_timer, ENDING_MS);
	}
}

static void look_soon(struct ik_chat *chat)
{
	if (chat->lock_timer == NULL)
		chat->lock_timer = ik_timer_new(chat->loop, try_to_let_go, chat);
	ik_timer_start(chat->lock_timer, ENDING_MS);
}

static void on_answer(struct ik_chat *chat, void *arg, const struct ik_answer *answer)
{
	(void)arg;
	chat->lock_question = 0;
	if (answer->value == ANSWER_NO) {
		ik_session_refuse(chat->core.session);
		return;
	}
	ik_chat_take_queue_back(chat);
	chat->letting_go = true;
	chat->cancelled_for_it = answer->value == ANSWER_NOW;
	if (answer->value == ANSWER_NOW && ik_session_busy(chat->core.session))
		ik_session_cancel(chat->core.session);
	look_soon(chat);
}

static void ask(struct ik_chat *chat, const struct ik_event *event)
{
	bool busy = ik_session_busy(chat->core.session);
	struct ik_choice choices[3];
	const char *hint = _("Whoever asked goes on with it, and you read along here. You can ask for it "
		"back, or go on in a copy of your own with /fork.");
	struct ik_question_part parts[2];
	struct ik_question question = {.parts = parts, .part_count = 2, .choices = choices};
	struct ik_buf who;

	if (chat->lock_question != 0)
		ik_chat_withdraw(chat, chat->lock_question);
	ik_buf_init(&who, IK_KIB(4));
	ik_sanitize_line(&who, event->text, event->text_length);
	parts[0] = (struct ik_question_part){IK_QUESTION_TEXT, who.data, who.length};
	parts[1] = (struct ik_question_part){IK_QUESTION_HINT, hint, strlen(hint)};
	choices[question.choice_count++] = (struct ik_choice){.key = 'l', .value = ANSWER_NOW,
		.label = busy ? _("Cancel what runs, and let it go") : _("Let it go")};
	if (busy)
		choices[question.choice_count++] = (struct ik_choice){.key = 'a', .value = ANSWER_THEN,
			.label = _("Let it go after this turn")};
	choices[question.choice_count] = (struct ik_choice){.key = 'k', .value = ANSWER_NO,
		.label = _("Keep it")};
	question.initial = question.escape = question.choice_count++;
	question.title = _("Another ikigai asks for this session.");
	chat->lock_question = ik_chat_ask(chat, &question, on_answer, NULL);
	ik_buf_done(&who);
}

/* ---- what the session tells ---- */

static void take(struct ik_chat *chat, const struct ik_event *event)
{
	struct ik_buf who;

	ik_buf_init(&who, IK_KIB(4));
	ik_sanitize_line(&who, event->text, event->text_length);
	if (ik_text_equal(event->name, "others"))
		say(chat, ik_format(_("This session is open in another ikigai (%s): you read along. "
			"{take-over} asks for it, /fork goes on in a copy of your own."), who.data));
	else if (ik_text_equal(event->name, "free"))
		say(chat, ik_strdup(_("Nobody writes in this session now: {take-over} goes on with it.")));
	else if (ik_text_equal(event->name, "ours"))
		say(chat, ik_strdup(_("You write in this session now.")));
	else if (ik_text_equal(event->name, "refused"))
		say(chat, ik_format(_("The other ikigai (%s) keeps this session. /fork goes on in a copy "
			"of your own."), who.data));
	else if (ik_text_equal(event->name, "asked") && !chat->letting_go)
		ask(chat, event);
	else if (ik_text_equal(event->name, "unasked") && chat->lock_question != 0)
		ik_chat_lock_done(chat);
	ik_buf_done(&who);
	show_mark(chat);
}

void ik_chat_lock_event(struct ik_chat *chat, const struct ik_event *event)
{
	if (event->kind == IK_EVENT_LOCK)
		take(chat, event);
	else if (chat->letting_go)
		look_soon(chat);
}

/* ---- what the person wants ---- */

void ik_chat_take_over(struct ik_chat *chat)
{
	struct ik_session *session = chat->core.session;

	if (!chat->core_started || !ik_session_reads_along(session)) {
		ik_screen_flash(chat->screen, _("You write in this session already"));
	} else if (ik_session_is_asking(session)) {
		ik_session_withdraw(session);
		ik_screen_flash(chat->screen, _("You read along, and ask for nothing"));
	} else {
		ik_session_take_over(session);
		if (ik_session_is_asking(session))
			flash(chat, _("The other ikigai is asked for the session; {take-over} takes that back"));
	}
	show_mark(chat);
}

bool ik_chat_only_reads(struct ik_chat *chat)
{
	if (!chat->core_started || !ik_session_reads_along(chat->core.session))
		return false;
	flash(chat, _("You only read along: {take-over} asks for the session, /fork makes a copy"));
	return true;
}

void ik_chat_lock_done(struct ik_chat *chat)
{
	if (chat->lock_question != 0)
		ik_chat_withdraw(chat, chat->lock_question);
	chat->lock_question = 0;
	chat->letting_go = false;
	chat->lock_timer = ik_timer_close(chat->lock_timer);
}
