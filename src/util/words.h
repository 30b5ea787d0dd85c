/*
 * words: a text as the words by which it is found again.
 *
 * Whatever keeps an index of texts, and whoever asks it, takes the words of both from here,
 * so that they agree: case, accents and width are no difference; everything that is neither
 * letter, digit nor symbol stands between words, so that a path or a name with underscores is
 * several words in a row.  Scripts without spaces between words (Han, Kana, Thai, Lao, Khmer,
 * Burmese), and Hangul, are cut into overlapping pairs of characters: a b c is ab, bc and, as
 * the end of its run, c.  Every emoji is a word.
 *
 * Words hold no ASCII but lower-case letters and digits, no NUL, and are valid UTF-8 of at most
 * IK_WORD_BYTES bytes: of a longer one its beginning counts.
 *
 * Pure, allocates nothing.  May include: libc, util.
 */
#ifndef IK_UTIL_WORDS_H
#define IK_UTIL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#define IK_WORD_BYTES 64

enum ik_word_kind {
	IK_WORD_WHOLE, /* of an alphabet, or an emoji */
	IK_WORD_PAIR,  /* two characters of a run, more follow: the next word overlaps it */
	IK_WORD_LAST,  /* the last character of a run of several */
	IK_WORD_ALONE  /* a run of one character */
};

struct ik_word {
	const char *text; /* valid until the next one is asked for */
	size_t length;
	size_t start, end; /* where it stands in the text */
	size_t middle;     /* where the first character of a pair ends; else end */
	enum ik_word_kind kind;
};

/* A walk through a text (any bytes; borrowed). */
struct ik_words {
	const char *text;
	size_t length, at;
	bool in_run;
	char word[2 * IK_WORD_BYTES];
};

void ik_words_begin(struct ik_words *words, const char *text, size_t length);
/* The next word; false: there is none. */
bool ik_words_next(struct ik_words *words, struct ik_word *ret_word);

#endif
