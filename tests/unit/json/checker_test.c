#include "json/checker.h"
#include "json/scan.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

/* A verdict, and what was said on the way. */
struct verdict {
	struct ik_json_checker checker;
	bool good;
	struct ik_buf seen;
};

static void note(void *arg, const struct ik_json_seen *string)
{
	ik_buf_append(arg, (const char *)string, sizeof *string);
}

/* Judge a text in pieces that end at the given places (the last is its end). Each piece is a
 * copy of its own, so that a sanitizer sees each byte read too many. */
static void judge(struct verdict *verdict, bool mend, const char *text, const size_t *ends,
	size_t count)
{
	size_t at = 0;

	ik_json_checker_init(&verdict->checker);
	ik_buf_init(&verdict->seen, IK_MIB(1));
	verdict->checker.mend = mend;
	verdict->checker.seen = note;
	verdict->checker.arg = &verdict->seen;
	for (size_t i = 0; i < count; i++) {
		char *copy = malloc(ends[i] - at + 1);

		memcpy(copy, text + at, ends[i] - at);
		ik_json_checker_feed(&verdict->checker, copy, ends[i] - at);
		free(copy);
		at = ends[i];
	}
	verdict->good = ik_json_checker_end(&verdict->checker);
}

/* Are two verdicts, and what led to them, the same? */
static bool same(const struct verdict *one, const struct verdict *other)
{
	const struct ik_json_checker *a = &one->checker, *b = &other->checker;

	if (one->good != other->good || a->offset != b->offset || a->expected != b->expected)
		return false;
	if (!one->good)
		return true;
	return a->value_start == b->value_start && a->value_end == b->value_end
		&& a->mended == b->mended && one->seen.length == other->seen.length
		&& memcmp(one->seen.data, other->seen.data, one->seen.length) == 0;
}

/* Judge a text whole, in two pieces at every place, and in pieces of one byte. */
static bool judge_all_ways(const char *text, size_t length, bool mend)
{
	struct verdict whole, split;
	size_t *ends = malloc((length + 1) * sizeof *ends);
	bool good;

	judge(&whole, mend, text, &length, 1);
	for (size_t cut = 0; cut <= length; cut++) {
		judge(&split, mend, text, (size_t[]){ cut, length }, 2);
		cr_assert(same(&whole, &split), "%.*s cut at %zu", (int)length, text, cut);
		ik_buf_done(&split.seen);
		ends[cut] = cut + 1;
	}
	judge(&split, mend, text, ends, length);
	cr_assert(same(&whole, &split), "%.*s in bytes", (int)length, text);
	ik_buf_done(&split.seen);
	ik_buf_done(&whole.seen);
	free(ends);
	good = whole.good;
	return good;
}

/* The strings of a value, in order, as ik_json_next() finds them. */
static void list_strings(struct ik_json_span value, const char *text, struct ik_buf *out)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_seen seen;
	struct ik_json_span element;
	char *decoded;

	if (ik_json_span_type(value) == IK_JSON_STRING) {
		seen.start = (size_t)(value.text - text);
		seen.length = value.length;
		decoded = ik_json_string_new(value, &seen.decoded);
		free(decoded);
		ik_buf_append(out, (const char *)&seen, sizeof seen);
	}
	while (ik_json_next(value, &walk, NULL, &element))
		list_strings(element, text, out);
}

/* A text judged with mend has to be what ik_json_repair() makes of it. */
static void compare_with_repair(const char *text, size_t length)
{
	struct ik_json_span value;
	struct verdict verdict;
	struct ik_buf repaired, pieces, strings;
	bool good;

	ik_buf_init(&repaired, IK_MIB(1));
	ik_buf_init(&pieces, IK_MIB(1));
	ik_buf_init(&strings, IK_MIB(1));
	ik_json_repair(&repaired, text, length);
	for (size_t at = 0; at < length;)
		at = ik_json_repair_from(&pieces, text, length, at, at + 1);
	cr_assert_eq(repaired.length, pieces.length, "%.*s", (int)length, text);
	cr_assert_eq(memcmp(repaired.data, pieces.data, pieces.length), 0, "%.*s", (int)length, text);

	good = ik_json_check(repaired.data, repaired.length, &value, NULL) == IK_OK;
	judge(&verdict, true, text, &length, 1);
	cr_assert_eq(verdict.good, good, "%.*s", (int)length, text);
	if (good) {
		cr_assert_eq(verdict.checker.mended, repaired.length != length
			|| memcmp(repaired.data, text, length) != 0, "%.*s", (int)length, text);
		cr_assert_eq(verdict.checker.value_start, (size_t)(value.text - repaired.data));
		cr_assert_eq(verdict.checker.value_end, verdict.checker.value_start + value.length);
		list_strings(value, repaired.data, &strings);
		cr_assert_eq(strings.length, verdict.seen.length, "%.*s", (int)length, text);
		cr_assert_eq(memcmp(strings.data, verdict.seen.data, strings.length), 0, "%.*s",
			(int)length, text);
	}
	ik_buf_done(&verdict.seen);
	ik_buf_done(&repaired);
	ik_buf_done(&pieces);
	ik_buf_done(&strings);
}

static const char *const texts[] = {
	"", " ", "null", "nul", "nulll", "tru", " true ", "falsy", "0", "-0", "-", "-01", "01", "1.5e+3", "1.", "1e",
	"1e+", "1.5E-07 ", "12345678901234567890123", "0.0e0]", "\"\"", "\"", "\"a", "[]", "[ ]", "[", "[1", "[1,", "[1,]",
	"[,1]", "[1 2]", "{}", "{ }", "{", "{]", "[}", "{\"a\"", "{\"a\"}", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
	"{\"a\":1,\"a\":[\"b\",\"c\"]} ", "{a:1}", "[true,false,null,\"x\",-1.5e9]", "1 2", "[1]]", "{}{}",
	"{\"\\u0061\\n\":\"\\u0000\\u00e9\\u20ac\\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\"}",
	"\"\\u12\"", "\"\\u12g4\"", "\"\\", "\"\\u", "\"\\x\"", "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"",
	"\"\\udc00\"", "\"\\ud800\\ud800\"", "\"\\ud83d\\ud83d\\ude00\"", "\"\\ud800\\n\"", "\"\\ud800\\q\"",
	"\"\\ud800\\u\"", "\"\\ud800", "\"\\ud800\\", "\"\\ud83d\\ude0", "{\"\\udead\":\"\\udead\"}",
	"\"\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9\"", "\"\x80\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"",
	"\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\"\xe2\x82", "\"\xe2\x82\\n\"", "\"\xff\xfe\x80\x80\x80\x80\"",
	"\"\xf0\x9f\x98\xf0\x9f\x98\x80\x80\"", "{\"\xff\":[\"a\xe2\x82\", \"\xf0\x9f\"]}", "\"\\\xff\"", "\xff", "[\xe2\x82]",
	"\xef\xbb\xbf{}", "\"\n\"", "\"\x01\"", "\"\x7f\"", "[[[[[\"deep\"]]]]]", " \t\r\n[ 1 , { \"a\" : [ ] } ] \n",
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

Test(checker, judges_alike_however_a_text_is_split)
{
	for (size_t i = 0; i < TEXTS; i++) {
		size_t length = strlen(texts[i]);

		cr_assert_eq(judge_all_ways(texts[i], length, false),
			ik_json_check(texts[i], length, NULL, NULL) == IK_OK);
		judge_all_ways(texts[i], length, true);
		compare_with_repair(texts[i], length);
	}
}

/* Put a random text together from pieces that are often JSON. */
static size_t generate(char *text, size_t size, unsigned *seed)
{
	static const char *const parts[] = {
		"{", "}", "[", "]", ",", ":", "\"", "\"", "\"a\"", "\"a\":", "\"key\":\"value\",", "1", "-0.5e7", "true",
		"false", "null", " ", "\n", "\\", "\\n", "\\u0041", "\\ud83d", "\\ude00", "\\ud83d\\ude00", "\\u", "\xe2",
		"\x82", "\xac", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xff", "abcdefgh", "[1,2]", "{\"a\":{}}", "\x01",
	};
	size_t length = 0;
	int count = rand_r(seed) % 12;

	/* Often inside a string, where most of the work is. */
	if (rand_r(seed) % 2 == 0)
		text[length++] = '"';
	for (int i = 0; i < count; i++) {
		const char *part = parts[(size_t)rand_r(seed) % (sizeof parts / sizeof parts[0])];

		if (length + strlen(part) + 1 > size)
			break;
		memcpy(text + length, part, strlen(part));
		length += strlen(part);
	}
	if (text[0] == '"' && length > 0)
		text[length++] = '"';
	return length;
}

Test(checker, judges_generated_texts_alike_too)
{
	unsigned seed = 1;
	size_t good = 0;
	char text[256] = "";

	for (int i = 0; i < 4000; i++) {
		size_t length = generate(text, sizeof text, &seed);

		judge_all_ways(text, length, false);
		good += judge_all_ways(text, length, true);
		compare_with_repair(text, length);
	}
	cr_assert_gt(good, 400);
}

Test(checker, bounds_nesting_across_pieces)
{
	struct ik_json_checker checker;

	ik_json_checker_init(&checker);
	for (int i = 0; i < IK_LIMIT_JSON_DEPTH; i++)
		cr_assert(ik_json_checker_feed(&checker, "[", 1));
	cr_assert_not(ik_json_checker_feed(&checker, "[", 1));
	cr_assert_not(ik_json_checker_feed(&checker, "1", 1));
	cr_assert_not(ik_json_checker_end(&checker));
	cr_assert_eq(checker.offset, IK_LIMIT_JSON_DEPTH);
}
