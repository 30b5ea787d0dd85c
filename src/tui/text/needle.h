/*
 * needle: a text to search for in other texts.
 *
 * Smart case: a pattern without upper-case letters ignores case (Unicode simple
 * case folding, character by character); one with upper-case letters matches
 * exactly. Owns the compiled pattern.
 * May include: util, <pcre2.h> in needle.c.
 */
#ifndef IK_TUI_NEEDLE_H
#define IK_TUI_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>

struct pcre2_real_code_8;
struct pcre2_real_match_data_8;

struct ik_needle {
	size_t length; /* length of the pattern; 0 matches nothing */
	struct pcre2_real_code_8 *code;
	struct pcre2_real_code_8 *word; /* its longest ASCII word; NULL if there is none */
	struct pcre2_real_match_data_8 *match;
};

/* pattern is UTF-8; an invalid one matches nothing. */
void ik_needle_init(struct ik_needle *needle, const char *pattern, size_t length);
void ik_needle_done(struct ik_needle *needle);

/* Return the first match at or after from, and its length in bytes, or SIZE_MAX if there is
 * none. from is the start of a character. */
size_t ik_needle_find(const struct ik_needle *needle, const char *text, size_t length, size_t from,
	size_t *ret_length);

/* Can it match the rendered form of a text? Assumes that rendering shows all ASCII letters and
 * digits. */
bool ik_needle_may_show(const struct ik_needle *needle, const char *text, size_t length);

/* Count the matches in text. */
size_t ik_needle_count(const struct ik_needle *needle, const char *text, size_t length);

#endif
