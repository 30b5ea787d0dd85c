/* The keywords of json/keyword.h that look into arrays and objects. */
#include "json/keyword.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/text.h"

/* Arrays. */

static bool is_array(const struct ik_json *value)
{
	return ik_json_type(value) == IK_JSON_ARRAY;
}

/* Check the elements from index on against one schema. */
static bool check_elements(const struct ik_check *check, size_t index, const struct ik_json *schema)
{
	struct ik_place place = { check->place, NULL, 0 };
	const struct ik_json *element;

	for (element = ik_json_first(check->value); element; element = ik_json_sibling(element)) {
		if (place.index >= index && !ik_validation_fits(check->run, schema, element, &place))
			return false;
		place.index++;
	}
	return true;
}

bool ik_check_prefix_items(const struct ik_check *check)
{
	struct ik_place place = { check->place, NULL, 0 };
	const struct ik_json *schema, *element;

	if (!is_array(check->value) || !is_array(check->keyword))
		return true;
	schema = ik_json_first(check->keyword);
	element = ik_json_first(check->value);
	while (schema && element) {
		if (!ik_validation_fits(check->run, schema, element, &place))
			return false;
		schema = ik_json_sibling(schema);
		element = ik_json_sibling(element);
		place.index++;
	}
	return true;
}

bool ik_check_items(const struct ik_check *check)
{
	if (is_array(check->keyword)) /* before 2020-12 */
		return ik_check_prefix_items(check);
	if (!is_array(check->value))
		return true;
	return check_elements(check, ik_json_size(ik_json_get(check->schema, "prefixItems")),
		check->keyword);
}

bool ik_check_additional_items(const struct ik_check *check)
{
	const struct ik_json *items = ik_json_get(check->schema, "items");

	if (!is_array(check->value) || !is_array(items))
		return true;
	return check_elements(check, ik_json_size(items), check->keyword);
}

bool ik_check_min_items(const struct ik_check *check)
{
	return !is_array(check->value) || ik_check_within(check, ik_json_size(check->value), false) ||
		ik_check_refuse_by(check, _("a list of at least %s"));
}

bool ik_check_max_items(const struct ik_check *check)
{
	return !is_array(check->value) || ik_check_within(check, ik_json_size(check->value), true) ||
		ik_check_refuse_by(check, _("a list of at most %s"));
}

bool ik_check_unique_items(const struct ik_check *check)
{
	const struct ik_json *one, *other;
	size_t index = 0;

	if (!is_array(check->value) || !ik_json_is_true(check->keyword))
		return true;
	for (one = ik_json_first(check->value); one; one = ik_json_sibling(one), index++) {
		for (other = ik_json_sibling(one); other; other = ik_json_sibling(other)) {
			check->run->steps++;
			if (ik_validation_is_spent(check->run))
				return true;
			if (ik_json_equal(one, other))
				return ik_check_refuse(check, _("element %zu comes more than once"), index);
		}
	}
	return true;
}

bool ik_check_contains(const struct ik_check *check)
{
	int64_t least = 1, most = INT64_MAX, count = 0, perhaps = 0;
	struct ik_place place = { check->place, NULL, 0 };
	const struct ik_json *element;

	if (!is_array(check->value))
		return true;
	ik_json_whole(ik_json_get(check->schema, "minContains"), &least);
	ik_json_whole(ik_json_get(check->schema, "maxContains"), &most);
	for (element = ik_json_first(check->value); element; element = ik_json_sibling(element)) {
		enum ik_fit fit = ik_validation_try(check->run, check->keyword, element, &place);

		count += fit == IK_FITS;
		perhaps += fit == IK_FITS_PERHAPS;
		place.index++;
	}
	if (ik_validation_is_spent(check->run) || (count + perhaps >= least && count <= most))
		return true;
	return ik_check_refuse(check, _("%lld elements are as `contains` wants them, which are too %s"),
		(long long)count, count < least ? _("few") : _("many"));
}

/* Objects. */

static bool is_object(const struct ik_json *value)
{
	return ik_json_type(value) == IK_JSON_OBJECT;
}

bool ik_check_properties(const struct ik_check *check)
{
	const struct ik_json *schema, *member;

	if (!is_object(check->value))
		return true;
	for (schema = ik_json_first(check->keyword); schema; schema = ik_json_sibling(schema)) {
		struct ik_place place = { check->place, ik_json_name(schema), 0 };

		member = ik_json_get(check->value, place.name);
		if (member && !ik_validation_fits(check->run, schema, member, &place))
			return false;
	}
	return true;
}

/* Does a member's name match a pattern? */
static enum ik_pattern_answer match_name(const struct ik_check *check, const char *pattern,
	const char *name)
{
	struct ik_json *text = ik_json_new_text(name);
	enum ik_pattern_answer answer = ik_check_find(check->run, pattern, text);

	ik_json_free(text);
	return answer;
}

bool ik_check_pattern_properties(const struct ik_check *check)
{
	const struct ik_json *schema, *member;

	if (!is_object(check->value))
		return true;
	for (schema = ik_json_first(check->keyword); schema; schema = ik_json_sibling(schema)) {
		for (member = ik_json_first(check->value); member; member = ik_json_sibling(member)) {
			struct ik_place place = { check->place, ik_json_name(member), 0 };

			if (match_name(check, ik_json_name(schema), place.name) == IK_PATTERN_MATCHES &&
				!ik_validation_fits(check->run, schema, member, &place))
				return false;
		}
	}
	return true;
}

/* Is a member dealt with by properties or (perhaps) by patternProperties? */
static bool is_covered(const struct ik_check *check, const char *name)
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

/* Refuse a member that no property has the name of. */
static bool refuse_member(const struct ik_check *check, const char *name)
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
		ik_check_refuse(check, _("the member \"%.80s\" is unknown; did you mean \"%.80s\"?"), name,
			nearest);
	else
		ik_check_refuse(check, _("the member \"%.80s\" is unknown"), name);
	free(names);
	return false;
}

bool ik_check_additional_properties(const struct ik_check *check)
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
		if (!ik_validation_fits(check->run, check->keyword, member, &place))
			return false;
	}
	return true;
}

bool ik_check_property_names(const struct ik_check *check)
{
	const struct ik_json *member;
	bool fits = true;

	if (!is_object(check->value))
		return true;
	for (member = ik_json_first(check->value); member && fits; member = ik_json_sibling(member)) {
		struct ik_json *name = ik_json_new_text(ik_json_name(member));

		fits = ik_validation_fits(check->run, check->keyword, name, check->place);
		ik_json_free(name);
	}
	return fits;
}

/* Does an object have all members of a list? */
static bool check_members(const struct ik_check *check, const struct ik_json *list)
{
	for (const struct ik_json *name = ik_json_first(list); name; name = ik_json_sibling(name)) {
		const char *text = ik_json_text(name);

		if (text && !ik_json_get(check->value, text))
			return ik_check_refuse(check, _("the member \"%.80s\" is missing"), text);
	}
	return true;
}

bool ik_check_required(const struct ik_check *check)
{
	return !is_object(check->value) || !is_array(check->keyword) ||
		check_members(check, check->keyword);
}

bool ik_check_dependencies(const struct ik_check *check)
{
	const struct ik_json *rule;

	if (!is_object(check->value))
		return true;
	for (rule = ik_json_first(check->keyword); rule; rule = ik_json_sibling(rule)) {
		if (!ik_json_get(check->value, ik_json_name(rule)))
			continue;
		if (is_array(rule) ? !check_members(check, rule)
						   : !ik_validation_fits(check->run, rule, check->value, check->place))
			return false;
	}
	return true;
}

bool ik_check_min_properties(const struct ik_check *check)
{
	return !is_object(check->value) || ik_check_within(check, ik_json_size(check->value), false) ||
		ik_check_refuse_by(check, _("an object with at least %s members"));
}

bool ik_check_max_properties(const struct ik_check *check)
{
	return !is_object(check->value) || ik_check_within(check, ik_json_size(check->value), true) ||
		ik_check_refuse_by(check, _("an object with at most %s members"));
}
