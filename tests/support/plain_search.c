#include "tests/support/plain_search.h"

#include <ctype.h>
#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/grep/expression.h"
#include "tools/grep/search.h"

#include "util/path.h"
#include "util/utf8.h"

/* Append a line that was found. */
static bool collect(void *arg, const struct search_line *line)
{
	ik_buf_printf(arg, "%ju:", (uintmax_t)line->number);
	ik_buf_append(arg, line->text, line->length);
	ik_buf_putc(arg, '\n');
	return true;
}

/* Does the pattern mean the same in POSIX and in the dialect? It does unless it has syntax of the
 * dialect: escaped letters and digits except \w \W \b \B, escapes in brackets, "(?", and a
 * quantifier followed by "?".  The C library loses assertions in groups that are repeated, and
 * compiles "++++" for hours. */
static bool is_posix(const char *pattern)
{
	bool bracket = strchr(pattern, '[') != NULL, group = strchr(pattern, '(') != NULL;

	for (const char *at = pattern; *at != '\0'; at++) {
		if (at[0] == '\\' &&
			(bracket || at[1] == '\0' ||
				(at[1] != 'w' && at[1] != 'W' && at[1] != 'b' && at[1] != 'B' &&
					isalnum((unsigned char)at[1]))))
			return false;
		if (at[1] != '\0' && strchr("?*+{", at[1]) != NULL && strchr("(*+?}", at[0]) != NULL)
			return false;
		if (group && (at[0] == '^' || at[0] == '$' || (at[0] == '\\' && strchr("bB<>`'", at[1]) != NULL)))
			return false;
		if (at[0] == '\\')
			at++;
	}
	return true;
}

static bool is_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\0' || (unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

/* Does the C library find the expression in a line? */
static bool finds(const regex_t *expression, const char *line, size_t length)
{
	regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t)length };

	return regexec(expression, line, 1, &range, REG_STARTEND) == 0;
}

/* Append the lines that match, by the plain methods; posix: the C library's expression, or NULL. False
 * if these differ. */
static bool search_plainly(struct expression *expression, const regex_t *posix, const char *at,
	size_t length, struct ik_buf *out)
{
	const char *end = at + length;
	bool same = true;
	struct ik_buf line;

	ik_buf_init(&line, SIZE_MAX / 2);
	for (uint64_t number = 1; at < end; number++) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((feed != NULL ? feed : end) - at);

		/* A copy, because sanitizers read on to the next NUL. */
		ik_buf_clear(&line);
		ik_buf_append(&line, at, size);
		ik_buf_putc(&line, '\n');
		bool found = expression_find(expression, line.data, line.data + line.length) != NULL;
		if (found)
			(void)collect(out, &(struct search_line){ number, at, size, false });
		if (posix != NULL && is_ascii(at, size) && finds(posix, line.data, size) != found) {
			fprintf(stderr, "only one finds it: %s", line.data);
			same = false;
		}
		at += size + 1;
	}
	ik_buf_done(&line);
	return same;
}

/* Append the lines that grep finds. False: it can't run. */
static bool search_fast(struct search *search, const char *text, size_t length, struct ik_buf *out)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	bool run = fd >= 0 && ik_write_all(fd, text, length) == 0 &&
		!search_file(search, fd, UINT64_MAX, collect, out);

	if (fd >= 0)
		close(fd);
	return run;
}

/* Print where two results differ. */
static void tell(const struct ik_buf *wanted, const struct ik_buf *found)
{
	size_t same = 0;

	while (same < found->length && same < wanted->length && found->data[same] == wanted->data[same])
		same++;
	while (same > 0 && found->data[same - 1] != '\n')
		same--;
	fprintf(stderr, "wanted %.200s\nfound %.200s\n", wanted->data + same, found->data + same);
}

/* Compare the results for a pattern that both have compiled. */
static bool are_same(struct search *search, struct expression *expression, const regex_t *posix,
	const char *text, size_t length)
{
	struct ik_buf wanted, found;

	ik_buf_init(&wanted, SIZE_MAX / 2);
	ik_buf_init(&found, SIZE_MAX / 2);
	bool same = search_plainly(expression, posix, text, length, &wanted) &&
		search_fast(search, text, length, &found);
	if (found.length != wanted.length || memcmp(found.data, wanted.data, wanted.length) != 0) {
		tell(&wanted, &found);
		same = false;
	}
	ik_buf_done(&wanted);
	ik_buf_done(&found);
	return same;
}

enum plain_result plain_compare(const char *pattern, const char *text, size_t length)
{
	struct ik_error error;
	const char *hint;
	struct search *search = search_new(pattern, false, 0, &error, &hint);
	struct expression *expression = expression_new(pattern, false, &error, &hint);
	enum plain_result result = PLAIN_REFUSED;
	regex_t posix;

	/* Next to invalid bytes, these are judged by what PCRE2 has seen before. */
	if ((strstr(pattern, "\\B") != NULL || strstr(pattern, "(?<") != NULL) &&
		ik_utf8_valid_prefix(text, length) < length)
		result = PLAIN_SAME;
	else if (search != NULL && expression != NULL) {
		bool compiled = is_posix(pattern) && regcomp(&posix, pattern, REG_EXTENDED | REG_NOSUB) == 0;

		result = are_same(search, expression, compiled ? &posix : NULL, text, length)
			? PLAIN_SAME
			: PLAIN_DIFFERENT;
		if (compiled)
			regfree(&posix);
	}
	if (result == PLAIN_DIFFERENT)
		fprintf(stderr, "pattern /%s/ in %s\n", pattern, setlocale(LC_CTYPE, NULL));
	search_free(search);
	expression_free(expression);
	return result;
}
