#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tool/display.h"
#include "util/limits.h"

TestSuite(display);

#define PARAMETERS "{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":{},\"path\":{}}}"

static struct ik_json_span span(const char *text)
{
	struct ik_json_span value = { NULL, 0 };

	cr_assert_eq(ik_json_check(text, strlen(text), &value, NULL), IK_OK, "%s", text);
	return value;
}

/* Check a display for these parameters; wanted is in the reason, or NULL: there is none. */
static void check(const char *display, const char *wanted)
{
	char *wrong = ik_display_check(span(display), span(PARAMETERS));

	if (wanted) {
		cr_assert_not_null(wrong, "%s", display);
		cr_assert_not_null(strstr(wrong, wanted), "%s: %s", display, wrong);
	} else {
		cr_assert_null(wrong, "%s: %s", display, wrong);
	}
	free(wrong);
}

static void expect_line(const char *display, const char *arguments, const char *wanted)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	ik_display_put_line(span(display), "tool", span(arguments), 20, &out);
	cr_assert_str_eq(out.data, wanted);
	ik_buf_done(&out);
}

Test(display, accepts_what_names_parameters)
{
	check("{}", NULL);
	check("{\"kind\":\"edit\",\"line\":\"A {a}[ in {path}] {b|x|y}\",\"result\":\"{any}\","
		  "\"path\":\"path\",\"old_text\":\"a\",\"new_text\":\"b\",\"command\":\"a\",\"at\":\"n\"}",
		NULL);
	check("{\"line\":\"{{a}} [[x]]\"}", NULL);
}

Test(display, says_what_is_wrong)
{
	check("{\"kind\":\"write\"}", "\"execute\"");
	check("{\"kind\":5}", "display.kind");
	check("{\"line\":\"\"}", "display.line");
	check("{\"line\":\"{c}\"}", "\"c\"");
	check("{\"line\":\"{a\"}", "\"}\"");
	check("{\"line\":\"[{a}\"}", "\"]\"");
	check("{\"line\":\"a]\"}", "\"[\"");
	check("{\"line\":\"[a[b]]\"}", "\"[\"");
	check("{\"line\":\"{a|b}\"}", "two words");
	check("{\"result\":\"{a|b}\"}", "display.result");
	check("{\"path\":\"file\"}", "\"file\"");
	check("{\"at\":{}}", "display.at");
}

Test(display, fills_templates_in)
{
	const char *display = "{\"line\":\"Do {a}[ in {path}][, {b|line|lines}]\"}";

	expect_line(display, "{\"a\":\"x y\"}", "Do x y");
	expect_line(display, "{\"a\":1.5,\"path\":\"src\",\"b\":1}", "Do 1.5 in src, 1 line");
	expect_line(display, "{\"a\":[1],\"path\":\"\",\"b\":0}", "Do [1], 0 lines");
	expect_line(display, "{\"a\":true,\"path\":false,\"b\":null}", "Do true");
	expect_line(display, "{}", "Do ");
	expect_line("{\"line\":\"{{a}} [[{a}]] }\"}", "{\"a\":\"z\"}", "{a} [z] }");
	/* A value is cut between characters, and an escape is read. */
	expect_line("{\"line\":\"{a}.\"}", "{\"a\":\"0123456789012345678\xc3\xa4\xc3\xa4\"}",
		"0123456789012345678.");
	expect_line("{\"line\":\"{a}\"}", "{\"a\":\"\\u00e4\\n\"}", "\xc3\xa4\n");
}

Test(display, names_the_arguments_of_others)
{
	expect_line("{}", "{}", "tool");
	expect_line("{}", "{\"a\":\"x\",\"b\":\"x y\",\"c\":[1, 2],\"d\":\"\"}",
		"tool a=x b=\"x y\" c=[1, 2] d=\"\"");
}

Test(display, says_what_came_of_it)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	ik_display_put_result(span("{\"result\":\"{count|match|matches}\"}"), span("{\"count\":12}"), &out);
	cr_assert_str_eq(out.data, "12 matches");
	ik_buf_clear(&out);
	ik_display_put_result(span("{}"), span("{\"count\":12}"), &out);
	ik_display_put_result(span("{\"result\":\"[{count} found]\"}"), span("[]"), &out);
	cr_assert_eq(out.length, 0);
	ik_buf_done(&out);
}

Test(display, finds_kinds_and_roles)
{
	struct ik_json_span display = span("{\"kind\":\"search\",\"path\":\"p\",\"at\":\"n\"}");

	cr_assert_eq(ik_display_kind(display), IK_DISPLAY_SEARCH);
	cr_assert_eq(ik_display_kind(span("{}")), IK_DISPLAY_OTHER);
	cr_assert_eq(ik_display_kind((struct ik_json_span){ NULL, 0 }), IK_DISPLAY_OTHER);
	cr_assert_eq(ik_display_value(display, "path", span("{\"p\":\"x\"}")).length, 3);
	cr_assert_null(ik_display_value(display, "command", span("{\"p\":\"x\"}")).text);
}

static void expect_whole_line(const char *display, const char *arguments, const char *wanted)
{
	char *line = ik_display_line(display, "tool", arguments, strlen(arguments));

	cr_assert_str_eq(line, wanted);
	free(line);
}

Test(display, a_line_is_one_harmless_line_whatever_the_arguments)
{
	char text[600] = "{\"a\":\"";

	expect_whole_line(NULL, "", "tool");
	expect_whole_line(NULL, "{\"a\":1}", "tool a=1");
	expect_whole_line(NULL, "[1, 2]", "tool [1, 2]");
	expect_whole_line("{\"line\":\"Do {a}\"}", "{\"a\":\"one\\ntwo\\u001b[2J\"}", "Do one two\u241b[2J");
	expect_whole_line("{\"line\":\"Do {a}\"}", "{\"a\": cut", "tool {\"a\": cut");
	/* It is cut between characters. */
	for (size_t pad = 0; pad < 4; pad++) {
		size_t length = strlen("{\"a\":\"") + pad;

		memset(text + length - pad, 'x', pad);
		for (; length < 500; length += 2)
			memcpy(text + length, "\xc3\xa4", 2);
		memcpy(text + length, "\"}", 3);
		char *line = ik_display_line(NULL, "tool", text, strlen(text));
		cr_assert_leq(strlen(line), IK_DISPLAY_LINE_BYTES);
		cr_assert_geq(strlen(line), IK_DISPLAY_LINE_BYTES - 6);
		cr_assert_null(strstr(line, "\xef\xbf\xbd"));
		cr_assert_str_eq(line + strlen(line) - 5, "\xc3\xa4\xe2\x80\xa6");
		free(line);
	}
}
