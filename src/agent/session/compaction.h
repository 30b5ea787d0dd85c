/*
 * compaction: a summary of the conversation so far, written by the model, which gets it instead of
 * the conversation from then on.
 *
 * Sends the model the conversation since the last summary, leaving out the older half while that is
 * too long. Changes nothing before the summary is complete.
 *
 * Owns its request.  May include: util, conversation, loop, net, provider, agent.
 */
#ifndef IK_AGENT_SESSION_COMPACTION_H
#define IK_AGENT_SESSION_COMPACTION_H

#include "agent/session/exchange.h"
#include "agent/session/record.h"

struct ik_compaction;

/* How a compaction ended. */
struct ik_compaction_result {
	bool failed;
	struct ik_message *message;   /* the command with its output; a summary unless it failed */
	const struct ik_usage *usage; /* NULL: unknown */
};

struct ik_compaction_options {
	struct ik_session_record *record;
	struct ik_exchange_options exchange;
	/* As in struct ik_exchange_events, but for the conversation. */
	struct ik_model *(*request)(void *arg, struct ik_request *request);
	/* Called when the compaction has ended; its owner then closes it. */
	void (*done)(void *arg, const struct ik_compaction_result *result);
	void *arg;
};

/* Start a compaction for the command line, with words ("": none) as guidance. Return NULL if there
 * is nothing to summarise. */
struct ik_compaction *ik_compaction_start(const struct ik_compaction_options *options,
	const char *line, const char *words);
/* Emit again that a summary is being made. */
void ik_compaction_tell(const struct ik_compaction *compaction);
/* Cancel it; done reports a failure. */
void ik_compaction_cancel(struct ik_compaction *compaction);
/* Cancel it; it reports nothing more. Takes NULL. Returns NULL. */
struct ik_compaction *ik_compaction_close(struct ik_compaction *compaction);

#endif
