/*
 * context: how much of the model's context window the conversation takes.
 *
 * Told as IK_EVENT_CONTEXT, with a notice once it is nearly full.  Borrows the record.
 * May include: util, conversation, agent/model.h, agent/session/record.h.
 */
#ifndef IK_AGENT_SESSION_CONTEXT_H
#define IK_AGENT_SESSION_CONTEXT_H

#include "agent/model.h"
#include "agent/session/record.h"

struct ik_context_meter {
	struct ik_session_record *record;
	bool attended;  /* the user can type commands */
	int64_t tokens; /* of the last round; 0: not known */
	bool warned;
};

/* Tell how full the window of this model (NULL: none) is, and warn. */
void ik_context_tell(struct ik_context_meter *context, const struct ik_model *model);
/* The same after a round that took these tokens. */
void ik_context_measure(struct ik_context_meter *context, const struct ik_model *model,
	const struct ik_usage *usage);
/* The same with the last round of the conversation, where there is one. */
void ik_context_recall(struct ik_context_meter *context, const struct ik_model *model);
/* The conversation was summarised: it is not known until the next round. */
void ik_context_reset(struct ik_context_meter *context, const struct ik_model *model);

#endif
