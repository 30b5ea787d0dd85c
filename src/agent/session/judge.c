#include "agent/session/judge.h"

#include "tool/writes.h"
#include "util/alloc.h"
#include "util/text.h"

/* Return why the user is asked. */
static char *why_asked(const struct ik_verdict *verdict)
{
	if (verdict->reason == IK_REASON_RULE)
		return ik_format(_("Rule %zu of your policy asks before such a call."), verdict->number);
	return ik_strdup(_("In the mode \"ask\" you are asked before a tool may change anything."));
}

struct ik_judgement ik_judge(const struct ik_policy *policy, enum ik_asking asking,
	const struct ik_tool *tool, struct ik_json_span arguments)
{
	struct ik_judgement judgement = { .verdict = IK_TURN_ALLOW };
	struct ik_verdict verdict;

	if (!policy)
		return judgement;
	verdict = ik_policy_judge(policy, tool->name, ik_tool_reads_only(tool), arguments.text,
		arguments.length);
	if (verdict.decision == IK_DECISION_ASK && asking == IK_ASKING_USER) {
		judgement.verdict = IK_TURN_ASK;
		judgement.text = why_asked(&verdict);
	} else if (verdict.decision == IK_DECISION_DENY ||
		(verdict.decision == IK_DECISION_ASK && asking == IK_ASKING_NOBODY)) {
		judgement.verdict = IK_TURN_DENY;
		judgement.by_mode = verdict.decision == IK_DECISION_DENY &&
			verdict.reason == IK_REASON_MODE;
		judgement.text = ik_policy_denial(policy, tool->name, &verdict);
	}
	return judgement;
}
