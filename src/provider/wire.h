/*
 * wire: pieces of a request that more than one wire format spells alike.
 *
 * Private to src/provider.  May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_WIRE_H
#define IK_PROVIDER_WIRE_H

#include "json/write.h"
#include "provider/provider.h"

/* The schema of a tool's parameters; one without members where it has none. */
struct ik_json_span ik_wire_parameters(const struct ik_tool_definition *tool);

/* A string from a stored value: as it stands, when it is a string. */
void ik_wire_put_stored_text(struct ik_buf *out, struct ik_json_span value);

/* The name of a tool_call. */
void ik_wire_put_call_name(struct ik_buf *out, const struct ik_message *call);

/* The arguments of a tool_call as a string: as they came, {} where none did. */
void ik_wire_put_arguments_text(struct ik_buf *out, const struct ik_message *call);

/* The same as an object; what is no JSON object stands in it as a text. */
void ik_wire_put_arguments_object(struct ik_buf *out, const struct ik_message *call);

/* A call id that every provider takes (^[A-Za-z0-9_-]{1,64}$): the id, or one made of it. */
void ik_wire_put_call_id(struct ik_buf *out, const char *call_id);

/* The envelope of a tool_result as a string; NULL: that none came. */
void ik_wire_put_envelope(struct ik_buf *out, const struct ik_message *result);

/* What the format that serializes left with a message, if it was this provider's. */
struct ik_json_span ik_wire_opaque(const struct ik_request *request,
	const struct ik_message *message, const char *type);

/* The member "tools" with an object for each; none where there are none. */
void ik_wire_put_tools(struct ik_buf *out, const struct ik_request *request,
	void (*put_tool)(struct ik_buf *out, const struct ik_endpoint *endpoint,
		const struct ik_tool_definition *tool));

/* Nothing but white space? Some providers refuse such a text. */
bool ik_wire_is_blank(const char *text, size_t length);

/* "key": text; "key": raw value. */
void ik_wire_put_member(struct ik_buf *out, const char *key, const char *text);
void ik_wire_put_raw_member(struct ik_buf *out, const char *key, struct ik_json_span value);

#endif
