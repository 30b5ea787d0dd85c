/* The keywords of json/keyword.h that look at one value: its type, a number, a string. */
#include "json/keyword.h"

#include <stdio.h>
#include <string.h>

#include "json/number.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

bool ik_check_refuse(const struct ik_check *check, const char *format, ...)
{
	va_list arguments;

	if (!check->run->error)
		return false;
	check->run->error_depth = ik_place_depth(check->place);
	va_start(arguments, format);
	ik_place_vrefuse(check->place, check->run->error, format, arguments);
	va_end(arguments);
	return false;
}

bool ik_check_refuse_value(const struct ik_check *check, const char *wanted)
{
	char found[IK_EXCERPT];

	if (!check->run->error)
		return false;
	ik_excerpt(check->value, found);
	return ik_check_refuse(check, _("is %s, but must be %s"), found, wanted);
}

bool ik_check_refuse_by(const struct ik_check *check, const char *format)
{
	char bound[IK_EXCERPT], wanted[2 * IK_EXCERPT];
	const char *place = strstr(format, "%s");

	ik_excerpt(check->keyword, bound);
	snprintf(wanted, sizeof(wanted), "%.*s%s%s", (int)(place - format), format, bound, place + 2);
	return ik_check_refuse_value(check, wanted);
}

/* Types. */

static const struct {
	const char *name;
	enum ik_json_type type;
	const char *words;
} types[] = {
	{ "string", IK_JSON_STRING, N_("a string") },
	{ "number", IK_JSON_NUMBER, N_("a number") },
	{ "integer", IK_JSON_NUMBER, N_("a whole number") },
	{ "boolean", IK_JSON_BOOL, N_("true or false") },
	{ "array", IK_JSON_ARRAY, N_("an array") },
	{ "object", IK_JSON_OBJECT, N_("an object") },
	{ "null", IK_JSON_NULL, N_("null") },
};

/* Is value of the type that name says? A word that nobody knows fits everything. */
static bool has_type(const struct ik_json *value, const struct ik_json *name, struct ik_buf *words)
{
	const char *text = ik_json_text(name);
	struct ik_decimal number;

	for (size_t i = 0; text && i < sizeof(types) / sizeof(types[0]); i++) {
		if (!ik_text_equal(text, types[i].name))
			continue;
		if (words->length)
			ik_buf_puts(words, _(" or "));
		ik_buf_puts(words, _(types[i].words));
		if (ik_json_type(value) != types[i].type)
			return false;
		return !ik_text_equal(text, "integer") ||
			(ik_decimal_of(value, &number) && ik_decimal_is_whole(&number));
	}
	return true;
}

bool ik_check_type(const struct ik_check *check)
{
	const struct ik_json *name = check->keyword;
	struct ik_buf words;
	bool fits;

	ik_buf_init(&words, IK_KIB(4));
	if (ik_json_type(name) == IK_JSON_ARRAY) {
		fits = false;
		for (name = ik_json_first(name); name && !fits; name = ik_json_sibling(name))
			fits = has_type(check->value, name, &words);
	} else {
		fits = has_type(check->value, name, &words);
	}
	if (!fits)
		ik_check_refuse_value(check, words.data);
	ik_buf_done(&words);
	return fits;
}

bool ik_check_const(const struct ik_check *check)
{
	return ik_json_equal(check->keyword, check->value) || ik_check_refuse_by(check, _("%s"));
}

bool ik_check_enum(const struct ik_check *check)
{
	const struct ik_json *choice;
	struct ik_buf wanted;

	for (choice = ik_json_first(check->keyword); choice; choice = ik_json_sibling(choice)) {
		check->run->steps++;
		if (ik_json_equal(choice, check->value))
			return true;
	}
	if (!check->run->error)
		return false;
	ik_buf_init(&wanted, 300); /* what does not fit is left out */
	for (choice = ik_json_first(check->keyword); choice; choice = ik_json_sibling(choice)) {
		char text[IK_EXCERPT];

		ik_excerpt(choice, text);
		ik_buf_printf(&wanted, "%s%s", wanted.length ? ", " : "", text);
		if (ik_buf_status(&wanted) != IK_OK) {
			ik_buf_clear(&wanted);
			ik_buf_puts(&wanted, _("the values in its enum"));
			break;
		}
	}
	ik_check_refuse(check, _("must be one of: %s"), wanted.data);
	ik_buf_done(&wanted);
	return false;
}

/* Numbers. */

/* Read the value and its bound; false when one is no number, and so nothing to compare. */
static bool both_numbers(const struct ik_check *check, struct ik_decimal *value,
	struct ik_decimal *bound)
{
	return ik_decimal_of(check->value, value) && ik_decimal_of(check->keyword, bound);
}

/* Is the value not below (side 1), not above (side -1) its bound, nor equal to it if exclusive? */
static bool check_bound(const struct ik_check *check, int side, bool exclusive)
{
	struct ik_decimal value, bound;
	int order;

	if (!both_numbers(check, &value, &bound))
		return true;
	order = side * ik_decimal_compare(&value, &bound);
	if (order > 0 || (order == 0 && !exclusive))
		return true;
	if (exclusive)
		return ik_check_refuse_by(check, side > 0 ? _("more than %s") : _("less than %s"));
	return ik_check_refuse_by(check, side > 0 ? _("at least %s") : _("at most %s"));
}

bool ik_check_minimum(const struct ik_check *check)
{
	/* In draft 4 the exclusive one is a flag beside it. */
	return check_bound(check, 1, ik_json_is_true(ik_json_get(check->schema, "exclusiveMinimum")));
}

bool ik_check_maximum(const struct ik_check *check)
{
	return check_bound(check, -1, ik_json_is_true(ik_json_get(check->schema, "exclusiveMaximum")));
}

bool ik_check_exclusive_minimum(const struct ik_check *check)
{
	return check_bound(check, 1, true);
}

bool ik_check_exclusive_maximum(const struct ik_check *check)
{
	return check_bound(check, -1, true);
}

bool ik_check_multiple_of(const struct ik_check *check)
{
	struct ik_decimal value, step;

	return !both_numbers(check, &value, &step) || step.count == 0 ||
		ik_decimal_is_multiple(&value, &step) || ik_check_refuse_by(check, _("a multiple of %s"));
}

bool ik_check_within(const struct ik_check *check, size_t count, bool is_maximum)
{
	int64_t bound;

	if (!ik_json_whole(check->keyword, &bound))
		return true;
	return is_maximum ? (int64_t)count <= bound : (int64_t)count >= bound;
}

/* Strings. */

/* Characters of a string; a NUL is kept as two bytes, which count as one here, too. */
static size_t count_characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += !ik_utf8_is_continuation(*text);
	return count;
}

bool ik_check_min_length(const struct ik_check *check)
{
	const char *text = ik_json_text(check->value);

	return !text || ik_check_within(check, count_characters(text), false) ||
		ik_check_refuse_by(check, _("at least %s characters long"));
}

bool ik_check_max_length(const struct ik_check *check)
{
	const char *text = ik_json_text(check->value);

	return !text || ik_check_within(check, count_characters(text), true) ||
		ik_check_refuse_by(check, _("at most %s characters long"));
}

enum ik_pattern_answer ik_check_find(struct ik_validation *run, const char *pattern,
	const struct ik_json *string)
{
	enum ik_pattern_answer answer = IK_PATTERN_UNKNOWN;
	struct ik_buf bytes;

	ik_buf_init(&bytes, IK_LIMIT_ARGUMENTS);
	ik_json_bytes(string, &bytes);
	if (ik_buf_status(&bytes) == IK_OK)
		answer = ik_pattern_find(&run->patterns, pattern, bytes.data, bytes.length);
	ik_buf_done(&bytes);
	run->unknown += answer == IK_PATTERN_UNKNOWN;
	return answer;
}

bool ik_check_pattern(const struct ik_check *check)
{
	const char *pattern = ik_json_text(check->keyword);

	if (!pattern || !ik_json_text(check->value))
		return true;
	return ik_check_find(check->run, pattern, check->value) != IK_PATTERN_DIFFERS ||
		ik_check_refuse_by(check, _("a string that matches the pattern %s"));
}
