#include "guard/glob.h"

#include <stdint.h>
#include <string.h>

#include "util/utf8.h"

/* Return the character at at and its length; a byte that is not UTF-8 counts as one. */
static uint32_t character_at(const char *at, size_t length, size_t *ret_size)
{
	uint32_t codepoint;
	int size = ik_utf8_decode(at, length, &codepoint);

	if (size > 0) {
		*ret_size = (size_t)size;
		return codepoint;
	}
	*ret_size = 1;
	return (unsigned char)*at;
}

/* Return the next character of a set and move *at past it; skips a backslash. */
static uint32_t set_character(const char **at)
{
	size_t size;
	uint32_t character;

	if ((*at)[0] == '\\' && (*at)[1] != '\0')
		(*at)++;
	character = character_at(*at, strlen(*at), &size);
	*at += size;
	return character;
}

/* Return the position after the set that begins at glob ("["); NULL: it has no end. */
static const char *set_end(const char *glob)
{
	const char *at = glob + 1;

	if (*at == '!' || *at == '^')
		at++;
	if (*at == ']')
		at++;
	for (; *at != '\0' && *at != ']'; at++)
		if (*at == '\\' && at[1] != '\0')
			at++;
	return *at == ']' ? at + 1 : NULL;
}

/* Does the set from glob to end contain the character? */
static bool in_set(const char *glob, const char *end, uint32_t character)
{
	const char *at = glob + 1;
	bool negated = *at == '!' || *at == '^';
	bool found = false;

	at += negated;
	while (at < end - 1) {
		uint32_t first = set_character(&at);
		uint32_t last = first;

		if (at < end - 2 && *at == '-') {
			at++;
			last = set_character(&at);
		}
		found |= character >= first && character <= last;
	}
	return found != negated;
}

/* Does the element of the glob at *at match the character at *text? Move past both. */
static bool match_one(const char **at, const char **text, const char *end, const char *barred)
{
	size_t size, own;
	uint32_t character = character_at(*text, (size_t)(end - *text), &size);
	bool is_barred = barred && character != 0 && character < 0x80 && strchr(barred, (int)character);
	const char *close = **at == '[' ? set_end(*at) : NULL;
	bool matches;

	if (**at == '\0') {
		matches = false;
	} else if (**at == '?') {
		matches = !is_barred;
		(*at)++;
	} else if (close) {
		matches = !is_barred && in_set(*at, close, character);
		*at = close;
	} else {
		if (**at == '\\' && (*at)[1] != '\0')
			(*at)++;
		matches = character_at(*at, strlen(*at), &own) == character && own == size;
		*at += own;
	}
	*text += size;
	return matches;
}

bool ik_glob_match(const char *glob, const char *text, size_t length, const char *barred)
{
	const char *end = text + length;
	const char *star = NULL, *star_text = NULL;

	/* On a mismatch, let the last * match one more character. */
	for (;;) {
		if (*glob == '*') {
			star = ++glob;
			star_text = text;
			continue;
		}
		if (text == end && *glob == '\0')
			return true;
		if (text < end && match_one(&glob, &text, end, barred))
			continue;
		if (!star || star_text >= end)
			return false;
		if (barred && *star_text != '\0' && strchr(barred, *star_text))
			return false;
		size_t size;
		(void)character_at(star_text, (size_t)(end - star_text), &size);
		star_text += size;
		text = star_text;
		glob = star;
	}
}

void ik_glob_escape(struct ik_buf *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (memchr("*?[\\", text[i], 4))
			ik_buf_putc(out, '\\');
		ik_buf_putc(out, text[i]);
	}
}
