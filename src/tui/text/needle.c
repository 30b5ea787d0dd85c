#include "tui/text/needle.h"

#include <ctype.h>
#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/utf8.h"

/* Compile a pattern; return NULL if it is invalid. If it can't be compiled to machine code, the
 * search is slower. */
static pcre2_code *compile(const char *pattern, size_t length, uint32_t options)
{
	PCRE2_SIZE place;
	int number;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, length,
		options | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &number, &place, NULL);

	if (code)
		(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	return code;
}

/* Compile the longest word so that it also matches with markup between its letters. Return NULL
 * if there is none, or if it is a number, since list items may be shown with other numbers than
 * written. */
static pcre2_code *compile_word(const char *pattern, size_t length, uint32_t options)
{
	size_t start = 0, longest = 0, digits = 0;
	struct ik_buf word;
	pcre2_code *code = NULL;

	for (size_t at = 0, run = 0; at < length; at++) {
		run = isalnum((unsigned char)pattern[at]) ? run + 1 : 0;
		if (run > longest) {
			longest = run;
			start = at + 1 - run;
		}
	}
	ik_buf_init(&word, IK_KIB(64));
	for (const char *at = pattern + start; at < pattern + start + longest; at++) {
		ik_buf_printf(&word, "%s%c", word.length > 0 ? "[^A-Za-z0-9]*+" : "", *at);
		digits += isdigit((unsigned char)*at) != 0;
	}
	if (digits < longest && ik_buf_status(&word) == IK_OK)
		code = compile(word.data, word.length, options);
	ik_buf_done(&word);
	return code;
}

void ik_needle_init(struct ik_needle *needle, const char *pattern, size_t length)
{
	uint32_t options = PCRE2_CASELESS, character;
	int bytes;

	*needle = (struct ik_needle){ .length = length };
	for (size_t at = 0; at<length; at += bytes> 0 ? (size_t)bytes : 1) {
		bytes = ik_utf8_decode(pattern + at, length - at, &character);
		if (bytes > 0 && ik_utf8_is_upper(character))
			options = 0;
	}
	if (length > 0)
		needle->code = compile(pattern, length, options | PCRE2_LITERAL);
	if (!needle->code)
		return;
	needle->word = compile_word(pattern, length, options);
	needle->match = pcre2_match_data_create(1, NULL);
	if (!needle->match)
		ik_alloc_fail();
}

void ik_needle_done(struct ik_needle *needle)
{
	pcre2_code_free(needle->code);
	pcre2_code_free(needle->word);
	pcre2_match_data_free(needle->match);
	*needle = (struct ik_needle){ 0 };
}

size_t ik_needle_find(const struct ik_needle *needle, const char *text, size_t length, size_t from,
	size_t *ret_length)
{
	const PCRE2_SIZE *place;

	if (!needle->code ||
		pcre2_match(needle->code, (PCRE2_SPTR)text, length, from, 0, needle->match, NULL) < 0)
		return SIZE_MAX;
	place = pcre2_get_ovector_pointer(needle->match);
	*ret_length = place[1] - place[0];
	return place[0];
}

bool ik_needle_may_show(const struct ik_needle *needle, const char *text, size_t length)
{
	return !needle->word ||
		pcre2_match(needle->word, (PCRE2_SPTR)text, length, 0, 0, needle->match, NULL) !=
		PCRE2_ERROR_NOMATCH;
}

size_t ik_needle_count(const struct ik_needle *needle, const char *text, size_t length)
{
	size_t count = 0, at = 0, bytes;

	while ((at = ik_needle_find(needle, text, length, at, &bytes)) != SIZE_MAX) {
		count++;
		at += bytes;
	}
	return count;
}
