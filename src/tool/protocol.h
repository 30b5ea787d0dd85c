/*
 * protocol: what a tool says of itself, read and judged.
 *
 * Two protocols: the native one (`TOOL --schema`) and that of Kodelet's custom
 * tools (`TOOL description`; jingkaihe/kodelet, ADR 018).
 *
 * Pure: bytes of an announcement in, a tool or a failure out.
 * May include: util, json, tool/registry.h.
 */
#ifndef IK_TOOL_PROTOCOL_H
#define IK_TOOL_PROTOCOL_H

#include "tool/registry.h"

/* ^[A-Za-z_][A-Za-z0-9_-]{0,63}$ */
bool ik_tool_name_valid(const char *name);

/*
 * Read what `TOOL --schema` printed. On success *ret_tool gets name,
 * description, schema, parameters (canonical), returns, read_only, timeout_s,
 * state OK. On failure it gets state FAILED with code (INVALID_JSON,
 * INVALID_SCHEMA, INVALID_NAME, SCHEMA_TOO_LARGE) and a reason that names the member
 * and what is wanted. Other members (path, source) are the caller's to fill; strings are new
 * (ik_tool_clear).
 */
enum ik_status ik_protocol_native_read(const char *text, size_t length,
	struct ik_tool *ret_tool) IK_MUST_USE;

/*
 * The same of what `TOOL description` printed: name, description, input_schema.
 * The tool is offered as custom_tool_NAME.
 */
enum ik_status ik_protocol_kodelet_read(const char *text, size_t length,
	struct ik_tool *ret_tool) IK_MUST_USE;

/*
 * Is that what `TOOL run` prints when it failed: an object with a member "error", and
 * with none besides but "details"? If so, append its words, "ERROR: DETAILS".
 */
bool ik_protocol_kodelet_failure(struct ik_json_span answer, struct ik_buf *out);

/* Either, by protocol; and the argument that asks for it. */
enum ik_status ik_protocol_read(enum ik_tool_protocol protocol, const char *text, size_t length,
	struct ik_tool *ret_tool) IK_MUST_USE;
const char *ik_protocol_question(enum ik_tool_protocol protocol);

#endif
