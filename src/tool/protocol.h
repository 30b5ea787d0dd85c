/*
 * protocol: read and check the description that a tool prints of itself.
 *
 * There are two protocols: the native one (`TOOL --schema`) and the one of Kodelet's custom
 * tools (`TOOL description`; jingkaihe/kodelet, ADR 018).
 *
 * Pure: the printed bytes in, a tool or a failure out.
 * May include: util, json, tool/registry.h.
 */
#ifndef IK_TOOL_PROTOCOL_H
#define IK_TOOL_PROTOCOL_H

#include "tool/registry.h"

/* ^[A-Za-z_][A-Za-z0-9_-]{0,63}$ */
bool ik_tool_name_valid(const char *name);

/* The argument that makes a tool describe itself: "--schema" or "description". */
const char *ik_protocol_question(enum ik_tool_protocol protocol);

/*
 * Read what a tool printed when asked. On success *ret_tool gets name, description, schema,
 * parameters (canonical), returns, read_only, timeout_s and state OK; a Kodelet tool is offered as
 * custom_tool_NAME. On failure it gets state FAILED with a code (INVALID_JSON, INVALID_SCHEMA,
 * INVALID_NAME, SCHEMA_TOO_LARGE) and a reason that names the member and what is expected. The
 * caller fills in the other members (path, source); release with ik_tool_clear().
 */
enum ik_status ik_protocol_read(enum ik_tool_protocol protocol, const char *text, size_t length,
	struct ik_tool *ret_tool) IK_MUST_USE;

/* Read the schema of the parameters; no value: there are none. member: its name, for the reason why the
 * tool then FAILED. */
enum ik_status ik_protocol_read_parameters(struct ik_tool *tool, struct ik_json_span value,
	const char *member);

/*
 * Is answer what `TOOL run` of a Kodelet tool prints when it failed: an object with a member
 * "error" and no other but "details"? If so, append its text, "ERROR: DETAILS", at most about most
 * bytes of each.
 */
bool ik_protocol_kodelet_failure(struct ik_json_span answer, size_t most, struct ik_buf *out);

#endif
