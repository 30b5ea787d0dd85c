#include "json/schema.h"

#include <stdlib.h>
#include <string.h>

#include "json/place.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* JSON types as a set. */
#define TYPE(type) (1u << (type))
#define OBJECT TYPE(IK_JSON_OBJECT)
#define ARRAY TYPE(IK_JSON_ARRAY)
#define STRING TYPE(IK_JSON_STRING)
#define NUMBER TYPE(IK_JSON_NUMBER)
#define BOOL TYPE(IK_JSON_BOOL)

/* Where a keyword's value contains schemas. */
enum inside {
	NOTHING,
	A_SCHEMA,       /* the value is one (or a list of them) */
	SCHEMAS_BY_NAME /* its members are */
};

/* What a keyword's value must be, in words and as types. */
static const struct schema_keyword {
	const char *name;
	unsigned types;
	enum inside inside;
	const char *wanted;
} keywords[] = {
	/* sorted by name */
	{ "$defs", OBJECT, SCHEMAS_BY_NAME, N_("an object") },
	{ "$ref", STRING, NOTHING, N_("a string") },
	{ "additionalItems", OBJECT | BOOL, A_SCHEMA, N_("a schema, true or false") },
	{ "additionalProperties", OBJECT | BOOL, A_SCHEMA, N_("a schema, true or false") },
	{ "allOf", ARRAY, A_SCHEMA, N_("a list of schemas") },
	{ "anyOf", ARRAY, A_SCHEMA, N_("a list of schemas") },
	{ "contains", OBJECT | BOOL, A_SCHEMA, N_("a schema, true or false") },
	{ "definitions", OBJECT, SCHEMAS_BY_NAME, N_("an object") },
	{ "dependentSchemas", OBJECT, SCHEMAS_BY_NAME, N_("an object") },
	{ "description", STRING, NOTHING, N_("a string") },
	{ "else", OBJECT | BOOL, A_SCHEMA, N_("a schema, true or false") },
	{ "enum", ARRAY, NOTHING, N_("a list of values") },
	{ "exclusiveMaximum", NUMBER | BOOL, NOTHING, N_("a number") },
	{ "exclusiveMinimum", NUMBER | BOOL, NOTHING, N_("a number") },
	{ "if", OBJECT | BOOL, A_SCHEMA, N_("a schema, true or false") },
	{ "items", OBJECT | BOOL | ARRAY, A_SCHEMA, N_("a schema") },
	{ "maxItems", NUMBER, NOTHING, N_("a number") },
	{ "maxLength", NUMBER, NOTHING, N_("a number") },
	{ "maxProperties", NUMBER, NOTHING, N_("a number") },
	{ "maximum", NUMBER, NOTHING, N_("a number") },
	{ "minItems", NUMBER, NOTHING, N_("a number") },
	{ "minLength", NUMBER, NOTHING, N_("a number") },
	{ "minProperties", NUMBER, NOTHING, N_("a number") },
	{ "minimum", NUMBER, NOTHING, N_("a number") },
	{ "multipleOf", NUMBER, NOTHING, N_("a number") },
	{ "not", OBJECT | BOOL, A_SCHEMA, N_("a schema, true or false") },
	{ "oneOf", ARRAY, A_SCHEMA, N_("a list of schemas") },
	{ "pattern", STRING, NOTHING, N_("a string") },
	{ "patternProperties", OBJECT, SCHEMAS_BY_NAME, N_("an object") },
	{ "prefixItems", ARRAY, A_SCHEMA, N_("a list of schemas") },
	{ "properties", OBJECT, SCHEMAS_BY_NAME, N_("an object") },
	{ "propertyNames", OBJECT | BOOL, A_SCHEMA, N_("a schema, true or false") },
	{ "required", ARRAY, NOTHING, N_("a list of names") },
	{ "then", OBJECT | BOOL, A_SCHEMA, N_("a schema, true or false") },
	{ "type", STRING | ARRAY, NOTHING, N_("a string or a list of strings") },
};

static const char *const type_names[] = { "string", "number", "integer", "boolean", "array",
	"object", "null" };
#define TYPE_NAMES (sizeof(type_names) / sizeof(type_names[0]))

static bool settle_schema(struct ik_json *schema, const struct ik_place *place,
	struct ik_error *error);

/* A child and its sort key: a member's name, or the text of an element. */
struct schema_child {
	const char *key;
	size_t index;
	struct ik_json *node;
};

static int compare_children(const void *one, const void *other)
{
	const struct schema_child *a = one, *b = other;
	int order = strcmp(a->key, b->key);

	return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* Remove every child whose key an earlier one has: only the first counts. They are sorted because a
 * tool may have thousands. Elements that are not text have no key. */
static void drop_duplicates(struct ik_json *container)
{
	bool named = ik_json_type(container) == IK_JSON_OBJECT;
	size_t size = ik_json_size(container), count = 0;
	struct schema_child *children;

	if (size < 2)
		return;
	children = ik_alloc_array(NULL, size, sizeof(*children));
	for (struct ik_json *node = ik_json_first(container); node; node = ik_json_sibling(node)) {
		const char *key = named ? ik_json_name(node) : ik_json_text(node);

		if (key) {
			children[count] = (struct schema_child){ key, count, node };
			count++;
		}
	}
	qsort(children, count, sizeof(*children), compare_children);
	for (size_t i = count; i-- > 1;) {
		if (ik_text_equal(children[i].key, children[i - 1].key))
			ik_json_free(ik_json_detach(container, children[i].node));
	}
	free(children);
}

/* Return the type that a word was probably meant to be, or NULL. */
static const char *nearest_type(const char *word)
{
	for (size_t i = 0; i < TYPE_NAMES; i++) {
		if (strlen(word) >= 3 && ik_text_starts(type_names[i], word))
			return type_names[i];
	}
	return ik_text_nearest(word, type_names, TYPE_NAMES);
}

/* Is a value of `type` a known word? */
static bool check_type_name(const struct ik_json *name, const struct ik_place *place,
	struct ik_error *error)
{
	const char *text = ik_json_text(name), *nearest;
	char found[IK_EXCERPT];

	for (size_t i = 0; text && i < TYPE_NAMES; i++) {
		if (ik_text_equal(text, type_names[i]))
			return true;
	}
	ik_excerpt(name, found);
	nearest = text ? nearest_type(text) : NULL;
	if (nearest)
		return ik_place_refuse(place, error,
			_("%s is no type that JSON Schema knows; did you mean \"%s\"?"), found, nearest);
	return ik_place_refuse(place, error,
		_("%s is no type that JSON Schema knows (string, number, "
		  "integer, boolean, array, object, null)"),
		found);
}

/* Are all elements of a list strings? */
static bool check_names(const struct ik_json *list, const struct ik_place *place,
	struct ik_error *error)
{
	struct ik_place inner = { place, NULL, 0 };

	for (const struct ik_json *name = ik_json_first(list); name; name = ik_json_sibling(name)) {
		char found[IK_EXCERPT];

		if (ik_json_type(name) != IK_JSON_STRING) {
			ik_excerpt(name, found);
			return ik_place_refuse(&inner, error, _("is %s, but must be a string"), found);
		}
		inner.index++;
	}
	return true;
}

/* Check `type`: a word or a list of words. */
static bool check_types(const struct ik_json *type, const struct ik_place *place,
	struct ik_error *error)
{
	struct ik_place inner = { place, NULL, 0 };

	if (ik_json_type(type) == IK_JSON_STRING)
		return check_type_name(type, place, error);
	for (const struct ik_json *name = ik_json_first(type); name; name = ik_json_sibling(name)) {
		if (!check_type_name(name, &inner, error))
			return false;
		inner.index++;
	}
	return true;
}

/* Normalise what is in the place of a schema: an object, or true or false. */
static bool settle_place(struct ik_json *schema, const struct ik_place *place,
	struct ik_error *error)
{
	char found[IK_EXCERPT];

	if (ik_json_type(schema) == IK_JSON_OBJECT)
		return settle_schema(schema, place, error);
	if (ik_json_type(schema) == IK_JSON_BOOL)
		return true;
	ik_excerpt(schema, found);
	return ik_place_refuse(place, error, _("is %s, but must be a schema (an object)"), found);
}

/* Normalise each child of a container. */
static bool settle_children(struct ik_json *container, const struct ik_place *place,
	struct ik_error *error)
{
	struct ik_place inner = { place, NULL, 0 };

	if (ik_json_type(container) == IK_JSON_OBJECT)
		drop_duplicates(container);
	for (struct ik_json *child = ik_json_first(container); child; child = ik_json_sibling(child)) {
		inner.name = ik_json_name(child);
		if (!settle_place(child, &inner, error))
			return false;
		inner.index++;
	}
	return true;
}

/* Check a keyword's value and normalise the schemas inside it. */
static bool settle_keyword(const struct schema_keyword *keyword, struct ik_json *value,
	const struct ik_place *place, struct ik_error *error)
{
	char found[IK_EXCERPT];

	if (!(keyword->types & TYPE(ik_json_type(value)))) {
		ik_excerpt(value, found);
		return ik_place_refuse(place, error, _("is %s, but must be %s"), found, _(keyword->wanted));
	}
	if (ik_text_equal(keyword->name, "type"))
		return check_types(value, place, error);
	if (ik_text_equal(keyword->name, "required"))
		return check_names(value, place, error);
	if (keyword->inside == NOTHING)
		return true;
	if (keyword->inside == SCHEMAS_BY_NAME || ik_json_type(value) == IK_JSON_ARRAY)
		return settle_children(value, place, error);
	return settle_place(value, place, error);
}

/* Move a property's own "required": true to the list beside the properties, which is created on
 * first use. */
static void lift_required(struct ik_json *schema, struct ik_json **list, struct ik_json *property)
{
	struct ik_json *mark = ik_json_get(property, "required");

	if (ik_json_type(mark) != IK_JSON_BOOL)
		return;
	if (ik_json_is_true(mark)) {
		if (!*list) {
			*list = ik_json_new_array();
			ik_json_add(schema, "required", *list);
		}
		ik_json_append(*list, ik_json_new_text(ik_json_name(property)));
	}
	ik_json_remove(property, "required");
}

/* Move the `required` flags of a schema's properties to its list of names. */
static void gather_required(struct ik_json *schema)
{
	struct ik_json *list = ik_json_get(schema, "required");
	struct ik_json *properties = ik_json_get(schema, "properties");
	size_t before = ik_json_size(list);

	if (list && ik_json_type(list) != IK_JSON_ARRAY)
		return;
	if (ik_json_type(properties) == IK_JSON_OBJECT)
		drop_duplicates(properties);
	for (struct ik_json *child = ik_json_first(properties); child; child = ik_json_sibling(child))
		lift_required(schema, &list, child);
	if (ik_json_size(list) > before && before > 0)
		drop_duplicates(list);
	if (list && !ik_json_first(list))
		ik_json_remove(schema, "required");
}

static int compare_keyword(const void *name, const void *keyword)
{
	return strcmp(name, ((const struct schema_keyword *)keyword)->name);
}

/* Normalise a schema and check it, with everything in it. */
static bool settle_schema(struct ik_json *schema, const struct ik_place *place,
	struct ik_error *error)
{
	drop_duplicates(schema);
	gather_required(schema);
	for (struct ik_json *value = ik_json_first(schema); value; value = ik_json_sibling(value)) {
		const struct schema_keyword *keyword = bsearch(ik_json_name(value), keywords,
			sizeof(keywords) / sizeof(keywords[0]), sizeof(keywords[0]), compare_keyword);
		struct ik_place inner = { place, ik_json_name(value), 0 };

		if (keyword && !settle_keyword(keyword, value, &inner, error))
			return false;
	}
	return true;
}

/* Make the schema of a flat map, {ARG: {type, description, required: true}}. Each argument is
 * checked separately, so that an error names what the author wrote. */
static struct ik_json *from_flat_map(const struct ik_json *map, struct ik_error *error)
{
	struct ik_json *schema = ik_json_new_object(), *properties = ik_json_new_object();
	struct ik_json *rest = map ? ik_json_copy(map) : NULL, *argument, *required = NULL;
	bool good = true;

	ik_json_add(schema, "type", ik_json_new_text("object"));
	ik_json_add(schema, "properties", properties);
	drop_duplicates(rest);
	while (good && (argument = ik_json_first(rest))) {
		struct ik_place place = { NULL, ik_json_name(argument), 0 };
		char found[IK_EXCERPT];

		if (ik_json_type(argument) != IK_JSON_OBJECT) {
			ik_excerpt(argument, found);
			good = ik_place_refuse(&place, error,
				_("is %s, but must be an object with type and description"), found);
			continue;
		}
		lift_required(schema, &required, argument);
		good = settle_schema(argument, &place, error);
		ik_json_append(properties, ik_json_detach(rest, argument)); /* keeps its name */
	}
	ik_json_free(rest);
	return good ? schema : ik_json_free(schema);
}

struct ik_json *ik_schema_canonical(const struct ik_json *parameters, struct ik_error *error)
{
	struct ik_json *schema;
	const char *type;
	char found[IK_EXCERPT];

	switch (ik_json_type(parameters)) {
	case IK_JSON_OBJECT:
		break;
	case IK_JSON_NONE:
	case IK_JSON_NULL:
		parameters = NULL;
		break;
	default:
		ik_excerpt(parameters, found);
		ik_place_refuse(NULL, error, _("is %s, but must be an object"), found);
		return NULL;
	}
	type = ik_json_text(ik_json_get(parameters, "type"));
	if (!type || !ik_text_equal(type, "object"))
		return from_flat_map(parameters, error);
	schema = ik_json_copy(parameters);
	if (!ik_json_get(schema, "properties"))
		ik_json_add(schema, "properties", ik_json_new_object());
	if (!settle_schema(schema, NULL, error))
		return ik_json_free(schema);
	return schema;
}
