/*
 * peer: the editor that started us, to which JSON-RPC messages go and from which they come, in both
 * directions.
 *
 * Owns the pipe. May include: util, json, rpc, loop, cli/stdio.h.
 */
#ifndef IK_ACP_PEER_H
#define IK_ACP_PEER_H

#include "loop/loop.h"
#include "rpc/jsonrpc.h"

/* The protocol's own error codes. */
enum { IK_ACP_AUTH_REQUIRED = -32000, IK_ACP_NOT_FOUND = -32002, IK_ACP_CANCELLED = -32800 };

struct ik_peer;

struct ik_peer_events {
	/* A request or a notification. */
	void (*message)(void *arg, const struct ik_rpc_message *message);
	/* The editor is gone. */
	void (*ended)(void *arg);
};

/* events is borrowed. */
struct ik_peer *ik_peer_new(struct ik_loop *loop, const struct ik_peer_events *events, void *arg);
/* Return false, after a message, if something could not be written. */
bool ik_peer_close(struct ik_peer *peer);

/* Begin the object of a result or of parameters ("{"); the functions below end and release it. */
void ik_peer_open(struct ik_buf *out);

/* Answer a request; id is JSON. */
void ik_peer_answer(struct ik_peer *peer, struct ik_json_span id, struct ik_buf *result);
void ik_peer_refuse(struct ik_peer *peer, struct ik_json_span id, int code, const char *sentence);

void ik_peer_notify(struct ik_peer *peer, const char *method, struct ik_buf *params);

/* Called once with what the editor answers. error is the sentence of a refusal, or NULL. */
typedef void ik_peer_answered(void *arg, struct ik_json_span result, const char *error);

/* Ask the editor; return the number of the request. */
int64_t ik_peer_ask(struct ik_peer *peer, const char *method, struct ik_buf *params,
	ik_peer_answered *answered, void *arg);
/* Take a request back: answered is not called any more. Does nothing if it was. */
void ik_peer_take_back(struct ik_peer *peer, int64_t number);

#endif
