#include "json/write.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "util/utf8.h"

static void expect_text(struct ik_buf *buf, const char *wanted)
{
	cr_assert_eq(ik_buf_status(buf), IK_OK);
	cr_assert_str_eq(buf->data, wanted);
	ik_buf_done(buf);
}

Test(write, sets_commas)
{
	struct ik_buf buf;

	ik_buf_init(&buf, 10000);
	ik_buf_puts(&buf, "data: ");
	ik_json_open(&buf, '{');
	ik_json_key(&buf, "name");
	ik_json_put_text(&buf, "x,");
	ik_json_key(&buf, "list");
	ik_json_open(&buf, '[');
	ik_json_put_integer(&buf, INT64_MIN);
	ik_json_printf(&buf, "%s", ik_json_word(true));
	ik_json_put_null(&buf);
	ik_json_put_text(&buf, NULL);
	ik_json_open(&buf, '{');
	ik_json_close(&buf, '}');
	ik_json_open(&buf, '[');
	ik_json_close(&buf, ']');
	ik_json_put_raw(&buf, (struct ik_json_span){ "1e400", 5 });
	ik_json_close(&buf, ']');
	ik_json_key(&buf, "last:");
	ik_json_printf(&buf, "%s", ik_json_word(false));
	ik_json_close(&buf, '}');
	ik_buf_putc(&buf, '\n');
	ik_json_put_integer(&buf, 1);
	expect_text(&buf, "data: {\"name\":\"x,\",\"list\":[-9223372036854775808,true,null,null,{},[],1e400],"
		"\"last:\":false}\n1");
}

Test(write, by_a_format)
{
	const char *volatile nothing = NULL;
	struct ik_buf buf;

	ik_buf_init(&buf, 10000);
	ik_json_printf(&buf, "{'a\\nb':'%s','none':'%s','cut':'%.*s','list':[", "x\"", nothing, 2, "abc");
	for (int i = 0; i < 2; i++)
		ik_json_printf(&buf, "%d", i);
	ik_json_printf(&buf, "{'size':%zu,'number':%lld,'share':%g,'good':%s}", (size_t)7, -8LL, 0.5,
		ik_json_word(true));
	ik_json_printf(&buf, "],'raw':%s,'part':%.*s,'missing':%s", "[ 1 ]", 1, "23", nothing);
	ik_json_printf(&buf, "'last':'%s'}", "");
	expect_text(&buf, "{\"a\\nb\":\"x\\\"\",\"none\":null,\"cut\":\"ab\","
		"\"list\":[0,1,{\"size\":7,\"number\":-8,\"share\":0.5,\"good\":true}],"
		"\"raw\":[1],\"part\":2,\"missing\":null,\"last\":\"\"}");
}

Test(write, json_of_others_on_one_line)
{
	static const char text[] = " {\r\n\t\"a b\\\" \" : [ 1.50 , 1E+400,\n-0 ] , \"a b\": { } ,"
		"\"\u00e9\\u0000\": null}\n";
	struct ik_json_span value;
	struct ik_buf buf;

	cr_assert_eq(ik_json_check(text, sizeof(text) - 1, &value, NULL), IK_OK);
	ik_buf_init(&buf, 10000);
	ik_json_open(&buf, '[');
	ik_json_put_raw(&buf, (struct ik_json_span){ "  7", 3 });
	ik_json_put_raw(&buf, value);
	ik_json_close(&buf, ']');
	expect_text(&buf, "[7,{\"a b\\\" \":[1.50,1E+400,-0],\"a b\":{},\"\u00e9\\u0000\":null}]");
}

Test(write, escapes)
{
	static const char bytes[] =
		"q\" b\\ s/ \b\f\n\r\t\0\x01\x1f\x7f \xc3\xa9\xf0\x9f\x98\x80 \xff\xe2\x82 \xed\xa0\x80";
	struct ik_buf buf;

	ik_buf_init(&buf, 10000);
	ik_json_put_string(&buf, bytes, sizeof(bytes) - 1);
	expect_text(&buf, "\"q\\\" b\\\\ s/ \\b\\f\\n\\r\\t\\u0000\\u0001\\u001f\x7f \xc3\xa9\xf0\x9f\x98\x80 "
		"\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

/* The rule for one character, straight from the standard. */
static void escape_slowly(struct ik_buf *out, const char *bytes, size_t length)
{
	static const char named[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";

	while (length > 0) {
		unsigned char byte = (unsigned char)*bytes;
		const char *name = byte ? strchr(named, byte) : NULL;
		uint32_t codepoint;
		int count = ik_utf8_decode(bytes, length, &codepoint);
		size_t taken = count > 0 ? (size_t)count : ik_utf8_bad(bytes, length);

		if (count <= 0)
			ik_buf_puts(out, "\xef\xbf\xbd");
		else if (name)
			ik_buf_printf(out, "\\%c", letters[name - named]);
		else if (byte < 0x20)
			ik_buf_printf(out, "\\u%04x", byte);
		else
			ik_buf_append(out, bytes, taken);
		bytes += taken;
		length -= taken;
	}
}

Test(write, escapes_like_one_character_at_a_time)
{
	/* Mostly plain, so that whole words are, with everything else in between. */
	static const char *const parts[] = { "abcdefgh", "x", "yz", "plain text ", "\"", "\\", "\n", "\t",
		"\x01", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xe2\x82", "\xff", "!", "#", "[" };
	unsigned seed = 7;

	for (int turn = 0; turn < 3000; turn++) {
		struct ik_buf text, fast, slow;
		size_t count = (size_t)rand_r(&seed) % (turn % 50 ? 40 : 3000);

		ik_buf_init(&text, 100000);
		ik_buf_init(&fast, 1000000);
		ik_buf_init(&slow, 1000000);
		for (size_t i = 0; i < count; i++) {
			size_t part = (size_t)rand_r(&seed) % (sizeof(parts) / sizeof(parts[0]));

			ik_buf_append(&text, parts[part], strlen(parts[part]));
			if (part == 8)
				ik_buf_putc(&text, '\0');
		}
		/* In memory of just that size, so that a read beyond it is seen. */
		char *exact = malloc(text.length + !text.length);
		cr_assert(exact);
		memcpy(exact, text.data, text.length);
		ik_json_escape(&fast, exact, text.length);
		escape_slowly(&slow, exact, text.length);
		cr_assert_eq(fast.length, slow.length);
		cr_assert(memcmp(fast.data, slow.data, fast.length) == 0);
		free(exact);
		ik_buf_done(&text);
		ik_buf_done(&fast);
		ik_buf_done(&slow);
	}
}

Test(write, string_in_pieces)
{
	struct ik_buf buf;

	ik_buf_init(&buf, 10000);
	ik_json_open(&buf, '[');
	ik_json_put_integer(&buf, 1);
	ik_json_quote_open(&buf);
	ik_json_escape(&buf, "a[", 2);
	ik_json_escape(&buf, "\nb", 2);
	ik_json_quote_close(&buf);
	ik_json_close(&buf, ']');
	expect_text(&buf, "[1,\"a[\\nb\"]");
}

static void expect_double(double number, const char *wanted)
{
	struct ik_buf buf;

	ik_buf_init(&buf, 100);
	ik_json_printf(&buf, "%g", number);
	expect_text(&buf, wanted);
}

Test(write, doubles)
{
	expect_double(0, "0");
	expect_double(-0.0, "-0");
	expect_double(1, "1");
	expect_double(-1.5, "-1.5");
	expect_double(0.1, "0.1");
	expect_double(0.30000000000000004, "0.30000000000000004");
	expect_double(100, "100");
	expect_double(123456789012345680000.0, "1.2345678901234568e+20");
	expect_double(1e21, "1e+21");
	expect_double(1.5e300, "1.5e+300");
	expect_double(0.000001, "1e-06");
	expect_double(1.25e-7, "1.25e-07");
	expect_double(DBL_MAX, "1.7976931348623157e+308");
	expect_double(5e-324, "4.94065645841247e-324");
	expect_double(INFINITY, "null");
	expect_double(NAN, "null");
}

Test(write, doubles_read_back_exactly)
{
	unsigned seed = 7;

	for (int i = 0; i < 20000; i++) {
		union {
			double number;
			uint64_t bits;
		} value;
		struct ik_json_span span;
		struct ik_buf buf;
		double back;

		value.bits = (uint64_t)rand_r(&seed) << 48 ^ (uint64_t)rand_r(&seed) << 24 ^ (uint64_t)rand_r(&seed);
		if (!isfinite(value.number))
			continue;
		ik_buf_init(&buf, 100);
		ik_json_printf(&buf, "%g", value.number);
		cr_assert_eq(ik_json_check(buf.data, buf.length, &span, NULL), IK_OK, "%s", buf.data);
		cr_assert(ik_json_double(span, &back));
		cr_assert_eq(back, value.number, "%s", buf.data);
		ik_buf_done(&buf);
	}
}

static void expect_pretty(const char *text, const char *wanted)
{
	struct ik_json_span value;
	struct ik_buf buf;

	cr_assert_eq(ik_json_check(text, strlen(text), &value, NULL), IK_OK);
	ik_buf_init(&buf, 1000);
	ik_json_pretty(&buf, value);
	expect_text(&buf, wanted);
}

Test(write, pretty)
{
	expect_pretty("5", "5");
	expect_pretty("[]", "[]");
	expect_pretty("{ }", "{}");
	expect_pretty("[[],{}]", "[\n  [],\n  {}\n]");
	expect_pretty("{\"a\":1,\"b\":{\"c\":[1,\"x, {y}\\\"\",null]},\"d\":{}}",
		"{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      1,\n      \"x, {y}\\\"\",\n      null\n    ]\n  },\n"
		"  \"d\": {}\n}");
}

Test(write, a_full_buffer_is_told_once)
{
	struct ik_buf buf;

	ik_buf_init(&buf, 5);
	ik_json_open(&buf, '[');
	ik_json_put_text(&buf, "longer than that");
	ik_json_close(&buf, ']');
	cr_assert_eq(ik_buf_status(&buf), IK_TOO_LARGE);
	cr_assert_leq(buf.length, 5);
	ik_buf_done(&buf);
}
