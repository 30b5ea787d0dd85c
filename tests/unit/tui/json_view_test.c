#include "tui/text/json_view.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tools.h"
#include "tui/scrollback/calls.h"

static struct ik_buf out;

static void begin(void)
{
	ik_buf_init(&out, 100000);
}

static void end(void)
{
	ik_buf_done(&out);
}

TestSuite(json_view, .init = begin, .fini = end);

static const char *view(const char *text)
{
	struct ik_json_span value;
	cr_assert_eq(ik_json_check(text, strlen(text), &value, NULL), IK_OK);
	ik_buf_clear(&out);
	ik_json_view(&out, value);
	return out.data;
}

Test(json_view, prints_an_item_a_line_and_leaves_values_as_they_were_written)
{
	cr_assert_str_eq(view("{\"a\":1e400,\"b\":[true,{}],\"c\":[],\"d\":\"x\\ty\"}"),
		"{\n  \"a\": 1e400,\n  \"b\": [\n    true,\n    {}\n  ],\n  \"c\": [],\n"
		"  \"d\": \"x\\ty\"\n}");
}

Test(json_view, shows_a_text_of_several_lines_as_these_lines)
{
	cr_assert_str_eq(view("{\"a\":\"one\\n two\\n\",\"b\":\"only one\\n\"}"),
		"{\n  \"a\": \"\"\"\n    one\n     two\n    \"\"\",\n  \"b\": \"only one\\n\"\n}");
}

Test(json_view, a_nul_ends_no_line)
{
	static const char expected[] = "[\n  \"\"\"\n    x\0y\n    z\n    \"\"\"\n]";
	view("[\"x\\u0000y\\nz\"]");
	cr_assert_eq(out.length, sizeof(expected) - 1);
	cr_assert_eq(memcmp(out.data, expected, sizeof(expected)), 0);
}

/* The changes of a call. */
static bool changes(const char *name, const char *arguments)
{
	struct ik_calls *calls = ik_calls_new();
	struct ik_call_changes changed;
	tools_use(calls);
	struct ik_shown_call *call = ik_calls_get(calls, "1", name);
	ik_calls_set_arguments(calls, call, arguments, strlen(arguments));
	ik_buf_clear(&out);
	bool any = ik_call_changes(call, SIZE_MAX, &out, &changed);
	ik_calls_free(calls);
	return any;
}

Test(json_view, an_edit_is_a_diff_of_its_texts)
{
	cr_assert(changes("file_edit", "{\"file_path\":\"a.c\",\"old_string\":\"one\\ntwo\\n\","
		"\"new_string\":\"one\\n2\\n\"}"));
	cr_assert_str_eq(out.data, "  one\n- two\n+ 2\n");
	cr_assert(changes("file_edit", "{\"file_path\":\"a.c\",\"old_string\":\"return 1\","
		"\"new_string\":\"return 2\"}"));
	cr_assert_str_eq(out.data, "- return 1\n+ return 2\n");
	cr_assert(changes("file_edit", "{\"file_path\":\"a.c\","
		"\"old_string\":\"a\\n1\\n2\\n3\\n4\\n5\\n6\\n7\\nb\","
		"\"new_string\":\"A\\n1\\n2\\n3\\n4\\n5\\n6\\n7\\n\"}"));
	cr_assert_str_eq(out.data, "- a\n+ A\n  1\n  2\n  3\n@@\n  5\n  6\n  7\n- b\n");
	cr_assert(changes("file_write", "{\"file_path\":\"a.c\",\"content\":\"new\\n\"}"));
	cr_assert_str_eq(out.data, "1 + new\n");
	cr_assert_not(changes("file_write", "{\"file_path\":\"a.c\"}"));
	cr_assert_not(changes("file_edit", "{\"file_path\":\"a.c\",\"new_string"));
	cr_assert_not(changes("bash", "{\"file_path\":\"a.c\",\"content\":\"x\"}"));
	cr_assert_eq(out.length, 0);
}
