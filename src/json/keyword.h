/*
 * keyword: the keywords of JSON Schema, one function each.
 *
 * Private to json: validate.c calls them by its table; keyword_scalar.c and
 * keyword_container.c hold them.  May include: json.
 */
#ifndef IK_JSON_KEYWORD_H
#define IK_JSON_KEYWORD_H

#include "json/json.h"
#include "json/pattern.h"
#include "json/place.h"

/* One validation. */
struct ik_validation {
	const struct ik_json *resource; /* what local references start from */
	struct ik_error *error;         /* NULL: nobody wants to know why */
	size_t error_depth;             /* of the place of the last error */
	struct ik_patterns patterns;
	size_t depth, steps;  /* spent, see validate.c */
	size_t unknown;       /* how often something was accepted unjudged */
	bool reference_alone; /* draft 7 and before: nothing counts beside $ref */
};

/* What a keyword's function is called with. */
struct ik_check {
	struct ik_validation *run;
	const struct ik_json *schema;  /* that the keyword is in */
	const struct ik_json *keyword; /* its value */
	const struct ik_json *value;   /* what is checked */
	const struct ik_place *place;  /* of value */
};

/* Does value fit schema (an object, true or false)? If not, the error of run says why. */
bool ik_validation_fits(struct ik_validation *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place);

/*
 * What cannot be judged is accepted; that must not turn into a refusal where
 * fitting counts against the value (`not`, a second alternative of `oneOf`).
 */
enum ik_fit { IK_FITS_NOT, IK_FITS_PERHAPS, IK_FITS };

/* The same where an answer no is no failure: the error is not touched. */
enum ik_fit ik_validation_try(struct ik_validation *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place);
bool ik_validation_fits_quietly(struct ik_validation *run, const struct ik_json *schema,
	const struct ik_json *value, const struct ik_place *place);

/* Has the validation spent what it may? Then everything is accepted. */
bool ik_validation_is_spent(const struct ik_validation *run);

/* Say why the value does not fit. All of these return false. */
bool ik_check_refuse(const struct ik_check *check, const char *format, ...) IK_PRINTF(2, 3);
/* Say what the value is and what it must be ("a string"). */
bool ik_check_refuse_value(const struct ik_check *check, const char *wanted);
/* The same where the keyword's value is part of what is wanted: it replaces the one %s of text,
 * as in "at least %s". */
bool ik_check_refuse_by(const struct ik_check *check, const char *text);

/* Is a count within the bound that the keyword's value is? */
bool ik_check_within(const struct ik_check *check, size_t count, bool is_maximum);

/* Is pattern found in a string node? */
enum ik_pattern_answer ik_check_find(struct ik_validation *run, const char *pattern,
	const struct ik_json *string);

bool ik_check_type(const struct ik_check *check);
bool ik_check_const(const struct ik_check *check);
bool ik_check_enum(const struct ik_check *check);
bool ik_check_minimum(const struct ik_check *check);
bool ik_check_maximum(const struct ik_check *check);
bool ik_check_exclusive_minimum(const struct ik_check *check);
bool ik_check_exclusive_maximum(const struct ik_check *check);
bool ik_check_multiple_of(const struct ik_check *check);
bool ik_check_min_length(const struct ik_check *check);
bool ik_check_max_length(const struct ik_check *check);
bool ik_check_pattern(const struct ik_check *check);

bool ik_check_items(const struct ik_check *check);
bool ik_check_prefix_items(const struct ik_check *check);
bool ik_check_additional_items(const struct ik_check *check);
bool ik_check_min_items(const struct ik_check *check);
bool ik_check_max_items(const struct ik_check *check);
bool ik_check_unique_items(const struct ik_check *check);
bool ik_check_contains(const struct ik_check *check);
bool ik_check_properties(const struct ik_check *check);
bool ik_check_pattern_properties(const struct ik_check *check);
bool ik_check_additional_properties(const struct ik_check *check);
bool ik_check_property_names(const struct ik_check *check);
bool ik_check_required(const struct ik_check *check);
bool ik_check_dependencies(const struct ik_check *check);
bool ik_check_min_properties(const struct ik_check *check);
bool ik_check_max_properties(const struct ik_check *check);

#endif
