/* The half of json/schema.h that checks values. */
#include "json/schema.h"

#include <stdlib.h>
#include <string.h>

#include "json/keyword.h"
#include "json/reference.h"
#include "util/text.h"

/*
 * Bounds on a schema that calls itself: how deep, and how many schemas and
 * comparisons in all (a second or so).  Beyond them everything is accepted;
 * the tool sees its arguments anyway.
 */
#define DEPTH_LIMIT 1200
#define STEP_LIMIT 1000000

bool ik_validation_is_spent(const struct ik_validation *run)
{
	return run->steps > STEP_LIMIT;
}

enum ik_fit ik_validation_try(struct ik_validation *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place)
{
	struct ik_error *error = run->error;
	size_t unknown = run->unknown;
	bool fits;

	run->error = NULL;
	fits = ik_validation_fits(run, schema, value, place);
	run->error = error;
	if (!fits)
		return IK_FITS_NOT;
	return run->unknown == unknown ? IK_FITS : IK_FITS_PERHAPS;
}

bool ik_validation_fits_quietly(struct ik_validation *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place)
{
	return ik_validation_try(run, schema, value, place) != IK_FITS_NOT;
}

static bool check_all_of(const struct ik_check *check)
{
	const struct ik_json *schema;

	for (schema = ik_json_first(check->keyword); schema; schema = ik_json_sibling(schema)) {
		if (!ik_validation_fits(check->run, schema, check->value, check->place))
			return false;
	}
	return true;
}

/* How many of the alternatives fit, in *ret_perhaps how many may; 2 stands for all that are
 * more than one. */
static int count_fitting(const struct ik_check *check, int *ret_perhaps)
{
	const struct ik_json *schema = ik_json_first(check->keyword);
	int count = 0;

	*ret_perhaps = 0;
	for (; schema && count < 2; schema = ik_json_sibling(schema)) {
		enum ik_fit fit = ik_validation_try(check->run, schema, check->value, check->place);

		count += fit == IK_FITS;
		*ret_perhaps += fit == IK_FITS_PERHAPS;
	}
	return count;
}

/* Say why none of the alternatives fits: why the one does not that came the furthest. */
static bool refuse_alternatives(const struct ik_check *check)
{
	struct ik_validation *run = check->run;
	struct ik_error *error = run->error, reason, best = { .text = "" };
	size_t best_depth = 0, depth = ik_place_depth(check->place);
	const struct ik_json *schema = ik_json_first(check->keyword);

	if (!error)
		return false;
	run->error = &reason;
	for (; schema; schema = ik_json_sibling(schema)) {
		run->error_depth = depth;
		if (!ik_validation_fits(run, schema, check->value, check->place) &&
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
	return ik_check_refuse(check, _("fits none of %zu alternatives; the first: %s"),
		ik_json_size(check->keyword), best.text);
}

static bool check_any_of(const struct ik_check *check)
{
	const struct ik_json *schema = ik_json_first(check->keyword);

	for (; schema; schema = ik_json_sibling(schema)) {
		if (ik_validation_fits_quietly(check->run, schema, check->value, check->place))
			return true;
	}
	return refuse_alternatives(check);
}

static bool check_one_of(const struct ik_check *check)
{
	int perhaps, count = count_fitting(check, &perhaps);

	if (count == 1 || (count == 0 && perhaps > 0) || ik_validation_is_spent(check->run))
		return true;
	if (count == 0)
		return refuse_alternatives(check);
	return ik_check_refuse(check, _("fits more than one of %zu alternatives; exactly one must fit"),
		ik_json_size(check->keyword));
}

static bool check_not(const struct ik_check *check)
{
	return ik_validation_try(check->run, check->keyword, check->value, check->place) != IK_FITS ||
		ik_validation_is_spent(check->run) || ik_check_refuse(check, _("is what `not` excludes"));
}

static bool check_if(const struct ik_check *check)
{
	enum ik_fit fit = ik_validation_try(check->run, check->keyword, check->value, check->place);
	const struct ik_json *schema = ik_json_get(check->schema, fit == IK_FITS_NOT ? "else" : "then");
	const struct ik_json *other = ik_json_get(check->schema, "else");

	if (fit == IK_FITS_PERHAPS &&
		(!other || ik_validation_fits_quietly(check->run, other, check->value, check->place)))
		return true;
	return !schema || ik_validation_fits(check->run, schema, check->value, check->place);
}

static bool check_reference(const struct ik_check *check)
{
	const char *reference = ik_json_text(check->keyword);
	const struct ik_json *resource = check->run->resource, *schema;
	bool fits;

	/* What is elsewhere cannot be known: nothing is fetched. */
	schema = reference ? ik_reference_find(resource, reference, &check->run->resource) : NULL;
	check->run->unknown += !schema;
	fits = !schema || ik_validation_fits(check->run, schema, check->value, check->place);
	check->run->resource = resource;
	return fits;
}

/* A keyword that says something which is not judged. */
static bool check_unknown(const struct ik_check *check)
{
	check->run->unknown++;
	return true;
}

/* Sorted by name. */
static const struct validate_keyword {
	const char *name;
	bool (*check)(const struct ik_check *check);
} keywords[] = {
	{ "$dynamicRef", check_unknown },
	{ "$recursiveRef", check_unknown },
	{ "$ref", check_reference },
	{ "additionalItems", ik_check_additional_items },
	{ "additionalProperties", ik_check_additional_properties },
	{ "allOf", check_all_of },
	{ "anyOf", check_any_of },
	{ "const", ik_check_const },
	{ "contains", ik_check_contains },
	{ "dependencies", ik_check_dependencies },
	{ "dependentRequired", ik_check_dependencies },
	{ "dependentSchemas", ik_check_dependencies },
	{ "enum", ik_check_enum },
	{ "exclusiveMaximum", ik_check_exclusive_maximum },
	{ "exclusiveMinimum", ik_check_exclusive_minimum },
	{ "if", check_if },
	{ "items", ik_check_items },
	{ "maxItems", ik_check_max_items },
	{ "maxLength", ik_check_max_length },
	{ "maxProperties", ik_check_max_properties },
	{ "maximum", ik_check_maximum },
	{ "minItems", ik_check_min_items },
	{ "minLength", ik_check_min_length },
	{ "minProperties", ik_check_min_properties },
	{ "minimum", ik_check_minimum },
	{ "multipleOf", ik_check_multiple_of },
	{ "not", check_not },
	{ "oneOf", check_one_of },
	{ "pattern", ik_check_pattern },
	{ "patternProperties", ik_check_pattern_properties },
	{ "prefixItems", ik_check_prefix_items },
	{ "properties", ik_check_properties },
	{ "propertyNames", ik_check_property_names },
	{ "required", ik_check_required },
	{ "type", ik_check_type },
	{ "unevaluatedItems", check_unknown },
	{ "unevaluatedProperties", check_unknown },
	{ "uniqueItems", ik_check_unique_items },
};

static int compare_name(const void *name, const void *keyword)
{
	return strcmp(name, ((const struct validate_keyword *)keyword)->name);
}

/* Check every keyword of a schema that is an object. */
static bool fits_object(struct ik_validation *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place)
{
	bool reference_alone = run->reference_alone && ik_json_get(schema, "$ref");
	struct ik_check check = { run, schema, NULL, value, place };

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

bool ik_validation_fits(struct ik_validation *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place)
{
	const struct ik_json *resource = run->resource;
	struct ik_check check = { run, schema, NULL, value, place };
	bool fits;

	if (ik_json_type(schema) == IK_JSON_BOOL)
		return ik_json_is_true(schema) || ik_check_refuse(&check, _("nothing is allowed here"));
	if (ik_json_type(schema) != IK_JSON_OBJECT)
		return true;
	run->steps++;
	if (run->depth > DEPTH_LIMIT)
		run->steps = STEP_LIMIT + 1; /* what cannot be followed to its end is not judged at all */
	if (ik_validation_is_spent(run))
		return true;
	if (ik_reference_is_resource(schema) && !(run->reference_alone && ik_json_get(schema, "$ref")))
		run->resource = schema;
	run->depth++;
	fits = fits_object(run, schema, value, place);
	run->depth--;
	run->resource = resource;
	return fits;
}

/* Is a schema written for a draft in which $ref stands alone? */
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
	struct ik_validation run = { .resource = schema, .error = error };
	bool fits;

	run.reference_alone = is_old_draft(schema);
	fits = ik_validation_fits(&run, schema, value, NULL);
	ik_patterns_done(&run.patterns);
	return fits || ik_validation_is_spent(&run) ? IK_OK : IK_INVALID;
}
