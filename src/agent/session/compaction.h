/*
 * compaction: a summary of the conversation so far, written by the model, which gets it instead of
 * the conversation from then on.
 *
 * Sends the model the conversation up to the part that it is to get verbatim, leaving out the older
 * half while that is too long. Changes nothing by itself.
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
	/* For the conversation, with the summary unless it failed: the command, or if ikigai compacts by
	 * itself, a notice. The receiver gets the reference. NULL: there is nothing to say yet. */
	struct ik_message *message;
	bool failed;
	enum ik_error_code code; /* of a failure, */
	const char *text;        /* and its reason */
	size_t length;
	const struct ik_usage *usage; /* NULL: unknown */
};

struct ik_compaction_options {
	struct ik_session_record *record;
	struct ik_exchange_options exchange;
	/* As in struct ik_exchange_events, but for the conversation. */
	struct ik_model *(*request)(void *arg, struct ik_request *request);
	const char *line;          /* the command; NULL: nobody asked for it, and: */
	size_t keep;               /* bytes of the newest rounds that are not summarised */
	int64_t tokens;            /* in the model's window; 0: the provider has refused them */
	int percent;               /* of the window */
	ik_summary_keeper *keeper; /* or NULL */
	void *keeper_arg;
	/* Called when the compaction has ended; its owner then closes it. */
	void (*done)(void *arg, const struct ik_compaction_result *result);
	void *arg;
};

/* Return how much stays verbatim if ikigai compacts by itself, for the model's window. */
size_t ik_compaction_keep(const struct ik_model *model);

/* Could a summary make the conversation shorter? keep: as in the options. Not if nobody has said
 * anything, and the model has answered in fewer than that many rounds, since the newest summary. */
bool ik_compaction_can_help(const struct ik_conversation *said, size_t keep, int rounds);

/* Start a compaction, with words ("": none) as guidance. options.line is copied. Return NULL if there is
 * nothing to summarise. */
struct ik_compaction *ik_compaction_start(const struct ik_compaction_options *options,
	const char *words);

/* Emit again that a summary is being made. */
void ik_compaction_tell(const struct ik_compaction *compaction);
/* Cancel it; done reports a failure. */
void ik_compaction_cancel(struct ik_compaction *compaction);
/* Cancel it; it reports nothing more. Takes NULL. Returns NULL. */
struct ik_compaction *ik_compaction_close(struct ik_compaction *compaction);

#endif
