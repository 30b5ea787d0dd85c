#include "json/scan.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

/* The checked value of a text. */
static struct ik_json_span span(const char *text)
{
	struct ik_json_span value;
	struct ik_error error = { .text = "" };

	cr_assert_eq(ik_json_check(text, strlen(text), &value, &error), IK_OK, "%s", error.text);
	return value;
}

static void expect_span(struct ik_json_span value, const char *wanted)
{
	cr_assert_eq(value.length, strlen(wanted), "%.*s", (int)value.length, value.text);
	cr_assert_eq(memcmp(value.text, wanted, value.length), 0);
}

static const char sample[] =
	"{ \"a\" : 1 ,\"b\":[ true,null , {\"x\":\"]}\"} , \"\\\"[\" ], \"a\":2, \"\\u0063\":\"v\","
	" \"big\": 9007199254740993, \"o\":{\"p\":{\"q\":[[],[0.30000000000000004]]}}, \"e\" : {} }";

Test(scan, types)
{
	cr_assert_eq(ik_json_span_type((struct ik_json_span){ NULL, 0 }), IK_JSON_NONE);
	cr_assert_eq(ik_json_span_type(span("null")), IK_JSON_NULL);
	cr_assert_eq(ik_json_span_type(span("false")), IK_JSON_BOOL);
	cr_assert_eq(ik_json_span_type(span("-1")), IK_JSON_NUMBER);
	cr_assert_eq(ik_json_span_type(span("\"\"")), IK_JSON_STRING);
	cr_assert_eq(ik_json_span_type(span("[]")), IK_JSON_ARRAY);
	cr_assert_eq(ik_json_span_type(span("{}")), IK_JSON_OBJECT);
	cr_assert_str_eq(ik_json_type_name(IK_JSON_NONE), "nothing");
	cr_assert_str_eq(ik_json_type_name(IK_JSON_OBJECT), "object");
}

Test(scan, members)
{
	struct ik_json_span object = span(sample);

	expect_span(ik_json_member(object, "a"), "1");
	expect_span(ik_json_member(object, "b"), "[ true,null , {\"x\":\"]}\"} , \"\\\"[\" ]");
	expect_span(ik_json_member(object, "c"), "\"v\"");
	expect_span(ik_json_member(object, "big"), "9007199254740993");
	expect_span(ik_json_member(object, "e"), "{}");
	cr_assert_null(ik_json_member(object, "A").text);
	cr_assert_null(ik_json_member(object, "").text);
	cr_assert_null(ik_json_member(span("[1]"), "a").text);
	cr_assert_null(ik_json_member((struct ik_json_span){ NULL, 0 }, "a").text);
	expect_span(ik_json_member(span("{\"\":5}"), ""), "5");
}

Test(scan, paths)
{
	struct ik_json_span object = span(sample);

	expect_span(ik_json_at(object, "o.p.q.1.0"), "0.30000000000000004");
	expect_span(ik_json_at(object, "b.2.x"), "\"]}\"");
	expect_span(ik_json_at(object, "b.3"), "\"\\\"[\"");
	cr_assert_null(ik_json_at(object, "b.4").text);
	cr_assert_null(ik_json_at(object, "b.x").text);
	cr_assert_null(ik_json_at(object, "b.").text);
	cr_assert_null(ik_json_at(object, "b.99999999999999999999").text);
	cr_assert_null(ik_json_at(object, "a.b").text);
	cr_assert_null(ik_json_at(object, "nothing.more").text);
}

Test(scan, walks_all_members_in_order_with_duplicates)
{
	static const char *const keys[] = { "\"a\"", "\"b\"", "\"a\"", "\"\\u0063\"", "\"big\"", "\"o\"", "\"e\"" };
	struct ik_json_span object = span(sample);
	struct ik_json_walk walk = ik_json_walk(object);
	size_t count = 0;

	while (ik_json_next(&walk))
		expect_span(walk.key, keys[count++]);
	cr_assert_eq(count, 7);
	cr_assert(!ik_json_next(&walk), "the end stays the end");
	cr_assert_eq(ik_json_count(object), 7);
	cr_assert_eq(ik_json_count(span("[ ]")), 0);
	cr_assert_eq(ik_json_count(span("[1, [2, 3]]")), 2);
	cr_assert_eq(ik_json_count(span("5")), 0);
	walk = ik_json_walk(span("[7]"));
	cr_assert(ik_json_next(&walk));
	cr_assert_null(walk.key.text);
	expect_span(walk.value, "7");
	walk = ik_json_elements(object);
	cr_assert(!ik_json_next(&walk), "an object has none");
	walk = ik_json_elements(span("[7]"));
	cr_assert(ik_json_next(&walk));
	expect_span(ik_json_only(span("{\"a\":7}")), "7");
	expect_span(ik_json_only(span("{\"a\":7,\"b\":7}")), "{\"a\":7,\"b\":7}");
	expect_span(ik_json_only(span("[7]")), "[7]");
}

static void expect_string(const char *text, const char *bytes, size_t length)
{
	struct ik_buf out;
	size_t new_length;
	char *new;

	ik_buf_init(&out, 1000);
	cr_assert(ik_json_string(span(text), &out));
	cr_assert_eq(out.length, length);
	cr_assert_eq(memcmp(out.data, bytes, length), 0);
	new = ik_json_string_new(span(text), &new_length);
	cr_assert_eq(new_length, length);
	cr_assert_eq(memcmp(new, bytes, length + 1), 0);
	free(new);
	ik_buf_done(&out);
}

Test(scan, strings)
{
	struct ik_buf out;

	expect_string("\"\"", "", 0);
	expect_string("\"plain\"", "plain", 5);
	expect_string("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
	expect_string("\"a\\u0000b\"", "a\0b", 3);
	expect_string("\"\\u00e9\\u20AC\\ud83D\\uDE00!\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80!", 10);
	ik_buf_init(&out, 10);
	cr_assert(!ik_json_string(span("5"), &out));
	cr_assert_null(ik_json_string_new(span("[]"), NULL));
	cr_assert_null(ik_json_string_new((struct ik_json_span){ NULL, 0 }, NULL));
	ik_buf_done(&out);
}

Test(scan, string_is)
{
	cr_assert(ik_json_string_is(span("\"abc\""), "abc"));
	cr_assert(ik_json_string_is(span("\"\\u0061b\\u0063\""), "abc"));
	cr_assert(!ik_json_string_is(span("\"abc\""), "ab"));
	cr_assert(!ik_json_string_is(span("\"ab\""), "abc"));
	cr_assert(!ik_json_string_is(span("\"ab\\u0000\""), "ab"));
	cr_assert(ik_json_string_is(span("\"\""), ""));
	cr_assert(!ik_json_string_is(span("5"), "5"));
}

Test(scan, scalars)
{
	int64_t number;
	double real;
	bool flag;

	cr_assert(ik_json_integer(span("1e3"), &number));
	cr_assert_eq(number, 1000);
	cr_assert(!ik_json_integer(span("1.5"), &number));
	cr_assert(!ik_json_integer(span("\"1\""), &number));
	cr_assert(ik_json_double(span("1.5"), &real));
	cr_assert_eq(real, 1.5);
	cr_assert(!ik_json_double(span("1e999"), &real));
	cr_assert(ik_json_bool(span("true"), &flag));
	cr_assert(flag);
	cr_assert(ik_json_bool(span("false"), &flag));
	cr_assert(!flag);
	cr_assert(!ik_json_bool(span("null"), &flag));
}

/* Only what a C string can say, and that says something. */
Test(scan, texts_are_strings_without_a_nul)
{
	static const struct { const char *json, *wanted; } rows[] = {
		{ "\"a\\u00e9\"", "a\xc3\xa9" }, { "\"\"", NULL }, { "\"a\\u0000b\"", NULL },
		{ "5", NULL }, { "null", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ik_json_span value;
		char *text;

		cr_assert_eq(ik_json_check(rows[i].json, strlen(rows[i].json), &value, NULL), IK_OK);
		text = ik_json_text_new(value);
		cr_assert_eq(text != NULL, rows[i].wanted != NULL, "%s", rows[i].json);
		if (text)
			cr_assert_str_eq(text, rows[i].wanted);
		free(text);
	}
}

static bool are_equal(const char *one, const char *other)
{
	struct ik_json_span a, b;
	bool forward;

	cr_assert_eq(ik_json_check(one, strlen(one), &a, NULL), IK_OK, "%s", one);
	cr_assert_eq(ik_json_check(other, strlen(other), &b, NULL), IK_OK, "%s", other);
	forward = ik_json_equal(a, b);
	cr_assert_eq(forward, ik_json_equal(b, a));
	return forward;
}

Test(scan, equality)
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
	cr_assert(are_equal("\"\\u0061/\"", "\"a\\/\""));
	cr_assert(are_equal("{\"\\u0061\":1,\"b\":2}", "{\"b\":2,\"a\":1}"));
	cr_assert(are_equal("{\"a\\u0000\":1}", "{\"a\\u0000\":1}"));
	cr_assert(are_equal("[]", "[ ]"));
}
