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
