#include "tool/protocol.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "json/schema.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

enum { NAME_MAXIMUM = 64, TIMEOUT_MAXIMUM_S = 3600 };

bool ik_tool_name_valid(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	static const char all[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-";
	size_t length = strlen(name);

	return length >= 1 && length <= NAME_MAXIMUM && strchr(letters, name[0]) != NULL
		&& strspn(name, all) == length;
}

/* Record why an announcement was refused. */
static enum ik_status refuse(struct ik_tool *tool, const char *code, char *reason)
{
	ik_tool_reject(tool, IK_TOOL_FAILED, code, reason);
	return IK_INVALID;
}

/* Refuse a member that has another type than wanted, or is missing. */
static enum ik_status refuse_type(struct ik_tool *tool, const char *member,
	struct ik_json_span value, const char *wanted)
{
	if (value.text == NULL)
		return refuse(tool, "INVALID_SCHEMA",
			ik_format(_("the member \"%s\" is missing from the schema; it has to be %s"),
				member, wanted));
	return refuse(tool, "INVALID_SCHEMA",
		ik_format(_("the member \"%s\" of the schema is of type %s; it has to be %s"),
			member, ik_json_type_name(ik_json_span_type(value)), wanted));
}

/* A copy of the text of a value. */
static char *span_copy(struct ik_json_span value)
{
	return ik_strndup(value.text, value.length);
}

static enum ik_status read_name(struct ik_tool *tool, struct ik_json_span schema)
{
	struct ik_json_span value = ik_json_member(schema, "name");
	size_t length;
	char *name = ik_json_string_new(value, &length);

	if (name == NULL)
		return refuse_type(tool, "name", value, _("a string"));
	if (strlen(name) != length || !ik_tool_name_valid(name)) {
		char *reason = ik_format(_("the name \"%.*s\" cannot be used; a name has 1 to 64 "
			"letters (a to z, A to Z), digits, \"_\" and \"-\", and begins with a letter "
			"or \"_\""), (int)ik_utf8_cut(name, strlen(name), 80), name);

		free(name);
		return refuse(tool, "INVALID_NAME", reason);
	}
	tool->name = name;
	return IK_OK;
}

static enum ik_status read_description(struct ik_tool *tool, struct ik_json_span schema)
{
	struct ik_json_span value = ik_json_member(schema, "description");
	size_t length;
	char *description = ik_json_string_new(value, &length);
	const char *wrong = NULL;

	if (description == NULL)
		return refuse_type(tool, "description", value, _("a string"));
	if (strlen(description) != length)
		wrong = _("the member \"description\" of the schema holds a NUL character");
	else if (strspn(description, " \t\r\n") == length)
		wrong = _("the member \"description\" of the schema is empty; "
			"say in it what the tool does");
	if (wrong != NULL) {
		free(description);
		return refuse(tool, "INVALID_SCHEMA", ik_strdup(wrong));
	}
	tool->description = description;
	return IK_OK;
}

static enum ik_status read_parameters(struct ik_tool *tool, struct ik_json_span schema)
{
	struct ik_json_span value = ik_json_member(schema, "parameters");
	struct ik_json *parameters = NULL, *canonical;
	struct ik_error error;
	struct ik_buf text;

	if (value.text != NULL) {
		if (ik_json_span_type(value) != IK_JSON_OBJECT)
			return refuse_type(tool, "parameters", value, _("an object"));
		parameters = ik_json_parse(value.text, value.length, &error);
		if (parameters == NULL)
			return refuse(tool, "INVALID_JSON", ik_strdup(error.text));
	}
	canonical = ik_schema_canonical(parameters, &error);
	parameters = ik_json_free(parameters);
	if (canonical == NULL)
		return refuse(tool, "INVALID_SCHEMA",
			ik_format(_("the member \"parameters\" of the schema is wrong: %s"), error.text));
	/* The canonical form repeats names in `required`: at most twice as long. */
	ik_buf_init(&text, 4 * IK_LIMIT_SCHEMA);
	ik_json_print(canonical, &text);
	canonical = ik_json_free(canonical);
	if (ik_buf_check(&text, _("the schema of the parameters"), &error) != IK_OK) {
		ik_buf_done(&text);
		return refuse(tool, "SCHEMA_TOO_LARGE", ik_strdup(error.text));
	}
	tool->parameters = ik_buf_take(&text, &tool->parameters_length);
	return IK_OK;
}

static enum ik_status read_optional(struct ik_tool *tool, struct ik_json_span schema)
{
	struct ik_json_span returns = ik_json_member(schema, "returns");
	struct ik_json_span annotations = ik_json_member(schema, "annotations");
	struct ik_json_span read_only = ik_json_member(annotations, "readOnly");
	struct ik_json_span timeout = ik_json_member(schema, "timeout_s");
	int64_t seconds;

	if (returns.text != NULL) {
		if (ik_json_span_type(returns) != IK_JSON_OBJECT)
			return refuse_type(tool, "returns", returns, _("an object"));
		tool->returns = span_copy(returns);
	}
	if (annotations.text != NULL && ik_json_span_type(annotations) != IK_JSON_OBJECT)
		return refuse_type(tool, "annotations", annotations, _("an object"));
	if (read_only.text != NULL && !ik_json_bool(read_only, &tool->read_only))
		return refuse_type(tool, "annotations.readOnly", read_only, _("true or false"));
	if (timeout.text != NULL) {
		if (ik_json_span_type(timeout) != IK_JSON_NUMBER)
			return refuse_type(tool, "timeout_s", timeout, _("a number"));
		if (!ik_json_integer(timeout, &seconds) || seconds < 1
			|| seconds > TIMEOUT_MAXIMUM_S)
			return refuse(tool, "INVALID_SCHEMA",
				ik_format(_("the member \"timeout_s\" of the schema is %.*s; it has to be "
					"a whole number from 1 to %d"),
					(int)(timeout.length < 40 ? timeout.length : 40), timeout.text,
					TIMEOUT_MAXIMUM_S));
		tool->timeout_s = (int)seconds;
	}
	return IK_OK;
}

enum ik_status ik_protocol_native_read(const char *text, size_t length, struct ik_tool *ret_tool)
{
	struct ik_json_span schema;
	struct ik_error error;
	enum ik_status status;

	memset(ret_tool, 0, sizeof *ret_tool);
	ret_tool->protocol = IK_PROTOCOL_NATIVE;
	if (length == 0)
		return refuse(ret_tool, "INVALID_JSON",
			ik_strdup(_("printed nothing when asked for --schema")));
	if (ik_json_check(text, length, &schema, &error) != IK_OK)
		return refuse(ret_tool, "INVALID_JSON",
			ik_format(_("what it printed for --schema is not JSON: %s"), error.text));
	if (ik_json_span_type(schema) != IK_JSON_OBJECT)
		return refuse(ret_tool, "INVALID_SCHEMA",
			ik_format(_("what it printed for --schema is of type %s; it has to be an object"),
				ik_json_type_name(ik_json_span_type(schema))));
	status = read_name(ret_tool, schema);
	if (status == IK_OK)
		status = read_description(ret_tool, schema);
	if (status == IK_OK)
		status = read_parameters(ret_tool, schema);
	if (status == IK_OK)
		status = read_optional(ret_tool, schema);
	if (status != IK_OK)
		return status;
	ret_tool->schema = span_copy(schema);
	ret_tool->schema_length = schema.length;
	ret_tool->state = IK_TOOL_OK;
	return IK_OK;
}
