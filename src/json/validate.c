/* The half of json/schema.h that checks values, with a function for each keyword. */
#include "json/schema.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/pattern.h"
#include "json/place.h"
#include "json/plain.h"
#include "json/pointer.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/*
 * Limits for schemas that refer to themselves: depth, and the number of schemas and comparisons (a
 * second or so). Beyond them everything is accepted; the tool checks its arguments anyway.
 */
#define DEPTH_LIMIT 1200
#define STEP_LIMIT 1000000

/* The state of a validation. */
struct schema_check {
	const struct ik_json *root; /* what references are relative to */
	struct ik_error *error;     /* NULL: the caller does not want to know why */
	size_t error_depth;         /* depth of the place of the last error */
	size_t depth, steps;        /* spent so far */
	size_t unknown;             /* how often something was accepted without being checked */
	bool reference_alone;       /* draft 7 and before: $ref disables all other keywords beside it */
};

/* The arguments of a keyword's function. */
struct check {
	struct schema_check *run;
	const struct ik_json *schema;  /* contains the keyword */
	const struct ik_json *keyword; /* its value */
	const struct ik_json *value;   /* the value to check */
	const struct ik_place *place;  /* its location */
};

/*
 * What cannot be checked is accepted. That must not become a refusal where a match counts against
 * the value (`not`, a second alternative of `oneOf`).
 */
enum fit { FITS_NOT, FITS_PERHAPS, FITS };

/* Does value match schema (an object, true or false)? If not, the error of run says why. */
static bool schema_fits(struct schema_check *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place);

static bool is_spent(const struct schema_check *run)
{
	return run->steps > STEP_LIMIT;
}

static enum fit try_schema(struct schema_check *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place)
{
	struct ik_error *error = run->error;
	size_t unknown = run->unknown;
	bool fits;

	run->error = NULL;
	fits = schema_fits(run, schema, value, place);
	run->error = error;
	if (!fits)
		return FITS_NOT;
	return run->unknown == unknown ? FITS : FITS_PERHAPS;
}

static bool fits_quietly(struct schema_check *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place)
{
	return try_schema(run, schema, value, place) != FITS_NOT;
}

/* Refusals. */

static bool IK_PRINTF(2, 3) refuse(const struct check *check, const char *format, ...)
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

static bool refuse_value(const struct check *check, const char *wanted)
{
	char found[IK_EXCERPT];

	if (!check->run->error)
		return false;
	ik_excerpt(check->value, found);
	return refuse(check, _("is %s, but must be %s"), found, wanted);
}

static bool refuse_by(const struct check *check, const char *format)
{
	char bound[IK_EXCERPT], wanted[2 * IK_EXCERPT];
	const char *place = strstr(format, "%s");

	ik_excerpt(check->keyword, bound);
	snprintf(wanted, sizeof(wanted), "%.*s%s%s", (int)(place - format), format, bound, place + 2);
	return refuse_value(check, wanted);
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

/* Is value of the named type? Everything matches an unknown type. */
static bool has_type(const struct ik_json *value, const struct ik_json *name, struct ik_buf *words)
{
	const char *text = ik_json_text(name);
	long double number;

	for (size_t i = 0; text && i < sizeof(types) / sizeof(types[0]); i++) {
		if (!ik_text_equal(text, types[i].name))
			continue;
		if (words->length)
			ik_buf_puts(words, _(" or "));
		ik_buf_puts(words, _(types[i].words));
		if (ik_json_type(value) != types[i].type)
			return false;
		return !ik_text_equal(text, "integer") ||
			(ik_json_real(value, &number) && ik_json_is_whole(number));
	}
	return true;
}

static bool check_type(const struct check *check)
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
		refuse_value(check, words.data);
	ik_buf_done(&words);
	return fits;
}

static bool check_const(const struct check *check)
{
	return ik_json_equal(check->keyword, check->value) || refuse_by(check, _("%s"));
}

static bool check_enum(const struct check *check)
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
	refuse(check, _("must be one of: %s"), wanted.data);
	ik_buf_done(&wanted);
	return false;
}

/* Numbers. */

/* Read the value and its bound; false if either is not a number, so that there is nothing to
 * compare. */
static bool both_numbers(const struct check *check, long double *value, long double *bound)
{
	return ik_json_real(check->value, value) && ik_json_real(check->keyword, bound);
}

/* Is the value at least (side 1) or at most (side -1) its bound? If exclusive, it must not be
 * equal. */
static bool check_bound(const struct check *check, int side, bool exclusive)
{
	long double value, bound;

	if (!both_numbers(check, &value, &bound) || side * value > side * bound ||
		(value == bound && !exclusive))
		return true;
	if (exclusive)
		return refuse_by(check, side > 0 ? _("more than %s") : _("less than %s"));
	return refuse_by(check, side > 0 ? _("at least %s") : _("at most %s"));
}

static bool check_minimum(const struct check *check)
{
	/* In draft 4, exclusiveMinimum is a flag. */
	return check_bound(check, 1, ik_json_is_true(ik_json_get(check->schema, "exclusiveMinimum")));
}

static bool check_maximum(const struct check *check)
{
	return check_bound(check, -1, ik_json_is_true(ik_json_get(check->schema, "exclusiveMaximum")));
}

static bool check_exclusive_minimum(const struct check *check)
{
	return check_bound(check, 1, true);
}

static bool check_exclusive_maximum(const struct check *check)
{
	return check_bound(check, -1, true);
}

/* Is value a multiple of step? Neither is negative, and both may be rounded, since most decimals
 * have no exact binary form: 19.99 is a multiple of 0.01. */
static bool is_multiple(long double value, long double step)
{
	long double part = step, rest = value, slack = value * 2 * LDBL_EPSILON;

	while (part <= value / 2)
		part *= 2;
	for (; part >= step; part /= 2) {
		if (rest >= part)
			rest -= part;
	}
	if (slack > step / 8)
		slack = step / 8;
	return rest <= slack || step - rest <= slack;
}

static bool check_multiple_of(const struct check *check)
{
	long double value, step;

	if (!both_numbers(check, &value, &step) || step <= 0 || isinf(step) || isinf(value))
		return true;
	return is_multiple(value < 0 ? -value : value, step) || refuse_by(check, _("a multiple of %s"));
}

/* Sizes. */

/* Count the characters of a string; a NUL is kept as two bytes, which count as one. */
static size_t count_characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += !ik_utf8_is_continuation(*text);
	return count;
}

/* Is the size of a value of that type at least (side 1) or at most (side -1) its bound? */
static bool check_size(const struct check *check, enum ik_json_type type, int side,
	const char *refusal)
{
	const char *text = ik_json_text(check->value);
	int64_t bound, size;

	if (ik_json_type(check->value) != type || !ik_json_whole(check->keyword, &bound))
		return true;
	size = (int64_t)(text ? count_characters(text) : ik_json_size(check->value));
	return (side > 0 ? size >= bound : size <= bound) || refuse_by(check, refusal);
}

static bool check_min_length(const struct check *check)
{
	return check_size(check, IK_JSON_STRING, 1, _("at least %s characters long"));
}

static bool check_max_length(const struct check *check)
{
	return check_size(check, IK_JSON_STRING, -1, _("at most %s characters long"));
}

static bool check_min_items(const struct check *check)
{
	return check_size(check, IK_JSON_ARRAY, 1, _("a list of at least %s"));
}

static bool check_max_items(const struct check *check)
{
	return check_size(check, IK_JSON_ARRAY, -1, _("a list of at most %s"));
}

static bool check_min_properties(const struct check *check)
{
	return check_size(check, IK_JSON_OBJECT, 1, _("an object with at least %s members"));
}

static bool check_max_properties(const struct check *check)
{
	return check_size(check, IK_JSON_OBJECT, -1, _("an object with at most %s members"));
}

/* Strings. */

static enum ik_pattern_answer find_pattern(struct schema_check *run, const char *pattern,
	const struct ik_json *string)
{
	enum ik_pattern_answer answer = IK_PATTERN_UNKNOWN;
	struct ik_buf bytes;

	ik_buf_init(&bytes, IK_LIMIT_ARGUMENTS);
	ik_json_bytes(string, &bytes);
	if (ik_buf_status(&bytes) == IK_OK)
		answer = ik_pattern_find(pattern, bytes.data, bytes.length);
	ik_buf_done(&bytes);
	run->unknown += answer == IK_PATTERN_UNKNOWN;
	return answer;
}

static bool check_pattern(const struct check *check)
{
	const char *pattern = ik_json_text(check->keyword);

	if (!pattern || !ik_json_text(check->value))
		return true;
	return find_pattern(check->run, pattern, check->value) != IK_PATTERN_DIFFERS ||
		refuse_by(check, _("a string that matches the pattern %s"));
}

/* Arrays. */

static bool is_array(const struct ik_json *value)
{
	return ik_json_type(value) == IK_JSON_ARRAY;
}

/* Check the elements from index on against one schema. */
static bool check_elements(const struct check *check, size_t index, const struct ik_json *schema)
{
	struct ik_place place = { check->place, NULL, 0 };
	const struct ik_json *element;

	for (element = ik_json_first(check->value); element; element = ik_json_sibling(element)) {
		if (place.index >= index && !schema_fits(check->run, schema, element, &place))
			return false;
		place.index++;
	}
	return true;
}

static bool check_prefix_items(const struct check *check)
{
	struct ik_place place = { check->place, NULL, 0 };
	const struct ik_json *schema, *element;

	if (!is_array(check->value) || !is_array(check->keyword))
		return true;
	schema = ik_json_first(check->keyword);
	element = ik_json_first(check->value);
	while (schema && element) {
		if (!schema_fits(check->run, schema, element, &place))
			return false;
		schema = ik_json_sibling(schema);
		element = ik_json_sibling(element);
		place.index++;
	}
	return true;
}

static bool check_items(const struct check *check)
{
	if (is_array(check->keyword)) /* before 2020-12 */
		return check_prefix_items(check);
	if (!is_array(check->value))
		return true;
	return check_elements(check, ik_json_size(ik_json_get(check->schema, "prefixItems")),
		check->keyword);
}

static bool check_additional_items(const struct check *check)
{
	const struct ik_json *items = ik_json_get(check->schema, "items");

	if (!is_array(check->value) || !is_array(items))
		return true;
	return check_elements(check, ik_json_size(items), check->keyword);
}

static bool check_unique_items(const struct check *check)
{
	const struct ik_json *one, *other;
	size_t index = 0;

	if (!is_array(check->value) || !ik_json_is_true(check->keyword))
		return true;
	for (one = ik_json_first(check->value); one; one = ik_json_sibling(one), index++) {
		for (other = ik_json_sibling(one); other; other = ik_json_sibling(other)) {
			check->run->steps++;
			if (is_spent(check->run))
				return true;
			if (ik_json_equal(one, other))
				return refuse(check, _("element %zu comes more than once"), index);
		}
	}
	return true;
}

static bool check_contains(const struct check *check)
{
	int64_t least = 1, most = INT64_MAX, count = 0, perhaps = 0;
	struct ik_place place = { check->place, NULL, 0 };
	const struct ik_json *element;

	if (!is_array(check->value))
		return true;
	ik_json_whole(ik_json_get(check->schema, "minContains"), &least);
	ik_json_whole(ik_json_get(check->schema, "maxContains"), &most);
	for (element = ik_json_first(check->value); element; element = ik_json_sibling(element)) {
		enum fit fit = try_schema(check->run, check->keyword, element, &place);

		count += fit == FITS;
		perhaps += fit == FITS_PERHAPS;
		place.index++;
	}
	if (is_spent(check->run) || (count + perhaps >= least && count <= most))
		return true;
	return refuse(check, _("%lld elements are as `contains` wants them, which are too %s"),
		(long long)count, count < least ? _("few") : _("many"));
}

/* Objects. */

static bool is_object(const struct ik_json *value)
{
	return ik_json_type(value) == IK_JSON_OBJECT;
}

static bool check_properties(const struct check *check)
{
	const struct ik_json *schema, *member;

	if (!is_object(check->value))
		return true;
	for (schema = ik_json_first(check->keyword); schema; schema = ik_json_sibling(schema)) {
		struct ik_place place = { check->place, ik_json_name(schema), 0 };

		member = ik_json_get(check->value, place.name);
		if (member && !schema_fits(check->run, schema, member, &place))
			return false;
	}
	return true;
}

/* Does a member's name match a pattern? */
static enum ik_pattern_answer match_name(const struct check *check, const char *pattern,
	const char *name)
{
	struct ik_json *text = ik_json_new_text(name);
	enum ik_pattern_answer answer = find_pattern(check->run, pattern, text);

	ik_json_free(text);
	return answer;
}

static bool check_pattern_properties(const struct check *check)
{
	const struct ik_json *schema, *member;

	if (!is_object(check->value))
		return true;
	for (schema = ik_json_first(check->keyword); schema; schema = ik_json_sibling(schema)) {
		for (member = ik_json_first(check->value); member; member = ik_json_sibling(member)) {
			struct ik_place place = { check->place, ik_json_name(member), 0 };

			if (match_name(check, ik_json_name(schema), place.name) == IK_PATTERN_MATCHES &&
				!schema_fits(check->run, schema, member, &place))
				return false;
		}
	}
	return true;
}

/* Does properties or (possibly) patternProperties apply to a member? */
static bool is_covered(const struct check *check, const char *name)
{
	const struct ik_json *pattern;

	if (ik_json_get(ik_json_get(check->schema, "properties"), name))
		return true;
	pattern = ik_json_first(ik_json_get(check->schema, "patternProperties"));
	for (; pattern; pattern = ik_json_sibling(pattern)) {
		if (match_name(check, ik_json_name(pattern), name) != IK_PATTERN_DIFFERS)
			return true;
	}
	return false;
}

/* Refuse a member whose name is not among the properties. */
static bool refuse_member(const struct check *check, const char *name)
{
	const struct ik_json *properties = ik_json_get(check->schema, "properties"), *property;
	size_t count = 0;
	const char **names, *nearest;

	if (!check->run->error)
		return false;
	names = ik_alloc_array(NULL, ik_json_size(properties), sizeof(*names));
	for (property = ik_json_first(properties); property; property = ik_json_sibling(property))
		names[count++] = ik_json_name(property);
	nearest = ik_text_nearest(name, names, count);
	if (nearest)
		refuse(check, _("the member \"%.80s\" is unknown; did you mean \"%.80s\"?"), name, nearest);
	else
		refuse(check, _("the member \"%.80s\" is unknown"), name);
	free(names);
	return false;
}

static bool check_additional_properties(const struct check *check)
{
	bool none = ik_json_type(check->keyword) == IK_JSON_BOOL && !ik_json_is_true(check->keyword);
	const struct ik_json *member;

	if (!is_object(check->value))
		return true;
	for (member = ik_json_first(check->value); member; member = ik_json_sibling(member)) {
		struct ik_place place = { check->place, ik_json_name(member), 0 };

		if (is_covered(check, place.name))
			continue;
		if (none)
			return refuse_member(check, place.name);
		if (!schema_fits(check->run, check->keyword, member, &place))
			return false;
	}
	return true;
}

static bool check_property_names(const struct check *check)
{
	const struct ik_json *member;
	bool fits = true;

	if (!is_object(check->value))
		return true;
	for (member = ik_json_first(check->value); member && fits; member = ik_json_sibling(member)) {
		struct ik_json *name = ik_json_new_text(ik_json_name(member));

		fits = schema_fits(check->run, check->keyword, name, check->place);
		ik_json_free(name);
	}
	return fits;
}

/* Does an object have all members in a list? */
static bool check_members(const struct check *check, const struct ik_json *list)
{
	for (const struct ik_json *name = ik_json_first(list); name; name = ik_json_sibling(name)) {
		const char *text = ik_json_text(name);

		if (text && !ik_json_get(check->value, text))
			return refuse(check, _("the member \"%.80s\" is missing"), text);
	}
	return true;
}

static bool check_required(const struct check *check)
{
	return !is_object(check->value) || !is_array(check->keyword) ||
		check_members(check, check->keyword);
}

static bool check_dependencies(const struct check *check)
{
	const struct ik_json *rule;

	if (!is_object(check->value))
		return true;
	for (rule = ik_json_first(check->keyword); rule; rule = ik_json_sibling(rule)) {
		if (!ik_json_get(check->value, ik_json_name(rule)))
			continue;
		if (is_array(rule) ? !check_members(check, rule)
						   : !schema_fits(check->run, rule, check->value, check->place))
			return false;
	}
	return true;
}

/* Schemas in schemas. */

static bool check_all_of(const struct check *check)
{
	const struct ik_json *schema;

	for (schema = ik_json_first(check->keyword); schema; schema = ik_json_sibling(schema)) {
		if (!schema_fits(check->run, schema, check->value, check->place))
			return false;
	}
	return true;
}

/* Return how many alternatives match, and in *ret_perhaps how many might; 2 means more than one. */
static int count_fitting(const struct check *check, int *ret_perhaps)
{
	const struct ik_json *schema = ik_json_first(check->keyword);
	int count = 0;

	*ret_perhaps = 0;
	for (; schema && count < 2; schema = ik_json_sibling(schema)) {
		enum fit fit = try_schema(check->run, schema, check->value, check->place);

		count += fit == FITS;
		*ret_perhaps += fit == FITS_PERHAPS;
	}
	return count;
}

/* Say why no alternative matches: report the one that got furthest. */
static bool refuse_alternatives(const struct check *check)
{
	struct schema_check *run = check->run;
	struct ik_error *error = run->error, reason, best = { .text = "" };
	size_t best_depth = 0, depth = ik_place_depth(check->place);
	const struct ik_json *schema = ik_json_first(check->keyword);

	if (!error)
		return false;
	run->error = &reason;
	for (; schema; schema = ik_json_sibling(schema)) {
		run->error_depth = depth;
		if (!schema_fits(run, schema, check->value, check->place) &&
			(best.text[0] == '\0' || run->error_depth > best_depth)) {
			best = reason;
			best_depth = run->error_depth;
		}
	}
	run->error = error;
	if (best_depth > depth) {
		*error = best;
		run->error_depth = best_depth;
		return false;
	}
	return refuse(check, _("fits none of %zu alternatives; the first: %s"),
		ik_json_size(check->keyword), best.text);
}

static bool check_any_of(const struct check *check)
{
	const struct ik_json *schema = ik_json_first(check->keyword);

	for (; schema; schema = ik_json_sibling(schema)) {
		if (fits_quietly(check->run, schema, check->value, check->place))
			return true;
	}
	return refuse_alternatives(check);
}

static bool check_one_of(const struct check *check)
{
	int perhaps, count = count_fitting(check, &perhaps);

	if (count == 1 || (count == 0 && perhaps > 0) || is_spent(check->run))
		return true;
	if (count == 0)
		return refuse_alternatives(check);
	return refuse(check, _("fits more than one of %zu alternatives; exactly one must fit"),
		ik_json_size(check->keyword));
}

static bool check_not(const struct check *check)
{
	return try_schema(check->run, check->keyword, check->value, check->place) != FITS ||
		is_spent(check->run) || refuse(check, _("is what `not` excludes"));
}

static bool check_if(const struct check *check)
{
	enum fit fit = try_schema(check->run, check->keyword, check->value, check->place);
	const struct ik_json *schema = ik_json_get(check->schema, fit == FITS_NOT ? "else" : "then");
	const struct ik_json *other = ik_json_get(check->schema, "else");

	if (fit == FITS_PERHAPS &&
		(!other || fits_quietly(check->run, other, check->value, check->place)))
		return true;
	return !schema || schema_fits(check->run, schema, check->value, check->place);
}

static bool check_reference(const struct check *check)
{
	const char *reference = ik_json_text(check->keyword);
	const struct ik_json *schema = reference ? ik_pointer_find(check->run->root, reference) : NULL;

	/* Others cannot be resolved: nothing is fetched, and anchors are not looked for. */
	check->run->unknown += !schema;
	return !schema || schema_fits(check->run, schema, check->value, check->place);
}

/* A keyword with a meaning that is not checked. */
static bool check_unknown(const struct check *check)
{
	check->run->unknown++;
	return true;
}

/* Sorted by name. */
static const struct validate_keyword {
	const char *name;
	bool (*check)(const struct check *check);
} keywords[] = {
	{ "$dynamicRef", check_unknown },
	{ "$recursiveRef", check_unknown },
	{ "$ref", check_reference },
	{ "additionalItems", check_additional_items },
	{ "additionalProperties", check_additional_properties },
	{ "allOf", check_all_of },
	{ "anyOf", check_any_of },
	{ "const", check_const },
	{ "contains", check_contains },
	{ "dependencies", check_dependencies },
	{ "dependentRequired", check_dependencies },
	{ "dependentSchemas", check_dependencies },
	{ "enum", check_enum },
	{ "exclusiveMaximum", check_exclusive_maximum },
	{ "exclusiveMinimum", check_exclusive_minimum },
	{ "if", check_if },
	{ "items", check_items },
	{ "maxItems", check_max_items },
	{ "maxLength", check_max_length },
	{ "maxProperties", check_max_properties },
	{ "maximum", check_maximum },
	{ "minItems", check_min_items },
	{ "minLength", check_min_length },
	{ "minProperties", check_min_properties },
	{ "minimum", check_minimum },
	{ "multipleOf", check_multiple_of },
	{ "not", check_not },
	{ "oneOf", check_one_of },
	{ "pattern", check_pattern },
	{ "patternProperties", check_pattern_properties },
	{ "prefixItems", check_prefix_items },
	{ "properties", check_properties },
	{ "propertyNames", check_property_names },
	{ "required", check_required },
	{ "type", check_type },
	{ "unevaluatedItems", check_unknown },
	{ "unevaluatedProperties", check_unknown },
	{ "uniqueItems", check_unique_items },
};

static int compare_name(const void *name, const void *keyword)
{
	return strcmp(name, ((const struct validate_keyword *)keyword)->name);
}

/* Check every keyword of a schema that is an object. */
static bool fits_object(struct schema_check *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place)
{
	bool reference_alone = run->reference_alone && ik_json_get(schema, "$ref");
	struct check check = { run, schema, NULL, value, place };

	for (check.keyword = ik_json_first(schema); check.keyword;
		 check.keyword = ik_json_sibling(check.keyword)) {
		const char *name = ik_json_name(check.keyword);
		const struct validate_keyword *keyword = bsearch(name, keywords,
			sizeof(keywords) / sizeof(keywords[0]), sizeof(keywords[0]), compare_name);

		if (!keyword || (reference_alone && keyword->check != check_reference))
			continue;
		if (!keyword->check(&check))
			return false;
	}
	return true;
}

static bool schema_fits(struct schema_check *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place)
{
	struct check check = { run, schema, NULL, value, place };
	bool fits;

	if (ik_json_type(schema) == IK_JSON_BOOL)
		return ik_json_is_true(schema) || refuse(&check, _("nothing is allowed here"));
	if (ik_json_type(schema) != IK_JSON_OBJECT)
		return true;
	run->steps++;
	if (run->depth > DEPTH_LIMIT)
		run->steps = STEP_LIMIT + 1; /* what cannot be followed to the end is not judged at all */
	if (is_spent(run))
		return true;
	run->depth++;
	fits = fits_object(run, schema, value, place);
	run->depth--;
	return fits;
}

/* Is a schema written for a draft in which $ref disables its neighbours? */
static bool is_old_draft(const struct ik_json *schema)
{
	const char *draft = ik_json_text(ik_json_get(schema, "$schema"));

	return draft &&
		(strstr(draft, "draft-03") || strstr(draft, "draft-04") || strstr(draft, "draft-06") ||
			strstr(draft, "draft-07"));
}

enum ik_status ik_schema_validate(const struct ik_json *schema, const struct ik_json *value,
	struct ik_error *error)
{
	struct schema_check run = { .root = schema, .error = error };
	bool fits;

	run.reference_alone = is_old_draft(schema);
	fits = schema_fits(&run, schema, value, NULL);
	return fits || is_spent(&run) ? IK_OK : IK_INVALID;
}
