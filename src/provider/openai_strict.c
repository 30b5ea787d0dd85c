#include "provider/openai.h"

#include <stdlib.h>
#include <string.h>

#include "json/pointer.h"
#include "json/schema.h"
#include "json/write.h"
#include "provider/wire/wire.h"
#include "util/limits.h"
#include "util/text.h"

/* The smallest limits of all hosts that support strict mode. */
#define DEPTH_MAX 5
#define PROPERTIES_MAX 100
#define ENUM_VALUES_MAX 500
#define NAME_BYTES_MAX 15000

/* A schema being written in strict form. */
struct conversion {
	struct ik_buf *out;
	struct ik_json_span root;
	size_t properties, enum_values, name_bytes;
};

static const struct ik_json_span none = { NULL, 0 };

/* Keywords that strict mode accepts. */
/* clang-format off */
static const char *const taken[] = {
	"type", "description", "title", "properties", "required", "additionalProperties", "items",
	"enum", "const", "anyOf", "$ref", "$defs", "pattern", "format", "multipleOf", "minimum",
	"maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
};
/* clang-format on */

/* Keywords that it refuses and that carry meaning: a schema with one has no strict form. */
/* clang-format off */
static const char *const refused[] = {
	"allOf", "oneOf", "not", "if", "then", "else", "dependencies", "dependentRequired",
	"dependentSchemas", "patternProperties", "propertyNames", "minProperties", "maxProperties",
	"unevaluatedProperties", "unevaluatedItems", "additionalItems", "prefixItems", "contains",
	"minContains", "maxContains", "uniqueItems", "minLength", "maxLength", "$dynamicRef",
	"$recursiveRef", "nullable",
};
/* clang-format on */

/* clang-format off */
static const char *const formats[] = {
	"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
};
/* clang-format on */

static bool is_listed(struct ik_json_span name, const char *const *list, size_t count)
{
	for (size_t index = 0; index < count; index++) {
		if (ik_json_string_is(name, list[index]))
			return true;
	}
	return false;
}
#define IS_LISTED(name, list) is_listed(name, list, sizeof(list) / sizeof(*(list)))

/* Is it that type (in quotes), or one of several with it? */
static bool has_type(struct ik_json_span schema, struct ik_json_span name)
{
	struct ik_json_span type = ik_json_member(schema, "type");

	return ik_json_equal(type, name) || ik_json_holds(type, name);
}
#define HAS_TYPE(schema, name) has_type(schema, IK_JSON_SPAN("\"" name "\""))

/* Does a schema allow null? For a reference, the target decides. */
static bool allows_null(struct ik_json_span schema)
{
	struct ik_json_span choices = ik_json_member(schema, "anyOf"), choice;
	struct ik_json_walk walk = { 0 };

	while (ik_json_next(choices, &walk, NULL, &choice)) {
		if (allows_null(choice))
			return true;
	}
	return HAS_TYPE(schema, "null");
}

/* What becomes of a member of a schema. */
enum strict_member { KEPT, DROPPED, REFUSED };

/* Annotations that would be refused are dropped. */
static enum strict_member judge(struct ik_json_span name, struct ik_json_span value)
{
	if (IS_LISTED(name, refused))
		return REFUSED;
	return IS_LISTED(name, taken) &&
			(!ik_json_string_is(name, "format") || IS_LISTED(value, formats))
		? KEPT
		: DROPPED;
}

/* Is it a local reference that strict mode supports: "#", or a name in $defs? */
static bool is_plain_reference(const struct conversion *conversion, struct ik_json_span reference)
{
	static const char place[] = "#/$defs/";
	char *text = ik_json_string_new(reference, NULL);
	const char *name = text && ik_text_starts(text, place) ? text + sizeof(place) - 1 : NULL;
	bool plain = ik_json_string_is(reference, "#") ||
		(name && !strpbrk(name, "/~%") &&
			ik_json_member(ik_json_member(conversion->root, "$defs"), name).text);

	free(text);
	return plain;
}

static void put_key(struct ik_buf *out, struct ik_json_span name)
{
	ik_json_put_raw(out, name);
	ik_buf_putc(out, ':');
}

static bool put_schema(struct conversion *conversion, struct ik_json_span schema, int depth,
	bool optional);

/* Write schemas by their names; as properties, those that are not required may be null. */
static bool put_schemas(struct conversion *conversion, struct ik_json_span schemas, int depth,
	const struct ik_json_span *required)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span name, schema;
	bool good = true;

	ik_json_open(conversion->out, '{');
	while (good && ik_json_next(schemas, &walk, &name, &schema)) {
		if (required)
			conversion->name_bytes += name.length - 2;
		good = !required || ++conversion->properties <= PROPERTIES_MAX;
		put_key(conversion->out, name);
		good = good &&
			put_schema(conversion, schema, depth, required && !ik_json_holds(*required, name));
	}
	ik_json_close(conversion->out, '}');
	return good;
}

/* Require every property. */
static void put_required(struct ik_buf *out, struct ik_json_span schema)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span name, property;

	ik_json_printf(out, "'required':[");
	while (ik_json_next(ik_json_member(schema, "properties"), &walk, &name, &property))
		ik_json_put_raw(out, name);
	ik_json_printf(out, "]");
}

/* Check that the values in enum or const are of one type, and set *ret_type to it. */
static bool check_values(struct conversion *conversion, struct ik_json_span schema,
	enum ik_json_type *ret_type)
{
	struct ik_json_span list = ik_json_member(schema, "enum"), value;
	struct ik_json_span only = ik_json_member(schema, "const");
	enum ik_json_type type = ik_json_span_type(only.text ? only : ik_json_at(list, "0"));
	struct ik_json_walk walk = { 0 };

	if (list.text && ik_json_span_type(list) != IK_JSON_ARRAY)
		return false;
	if (type != IK_JSON_STRING && type != IK_JSON_NUMBER && type != IK_JSON_BOOL)
		return false;
	while (ik_json_next(list, &walk, NULL, &value)) {
		if (++conversion->enum_values > ENUM_VALUES_MAX ||
			(ik_json_span_type(value) != type && ik_json_span_type(value) != IK_JSON_NULL))
			return false;
		if (ik_json_span_type(value) == IK_JSON_STRING)
			conversion->name_bytes += value.length - 2;
	}
	*ret_type = type;
	return true;
}

/* Write `type`, with null as another one if it is wanted. */
static void put_type(struct ik_buf *out, struct ik_json_span type, bool nullable)
{
	bool list = ik_json_span_type(type) == IK_JSON_ARRAY;

	ik_json_key(out, "type");
	if (!nullable)
		ik_json_put_raw(out, type);
	else if (list)
		ik_json_printf(out, "%.*s,'null']", (int)type.length - 1, type.text);
	else
		ik_json_printf(out, "[%.*s,'null']", (int)type.length, type.text);
}

/* Write a reference or a choice, which must be alone (their annotations may stay): a choice with
 * null as another one if it is wanted. */
static bool put_choices(struct conversion *conversion, struct ik_json_span schema, int depth,
	bool nullable)
{
	struct ik_json_span reference = ik_json_member(schema, "$ref"), name, value;
	struct ik_json_span choices = ik_json_member(schema, "anyOf");
	const char *own = reference.text ? "$ref" : "anyOf";
	struct ik_buf *out = conversion->out;
	struct ik_json_walk walk = { 0 };
	bool bare = reference.text && !nullable, good = true;

	if (schema.text == conversion->root.text ||
		(reference.text ? !is_plain_reference(conversion, reference)
						: ik_json_span_type(choices) != IK_JSON_ARRAY || !ik_json_count(choices)))
		return false;
	ik_json_open(out, '{');
	while (ik_json_next(schema, &walk, &name, &value)) {
		if (ik_json_string_is(name, own) || judge(name, value) == DROPPED)
			continue;
		if (!ik_json_string_is(name, "description") && !ik_json_string_is(name, "title"))
			return false;
		bare = false;
		put_key(out, name);
		ik_json_put_raw(out, value);
	}
	if (bare) {
		ik_json_printf(out, "'$ref':%.*s}", (int)reference.length, reference.text);
		return true;
	}
	ik_json_printf(out, "'anyOf':[");
	if (reference.text)
		ik_json_printf(out, "{'$ref':%.*s}", (int)reference.length, reference.text);
	walk.at = NULL;
	while (good && ik_json_next(choices, &walk, NULL, &value))
		good = put_schema(conversion, value, depth, false);
	ik_json_printf(out, nullable ? ",{'type':'null'}]}" : "]}");
	return good;
}

/* Write the members of a schema with a type, to which nullable adds null; without its description if
 * that is not wanted. */
static bool put_members(struct conversion *conversion, struct ik_json_span schema, int depth,
	bool nullable, bool described)
{
	bool object = HAS_TYPE(schema, "object"), array = HAS_TYPE(schema, "array");
	struct ik_json_span required = ik_json_member(schema, "required"), name, value;
	struct ik_buf *out = conversion->out;
	struct ik_json_walk walk = { 0 };
	bool good = true;

	while (good && ik_json_next(schema, &walk, &name, &value)) {
		if (judge(name, value) == REFUSED)
			return false;
		if (judge(name, value) == DROPPED || (!described && ik_json_string_is(name, "description")))
			continue;
		if (ik_json_string_is(name, "type")) {
			put_type(out, value, nullable);
		} else if (object && ik_json_string_is(name, "required")) {
			put_required(out, schema);
		} else {
			put_key(out, name);
			if (ik_json_string_is(name, "$defs"))
				good = put_schemas(conversion, value, 1, NULL);
			else if (object && ik_json_string_is(name, "properties"))
				good = put_schemas(conversion, value, depth + 1, &required);
			else if (array && ik_json_string_is(name, "items"))
				good = put_schema(conversion, value, depth + 1, false);
			else
				ik_json_put_raw(out, value);
		}
	}
	return good;
}

/* Is an object closed, or is it only the outermost that doesn't say what it is? Others are meant to
 * accept any member. */
static bool is_closed(const struct conversion *conversion, struct ik_json_span schema)
{
	struct ik_json_span additional = ik_json_member(schema, "additionalProperties");

	if (additional.text)
		return ik_json_span_type(additional) == IK_JSON_BOOL && !ik_json_is_true(additional);
	return ik_json_member(schema, "properties").text || schema.text == conversion->root.text;
}

/* Write what a schema lacks. */
static void put_missing(struct ik_buf *out, struct ik_json_span schema, enum ik_json_type values)
{
	if (!ik_json_member(schema, "type").text)
		ik_json_printf(out, "'type':'%s'", ik_json_type_name(values));
	if (!HAS_TYPE(schema, "object"))
		return;
	if (!ik_json_member(schema, "properties").text)
		ik_json_printf(out, "'properties':{}");
	if (!ik_json_member(schema, "required").text)
		put_required(out, schema);
	if (!ik_json_member(schema, "additionalProperties").text)
		ik_json_printf(out, "'additionalProperties':false");
}

/* Write one schema and everything inside it in strict form; what was optional may be null then. */
static bool put_schema(struct conversion *conversion, struct ik_json_span schema, int depth,
	bool optional)
{
	struct ik_json_span description = ik_json_member(schema, "description");
	bool nullable = optional && !allows_null(schema), wrapped;
	struct ik_json_span type = ik_json_member(schema, "type");
	enum ik_json_type values = IK_JSON_NONE;
	struct ik_buf *out = conversion->out;

	if (ik_json_span_type(schema) != IK_JSON_OBJECT || depth > DEPTH_MAX ||
		(schema.text != conversion->root.text && ik_json_member(schema, "$defs").text) ||
		(ik_json_span_type(type) == IK_JSON_ARRAY && !ik_json_count(type)))
		return false;
	if (ik_json_member(schema, "$ref").text || ik_json_member(schema, "anyOf").text)
		return put_choices(conversion, schema, depth, nullable);
	if ((ik_json_member(schema, "enum").text || ik_json_member(schema, "const").text) &&
		!check_values(conversion, schema, &values))
		return false;
	if ((!type.text && values == IK_JSON_NONE) ||
		(HAS_TYPE(schema, "object") && !is_closed(conversion, schema)) ||
		(HAS_TYPE(schema, "array") && !ik_json_member(schema, "items").text))
		return false;
	/* A type can have null as another one, a list of values cannot. */
	wrapped = nullable && values != IK_JSON_NONE;
	ik_json_open(out, '{');
	if (wrapped && description.text)
		ik_json_printf(out, "'description':%.*s", (int)description.length, description.text);
	if (wrapped)
		ik_json_printf(out, "'anyOf':[{");
	if (!put_members(conversion, schema, depth, nullable && !wrapped, !wrapped))
		return false;
	put_missing(out, schema, values);
	ik_json_printf(out, wrapped ? "},{'type':'null'}]}" : "}");
	return true;
}

bool ik_openai_put_strict_schema(struct ik_buf *out, struct ik_json_span schema)
{
	struct conversion conversion = { .out = out, .root = schema };
	size_t begin = out->length;

	if (ik_json_string_is(ik_json_member(schema, "type"), "object") &&
		put_schema(&conversion, schema, 0, false) && conversion.name_bytes <= NAME_BYTES_MAX)
		return true;
	ik_buf_truncate(out, begin);
	return false;
}

/* ---- the way back ---- */

/* Return the schema that a reference leads to; no value if it leads in a circle. */
static struct ik_json_span follow(struct ik_json_span root, struct ik_json_span schema)
{
	for (int steps = 0; steps < 16; steps++) {
		struct ik_json_span reference = ik_json_member(schema, "$ref");

		if (!reference.text)
			return schema;
		schema = ik_json_referred(root, reference);
	}
	return none;
}

/* The same as allows_null(), through references and lists of values. */
static bool takes_null(struct ik_json_span root, struct ik_json_span schema)
{
	struct ik_json_span target = follow(root, schema), choice;
	struct ik_json_walk walk = { 0 };

	while (ik_json_next(ik_json_member(target, "anyOf"), &walk, NULL, &choice)) {
		if (takes_null(root, choice))
			return true;
	}
	return allows_null(target) ||
		(!ik_json_member(target, "type").text &&
			ik_json_holds(ik_json_member(target, "enum"), IK_JSON_SPAN("null")));
}

/* Write a value without the nulls that strict mode brought; root is the schema before it became
 * strict. Return whether there were any. */
static bool put_clean(struct ik_buf *out, struct ik_json_span root, struct ik_json_span schema,
	struct ik_json_span value);

static bool put_clean_object(struct ik_buf *out, struct ik_json_span root,
	struct ik_json_span schema, struct ik_json_span value)
{
	struct ik_json_span properties = ik_json_member(schema, "properties"), name, member;
	struct ik_json_span required = ik_json_member(schema, "required");
	struct ik_json_walk walk = { 0 };
	bool changed = false;

	ik_json_open(out, '{');
	while (ik_json_next(value, &walk, &name, &member)) {
		struct ik_json_span property = ik_json_member_named(properties, name);

		if (property.text && ik_json_span_type(member) == IK_JSON_NULL &&
			!ik_json_holds(required, name) && !takes_null(root, property)) {
			changed = true;
			continue;
		}
		put_key(out, name);
		changed |= put_clean(out, root, property, member);
	}
	ik_json_close(out, '}');
	return changed;
}

/* Use the first alternative that the value matches once its nulls are removed. */
static bool put_clean_choice(struct ik_buf *out, struct ik_json_span root,
	struct ik_json_span choices, struct ik_json_span value)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span choice;

	while (ik_json_next(choices, &walk, NULL, &choice)) {
		struct ik_buf clean;
		bool changed, fits;

		ik_buf_init(&clean, IK_LIMIT_ARGUMENTS);
		changed = put_clean(&clean, root, choice, value);
		fits = ik_buf_status(&clean) == IK_OK &&
			ik_schema_validate(root, choice, (struct ik_json_span){ clean.data, clean.length },
				NULL) == IK_OK;
		if (fits)
			ik_json_put_raw(out, (struct ik_json_span){ clean.data, clean.length });
		ik_buf_done(&clean);
		if (fits)
			return changed;
	}
	ik_json_put_raw(out, value);
	return false;
}

static bool put_clean(struct ik_buf *out, struct ik_json_span root, struct ik_json_span schema,
	struct ik_json_span value)
{
	struct ik_json_span target = follow(root, schema), item;
	struct ik_json_span choices = ik_json_member(target, "anyOf");
	struct ik_json_walk walk = { 0 };
	bool changed = false;

	if (choices.text)
		return put_clean_choice(out, root, choices, value);
	if (ik_json_span_type(value) == IK_JSON_OBJECT)
		return put_clean_object(out, root, target, value);
	if (ik_json_span_type(value) != IK_JSON_ARRAY) {
		ik_json_put_raw(out, value);
		return false;
	}
	ik_json_open(out, '[');
	while (ik_json_next(value, &walk, NULL, &item))
		changed |= put_clean(out, root, ik_json_member(target, "items"), item);
	ik_json_close(out, ']');
	return changed;
}

bool ik_openai_put_without_nulls(struct ik_buf *out, struct ik_json_span schema,
	struct ik_json_span arguments)
{
	size_t begin = out->length;
	struct ik_buf strict;
	bool changed = false;

	/* Most calls contain none. */
	if (!memmem(arguments.text, arguments.length, "null", 4))
		return false;
	ik_buf_init(&strict, 4 * IK_LIMIT_SCHEMA);
	if (ik_openai_put_strict_schema(&strict, schema))
		changed = put_clean(out, schema, schema, arguments);
	if (!changed)
		ik_buf_truncate(out, begin);
	ik_buf_done(&strict);
	return changed;
}

/* ---- for both formats ---- */

bool ik_openai_put_function(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	struct ik_json_span parameters = ik_wire_parameters(tool);
	bool strict;

	ik_wire_put_name(out, tool);
	ik_json_printf(out, "'parameters':");
	strict = endpoint && endpoint->strict_tools && ik_openai_put_strict_schema(out, parameters);
	if (!strict)
		ik_json_put_raw(out, parameters);
	return strict;
}

bool ik_openai_put_arguments(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool, struct ik_json_span arguments)
{
	return endpoint && endpoint->strict_tools &&
		ik_openai_put_without_nulls(out, ik_wire_parameters(tool), arguments);
}
