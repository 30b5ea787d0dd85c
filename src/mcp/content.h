/*
 * content: tools and the results of their calls in the words of the Model Context Protocol.
 *
 * Written after modelcontextprotocol.io/specification, server/tools.
 *
 * Pure. May include: util, json, conversation, tool/registry.h, tool/envelope.h.
 */
#ifndef IK_MCP_CONTENT_H
#define IK_MCP_CONTENT_H

#include "conversation/message.h"
#include "json/scan.h"
#include "tool/registry.h"

/*
 * Append a Tool: name, description, inputSchema and annotations, and outputSchema if the tool's
 * `returns` is a JSON Schema of an object, in which case its results are checked against it.
 */
void ik_mcp_put_tool(const struct ik_tool *tool, struct ik_buf *out);

/*
 * Append the members of a CallToolResult, without its braces, for an envelope (checked JSON). Its
 * text is what the tool printed: a string as it is, also if it is the only member of an object; else
 * JSON. A failure has the envelope's sentence and what the tool wrote. isError is set for failures,
 * for results with an `error` in words, and for those that don't fit an outputSchema. files has the
 * pictures and documents that the tool returned; NULL: none.
 */
void ik_mcp_put_result(const struct ik_tool *tool, struct ik_json_span envelope,
	const struct ik_message *files, struct ik_buf *out);

#endif
