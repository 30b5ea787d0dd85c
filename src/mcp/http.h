/*
 * http: clients by streamable HTTP, on this machine only.
 *
 * Written after modelcontextprotocol.io/specification, basic/transports.  There is one address,
 * /mcp. A POST is a message; its answer is JSON, or a stream of events as soon as there is more to
 * say.  A session of the older versions has an id and may have a stream of its own (GET). Each
 * request needs the bearer token; pages of other origins are refused, whatever they know.
 *
 * Owns the sessions. May include: all but tui and chat.
 */
#ifndef IK_MCP_HTTP_H
#define IK_MCP_HTTP_H

#include "mcp/server.h"

/* The variable with the token; without it, one is made and printed. */
#define IK_MCP_TOKEN_VARIABLE "IKIGAI_MCP_TOKEN"

/* Serve on "ADDRESS:PORT" until a signal. Return the exit status. */
int ik_mcp_http_serve(struct ik_cli *cli, struct ik_mcp_server *server, const char *where);

#endif
