#include "json/schema.h"

#include <stdlib.h>
#include <string.h>

#include "json/place.h"
#include "json/write.h"
#include "util/text.h"

/* Objects with more members are not searched for duplicates, because that would take seconds. */
#define MEMBERS_SEARCHED 1000

/* JSON types as a set. */
#define TYPE(type) (1u << (type))
#define OBJECT TYPE(IK_JSON_OBJECT)
#define ARRAY TYPE(IK_JSON_ARRAY)
#define STRING TYPE(IK_JSON_STRING)
#define NUMBER TYPE(IK_JSON_NUMBER)
#define BOOL TYPE(IK_JSON_BOOL)

/* How a keyword's value contains schemas. */
enum inside {
	NOTHING,
	A_SCHEMA,       /* the value is one (or a list of them) */
	SCHEMAS_BY_NAME /* its members are */
};

/* The allowed values of a keyword, in words and as types. */
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

/* Check a schema with everything in it, and write it in its canonical form. A property's schema may
 * have a boolean `required`. */
static bool put_schema(struct ik_buf *out, struct ik_json_span schema, bool is_property,
	const struct ik_place *place, struct ik_error *error);

/* Fail because of the value at that place. */
static bool refuse(struct ik_json_span value, const char *wanted, const struct ik_place *place,
	struct ik_error *error)
{
	char found[IK_EXCERPT];

	ik_excerpt(value, found);
	return ik_place_refuse(place, error, _("is %s, but must be %s"), found, wanted);
}

/* Read the next element of an array, or the next member of an object whose name has not occurred
 * before. count is the size of the container. */
static bool next_child(struct ik_json_walk *walk, size_t count)
{
	while (ik_json_next(walk)) {
		if (!walk->key.text || count > MEMBERS_SEARCHED ||
			ik_json_member_named(walk->container, walk->key).text == walk->value.text)
			return true;
	}
	return false;
}

/* Return the type that a word was probably meant to be, or NULL. */
static const char *nearest_type(const char *word)
{
	for (size_t i = 0; i < TYPE_NAMES; i++)
		if (strlen(word) >= 3 && ik_text_starts(type_names[i], word))
			return type_names[i];
	return ik_text_nearest(word, type_names, TYPE_NAMES);
}

/* Is a value of `type` a known word? */
static bool check_type_name(struct ik_json_span name, const struct ik_place *place,
	struct ik_error *error)
{
	char *text, found[IK_EXCERPT];
	const char *nearest;

	for (size_t i = 0; i < TYPE_NAMES; i++)
		if (ik_json_string_is(name, type_names[i]))
			return true;
	ik_excerpt(name, found);
	text = ik_json_string_new(name, NULL);
	nearest = text ? nearest_type(text) : NULL;
	free(text);
	if (nearest)
		return ik_place_refuse(place, error,
			_("%s is no type that JSON Schema knows; did you mean \"%s\"?"), found, nearest);
	return ik_place_refuse(place, error,
		_("%s is no type that JSON Schema knows (string, number, "
		  "integer, boolean, array, object, null)"),
		found);
}

/* Check `type`: a word or a list of words. */
static bool check_types(struct ik_json_span type, const struct ik_place *place,
	struct ik_error *error)
{
	struct ik_place inner = { .parent = place };

	if (ik_json_span_type(type) == IK_JSON_STRING)
		return check_type_name(type, place, error);
	for (struct ik_json_walk walk = ik_json_walk(type); ik_json_next(&walk); inner.index++)
		if (!check_type_name(walk.value, &inner, error))
			return false;
	return true;
}

/* Are all elements of a list strings? */
static bool check_names(struct ik_json_span list, const struct ik_place *place,
	struct ik_error *error)
{
	struct ik_place inner = { .parent = place };

	for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk); inner.index++)
		if (ik_json_span_type(walk.value) != IK_JSON_STRING)
			return refuse(walk.value, _("a string"), &inner, error);
	return true;
}

/* Write the names in the list `required` (perhaps no value), then those of properties with a
 * boolean `required`; nothing if there are none. */
static void put_required(struct ik_buf *out, struct ik_json_span list,
	struct ik_json_span properties)
{
	size_t count = ik_json_count(properties), listed = ik_json_count(list);
	bool any = listed > 0;

	if (any)
		ik_json_printf(out, "'required':[");
	for (struct ik_json_walk walk = ik_json_walk(list); any && ik_json_next(&walk);)
		ik_json_put_raw(out, walk.value);
	for (struct ik_json_walk walk = ik_json_walk(properties); next_child(&walk, count);) {
		if (!ik_json_is_true(ik_json_member(walk.value, "required")) ||
			(listed <= MEMBERS_SEARCHED && ik_json_holds(list, walk.key)))
			continue;
		if (!any)
			ik_json_printf(out, "'required':[");
		any = true;
		ik_json_put_raw(out, walk.key);
	}
	if (any)
		ik_json_printf(out, "]");
}

/* Write a schema: an object, or true or false. */
static bool put_place(struct ik_buf *out, struct ik_json_span schema, bool is_property,
	const struct ik_place *place, struct ik_error *error)
{
	char found[IK_EXCERPT];

	if (ik_json_span_type(schema) == IK_JSON_OBJECT)
		return put_schema(out, schema, is_property, place, error);
	ik_json_put_raw(out, schema);
	if (ik_json_span_type(schema) == IK_JSON_BOOL)
		return true;
	ik_excerpt(schema, found);
	return ik_place_refuse(place, error, _("is %s, but must be a schema (an object)"), found);
}

/* Write a container of schemas. */
static bool put_children(struct ik_buf *out, struct ik_json_span container, bool are_properties,
	const struct ik_place *place, struct ik_error *error)
{
	bool is_object = ik_json_span_type(container) == IK_JSON_OBJECT;
	size_t count = ik_json_count(container);
	struct ik_place inner = { .parent = place };

	ik_json_open(out, is_object ? '{' : '[');
	for (struct ik_json_walk walk = ik_json_walk(container); next_child(&walk, count);
		 inner.index++) {
		inner.name = walk.key;
		if (is_object)
			ik_json_printf(out, "%.*s:", IK_JSON_ARGS(walk.key));
		if (!put_place(out, walk.value, are_properties, &inner, error))
			return false;
	}
	ik_json_close(out, is_object ? '}' : ']');
	return true;
}

/* Write a keyword with its value. */
static bool put_keyword(struct ik_buf *out, const struct schema_keyword *keyword,
	struct ik_json_span value, const struct ik_place *place, struct ik_error *error)
{
	if (!(keyword->types & TYPE(ik_json_span_type(value))))
		return refuse(value, _(keyword->wanted), place, error);
	ik_json_printf(out, "%.*s:", IK_JSON_ARGS(place->name));
	if (keyword->inside == SCHEMAS_BY_NAME ||
		(keyword->inside == A_SCHEMA && ik_json_span_type(value) == IK_JSON_ARRAY))
		return put_children(out, value, ik_text_equal(keyword->name, "properties"), place, error);
	if (keyword->inside == A_SCHEMA)
		return put_place(out, value, false, place, error);
	ik_json_put_raw(out, value);
	return !ik_text_equal(keyword->name, "type") || check_types(value, place, error);
}

static bool put_schema(struct ik_buf *out, struct ik_json_span schema, bool is_property,
	const struct ik_place *place, struct ik_error *error)
{
	struct ik_json_span properties = ik_json_member(schema, "properties");
	size_t count = ik_json_count(schema);
	bool listed = false;

	ik_json_open(out, '{');
	for (struct ik_json_walk walk = ik_json_walk(schema); next_child(&walk, count);) {
		const struct schema_keyword *keyword = ik_keyword_find(walk.key, keywords,
			sizeof(keywords) / sizeof(keywords[0]), sizeof(keywords[0]));
		struct ik_place inner = { .parent = place, .name = walk.key };
		bool required = ik_json_string_is(walk.key, "required");

		if (required && is_property && ik_json_span_type(walk.value) == IK_JSON_BOOL)
			continue; /* put_required() adds it to the list */
		if (required && ik_json_span_type(walk.value) == IK_JSON_ARRAY) {
			if (!check_names(walk.value, &inner, error))
				return false;
			put_required(out, walk.value, properties);
			listed = true;
		} else if (!keyword) {
			ik_json_printf(out, "%.*s:", IK_JSON_ARGS(walk.key));
			ik_json_put_raw(out, walk.value);
		} else if (!put_keyword(out, keyword, walk.value, &inner, error)) {
			return false;
		}
	}
	if (!place && !properties.text && ik_json_string_is(ik_json_member(schema, "type"), "object"))
		ik_json_printf(out, "'properties':{}");
	if (!listed)
		put_required(out, (struct ik_json_span){ NULL, 0 }, properties);
	ik_json_close(out, '}');
	return true;
}

/* Write the schema of a flat map, {ARG: {type, description, required: true}}. The places in errors
 * don't contain "properties", so that they match what the author wrote. */
static bool put_flat_map(struct ik_buf *out, struct ik_json_span map, struct ik_error *error)
{
	size_t count = ik_json_count(map);

	ik_json_printf(out, "{'type':'object','properties':{");
	for (struct ik_json_walk walk = ik_json_walk(map); next_child(&walk, count);) {
		struct ik_place place = { .name = walk.key };

		if (ik_json_span_type(walk.value) != IK_JSON_OBJECT)
			return refuse(walk.value, _("an object with type and description"), &place, error);
		ik_json_printf(out, "%.*s:", IK_JSON_ARGS(walk.key));
		if (!put_schema(out, walk.value, true, &place, error))
			return false;
	}
	ik_json_printf(out, "}");
	put_required(out, (struct ik_json_span){ NULL, 0 }, map);
	ik_json_printf(out, "}");
	return true;
}

enum ik_status ik_schema_read(struct ik_json_span schema, struct ik_buf *out,
	struct ik_error *error)
{
	if (ik_json_span_type(schema) != IK_JSON_OBJECT) {
		refuse(schema, _("a schema"), NULL, error);
		return IK_INVALID;
	}
	return put_schema(out, schema, false, NULL, error) ? IK_OK : IK_INVALID;
}

enum ik_status ik_schema_canonical(struct ik_json_span parameters, struct ik_buf *out,
	struct ik_error *error)
{
	enum ik_json_type type = ik_json_span_type(parameters);
	bool good;

	if (type != IK_JSON_OBJECT && type != IK_JSON_NONE && type != IK_JSON_NULL)
		good = refuse(parameters, _("an object"), NULL, error);
	else if (ik_json_string_is(ik_json_member(parameters, "type"), "object"))
		good = put_schema(out, parameters, false, NULL, error);
	else
		good = put_flat_map(out, parameters, error);
	return good ? IK_OK : IK_INVALID;
}
