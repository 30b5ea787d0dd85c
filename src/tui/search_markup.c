#include "tui/search_markup.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/lanes.h"

/* What a byte may be: of a word, or gone when it is markup, or (an underscore) both. */
enum { WORD = 1, GONE = 2 };
static const uint8_t kinds[256] = {
	['0' ... '9'] = WORD, ['A' ... 'Z'] = WORD, ['a' ... 'z'] = WORD, [0x80 ... 0xFF] = WORD,
	['_'] = GONE, ['*'] = GONE, ['~'] = GONE, ['`'] = GONE, ['\\'] = GONE, ['['] = GONE,
	[']'] = GONE, ['<'] = GONE, ['>'] = GONE,
};

static uint8_t kind_at(const char *text, size_t at)
{
	return kinds[(unsigned char)text[at]];
}

/* May a mark be among the bytes from a place on? Some that are none are taken for one. */
static ik_lanes marks_from(const char *text)
{
	ik_lanes bytes = ik_lanes_load(text), upper = bytes | ik_lanes_repeat(0x20);
	return (bytes == ik_lanes_repeat('*')) | (bytes == ik_lanes_repeat('&'))
		| ((bytes | ik_lanes_repeat('<' ^ '>')) == ik_lanes_repeat('>'))
		| (upper == ik_lanes_repeat('`')) | ik_lanes_above(upper, 'z');
}

/* The next byte at or behind from that may be markup inside a word by itself; length: none. */
static size_t next_mark(const char *text, size_t length, size_t from)
{
	while (from < length) {
		while (length - from >= 2 * IK_LANES
		       && !ik_lanes_any(marks_from(text + from) | marks_from(text + from + IK_LANES)))
			from += 2 * IK_LANES;
		size_t stop = length - from < 2 * IK_LANES ? length : from + 2 * IK_LANES;
		for (; from < stop; from++)
			if (text[from] != '\0' && strchr("*&[]`~\\<>", text[from]))
				return from;
	}
	return length;
}

/* Does a character stand there by its name or number, "&name;"? */
static bool is_entity(const char *text, size_t length, size_t at)
{
	size_t end = at + 1;
	if (end < length && text[end] == '#')
		end++;
	while (end < length && kind_at(text, end) == WORD)
		end++;
	return end > at + 1 && end < length && text[end] == ';';
}

/* Does the mark at a place stand in a word? Where a link ends is not looked for. */
static bool joins_at(const char *text, size_t length, size_t at)
{
	if (text[at] == '&')
		return is_entity(text, length, at);
	if (text[at] == ']' && at + 1 < length && (text[at + 1] == '(' || text[at + 1] == '['))
		return true;
	size_t start = at, end = at;
	while (start > 0 && (kind_at(text, start - 1) & GONE) && text[start - 1] != ']')
		start--;
	while (end < length && (kind_at(text, end) & GONE))
		end++;
	return start > 0 && kind_at(text, start - 1) == WORD && end < length
		&& kind_at(text, end) == WORD;
}

bool ik_markup_joins(const char *text, size_t length)
{
	for (size_t at = 0; (at = next_mark(text, length, at)) < length; at++)
		if (joins_at(text, length, at))
			return true;
	return false;
}

bool ik_markup_hides(const struct ik_needle *word, const char *text, size_t length)
{
	if (!ik_markup_joins(text, length))
		return false;
	char *bare = ik_alloc_array(NULL, length, 1);
	size_t count = 0, bytes;
	bool made = false;
	for (size_t at = 0; at < length && !made; at++) {
		made = (text[at] == '&' && is_entity(text, length, at))
			|| (text[at] == ']' && at + 1 < length && (text[at + 1] == '(' || text[at + 1] == '['));
		if ((kind_at(text, at) & GONE) == 0)
			bare[count++] = text[at];
	}
	made = made || ik_needle_find(word, bare, count, 0, &bytes) != SIZE_MAX;
	free(bare);
	return made;
}
