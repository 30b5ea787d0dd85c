#include "commands/tool_text.h"

#include <criterion/criterion.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"

static struct ik_tool make_tool(const char *name, const char *description, const char *parameters)
{
	struct ik_tool tool;

	memset(&tool, 0, sizeof tool);
	tool.name = ik_strdup(name);
	tool.path = ik_format("/tools/%s", name);
	tool.description = ik_strdup(description);
	tool.parameters = ik_strdup(parameters);
	tool.parameters_length = strlen(parameters);
	return tool;
}

/* Two good tools and one that failed. */
static struct ik_registry *make_registry(void)
{
	struct ik_registry *registry = ik_registry_new();
	struct ik_tool tool = make_tool("file_read", "Read a file",
		"{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\",\"description\":\"Where\"},"
		"\"limit\":{\"type\":\"integer\"}},\"required\":[\"path\"]}");

	tool.returns = ik_strdup("{\"type\":\"object\",\"properties\":{\"output\":{\"type\":\"string\"}}}");
	ik_registry_add(registry, &tool);
	tool = make_tool("at", "The time", "{\"type\":\"object\",\"properties\":{}}");
	ik_registry_add(registry, &tool);
	tool = make_tool("broken", "", "{}");
	tool.state = IK_TOOL_FAILED;
	tool.code = "SCHEMA_EXIT";
	tool.reason = ik_strdup("exited with status 3");
	ik_registry_add(registry, &tool);
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	return registry;
}

Test(tool_text, list)
{
	struct ik_registry *registry = make_registry();
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	ik_tool_text_list(registry, false, &out);
	cr_assert_str_eq(out.data, "Available tools:\n  at         The time\n  file_read  Read a file\n");
	ik_buf_clear(&out);
	ik_tool_text_list(registry, true, &out);
	cr_assert_not_null(strstr(out.data, "failed SCHEMA_EXIT: exited with status 3"));
	cr_assert_not_null(strstr(out.data, "/tools/broken"));
	ik_buf_done(&out);
	ik_registry_unref(registry);
}

Test(tool_text, empty)
{
	struct ik_registry *registry = ik_registry_new();
	struct ik_buf out;

	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	ik_buf_init(&out, IK_MIB(1));
	ik_tool_text_list(registry, false, &out);
	cr_assert_str_eq(out.data, "No tools available.\n");
	ik_buf_done(&out);
	ik_registry_unref(registry);
}

Test(tool_text, show)
{
	struct ik_registry *registry = make_registry();
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	ik_tool_text_show(registry, "file_read", "/tool", &out);
	cr_assert_str_eq(out.data,
		"file_read - Read a file\n"
		"Parameters:\n"
		"  path (string, required)\n"
		"    Where\n"
		"  limit (integer, optional)\n"
		"Returns:\n"
		"  output (string)\n");
	ik_buf_clear(&out);
	ik_tool_text_show(registry, "nope", "/tool", &out);
	cr_assert_str_eq(out.data, "Tool 'nope' not found. Run /tool to see available tools.\n");
	ik_buf_clear(&out);
	ik_tool_text_show(registry, "broken", "/tool", &out);
	ik_buf_done(&out);
	ik_registry_unref(registry);
}

Test(tool_text, show_members_of_members)
{
	struct ik_registry *registry = ik_registry_new();
	struct ik_tool tool = make_tool("plan", "Plans",
		"{\"type\":\"object\",\"properties\":{\"steps\":{\"type\":\"array\",\"description\":\"In order\","
		"\"items\":{\"$ref\":\"#/$defs/step\"}},\"dry\":{\"type\":\"boolean\",\"default\":false}},"
		"\"required\":[\"steps\"],\"$defs\":{\"step\":{\"type\":\"object\",\"properties\":{"
		"\"what\":{\"enum\":[\"cut\",\"join\"],\"description\":\"Which\"},"
		"\"then\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"default\":3}}}},"
		"\"required\":[\"what\"]}}}");
	struct ik_buf out;

	ik_registry_add(registry, &tool);
	tool = make_tool("circle", "Refers to itself",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"},\"b\":{\"$ref\":\"#\"}}}");
	ik_registry_add(registry, &tool);
	ik_registry_finish(registry, IK_SCAN_COMPLETE);
	ik_buf_init(&out, IK_MIB(1));
	ik_tool_text_show(registry, "plan", "/tool", &out);
	cr_assert_str_eq(out.data,
		"plan - Plans\n"
		"Parameters:\n"
		"  steps (object[], required)\n"
		"    In order\n"
		"    what (\"cut\" | \"join\", required)\n"
		"      Which\n"
		"    then (object, optional)\n"
		"      n (integer, optional, default 3)\n"
		"  dry (boolean, optional, default false)\n");
	ik_buf_clear(&out);
	ik_tool_text_show(registry, "circle", "/tool", &out);
	cr_assert_eq(ik_buf_status(&out), IK_OK);
	ik_buf_done(&out);
	ik_registry_unref(registry);
}

Test(tool_text, refreshed_counts_and_names_failures)
{
	struct ik_registry *registry = make_registry();
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	ik_tool_text_refreshed(registry, &out);
	cr_assert_str_eq(out.data, "Tools refreshed. 2 tools available.\n"
		"  broken: SCHEMA_EXIT: exited with status 3\n");
	ik_buf_done(&out);
	ik_registry_unref(registry);
}

Test(tool_text, json)
{
	struct ik_registry *registry = make_registry();
	struct ik_json_span list, first;
	struct ik_error error;
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	ik_tool_json_list(registry, true, &out);
	cr_assert_eq(ik_json_check(out.data, out.length, &list, &error), IK_OK, "%s", error.text);
	cr_assert_eq(ik_json_count(list), 3);
	first = ik_json_at(list, "1");
	cr_assert(ik_json_string_is(ik_json_member(first, "name"), "broken"));
	cr_assert(ik_json_string_is(ik_json_member(first, "state"), "failed"));
	cr_assert(ik_json_string_is(ik_json_member(first, "code"), "SCHEMA_EXIT"));
	ik_buf_clear(&out);
	ik_tool_json_show(ik_registry_find(registry, "file_read"), &out);
	cr_assert_eq(ik_json_check(out.data, out.length, &list, &error), IK_OK, "%s", error.text);
	cr_assert_eq(ik_json_span_type(ik_json_at(list, "parameters.properties.path")), IK_JSON_OBJECT);
	ik_buf_done(&out);
	ik_registry_unref(registry);
}
