#include "tools/grep/search.h"

#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"

#define BLOCK IK_KIB(128)

struct search {
	regex_t expression;
	struct ik_buf text; /* what of the file is not searched yet, from the start of a line */
};

struct search *search_new(const char *pattern, struct ik_error *error)
{
	struct search *search = ik_alloc(sizeof(*search));
	int number = regcomp(&search->expression, pattern, REG_EXTENDED | REG_NOSUB);

	if (number != 0) {
		char message[256];

		regerror(number, &search->expression, message, sizeof(message));
		(void)ik_error_set(error, IK_INVALID, "%s", message);
		free(search);
		return NULL;
	}
	ik_buf_init(&search->text, SIZE_MAX / 2);
	return search;
}

struct search *search_free(struct search *search)
{
	if (search == NULL)
		return NULL;
	regfree(&search->expression);
	ik_buf_done(&search->text);
	free(search);
	return NULL;
}

/* Does the line match? Offsets of regexec(3) are ints, longer lines cannot be asked for. */
static bool line_matches(const struct search *search, const char *line, size_t length)
{
	regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t)length };

	return length <= INT_MAX &&
		regexec(&search->expression, line, 1, &range, REG_STARTEND) == 0;
}

/* Search the whole lines in [text, end). */
static bool search_lines(struct search *search, const char *text, const char *end,
	uint64_t *number, search_fn visit, void *arg)
{
	while (text < end) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((feed != NULL ? feed : end) - text);

		++*number;
		if (line_matches(search, text, length) && !visit(arg, *number, text, length))
			return false;
		text += length + 1;
	}
	return true;
}

bool search_file(struct search *search, int fd, search_fn visit, void *arg)
{
	struct ik_buf *text = &search->text;
	uint64_t number = 0;
	ssize_t count;

	ik_buf_clear(text);
	for (;;) {
		char *to = ik_buf_reserve(text, text->length < BLOCK ? BLOCK : text->length);
		if (to == NULL)
			return true;
		do {
			count = read(fd, to, BLOCK);
		} while (count < 0 && errno == EINTR);
		if (count <= 0)
			break;
		ik_buf_commit(text, (size_t)count);
		const char *feed = memrchr(to, '\n', (size_t)count);
		if (feed == NULL)
			continue;
		size_t whole = (size_t)(feed + 1 - text->data);
		if (!search_lines(search, text->data, text->data + whole, &number, visit, arg))
			return false;
		ik_buf_consume(text, whole);
	}
	return search_lines(search, text->data, text->data + text->length, &number, visit, arg);
}
