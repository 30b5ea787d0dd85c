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
	const char *line; /* as given */
	bool failed;
	enum ik_error_code code; /* of a failure */
	const char *text;        /* the summary, or why it failed */
	size_t length;
	size_t shown;                 /* that much of it the model wrote, and is for the user */
	const char *from;             /* id of the first message that is not summarised; NULL: none */
	size_t left_out;              /* number of messages that had no room */
	const struct ik_usage *usage; /* NULL: unknown */
};

struct ik_compaction_options {
	struct ik_session_record *record;
	struct ik_exchange_options exchange;
	/* As in struct ik_exchange_events, but for the conversation. */
	struct ik_model *(*request)(void *arg, struct ik_request *request);
	size_t keep;               /* bytes of the newest rounds that are not summarised; 0: none */
	ik_summary_keeper *keeper; /* or NULL */
	void *keeper_arg;
	/* Called when the compaction has ended; its owner then closes it. */
	void (*done)(void *arg, const struct ik_compaction_result *result);
	void *arg;
};

/* Could a summary make the conversation shorter? keep: as in the options. Not if nobody has said
 * anything, and the model has answered in fewer than that many rounds, since the newest summary. */
bool ik_compaction_can_help(const struct ik_conversation *said, size_t keep, int rounds);

/* Start a compaction for the command line (NULL: nobody asked for it), with words ("": none) as
 * guidance. Return NULL if there is nothing to summarise. */
struct ik_compaction *ik_compaction_start(const struct ik_compaction_options *options,
	const char *line, const char *words);

/* Return the command with its output: a summary unless it failed. */
struct ik_message *ik_compaction_answer(const struct ik_compaction_result *result);

/* Emit again that a summary is being made. */
void ik_compaction_tell(const struct ik_compaction *compaction);
/* Cancel it; done reports a failure. */
void ik_compaction_cancel(struct ik_compaction *compaction);
/* Cancel it; it reports nothing more. Takes NULL. Returns NULL. */
struct ik_compaction *ik_compaction_close(struct ik_compaction *compaction);

#endif
