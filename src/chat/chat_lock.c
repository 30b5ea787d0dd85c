/* Sessions that are also open in another ikigai: follow, take over, hand over. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

/* Show a sentence in the conversation, with keys filled in, and free it. It is not stored. */
static void say(struct ik_agent *agent, char *sentence)
{
	char *text = ik_chat_with_keys(agent->chat, sentence);

	ik_agent_say(agent, IK_EVENT_NOTICE, "%s", text);
	free(text);
	free(sentence);
}

/* Show a sentence over the editor, with keys filled in. */
static void flash(struct ik_agent *agent, const char *sentence)
{
	char *text = ik_chat_with_keys(agent->chat, sentence);

	ik_screen_flash(agent->screen, text);
	free(text);
}

/* ---- another ikigai asks for our session ---- */

enum { ANSWER_NOW, ANSWER_THEN, ANSWER_NO };

static void let_go(struct ik_agent *agent)
{
	ik_stored_release(ik_session_stored(agent->session));
}

static void on_answer(struct ik_chat *chat, void *arg, const struct ik_invocation *answer)
{
	struct ik_agent *agent = chat->agent; /* only the shown agent is asked */

	if (!answer)
		return;
	agent->lock_question = 0;
	if (answer->value == ANSWER_NO) {
		ik_stored_refuse(ik_session_stored(agent->session));
		return;
	}
	ik_chat_take_queue_back(chat);
	if (answer->value == ANSWER_NOW && ik_session_busy(agent->session))
		ik_session_cancel(agent->session);
	ik_agent_when_idle(agent, let_go);
}

static void ask(struct ik_agent *agent)
{
	bool busy = ik_session_busy(agent->session);
	struct ik_choice choices[3];
	struct ik_question question = { .choices = choices };

	if (agent->lock_question != 0)
		ik_chat_withdraw(agent->chat, agent->lock_question);
	ik_question_add_sentence(&question, IK_QUESTION_TEXT, agent->lock_asker);
	ik_question_add_sentence(&question, IK_QUESTION_HINT,
		_("Whoever asked goes on with it, and you read along here. You can ask for it "
		  "back, or go on in a copy of your own with /fork."));
	choices[question.choice_count++] = (struct ik_choice){ .key = 'l',
		.value = ANSWER_NOW,
		.label = busy ? _("Cancel what runs, and let it go") : _("Let it go") };
	if (busy)
		choices[question.choice_count++] = (struct ik_choice){
			.key = 'a', .value = ANSWER_THEN, .label = _("Let it go after this turn")
		};
	choices[question.choice_count] = (struct ik_choice){
		.key = 'k', .value = ANSWER_NO, .label = _("Keep it")
	};
	question.escape = question.choice_count++;
	question.title = _("Another ikigai asks for this session.");
	agent->lock_question = ik_agent_ask(agent, &question, on_answer, NULL);
}

/* ---- events of the session ---- */

static void take(struct ik_agent *agent, const struct ik_event *event)
{
	struct ik_buf who;

	ik_buf_init(&who, IK_KIB(4));
	ik_sanitize_line(&who, event->text, event->text_length);
	if (event->lock == IK_LOCK_CHANGE_OTHERS)
		say(agent,
			ik_format(_("This session is open in another ikigai (%s): you read along. "
						"{take-over} asks for it, /fork goes on in a copy of your own."),
				who.data));
	else if (event->lock == IK_LOCK_CHANGE_FREE)
		say(agent, ik_strdup(_("Nobody writes in this session now: {take-over} goes on with it.")));
	else if (event->lock == IK_LOCK_CHANGE_OURS)
		say(agent, ik_strdup(_("You write in this session now.")));
	else if (event->lock == IK_LOCK_CHANGE_REFUSED)
		say(agent,
			ik_format(_("The other ikigai (%s) keeps this session. /fork goes on in a copy "
						"of your own."),
				who.data));
	else if (event->lock == IK_LOCK_CHANGE_ASKED && agent->when_idle != let_go) {
		free(agent->lock_asker);
		agent->lock_asker = ik_strdup(who.data);
		ask(agent);
	} else if (event->lock == IK_LOCK_CHANGE_UNASKED && agent->lock_question != 0)
		ik_chat_lock_done(agent);
	/* The request is answered, so its message is outdated. */
	if (event->lock == IK_LOCK_CHANGE_OURS || event->lock == IK_LOCK_CHANGE_REFUSED)
		ik_screen_flash(agent->screen, NULL);
	ik_buf_done(&who);
}

void ik_chat_lock_event(struct ik_agent *agent, const struct ik_event *event)
{
	if (event->kind == IK_EVENT_LOCK)
		take(agent, event);
	/* When the turn ends, there is nothing left to cancel for the handover. */
	if (event->kind == IK_EVENT_TURN_DONE && agent->lock_question != 0)
		ask(agent);
}

/* ---- what the user does ---- */

void ik_chat_take_over(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	struct ik_agent *agent = chat->agent;
	struct ik_session *session = agent->session;

	if (!agent->session || !ik_session_is_following(session)) {
		ik_screen_flash(agent->screen, _("You write in this session already"));
	} else if (ik_stored_is_asking(ik_session_stored(session))) {
		ik_stored_withdraw(ik_session_stored(session));
		ik_screen_flash(agent->screen, _("You read along, and ask for nothing"));
	} else {
		ik_stored_ask(ik_session_stored(session));
		if (ik_stored_is_asking(ik_session_stored(session)))
			flash(agent,
				_("The other ikigai is asked for the session; {take-over} takes that back"));
	}
}

bool ik_chat_only_reads(struct ik_chat *chat)
{
	struct ik_agent *agent = chat->agent;

	if (!agent->session || !ik_session_is_following(agent->session))
		return false;
	flash(agent, _("You only read along: {take-over} asks for the session, /fork makes a copy"));
	return true;
}

void ik_chat_lock_done(struct ik_agent *agent)
{
	if (agent->lock_question != 0)
		ik_chat_withdraw(agent->chat, agent->lock_question);
	agent->lock_question = 0;
	if (agent->when_idle == let_go)
		agent->when_idle = NULL;
}
