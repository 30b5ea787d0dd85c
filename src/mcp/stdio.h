/*
 * stdio: one client, who started us: a message per line on standard input and output.
 *
 * Owns the session. May include: all but tui and chat.
 */
#ifndef IK_MCP_STDIO_H
#define IK_MCP_STDIO_H

#include "mcp/server.h"

/* Serve until standard input ends or standard output fails. Return the exit status. */
int ik_mcp_stdio_serve(struct ik_cli *cli, struct ik_mcp_server *server);

#endif
