/*
 * needle: a text that is looked for in other texts.
 *
 * Smart case: a pattern without upper-case letters finds both cases (simple
 * case folding of Unicode, character by character), one with them only itself.
 * Its rarest character is looked for in all its forms, and only there is the rest
 * compared.
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
	char *pattern; /* NULL or "": nothing is found */
	size_t length;
	size_t count;     /* its characters */
	uint32_t *folded; /* they, folded where case is ignored */
	bool ignore_case;
	size_t anchor; /* index of the rarest of them */
	char forms[IK_NEEDLE_FORMS][4];
	uint8_t form_lengths[IK_NEEDLE_FORMS];
	size_t form_count;
};

/* pattern is valid UTF-8; copied. */
void ik_needle_init(struct ik_needle *needle, const char *pattern, size_t length);
void ik_needle_done(struct ik_needle *needle);

/* One search through a text for all places, one behind the other. */
struct ik_needle_scan {
	const struct ik_needle *needle;
	const char *text;
	size_t length, from;
	size_t next[IK_NEEDLE_FORMS]; /* where each form is next */
};

/* Begin at from. text is UTF-8 and begins, as from, with a character; it and the needle must
 * outlive the search. */
void ik_needle_begin(struct ik_needle_scan *scan, const struct ik_needle *needle, const char *text,
	size_t length, size_t from);
/* The next place, and how many bytes it takes there; SIZE_MAX: there is none. */
size_t ik_needle_next(struct ik_needle_scan *scan, size_t *ret_length);

/* The first place at or behind from, as above. */
size_t ik_needle_find(const struct ik_needle *needle, const char *text, size_t length, size_t from,
	size_t *ret_length);

/* How often it stands in text. */
size_t ik_needle_count(const struct ik_needle *needle, const char *text, size_t length);

/* The longest run of ASCII letters and digits of the pattern as a needle of its own, which
 * stands wherever the pattern does; false: there is none. */
bool ik_needle_word(const struct ik_needle *needle, struct ik_needle *ret_word);

#endif
