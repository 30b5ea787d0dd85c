/*
 * http_headers: what HTTP wants to know of a message in headers (2026-07-28,
 * basic/transports/streamable-http, "Request Metadata").
 *
 * Pure. May include: util, json, config, rpc, tool/mcp.
 */
#ifndef IK_TOOL_MCP_HTTP_HEADERS_H
#define IK_TOOL_MCP_HTTP_HEADERS_H

#include "config/config.h"
#include "json/scan.h"

/* Add a header; value may be any text, but then has no more than one line. */
void ik_mcp_header_add(struct ik_string_list *headers, const char *name, const char *value);

/* Add the headers of a modern request: Mcp-Method, Mcp-Name, and Mcp-Param-... for the properties of
 * the tool's schema that have a member "x-mcp-header". */
void ik_mcp_headers_mirror(struct ik_string_list *headers, struct ik_json_span method,
	struct ik_json_span params, struct ik_json_span schema);

/* May a tool with that schema be offered over HTTP? Not if an "x-mcp-header" in it is not as it must
 * be; *error then says why. */
bool ik_mcp_headers_fit(struct ik_json_span schema, struct ik_error *error);

/* Add the strings of an object, which a helper printed, as headers, and keep their values out of all
 * that is shown. Return false if it is no such object. */
bool ik_mcp_headers_read(struct ik_string_list *headers, struct ik_json_span object);

#endif
