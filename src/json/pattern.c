#include "json/pattern.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "util/alloc.h"
#include "util/limits.h"

/* Limits on one search, in steps and kibibytes: some ten milliseconds. */
#define MATCH_LIMIT 500000
#define HEAP_LIMIT 16384

/* Differences between the two languages for which PCRE2 has an option. */
#define ECMA_OPTIONS \
	(PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF | \
		PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C)

struct ik_pattern {
	const char *text; /* the pattern, which points into the schema */
	pcre2_code *code; /* NULL: it can't be compiled */
};

/* Return the limits of a search, made once for the life of the process; NULL if memory has run
 * out. */
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

/* Translate a pattern: ECMA-262's white space includes more characters than PCRE2's \s. */
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

/* Compile a pattern. Return NULL if that is impossible. */
static pcre2_code *compile(struct ik_json_span pattern)
{
	size_t length, place;
	char *text = ik_json_string_new(pattern, &length);
	struct ik_buf translated;
	pcre2_code *code = NULL;
	int number;

	ik_buf_init(&translated, IK_LIMIT_SCHEMA);
	if (text && strlen(text) == length)
		translate(&translated, text);
	if (text && strlen(text) == length && ik_buf_status(&translated) == IK_OK)
		code = pcre2_compile((PCRE2_SPTR)translated.data, translated.length, ECMA_OPTIONS, &number,
			&place, NULL);
	ik_buf_done(&translated);
	free(text);
	return code;
}

/* Return the compiled pattern, or NULL if it can't be compiled. */
static const pcre2_code *code_of(struct ik_patterns *patterns, struct ik_json_span pattern)
{
	size_t i = 0;

	while (i < patterns->count && patterns->items[i].text != pattern.text)
		i++;
	if (i == patterns->count) {
		patterns->items = ik_alloc_array(patterns->items, i + 1, sizeof(*patterns->items));
		patterns->items[patterns->count++] = (struct ik_pattern){ pattern.text, compile(pattern) };
	}
	return patterns->items[i].code;
}

void ik_patterns_done(struct ik_patterns *patterns)
{
	while (patterns->count > 0)
		pcre2_code_free(patterns->items[--patterns->count].code);
	free(patterns->items);
}

enum ik_pattern_answer ik_pattern_find(struct ik_patterns *patterns, struct ik_json_span pattern,
	struct ik_json_span subject)
{
	const pcre2_code *code = code_of(patterns, pattern);
	pcre2_match_context *limits = the_limits();
	pcre2_match_data *data = limits ? pcre2_match_data_create(1, NULL) : NULL;
	size_t length;
	char *text = ik_json_string_new(subject, &length);
	int result = PCRE2_ERROR_NOMEMORY;

	if (code && data && text)
		result = pcre2_match(code, (PCRE2_SPTR)text, length, 0, 0, data, limits);
	pcre2_match_data_free(data);
	free(text);
	if (result >= 0)
		return IK_PATTERN_MATCHES;
	return result == PCRE2_ERROR_NOMATCH ? IK_PATTERN_DIFFERS : IK_PATTERN_UNKNOWN;
}
