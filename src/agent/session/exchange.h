/*
 * exchange: one request to a model and its reply.
 *
 * Whoever asks is called back in later turns of the loop: for the request, then for each delta of
 * the reply, and at last for its end (IK_INPUT_STREAM_END) or for what went wrong
 * (IK_INPUT_STREAM_FAILED); then the exchange is over and wants to be closed.  It may be closed
 * in any of these calls.  Before anything that a user sees has arrived, a failure that may pass is
 * told (IK_INPUT_RETRY), and everything begins anew after a while.
 *
 * Owns the request, the decoder and the timers.  May include: util, conversation, loop, net,
 * provider, agent/model.h, agent/turn/turn.h.
 */
#ifndef IK_AGENT_SESSION_EXCHANGE_H
#define IK_AGENT_SESSION_EXCHANGE_H

#include "agent/model.h"
#include "agent/turn/turn.h"
#include "net/http.h"

struct ik_exchange;

struct ik_exchange_events {
	/* Set the system prompt, the conversation and the tools (which free() releases). Return the model
	 * to ask (borrowed); NULL: there is none, the exchange fails. */
	struct ik_model *(*request)(void *arg, struct ik_request *request);
	void (*input)(void *arg, const struct ik_input *input);
};

struct ik_retry_options {
	int max;         /* tries after the first */
	int64_t base_ms; /* the first wait; doubled with each try */
	int64_t cap_ms;
};

/* Return the milliseconds to wait before try number attempt (from 1) after the first: between half
 * and all of base * 2^(attempt-1), as the random number says, at most cap, and at least what the
 * server said (-1: nothing). -1: the request is not sent again. */
int64_t ik_retry_wait(const struct ik_retry_options *options, int attempt, int64_t retry_after_ms,
	uint32_t random);

struct ik_exchange_options {
	struct ik_loop *loop;
	struct ik_http *http;
	struct ik_retry_options retry;
	int64_t idle_timeout_ms; /* of a stream without events; 0: none */
	int number;              /* of each input's request */
	bool forbid_calls;
	bool unattended; /* nobody can type commands (struct ik_endpoint) */
};

/* events is static. */
struct ik_exchange *ik_exchange_start(const struct ik_exchange_options *options,
	const struct ik_exchange_events *events, void *arg);

/* Silent at once. Takes NULL, returns NULL. */
struct ik_exchange *ik_exchange_close(struct ik_exchange *exchange);

#endif
