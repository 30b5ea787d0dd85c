#include "tool/envelope.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/utf8.h"

static struct ik_buf buffer(void)
{
	struct ik_buf buf;

	ik_buf_init(&buf, IK_LIMIT_ENVELOPE);
	return buf;
}

/* The envelope of a success; the caller frees it. */
static char *success(const char *output, size_t length, size_t limit)
{
	struct ik_buf out = buffer();
	struct ik_error error;
	struct ik_json_span whole;

	cr_assert_eq(ik_json_check(output, length, &whole, &error), IK_OK, "%s", error.text);
	cr_assert_eq(ik_envelope_value(&out, whole, limit, NULL), whole.length > limit);
	cr_assert_eq(ik_buf_status(&out), IK_OK);
	cr_assert_eq(ik_json_check(out.data, out.length, &whole, &error), IK_OK, "%s: %s",
		error.text, out.data);
	return ik_buf_take(&out, NULL);
}

static void embedded(const char *output, const char *result)
{
	char *envelope = success(output, strlen(output), IK_LIMIT_MODEL_OUTPUT);
	char *wanted = ik_format("{\"tool_success\":true,\"result\":%s}", result);

	cr_assert_str_eq(envelope, wanted);
	free(envelope);
	free(wanted);
}

/* A member of an envelope, decoded; the caller frees it. */
static char *member(const char *envelope, const char *path)
{
	struct ik_json_span whole = { envelope, strlen(envelope) };

	return ik_json_string_new(ik_json_at(whole, path), NULL);
}

/* Return the number in the mark of a text, which has exactly one. */
static size_t left_out(const char *text)
{
	const char *mark = strstr(text, "[… ");
	size_t number;

	cr_assert_not_null(mark, "no mark in %s", text);
	cr_assert_null(strstr(mark + 1, "[… "));
	number = strtoul(mark + strlen("[… "), NULL, 10);
	cr_assert_not_null(strstr(mark, " bytes left out …]"));
	return number;
}

/* Return the text with another piece at its end; text is freed. */
static char *repeated(const char *piece, size_t count)
{
	size_t length = strlen(piece);
	char *text = ik_alloc(length * count + 1);

	for (size_t i = 0; i < count; i++)
		memcpy(text + i * length, piece, length);
	return text;
}

Test(envelope, embeds_the_result_as_it_came)
{
	embedded("{\"a\":1}", "{\"a\":1}");
	embedded(" \n[1, 2]\n", "[1, 2]");
	embedded("{\"big\":9007199254740993,\"real\":0.30000000000000004,\"huge\":1e400}",
		"{\"big\":9007199254740993,\"real\":0.30000000000000004,\"huge\":1e400}");
	embedded("{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}");
	embedded("{\"nul\":\"a\\u0000b\"}", "{\"nul\":\"a\\u0000b\"}");
	embedded("\"text\"", "\"text\"");
	embedded("null", "null");
	embedded("{\"truncated\":true}", "{\"truncated\":true}");
}

Test(envelope, cuts_a_long_string_and_says_so)
{
	char *text = repeated("0123456789", 10000);
	char *output = ik_format("{\"output\":\"%s\",\"exit_code\":0}", text);
	char *envelope = success(output, strlen(output), 20000);
	char *cut = member(envelope, "result.output");
	struct ik_json_span whole = { envelope, strlen(envelope) };
	struct ik_json_span result = ik_json_member(whole, "result");
	bool truncated = false;
	size_t number = left_out(cut);

	cr_assert_leq(result.length, 20000);
	cr_assert_geq(result.length, 19000, "much was left out in vain");
	cr_assert_eq(strncmp(cut, text, 10000), 0, "the beginning stays");
	cr_assert_str_eq(cut + strlen(cut) - 1000, text + strlen(text) - 1000);
	cr_assert_eq(strlen(cut) - (strlen("[…  bytes left out …]") + 5) + number, strlen(text));
	cr_assert(ik_json_bool(ik_json_member(whole, "truncated"), &truncated));
	cr_assert(truncated);
	cr_assert(ik_envelope_succeeded(whole));
	cr_assert_not_null(strstr(envelope, "\"exit_code\":0}"));
	free(text);
	free(output);
	free(envelope);
	free(cut);
}

Test(envelope, cuts_only_the_strings_that_are_long)
{
	char *text = repeated("abc ", 5000), *middle = repeated("m", 900);
	char *output = ik_format("{\"one\":\"%s\",\"two\":\"short\",\"three\":[\"%s\",\"%s\"]}",
		text, middle, text);
	char *envelope = success(output, strlen(output), 8000);
	char *one = member(envelope, "result.one"), *two = member(envelope, "result.two");
	char *three = member(envelope, "result.three.0"), *four = member(envelope, "result.three.1");

	cr_assert_str_eq(two, "short");
	cr_assert_str_eq(three, middle);
	cr_assert_eq(left_out(one), left_out(four), "all are cut to the same length");
	cr_assert_leq(strlen(envelope), 8000 + 100);
	free(text);
	free(middle);
	free(output);
	free(envelope);
	free(one);
	free(two);
	free(three);
	free(four);
}

/* Cut a string made of a repeated raw piece at many limits: it stays valid, with only whole pieces
 * of its decoded form on both sides of the mark. */
static void cuts_between(const char *raw, const char *decoded)
{
	char *text = repeated(raw, 3000 / strlen(raw));
	char *output = ik_format("[\"%s\"]", text);

	for (size_t limit = 300; limit < 360; limit++) {
		char *envelope = success(output, strlen(output), limit);
		char *cut = member(envelope, "result.0");
		char *mark = strstr(cut, "[… ");
		size_t number = left_out(cut), size = strlen(decoded);
		char *tail = strstr(cut, "…]") + strlen("…]");

		cr_assert_eq((size_t)(mark - cut) % size, 0, "%s at %zu", cut, limit);
		cr_assert_eq(strlen(tail) % size, 0, "%s at %zu", cut, limit);
		cr_assert_eq((size_t)(mark - cut) + number + strlen(tail),
			3000 / strlen(raw) * size);
		free(envelope);
		free(cut);
	}
	free(text);
	free(output);
}

Test(envelope, cuts_at_character_boundaries)
{
	cuts_between("a", "a");
	cuts_between("\303\251", "\303\251");
	cuts_between("\342\202\254", "\342\202\254");
	cuts_between("\360\237\230\200", "\360\237\230\200");
	cuts_between("\\n", "\n");
	cuts_between("\\\\", "\\");
	cuts_between("\\\"", "\"");
	cuts_between("\\u20ac", "\342\202\254");
	cuts_between("\\u00e9", "\303\251");
	cuts_between("\\ud83d\\ude00", "\360\237\230\200");
	cuts_between("\\uD83D\\uDE00", "\360\237\230\200");
}

Test(envelope, counts_what_it_leaves_out_of_any_string)
{
	static const char *const parts[] = {
		"a", "bcdefghij", "\\\\", "\\\\\\\\\\\\", "\\\"", "\\n", "\\u0041", "\\u20ac", "\\ud83d\\ude00",
		"\303\251", "\342\202\254", "\360\237\230\200",
	};
	unsigned seed = 7;

	for (int turn = 0; turn < 300; turn++) {
		struct ik_buf output = buffer();
		size_t kinds = 1 + (size_t)turn % (sizeof parts / sizeof *parts);
		size_t decoded, kept, number;
		char *envelope, *text, *cut;

		ik_buf_putc(&output, '"');
		while (output.length < 3000)
			ik_buf_puts(&output, parts[(size_t)rand_r(&seed) % kinds]);
		ik_buf_putc(&output, '"');
		text = ik_json_string_new((struct ik_json_span){ output.data, output.length }, &decoded);
		envelope = success(output.data, output.length, 500 + (size_t)rand_r(&seed) % 1000);
		cut = member(envelope, "result");
		number = left_out(cut);
		kept = (size_t)(strstr(cut, "[… ") - cut);
		cr_assert_eq(memcmp(cut, text, kept), 0, "%s", cut);
		cr_assert_str_eq(strstr(cut, "left out …]") + strlen("left out …]"),
			text + kept + number, "%s", cut);
		free(cut);
		free(text);
		free(envelope);
		ik_buf_done(&output);
	}
}

Test(envelope, makes_one_string_of_many_small_things)
{
	char *list = repeated("12345,\"x\\n\",", 5000);
	char *output = ik_format("[%s0]", list);
	char *envelope = success(output, strlen(output), 10000);
	struct ik_json_span whole = { envelope, strlen(envelope) };
	char *cut = member(envelope, "result");

	cr_assert_not_null(cut, "the result is a string");
	cr_assert_leq(ik_json_member(whole, "result").length, 10000);
	cr_assert_eq(strncmp(cut, output, 5000), 0);
	cr_assert_not_null(strstr(whole.text, "\",\"truncated\":true}"));
	left_out(cut);
	free(list);
	free(output);
	free(envelope);
	free(cut);
}

Test(envelope, does_not_cut_member_names)
{
	char *name = repeated("k", 2000);
	char *output = ik_format("{\"%s\" : \"v\"}", name);
	char *envelope = success(output, strlen(output), 1000);
	char *cut = member(envelope, "result");

	cr_assert_not_null(cut, "no value was long, so the whole became a string");
	free(name);
	free(output);
	free(envelope);
	free(cut);
}

Test(envelope, survives_a_limit_of_nothing)
{
	char *text = repeated("x", 1000);
	char *output = ik_format("[\"%s\"]", text);

	for (size_t limit = 0; limit < 400; limit++) {
		char *envelope = success(output, strlen(output), limit);

		cr_assert_not_null(strstr(envelope, " bytes left out …]"));
		free(envelope);
	}
	free(text);
	free(output);
}

Test(envelope, cuts_fifty_megabytes)
{
	size_t count = 50 * 1000 * 1000;
	char *output = ik_alloc(count + 5);
	char *envelope;

	memcpy(output, "[\"", 2);
	memset(output + 2, 'a', count);
	memcpy(output + 2 + count, "\"]", 2);
	envelope = success(output, count + 4, IK_LIMIT_MODEL_OUTPUT);
	cr_assert_leq(strlen(envelope), IK_LIMIT_MODEL_OUTPUT + 100);
	cr_assert_geq(left_out(envelope), count - IK_LIMIT_MODEL_OUTPUT);
	free(envelope);
	free(output);
}

Test(envelope, writes_a_failure)
{
	struct ik_buf out = buffer();

	ik_envelope_failure(&out, IK_TOOL_TIMEOUT, "Tool 'bash' timed out after 30s", -1,
		(struct ik_json_span[2]){ { "part\n", 5 }, { "a\0b\377", 4 } }, 1000, NULL);
	cr_assert_str_eq(out.data, "{\"tool_success\":false,"
		"\"error\":\"Tool 'bash' timed out after 30s\",\"error_code\":\"TOOL_TIMEOUT\","
		"\"exit_code\":null,\"stdout\":\"part\\n\",\"stderr\":\"a\\u0000b\357\277\275\"}");
	ik_buf_clear(&out);
	ik_envelope_failure(&out, IK_TOOL_CRASHED, "Tool 'x' crashed with exit code 139", 139,
		(struct ik_json_span[2]){ { "", 0 }, { "", 0 } }, 1000, NULL);
	cr_assert_str_eq(out.data, "{\"tool_success\":false,"
		"\"error\":\"Tool 'x' crashed with exit code 139\",\"error_code\":\"TOOL_CRASHED\","
		"\"exit_code\":139,\"stdout\":\"\",\"stderr\":\"\"}");
	cr_assert_not(ik_envelope_succeeded((struct ik_json_span){ out.data, out.length }));
	ik_buf_done(&out);
}

Test(envelope, shares_the_limit_between_the_streams_of_a_failure)
{
	char *big = repeated("\360\237\230\200\n", 100000);
	size_t length = strlen(big);
	struct ik_buf out = buffer();
	struct ik_error error;
	char *text;

	/* Both long: half for each. */
	ik_envelope_failure(&out, IK_TOOL_CRASHED, "m", 1,
		(struct ik_json_span[2]){ { big, length }, { big, length } }, 2000, NULL);
	cr_assert_eq(ik_json_check(out.data, out.length, NULL, &error), IK_OK, "%s", error.text);
	cr_assert_leq(out.length, 2200);
	cr_assert_geq(out.length, 1900);
	text = member(out.data, "stderr");
	cr_assert_eq(strncmp(text, "[… ", 5), 0, "stderr keeps its end");
	cr_assert_str_eq(text + strlen(text) - 10, big + length - 10);
	cr_assert_eq(left_out(text) + strlen(strstr(text, "…]") + 4), length);
	free(text);
	text = member(out.data, "stdout");
	cr_assert_eq(strncmp(text, big, 100), 0, "stdout keeps its beginning");
	left_out(text);
	free(text);
	/* One short: the other gets the rest. */
	ik_buf_clear(&out);
	ik_envelope_failure(&out, IK_TOOL_CRASHED, "m", 1,
		(struct ik_json_span[2]){ { "short", 5 }, { big, length } }, 2000, NULL);
	cr_assert_geq(out.length, 1900);
	cr_assert_not_null(strstr(out.data, "\"stdout\":\"short\""));
	ik_buf_done(&out);
	free(big);
}

Test(envelope, keeps_within_the_limit_whatever_the_bytes)
{
	char bytes[4096];
	struct ik_json_span value, streams[2] = { { "", 0 }, { "", 0 } };
	struct ik_error error;

	srand(1);
	for (int round = 0; round < 200; round++) {
		struct ik_buf out = buffer();
		size_t length = (size_t)rand() % sizeof bytes, limit = 100 + (size_t)rand() % 2000;

		for (size_t i = 0; i < length; i++)
			bytes[i] = (char)(rand() % (round % 2 == 0 ? 256 : 40));
		streams[round % 3 == 0] = (struct ik_json_span){ bytes, length };
		streams[round % 3 != 0].length = 0;
		ik_envelope_failure(&out, IK_TOOL_CRASHED, "m", 1, streams, limit, NULL);
		cr_assert_eq(ik_json_check(out.data, out.length, &value, &error), IK_OK, "%s",
			error.text);
		cr_assert_leq(ik_json_member(value, "stdout").length + ik_json_member(value, "stderr").length,
			limit);
		ik_buf_done(&out);
	}
}

Test(envelope, adds_the_mark_of_the_last_round)
{
	char *envelope = success("{\"a\":1}", 7, 1000);
	struct ik_buf out = buffer();

	ik_envelope_limit(&out, (struct ik_json_span){ envelope, strlen(envelope) }, 50);
	cr_assert_str_eq(out.data, "{\"tool_success\":true,\"result\":{\"a\":1},"
		"\"limit_reached\":true,"
		"\"limit_message\":\"Tool call limit reached (50). Stopping tool loop.\"}");
	ik_buf_done(&out);
	free(envelope);
}

Test(envelope, names_every_failure)
{
	static const char *const codes[] = { "TOOL_TIMEOUT", "TOOL_CRASHED", "INVALID_OUTPUT",
		"TOOL_NOT_FOUND", "INVALID_PARAMS", "TOOL_CANCELLED", "TOOL_DENIED", "SPAWN_FAILED" };

	for (int i = 0; i < 8; i++)
		cr_assert_str_eq(ik_tool_failure_code((enum ik_tool_failure)i), codes[i]);
}
