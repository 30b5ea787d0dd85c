#include "conversation/search_query.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "conversation/search_text.h"
#include "util/alloc.h"
#include "util/text.h"

/* A query as FTS5 gets it; "-": there is no word in it. */
static const char *fts(const char *text, size_t length)
{
	static struct ik_buf out;
	struct ik_search_query query;
	struct ik_error error;

	ik_buf_done(&out);
	ik_buf_init(&out, 100000);
	if (ik_search_query_read(&query, text, length, &error) == IK_OK)
		ik_search_query_put_fts(&query, &out);
	else
		ik_buf_putc(&out, '-');
	return out.data;
}

#define FTS(text, wanted) cr_expect_str_eq(fts(text, strlen(text)), wanted)

Test(search_query, is_words_phrases_and_beginnings)
{
	FTS("Mend the boat", "\"mend\" AND \"the\" AND \"boat\"");
	FTS("\"Mend the\" boat", "\"mend the\" AND \"boat\"");
	FTS("\"mend the", "\"mend the\"");
	FTS("boa*", "\"boa\"*");
	FTS("b*", "\"b\"");
	FTS("\"the boa\"*", "\"the boa\"*");
	FTS("src/store.c", "\"src store c\"");
	FTS("日本語", "\"日本 本語\"");
	FTS("日本", "\"日本\"");
	FTS("語", "\"語\"*");
	FTS("\"東京 tower\"", "\"東京 京 tower\"");
	FTS("東京　大阪", "\"東京\" AND \"大阪\"");
}

Test(search_query, nothing_else_means_anything)
{
	FTS("", "-");
	FTS("\"\"", "-");
	FTS("* ( ) ^ : - + & | ! <->", "-");
	FTS("a OR b", "\"a\" AND \"or\" AND \"b\"");
	FTS("NEAR(a b)", "\"near a\" AND \"b\"");
	FTS("'; DROP TABLE events; --", "\"drop\" AND \"table\" AND \"events\"");
	FTS("a\"b\"c", "\"a\" AND \"b\" AND \"c\"");
	cr_expect_str_eq(fts("a\0b", 3), "\"a\" AND \"b\"");
	cr_expect_str_eq(fts("\xff\xfe", 2), "-");
}

Test(search_query, of_any_length_is_one_that_is_short)
{
	struct ik_search_query query;
	struct ik_error error;
	struct ik_buf text;

	ik_buf_init(&text, 2000000);
	while (text.length < 1000000)
		ik_buf_puts(&text, "\"word' 日本語* ");
	cr_expect_eq(ik_search_query_read(&query, text.data, text.length, &error), IK_OK);
	cr_expect_leq(query.count, IK_SEARCH_TERMS);
	ik_buf_done(&text);
}

/* The snippet of a text with its marks in brackets. */
static const char *snippet_of(const char *words, const char *text)
{
	static struct ik_buf out;
	struct ik_search_query query;
	struct ik_snippet snippet;
	struct ik_error error;
	size_t i, at = 0;

	ik_buf_done(&out);
	ik_buf_init(&out, 100000);
	cr_assert_eq(ik_search_query_read(&query, words, strlen(words), &error), IK_OK);
	(void)ik_snippet_make(&snippet, &query, text, strlen(text));
	for (i = 0; i < snippet.count; i++) {
		size_t end = snippet.marks[i].start + snippet.marks[i].length;

		ik_buf_append(&out, snippet.line.data + at, snippet.marks[i].start - at);
		ik_buf_putc(&out, '[');
		ik_buf_append(&out, snippet.line.data + snippet.marks[i].start, snippet.marks[i].length);
		ik_buf_putc(&out, ']');
		at = end;
	}
	ik_buf_append(&out, snippet.line.data + at, snippet.line.length - at);
	ik_snippet_done(&snippet);
	return out.data;
}

#define SNIPPET(words, text, wanted) cr_expect_str_eq(snippet_of(words, text), wanted)

Test(search_query, snippets_mark_what_was_found)
{
	SNIPPET("boat", "Mend the Boat.", "Mend the [Boat].");
	SNIPPET("resume", "my Résumé\n\n\tis here", "my [Résumé] is here");
	SNIPPET("\"the boat\" mend", "mend a boat, the boat", "[mend] a boat, [the boat]");
	SNIPPET("boa*", "boats and boas", "[boats] and [boas]");
	SNIPPET("本語", "これは日本語です", "これは日[本語]です");
	SNIPPET("日本語", "これは日本語です", "これは[日本語]です");
	SNIPPET("京", "東京都と京都", "東[京]都と[京]都");
	SNIPPET("a_b", "x.a-b a b", "x.[a-b] [a b]");
	SNIPPET("nothing", "else is here", "else is here");
	SNIPPET("x", "", "");
}

Test(search_query, snippets_are_harmless_lines_around_the_place)
{
	const char *snippet;
	struct ik_buf text;
	int i;

	SNIPPET("red", "\033[31m red\033[0m\a\n\342\200\256x", "␛[31m [red]␛[0m␇ <U+202E>x");
	ik_buf_init(&text, 100000);
	for (i = 0; i < 500; i++)
		ik_buf_puts(&text, i == 100 ? "one " : i == 300 ? "one two " : "füll ");
	snippet = snippet_of("two one", text.data);
	cr_expect(ik_text_starts(snippet, "…füll "), "%s", snippet);
	cr_expect(strstr(snippet, " füll [one] [two] füll "), "%s", snippet);
	cr_expect_str_eq(snippet + strlen(snippet) - strlen("…"), "…");
	cr_expect_leq(strlen(snippet), 180);
	ik_buf_done(&text);
}

/* What of a message can be found. */
static const char *text_of(struct ik_message *message)
{
	static struct ik_buf out;

	ik_buf_done(&out);
	ik_buf_init(&out, SIZE_MAX / 2);
	ik_search_text(&out, message);
	ik_message_unref(message);
	return out.length > 0 ? out.data : "";
}

Test(search_query, finds_what_calls_and_results_say_without_their_names)
{
	static const char envelope[] = "{\"success\":true,\"result\":{\"output\":\"one\\ntwo \\u00e9\"}}";
	static const char broken[] = "{\"path\":\"a\\\"b\", \"x\": [\"y\", 1, \"cut of";

	cr_expect_str_eq(text_of(ik_message_tool_call("c", "grep", "{\"pattern\":\"bo+at\"}", 19, "grep")),
		"grep\nbo+at\n");
	cr_expect_str_eq(text_of(ik_message_tool_call("c", "t", broken, sizeof(broken) - 1, "t")),
		"t\na\"b\ny\n");
	cr_expect_str_eq(text_of(ik_message_tool_result("c", "t", envelope, sizeof(envelope) - 1, true,
		1, NULL)), "one\ntwo é\n");
	cr_expect_str_eq(text_of(ik_message_command("/run x", "printed")), "/run x\nprinted");
	cr_expect_str_eq(text_of(ik_message_new(IK_KIND_SYSTEM, "be kind", 7, NULL, 0)), "");
}

Test(search_query, of_a_large_event_the_beginning_counts)
{
	size_t length = 3 * IK_SEARCH_BYTES, i;
	char *large = ik_alloc(length + 3);

	large[0] = '"';
	for (i = 1; i <= length; i += 6)
		memcpy(large + i, i % 12 == 1 ? "\\\\\\n\xc3\xa4" : "\\ud83d", 6);
	large[length + 1] = '"';
	cr_expect_leq(strlen(text_of(ik_message_tool_call("c", "t", large, length + 2, "t"))),
		IK_SEARCH_BYTES);
	memset(large, 'a', length);
	cr_expect_eq(strlen(text_of(ik_message_new(IK_KIND_USER, large, length, NULL, 0))),
		IK_SEARCH_BYTES);
	free(large);
}
