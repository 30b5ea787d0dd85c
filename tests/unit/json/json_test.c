#include "json/json.h"
#include "json/write.h"
#include "util/limits.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static struct ik_json *parse(const char *text)
{
	struct ik_error error = { .text = "" };
	struct ik_json *json = ik_json_parse(text, strlen(text), &error);

	cr_assert_not_null(json, "%s: %s", text, error.text);
	return json;
}

static void expect_print(const struct ik_json *json, const char *wanted)
{
	struct ik_buf out;

	ik_buf_init(&out, 100000);
	ik_json_print(json, &out);
	cr_assert_eq(ik_buf_status(&out), IK_OK);
	cr_assert_str_eq(out.data, wanted);
	ik_buf_done(&out);
}

Test(json, what_goes_in_comes_out)
{
	static const char *const texts[] = {
		"null", "true", "false", "0", "-0", "9007199254740993", "1e400", "0.30000000000000004", "1E+2",
		"123456789012345678901234567890.5", "\"\"", "\"a\\u0000b\"", "\"\\u0000\"", "[]", "{}", "[[],{}]",
		"{\"a\":1,\"a\":2,\"\":3}", "{\"a\\u0000\":[1,2,{\"b\":null}],\"c\":\"\\\"\\\\\\n\"}",
		"[1,[2,[3,[]]],4]", "\"\xf0\x9f\x98\x80\"", "{\"A\":1,\"a\":2}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ik_json *json = parse(texts[i]);
		struct ik_json *copy = ik_json_copy(json);

		expect_print(json, texts[i]);
		cr_assert(ik_json_equal(json, copy));
		cr_assert_null(ik_json_free(json));
		expect_print(copy, texts[i]);
		ik_json_free(copy);
	}
}

Test(json, blanks_go_and_escapes_are_written_anew)
{
	struct ik_json *json = parse(" { \"\\u0061\" : [ 1 , \"\\/\\ud83d\\ude00\" ] } ");

	expect_print(json, "{\"a\":[1,\"/\xf0\x9f\x98\x80\"]}");
	ik_json_free(json);
}

Test(json, what_is_no_json_is_refused)
{
	struct ik_error error;

	cr_assert_null(ik_json_parse("{\"a\":01}", 8, &error));
	cr_assert_eq(error.status, IK_INVALID);
	cr_assert_null(ik_json_parse("", 0, &error));
	cr_assert_null(ik_json_parse("1 2", 3, NULL));
}

/* depth arrays inside each other, as text. */
static char *nested(size_t depth)
{
	char *text = calloc(1, 2 * depth + 1);

	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	return text;
}

Test(json, nesting_is_bounded)
{
	char *text = nested(IK_LIMIT_JSON_DEPTH);
	struct ik_json *json = parse(text);

	expect_print(json, text);
	ik_json_free(json);
	free(text);
	text = nested(IK_LIMIT_JSON_DEPTH + 1);
	cr_assert_null(ik_json_parse(text, strlen(text), NULL));
	free(text);
}

Test(json, types_and_values)
{
	struct ik_json *json = parse("[null,true,1.0,\"x\",[],{},1.5,1e999,\"2\"]");
	enum ik_json_type types[] = { IK_JSON_NULL, IK_JSON_BOOL, IK_JSON_NUMBER, IK_JSON_STRING,
		IK_JSON_ARRAY, IK_JSON_OBJECT, IK_JSON_NUMBER, IK_JSON_NUMBER, IK_JSON_STRING };
	const struct ik_json *children[9];
	size_t count = 0;
	int64_t whole;

	for (const struct ik_json *child = ik_json_first(json); child; child = ik_json_sibling(child)) {
		cr_assert_eq(ik_json_type(child), types[count]);
		children[count++] = child;
	}
	cr_assert_eq(count, 9);
	cr_assert_eq(ik_json_size(json), 9);
	cr_assert_eq(ik_json_type(NULL), IK_JSON_NONE);
	cr_assert(ik_json_is_true(children[1]));
	cr_assert(!ik_json_is_true(children[0]));
	cr_assert(!ik_json_is_true(NULL));
	cr_assert(ik_json_whole(children[2], &whole));
	cr_assert_eq(whole, 1);
	cr_assert(!ik_json_whole(children[6], &whole));
	cr_assert_str_eq(ik_json_text(children[3]), "x");
	cr_assert_null(ik_json_text(children[2]));
	cr_assert_null(ik_json_text(NULL));
	cr_assert_eq(ik_json_size(children[4]), 0);
	cr_assert_null(ik_json_first(NULL));
	ik_json_free(json);
	ik_json_free(NULL);
}

Test(json, members)
{
	struct ik_json *json = parse("{\"a\":1,\"A\":2,\"a\":3}");
	int64_t number;

	cr_assert(ik_json_whole(ik_json_get(json, "a"), &number));
	cr_assert_eq(number, 1);
	cr_assert(ik_json_whole(ik_json_get(json, "A"), &number));
	cr_assert_eq(number, 2);
	cr_assert_null(ik_json_get(json, "b"));
	cr_assert_null(ik_json_get(NULL, "a"));
	cr_assert_str_eq(ik_json_name(ik_json_first(json)), "a");
	ik_json_free(json);
	json = parse("[1]");
	cr_assert_null(ik_json_get(json, "a"));
	ik_json_free(json);
}

Test(json, building_and_changing)
{
	struct ik_json *json = ik_json_new_object(), *list = ik_json_new_array(), *child;

	ik_json_add(json, "text", ik_json_new_text("x"));
	ik_json_add(json, "nul", ik_json_new_bytes("a\0b\xff\xc0\x80", 6));
	ik_json_add(json, "list", list);
	ik_json_append(list, parse("-9223372036854775808"));
	ik_json_append(list, ik_json_new_bool(true));
	ik_json_append(list, parse("null"));
	expect_print(json, "{\"text\":\"x\",\"nul\":\"a\\u0000b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\","
		"\"list\":[-9223372036854775808,true,null]}");
	ik_json_set(json, "text", parse("5"));
	ik_json_set(json, "new", ik_json_new_bool(false));
	ik_json_remove(json, "nul");
	ik_json_remove(json, "nothing of that name");
	expect_print(json, "{\"text\":5,\"list\":[-9223372036854775808,true,null],\"new\":false}");
	child = ik_json_detach(json, ik_json_get(json, "list"));
	cr_assert_eq(child, list);
	expect_print(json, "{\"text\":5,\"new\":false}");
	ik_json_add(json, "again", child);
	ik_json_set(json, "new", parse("null"));
	expect_print(json, "{\"text\":5,\"new\":null,\"again\":[-9223372036854775808,true,null]}");
	ik_json_free(json);
}

Test(json, bytes)
{
	struct ik_json *json = parse("\"a\\u0000\\u0000b\"");
	struct ik_buf out;

	ik_buf_init(&out, 100);
	ik_json_bytes(json, &out);
	cr_assert_eq(out.length, 4);
	cr_assert_eq(memcmp(out.data, "a\0\0b", 4), 0);
	cr_assert_str_eq(ik_json_text(json), "a\xc0\x80\xc0\x80" "b");
	ik_buf_done(&out);
	ik_json_free(json);
}

static bool are_equal(const char *one, const char *other)
{
	struct ik_json *a = parse(one), *b = parse(other);
	bool forward = ik_json_equal(a, b);

	cr_assert_eq(forward, ik_json_equal(b, a));
	ik_json_free(a);
	ik_json_free(b);
	return forward;
}

Test(json, equality)
{
	cr_assert(are_equal("1", "1.0"));
	cr_assert(are_equal("100", "1e2"));
	cr_assert(!are_equal("9007199254740993", "9007199254740992"));
	cr_assert(!are_equal("1", "true"));
	cr_assert(!are_equal("0", "false"));
	cr_assert(!are_equal("\"1\"", "1"));
	cr_assert(are_equal("{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}"));
	cr_assert(!are_equal("{\"a\":1}", "{\"a\":1,\"b\":2}"));
	cr_assert(!are_equal("{\"a\":1,\"c\":2}", "{\"a\":1,\"b\":2}"));
	cr_assert(!are_equal("[1,2]", "[2,1]"));
	cr_assert(!are_equal("[1]", "[1,1]"));
	cr_assert(!are_equal("\"a\\u0000\"", "\"a\""));
	cr_assert(!are_equal("{}", "[]"));
	cr_assert(are_equal("null", "null"));
}
