#include "tool/protocol_member.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "json/schema.h"
#include "tool/protocol.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

enum ik_status ik_member_refuse(struct ik_tool *tool, const char *code, char *reason)
{
	ik_tool_reject(tool, IK_TOOL_FAILED, code, reason);
	return IK_INVALID;
}

enum ik_status ik_member_refuse_type(struct ik_tool *tool, const char *member,
	struct ik_json_span value, const char *wanted)
{
	if (!value.text)
		return ik_member_refuse(tool, "INVALID_SCHEMA",
			ik_format(_("the member \"%s\" is missing from the schema; it has to be %s"), member,
				wanted));
	return ik_member_refuse(tool, "INVALID_SCHEMA",
		ik_format(_("the member \"%s\" of the schema is of type %s; it has to be %s"), member,
			ik_json_type_name(ik_json_span_type(value)), wanted));
}

enum ik_status ik_member_object(struct ik_tool *ret_tool, const char *question, const char *text,
	size_t length, struct ik_json_span *ret_object)
{
	struct ik_error error;

	memset(ret_tool, 0, sizeof(*ret_tool));
	if (length == 0)
		return ik_member_refuse(ret_tool, "INVALID_JSON",
			ik_format(_("printed nothing when asked for %s"), question));
	if (ik_json_check(text, length, ret_object, &error) != IK_OK)
		return ik_member_refuse(ret_tool, "INVALID_JSON",
			ik_format(_("printed something that is not JSON when asked for %s: %s"), question,
				error.text));
	if (ik_json_span_type(*ret_object) != IK_JSON_OBJECT)
		return ik_member_refuse(ret_tool, "INVALID_SCHEMA",
			ik_format(_("what it printed for %s is of type %s; it has to be an object"), question,
				ik_json_type_name(ik_json_span_type(*ret_object))));
	return IK_OK;
}

/* Refuse a name; prefix is what it is offered with. */
static enum ik_status refuse_name(struct ik_tool *tool, const char *name, const char *prefix)
{
	int shown = (int)ik_utf8_cut(name, strlen(name), 80);

	if (prefix[0] != '\0' && strlen(prefix) + strlen(name) > IK_TOOL_NAME_MAXIMUM)
		return ik_member_refuse(tool, "INVALID_NAME",
			ik_format(_("the name \"%.*s\" is too long: with \"%s\" before it, as a model "
						"gets it, it may have at most %d characters"),
				shown, name, prefix, IK_TOOL_NAME_MAXIMUM));
	return ik_member_refuse(tool, "INVALID_NAME",
		ik_format(_("the name \"%.*s\" cannot be used; a name has 1 to 64 "
					"letters (a to z, A to Z), digits, \"_\" and \"-\", and begins with a letter "
					"or \"_\""),
			shown, name));
}

enum ik_status ik_member_name(struct ik_tool *tool, struct ik_json_span object, const char *prefix)
{
	struct ik_json_span value = ik_json_member(object, "name");
	size_t length;
	char *name = ik_json_string_new(value, &length);
	enum ik_status status = IK_OK;
	char *offered;

	if (!name)
		return ik_member_refuse_type(tool, "name", value, _("a string"));
	offered = ik_format("%s%s", prefix, name);
	if (length == 0 || strlen(name) != length || !ik_tool_name_valid(offered))
		status = refuse_name(tool, name, prefix);
	else
		tool->name = ik_strdup(offered);
	free(offered);
	free(name);
	return status;
}

enum ik_status ik_member_description(struct ik_tool *tool, struct ik_json_span object)
{
	struct ik_json_span value = ik_json_member(object, "description");
	size_t length;
	char *description = ik_json_string_new(value, &length);
	const char *wrong = NULL;

	if (!description)
		return ik_member_refuse_type(tool, "description", value, _("a string"));
	if (strlen(description) != length)
		wrong = _("the member \"description\" of the schema holds a NUL character");
	else if (strspn(description, " \t\r\n") == length)
		wrong = _("the member \"description\" of the schema is empty; "
				  "say in it what the tool does");
	if (wrong) {
		free(description);
		return ik_member_refuse(tool, "INVALID_SCHEMA", ik_strdup(wrong));
	}
	tool->description = description;
	return IK_OK;
}

enum ik_status ik_member_parameters(struct ik_tool *tool, struct ik_json_span object,
	const char *member)
{
	struct ik_json_span value = ik_json_member(object, member);
	struct ik_json *parameters = NULL, *canonical;
	struct ik_error error;
	struct ik_buf text;

	if (value.text) {
		if (ik_json_span_type(value) != IK_JSON_OBJECT)
			return ik_member_refuse_type(tool, member, value, _("an object"));
		parameters = ik_json_parse(value.text, value.length, &error);
		if (!parameters)
			return ik_member_refuse(tool, "INVALID_JSON", ik_strdup(error.text));
	}
	canonical = ik_schema_canonical(parameters, &error);
	parameters = ik_json_free(parameters);
	if (!canonical)
		return ik_member_refuse(tool, "INVALID_SCHEMA",
			ik_format(_("the member \"%s\" of the schema is wrong: %s"), member, error.text));
	/* The canonical form repeats names in `required`: at most twice as long. */
	ik_buf_init(&text, 4 * IK_LIMIT_SCHEMA);
	ik_json_print(canonical, &text);
	canonical = ik_json_free(canonical);
	if (ik_buf_check(&text, _("the schema of the parameters"), &error) != IK_OK) {
		ik_buf_done(&text);
		return ik_member_refuse(tool, "SCHEMA_TOO_LARGE", ik_strdup(error.text));
	}
	tool->parameters = ik_buf_take(&text, &tool->parameters_length);
	return IK_OK;
}

void ik_member_accept(struct ik_tool *tool, struct ik_json_span object)
{
	tool->schema = ik_strndup(object.text, object.length);
	tool->schema_length = object.length;
	tool->state = IK_TOOL_OK;
}
