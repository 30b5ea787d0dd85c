/*
 * compaction: a model's summary of the conversation so far, which replaces it for the model.
 *
 * Asks the model with the conversation since the last summary, leaving out the older half while
 * that is too long.  Nothing is changed before it is done.
 *
 * Owns its request.  May include: util, conversation, loop, net, provider, agent.
 */
#ifndef IK_AGENT_SESSION_COMPACTION_H
#define IK_AGENT_SESSION_COMPACTION_H

#include "agent/session/exchange.h"
#include "agent/session/record.h"

struct ik_compaction;

/* What has become of it. */
struct ik_compaction_result {
	bool failed;
	struct ik_message *message;   /* the command with its output; a summary unless it failed */
	const struct ik_usage *usage; /* NULL: not known */
};

struct ik_compaction_options {
	struct ik_session_record *record;
	struct ik_exchange_options exchange;
	/* As in struct ik_exchange_events, but for the conversation. */
	struct ik_model *(*request)(void *arg, struct ik_request *request);
	/* It is over and wants to be closed. */
	void (*done)(void *arg, const struct ik_compaction_result *result);
	void *arg;
};

/* Start one for the command line, with words ("": none) in mind. NULL: there is nothing to
 * summarise. */
struct ik_compaction *ik_compaction_start(const struct ik_compaction_options *options,
	const char *line, const char *words);
/* Tell again that a summary is being made. */
void ik_compaction_tell(const struct ik_compaction *compaction);
/* It fails. */
void ik_compaction_cancel(struct ik_compaction *compaction);
/* Silent at once. Takes NULL, returns NULL. */
struct ik_compaction *ik_compaction_close(struct ik_compaction *compaction);

#endif
