#include "tool/protocol.h"

#include "tool/protocol_member.h"

/* What stands before the names of Kodelet's tools, so that they meet no other. */
static const char PREFIX[] = "custom_tool_";

enum ik_status ik_protocol_kodelet_read(const char *text, size_t length, struct ik_tool *ret_tool)
{
	struct ik_json_span object;
	enum ik_status status = ik_member_object(ret_tool,
		ik_protocol_question(IK_PROTOCOL_KODELET), text, length, &object);

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
