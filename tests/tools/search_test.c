/* The inside of grep against the plain method: each line by regexec(). */
#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tools/grep/bytes.h"
#include "tools/grep/search.h"
#include "util/buf.h"
#include "util/path.h"

/* Append "number:line" for each line that matches, by the plain method. */
static void search_plainly(const char *pattern, const struct ik_buf *text, struct ik_buf *out)
{
	regex_t expression;
	const char *at = text->data;
	const char *end = text->data + text->length;
	struct ik_buf line;

	ik_buf_init(&line, SIZE_MAX / 2);
	cr_assert_eq(regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB), 0);
	for (int number = 1; at < end; number++) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *stop = feed != NULL ? feed : end;
		regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t)(stop - at) };

		/* In memory of its own: sanitizers read on to the next NUL. */
		ik_buf_clear(&line);
		ik_buf_append(&line, at, (size_t)(stop - at));
		if (regexec(&expression, line.data, 1, &range, REG_STARTEND) == 0) {
			ik_buf_printf(out, "%d:", number);
			ik_buf_append(out, at, (size_t)(stop - at));
			ik_buf_putc(out, '\n');
		}
		at = stop + 1;
	}
	regfree(&expression);
	ik_buf_done(&line);
}

static bool collect(void *arg, uint64_t number, const char *line, size_t length)
{
	ik_buf_printf(arg, "%ju:", (uintmax_t)number);
	ik_buf_append(arg, line, length);
	ik_buf_putc(arg, '\n');
	return true;
}

/* Compare the two on one text; false when the pattern is none. */
static bool compare(const char *pattern, const struct ik_buf *text)
{
	struct ik_error error;
	struct ik_buf wanted, found;
	regex_t expression;

	if (regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
		cr_assert_null(search_new(pattern, &error), "accepted: %s", pattern);
		return false;
	}
	regfree(&expression);
	ik_buf_init(&wanted, SIZE_MAX / 2);
	ik_buf_init(&found, SIZE_MAX / 2);
	search_plainly(pattern, text, &wanted);
	struct search *search = search_new(pattern, &error);
	cr_assert_not_null(search, "refused: %s", pattern);
	int fd = memfd_create("text", 0);
	cr_assert_eq(ik_write_all(fd, text->data, text->length), 0);
	lseek(fd, 0, SEEK_SET);
	cr_assert(search_file(search, fd, collect, &found));
	close(fd);
	if (found.length != wanted.length || memcmp(found.data, wanted.data, wanted.length) != 0) {
		size_t same = 0;
		while (same < found.length && same < wanted.length && found.data[same] == wanted.data[same])
			same++;
		while (same > 0 && found.data[same - 1] != '\n')
			same--;
		fprintf(stderr, "pattern /%s/ in %s\nwanted %.200s\nfound %.200s\n", pattern,
			setlocale(LC_CTYPE, NULL), wanted.data + same, found.data + same);
		cr_assert_fail("not what regexec() finds");
	}
	search_free(search);
	ik_buf_done(&wanted);
	ik_buf_done(&found);
	return true;
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
		"()", "[]a]", "[^]a]", "[a-]", "[-a]", "[a\\]", "\\(", "}", "[[.a.]]", "[[=a=]b]", "[a---]",
		"\\1", "\\2", "\\é", "[.]", "[[:digit:]_]", "[x-z-]", "\\n", "\\a" };
	static const char *const repeats[] = { "*", "+", "?", "{2}", "{0,1}", "{1,3}", "{2,}", "{0}",
		"{,2}", "**", "+?", "{0,0}", "{3}{2}" };

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

/* regexec() itself takes for ever over back-references among repetitions. */
static bool is_hopeless(const char *pattern)
{
	int repeats = 0;

	for (const char *at = pattern; *at != '\0'; at++)
		repeats += strchr("*+{", *at) != NULL;
	return repeats > 2 && (strstr(pattern, "\\1") != NULL || strstr(pattern, "\\2") != NULL);
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
		do {
			ik_buf_clear(&pattern);
			random_pattern(&pattern, 3);
		} while (is_hopeless(pattern.data));
		if (i % 20 == 0) {
			ik_buf_clear(&text);
			/* From time to time so much that the cursors run together. */
			random_lines(&text, i % 100 == 0 ? 1500 : 120);
			if (i % 40 == 0)
				ik_buf_puts(&text, "no end");
		}
		valid += compare(pattern.data, &text);
	}
	cr_assert_gt(valid, patterns / 3);
	ik_buf_done(&pattern);
	ik_buf_done(&text);
}

/* How much is tried; more by hand: IK_FUZZ_ROUNDS=1000000. */
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

Test(search, finds_what_regexec_finds_in_the_c_locale)
{
	compare_randomly("C", seed(), rounds());
}

Test(search, finds_what_regexec_finds_in_utf8)
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

Test(search, table_that_overflows)
{
	struct ik_buf text;

	/* Each place of the last fourteen may hold an a: 2^14 states, more than there is room for. */
	random_state = 3;
	ik_buf_init(&text, SIZE_MAX / 2);
	for (int i = 0; i < 400000; i++)
		ik_buf_putc(&text, random_below(100) == 0 ? '\n' : "ab"[random_below(2)]);
	cr_assert(compare("a.{14}a.{3}$", &text));
	cr_assert(compare("(a|b)*a(a|b){15}x", &text));
	ik_buf_done(&text);
}

Test(search, refuses_what_would_exhaust_the_machine)
{
	struct ik_error error;
	struct ik_buf pattern;

	cr_assert_null(search_new("(((a{1,200}){1,200}){1,200}){1,200}", &error));
	cr_assert_str_eq(error.text, "Regular expression too big");
	ik_buf_init(&pattern, SIZE_MAX / 2);
	for (int i = 0; i < 100000; i++)
		ik_buf_putc(&pattern, '(');
	cr_assert_null(search_new(pattern.data, &error));
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

Test(bytes, find_count_and_plain)
{
	char text[300];

	for (size_t length = 0; length < 200; length++) {
		for (size_t at = 0; at < length; at++) {
			memset(text, 'x', sizeof(text));
			text[at] = '\n';
			cr_assert_eq(bytes_count_feeds(text, text + length), 1);
			cr_assert(bytes_are_plain(text, text + length));
			cr_assert_eq(bytes_find_pair(text, text + length, '\n', 'x', 7), text + at);
			cr_assert_eq(bytes_find_pair(text, text + length, '\n', '\n', 0), text + at);
			cr_assert_null(bytes_find_pair(text, text + length, '\n', '\n', 1));
			cr_assert_null(bytes_find_pair(text, text + at, '\n', 'x', 1));
			text[at] = at % 2 == 0 ? '\0' : '\x80';
			cr_assert_not(bytes_are_plain(text, text + length));
		}
		memset(text, '\n', sizeof(text));
		cr_assert_eq(bytes_count_feeds(text, text + length), length);
	}
}
