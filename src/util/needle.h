/*
 * needle: a text to search for in other texts.
 *
 * Smart case: a pattern without upper-case letters ignores case (Unicode simple case folding,
 * character by character); one with upper-case letters matches exactly. The search looks for all
 * forms of the pattern's first character and compares the rest only there.
 *
 * Owns its pattern. Pure. May include: libc, util.
 */
#ifndef IK_UTIL_NEEDLE_H
#define IK_UTIL_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IK_NEEDLE_FORMS 4 /* "s", "S" and the long s: no character has more */

struct ik_needle {
	char *pattern; /* NULL or "": matches nothing */
	size_t length;
	size_t count;     /* in characters */
	uint32_t *folded; /* the characters, folded if case is ignored */
	bool ignore_case;
	char forms[IK_NEEDLE_FORMS][4];
	uint8_t form_lengths[IK_NEEDLE_FORMS];
	size_t form_count;
};

/* pattern is valid UTF-8; copied. */
void ik_needle_init(struct ik_needle *needle, const char *pattern, size_t length);
void ik_needle_done(struct ik_needle *needle);

/* A search for all matches in a text, one after the other. */
struct ik_needle_scan {
	const struct ik_needle *needle;
	const char *text;
	size_t length, from;
	size_t next[IK_NEEDLE_FORMS]; /* next occurrence of each form */
};

/* Start at from. text is UTF-8; it and from begin at a character. Text and needle must outlive the
 * search. */
void ik_needle_begin(struct ik_needle_scan *scan, const struct ik_needle *needle, const char *text,
	size_t length, size_t from);
/* Return the next match and its length in bytes; SIZE_MAX if there is none. */
size_t ik_needle_next(struct ik_needle_scan *scan, size_t *ret_length);

/* Return the first match at or after from, as above. */
size_t ik_needle_find(const struct ik_needle *needle, const char *text, size_t length, size_t from,
	size_t *ret_length);

/* Count the matches in text. */
size_t ik_needle_count(const struct ik_needle *needle, const char *text, size_t length);

#endif
