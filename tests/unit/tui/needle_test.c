#include "tui/text/needle.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "util/cluster.h"
#include "util/utf8.h"

/* "position+length" of the first place at or behind from; position -1: none. */
struct found {
	long position;
	size_t length;
};

/* One character for one. */
static uint32_t simple_fold(uint32_t codepoint)
{
	utf8proc_int32_t folded[4];
	int last = UTF8PROC_BOUNDCLASS_START;

	if (utf8proc_decompose_char((utf8proc_int32_t)codepoint, folded, 4, UTF8PROC_CASEFOLD, &last) == 1)
		return (uint32_t)folded[0];
	return (uint32_t)utf8proc_tolower((utf8proc_int32_t)codepoint);
}

static struct found find(const char *pattern, const char *text, size_t from)
{
	struct ik_needle needle;
	size_t length = 0;
	ik_needle_init(&needle, pattern, strlen(pattern));
	size_t position = ik_needle_find(&needle, text, strlen(text), from, &length);
	ik_needle_done(&needle);
	return (struct found){position == SIZE_MAX ? -1 : (long)position,
		position == SIZE_MAX ? 0 : length};
}

static size_t count(const char *pattern, const char *text)
{
	struct ik_needle needle;
	ik_needle_init(&needle, pattern, strlen(pattern));
	size_t found = ik_needle_count(&needle, text, strlen(text));
	ik_needle_done(&needle);
	return found;
}

#define FOUND(pattern, text, from, at, bytes) do { \
	struct found found_ = find(pattern, text, from); \
	cr_assert_eq(found_.position, at, "%s in %s: %ld", pattern, text, found_.position); \
	cr_assert_eq(found_.length, (size_t)(bytes), "%s: %zu", pattern, found_.length); \
} while (0)

Test(needle, small_letters_find_both_cases_and_capitals_only_themselves)
{
	FOUND("list", "A List of lists", 0, 2, 4);
	FOUND("list", "A List of lists", 3, 10, 4);
	FOUND("List", "a list, the List", 0, 12, 4);
	FOUND("LIST", "a list", 0, -1, 0);
	FOUND("a.b", "axb A.B", 0, 4, 3);
	FOUND("", "text", 0, -1, 0);
	FOUND("text", "", 0, -1, 0);
	FOUND("text", "tex", 0, -1, 0);
}

Test(needle, all_alphabets_have_their_cases)
{
	FOUND("straße", "Die STRAßE", 0, 4, 7);
	FOUND("привет", "о ПРИВЕТ", 0, 3, 12);
	FOUND("ὀδός", "ὈΔΌΣ", 0, 0, 9);
	FOUND("σ", "ας", 0, 2, 2);
	FOUND("k", "\xe2\x84\xaa", 0, 0, 3);
	FOUND("sk", "\xc5\xbf\xe2\x84\xaa", 0, 0, 5);
	FOUND("日本", "東日本", 0, 3, 6);
	FOUND("é", "É", 0, 0, 2);
	FOUND("É", "é", 0, -1, 0);
}

Test(needle, what_is_no_utf8_finds_nothing)
{
	FOUND("\xff", "\xff", 0, -1, 0);
	FOUND("a", "\xff" "a", 0, 1, 1);
	FOUND("ba", "\x80\x80\x80\x80\x80" "a", 0, -1, 0);
}

Test(needle, counts_one_behind_the_other)
{
	cr_assert_eq(count("aa", "aaaaa"), 2);
	cr_assert_eq(count("e", "Ein Elefant steht"), 4);
	cr_assert_eq(count("E", "Ein Elefant steht"), 2);
	cr_assert_eq(count("", "a"), 0);
}

/* What a search character by character would find. */
static bool stands(const char *pattern, const char *text)
{
	while (*pattern)
		if (simple_fold((unsigned char)*pattern++) != simple_fold((unsigned char)*text++))
			return false;
	return true;
}

Test(needle, finds_what_a_plain_search_finds)
{
	static const char letters[] = "abAB-";
	srand(7);
	for (int round = 0; round < 20000; round++) {
		char text[24] = "", pattern[5] = "";
		for (int i = 0; i < 20; i++)
			text[i] = letters[rand() % 5];
		for (int i = 0, size = 1 + rand() % 4; i < size; i++)
			pattern[i] = "ab-"[rand() % 3];
		size_t from = (size_t)rand() % 20;
		long expected = -1;
		for (size_t i = from; i + strlen(pattern) <= strlen(text) && expected < 0; i++)
			if (stands(pattern, text + i))
				expected = (long)i;
		cr_assert_eq(find(pattern, text, from).position, expected, "%s in %s from %zu", pattern,
			text, from);
	}
}

/* Bytes that the pattern takes at text, character by character; 0: it does not stand there. */
static size_t length_at(const char *pattern, const char *text, bool ignore_case)
{
	const char *begin = text;
	while (*pattern) {
		uint32_t wanted, there;
		int one = ik_utf8_decode(pattern, strlen(pattern), &wanted);
		int other = *text ? ik_utf8_decode(text, strlen(text), &there) : 0;
		if (other <= 0 || (ignore_case ? simple_fold(wanted) != simple_fold(there)
			: wanted != there))
			return 0;
		pattern += one;
		text += other;
	}
	return (size_t)(text - begin);
}

/* Longer texts; letters with forms of other lengths; both ways to take case. */
Test(needle, finds_the_same_in_longer_texts)
{
	static const char *const pieces[] = {"a", "b", "A", "B", "k", "s", "\xE2\x84\xAA",
		"\xC5\xBF", "-", "\xC3\xA9", "\xC3\x89"};
	srand(11);
	for (int round = 0; round < 20000; round++) {
		char text[400] = "", pattern[20] = "";
		bool capital = rand() % 3 == 0;
		for (int i = 0, size = rand() % 120; i < size; i++)
			strcat(text, pieces[rand() % 11]);
		for (int i = 0, size = 1 + rand() % 4; i < size; i++)
			strcat(pattern, (const char *[]){"a", "b", "k", "s", "-", "\xC3\xA9"}[rand() % 6]);
		if (capital)
			strcat(pattern, "B");
		struct ik_needle needle;
		size_t from = 0;
		ik_needle_init(&needle, pattern, strlen(pattern));
		for (const char *at = text; *at;) {
			size_t length = length_at(pattern, at, !capital), found_length;
			if (length > 0) {
				cr_assert_eq(ik_needle_find(&needle, text, strlen(text), from, &found_length),
					(size_t)(at - text), "%s in %s", pattern, text);
				cr_assert_eq(found_length, length, "%s in %s", pattern, text);
				at += length;
				from = (size_t)(at - text);
			} else {
				at++;
				while (ik_utf8_is_continuation(*at))
					at++;
			}
		}
		size_t unused;
		cr_assert_eq(ik_needle_find(&needle, text, strlen(text), from, &unused), SIZE_MAX,
			"%s in %s", pattern, text);
		ik_needle_done(&needle);
	}
}

Test(needle, a_text_in_markup_may_show_it)
{
	static const struct {
		const char *pattern, *text;
		bool may;
	} table[] = {
		{ "word", "a word", true }, { "word", "a w**o`r`**d", true }, { "word", "a wood", false },
		{ "two words", "no such wo_r_ds", true }, { "two words", "these two", false },
		{ "Word", "a word", false }, { "word", "WORD", true }, { "m55q", "m5**5q**", true },
		{ "m55q", "m5 q", false }, { "12", "1. one", true }, { "\xC3\xBC!", "none", true },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct ik_needle needle;

		ik_needle_init(&needle, table[i].pattern, strlen(table[i].pattern));
		cr_expect_eq(ik_needle_may_show(&needle, table[i].text, strlen(table[i].text)),
			table[i].may, "%s in %s", table[i].pattern, table[i].text);
		ik_needle_done(&needle);
	}
}
