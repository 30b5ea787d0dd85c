/* The part of json/schema.h that checks values, with a function for each keyword or group of
 * keywords. */
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
 * Limits for recursive schemas: depth, and the number of schemas and comparisons (a second or so).
 * Beyond them everything is accepted, because the tool checks its arguments anyway.
 */
#define DEPTH_LIMIT 1200
#define STEP_LIMIT 1000000

/* The state of a validation. */
struct schema_check {
	struct ik_json_span root; /* what references are relative to */
	struct ik_error *error;   /* NULL: the caller doesn't need the reason */
	size_t error_depth;       /* depth of the place of the last error */
	size_t depth, steps;      /* depth now, steps so far */
	size_t unknown;           /* how often something was accepted unchecked */
	bool reference_alone;     /* draft 7 and earlier: $ref disables all keywords next to it */
	const char *id;           /* the keyword that names a schema: $id, or id in draft 4 */
	struct ik_patterns patterns;
	char *shown; /* the last result of shown() */
};

/* The arguments of a keyword's function. */
struct check {
	struct schema_check *run;
	const struct validate_keyword *row;
	struct ik_json_span schema;   /* the schema that contains the keyword */
	struct ik_json_span keyword;  /* its value */
	struct ik_json_span value;    /* the value to check */
	const struct ik_place *place; /* its location */
};

struct validate_keyword {
	const char *name;
	bool (*check)(const struct check *check);
	enum ik_json_type type; /* type of the values to which it applies; NONE: any */
	int side;               /* 1: a minimum, -1: a maximum */
	const char *wanted;     /* the requirement in words, with %s for the keyword's value */
};

/*
 * What can't be checked is accepted. That must not cause a rejection where a match counts against
 * the value (`not`, a second alternative of `oneOf`).
 */
enum fit { FITS_NOT, FITS_PERHAPS, FITS };

/* Does value match schema (an object, true or false)? If not, run's error says why. */
static bool schema_fits(struct schema_check *run, struct ik_json_span schema,
	struct ik_json_span value, const struct ik_place *place);

static bool is_spent(const struct schema_check *run)
{
	return run->steps > STEP_LIMIT;
}

static enum fit try_schema(struct schema_check *run, struct ik_json_span schema,
	struct ik_json_span value, const struct ik_place *place)
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

/* Errors. */

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

/* Return a string for use in a sentence; valid until the next call. */
static const char *shown(const struct check *check, struct ik_json_span string)
{
	free(check->run->shown);
	check->run->shown = ik_json_string_new(string, NULL);
	return check->run->shown ? check->run->shown : "?";
}

static bool refuse_value(const struct check *check, const char *wanted)
{
	char found[IK_EXCERPT];

	if (!check->run->error)
		return false;
	ik_excerpt(check->value, found);
	return refuse(check, _("is %s, but must be %s"), found, wanted);
}

/* Reject the value with a sentence that contains the keyword's own value, for %s. */
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
static bool has_type(struct ik_json_span value, struct ik_json_span name, struct ik_buf *words)
{
	size_t i = 0, count = sizeof(types) / sizeof(types[0]);
	long double number;

	while (i < count && !ik_json_string_is(name, types[i].name))
		i++;
	if (i == count)
		return true;
	if (words->length)
		ik_buf_puts(words, _(" or "));
	ik_buf_puts(words, _(types[i].words));
	return ik_json_span_type(value) == types[i].type &&
		(!ik_text_equal(types[i].name, "integer") ||
			(ik_json_number(value, &number) && ik_json_is_whole(number)));
}

static bool check_type(const struct check *check)
{
	struct ik_json_span name = check->keyword;
	struct ik_buf words;
	bool fits = false;

	ik_buf_init(&words, IK_KIB(4));
	if (ik_json_span_type(name) != IK_JSON_ARRAY)
		fits = has_type(check->value, name, &words);
	for (struct ik_json_walk walk = ik_json_walk(name); !fits && ik_json_next(&walk);)
		fits = has_type(check->value, walk.value, &words);
	if (!fits)
		refuse_value(check, words.data);
	ik_buf_done(&words);
	return fits;
}

static bool check_const(const struct check *check)
{
	return ik_json_equal(check->keyword, check->value) || refuse_by(check, "%s");
}

static bool check_enum(const struct check *check)
{
	struct ik_buf wanted;

	for (struct ik_json_walk walk = ik_json_walk(check->keyword); ik_json_next(&walk);) {
		check->run->steps++;
		if (ik_json_equal(walk.value, check->value))
			return true;
	}
	ik_buf_init(&wanted, 300); /* text that does not fit is cut */
	for (struct ik_json_walk walk = ik_json_walk(check->keyword);
		 check->run->error && ik_json_next(&walk);) {
		char text[IK_EXCERPT];

		ik_excerpt(walk.value, text);
		ik_buf_printf(&wanted, "%s%s", wanted.length ? ", " : "", text);
	}
	refuse(check, _("must be one of: %s"),
		ik_buf_status(&wanted) == IK_OK ? wanted.data : _("the values in its enum"));
	ik_buf_done(&wanted);
	return false;
}

/* Numbers. */

static bool check_bound(const struct check *check)
{
	bool least = check->row->side > 0, exclusive = check->row->name[0] == 'e';
	long double value, bound;

	if (!ik_json_number(check->value, &value) || !ik_json_number(check->keyword, &bound) ||
		check->row->side * value > check->row->side * bound)
		return true;
	/* In draft 4, it is a flag next to the bound. */
	exclusive = exclusive ||
		ik_json_is_true(ik_json_member(check->schema,
			least ? "exclusiveMinimum" : "exclusiveMaximum"));
	if (exclusive)
		return refuse_by(check, least ? _("more than %s") : _("less than %s"));
	return value == bound || refuse_by(check, least ? _("at least %s") : _("at most %s"));
}

/* Is value a multiple of step? Both are at least 0 and may be rounded, since most decimals have no
 * exact binary form: 19.99 is a multiple of 0.01. */
static bool is_multiple(long double value, long double step)
{
	long double part = step, rest = value, slack = value * 2 * LDBL_EPSILON;

	while (part <= value / 2)
		part *= 2;
	for (; part >= step; part /= 2)
		if (rest >= part)
			rest -= part;
	if (slack > step / 8)
		slack = step / 8;
	return rest <= slack || step - rest <= slack;
}

static bool check_multiple_of(const struct check *check)
{
	long double value, step;

	if (!ik_json_number(check->value, &value) || !ik_json_number(check->keyword, &step) ||
		step <= 0 || isinf(step) || isinf(value))
		return true;
	return is_multiple(fabsl(value), step) || refuse_by(check, _(check->row->wanted));
}

/* Sizes and strings. */

/* Return the number of a string's characters, an array's elements or an object's members. */
static size_t size_of(struct ik_json_span value)
{
	size_t at = 0, count = 0;
	struct ik_buf piece;
	bool more;

	if (ik_json_span_type(value) != IK_JSON_STRING)
		return ik_json_count(value);
	ik_buf_init(&piece, IK_KIB(8));
	do {
		ik_buf_clear(&piece);
		more = ik_json_string_slice(value, &at, IK_KIB(4), &piece);
		count += ik_utf8_count(piece.data, piece.length);
	} while (more);
	ik_buf_done(&piece);
	return count;
}

static bool check_size(const struct check *check)
{
	int64_t bound, size;

	if (!ik_json_integer(check->keyword, &bound))
		return true;
	size = (int64_t)size_of(check->value);
	return (check->row->side > 0 ? size >= bound : size <= bound) ||
		refuse_by(check, _(check->row->wanted));
}

static enum ik_pattern_answer find_pattern(struct schema_check *run, struct ik_json_span pattern,
	struct ik_json_span string)
{
	enum ik_pattern_answer answer = ik_pattern_find(&run->patterns, pattern, string);

	run->unknown += answer == IK_PATTERN_UNKNOWN;
	return answer;
}

static bool check_pattern(const struct check *check)
{
	return ik_json_span_type(check->keyword) != IK_JSON_STRING ||
		find_pattern(check->run, check->keyword, check->value) != IK_PATTERN_DIFFERS ||
		refuse_by(check, _(check->row->wanted));
}

/* Arrays. */

static bool is_array(struct ik_json_span value)
{
	return ik_json_span_type(value) == IK_JSON_ARRAY;
}

/* Check the elements from index on against one schema. */
static bool check_elements(const struct check *check, size_t index)
{
	struct ik_place place = { .parent = check->place };

	for (struct ik_json_walk walk = ik_json_walk(check->value); ik_json_next(&walk);
		 place.index++) {
		if (place.index >= index && !schema_fits(check->run, check->keyword, walk.value, &place))
			return false;
	}
	return true;
}

static bool check_prefix_items(const struct check *check)
{
	struct ik_place place = { .parent = check->place };
	struct ik_json_walk schemas = ik_json_walk(check->keyword);

	for (struct ik_json_walk walk = ik_json_walk(check->value);
		 is_array(check->keyword) && ik_json_next(&schemas) && ik_json_next(&walk); place.index++) {
		if (!schema_fits(check->run, schemas.value, walk.value, &place))
			return false;
	}
	return true;
}

static bool check_items(const struct check *check)
{
	if (is_array(check->keyword)) /* before 2020-12 */
		return check_prefix_items(check);
	return check_elements(check, ik_json_count(ik_json_member(check->schema, "prefixItems")));
}

static bool check_additional_items(const struct check *check)
{
	struct ik_json_span items = ik_json_member(check->schema, "items");

	return !is_array(items) || check_elements(check, ik_json_count(items));
}

static bool check_unique_items(const struct check *check)
{
	struct ik_json_walk walk = ik_json_walk(check->value);

	if (!ik_json_is_true(check->keyword))
		return true;
	for (size_t index = 0; ik_json_next(&walk); index++) {
		struct ik_json_walk rest = walk;

		while (ik_json_next(&rest)) {
			check->run->steps++;
			if (is_spent(check->run))
				return true;
			if (ik_json_equal(walk.value, rest.value))
				return refuse(check, _("element %zu comes more than once"), index);
		}
	}
	return true;
}

static bool check_contains(const struct check *check)
{
	int64_t least = 1, most = INT64_MAX, count = 0, perhaps = 0;
	struct ik_place place = { .parent = check->place };

	ik_json_integer(ik_json_member(check->schema, "minContains"), &least);
	ik_json_integer(ik_json_member(check->schema, "maxContains"), &most);
	for (struct ik_json_walk walk = ik_json_walk(check->value); ik_json_next(&walk);
		 place.index++) {
		enum fit fit = try_schema(check->run, check->keyword, walk.value, &place);

		count += fit == FITS;
		perhaps += fit == FITS_PERHAPS;
	}
	if (is_spent(check->run) || (count + perhaps >= least && count <= most))
		return true;
	return refuse(check, _("%lld elements are as `contains` wants them, which are too %s"),
		(long long)count, count < least ? _("few") : _("many"));
}

/* Objects. */

static bool check_properties(const struct check *check)
{
	for (struct ik_json_walk walk = ik_json_walk(check->keyword); ik_json_next(&walk);) {
		struct ik_place place = { .parent = check->place, .name = walk.key };
		struct ik_json_span member = ik_json_member_named(check->value, walk.key);

		if (member.text && !schema_fits(check->run, walk.value, member, &place))
			return false;
	}
	return true;
}

static bool check_pattern_properties(const struct check *check)
{
	for (struct ik_json_walk patterns = ik_json_walk(check->keyword); ik_json_next(&patterns);)
		for (struct ik_json_walk walk = ik_json_walk(check->value); ik_json_next(&walk);) {
			struct ik_place place = { .parent = check->place, .name = walk.key };

			if (find_pattern(check->run, patterns.key, walk.key) == IK_PATTERN_MATCHES &&
				!schema_fits(check->run, patterns.value, walk.value, &place))
				return false;
		}
	return true;
}

/* Does properties or (possibly) patternProperties apply to a member? */
static bool is_covered(const struct check *check, struct ik_json_span name)
{
	struct ik_json_span patterns = ik_json_member(check->schema, "patternProperties");

	if (ik_json_member_named(ik_json_member(check->schema, "properties"), name).text)
		return true;
	for (struct ik_json_walk walk = ik_json_walk(patterns); ik_json_next(&walk);)
		if (find_pattern(check->run, walk.key, name) != IK_PATTERN_DIFFERS)
			return true;
	return false;
}

/* Reject a member whose name is not among the properties. */
static bool refuse_member(const struct check *check, struct ik_json_span name)
{
	struct ik_json_span properties = ik_json_member(check->schema, "properties");
	const char *text = shown(check, name), *nearest;
	char **names;
	size_t count = 0;

	if (!check->run->error)
		return false;
	names = ik_alloc_array(NULL, ik_json_count(properties), sizeof(*names));
	for (struct ik_json_walk walk = ik_json_walk(properties); ik_json_next(&walk);) {
		names[count] = ik_json_string_new(walk.key, NULL);
		if (names[count])
			count++;
	}
	nearest = ik_text_nearest(text, (const char *const *)names, count);
	if (nearest)
		refuse(check, _("the member \"%.80s\" is unknown; did you mean \"%.80s\"?"), text, nearest);
	else
		refuse(check, _("the member \"%.80s\" is unknown"), text);
	while (count > 0)
		free(names[--count]);
	free(names);
	return false;
}

static bool check_additional_properties(const struct check *check)
{
	bool none = ik_json_span_type(check->keyword) == IK_JSON_BOOL &&
		!ik_json_is_true(check->keyword);

	for (struct ik_json_walk walk = ik_json_walk(check->value); ik_json_next(&walk);) {
		struct ik_place place = { .parent = check->place, .name = walk.key };

		if (is_covered(check, walk.key))
			continue;
		if (none)
			return refuse_member(check, walk.key);
		if (!schema_fits(check->run, check->keyword, walk.value, &place))
			return false;
	}
	return true;
}

static bool check_property_names(const struct check *check)
{
	for (struct ik_json_walk walk = ik_json_walk(check->value); ik_json_next(&walk);)
		if (!schema_fits(check->run, check->keyword, walk.key, check->place))
			return false;
	return true;
}

/* Does an object have all members in a list? */
static bool check_members(const struct check *check, struct ik_json_span list)
{
	for (struct ik_json_walk walk = ik_json_walk(list); is_array(list) && ik_json_next(&walk);) {
		if (ik_json_span_type(walk.value) == IK_JSON_STRING &&
			!ik_json_member_named(check->value, walk.value).text)
			return refuse(check, _("the member \"%.80s\" is missing"), shown(check, walk.value));
	}
	return true;
}

static bool check_required(const struct check *check)
{
	return check_members(check, check->keyword);
}

static bool check_dependencies(const struct check *check)
{
	for (struct ik_json_walk walk = ik_json_walk(check->keyword); ik_json_next(&walk);) {
		if (!ik_json_member_named(check->value, walk.key).text)
			continue;
		if (is_array(walk.value) ? !check_members(check, walk.value)
								 : !schema_fits(check->run, walk.value, check->value, check->place))
			return false;
	}
	return true;
}

/* Combined schemas. */

static bool check_all_of(const struct check *check)
{
	for (struct ik_json_walk walk = ik_json_walk(check->keyword); ik_json_next(&walk);)
		if (!schema_fits(check->run, walk.value, check->value, check->place))
			return false;
	return true;
}

/* Report why no alternative matches, using the one that got furthest. */
static bool refuse_alternatives(const struct check *check)
{
	struct schema_check *run = check->run;
	struct ik_error *error = run->error, reason, best = { .text = "" };
	size_t best_depth = 0, depth = ik_place_depth(check->place);

	if (!error)
		return false;
	run->error = &reason;
	for (struct ik_json_walk walk = ik_json_walk(check->keyword); ik_json_next(&walk);) {
		run->error_depth = depth;
		if (!schema_fits(run, walk.value, check->value, check->place) &&
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
		ik_json_count(check->keyword), best.text);
}

/* Check anyOf (side 1: one match is enough) or oneOf (0: a second match is an error). */
static bool check_alternatives(const struct check *check)
{
	int count = 0, perhaps = 0;

	for (struct ik_json_walk walk = ik_json_walk(check->keyword);
		 count < 2 && ik_json_next(&walk);) {
		enum fit fit = try_schema(check->run, walk.value, check->value, check->place);

		if (check->row->side > 0 && fit != FITS_NOT)
			return true;
		count += fit == FITS;
		perhaps += fit == FITS_PERHAPS;
	}
	if (count == 1 || (count == 0 && perhaps > 0) || is_spent(check->run))
		return true;
	if (count == 0)
		return refuse_alternatives(check);
	return refuse(check, _("fits more than one of %zu alternatives; exactly one must fit"),
		ik_json_count(check->keyword));
}

static bool check_not(const struct check *check)
{
	return try_schema(check->run, check->keyword, check->value, check->place) != FITS ||
		is_spent(check->run) || refuse(check, _("is what `not` excludes"));
}

static bool check_if(const struct check *check)
{
	enum fit fit = try_schema(check->run, check->keyword, check->value, check->place);
	struct ik_json_span other = ik_json_member(check->schema, "else");

	if (fit == FITS_PERHAPS &&
		(!other.text || try_schema(check->run, other, check->value, check->place) != FITS_NOT))
		return true;
	if (fit != FITS_NOT)
		other = ik_json_member(check->schema, "then");
	return schema_fits(check->run, other, check->value, check->place);
}

static bool check_reference(const struct check *check)
{
	struct ik_json_span schema = ik_json_referred(check->run->root, check->keyword);

	/* Other references can't be resolved: ikigai fetches nothing and doesn't read anchors. */
	check->run->unknown += !schema.text;
	return schema_fits(check->run, schema, check->value, check->place);
}

/* Accept a keyword whose meaning is not checked. */
static bool check_unknown(const struct check *check)
{
	check->run->unknown++;
	return true;
}

#define ANY IK_JSON_NONE, 0, NULL
#define OF_ARRAY IK_JSON_ARRAY, 0, NULL
#define OF_OBJECT IK_JSON_OBJECT, 0, NULL

static const struct validate_keyword keywords[] = {
	/* sorted by name */
	{ "$dynamicRef", check_unknown, ANY },
	{ "$recursiveRef", check_unknown, ANY },
	{ "$ref", check_reference, ANY },
	{ "additionalItems", check_additional_items, OF_ARRAY },
	{ "additionalProperties", check_additional_properties, OF_OBJECT },
	{ "allOf", check_all_of, ANY },
	{ "anyOf", check_alternatives, IK_JSON_NONE, 1, NULL },
	{ "const", check_const, ANY },
	{ "contains", check_contains, OF_ARRAY },
	{ "dependencies", check_dependencies, OF_OBJECT },
	{ "dependentRequired", check_dependencies, OF_OBJECT },
	{ "dependentSchemas", check_dependencies, OF_OBJECT },
	{ "enum", check_enum, ANY },
	{ "exclusiveMaximum", check_bound, IK_JSON_NUMBER, -1, NULL },
	{ "exclusiveMinimum", check_bound, IK_JSON_NUMBER, 1, NULL },
	{ "if", check_if, ANY },
	{ "items", check_items, OF_ARRAY },
	{ "maxItems", check_size, IK_JSON_ARRAY, -1, N_("a list of at most %s") },
	{ "maxLength", check_size, IK_JSON_STRING, -1, N_("at most %s characters long") },
	{ "maxProperties", check_size, IK_JSON_OBJECT, -1, N_("an object with at most %s members") },
	{ "maximum", check_bound, IK_JSON_NUMBER, -1, NULL },
	{ "minItems", check_size, IK_JSON_ARRAY, 1, N_("a list of at least %s") },
	{ "minLength", check_size, IK_JSON_STRING, 1, N_("at least %s characters long") },
	{ "minProperties", check_size, IK_JSON_OBJECT, 1, N_("an object with at least %s members") },
	{ "minimum", check_bound, IK_JSON_NUMBER, 1, NULL },
	{ "multipleOf", check_multiple_of, IK_JSON_NUMBER, 0, N_("a multiple of %s") },
	{ "not", check_not, ANY },
	{ "oneOf", check_alternatives, ANY },
	{ "pattern", check_pattern, IK_JSON_STRING, 0, N_("a string that matches the pattern %s") },
	{ "patternProperties", check_pattern_properties, OF_OBJECT },
	{ "prefixItems", check_prefix_items, OF_ARRAY },
	{ "properties", check_properties, OF_OBJECT },
	{ "propertyNames", check_property_names, OF_OBJECT },
	{ "required", check_required, OF_OBJECT },
	{ "type", check_type, ANY },
	{ "unevaluatedItems", check_unknown, ANY },
	{ "unevaluatedProperties", check_unknown, ANY },
	{ "uniqueItems", check_unique_items, OF_ARRAY },
};

/* Check every keyword of a schema that is an object. */
static bool fits_object(struct schema_check *run, struct ik_json_span schema, bool reference_alone,
	struct ik_json_span value, const struct ik_place *place)
{
	struct check check = { .run = run, .schema = schema, .value = value, .place = place };

	for (struct ik_json_walk walk = ik_json_walk(schema); ik_json_next(&walk);) {
		check.keyword = walk.value;
		check.row = ik_keyword_find(walk.key, keywords, sizeof(keywords) / sizeof(keywords[0]),
			sizeof(keywords[0]));
		if (!check.row || (reference_alone && check.row->check != check_reference) ||
			(check.row->type != IK_JSON_NONE && check.row->type != ik_json_span_type(value)))
			continue;
		if (!check.row->check(&check))
			return false;
	}
	return true;
}

/* Does a schema have its own name, so that references in it are relative to it? A fragment only
 * names a place. */
static bool is_resource(const struct schema_check *run, struct ik_json_span schema)
{
	struct ik_json_span id = ik_json_member(schema, run->id);

	return ik_json_span_type(id) == IK_JSON_STRING && id.text[1] != '#';
}

static bool schema_fits(struct schema_check *run, struct ik_json_span schema,
	struct ik_json_span value, const struct ik_place *place)
{
	struct check check = { .run = run, .place = place };
	struct ik_json_span around = run->root;
	bool reference_alone, fits;

	if (ik_json_span_type(schema) == IK_JSON_BOOL)
		return ik_json_is_true(schema) || refuse(&check, _("nothing is allowed here"));
	if (ik_json_span_type(schema) != IK_JSON_OBJECT)
		return true;
	run->steps++;
	if (run->depth > DEPTH_LIMIT)
		run->steps = STEP_LIMIT + 1; /* accept everything if references nest too deep */
	if (is_spent(run))
		return true;
	reference_alone = run->reference_alone && ik_json_member(schema, "$ref").text;
	if (!reference_alone && is_resource(run, schema))
		run->root = schema;
	run->depth++;
	fits = fits_object(run, schema, reference_alone, value, place);
	run->depth--;
	run->root = around;
	return fits;
}

/* Read what differs in older drafts. */
static void read_draft(struct schema_check *run)
{
	char *draft = ik_json_string_new(ik_json_member(run->root, "$schema"), NULL);
	bool with_id = draft && (strstr(draft, "draft-03") || strstr(draft, "draft-04"));

	run->id = with_id ? "id" : "$id";
	run->reference_alone = with_id ||
		(draft && (strstr(draft, "draft-06") || strstr(draft, "draft-07")));
	free(draft);
}

enum ik_status ik_schema_validate(struct ik_json_span root, struct ik_json_span schema,
	struct ik_json_span value, struct ik_error *error)
{
	struct schema_check run = { .root = root, .error = error };
	bool fits;

	read_draft(&run);
	fits = schema_fits(&run, schema, value, NULL);
	ik_patterns_done(&run.patterns);
	free(run.shown);
	return fits || is_spent(&run) ? IK_OK : IK_INVALID;
}
