#include "core/prompt_text.h"

#include <stdint.h>
#include <string.h>

/* Limit on the digits of a number in a text; no command has that many arguments. */
enum { DIGITS_MOST = 6 };

/* Return the length of "!`COMMAND`" at text, or 0. */
static size_t command_length(const char *text, size_t length)
{
	size_t end = 2;

	if (length < 4 || text[0] != '!' || text[1] != '`')
		return 0;
	while (end < length && text[end] != '`' && text[end] != '\n')
		end++;
	return end > 2 && end < length && text[end] == '`' ? end + 1 : 0;
}

bool ik_prompt_next(const char *text, size_t length, size_t *position,
	struct ik_prompt_part *ret_part)
{
	size_t start = *position, at = start, found = 0;

	if (start == length)
		return false;
	while (at < length && found == 0) {
		if (at == 0 || strchr(" \t\r\n", text[at - 1]))
			found = command_length(text + at, length - at);
		if (found == 0)
			at++;
	}
	if (at == start && found > 0) {
		*ret_part = (struct ik_prompt_part){ text + at + 2, found - 3, true };
		at += found;
	} else {
		*ret_part = (struct ik_prompt_part){ text + start, at - start, false };
	}
	*position = at;
	return true;
}

/* Read a number of few digits at *at, and move *at past it. Return false if there is none. */
static bool read_number(const char **at, const char *end, size_t *ret_number)
{
	const char *start = *at;

	*ret_number = 0;
	while (*at < end && **at >= '0' && **at <= '9' && *at - start < DIGITS_MOST)
		*ret_number = *ret_number * 10 + (size_t)(*(*at)++ - '0');
	return *at > start;
}

/* Append count arguments from the first on, which counts from 1. */
static void put_words(struct ik_buf *out, const struct ik_shell_words *words, size_t first,
	size_t count)
{
	size_t start = first > 0 ? first - 1 : 0;

	for (size_t i = start; i < words->count && i - start < count; i++)
		ik_buf_printf(out, "%s%s", i > start ? " " : "", words->words[i]);
}

/* Append what "$..." at `at` means, and return its end; at itself if it means nothing. */
static const char *put_argument(struct ik_buf *out, const char *at, const char *end,
	const struct ik_prompt_arguments *arguments)
{
	static const char all[] = "$ARGUMENTS", some[] = "${@:";
	const char *start = at;
	size_t first, count = SIZE_MAX, left = (size_t)(end - at);

	if (left >= strlen(all) && memcmp(at, all, strlen(all)) == 0) {
		ik_buf_puts(out, arguments->typed);
		return at + strlen(all);
	}
	if (left >= 2 && at[1] == '@') {
		put_words(out, &arguments->words, 1, SIZE_MAX);
		return at + 2;
	}
	if (left >= strlen(some) && memcmp(at, some, strlen(some)) == 0) {
		at += strlen(some);
		if (!read_number(&at, end, &first) ||
			(at < end && *at == ':' && (at++, !read_number(&at, end, &count))) || at == end ||
			*at != '}')
			return start;
		put_words(out, &arguments->words, first, count);
		return at + 1;
	}
	at++;
	if (!read_number(&at, end, &first) || first == 0)
		return start;
	put_words(out, &arguments->words, first, 1);
	return at;
}

void ik_prompt_put(struct ik_buf *out, const struct ik_prompt_part *part,
	const struct ik_prompt_arguments *arguments)
{
	const char *at = part->text, *end = at + part->length;

	while (at < end) {
		const char *next = *at == '$' ? put_argument(out, at, end, arguments) : at;

		if (next == at) {
			at += *at == '\\' && at + 1 < end && at[1] == '$';
			ik_buf_putc(out, *at);
			next = at + 1;
		}
		at = next;
	}
}
