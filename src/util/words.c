#include "util/words.h"

#include <stdint.h>
#include <string.h>
#include <utf8proc.h>

#include "util/utf8.h"

#define SIMPLE_MOST 32 /* limit on the characters that one decomposes into */

struct range {
	uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t count, uint32_t codepoint)
{
	size_t i = 0;

	while (i < count && codepoint > ranges[i].last)
		i++;
	return i < count && codepoint >= ranges[i].first;
}

/* Scripts written without spaces between words; also Hangul, whose words take suffixes. */
/* clang-format off */
static const struct range dense[] = {
	{ 0x0e00, 0x0eff }, { 0x1000, 0x109f }, { 0x1100, 0x11ff }, { 0x1780, 0x17ff },
	{ 0x2e80, 0x2fdf }, { 0x3005, 0x3007 }, { 0x3040, 0x318f }, { 0x31a0, 0x31ff },
	{ 0x3400, 0x4dbf }, { 0x4e00, 0x9fff }, { 0xa960, 0xa97f }, { 0xac00, 0xd7ff },
	{ 0xf900, 0xfaff }, { 0xff66, 0xffdc }, { 0x1b000, 0x1b16f }, { 0x20000, 0x3ffff },
};
/* clang-format on */

/* Marks that writers often omit, or that a search ignores. */
/* clang-format off */
static const struct range accents[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05c7 }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x0670, 0x0670 }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
	{ 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};
/* clang-format on */

/* How a word search treats a character. */
enum letter {
	LETTER_NONE,  /* separates words */
	LETTER_WORD,  /* letter or digit of a script that separates words */
	LETTER_DENSE, /* letter of a script that does not (Han, Kana, Thai, ...), or of Hangul */
	LETTER_MARK,  /* belongs to the previous character */
	LETTER_SYMBOL /* a word of its own: emoji */
};

static enum letter letter_of(uint32_t codepoint)
{
	if (codepoint == 0xff9e || codepoint == 0xff9f) /* the voicing marks of halfwidth Kana */
		return LETTER_MARK;
	switch (utf8proc_category((utf8proc_int32_t)codepoint)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_ND:
	case UTF8PROC_CATEGORY_NL:
	case UTF8PROC_CATEGORY_NO:
	case UTF8PROC_CATEGORY_CO:
		return is_in(dense, sizeof(dense) / sizeof(dense[0]), codepoint) ? LETTER_DENSE
																		 : LETTER_WORD;
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME:
		return LETTER_MARK;
	case UTF8PROC_CATEGORY_SO:
		return LETTER_SYMBOL;
	default:
		return LETTER_NONE;
	}
}

/* Write the characters that represent a letter or mark when case, diacritics of alphabets, width
 * and other compatibility forms are ignored. Return their number: 0 for an accent. */
static int simplify(uint32_t codepoint, uint32_t out[SIMPLE_MOST])
{
	utf8proc_int32_t parts[SIMPLE_MOST];
	int last = UTF8PROC_BOUNDCLASS_START;
	utf8proc_ssize_t i, count;
	int kept = 0;

	if (codepoint >= 0xac00 && codepoint <= 0xd7a3) { /* keep syllables composed */
		out[0] = codepoint;
		return 1;
	}
	count = utf8proc_decompose_char((utf8proc_int32_t)codepoint, parts, SIMPLE_MOST,
		UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD, &last);
	for (i = 0; i < count && i < SIMPLE_MOST; i++) {
		uint32_t part = (uint32_t)parts[i];

		if (letter_of(part) != LETTER_NONE &&
			!is_in(accents, sizeof(accents) / sizeof(accents[0]), part))
			out[kept++] = part;
	}
	return kept;
}

void ik_words_begin(struct ik_words *words, const char *text, size_t length)
{
	words->text = text;
	words->length = length;
	words->at = 0;
	words->in_run = false;
}

/* Return how a word search treats the character at a position, with its code point and length in
 * bytes. */
static enum letter look(const struct ik_words *words, size_t at, uint32_t *ret_codepoint,
	size_t *ret_bytes)
{
	unsigned char byte = (unsigned char)words->text[at];
	int bytes;

	if (byte < 0x80) {
		bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
			(byte >= '0' && byte <= '9');

		*ret_codepoint = byte;
		*ret_bytes = 1;
		return letter ? LETTER_WORD : LETTER_NONE;
	}
	bytes = ik_utf8_decode(words->text + at, words->length - at, ret_codepoint);
	*ret_bytes = bytes > 0 ? (size_t)bytes : 1;
	return bytes > 0 ? letter_of(*ret_codepoint) : LETTER_NONE;
}

/* Append the representation of a character to a word, unless it is full. */
static size_t put(char *word, size_t length, uint32_t codepoint)
{
	uint32_t simple[SIMPLE_MOST];
	char bytes[4];
	int i, count;

	if (codepoint < 0x80) {
		if (length < IK_WORD_BYTES)
			word[length++] = (char)(codepoint >= 'A' && codepoint <= 'Z' ? codepoint | 0x20
																		 : codepoint);
		return length;
	}
	count = simplify(codepoint, simple);
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
static size_t read_letters(const struct ik_words *words, size_t at, enum letter kind, size_t most,
	char *word, size_t *ret_end)
{
	size_t length = 0, bytes, count = 0;
	uint32_t codepoint;

	while (at < words->length) {
		enum letter letter = look(words, at, &codepoint, &bytes);

		if ((letter != kind || count == most) && (letter != LETTER_MARK || count == 0))
			break;
		count += letter == kind;
		length = put(word, length, codepoint);
		at += bytes;
	}
	*ret_end = at;
	return length;
}

/* Read a character of a run together with the next one. */
static void read_pair(struct ik_words *words, struct ik_word *word)
{
	size_t first = read_letters(words, words->at, LETTER_DENSE, 1, words->word, &word->end);
	size_t end, second;

	word->start = words->at;
	words->at = word->middle = word->end;
	second = read_letters(words, words->at, LETTER_DENSE, 1, words->word + first, &end);
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
		enum letter letter = look(words, words->at, &codepoint, &bytes);

		if (letter == LETTER_DENSE) {
			read_pair(words, &word);
		} else if (letter == LETTER_WORD || letter == LETTER_SYMBOL) {
			word.kind = IK_WORD_WHOLE;
			word.start = words->at;
			word.length = read_letters(words, words->at, letter,
				letter == LETTER_WORD ? SIZE_MAX : 1, words->word, &words->at);
			word.end = word.middle = words->at;
		} else {
			words->at += bytes;
		}
	}
	if (word.length > 0)
		*ret_word = word;
	return word.length > 0;
}
