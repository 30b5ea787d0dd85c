/* May a call be made? The policy's word, and the person's. */
#include "agent/session/session_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Give the turn its answer about a call; text is NUL-terminated. */
static void post_verdict(struct ik_session *session, int call, enum ik_turn_verdict verdict,
	const char *text)
{
	struct ik_input input = {
		.kind = IK_INPUT_VERDICT,
		.call = call,
		.verdict = verdict,
		.text = text,
		.text_length = strlen(text),
	};

	ik_session_post(session, &input);
}

/* Why the person is asked. */
static char *why_asked(const struct ik_verdict *verdict)
{
	if (verdict->reason == IK_REASON_RULE)
		return ik_format(_("Rule %zu of your policy asks before such a call."), verdict->number);
	return ik_strdup(_("In the mode \"ask\" you are asked before a tool may change anything."));
}

/* Judge the arguments that the tool would get. */
static struct ik_verdict judge(struct ik_session *session, const struct ik_effect *effect,
	const struct ik_tool *tool)
{
	struct ik_verdict verdict;
	struct ik_buf arguments;

	ik_buf_init(&arguments, IK_LIMIT_ARGUMENTS);
	ik_session_put_arguments(session, effect->name, effect->arguments, effect->arguments_length,
		&arguments);
	verdict = ik_policy_judge(session->options.policy, effect->name, ik_tool_reads_only(tool),
		arguments.data, arguments.length);
	ik_buf_done(&arguments);
	return verdict;
}

void ik_session_judge(struct ik_session *session, const struct ik_effect *effect)
{
	const struct ik_tool *tool = ik_registry_find(session->registry, effect->name);
	enum ik_turn_verdict answer = IK_TURN_ALLOW;
	struct ik_verdict verdict;
	char *text = NULL;

	/* A tool that is not there is not found, whatever the rules say. */
	if (session->options.policy && tool) {
		verdict = judge(session, effect, tool);
		/* On the way from "ask" to "auto" lies "read-only": a question that is up stays,
		 * the person can answer it. */
		if (verdict.decision == IK_DECISION_DENY && verdict.reason == IK_REASON_MODE &&
			ik_turn_asking(session->turn, effect->id) != 0)
			return;
		if (verdict.decision == IK_DECISION_ASK && session->options.asking == IK_ASKING_PERSON) {
			answer = IK_TURN_ASK;
			text = why_asked(&verdict);
		} else if (verdict.decision == IK_DECISION_DENY ||
			(verdict.decision == IK_DECISION_ASK && session->options.asking == IK_ASKING_NOBODY)) {
			answer = IK_TURN_DENY;
			text = ik_policy_denial(session->options.policy, effect->name, &verdict);
		}
	}
	post_verdict(session, effect->call, answer, text ? text : "");
	free(text);
}

void ik_session_answer(struct ik_session *session, const char *id, const char *name, bool allow,
	const char *reason)
{
	int call = ik_turn_asking(session->turn, id);
	char *sentence;

	if (call == 0)
		return;
	if (allow) {
		post_verdict(session, call, IK_TURN_GRANT, "");
		return;
	}
	sentence = ik_format("Tool '%s' was not run: the person denied this call%s%s", name,
		reason[0] != '\0' ? ": " : "", reason);
	post_verdict(session, call, IK_TURN_DENY, sentence);
	free(sentence);
}

void ik_session_policy_changed(struct ik_session *session)
{
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_JUDGE_AGAIN });
}
