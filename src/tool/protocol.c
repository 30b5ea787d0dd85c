#include "tool/protocol.h"

#include <string.h>

#include "tool/protocol_member.h"
#include "util/alloc.h"
#include "util/text.h"

enum { TIMEOUT_MAXIMUM_S = 3600 };

bool ik_tool_name_valid(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-";
	size_t length = strlen(name);

	return length >= 1 && length <= IK_TOOL_NAME_MAXIMUM && strchr(letters, name[0]) &&
		strspn(name, all) == length;
}

/* The parameters that name files which are written: strings in an array. */
static enum ik_status read_writes(struct ik_tool *tool, struct ik_json_span writes)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, name;

	if (!writes.text)
		return IK_OK;
	if (ik_json_span_type(writes) != IK_JSON_ARRAY)
		return ik_member_refuse_type(tool, "annotations.writes", writes,
			_("an array of names of parameters"));
	while (ik_json_next(writes, &walk, &key, &name))
		if (ik_json_span_type(name) != IK_JSON_STRING)
			return ik_member_refuse_type(tool, "annotations.writes", name,
				_("an array of names of parameters"));
	tool->writes = ik_strndup(writes.text, writes.length);
	return IK_OK;
}

/* The members that only this protocol knows, and nobody has to give. */
static enum ik_status read_optional(struct ik_tool *tool, struct ik_json_span schema)
{
	struct ik_json_span returns = ik_json_member(schema, "returns");
	struct ik_json_span annotations = ik_json_member(schema, "annotations");
	struct ik_json_span read_only = ik_json_member(annotations, "readOnly");
	struct ik_json_span timeout = ik_json_member(schema, "timeout_s");
	int64_t seconds;

	if (returns.text) {
		if (ik_json_span_type(returns) != IK_JSON_OBJECT)
			return ik_member_refuse_type(tool, "returns", returns, _("an object"));
		tool->returns = ik_strndup(returns.text, returns.length);
	}
	if (annotations.text && ik_json_span_type(annotations) != IK_JSON_OBJECT)
		return ik_member_refuse_type(tool, "annotations", annotations, _("an object"));
	if (read_only.text && !ik_json_bool(read_only, &tool->read_only))
		return ik_member_refuse_type(tool, "annotations.readOnly", read_only, _("true or false"));
	if (timeout.text) {
		if (ik_json_span_type(timeout) != IK_JSON_NUMBER)
			return ik_member_refuse_type(tool, "timeout_s", timeout, _("a number"));
		if (!ik_json_integer(timeout, &seconds) || seconds < 1 || seconds > TIMEOUT_MAXIMUM_S)
			return ik_member_refuse(tool, "INVALID_SCHEMA",
				ik_format(_("the member \"timeout_s\" of the schema is %.*s; it has to be "
							"a whole number from 1 to %d"),
					(int)(timeout.length < 40 ? timeout.length : 40), timeout.text,
					TIMEOUT_MAXIMUM_S));
		tool->timeout_s = (int)seconds;
	}
	return read_writes(tool, ik_json_member(annotations, "writes"));
}

enum ik_status ik_protocol_native_read(const char *text, size_t length, struct ik_tool *ret_tool)
{
	struct ik_json_span schema;
	enum ik_status status = ik_member_object(ret_tool, ik_protocol_question(IK_PROTOCOL_NATIVE),
		text, length, &schema);

	ret_tool->protocol = IK_PROTOCOL_NATIVE;
	if (status == IK_OK)
		status = ik_member_name(ret_tool, schema, "");
	if (status == IK_OK)
		status = ik_member_description(ret_tool, schema);
	if (status == IK_OK)
		status = ik_member_parameters(ret_tool, schema, "parameters");
	if (status == IK_OK)
		status = read_optional(ret_tool, schema);
	if (status == IK_OK)
		ik_member_accept(ret_tool, schema);
	return status;
}

const char *ik_protocol_question(enum ik_tool_protocol protocol)
{
	return protocol == IK_PROTOCOL_NATIVE ? "--schema" : "description";
}

enum ik_status ik_protocol_read(enum ik_tool_protocol protocol, const char *text, size_t length,
	struct ik_tool *ret_tool)
{
	return protocol == IK_PROTOCOL_NATIVE ? ik_protocol_native_read(text, length, ret_tool)
										  : ik_protocol_kodelet_read(text, length, ret_tool);
}
