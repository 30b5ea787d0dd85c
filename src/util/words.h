/*
 * words: split a text into search words.
 *
 * Both the index and the queries take their words from here, so that they agree. Case, accents and
 * width are ignored. Everything that is not a letter, digit or symbol separates words, so a path or
 * a name with underscores is several words in a row. Scripts without spaces between words (Han,
 * Kana, Thai, Lao, Khmer, Burmese), and Hangul, are split into overlapping pairs of characters: a b
 * c gives ab, bc and, as the end of the run, c. Every emoji is a word.
 *
 * The only ASCII in words is lower-case letters and digits. They contain no NUL and are valid UTF-8
 * of at most IK_WORD_BYTES bytes; longer words are cut.
 *
 * Pure, allocates nothing. May include: libc, utf8proc, util.
 */
#ifndef IK_UTIL_WORDS_H
#define IK_UTIL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#define IK_WORD_BYTES 64

enum ik_word_kind {
	IK_WORD_WHOLE, /* of an alphabet, or an emoji */
	IK_WORD_PAIR,  /* two characters of a run; the next word overlaps it */
	IK_WORD_LAST,  /* the last character of a run of several */
	IK_WORD_ALONE  /* a run of one character */
};

struct ik_word {
	const char *text; /* only valid until the next word is read */
	size_t length;
	size_t start, end; /* position in the text */
	size_t middle;     /* where the first character of a pair ends; otherwise end */
	enum ik_word_kind kind;
};

/* Iterates over a text (any bytes; borrowed). */
struct ik_words {
	const char *text;
	size_t length, at;
	bool in_run;
	char word[2 * IK_WORD_BYTES];
};

void ik_words_begin(struct ik_words *words, const char *text, size_t length);
/* Read the next word; false at the end. */
bool ik_words_next(struct ik_words *words, struct ik_word *ret_word);

#endif
