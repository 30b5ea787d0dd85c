/*
 * content: what an MCP server returns of a call, as the result of a tool.
 *
 * Texts are joined. Structured content replaces them if they say the same, and goes beside them
 * otherwise. Files have the form of which tool/returned_files.h attaches pictures and documents, and
 * keeps the others for tools.
 *
 * Pure. May include: util, json, tool.
 */
#ifndef IK_TOOL_MCP_CONTENT_H
#define IK_TOOL_MCP_CONTENT_H

#include "json/scan.h"

/* Append the result of tools/call as JSON, or as text if it is text that is too large to be read as
 * JSON. Return false if the tool says that it failed: then its text is appended as it is. Check the
 * buffer's status. */
bool ik_mcp_read_content(struct ik_json_span result, struct ik_buf *out);

#endif
