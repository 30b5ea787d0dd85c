/*
 * search_markup: may a word be shown that does not stand in the source?
 *
 * Markup in the middle of a word ("un**believ**able", "[a](b)c", "&eacute;") is gone when
 * the text is laid out, and its halves are one word then.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_SEARCH_MARKUP_H
#define IK_TUI_SEARCH_MARKUP_H

#include "util/needle.h"

/* Is there markup in the middle of any word? Quick: most texts have none. */
bool ik_markup_joins(const char *text, size_t length);

/* May that word (ik_needle_word()) be among those that are put together so? */
bool ik_markup_hides(const struct ik_needle *word, const char *text, size_t length);

#endif
