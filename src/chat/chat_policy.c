/* Calls that wait for permission: the questions, and what the answers do. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "guard/policy_match.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* A call that waits for permission. */
struct ik_chat_call {
	struct ik_chat_call *next;
	struct ik_agent *agent; /* the agent that makes it */
	char *id, *name, *why;
	char *arguments;
	size_t length;
	char *targets; /* where its paths led when the question was asked */
	int question;  /* ID of its question */
	bool circling; /* the turn repeats itself: continue it? */
	bool for_good; /* the rule being chosen goes to policy.json */
};

enum { ANSWER_ONCE, ANSWER_SESSION, ANSWER_ALWAYS, ANSWER_NO };

/* Why the question is asked. */
enum asking {
	ASKING_NEW,
	ASKING_AGAIN,  /* the user went back to the question */
	ASKING_CHANGED /* the call has changed since it was shown */
};

static void ask_about_call(struct ik_chat_call *call, enum asking asking);

static void call_free(struct ik_chat_call *call)
{
	free(call->id);
	free(call->name);
	free(call->why);
	free(call->arguments);
	free(call->targets);
	free(call);
}

/* Return where the call's paths lead now; the caller frees it. */
static char *find_targets(const struct ik_chat_call *call)
{
	return ik_policy_targets(call->agent->chat->setup->places.directory, call->arguments,
		call->length);
}

/* Is the call still the one that the user was shown? If one of its paths leads elsewhere by now,
 * judge it again and ask again. */
static bool is_as_shown(struct ik_chat_call *call)
{
	char *targets = find_targets(call);
	bool same = ik_text_equal(targets, call->targets);

	free(targets);
	if (!same) {
		ask_about_call(call, ASKING_CHANGED);
		ik_session_policy_changed(call->agent->session);
	}
	return same;
}

/* ---- the second question: which rule ---- */

/* Make the rule of a choice, whose value is the width. */
static bool suggest(const struct ik_chat *chat, const struct ik_chat_call *call, int width,
	struct ik_rule *ret_rule)
{
	return ik_policy_suggest(chat->core.policy, call->name, call->arguments, call->length,
		(enum ik_width)width, ret_rule);
}

static void on_rule(struct ik_chat *chat, void *arg, const struct ik_invocation *answer)
{
	struct ik_chat_call *call = arg;
	struct ik_rule rule;

	if (!answer)
		return;
	if (answer->value < 0 || !suggest(chat, call, answer->value, &rule)) {
		ask_about_call(call, ASKING_AGAIN);
		return;
	}
	if (!is_as_shown(call)) {
		ik_rule_done(&rule);
		return;
	}
	if (ik_core_keep_rule(&chat->core, &rule, call->for_good)) {
		ik_session_answer(chat->core.session, call->id, call->name, true, "");
		ik_core_policy_changed(&chat->core);
	} else {
		ask_about_call(call, ASKING_AGAIN);
	}
	ik_rule_done(&rule);
}

/* Add a rule in words, with its key. */
static void add_rule(const struct ik_chat *chat, struct ik_question *question, char key,
	const struct ik_rule *rule)
{
	struct ik_buf line;

	ik_buf_init(&line, IK_LIMIT_CONFIG);
	ik_buf_printf(&line, "[%c] ", key);
	ik_policy_put_rule(chat->core.policy, rule, &line);
	ik_question_add(question, IK_QUESTION_TEXT, line.data, line.length);
	ik_buf_done(&line);
}

static void ask_for_rule(struct ik_chat *chat, struct ik_chat_call *call)
{
	static const char *const labels[] = {
		[IK_WIDTH_CALL] = N_("Only this"),
		[IK_WIDTH_LIKE] = N_("All like it"),
		[IK_WIDTH_TOOL] = N_("Any call"),
	};
	struct ik_choice choices[4];
	struct ik_question question = { .choices = choices, .first = true };
	struct ik_rule rule;
	int width;

	for (width = 0; width <= IK_WIDTH_TOOL; width++) {
		if (!suggest(chat, call, width, &rule))
			continue;
		char key = (char)('1' + question.choice_count);

		add_rule(chat, &question, key, &rule);
		ik_rule_done(&rule);
		choices[question.choice_count++] = (struct ik_choice){
			.key = key, .label = _(labels[width]), .value = width
		};
	}
	choices[question.choice_count] = (struct ik_choice){
		.key = 'b', .label = _("Back"), .value = -1
	};
	question.escape = question.choice_count++;
	ik_question_add_sentence(&question, IK_QUESTION_HINT,
		call->for_good
			? _("It is kept in policy.json, for all sessions; /mode lists such rules and takes "
				"them back.")
			: _("It holds until this session ends; /mode lists such rules and takes them back."));
	question.title = call->for_good ? _("Which calls are always to be allowed?")
									: _("Which calls are to be allowed in this session?");
	call->question = ik_agent_ask(call->agent, &question, on_rule, call);
}

/* ---- the first question ---- */

static void on_answer(struct ik_chat *chat, void *arg, const struct ik_invocation *answer)
{
	struct ik_chat_call *call = arg;

	if (!answer)
		return;
	switch (answer->value) {
	case ANSWER_ONCE:
		if (is_as_shown(call))
			ik_session_answer(chat->core.session, call->id, call->name, true, "");
		break;
	case ANSWER_SESSION:
	case ANSWER_ALWAYS:
		call->for_good = answer->value == ANSWER_ALWAYS;
		if (is_as_shown(call))
			ask_for_rule(chat, call);
		break;
	default:
		ik_session_answer(chat->core.session, call->id, call->name, false, answer->text);
		break;
	}
}

static void ask_about_call(struct ik_chat_call *call, enum asking asking)
{
	const struct ik_chat *chat = call->agent->chat;
	const struct ik_choice choices[] = {
		{ .key = 'y', .label = _("Once"), .value = ANSWER_ONCE },
		{ .key = 's', .label = _("This session"), .value = ANSWER_SESSION },
		{ .key = 'a', .label = _("Always"), .value = ANSWER_ALWAYS },
		{ .key = 'n',
			.label = _("No"),
			.value = ANSWER_NO,
			.prompt = _("Reason for the model (or nothing): ") },
	};
	const struct ik_choice ways[] = {
		{ .key = 'g', .label = _("Go on"), .value = ANSWER_ONCE },
		{ .key = 's', .label = _("Stop"), .value = ANSWER_NO },
	};
	char *title = ik_format(call->circling ? _("The model calls %s again and again. Go on?")
										   : _("May the model call %s?"),
		call->name);
	size_t safe = call->circling ? 1 : 3;
	struct ik_question question = {
		.title = title,
		.first = asking != ASKING_NEW,
		.guarded = asking == ASKING_CHANGED,
		.choices = call->circling ? ways : choices,
		.choice_count = safe + 1,
		.escape = safe,
	};

	free(call->targets);
	call->targets = find_targets(call);
	ik_question_add_call(&question, chat->setup->places.directory,
		ik_registry_display(ik_core_registry(&chat->core), call->name), call->arguments,
		call->length);
	ik_question_add_sentence(&question, IK_QUESTION_HINT, call->why);
	call->question = ik_agent_ask(call->agent, &question, on_answer, call);
	free(title);
}

/* Remove the call with this ID from the list and return it, or NULL if there is none. */
static struct ik_chat_call *take_call(struct ik_agent *agent, const char *id)
{
	struct ik_chat_call **place = &agent->calls, *found;

	while (*place && !ik_text_equal((*place)->id, id))
		place = &(*place)->next;
	found = *place;
	if (found)
		*place = found->next;
	return found;
}

void ik_chat_policy_event(struct ik_agent *agent, const struct ik_event *event)
{
	struct ik_chat_call *call;

	if (event->kind == IK_EVENT_ASKING) {
		call = ik_alloc(sizeof(*call));
		call->agent = agent;
		call->id = ik_strdup(event->id);
		call->name = ik_strdup(event->name);
		call->why = ik_strdup(event->detail);
		call->arguments = ik_strndup(event->text, event->text_length);
		call->length = event->text_length;
		call->circling = event->ends_turn;
		call->next = agent->calls;
		agent->calls = call;
		ask_about_call(call, ASKING_NEW);
	} else if (event->kind == IK_EVENT_ASKED && (call = take_call(agent, event->id))) {
		ik_chat_withdraw(agent->chat, call->question);
		call_free(call);
	}
}

void ik_chat_policy_done(struct ik_agent *agent)
{
	while (agent->calls)
		call_free(take_call(agent, agent->calls->id));
}
