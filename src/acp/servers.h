/*
 * servers: the MCP servers that an editor hands over with a session.
 *
 * Pure. May include: util, json.
 */
#ifndef IK_ACP_SERVERS_H
#define IK_ACP_SERVERS_H

#include "json/scan.h"

/* Return the servers in a list of the protocol, in the form of mcp.json (tool/mcp/servers.h), in new
 * memory; NULL if there are none. */
char *ik_editor_servers(struct ik_json_span list);

#endif
