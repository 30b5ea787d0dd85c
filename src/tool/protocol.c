#include "tool/protocol.h"

#include <stdlib.h>
#include <string.h>

#include "json/schema.h"
#include "tool/display.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

enum { NAME_MAXIMUM = 64, TIMEOUT_MAXIMUM_S = 3600 };

/* Keeps the names of Kodelet's tools apart from all others. */
static const char kodelet_prefix[] = "custom_tool_";

bool ik_tool_name_valid(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-";
	size_t length = strlen(name);

	return length >= 1 && length <= NAME_MAXIMUM && strchr(letters, name[0]) &&
		strspn(name, all) == length;
}

const char *ik_protocol_question(enum ik_tool_protocol protocol)
{
	return protocol == IK_PROTOCOL_NATIVE ? "--schema" : "description";
}

/* Record why the description was refused; reason is taken over. Return IK_INVALID. */
static enum ik_status refuse(struct ik_tool *tool, const char *code, char *reason)
{
	ik_tool_reject(tool, IK_TOOL_FAILED, code, reason);
	return IK_INVALID;
}

/* Refuse a member that is missing or of the wrong type. */
static enum ik_status refuse_type(struct ik_tool *tool, const char *member,
	struct ik_json_span value, const char *wanted)
{
	if (!value.text)
		return refuse(tool, "INVALID_SCHEMA",
			ik_format(_("the member \"%s\" is missing from the schema; it has to be %s"), member,
				wanted));
	return refuse(tool, "INVALID_SCHEMA",
		ik_format(_("the member \"%s\" of the schema is of type %s; it has to be %s"), member,
			ik_json_type_name(ik_json_span_type(value)), wanted));
}

/* Clear ret_tool and read what was printed in answer to question, which must be one object. */
static enum ik_status read_object(struct ik_tool *ret_tool, const char *question, const char *text,
	size_t length, struct ik_json_span *ret_object)
{
	struct ik_error error;

	memset(ret_tool, 0, sizeof(*ret_tool));
	if (length == 0)
		return refuse(ret_tool, "INVALID_JSON",
			ik_format(_("printed nothing when asked for %s"), question));
	if (ik_json_check(text, length, ret_object, &error) != IK_OK)
		return refuse(ret_tool, "INVALID_JSON",
			ik_format(_("printed something that is not JSON when asked for %s: %s"), question,
				error.text));
	if (ik_json_span_type(*ret_object) != IK_JSON_OBJECT)
		return refuse(ret_tool, "INVALID_SCHEMA",
			ik_format(_("what it printed for %s is of type %s; it has to be an object"), question,
				ik_json_type_name(ik_json_span_type(*ret_object))));
	return IK_OK;
}

/* Refuse a name; prefix is what the model sees before it. */
static enum ik_status refuse_name(struct ik_tool *tool, const char *name, const char *prefix)
{
	int shown = (int)ik_utf8_cut(name, strlen(name), 80);

	if (prefix[0] != '\0' && strlen(prefix) + strlen(name) > NAME_MAXIMUM)
		return refuse(tool, "INVALID_NAME",
			ik_format(_("the name \"%.*s\" is too long: with \"%s\" before it, as a model "
						"gets it, it may have at most %d characters"),
				shown, name, prefix, NAME_MAXIMUM));
	return refuse(tool, "INVALID_NAME",
		ik_format(_("the name \"%.*s\" cannot be used; a name has 1 to 64 "
					"letters (a to z, A to Z), digits, \"_\" and \"-\", and begins with a letter "
					"or \"_\""),
			shown, name));
}

/* Read the member "name"; the model sees it with the prefix. */
static enum ik_status read_name(struct ik_tool *tool, struct ik_json_span object,
	const char *prefix)
{
	struct ik_json_span value = ik_json_member(object, "name");
	size_t length;
	char *name = ik_json_string_new(value, &length);
	enum ik_status status = IK_OK;
	char *offered;

	if (!name)
		return refuse_type(tool, "name", value, _("a string"));
	offered = ik_format("%s%s", prefix, name);
	if (length == 0 || strlen(name) != length || !ik_tool_name_valid(offered))
		status = refuse_name(tool, name, prefix);
	else
		tool->name = ik_strdup(offered);
	free(offered);
	free(name);
	return status;
}

/* Read the member "description", which must not be empty. */
static enum ik_status read_description(struct ik_tool *tool, struct ik_json_span object)
{
	struct ik_json_span value = ik_json_member(object, "description");
	size_t length;
	char *description = ik_json_string_new(value, &length);
	const char *wrong = NULL;

	if (!description)
		return refuse_type(tool, "description", value, _("a string"));
	if (strlen(description) != length)
		wrong = _("the member \"description\" of the schema holds a NUL character");
	else if (strspn(description, " \t\r\n") == length)
		wrong = _("the member \"description\" of the schema is empty; "
				  "say in it what the tool does");
	if (wrong) {
		free(description);
		return refuse(tool, "INVALID_SCHEMA", ik_strdup(wrong));
	}
	tool->description = description;
	return IK_OK;
}

enum ik_status ik_protocol_read_parameters(struct ik_tool *tool, struct ik_json_span value,
	const char *member)
{
	enum ik_status status = IK_OK;
	struct ik_error error;
	struct ik_buf text;

	if (value.text && ik_json_span_type(value) != IK_JSON_OBJECT)
		return refuse_type(tool, member, value, _("an object"));
	/* The canonical form repeats names in `required`, so it is at most twice as long. */
	ik_buf_init(&text, 4 * IK_LIMIT_SCHEMA);
	if (ik_schema_canonical(value, &text, &error) != IK_OK)
		status = refuse(tool, "INVALID_SCHEMA",
			ik_format(_("the member \"%s\" of the schema is wrong: %s"), member, error.text));
	else if (ik_buf_check(&text, _("the schema of the parameters"), &error) != IK_OK)
		status = refuse(tool, "SCHEMA_TOO_LARGE", ik_strdup(error.text));
	else
		tool->parameters = ik_buf_take(&text, &tool->parameters_length);
	ik_buf_done(&text);
	return status;
}

/* Read the names of the parameters that name files the tool writes: an array of strings. */
static enum ik_status read_writes(struct ik_tool *tool, struct ik_json_span writes)
{
	if (!writes.text)
		return IK_OK;
	if (ik_json_span_type(writes) != IK_JSON_ARRAY)
		return refuse_type(tool, "annotations.writes", writes,
			_("an array of names of parameters"));
	for (struct ik_json_walk walk = ik_json_walk(writes); ik_json_next(&walk);)
		if (ik_json_span_type(walk.value) != IK_JSON_STRING)
			return refuse_type(tool, "annotations.writes", walk.value,
				_("an array of names of parameters"));
	tool->writes = ik_strndup(writes.text, writes.length);
	return IK_OK;
}

static enum ik_status read_display(struct ik_tool *tool, struct ik_json_span display)
{
	char *wrong;

	if (!display.text)
		return IK_OK;
	if (ik_json_span_type(display) != IK_JSON_OBJECT)
		return refuse_type(tool, "display", display, _("an object"));
	wrong = ik_display_check(display,
		(struct ik_json_span){ tool->parameters, tool->parameters_length });
	if (wrong)
		return refuse(tool, "INVALID_SCHEMA", wrong);
	tool->display = ik_strndup(display.text, display.length);
	return IK_OK;
}

/* Read the members that only the native protocol has, all optional. */
static enum ik_status read_optional(struct ik_tool *tool, struct ik_json_span schema)
{
	struct ik_json_span returns = ik_json_member(schema, "returns");
	struct ik_json_span annotations = ik_json_member(schema, "annotations");
	struct ik_json_span read_only = ik_json_member(annotations, "readOnly");
	struct ik_json_span timeout = ik_json_member(schema, "timeout_s");
	int64_t seconds;

	if (returns.text) {
		if (ik_json_span_type(returns) != IK_JSON_OBJECT)
			return refuse_type(tool, "returns", returns, _("an object"));
		tool->returns = ik_strndup(returns.text, returns.length);
	}
	if (annotations.text && ik_json_span_type(annotations) != IK_JSON_OBJECT)
		return refuse_type(tool, "annotations", annotations, _("an object"));
	if (read_only.text && !ik_json_bool(read_only, &tool->read_only))
		return refuse_type(tool, "annotations.readOnly", read_only, _("true or false"));
	if (timeout.text) {
		if (ik_json_span_type(timeout) != IK_JSON_NUMBER)
			return refuse_type(tool, "timeout_s", timeout, _("a number"));
		if (!ik_json_integer(timeout, &seconds) || seconds < 1 || seconds > TIMEOUT_MAXIMUM_S)
			return refuse(tool, "INVALID_SCHEMA",
				ik_format(_("the member \"timeout_s\" of the schema is %.*s; it has to be "
							"a whole number from 1 to %d"),
					(int)(timeout.length < 40 ? timeout.length : 40), timeout.text,
					TIMEOUT_MAXIMUM_S));
		tool->timeout_s = (int)seconds;
	}
	enum ik_status status = read_writes(tool, ik_json_member(annotations, "writes"));

	return status == IK_OK ? read_display(tool, ik_json_member(schema, "display")) : status;
}

enum ik_status ik_protocol_read(enum ik_tool_protocol protocol, const char *text, size_t length,
	struct ik_tool *ret_tool)
{
	bool native = protocol == IK_PROTOCOL_NATIVE;
	const char *parameters = native ? "parameters" : "input_schema";
	struct ik_json_span object;
	enum ik_status status = read_object(ret_tool, ik_protocol_question(protocol), text, length,
		&object);

	ret_tool->protocol = protocol;
	if (status == IK_OK)
		status = read_name(ret_tool, object, native ? "" : kodelet_prefix);
	if (status == IK_OK)
		status = read_description(ret_tool, object);
	if (status == IK_OK)
		status = ik_protocol_read_parameters(ret_tool, ik_json_member(object, parameters),
			parameters);
	if (status == IK_OK && native)
		status = read_optional(ret_tool, object);
	if (status == IK_OK) {
		ret_tool->schema = ik_strndup(object.text, object.length); /* exactly as printed */
		ret_tool->schema_length = object.length;
		ret_tool->state = IK_TOOL_OK;
	}
	return status;
}

/* Append the characters of a string, or any other value as JSON. */
static void put_words(struct ik_buf *out, struct ik_json_span value, size_t most)
{
	size_t at = 0;

	if (ik_json_span_type(value) == IK_JSON_STRING)
		(void)ik_json_string_slice(value, &at, most, out);
	else
		ik_buf_append(out, value.text, value.length < most ? value.length : most);
}

bool ik_protocol_kodelet_failure(struct ik_json_span answer, size_t most, struct ik_buf *out)
{
	struct ik_json_span error = { .text = NULL }, details = { .text = NULL };

	if (ik_json_span_type(answer) != IK_JSON_OBJECT)
		return false;
	/* Only the beginning of a large invalid answer is read. */
	for (struct ik_json_walk walk = ik_json_walk(answer); ik_json_next(&walk);) {
		if (ik_json_string_is(walk.key, "error"))
			error = error.text ? error : walk.value;
		else if (ik_json_string_is(walk.key, "details"))
			details = details.text ? details : walk.value;
		else
			return false;
	}
	if (!error.text)
		return false;
	put_words(out, error, most);
	if (details.text) {
		ik_buf_puts(out, ": ");
		put_words(out, details, most);
	}
	return true;
}
