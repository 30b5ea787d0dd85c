#include "json/pattern.h"

#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "util/buf.h"
#include "util/library.h"
#include "util/limits.h"
#include "util/log.h"

/* Steps and kibibytes of one search: some ten milliseconds. */
#define MATCH_LIMIT 500000
#define HEAP_LIMIT 16384

/* Where the two languages differ and PCRE2 can be told. */
#define ECMA_OPTIONS (PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS \
	| PCRE2_MATCH_UNSET_BACKREF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C)

/* What is used of the library. */
struct library {
	void *handle;
	__typeof__(pcre2_compile_8) *compile;
	__typeof__(pcre2_code_free_8) *code_free;
	__typeof__(pcre2_match_8) *match;
	__typeof__(pcre2_match_data_create_8) *data_create;
	__typeof__(pcre2_match_data_free_8) *data_free;
	__typeof__(pcre2_match_context_create_8) *context_create;
	__typeof__(pcre2_set_match_limit_8) *set_match_limit;
	__typeof__(pcre2_set_heap_limit_8) *set_heap_limit;
	pcre2_match_context *context;
};

/* Find all functions and make the context with the limits. */
static bool open_library(struct library *library)
{
	static const struct ik_library_function functions[] = {
		{ "pcre2_compile_8", offsetof(struct library, compile) },
		{ "pcre2_code_free_8", offsetof(struct library, code_free) },
		{ "pcre2_match_8", offsetof(struct library, match) },
		{ "pcre2_match_data_create_8", offsetof(struct library, data_create) },
		{ "pcre2_match_data_free_8", offsetof(struct library, data_free) },
		{ "pcre2_match_context_create_8", offsetof(struct library, context_create) },
		{ "pcre2_set_match_limit_8", offsetof(struct library, set_match_limit) },
		{ "pcre2_set_heap_limit_8", offsetof(struct library, set_heap_limit) },
	};

	library->handle = ik_library_load("libpcre2-8.so.0", functions,
		sizeof(functions) / sizeof(functions[0]), library);
	if (!library->handle)
		return false;
	library->context = library->context_create(NULL);
	if (!library->context)
		return false;
	library->set_match_limit(library->context, MATCH_LIMIT);
	library->set_heap_limit(library->context, HEAP_LIMIT);
	return true;
}

/* The library, loaded once for the life of the process; NULL where it is missing. */
static const struct library *the_library(void)
{
	static struct library library;
	static bool tried, opened;

	if (!tried) {
		tried = true;
		opened = open_library(&library);
		if (!opened)
			ik_log(IK_LOG_ERROR, "PCRE2 cannot be loaded; patterns of schemas are not checked");
	}
	return opened ? &library : NULL;
}

/* Write a pattern with the white space of ECMA-262, which is more than PCRE2's \s. */
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

static pcre2_code *compile(const struct library *library, const char *pattern)
{
	struct ik_buf translated;
	pcre2_code *code = NULL;
	PCRE2_SIZE place;
	int number;

	ik_buf_init(&translated, IK_LIMIT_SCHEMA);
	translate(&translated, pattern);
	if (ik_buf_status(&translated) == IK_OK)
		code = library->compile((PCRE2_SPTR)translated.data, translated.length, ECMA_OPTIONS,
			&number, &place, NULL);
	ik_buf_done(&translated);
	return code;
}

/* Search with code that was compiled. */
static enum ik_pattern_answer find(const struct library *library, const pcre2_code *code,
	const char *subject, size_t length)
{
	pcre2_match_data *data = library->data_create(1, NULL);
	int result = PCRE2_ERROR_NOMEMORY;

	if (data)
		result = library->match(code, (PCRE2_SPTR)subject, length, 0, 0, data, library->context);
	library->data_free(data);
	if (result >= 0)
		return IK_PATTERN_MATCHES;
	return result == PCRE2_ERROR_NOMATCH ? IK_PATTERN_DIFFERS : IK_PATTERN_UNKNOWN;
}

enum ik_pattern_answer ik_pattern_find(struct ik_patterns *patterns, const char *pattern,
	const char *subject, size_t length)
{
	const struct library *library = the_library();
	enum ik_pattern_answer answer = IK_PATTERN_UNKNOWN;
	pcre2_code *code;

	if (!library)
		return IK_PATTERN_UNKNOWN;
	for (size_t i = 0; i < patterns->count; i++) {
		if (patterns->kept[i].source == pattern) {
			code = patterns->kept[i].code;
			return code ? find(library, code, subject, length) : IK_PATTERN_UNKNOWN;
		}
	}
	code = compile(library, pattern);
	if (code)
		answer = find(library, code, subject, length);
	if (patterns->count < IK_PATTERN_KEPT) {
		patterns->kept[patterns->count].source = pattern;
		patterns->kept[patterns->count++].code = code;
	} else if (code) {
		library->code_free(code);
	}
	return answer;
}

void ik_patterns_done(struct ik_patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++) {
		if (patterns->kept[i].code)
			the_library()->code_free(patterns->kept[i].code);
	}
	patterns->count = 0;
}
