#include "tui/text/search_markup.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* What a byte may be: of a word, or gone when it is markup, or (an underscore) both. */
enum { WORD = 1, GONE = 2 };
static const uint8_t kinds[256] = {
	['0' ... '9'] = WORD,
	['A' ... 'Z'] = WORD,
	['a' ... 'z'] = WORD,
	[0x80 ... 0xFF] = WORD,
	['_'] = GONE,
	['*'] = GONE,
	['~'] = GONE,
	['`'] = GONE,
	['\\'] = GONE,
	['['] = GONE,
	[']'] = GONE,
	['<'] = GONE,
	['>'] = GONE,
};

static uint8_t kind_at(const char *text, size_t at)
{
	return kinds[(unsigned char)text[at]];
}

/* The next byte at or behind from that may be markup inside a word by itself; length: none. */
static size_t next_mark(const char *text, size_t length, size_t from)
{
	static const bool marks[256] = {
		['*'] = true,
		['&'] = true,
		['['] = true,
		[']'] = true,
		['`'] = true,
		['~'] = true,
		['\\'] = true,
		['<'] = true,
		['>'] = true,
	};

	while (from < length && !marks[(unsigned char)text[from]])
		from++;
	return from;
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
	return start > 0 && kind_at(text, start - 1) == WORD && end < length &&
		kind_at(text, end) == WORD;
}

bool ik_markup_joins(const char *text, size_t length)
{
	for (size_t at = 0; (at = next_mark(text, length, at)) < length; at++)
		if (joins_at(text, length, at))
			return true;
	return false;
}

/* ---- phrases ---- */

/* What may stand between two words that are shown side by side: a blank, or a mark that is shown
 * as it is or not at all. Behind anything else (a link, a tag, a control character, what is not
 * ASCII) nobody knows. */
enum { LETTER = 1, DIGIT = 2, BETWEEN = 4 };
static const uint8_t phrase_kinds[256] = {
	['A' ... 'Z'] = LETTER,
	['a' ... 'z'] = LETTER,
	['0' ... '9'] = DIGIT,
	[' '] = BETWEEN,
	['\n'] = BETWEEN,
	['\t'] = BETWEEN,
	['!'] = BETWEEN,
	['"' ... '%'] = BETWEEN,
	['\'' ... '/'] = BETWEEN,
	[':'] = BETWEEN,
	[';'] = BETWEEN,
	['='] = BETWEEN,
	['?'] = BETWEEN,
	['@'] = BETWEEN,
	['^' ... '`'] = BETWEEN,
	['{'] = BETWEEN,
	['}'] = BETWEEN,
	['~'] = BETWEEN,
};

static uint8_t phrase_kind(char byte)
{
	return phrase_kinds[(unsigned char)byte];
}

static char folded(char byte, bool ignore_case)
{
	return ignore_case && phrase_kind(byte) == LETTER ? (char)(byte | 0x20) : byte;
}

/* Letters of text that follow each other from a place on. */
static size_t letters(const char *text, size_t length, size_t at)
{
	size_t count = 0;

	while (at + count < length && phrase_kind(text[at + count]) == LETTER)
		count++;
	return count;
}

struct ik_phrase ik_phrase_of(const struct ik_needle *needle, const struct ik_needle *word)
{
	struct ik_phrase phrase = { .needle = needle };
	const char *found = word ? strstr(needle->pattern, word->pattern) : NULL;

	if (!found)
		return phrase;
	phrase.start = (size_t)(found - needle->pattern);
	phrase.end = phrase.start + word->length;
	/* Digits are of lists perhaps, which are numbered anew. */
	bool alone = letters(needle->pattern, needle->length, phrase.start) == word->length &&
		(phrase.start == 0 || phrase_kind(found[-1]) == BETWEEN) &&
		(phrase.end == needle->length || phrase_kind(found[word->length]) == BETWEEN);
	if (alone && word->length < needle->length)
		phrase.word = word;
	return phrase;
}

/* The byte of text behind or before a place, which moves past it; false: there is none. */
static bool next_byte(const char *text, size_t length, size_t *at, int step, char *ret_byte)
{
	if (step > 0 ? *at >= length : *at == 0)
		return false;
	*at = step > 0 ? *at + 1 : *at - 1;
	*ret_byte = text[step > 0 ? *at - 1 : *at];
	return true;
}

/* May what stands beside the word in the pattern stand beside a place of text, in that
 * direction? */
static bool may_stand(const struct ik_phrase *phrase, const char *text, size_t length, size_t at,
	int step)
{
	const struct ik_needle *needle = phrase->needle;
	size_t place = step > 0 ? phrase->end : phrase->start;
	bool between = false; /* marks of the pattern were passed over */
	char wanted, byte;

	while (next_byte(needle->pattern, needle->length, &place, step, &wanted)) {
		uint8_t kind = phrase_kind(wanted), is;

		if (kind == BETWEEN) {
			between = true;
			continue;
		}
		if (kind != LETTER)
			return true;
		size_t passed = 0;

		do {
			if (!next_byte(text, length, &at, step, &byte))
				return false;
			is = phrase_kind(byte);
		} while (is == BETWEEN && between && ++passed);
		if (is == 0)
			return true;
		/* Where the pattern has a mark, the text has one. */
		if (is != LETTER || (between && passed == 0) ||
			folded(byte, needle->ignore_case) != folded(wanted, needle->ignore_case))
			return false;
		between = false;
	}
	return true;
}

/* Are words perhaps shown side by side that do not stand so? In a table those of different
 * lines are, and addresses that are defined elsewhere beside what links to them. */
static bool moves_words(const char *text, size_t length)
{
	const char *end = text + length, *at = text;

	if (memchr(text, '|', length))
		return true;
	while ((at = memchr(at, ']', (size_t)(end - at))))
		if (++at < end && *at == ':')
			return true;
	return false;
}

bool ik_phrase_lacks(const struct ik_phrase *phrase, const char *text, size_t length)
{
	if (!phrase->word)
		return false;
	struct ik_needle_scan scan;
	size_t at, bytes;
	bool any = false;
	ik_needle_begin(&scan, phrase->word, text, length, 0);
	while ((at = ik_needle_next(&scan, &bytes)) != SIZE_MAX) {
		if (may_stand(phrase, text, length, at + bytes, 1) &&
			may_stand(phrase, text, length, at, -1))
			return false;
		any = true;
		scan.from = at + 1;
		while (scan.from < length && ((unsigned char)text[scan.from] & 0xc0) == 0x80)
			scan.from++;
	}
	return !any || !moves_words(text, length);
}

bool ik_markup_hides(const struct ik_needle *word, const char *text, size_t length)
{
	if (!ik_markup_joins(text, length))
		return false;
	char *bare = ik_alloc_array(NULL, length, 1);
	size_t count = 0, bytes;
	bool made = false;

	for (size_t at = 0; at < length && !made; at++) {
		made = (text[at] == '&' && is_entity(text, length, at)) ||
			(text[at] == ']' && at + 1 < length && (text[at + 1] == '(' || text[at + 1] == '['));
		if ((kind_at(text, at) & GONE) == 0)
			bare[count++] = text[at];
	}
	made = made || ik_needle_find(word, bare, count, 0, &bytes) != SIZE_MAX;
	free(bare);
	return made;
}
