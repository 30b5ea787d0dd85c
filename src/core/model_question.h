/*
 * model_question: a provider that is being asked for its models because of a /model.
 *
 * Owned by the core, which ends it with the session that asked.
 *
 * May include: util, provider, agent.
 */
#ifndef IK_CORE_MODEL_QUESTION_H
#define IK_CORE_MODEL_QUESTION_H

#include "agent/model.h"
#include "agent/model_list.h"
#include "agent/session/session.h"

struct ik_model_question {
	struct ik_model_list *list;
	struct ik_session *session; /* the one that asked; borrowed */
	char *line;                 /* the command */
	char *wanted;               /* the model to switch to; NULL: to list them all */
};

struct ik_model_question *ik_model_question_new(struct ik_session *session, const char *line,
	const char *wanted);
struct ik_model_question *ik_model_question_free(struct ik_model_question *question);

/* End it if it is this session's; returns what remains. */
struct ik_model_question *ik_model_question_of_others(struct ik_model_question *question,
	const struct ik_session *session);

#endif
