/*
 * server: the tools of a directory for clients of the Model Context Protocol, whatever the transport.
 *
 * Written after modelcontextprotocol.io/specification.  A session that begins with `initialize`
 * speaks the version agreed there (2024-11-05 to 2025-11-25); a request that names its version in
 * _meta is answered by itself (2026-07-28), with or without a session.
 *
 * A request for tools waits until they are known, and a call for a slot.  Policy, trust, sandbox,
 * time-outs and the check of arguments are those of the chat; nobody is there to be asked.
 *
 * Owns the registry's scan, the policy and the calls. May include: all but tui and chat.
 */
#ifndef IK_MCP_SERVER_H
#define IK_MCP_SERVER_H

#include "cli/cli.h"

struct ik_mcp_server;
struct ik_mcp_session;

/* Where a message came from, and the answers to it go. The transport owns it. */
struct ik_mcp_channel {
	/* Send one message, of one line without its line feed. May not close anything. */
	void (*send)(struct ik_mcp_channel *channel, const char *text, size_t length);
	/* No request of the channel is unanswered any more; NULL: of no interest. May not close
	 * anything. */
	void (*settled)(struct ik_mcp_channel *channel);
	size_t unanswered; /* kept by the server */
};

/* Start the scan. cli (borrowed) has the options and the setup. */
struct ik_mcp_server *ik_mcp_server_new(struct ik_cli *cli);
/* Kill what runs. All sessions must be closed. */
struct ik_mcp_server *ik_mcp_server_close(struct ik_mcp_server *server);

struct ik_mcp_session *ik_mcp_session_new(struct ik_mcp_server *server);
/* Cancel its calls; nothing is sent any more. */
struct ik_mcp_session *ik_mcp_session_close(struct ik_mcp_session *session);

/* Set where a session's messages go that answer no request (borrowed); NULL: nowhere. */
void ik_mcp_session_listen(struct ik_mcp_session *session, struct ik_mcp_channel *channel);

/* Handle one message, or NULL for one that was too long. It may be answered before this returns. */
void ik_mcp_session_take(struct ik_mcp_session *session, struct ik_mcp_channel *channel,
	const char *text, size_t length);

/* Send nothing to a channel any more; with cancel, its requests are cancelled, too. */
void ik_mcp_session_leave(struct ik_mcp_session *session, const struct ik_mcp_channel *channel,
	bool cancel);

#endif
