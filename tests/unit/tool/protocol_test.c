#include "tool/protocol.h"

#include <string.h>

#include <criterion/criterion.h>

/* Read a description; the caller clears the tool. */
static struct ik_tool read_text(const char *text)
{
	struct ik_tool tool;
	enum ik_status status = ik_protocol_read(IK_PROTOCOL_NATIVE, text, strlen(text), &tool);

	cr_assert_eq(status == IK_OK, tool.state == IK_TOOL_OK);
	return tool;
}

/* Expect that a description is refused with that code and a reason that contains that word. */
static void refused(const char *text, const char *code, const char *word)
{
	struct ik_tool tool = read_text(text);

	cr_assert_eq(tool.state, IK_TOOL_FAILED, "accepted: %s", text);
	cr_assert_str_eq(tool.code, code, "%s: %s, %s", text, tool.code, tool.reason);
	cr_assert_not_null(strstr(tool.reason, word), "%s: %s", text, tool.reason);
	ik_tool_clear(&tool);
}

Test(protocol, judges_names)
{
	char name[66];

	memset(name, 'a', sizeof name);
	name[64] = '\0';
	cr_assert(ik_tool_name_valid(name));
	name[64] = 'a';
	name[65] = '\0';
	cr_assert_not(ik_tool_name_valid(name));
	cr_assert(ik_tool_name_valid("_"));
	cr_assert(ik_tool_name_valid("file_read-2"));
	cr_assert_not(ik_tool_name_valid(""));
	cr_assert_not(ik_tool_name_valid("2nd"));
	cr_assert_not(ik_tool_name_valid("-x"));
	cr_assert_not(ik_tool_name_valid("a b"));
	cr_assert_not(ik_tool_name_valid("a.b"));
	cr_assert_not(ik_tool_name_valid("caf\303\251"));
}

Test(protocol, reads_all_members)
{
	struct ik_tool tool = read_text(" {\"name\":\"bash\",\"description\":\"Run \\u0041\","
		"\"parameters\":{\"command\":{\"type\":\"string\",\"required\":true}},"
		"\"returns\":{\"type\":\"object\"},\"annotations\":{\"readOnly\":true},"
		"\"timeout_s\":90,\"other\":[1]}\n");

	cr_assert_eq(tool.state, IK_TOOL_OK, "%s", tool.reason);
	cr_assert_str_eq(tool.name, "bash");
	cr_assert_str_eq(tool.description, "Run A");
	cr_assert_str_eq(tool.parameters, "{\"type\":\"object\",\"properties\":"
		"{\"command\":{\"type\":\"string\"}},\"required\":[\"command\"]}");
	cr_assert_eq(tool.parameters_length, strlen(tool.parameters));
	cr_assert_str_eq(tool.returns, "{\"type\":\"object\"}");
	cr_assert(tool.read_only);
	cr_assert_eq(tool.timeout_s, 90);
	cr_assert_eq(tool.schema[0], '{');
	cr_assert_eq(tool.schema[tool.schema_length - 1], '}');
	cr_assert_not_null(strstr(tool.schema, "\\u0041"), "the schema is kept as written");
	cr_assert_null(tool.code);
	cr_assert_null(tool.reason);
	ik_tool_clear(&tool);
}

Test(protocol, needs_name_and_description_only)
{
	struct ik_tool tool = read_text("{\"name\":\"a\",\"description\":\"b\"}");

	cr_assert_eq(tool.state, IK_TOOL_OK, "%s", tool.reason);
	cr_assert_str_eq(tool.parameters, "{\"type\":\"object\",\"properties\":{}}");
	cr_assert_null(tool.returns);
	cr_assert_eq(tool.timeout_s, 0);
	cr_assert_not(tool.read_only);
	ik_tool_clear(&tool);
}

Test(protocol, refuses_what_is_no_json)
{
	refused("", "INVALID_JSON", "nothing");
	refused("usage: bash FILE", "INVALID_JSON", "line 1");
	refused("{\"name\":\"a\",\n\"description\":}", "INVALID_JSON", "line 2");
	refused("{\"name\":\"a\",\"description\":\"b\"} {}", "INVALID_JSON", "line 1");
	refused("{\"name\":\"a\",\"description\":\"\377\"}", "INVALID_JSON", "line 1");
}

Test(protocol, refuses_wrong_members_by_their_name)
{
	refused("[]", "INVALID_SCHEMA", "object");
	refused("{}", "INVALID_SCHEMA", "\"name\"");
	refused("{\"name\":1}", "INVALID_SCHEMA", "number");
	refused("{\"name\":\"a\"}", "INVALID_SCHEMA", "\"description\"");
	refused("{\"name\":\"a\",\"description\":\"\"}", "INVALID_SCHEMA", "empty");
	refused("{\"name\":\"a\",\"description\":\" \\n\"}", "INVALID_SCHEMA", "empty");
	refused("{\"name\":\"a\",\"description\":\"x\\u0000y\"}", "INVALID_SCHEMA", "NUL");
	refused("{\"name\":\"a\",\"description\":\"b\",\"parameters\":7}", "INVALID_SCHEMA",
		"\"parameters\"");
	refused("{\"name\":\"a\",\"description\":\"b\",\"parameters\":{\"x\":7}}", "INVALID_SCHEMA",
		"\"parameters\"");
	refused("{\"name\":\"a\",\"description\":\"b\",\"returns\":7}", "INVALID_SCHEMA",
		"\"returns\"");
	refused("{\"name\":\"a\",\"description\":\"b\",\"annotations\":7}", "INVALID_SCHEMA",
		"\"annotations\"");
	refused("{\"name\":\"a\",\"description\":\"b\",\"annotations\":{\"readOnly\":1}}",
		"INVALID_SCHEMA", "readOnly");
	refused("{\"name\":\"a\",\"description\":\"b\",\"timeout_s\":\"5\"}", "INVALID_SCHEMA",
		"\"timeout_s\"");
	refused("{\"name\":\"a\",\"description\":\"b\",\"timeout_s\":0}", "INVALID_SCHEMA", "3600");
	refused("{\"name\":\"a\",\"description\":\"b\",\"timeout_s\":3601}", "INVALID_SCHEMA",
		"3601");
	refused("{\"name\":\"a\",\"description\":\"b\",\"timeout_s\":1.5}", "INVALID_SCHEMA", "1.5");
}

Test(protocol, refuses_names_no_provider_takes)
{
	refused("{\"name\":\"\",\"description\":\"b\"}", "INVALID_NAME", "64");
	refused("{\"name\":\"a b\",\"description\":\"b\"}", "INVALID_NAME", "\"a b\"");
	refused("{\"name\":\"a\\u0000b\",\"description\":\"b\"}", "INVALID_NAME", "64");
}
