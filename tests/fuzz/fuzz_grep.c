/*
 * fuzz_grep: what grep finds is what plain methods find (plain_search.h).
 *
 * An input is a pattern, a line feed and a text; it is searched in the C locale
 * and in a UTF-8 one.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/support/plain_search.h"

#include "util/utf8.h"

/* The C library's own time grows fast with these. */
#define PATTERN_MAX 100
#define TEXT_MAX 100000

static void compare_in(const char *locale, const char *pattern, const char *text, size_t length)
{
	if (setlocale(LC_CTYPE, locale) != NULL &&
		plain_compare(pattern, text, length) == PLAIN_DIFFERENT)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *input = (const char *)data;
	const char *feed = size > 0 ? memchr(input, '\n', size) : NULL;
	struct ik_buf pattern;

	if (feed == NULL || feed - input > PATTERN_MAX || size > TEXT_MAX)
		return 0;
	/* As it comes out of JSON: characters, no NUL. */
	ik_buf_init(&pattern, SIZE_MAX / 2);
	ik_utf8_repair(&pattern, input, (size_t)(feed - input));
	if (strlen(pattern.data) == pattern.length) {
		size_t length = size - (size_t)(feed + 1 - input);

		compare_in("C", pattern.data, feed + 1, length);
		compare_in("C.UTF-8", pattern.data, feed + 1, length);
	}
	ik_buf_done(&pattern);
	return 0;
}
