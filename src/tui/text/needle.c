#include "tui/text/needle.h"

#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/utf8.h"

void ik_needle_init(struct ik_needle *needle, const char *pattern, size_t length)
{
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_LITERAL | PCRE2_CASELESS;
	uint32_t character;
	int bytes, number;

	PCRE2_SIZE place;

	*needle = (struct ik_needle){ .length = length };
	for (size_t at = 0; at<length; at += bytes> 0 ? (size_t)bytes : 1) {
		bytes = ik_utf8_decode(pattern + at, length - at, &character);
		if (bytes > 0 && ik_utf8_is_upper(character))
			options &= ~PCRE2_CASELESS;
	}
	if (length > 0)
		needle->code = pcre2_compile((PCRE2_SPTR)pattern, length, options, &number, &place, NULL);
	if (!needle->code)
		return;
	/* Where that is impossible, the search is slower. */
	(void)pcre2_jit_compile(needle->code, PCRE2_JIT_COMPLETE);
	needle->match = pcre2_match_data_create(1, NULL);
	if (!needle->match)
		ik_alloc_fail();
}

void ik_needle_done(struct ik_needle *needle)
{
	pcre2_code_free(needle->code);
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

size_t ik_needle_count(const struct ik_needle *needle, const char *text, size_t length)
{
	size_t count = 0, at = 0, bytes;

	while ((at = ik_needle_find(needle, text, length, at, &bytes)) != SIZE_MAX) {
		count++;
		at += bytes;
	}
	return count;
}
