#include "tests/support/plain_search.h"

#include <ctype.h>
#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/grep/dialect.h"
#include "tools/grep/search.h"

#include "util/path.h"

/* Append the result of each way for a line. */
static bool collect(void *arg, const struct search_line *line)
{
	ik_buf_printf(arg, "%ju:", (uintmax_t)line->number);
	ik_buf_append(arg, line->text, line->length);
	ik_buf_putc(arg, '\n');
	return true;
}

/* Append the lines that match, by the plain method. */
static void search_plainly(const regex_t *expression, const char *at, size_t length,
	struct ik_buf *out)
{
	const char *end = at + length;
	struct ik_buf line;

	ik_buf_init(&line, SIZE_MAX / 2);
	for (uint64_t number = 1; at < end; number++) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *stop = feed != NULL ? feed : end;
		regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t)(stop - at) };

		/* A copy, because sanitizers read on to the next NUL. */
		ik_buf_clear(&line);
		ik_buf_append(&line, at, (size_t)(stop - at));
		if (regexec(expression, line.data, 1, &range, REG_STARTEND) == 0)
			(void)collect(out, &(struct search_line){ number, at, (size_t)(stop - at), false });
		at = stop + 1;
	}
	ik_buf_done(&line);
}

/* Append the lines that the engine finds. False: it can't run. */
static bool search_fast(struct search *search, const char *text, size_t length, struct ik_buf *out)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	bool more,
		run = fd >= 0 && ik_write_all(fd, text, length) == 0 &&
		search_file(search, fd, 0, collect, out, &more) == SEARCH_FILE_END;

	if (fd >= 0)
		close(fd);
	return run;
}

/* Print where two results differ. */
static void tell(const char *pattern, const struct ik_buf *wanted, const struct ik_buf *found)
{
	size_t same = 0;

	while (same < found->length && same < wanted->length && found->data[same] == wanted->data[same])
		same++;
	while (same > 0 && found->data[same - 1] != '\n')
		same--;
	fprintf(stderr, "pattern /%s/ in %s\nwanted %.200s\nfound %.200s\n", pattern,
		setlocale(LC_CTYPE, NULL), wanted->data + same, found->data + same);
}

/* Does the pattern mean the same in POSIX and in the dialect? It does unless it has syntax of the
 * dialect: escaped letters and digits except \w \W \b \B, escapes in brackets, "(?", and a
 * quantifier followed by "?". */
static bool is_posix(const char *pattern)
{
	bool bracket = strchr(pattern, '[') != NULL;

	for (const char *at = pattern; *at != '\0'; at++) {
		if (at[0] == '\\' &&
			(bracket || at[1] == '\0' ||
				(at[1] != 'w' && at[1] != 'W' && at[1] != 'b' && at[1] != 'B' &&
					isalnum((unsigned char)at[1]))))
			return false;
		if (at[1] == '?' && strchr("(*+?}", at[0]) != NULL)
			return false;
		if (at[0] == '\\')
			at++;
	}
	return true;
}

/* Compile the expression that the engine must agree with: a POSIX pattern itself, otherwise its
 * translation by the dialect. False: the pattern is refused. */
static bool compile_plainly(const char *pattern, regex_t *expression)
{
	struct ik_buf posix;
	struct ik_error error;
	bool good;

	ik_buf_init(&posix, SIZE_MAX / 2);
	if (is_posix(pattern))
		good = regcomp(expression, pattern, REG_EXTENDED | REG_NOSUB) == 0;
	else
		good = dialect_translate(pattern, false, &posix, &error) == IK_OK &&
			regcomp(expression, posix.data, REG_EXTENDED | REG_NOSUB) == 0;
	ik_buf_done(&posix);
	return good;
}

enum plain_result plain_compare(const char *pattern, const char *text, size_t length)
{
	enum plain_result result = PLAIN_DIFFERENT;
	struct ik_error error;
	struct search *search = search_new(pattern, false, &error);
	struct ik_buf wanted, found;
	regex_t expression;

	/* Even the C library can't compile some of these. */
	if (search == NULL && strcmp(error.text, "Regular expression too big") == 0)
		return PLAIN_REFUSED;
	if (!compile_plainly(pattern, &expression)) {
		if (search == NULL)
			return PLAIN_REFUSED;
		fprintf(stderr, "accepted: /%s/\n", pattern);
		search_free(search);
		return PLAIN_DIFFERENT;
	}
	ik_buf_init(&wanted, SIZE_MAX / 2);
	ik_buf_init(&found, SIZE_MAX / 2);
	if (search == NULL) {
		fprintf(stderr, "refused: /%s/\n", pattern);
	} else if (search_fast(search, text, length, &found)) {
		search_plainly(&expression, text, length, &wanted);
		if (found.length == wanted.length && memcmp(found.data, wanted.data, wanted.length) == 0)
			result = PLAIN_SAME;
		else
			tell(pattern, &wanted, &found);
	}
	search_free(search);
	regfree(&expression);
	ik_buf_done(&wanted);
	ik_buf_done(&found);
	return result;
}
