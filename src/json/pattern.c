#include "json/pattern.h"

#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "util/buf.h"
#include "util/limits.h"

/* Steps and kibibytes for one search: some ten milliseconds. */
#define MATCH_LIMIT 500000
#define HEAP_LIMIT 16384

/* Where the two languages differ and PCRE2 has an option. */
#define ECMA_OPTIONS \
	(PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF | \
		PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C)

/* Return the limits of a search, made once for the life of the process; NULL: no memory. */
static pcre2_match_context *the_limits(void)
{
	static pcre2_match_context *context;

	if (!context) {
		context = pcre2_match_context_create(NULL);
		if (!context)
			return NULL;
		pcre2_set_match_limit(context, MATCH_LIMIT);
		pcre2_set_heap_limit(context, HEAP_LIMIT);
	}
	return context;
}

/* Translate a pattern: ECMA-262's white space is more than PCRE2's \s. */
static void translate(struct ik_buf *out, const char *pattern)
{
	static const char blanks[] = "\\s\\u00a0\\ufeff\\u2028\\u2029\\p{Zs}";
	bool in_class = false;

	for (const char *at = pattern; *at; at++) {
		if (*at == '\\' && at[1]) {
			at++;
			if (*at == 's' && in_class)
				ik_buf_puts(out, blanks);
			else if (*at == 's' || (*at == 'S' && !in_class))
				ik_buf_printf(out, "[%s%s]", *at == 'S' ? "^" : "", blanks);
			else
				ik_buf_printf(out, "\\%c", *at);
			continue;
		}
		if (*at == '[')
			in_class = true;
		else if (*at == ']')
			in_class = false;
		ik_buf_putc(out, *at);
	}
}

static pcre2_code *compile(const char *pattern)
{
	struct ik_buf translated;
	pcre2_code *code = NULL;

	PCRE2_SIZE place;
	int number;

	ik_buf_init(&translated, IK_LIMIT_SCHEMA);
	translate(&translated, pattern);
	if (ik_buf_status(&translated) == IK_OK)
		code = pcre2_compile((PCRE2_SPTR)translated.data, translated.length, ECMA_OPTIONS, &number,
			&place, NULL);
	ik_buf_done(&translated);
	return code;
}

/* Search with compiled code. */
static enum ik_pattern_answer find(const pcre2_code *code, const char *subject, size_t length)
{
	pcre2_match_context *limits = the_limits();
	pcre2_match_data *data = limits ? pcre2_match_data_create(1, NULL) : NULL;
	int result = PCRE2_ERROR_NOMEMORY;

	if (data)
		result = pcre2_match(code, (PCRE2_SPTR)subject, length, 0, 0, data, limits);
	pcre2_match_data_free(data);
	if (result >= 0)
		return IK_PATTERN_MATCHES;
	return result == PCRE2_ERROR_NOMATCH ? IK_PATTERN_DIFFERS : IK_PATTERN_UNKNOWN;
}

enum ik_pattern_answer ik_pattern_find(const char *pattern, const char *subject, size_t length)
{
	enum ik_pattern_answer answer = IK_PATTERN_UNKNOWN;
	pcre2_code *code = compile(pattern);

	if (code)
		answer = find(code, subject, length);
	pcre2_code_free(code);
	return answer;
}
