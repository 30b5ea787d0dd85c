/*
 * transport: how messages reach one MCP server, and how its own arrive.
 *
 * Each kind (tool/mcp/transport_stdio.c, transport_http.c) is a table of functions, and a struct of
 * its own with struct ik_mcp_transport at its beginning. What messages mean is the client's business
 * (tool/mcp/client.h), except where HTTP wants a part of them in headers.
 *
 * May include: util, json, loop, net, guard.
 */
#ifndef IK_TOOL_MCP_TRANSPORT_H
#define IK_TOOL_MCP_TRANSPORT_H

#include "json/scan.h"
#include "loop/child.h"
#include "net/http.h"
#include "tool/mcp/entry.h"
#include "util/limits.h"

/* The longest message: pictures come as base64. */
#define IK_MCP_MESSAGE_LIMIT IK_MIB(64)

struct ik_mcp_transport;
struct ik_sandbox;

/* Set in the environment of servers: one that is an ikigai uses no servers itself, or it would start
 * itself without end where a project names it. */
#define IK_MCP_INSIDE "IKIGAI_SERVER"

/* What a server is started with. Borrowed until the transport is closed. */
struct ik_mcp_options {
	const char *const *environment; /* that of tools, without our keys */
	const char *directory;          /* the session's */
	struct ik_sandbox *sandbox;     /* NULL: not confined */
	int64_t memory_limit;           /* bytes; 0: none */
	bool asks;                      /* the user can be asked what a server wants to know */
	struct ik_http_options http;
};

struct ik_mcp_transport_events {
	/* One message, not checked, valid during the call; NULL: one that was longer than the limit was
	 * skipped. A request that HTTP could not deliver is answered here, too, by an error. */
	void (*message)(void *arg, const char *text, size_t length);
	/* A piece of what the server logs (its stderr). */
	void (*log)(void *arg, const char *bytes, size_t length);
	/* Nothing more will come: why, and of a process, how it ended (or NULL). Called once, unless it
	 * is closed before, and never from inside a function of the transport. */
	void (*over)(void *arg, const char *sentence, const struct ik_child_result *result);
};

struct ik_mcp_transport_ops {
	/* Send a message, which is on one line; the byte after it is a line feed. schema is of the input
	 * of the tool that it calls, or no value. Return false if it cannot be sent: the server doesn't
	 * read, or has ended. */
	bool (*send)(struct ik_mcp_transport *transport, struct ik_json_span message,
		struct ik_json_span schema);
	/* Say farewell, and end the server if it doesn't end by itself; over follows. */
	void (*end)(struct ik_mcp_transport *transport);
	/* Stop at once, without a callback. What still runs is killed, unless it was told to end: then
	 * it has some seconds. The memory is released in a later turn of the loop. */
	void (*close)(struct ik_mcp_transport *transport);
};

struct ik_mcp_transport {
	const struct ik_mcp_transport_ops *ops;
	const struct ik_mcp_transport_events *events;
	void *arg;
	const char *version; /* of the protocol, static, set by the client once it is agreed; NULL: not
							yet */
};

/* Start the server of an entry with a command, as a child that lives until it is ended (or ikigai
 * ends, even killed). Return NULL if it can't be started; *error says why. */
struct ik_mcp_transport *ik_mcp_stdio_new(struct ik_loop *loop, const struct ik_mcp_entry *entry,
	const struct ik_mcp_options *options, const struct ik_mcp_transport_events *events, void *arg,
	struct ik_error *error);

/* Reach the server of an entry (borrowed) with a URL by streamable HTTP. What goes wrong answers the
 * requests. A session that the server has forgotten is begun anew, and a redirection is followed only
 * to the same server, since headers have secrets. */
struct ik_mcp_transport *ik_mcp_http_new(struct ik_loop *loop, const struct ik_mcp_entry *entry,
	const struct ik_mcp_options *options, const struct ik_mcp_transport_events *events, void *arg);

/* Return the path of the program that would be started (new memory), or NULL if PATH has none. */
char *ik_mcp_stdio_program(const struct ik_mcp_entry *entry, const struct ik_mcp_options *options);

#endif
