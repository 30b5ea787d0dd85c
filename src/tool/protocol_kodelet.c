#include "tool/protocol.h"

#include "tool/protocol_member.h"

/* What stands before the names of Kodelet's tools, so that they meet no other. */
static const char PREFIX[] = "custom_tool_";

enum ik_status ik_protocol_kodelet_read(const char *text, size_t length, struct ik_tool *ret_tool)
{
	struct ik_json_span object;
	enum ik_status status = ik_member_object(ret_tool, ik_protocol_question(IK_PROTOCOL_KODELET),
		text, length, &object);

	ret_tool->protocol = IK_PROTOCOL_KODELET;
	if (status == IK_OK)
		status = ik_member_name(ret_tool, object, PREFIX);
	if (status == IK_OK)
		status = ik_member_description(ret_tool, object);
	if (status == IK_OK)
		status = ik_member_parameters(ret_tool, object, "input_schema");
	if (status == IK_OK)
		ik_member_accept(ret_tool, object);
	return status;
}

/* Append a string's characters, or another value as it is written. */
static void put_words(struct ik_buf *out, struct ik_json_span value)
{
	if (!ik_json_string(value, out))
		ik_buf_append(out, value.text, value.length);
}

bool ik_protocol_kodelet_failure(struct ik_json_span answer, struct ik_buf *out)
{
	struct ik_json_span error = ik_json_member(answer, "error");
	struct ik_json_span details = ik_json_member(answer, "details"), key, value;
	struct ik_json_walk walk = { NULL };

	if (ik_json_span_type(answer) != IK_JSON_OBJECT || !error.text)
		return false;
	while (ik_json_next(answer, &walk, &key, &value)) {
		if (!ik_json_string_is(key, "error") && !ik_json_string_is(key, "details"))
			return false;
	}
	put_words(out, error);
	if (details.text) {
		ik_buf_puts(out, ": ");
		put_words(out, details);
	}
	return true;
}
