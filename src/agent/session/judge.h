/*
 * judge: may a call be made?  What the policy says, and who is asked.
 *
 * Pure.  May include: util, guard/policy.h, tool, agent/turn/turn.h.
 */
#ifndef IK_AGENT_SESSION_JUDGE_H
#define IK_AGENT_SESSION_JUDGE_H

#include "agent/turn/turn.h"
#include "guard/policy.h"
#include "tool/registry.h"

/* Who answers where the policy says to ask. */
enum ik_asking {
	IK_ASKING_USER,   /* the user: IK_EVENT_ASKING, ik_session_answer() */
	IK_ASKING_NOBODY, /* nobody: such calls are denied */
	IK_ASKING_ALLOWED /* it was answered beforehand: they are allowed */
};

struct ik_judgement {
	enum ik_turn_verdict verdict;
	bool by_mode; /* the mode denies it, not a rule */
	char *text;   /* why, in new memory; of a denial the envelope's sentence; NULL: nothing */
};

/* Judge a call with the arguments that the tool would get. policy NULL: every call is allowed. */
struct ik_judgement ik_judge(const struct ik_policy *policy, enum ik_asking asking,
	const struct ik_tool *tool, struct ik_json_span arguments);

#endif
