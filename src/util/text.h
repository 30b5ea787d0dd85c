/*
 * text: small string functions that several layers use.
 *
 * Pure. May include: libc.
 */
#ifndef IK_UTIL_TEXT_H
#define IK_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libintl.h>

/* Translation: use _() to translate, N_() to mark texts in tables. */
#define _(text) gettext(text)
#define N_(text) (text)

bool ik_text_equal(const char *one, const char *other);
bool ik_text_starts(const char *text, const char *prefix);
bool ik_text_ends(const char *text, const char *suffix);

/* In a text of a length: return the end of the line at a position (that of its line feed, or the
 * text's), its beginning (not below `least`), and the number of line feeds. */
size_t ik_line_end(const char *text, size_t position, size_t length);
size_t ik_line_begin(const char *text, size_t least, size_t position);
size_t ik_line_feeds(const char *text, size_t length);

/* Of items in the order of a text, each of which begins with its offset there (uint32_t), return the
 * index of the last one at or before an offset; 0 if none is. size: of an item. */
size_t ik_text_item_at(const void *items, size_t count, size_t size, size_t offset);

/* Return the FNV-1a hash (64 bits), for tables and names; not secure against an attacker. Must stay
 * the same in every version, because file names contain it. */
uint64_t ik_text_hash(const char *text);

/* Return the number of edits (insert, delete, replace, swap) between two words (optimal string
 * alignment), for "did you mean". */
size_t ik_text_distance(const char *one, const char *other);

/* Return the word nearest to text, or NULL if none is near (more than a third of its letters would
 * have to change). */
const char *ik_text_nearest(const char *text, const char *const *words, size_t count);

#endif
