/*
 * exchange: one request to a model and its reply.
 *
 * Whoever asks is called back in later turns of the loop: once for the request, then for each
 * delta of the reply, and at last for its end (IK_INPUT_STREAM_END) or for what went wrong
 * (IK_INPUT_STREAM_FAILED); then the exchange is over and wants to be closed.  It may be closed
 * in any of these calls.
 *
 * Owns the request, the decoder and the timers.  May include: util, conversation, loop, net,
 * provider, agent/model.h, agent/transfer.h, agent/turn/turn.h.
 */
#ifndef IK_AGENT_SESSION_EXCHANGE_H
#define IK_AGENT_SESSION_EXCHANGE_H

#include "agent/model.h"
#include "agent/turn/turn.h"
#include "net/http.h"

struct ik_exchange;

struct ik_exchange_events {
	/* Set the system prompt, the conversation and the tools (which free() releases). */
	void (*request)(void *arg, struct ik_request *request);
	void (*input)(void *arg, const struct ik_input *input);
};

struct ik_exchange_options {
	struct ik_loop *loop;
	struct ik_http *http;
	struct ik_model *model;  /* a reference is taken; NULL: none, the exchange fails */
	int64_t idle_timeout_ms; /* of a stream without events; 0: none */
	int number;              /* of each input's request */
	bool forbid_calls;
};

/* events is static. */
struct ik_exchange *ik_exchange_start(const struct ik_exchange_options *options,
	const struct ik_exchange_events *events, void *arg);

/* Silent at once. Takes NULL, returns NULL. */
struct ik_exchange *ik_exchange_close(struct ik_exchange *exchange);

#endif
