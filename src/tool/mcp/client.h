/*
 * client: the conversation with one running MCP server, in either era of the protocol.
 *
 * A modern server is asked server/discover and needs no session; one that doesn't know that, or is
 * silent for five seconds, gets initialize (the specification of 2026-07-28, basic/lifecycle).
 * Requests made before that is settled wait. Answers come in any order; those that nobody waits for
 * are ignored. Of what the server asks for it gets only the user's answers to forms (elicitation), and
 * that only while a request is at work that has somebody to ask.
 *
 * Owns the transport and the requests. May include: util, json, rpc, loop, tool/mcp.
 */
#ifndef IK_TOOL_MCP_CLIENT_H
#define IK_TOOL_MCP_CLIENT_H

#include "rpc/jsonrpc.h"
#include "tool/mcp/transport.h"

struct ik_mcp_client;
struct ik_mcp_request;

/* None may be NULL. All are called from the loop, never from inside a function of the client. */
struct ik_mcp_client_events {
	/* The era is settled: ik_mcp_client_about() says all. */
	void (*ready)(void *arg);
	/* The server says that its tools have changed; called again only after a pause. */
	void (*changed)(void *arg);
	/* What the server logs, for people: lines, whole or not. */
	void (*log)(void *arg, const char *bytes, size_t length);
	/* A message was too long to be read: nobody knows what it answered. */
	void (*lost)(void *arg);
	/* The server is gone, or of no use: why, and how its process ended (or NULL). No request is
	 * answered any more. Called once; close the client. */
	void (*over)(void *arg, const char *sentence, const struct ik_child_result *result);
};

struct ik_mcp_request_events {
	/* The answer: a result or an error (rpc/jsonrpc.h). The request is gone. */
	void (*answer)(void *arg, struct ik_json_span result, struct ik_json_span error);
	/* It makes progress, as params of notifications/progress say. NULL: not wanted. */
	void (*progress)(void *arg, struct ik_json_span params);
	/* The server asks the user something before it goes on, as params of elicitation/create say; no
	 * value: that is over. ik_mcp_request_reply() answers; there is one question at a time. NULL:
	 * nobody is asked. */
	void (*ask)(void *arg, struct ik_json_span params);
};

/* What is known of a server. */
struct ik_mcp_about {
	const char *version; /* of the protocol; NULL: not settled */
	bool modern;
	char *name, *server_version; /* by its own account; or NULL */
};

/* Start the server of an entry or connect to it, and begin. entry and options are borrowed until the
 * client is closed. legacy: an earlier run found that the server needs initialize. Return NULL if it
 * can't be started; *error says why. */
struct ik_mcp_client *ik_mcp_client_new(struct ik_loop *loop, const struct ik_mcp_entry *entry,
	const struct ik_mcp_options *options, bool legacy, const struct ik_mcp_client_events *events,
	void *arg, struct ik_error *error);

const struct ik_mcp_about *ik_mcp_client_about(const struct ik_mcp_client *client);

/*
 * Ask something. members are those of params, without braces and _meta (copied); schema as in
 * ik_mcp_transport_ops, borrowed until the request is gone.
 */
struct ik_mcp_request *ik_mcp_client_ask(struct ik_mcp_client *client, const char *method,
	const char *members, struct ik_json_span schema, const struct ik_mcp_request_events *events,
	void *arg);
/* Ask for all pages of the tools: the answer is an object with a member tools. */
struct ik_mcp_request *ik_mcp_client_list(struct ik_mcp_client *client,
	const struct ik_mcp_request_events *events, void *arg);
/* Answer the question with a result of elicitation/create, which is checked JSON; does nothing if there
 * is none. */
void ik_mcp_request_reply(struct ik_mcp_request *request, struct ik_json_span answer);
/* Forget a request, and tell the server. Takes NULL. Returns NULL. */
struct ik_mcp_request *ik_mcp_request_cancel(struct ik_mcp_request *request);

/* Have the server end in good order; over follows. */
void ik_mcp_client_end(struct ik_mcp_client *client);
/* Stop at once. Takes NULL. Returns NULL. */
struct ik_mcp_client *ik_mcp_client_close(struct ik_mcp_client *client);

#endif
