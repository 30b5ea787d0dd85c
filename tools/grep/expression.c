#include "tools/grep/expression.h"

#include <ctype.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "tools/grep/dialect.h"

#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"
#include "util/utf8.h"

/* Limits on a match from one place: a few milliseconds, and memory for a line of a
 * megabyte. */
#define MATCH_LIMIT 100000
#define STACK_MAX IK_MIB(32)
/* An expression that exceeds these so often does so everywhere. */
#define EXPLOSIONS_MAX 20
/* Memory for the other algorithm, in ints, at first. */
#define WORKSPACE 1000

struct expression {
	struct ik_buf translated;
	uint32_t options;
	pcre2_code *code;
	pcre2_code *patient; /* for the other algorithm; NULL: not needed yet */
	pcre2_compile_context *compile_context;
	pcre2_match_context *match_context;
	pcre2_jit_stack *stack;
	pcre2_match_data *data;
	char required; /* every matching line contains this byte; NUL if unknown */
	int explosions;
	int *workspace;
	size_t workspace_size;
};

/* PCRE2 reports out of memory as NULL. */
static void *must_have(void *made)
{
	if (!made)
		ik_alloc_fail();
	return made;
}

/* Say why PCRE2 refuses a pattern; *ret_hint is set. */
static void describe(int number, struct ik_error *error, const char **ret_hint)
{
	static const struct {
		int number;
		struct dialect_refusal refusal;
	} refusals[] = {
		{ PCRE2_ERROR_MISSING_CLOSING_PARENTHESIS,
			{ "Unmatched ( or \\(", "Write \\( for a parenthesis that stands for itself." } },
		{ PCRE2_ERROR_QUANTIFIER_OUT_OF_ORDER,
			{ "Invalid content of \\{\\}", "Write \\{ for a brace that stands for itself." } },
		{ PCRE2_ERROR_QUANTIFIER_TOO_BIG,
			{ "Invalid content of \\{\\}", "Write \\{ for a brace that stands for itself." } },
		{ PCRE2_ERROR_QUANTIFIER_INVALID,
			{ "Invalid preceding regular expression",
				"There is nothing before the * that it could repeat: write .* for any text; which "
				"files are searched is said by glob." } },
		{ PCRE2_ERROR_UNKNOWN_POSIX_CLASS, { "Invalid character class name", NULL } },
		{ PCRE2_ERROR_POSIX_NO_SUPPORT_COLLATING,
			{ "Invalid collation character",
				"Write the characters one by one, or name a class such as [[:alpha:]]." } },
		{ PCRE2_ERROR_CLASS_RANGE_ORDER, { "Invalid range end", NULL } },
		{ PCRE2_ERROR_PATTERN_TOO_LARGE,
			{ "Regular expression too big", "Search for a shorter part of it." } },
		{ PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP,
			{ "Regular expression too big", "Search for a shorter part of it." } },
	};
	char message[200] = "";

	*ret_hint = NULL;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (refusals[i].number == number) {
			*ret_hint = refusals[i].refusal.hint;
			ik_error_set(error, IK_INVALID, "%s", refusals[i].refusal.sentence);
			return;
		}
	pcre2_get_error_message(number, (PCRE2_UCHAR *)message, sizeof(message));
	ik_error_set(error, IK_INVALID, "%s", message);
}

/* Compile the translated pattern with more options; NULL with the number of an error. */
static pcre2_code *compile(const struct expression *expression, uint32_t options, int *ret_number)
{
	PCRE2_SIZE place;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)expression->translated.data,
		expression->translated.length, expression->options | options, ret_number, &place,
		expression->compile_context);

	if (!code && *ret_number == PCRE2_ERROR_HEAP_FAILED)
		ik_alloc_fail();
	return code;
}

/* Return a byte that every match contains; NUL if memchr() would not be faster than PCRE2 (which is
 * fast if it knows the first byte), or if the byte may be a letter in either case. */
static char required_byte(const pcre2_code *code)
{
	uint32_t first = 0, type = 0, unit = 0;

	pcre2_pattern_info(code, PCRE2_INFO_FIRSTCODETYPE, &first);
	pcre2_pattern_info(code, PCRE2_INFO_LASTCODETYPE, &type);
	pcre2_pattern_info(code, PCRE2_INFO_LASTCODEUNIT, &unit);
	return first == 0 && type == 1 && unit < 0x80 && !isalpha((int)unit) ? (char)unit : '\0';
}

static void make_ready(struct expression *expression)
{
	expression->match_context = must_have(pcre2_match_context_create(NULL));
	expression->data = must_have(pcre2_match_data_create(1, NULL));
	pcre2_set_match_limit(expression->match_context, MATCH_LIMIT);
	expression->required = required_byte(expression->code);
	/* Where there is no JIT compiler, or no memory for it, PCRE2 interprets. */
	if (pcre2_jit_compile(expression->code, PCRE2_JIT_COMPLETE) != 0)
		return;
	expression->stack = pcre2_jit_stack_create(IK_KIB(64), STACK_MAX, NULL);
	pcre2_jit_stack_assign(expression->match_context, NULL, expression->stack);
}

struct expression *expression_new(const char *pattern, bool ignore_case, struct ik_error *error,
	const char **ret_hint)
{
	struct expression *expression = ik_alloc(sizeof(*expression));
	bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	int number;

	*expression = (struct expression){
		.options = PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX | (utf8 ? PCRE2_UTF | PCRE2_UCP : 0) |
			(ignore_case ? PCRE2_CASELESS : 0) |
			/* PCRE2 10.42 wants the characters of a lookahead once more after it. */
			(strstr(pattern, "(?=") ? PCRE2_NO_START_OPTIMIZE : 0),
	};
	ik_buf_init(&expression->translated, SIZE_MAX / 2);
	expression->compile_context = must_have(pcre2_compile_context_create(NULL));
	pcre2_set_newline(expression->compile_context, PCRE2_NEWLINE_LF);
	const struct dialect_refusal *refusal = dialect_translate(pattern, utf8,
		&expression->translated);

	if (refusal) {
		*ret_hint = refusal->hint;
		ik_error_set(error, IK_INVALID, "%s", refusal->sentence);
		return expression_free(expression);
	}
	expression->code = compile(expression, utf8 ? PCRE2_MATCH_INVALID_UTF : 0, &number);
	if (!expression->code) {
		describe(number, error, ret_hint);
		return expression_free(expression);
	}
	make_ready(expression);
	return expression;
}

struct expression *expression_free(struct expression *expression)
{
	if (!expression)
		return NULL;
	pcre2_code_free(expression->code);
	pcre2_code_free(expression->patient);
	pcre2_compile_context_free(expression->compile_context);
	pcre2_match_context_free(expression->match_context);
	pcre2_jit_stack_free(expression->stack);
	pcre2_match_data_free(expression->data);
	ik_buf_done(&expression->translated);
	free(expression->workspace);
	free(expression);
	return NULL;
}

static void grow_workspace(struct expression *expression)
{
	expression->workspace_size = 2 * expression->workspace_size + WORKSPACE;
	expression->workspace = ik_alloc_array(expression->workspace, expression->workspace_size,
		sizeof(expression->workspace[0]));
}

/* Match valid characters with the other algorithm, in as much memory as that takes. */
static bool matches_patiently(struct expression *expression, const char *text, size_t length,
	uint32_t options)
{
	for (;;) {
		int result = pcre2_dfa_match(expression->patient, (PCRE2_SPTR)text, length, 0,
			options | PCRE2_DFA_SHORTEST | PCRE2_NO_UTF_CHECK, expression->data, NULL,
			expression->workspace, expression->workspace_size);

		if (result != PCRE2_ERROR_DFA_WSSIZE)
			return result >= 0;
		grow_workspace(expression);
	}
}

/* Does the line match? No match contains an invalid byte, so each part between them is judged. */
static bool line_matches(struct expression *expression, const char *line, const char *feed)
{
	bool utf8 = (expression->options & PCRE2_UTF) != 0;

	for (const char *at = line;;) {
		size_t left = (size_t)(feed - at);
		size_t length = utf8 ? ik_utf8_valid_prefix(at, left) : left;

		if (matches_patiently(expression, at, length,
				(at > line ? PCRE2_NOTBOL : 0) | (length < left ? PCRE2_NOTEOL : 0)))
			return true;
		if (length == left)
			return false;
		at += length;
		at += ik_utf8_bad(at, (size_t)(feed - at));
	}
}

/* Return the first line of [text, end) that matches, judging line by line. */
static const char *find_patiently(struct expression *expression, const char *text, const char *end)
{
	int number;

	if (!expression->patient) {
		expression->patient = must_have(compile(expression, 0, &number));
		grow_workspace(expression);
	}
	while (text < end) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));

		if (line_matches(expression, text, feed))
			return text;
		text = feed + 1;
	}
	return NULL;
}

/* Return a place in the first matching line of [text, end), or NULL. */
static const char *find(struct expression *expression, const char *text, const char *end)
{
	int result = PCRE2_ERROR_MATCHLIMIT;

	if (expression->explosions < EXPLOSIONS_MAX)
		result = pcre2_match(expression->code, (PCRE2_SPTR)text, (size_t)(end - 1 - text), 0, 0,
			expression->data, expression->match_context);
	if (result >= 0)
		return text + pcre2_get_ovector_pointer(expression->data)[0];
	if (result == PCRE2_ERROR_NOMATCH)
		return NULL;
	expression->explosions++;
	return find_patiently(expression, text, end);
}

const char *expression_find(struct expression *expression, const char *text, const char *end)
{
	const char *at = text;

	if (expression->required == '\0')
		return find(expression, text, end);
	while ((at = memchr(at, expression->required, (size_t)(end - at)))) {
		const char *before = memrchr(text, '\n', (size_t)(at - text));
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *found = find(expression, before ? before + 1 : text, feed + 1);

		if (found)
			return found;
		at = text = feed + 1;
	}
	return NULL;
}
