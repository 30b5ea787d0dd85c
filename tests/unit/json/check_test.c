#include "json/scan.h"
#include "util/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

/* Check a copy without a NUL behind it, so that a sanitizer sees each byte read too many. */
static enum ik_status check(const char *text, size_t length, struct ik_json_span *ret_value,
	struct ik_error *error)
{
	char *copy = malloc(length ? length : 1);
	struct ik_json_span value = { NULL, 0 };
	enum ik_status status;

	memcpy(copy, text, length);
	status = ik_json_check(copy, length, &value, error);
	if (ret_value && status == IK_OK)
		*ret_value = (struct ik_json_span){ text + (value.text - copy), value.length };
	free(copy);
	return status;
}

Test(check, accepts_what_rfc_8259_does)
{
	static const char *const texts[] = {
		"null", "true", "false", "0", "-0", "-1", "10", "1.5", "1e5", "1E+5", "1e-5", "0.0e0",
		"123456789012345678901234567890", "1e400", "\"\"", "\"a\"", "[]", "{}", " [ ] ", "\t\r\n{ }\n",
		"[1,2 , 3]", "{\"a\":1,\"a\":2}", "{\"\":[{}]}", "\"\\u0000\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
		"\"\\ud83d\\ude00\"", "\"\\uD83D\\uDE00\"", "\"\xf0\x9f\x98\x80\"", "\"\x7f\"", "\"\xe2\x80\xa8\"",
		"\"\xef\xbf\xbf\"", "[[[[1]]]]", "\"\\uFFFF\"",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ik_error error = { .text = "" };

		cr_assert_eq(check(texts[i], strlen(texts[i]), NULL, &error), IK_OK, "%s: %s", texts[i],
			error.text);
	}
}

Test(check, refuses_everything_else)
{
	static const char *const texts[] = {
		"", " ", "nul", "True", "nan", "NaN", "Infinity", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+",
		"1.e5", "0x10", "1 2", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "}", "{]", "[}", "{\"a\"}",
		"{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "\"", "\"a",
		"\"\\\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800x\"",
		"\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\ud800\\ud800\"", "\"\n\"", "\"\t\"", "\"\x01\"", "\"\x80\"",
		"\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\"\xe2\x82", "\xef\xbb\xbf{}",
		"// x\n1", "1 // x", "[1]]", "{}{}", "nulll", "\f1", "'a'", "undefined", "\xa0",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ik_error error = { .text = "" };

		cr_assert_eq(check(texts[i], strlen(texts[i]), NULL, &error), IK_INVALID, "%s", texts[i]);
		cr_assert_neq(error.text[0], '\0', "%s", texts[i]);
	}
	cr_assert_eq(check("\"a\0b\"", 5, NULL, NULL), IK_INVALID);
	cr_assert_eq(check("1\0", 2, NULL, NULL), IK_INVALID);
	cr_assert_eq(check("\"\\\0\"", 4, NULL, NULL), IK_INVALID);
}

Test(check, every_cut_of_a_text_is_refused)
{
	const char *text = "{\"key\": [1.5e+3, \"\\ud83d\\ude00\\n\xe2\x82\xac\", true, null, {\"a\": {}}]}";
	size_t length = strlen(text);

	cr_assert_eq(check(text, length, NULL, NULL), IK_OK);
	for (size_t cut = 0; cut < length; cut++)
		cr_assert_eq(check(text, cut, NULL, NULL), IK_INVALID, "cut at %zu", cut);
}

Test(check, gives_the_value_without_blanks)
{
	struct ik_json_span value;

	cr_assert_eq(check(" \n [1, 2] \t", 11, &value, NULL), IK_OK);
	cr_assert_eq(value.length, 6);
	cr_assert_eq(memcmp(value.text, "[1, 2]", 6), 0);
}

Test(check, names_the_place)
{
	struct ik_error error;

	cr_assert_eq(check("{\n  \"a\": 1,\n  \"b\" 2\n}", 21, NULL, &error), IK_INVALID);
	cr_assert_str_eq(error.text, "line 3, column 7: found '2', expected ':'");
	cr_assert_eq(check("[1,", 3, NULL, &error), IK_INVALID);
	cr_assert_str_eq(error.text, "line 1, column 4: found the end, expected a value");
	cr_assert_eq(check("[1] x", 5, NULL, &error), IK_INVALID);
	cr_assert_str_eq(error.text, "line 1, column 5: found 'x', expected nothing more");
}

/* count opening brackets and as many closing ones. */
static char *nested(size_t count)
{
	char *text = malloc(2 * count);

	memset(text, '[', count);
	memset(text + count, ']', count);
	return text;
}

Test(check, nesting_is_bounded)
{
	char *text = nested(IK_LIMIT_JSON_DEPTH);

	cr_assert_eq(check(text, 2 * IK_LIMIT_JSON_DEPTH, NULL, NULL), IK_OK);
	free(text);
	text = nested(IK_LIMIT_JSON_DEPTH + 1);
	cr_assert_eq(check(text, 2 * (IK_LIMIT_JSON_DEPTH + 1), NULL, NULL), IK_INVALID);
	free(text);
	text = nested(1000000);
	cr_assert_eq(check(text, 2000000, NULL, NULL), IK_INVALID);
	free(text);
}

static void expect_repair(const char *from, const char *to)
{
	struct ik_buf out;

	ik_buf_init(&out, 1000);
	ik_json_repair(&out, from, strlen(from));
	cr_assert_str_eq(out.data, to);
	ik_buf_done(&out);
}

Test(check, repairs_characters_only)
{
	expect_repair("\"\\ud800\"", "\"\\ufffd\"");
	expect_repair("\"\\udc00x\\uD83D\\uDE00\"", "\"\\ufffdx\\uD83D\\uDE00\"");
	expect_repair("\"\\ud800\\ud83d\\ude00\"", "\"\\ufffd\\ud83d\\ude00\"");
	expect_repair("\"\\\\ud800\"", "\"\\\\ud800\"");
	expect_repair("\"\\\\\\ud800\"", "\"\\\\\\ufffd\"");
	expect_repair("\"a\xff\xe2\x82\"", "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
	expect_repair("\"\\\xff\"", "\"\\\xef\xbf\xbd\"");
	expect_repair("{\"a\":1}", "{\"a\":1}");
	expect_repair("\\", "\\");
	expect_repair("\\u12", "\\u12");
	expect_repair("", "");
}

static void expect_blanked(const char *from, const char *to)
{
	char text[200];

	snprintf(text, sizeof(text), "%s", from);
	ik_json_blank_comments(text, strlen(text));
	cr_assert_str_eq(text, to);
}

Test(check, blanks_comments)
{
	expect_blanked("{ // x\n\"a\":1}", "{     \n\"a\":1}");
	expect_blanked("{/* x\n */\"a\"/**/:1}", "{    \n   \"a\"    :1}");
	expect_blanked("\"// no\" // yes", "\"// no\"       ");
	expect_blanked("\"\\\"// no\" /* yes", "\"\\\"// no\"       ");
	expect_blanked("/*/ x */1", "        1");
	expect_blanked("/", "/");
	expect_blanked("1 /", "1 /");
	expect_blanked("//", "  ");
	expect_blanked("\"open\n// x", "\"open\n    ");
	expect_blanked("\"http://x\"", "\"http://x\"");
}

Test(check, counts_lines)
{
	const char *text = "a\nb\n\nc";

	cr_assert_eq(ik_json_line(text, text), 1);
	cr_assert_eq(ik_json_line(text, text + 1), 1);
	cr_assert_eq(ik_json_line(text, text + 2), 2);
	cr_assert_eq(ik_json_line(text, text + 5), 4);
}
