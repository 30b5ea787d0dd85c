/*
 * search_markup: may a word be shown that does not stand in the source?
 *
 * Markup in the middle of a word ("un**believ**able", "[a](b)c", "&eacute;") is gone when
 * the text is laid out, and its halves are one word then.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TEXT_SEARCH_MARKUP_H
#define IK_TUI_TEXT_SEARCH_MARKUP_H

#include "util/needle.h"

/*
 * The words that stand around the word of a needle, in the pattern. However a text is laid
 * out, words that are shown one behind the other stand so in the source as well, with blanks
 * and marks between: where they never do the pattern is not shown.
 */
struct ik_phrase {
	const struct ik_needle *needle, *word; /* word NULL: nothing is known */
	size_t start, end;                     /* of the word, in the pattern */
};

/* That of a needle with that word (ik_needle_word(); NULL: none), which both must outlive it. */
struct ik_phrase ik_phrase_of(const struct ik_needle *needle, const struct ik_needle *word);

/* Surely not shown of that text, in which no markup joins words (ik_markup_joins()). */
bool ik_phrase_lacks(const struct ik_phrase *phrase, const char *text, size_t length);

/* Is there markup in the middle of any word? Quick: most texts have none. */
bool ik_markup_joins(const char *text, size_t length);

/* May that word (ik_needle_word()) be among those that are put together so? */
bool ik_markup_hides(const struct ik_needle *word, const char *text, size_t length);

#endif
