/*
 * version: the versions of the Model Context Protocol, for clients and servers.
 *
 * In the modern one there are no sessions: each request names the version in params._meta. The older
 * ones begin with initialize.
 *
 * Pure. May include: util, json.
 */
#ifndef IK_TOOL_MCP_VERSION_H
#define IK_TOOL_MCP_VERSION_H

#include "json/scan.h"

/* What the names that the protocol defines for _meta begin with. */
#define IK_MCP_META "io.modelcontextprotocol/"

#define IK_MCP_MODERN "2026-07-28"
/* The newest version with sessions. */
#define IK_MCP_LEGACY "2025-11-25"

/* MCP's own error codes. */
enum ik_mcp_code {
	IK_MCP_HEADER_MISMATCH = -32020,
	IK_MCP_MISSING_CAPABILITY = -32021,
	IK_MCP_UNSUPPORTED_VERSION = -32022
};

/* Return the version with sessions of that name (static); NULL: we don't speak it. */
const char *ik_mcp_legacy_version(struct ik_json_span name);

#endif
