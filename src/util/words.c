#include "util/words.h"

#include <stdint.h>
#include <string.h>

#include "util/cluster.h"
#include "util/utf8.h"

void ik_words_begin(struct ik_words *words, const char *text, size_t length)
{
	words->text = text;
	words->length = length;
	words->at = 0;
	words->in_run = false;
}

/* Return what the character at a position is, with its code point and length. */
static enum ik_letter look(const struct ik_words *words, size_t at, uint32_t *ret_codepoint,
	size_t *ret_bytes)
{
	unsigned char byte = (unsigned char)words->text[at];
	int bytes;

	if (byte < 0x80) {
		bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
			(byte >= '0' && byte <= '9');

		*ret_codepoint = byte;
		*ret_bytes = 1;
		return letter ? IK_LETTER_WORD : IK_LETTER_NONE;
	}
	bytes = ik_utf8_decode(words->text + at, words->length - at, ret_codepoint);
	*ret_bytes = bytes > 0 ? (size_t)bytes : 1;
	return bytes > 0 ? ik_utf8_letter(*ret_codepoint) : IK_LETTER_NONE;
}

/* Append the representation of a character to a word, unless it is full. */
static size_t put(char *word, size_t length, uint32_t codepoint)
{
	uint32_t simple[IK_UTF8_SIMPLE];
	char bytes[4];
	int i, count;

	if (codepoint < 0x80) {
		if (length < IK_WORD_BYTES)
			word[length++] = (char)ik_utf8_fold(codepoint);
		return length;
	}
	count = ik_utf8_simplify(codepoint, simple);
	for (i = 0; i < count; i++) {
		size_t size = (size_t)ik_utf8_encode(simple[i], bytes);

		if (length + size > IK_WORD_BYTES)
			return length;
		memcpy(word + length, bytes, size);
		length += size;
	}
	return length;
}

/* Read up to most letters of one kind, with their marks. Return the length of the resulting word
 * and where the letters end. */
static size_t read_letters(const struct ik_words *words, size_t at, enum ik_letter kind,
	size_t most, char *word, size_t *ret_end)
{
	size_t length = 0, bytes, count = 0;
	uint32_t codepoint;

	while (at < words->length) {
		enum ik_letter letter = look(words, at, &codepoint, &bytes);

		if ((letter != kind || count == most) && (letter != IK_LETTER_MARK || count == 0))
			break;
		count += letter == kind;
		length = put(word, length, codepoint);
		at += bytes;
	}
	*ret_end = at;
	return length;
}

/* Read a character of a run together with the one that follows. */
static void read_pair(struct ik_words *words, struct ik_word *word)
{
	size_t first = read_letters(words, words->at, IK_LETTER_DENSE, 1, words->word, &word->end);
	size_t end, second;

	word->start = words->at;
	words->at = word->middle = word->end;
	second = read_letters(words, words->at, IK_LETTER_DENSE, 1, words->word + first, &end);
	word->length = first + second;
	if (second > 0)
		word->end = end;
	word->kind = second > 0 ? IK_WORD_PAIR : words->in_run ? IK_WORD_LAST : IK_WORD_ALONE;
	words->in_run = second > 0;
}

bool ik_words_next(struct ik_words *words, struct ik_word *ret_word)
{
	struct ik_word word = { .text = words->word };
	uint32_t codepoint;
	size_t bytes;

	while (words->at < words->length && word.length == 0) {
		enum ik_letter letter = look(words, words->at, &codepoint, &bytes);

		if (letter == IK_LETTER_DENSE) {
			read_pair(words, &word);
		} else if (letter == IK_LETTER_WORD || letter == IK_LETTER_SYMBOL) {
			word.kind = IK_WORD_WHOLE;
			word.start = words->at;
			word.length = read_letters(words, words->at, letter,
				letter == IK_LETTER_WORD ? SIZE_MAX : 1, words->word, &words->at);
			word.end = word.middle = words->at;
		} else {
			words->at += bytes;
		}
	}
	if (word.length > 0)
		*ret_word = word;
	return word.length > 0;
}
