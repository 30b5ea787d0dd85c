#include "provider/openai.h"

#include <stdlib.h>
#include <string.h>

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

/* Keywords that strict mode accepts. */
/* clang-format off */
static const char *const taken[] = {
	"type", "description", "title", "properties", "required", "additionalProperties", "items",
	"enum", "const", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum",
	"exclusiveMaximum", "minItems", "maxItems",
};
/* clang-format on */

/* Keywords that matter and that strict mode refuses, or accepts only in forms that few tools write
 * (references, alternatives): a schema with one of them is sent unchanged. */
/* clang-format off */
static const char *const refused[] = {
	"allOf", "anyOf", "oneOf", "$ref", "$defs", "definitions", "not", "if", "then", "else",
	"dependencies", "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames",
	"minProperties", "maxProperties", "unevaluatedProperties", "unevaluatedItems",
	"additionalItems", "prefixItems", "contains", "minContains", "maxContains", "uniqueItems",
	"minLength", "maxLength", "$dynamicRef", "$recursiveRef", "nullable",
};
/* clang-format on */

/* clang-format off */
static const char *const formats[] = {
	"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
};
/* clang-format on */

static bool is_listed(struct ik_json_span name, const char *const *list, size_t count)
{
	for (size_t index = 0; index < count; index++)
		if (ik_json_string_is(name, list[index]))
			return true;
	return false;
}
#define IS_LISTED(name, list) is_listed(name, list, sizeof(list) / sizeof(*(list)))

/* Is the schema's type name (in quotes), or a list that contains it? */
static bool has_type(struct ik_json_span schema, struct ik_json_span name)
{
	struct ik_json_span type = ik_json_member(schema, "type");

	return ik_json_equal(type, name) || ik_json_holds(type, name);
}
#define HAS_TYPE(schema, name) has_type(schema, IK_JSON_SPAN("\"" name "\""))

/* What to do with a member of a schema. */
enum strict_member { KEPT, DROPPED, REFUSED };

/* Return what to do with a member; annotations that would be refused are dropped. */
static enum strict_member judge(struct ik_json_span name, struct ik_json_span value)
{
	if (IS_LISTED(name, refused))
		return REFUSED;
	return IS_LISTED(name, taken) &&
			(!ik_json_string_is(name, "format") || IS_LISTED(value, formats))
		? KEPT
		: DROPPED;
}

static bool put_schema(struct conversion *conversion, struct ik_json_span schema, int depth,
	bool optional);

/* Write the properties; properties that are not required become nullable. */
static bool put_properties(struct conversion *conversion, struct ik_json_span schema, int depth)
{
	struct ik_json_span required = ik_json_member(schema, "required");
	bool good = true;

	ik_json_open(conversion->out, '{');
	for (struct ik_json_walk walk = ik_json_walk(ik_json_member(schema, "properties"));
		 good && ik_json_next(&walk);) {
		conversion->name_bytes += walk.key.length - 2;
		ik_json_printf(conversion->out, "%.*s:", IK_JSON_ARGS(walk.key));
		good = ++conversion->properties <= PROPERTIES_MAX &&
			put_schema(conversion, walk.value, depth, !ik_json_holds(required, walk.key));
	}
	ik_json_close(conversion->out, '}');
	return good;
}

/* Require every property. */
static void put_required(struct ik_buf *out, struct ik_json_span schema)
{
	ik_json_printf(out, "'required':[");
	for (struct ik_json_walk walk = ik_json_walk(ik_json_member(schema, "properties"));
		 ik_json_next(&walk);)
		ik_json_put_raw(out, walk.key);
	ik_json_printf(out, "]");
}

/* Check that the values in enum or const are of one type, and set *ret_type to it. */
static bool check_values(struct conversion *conversion, struct ik_json_span schema,
	enum ik_json_type *ret_type)
{
	struct ik_json_span list = ik_json_member(schema, "enum");
	struct ik_json_span only = ik_json_member(schema, "const");
	enum ik_json_type type = ik_json_span_type(only.text ? only : ik_json_at(list, "0"));

	if (list.text && ik_json_span_type(list) != IK_JSON_ARRAY)
		return false;
	if (type != IK_JSON_STRING && type != IK_JSON_NUMBER && type != IK_JSON_BOOL)
		return false;
	for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);) {
		if (++conversion->enum_values > ENUM_VALUES_MAX ||
			(ik_json_span_type(walk.value) != type &&
				ik_json_span_type(walk.value) != IK_JSON_NULL))
			return false;
		if (ik_json_span_type(walk.value) == IK_JSON_STRING)
			conversion->name_bytes += walk.value.length - 2;
	}
	*ret_type = type;
	return true;
}

/* Write `type`, adding null if nullable. */
static void put_type(struct ik_buf *out, struct ik_json_span type, bool nullable)
{
	bool list = ik_json_span_type(type) == IK_JSON_ARRAY;

	ik_json_key(out, "type");
	if (!nullable)
		ik_json_put_raw(out, type);
	else if (list)
		ik_json_printf(out, "%.*s,'null']", (int)type.length - 1, type.text);
	else
		ik_json_printf(out, "[%.*s,'null']", IK_JSON_ARGS(type));
}

/* Write the members of a schema with a type, adding null to it if nullable, and the description
 * only if described. */
static bool put_members(struct conversion *conversion, struct ik_json_span schema, int depth,
	bool nullable, bool described)
{
	bool object = HAS_TYPE(schema, "object"), array = HAS_TYPE(schema, "array");
	struct ik_buf *out = conversion->out;
	bool good = true;

	for (struct ik_json_walk walk = ik_json_walk(schema); good && ik_json_next(&walk);) {
		if (judge(walk.key, walk.value) == REFUSED)
			return false;
		if (judge(walk.key, walk.value) == DROPPED ||
			(!described && ik_json_string_is(walk.key, "description")))
			continue;
		if (ik_json_string_is(walk.key, "type")) {
			put_type(out, walk.value, nullable);
		} else if (object && ik_json_string_is(walk.key, "required")) {
			put_required(out, schema);
		} else {
			ik_json_printf(out, "%.*s:", IK_JSON_ARGS(walk.key));
			if (object && ik_json_string_is(walk.key, "properties"))
				good = put_properties(conversion, schema, depth + 1);
			else if (array && ik_json_string_is(walk.key, "items"))
				good = put_schema(conversion, walk.value, depth + 1, false);
			else
				ik_json_put_raw(out, walk.value);
		}
	}
	return good;
}

/* Is the schema a closed object, or the outermost one and silent about that? Other objects are
 * meant to accept any member. */
static bool is_closed(const struct conversion *conversion, struct ik_json_span schema)
{
	struct ik_json_span additional = ik_json_member(schema, "additionalProperties");

	if (additional.text)
		return ik_json_span_type(additional) == IK_JSON_BOOL && !ik_json_is_true(additional);
	return ik_json_member(schema, "properties").text || schema.text == conversion->root.text;
}

/* Write members that strict mode requires and schema lacks. */
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

/* Write a schema and everything inside it in strict form; optional makes it nullable. */
static bool put_schema(struct conversion *conversion, struct ik_json_span schema, int depth,
	bool optional)
{
	struct ik_json_span description = ik_json_member(schema, "description");
	bool nullable = optional && !HAS_TYPE(schema, "null"), wrapped;
	struct ik_json_span type = ik_json_member(schema, "type");
	enum ik_json_type values = IK_JSON_NONE;
	struct ik_buf *out = conversion->out;

	if (ik_json_span_type(schema) != IK_JSON_OBJECT || depth > DEPTH_MAX ||
		(ik_json_span_type(type) == IK_JSON_ARRAY && !ik_json_count(type)))
		return false;
	if ((ik_json_member(schema, "enum").text || ik_json_member(schema, "const").text) &&
		!check_values(conversion, schema, &values))
		return false;
	if ((!type.text && values == IK_JSON_NONE) ||
		(HAS_TYPE(schema, "object") && !is_closed(conversion, schema)) ||
		(HAS_TYPE(schema, "array") && !ik_json_member(schema, "items").text))
		return false;
	/* A type can include null; a list of values cannot. */
	wrapped = nullable && values != IK_JSON_NONE;
	ik_json_open(out, '{');
	if (wrapped && description.text)
		ik_json_printf(out, "'description':%.*s", IK_JSON_ARGS(description));
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

/* ---- back to the original schema ---- */

/* Does the original schema allow null? */
static bool takes_null(struct ik_json_span schema)
{
	return HAS_TYPE(schema, "null") ||
		(!ik_json_member(schema, "type").text &&
			ik_json_holds(ik_json_member(schema, "enum"), IK_JSON_SPAN("null")));
}

/* Write value without the nulls that strict mode added; schema is the original one. Return whether
 * there were any. */
static bool put_clean(struct ik_buf *out, struct ik_json_span schema, struct ik_json_span value)
{
	bool object = ik_json_span_type(value) == IK_JSON_OBJECT, changed = false;
	struct ik_json_span properties = ik_json_member(schema, "properties");
	struct ik_json_span required = ik_json_member(schema, "required");

	if (!object && ik_json_span_type(value) != IK_JSON_ARRAY) {
		ik_json_put_raw(out, value);
		return false;
	}
	ik_json_open(out, object ? '{' : '[');
	for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next(&walk);) {
		struct ik_json_span inner = object ? ik_json_member_named(properties, walk.key)
										   : ik_json_member(schema, "items");

		if (object && inner.text && ik_json_span_type(walk.value) == IK_JSON_NULL &&
			!ik_json_holds(required, walk.key) && !takes_null(inner)) {
			changed = true;
			continue;
		}
		if (object)
			ik_json_printf(out, "%.*s:", IK_JSON_ARGS(walk.key));
		changed |= put_clean(out, inner, walk.value);
	}
	ik_json_close(out, object ? '}' : ']');
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
		changed = put_clean(out, schema, arguments);
	if (!changed)
		ik_buf_truncate(out, begin);
	ik_buf_done(&strict);
	return changed;
}

/* ---- for both formats ---- */

/* Write a schema, in strict form where that is wanted and possible. Return whether it is. */
static bool put_either(struct ik_buf *out, const struct ik_endpoint *endpoint,
	struct ik_json_span schema)
{
	bool strict = endpoint && endpoint->strict_tools && ik_openai_put_strict_schema(out, schema);

	if (!strict)
		ik_json_put_raw(out, schema);
	return strict;
}

bool ik_openai_put_function(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	ik_wire_put_name(out, tool);
	ik_json_printf(out, "'parameters':");
	return put_either(out, endpoint, ik_wire_parameters(tool));
}

void ik_openai_put_output_schema(struct ik_buf *out, const struct ik_request *request)
{
	bool strict;

	ik_json_printf(out, "'name':'output','schema':");
	strict = put_either(out, request->endpoint, request->output_schema);
	ik_json_printf(out, "'strict':%s", ik_json_word(strict));
}

/* The key keeps requests that begin alike on servers that have read the beginning. */
void ik_openai_put_caching(struct ik_buf *out, const struct ik_request *request)
{
	const struct ik_endpoint *endpoint = request->endpoint;

	if (!ik_endpoint_is_openai(endpoint) || endpoint->caching == IK_CACHING_OFF)
		return;
	if (request->cache_key)
		ik_json_printf(out, "'prompt_cache_key':'%s'", request->cache_key);
	if (endpoint->caching == IK_CACHING_LONG)
		ik_json_printf(out, "'prompt_cache_retention':'24h'");
}

bool ik_openai_put_arguments(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool, struct ik_json_span arguments)
{
	return endpoint && endpoint->strict_tools &&
		ik_openai_put_without_nulls(out, ik_wire_parameters(tool), arguments);
}
