/* Compare the inside of grep with simpler methods (plain_search.h). */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/support/plain_search.h"
#include "tools/grep/search.h"

/* Compare the two on one text; false if the pattern is not valid. */
static bool compare(const char *pattern, const struct ik_buf *text)
{
	enum plain_result result = plain_compare(pattern, text->data, text->length);

	cr_assert_neq(result, PLAIN_DIFFERENT, "not what plain methods find");
	return result == PLAIN_SAME;
}

static unsigned random_state = 1;

/* The same numbers on every machine. */
static unsigned random_below(unsigned limit)
{
	random_state = random_state * 1103515245 + 12345;
	return (random_state >> 8) % limit;
}

static const char *pick(const char *const *list, size_t count)
{
	return list[random_below((unsigned)count)];
}

#define PICK(list) pick(list, sizeof(list) / sizeof((list)[0]))

/* Append a random expression. */
static void random_pattern(struct ik_buf *out, int depth)
{
	static const char *const atoms[] = { "a", "b", "ab", "foo", "foobar", "_", ".", "[ab]", "[^a]",
		"[a-f]", "[[:alpha:]]", "[^[:space:]]", "[0-9]", "\\w", "\\W", "\\s", "\\S", "\\.", "\\b",
		"\\B", "\\<", "\\>", "^", "$", "\\`", "\\'", "é", "[é]", "[^é]", "[a-é]", "€", "x", "needle",
		"()", "[]a]", "[^]a]", "[a-]", "[-a]", "[a\\]", "\\(", "}", "[a---]", "(?=a)", "(?!b)", "(?<=x)", "(?<! )",
		"\\é", "[.]", "[[:digit:]_]", "[x-z-]", "\\d", "\\D", "[\\d_]", "[^\\s\\]]", "\\t", "(?:a|b)",
		"(?i)", "[\\W0]", "[^\\W\\d_]", "\\x{e9}", "[]^-]", "[\\^\\t]" };
	static const char *const repeats[] = { "*", "+", "?", "{2}", "{0,1}", "{1,3}", "{2,}", "{0}",
		"{,2}", "**", "+?", "*?", "??", "{0,0}", "{3}{2}" };

	for (unsigned i = random_below(4) + 1; i > 0; i--) {
		unsigned kind = random_below(12);

		if (kind == 0 && depth > 0) {
			ik_buf_putc(out, '(');
			random_pattern(out, depth - 1);
			ik_buf_putc(out, ')');
		} else if (kind == 1 && depth > 0) {
			ik_buf_putc(out, '(');
			random_pattern(out, depth - 1);
			ik_buf_putc(out, '|');
			random_pattern(out, depth - 1);
			ik_buf_putc(out, ')');
		} else if (kind == 2 && depth > 0) {
			random_pattern(out, depth - 1);
			ik_buf_putc(out, '|');
			random_pattern(out, depth - 1);
		} else {
			ik_buf_puts(out, PICK(atoms));
		}
		if (random_below(3) == 0)
			ik_buf_puts(out, PICK(repeats));
	}
}

/* Append random lines. */
static void random_lines(struct ik_buf *out, int count)
{
	static const char *const pieces[] = { "a", "b", "ab", "c", "foo", "foobar", " ", "  ", "_", "-",
		".", "x", "y", "0", "12", "aa", "bb", "needle", "(", ")", "\t", "\r", "é", "€", "ä", "\xff",
		"\xc3", "\xa9", "\xe2\x82", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80", "\xf4\x90\x80\x80", "😀",
		"[", "]", "{", "}", "\\", "^", "$", "\x01", "\x7f", "A", "Z", "d", "\u2003", "\u0660" };

	for (int i = 0; i < count; i++) {
		/* Most lines are plain ones. */
		bool odd = random_below(3) == 0;

		for (unsigned j = random_below(8); j > 0; j--) {
			const char *piece = PICK(pieces);

			if (odd && random_below(12) == 0)
				ik_buf_putc(out, '\0');
			else if (odd || (unsigned char)piece[0] < 0x80)
				ik_buf_puts(out, piece);
		}
		ik_buf_putc(out, '\n');
	}
}

/* Compare over many patterns and texts. */
static void compare_randomly(const char *locale, unsigned seed, int patterns)
{
	struct ik_buf pattern, text;
	int valid = 0;

	cr_assert_not_null(setlocale(LC_CTYPE, locale));
	random_state = seed;
	ik_buf_init(&pattern, 1 << 20);
	ik_buf_init(&text, SIZE_MAX / 2);
	for (int i = 0; i < patterns; i++) {
		ik_buf_clear(&pattern);
		random_pattern(&pattern, 3);
		if (i % 20 == 0) {
			ik_buf_clear(&text);
			/* From time to time, so much text that it is several blocks. */
			random_lines(&text, i % 500 == 0 ? 30000 : 120);
			if (i % 40 == 0)
				ik_buf_puts(&text, "no end");
		}
		valid += compare(pattern.data, &text);
	}
	cr_assert_gt(valid, patterns / 3);
	ik_buf_done(&pattern);
	ik_buf_done(&text);
}

/* Number of rounds; for more, set IK_FUZZ_ROUNDS=1000000. */
static int rounds(void)
{
	const char *wanted = getenv("IK_FUZZ_ROUNDS");

	return wanted != NULL ? (int)strtol(wanted, NULL, 10) : 2000;
}

static unsigned seed(void)
{
	const char *wanted = getenv("IK_FUZZ_SEED");

	return wanted != NULL ? (unsigned)strtoul(wanted, NULL, 10) : 1;
}

TestSuite(search, .timeout = 3600);

Test(search, finds_what_plain_methods_find_in_the_c_locale)
{
	compare_randomly("C", seed(), rounds());
}

Test(search, finds_what_plain_methods_find_in_utf8)
{
	compare_randomly("C.UTF-8", seed(), rounds());
}

Test(search, long_texts)
{
	static const char *const patterns[] = { "needle", "needle$", "^needle", "ne+dle", "x.*needle",
		"[a-z]+_[0-9]{3}", "foo|bar|needle", "n[e]{2}dle x", "\\bneedle\\b", "e", "",
		"a{30}", "q" };
	struct ik_buf text;

	cr_assert_not_null(setlocale(LC_CTYPE, "C.UTF-8"));
	random_state = 5;
	ik_buf_init(&text, SIZE_MAX / 2);
	for (int i = 0; i < 60000; i++) {
		ik_buf_printf(&text, "line %d with some text_%u", i, random_below(2000));
		if (random_below(50) == 0)
			ik_buf_puts(&text, random_below(2) == 0 ? " x needle" : " needle needle é");
		ik_buf_putc(&text, '\n');
		if (i == 30000)
			for (int j = 0; j < 5000; j++)
				ik_buf_putc(&text, (char)('a' + j % 26));
	}
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		cr_assert(compare(patterns[i], &text));
	ik_buf_done(&text);
}

/* Backtracking would take years. */
Test(search, expressions_that_explode)
{
	struct ik_buf text;

	random_state = 3;
	ik_buf_init(&text, SIZE_MAX / 2);
	for (int i = 0; i < 400000; i++)
		ik_buf_putc(&text, random_below(100) == 0 ? '\n' : "ab"[random_below(2)]);
	ik_buf_puts(&text, "\n\xff");
	for (int i = 0; i < 200; i++)
		ik_buf_putc(&text, 'a');
	ik_buf_puts(&text, "x");
	cr_assert(compare("a.{14}a.{3}$", &text));
	cr_assert(compare("(a|b)*a(a|b){15}x", &text));
	cr_assert(compare("(a*)*c", &text));
	cr_assert(compare("((a|aa)+b?)+[cx]$", &text));
	ik_buf_done(&text);
}

/* Nothing after the end of a pattern is read, wherever it ends. */
Test(search, patterns_that_end_early)
{
	static const char whole[] = "(?i-s:a)(?P<n>b)\\x{41}[[:alpha:]]{1,2}";
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ik_error error;
	const char *hint;

	cr_assert_neq(pages, MAP_FAILED);
	cr_assert_eq(mprotect(pages + page, page, PROT_NONE), 0);
	for (size_t length = 0; length < sizeof(whole); length++) {
		char *pattern = pages + page - length - 1;

		memcpy(pattern, whole, length);
		pattern[length] = '\0';
		search_free(search_new(pattern, false, 0, &error, &hint));
	}
	munmap(pages, 2 * page);
}

Test(search, refuses_what_would_exhaust_the_machine)
{
	struct ik_error error;
	const char *hint;
	struct ik_buf pattern;

	cr_assert_null(search_new("(((a{1,200}){1,200}){1,200}){1,200}", false, 0, &error, &hint));
	cr_assert_str_eq(error.text, "Regular expression too big");
	cr_assert_null(search_new("(a?){25000}", false, 0, &error, &hint));
	ik_buf_init(&pattern, SIZE_MAX / 2);
	for (int i = 0; i < 100000; i++)
		ik_buf_putc(&pattern, '(');
	cr_assert_null(search_new(pattern.data, false, 0, &error, &hint));
	ik_buf_done(&pattern);
}

Test(search, large_expressions)
{
	struct ik_buf pattern, text;

	ik_buf_init(&pattern, SIZE_MAX / 2);
	ik_buf_init(&text, SIZE_MAX / 2);
	for (int i = 0; i < 2000; i++)
		ik_buf_printf(&pattern, "%sword%d", i == 0 ? "" : "|", i * 7);
	for (int i = 0; i < 1000; i++)
		ik_buf_printf(&text, "x word%d word%d y\nno such\n", i, i * 3);
	cr_assert(compare(pattern.data, &text));
	ik_buf_clear(&pattern);
	for (int i = 0; i < 10000; i++)
		ik_buf_putc(&pattern, 'x');
	ik_buf_append(&text, pattern.data, pattern.length);
	cr_assert(compare(pattern.data, &text));
	cr_assert(compare("x{5000}", &text));
	ik_buf_done(&pattern);
	ik_buf_done(&text);
}
