/*
 * needle: a text that is looked for in other texts.
 *
 * Smart case: a pattern without upper-case letters finds both cases (simple
 * case folding of Unicode, character by character), one with them only itself.
 * One character of the pattern, the rarest, is looked for by the C library's
 * fast functions in all its forms; only where it stands is the rest compared.
 *
 * Owns its pattern.  Pure.  May include: libc, util.
 */
#ifndef IK_UTIL_NEEDLE_H
#define IK_UTIL_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IK_NEEDLE_FORMS 4 /* "s", "S" and the long s: no character has more */

struct ik_needle {
	char *pattern;          /* NULL or "": nothing is found */
	size_t length;
	size_t count;           /* its characters */
	uint32_t *folded;       /* they, folded where case is ignored */
	bool ignore_case;
	size_t anchor;          /* index of the rarest of them */
	size_t anchor_offset;   /* and its place in the pattern */
	char forms[IK_NEEDLE_FORMS][4];
	uint8_t form_lengths[IK_NEEDLE_FORMS];
	size_t form_count;
};

/* pattern is valid UTF-8; copied. */
void ik_needle_init(struct ik_needle *needle, const char *pattern, size_t length);
void ik_needle_done(struct ik_needle *needle);

/*
 * The first place at or behind from where it stands in text, and how many bytes it takes
 * there; SIZE_MAX: nowhere.  text is UTF-8, from the start of a character or 0.
 */
size_t ik_needle_find(const struct ik_needle *needle, const char *text, size_t length,
	size_t from, size_t *ret_length);

/* How often it stands in text, one behind the other. */
size_t ik_needle_count(const struct ik_needle *needle, const char *text, size_t length);

/* The longest run of ASCII letters and digits of the pattern as a needle of its own, which
 * stands wherever the pattern does; false: there is none. */
bool ik_needle_word(const struct ik_needle *needle, struct ik_needle *ret_word);

#endif
