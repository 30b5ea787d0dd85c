/*
 * exchange: one request to a model and its reply.
 *
 * Calls its owner back in later turns of the loop: for the request, then for each delta of the
 * reply, and finally for its end (IK_INPUT_STREAM_END) or for an error (IK_INPUT_STREAM_FAILED).
 * The exchange is then over and its owner closes it, which is allowed in any of these calls. A
 * temporary failure before anything visible has arrived is reported (IK_INPUT_RETRY), and the
 * request is sent again after a wait. When the retries are used up, or the server wants a longer
 * wait than they have, and it was too busy or broken (status 429 or 5xx), the model's fallback
 * gets the request (IK_INPUT_FALLBACK).
 *
 * Owns the request, the decoder and the timers.  May include: util, conversation, loop, net, store,
 * provider, agent/model.h, agent/turn/turn.h, agent/session/file_reader.h.
 */
#ifndef IK_AGENT_SESSION_EXCHANGE_H
#define IK_AGENT_SESSION_EXCHANGE_H

#include "agent/model.h"
#include "agent/turn/turn.h"
#include "net/http.h"
#include "store/store.h"

struct ik_exchange;

struct ik_exchange_events {
	/* Set the system prompt, the conversation and the tools (which the exchange releases with
	 * free()). Return the model to use (borrowed); if NULL, the exchange fails. May close it. */
	struct ik_model *(*request)(void *arg, struct ik_request *request);
	void (*input)(void *arg, const struct ik_input *input);
};

struct ik_retry_options {
	int max;         /* limit on retries */
	int64_t base_ms; /* wait before the first retry; doubled with each retry */
	int64_t cap_ms;
};

/* Return the wait before retry number attempt (from 1) in milliseconds: between half and all of
 * base * 2^(attempt-1), depending on random, at most cap, and at least what the server asked for
 * (retry_after_ms; -1: nothing). Return -1 if the request is not sent again. */
int64_t ik_retry_wait(const struct ik_retry_options *options, int attempt, int64_t retry_after_ms,
	uint32_t random);

/* What the requests of a session have learned from failures. */
struct ik_exchange_memory {
	struct ik_refused refused; /* without which the request was sent again */
	struct ik_model *stand_in; /* a reference to the fallback that answers; NULL: none */
};

struct ik_exchange_options {
	struct ik_loop *loop;
	struct ik_http *http;
	struct ik_store *store; /* has the files of messages; NULL: all of them are in memory */
	struct ik_retry_options retry;
	int64_t idle_timeout_ms;           /* limit on the server's silence; 0: none */
	int number;                        /* request number of each input */
	struct ik_exchange_memory *memory; /* kept by the session */
	bool forbid_calls;
	bool unattended; /* no user can type commands */
};

/* Start an exchange. events must be static. */
struct ik_exchange *ik_exchange_start(const struct ik_exchange_options *options,
	const struct ik_exchange_events *events, void *arg);

/* Cancel it; it reports nothing more. Takes NULL. Returns NULL. */
struct ik_exchange *ik_exchange_close(struct ik_exchange *exchange);

#endif
