#include "provider/openai/openai_strict.h"

#include <string.h>

#include "json/schema.h"
#include "util/text.h"

/* The smallest limits of all hosts that support strict mode. */
#define DEPTH_MAX 5
#define PROPERTIES_MAX 100
#define ENUM_VALUES_MAX 500
#define NAME_BYTES_MAX 15000

/* A schema being converted to strict form. */
struct conversion {
	struct ik_json *root;
	size_t properties, enum_values, name_bytes;
};

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

static bool convert(struct conversion *conversion, struct ik_json *schema, int depth);

static bool is_listed(const char *name, const char *const *list, size_t count)
{
	for (size_t index = 0; index < count; index++) {
		if (strcmp(name, list[index]) == 0)
			return true;
	}
	return false;
}
#define IS_LISTED(name, list) is_listed(name, list, sizeof(list) / sizeof(*(list)))

static bool is_text(const struct ik_json *json, const char *text)
{
	return ik_json_text(json) && strcmp(ik_json_text(json), text) == 0;
}

/* Is a value among those of an array? */
static bool holds_text(const struct ik_json *array, const char *text)
{
	for (struct ik_json *item = ik_json_first(array); item; item = ik_json_sibling(item)) {
		if (is_text(item, text))
			return true;
	}
	return false;
}

/* Remove annotations that would be refused; return false if meaning would be lost. */
static bool keep_taken(struct ik_json *schema)
{
	struct ik_json *member = ik_json_first(schema), *next;

	for (; member; member = next) {
		const char *name = ik_json_name(member);

		next = ik_json_sibling(member);
		if (IS_LISTED(name, refused))
			return false;
		if (!IS_LISTED(name, taken) ||
			(strcmp(name, "format") == 0 &&
				!(ik_json_text(member) && IS_LISTED(ik_json_text(member), formats))))
			ik_json_free(ik_json_detach(schema, member));
	}
	return true;
}

/* Does a schema allow null? For a reference, the target decides. */
static bool allows_null(const struct ik_json *schema)
{
	const struct ik_json *type = ik_json_get(schema, "type");
	const struct ik_json *choice = ik_json_first(ik_json_get(schema, "anyOf"));

	for (; choice; choice = ik_json_sibling(choice)) {
		if (allows_null(choice))
			return true;
	}
	return is_text(type, "null") || holds_text(type, "null");
}

static struct ik_json *null_type(void)
{
	struct ik_json *schema = ik_json_new_object();

	ik_json_add(schema, "type", ik_json_new_text("null"));
	return schema;
}

/* Make {"anyOf":[schema]} with the description moved out of the schema. */
static struct ik_json *choice_of(struct ik_json *schema)
{
	struct ik_json *wrapper = ik_json_new_object(), *choices = ik_json_new_array();
	struct ik_json *description = ik_json_get(schema, "description");

	if (description)
		ik_json_add(wrapper, "description", ik_json_detach(schema, description));
	ik_json_append(choices, schema);
	ik_json_add(wrapper, "anyOf", choices);
	return wrapper;
}

/* Allow null for schema, a property in properties. */
static void make_nullable(struct ik_json *properties, struct ik_json *schema)
{
	struct ik_json *type = ik_json_get(schema, "type"), *types, *wrapper;
	struct ik_json *choices = ik_json_get(schema, "anyOf");

	if (allows_null(schema))
		return;
	if (choices) {
		ik_json_append(choices, null_type());
	} else if (type && !ik_json_get(schema, "enum") && !ik_json_get(schema, "const")) {
		types = ik_json_type(type) == IK_JSON_ARRAY ? ik_json_copy(type) : ik_json_new_array();
		if (ik_json_type(type) != IK_JSON_ARRAY)
			ik_json_append(types, ik_json_copy(type));
		ik_json_append(types, ik_json_new_text("null"));
		ik_json_set(schema, "type", types);
	} else {
		wrapper = choice_of(ik_json_copy(schema));
		ik_json_append(ik_json_get(wrapper, "anyOf"), null_type());
		ik_json_set(properties, ik_json_name(schema), wrapper);
	}
}

/* Is it a local reference that strict mode supports: "#", or a name in $defs? */
static bool is_plain_reference(const struct conversion *conversion, const struct ik_json *reference)
{
	const char *text = ik_json_text(reference);

	if (!text)
		return false;
	if (strcmp(text, "#") == 0)
		return true;
	return ik_text_starts(text, "#/$defs/") && !strpbrk(text + 8, "/~%") &&
		ik_json_get(ik_json_get(conversion->root, "$defs"), text + 8);
}

/* Require every property; those that were optional may be null. */
static bool convert_object(struct conversion *conversion, struct ik_json *schema, int depth)
{
	struct ik_json *properties = ik_json_get(schema, "properties"), *required, *property, *next;
	struct ik_json *additional = ik_json_get(schema, "additionalProperties");
	struct ik_json *names = ik_json_new_array();

	bool closed = additional && ik_json_type(additional) == IK_JSON_BOOL &&
		!ik_json_is_true(additional);
	if ((additional && !closed) || (!properties && !closed && schema != conversion->root)) {
		ik_json_free(names);
		return false; /* it is meant to accept any member */
	}
	required = ik_json_get(schema, "required");
	for (property = ik_json_first(properties); property; property = next) {
		bool optional = !holds_text(required, ik_json_name(property));

		next = ik_json_sibling(property);
		conversion->name_bytes += strlen(ik_json_name(property));
		if (++conversion->properties > PROPERTIES_MAX ||
			!convert(conversion, property, depth + 1)) {
			ik_json_free(names);
			return false;
		}
		ik_json_append(names, ik_json_new_text(ik_json_name(property)));
		/* May replace it with another one. */
		if (optional)
			make_nullable(properties, property);
	}
	if (!properties)
		ik_json_set(schema, "properties", ik_json_new_object());
	ik_json_set(schema, "required", names);
	ik_json_set(schema, "additionalProperties", ik_json_new_bool(false));
	return true;
}

/* Make sure that values have a single type, adding it if missing. */
static bool convert_values(struct conversion *conversion, struct ik_json *schema)
{
	struct ik_json *list = ik_json_get(schema, "enum"), *only = ik_json_get(schema, "const"),
				   *value;
	enum ik_json_type kind = ik_json_type(only ? only : ik_json_first(list));

	if (list && ik_json_type(list) != IK_JSON_ARRAY)
		return false;
	if (kind != IK_JSON_STRING && kind != IK_JSON_NUMBER && kind != IK_JSON_BOOL)
		return false;
	for (value = ik_json_first(list); value; value = ik_json_sibling(value)) {
		if (++conversion->enum_values > ENUM_VALUES_MAX ||
			(ik_json_type(value) != kind && ik_json_type(value) != IK_JSON_NULL))
			return false;
		if (kind == IK_JSON_STRING && ik_json_text(value))
			conversion->name_bytes += strlen(ik_json_text(value));
	}
	if (!ik_json_get(schema, "type"))
		ik_json_add(schema, "type", ik_json_new_text(ik_json_type_name(kind)));
	return true;
}

static bool convert_choices(struct conversion *conversion, struct ik_json *schema, int depth)
{
	struct ik_json *choices = ik_json_get(schema, "anyOf"), *choice, *next;
	size_t described = (!!ik_json_get(schema, "description")) + (!!ik_json_get(schema, "title")) +
		(!!ik_json_get(schema, "$defs"));

	/* Anything beside the alternatives would have to be repeated in each of them. */
	if (schema == conversion->root || ik_json_size(schema) != described + 1 ||
		ik_json_type(choices) != IK_JSON_ARRAY || !ik_json_first(choices))
		return false;
	for (choice = ik_json_first(choices); choice; choice = next) {
		next = ik_json_sibling(choice);
		if (!convert(conversion, choice, depth))
			return false;
	}
	return true;
}

/* A reference must be alone: its annotations go into an object around it. */
static bool convert_reference(struct conversion *conversion, struct ik_json *schema)
{
	struct ik_json *reference = ik_json_get(schema, "$ref"), *target, *choices;
	size_t described = (!!ik_json_get(schema, "description")) + (!!ik_json_get(schema, "title"));

	if (schema == conversion->root || !is_plain_reference(conversion, reference) ||
		ik_json_size(schema) != described + 1)
		return false;
	if (described) {
		target = ik_json_new_object();
		ik_json_add(target, "$ref", ik_json_detach(schema, reference));
		choices = ik_json_new_array();
		ik_json_append(choices, target);
		ik_json_add(schema, "anyOf", choices);
	}
	return true;
}

static bool has_type(const struct ik_json *schema, const char *name)
{
	const struct ik_json *type = ik_json_get(schema, "type");

	return is_text(type, name) || holds_text(type, name);
}

/* Convert one schema and everything inside it to strict form, in place. */
static bool convert(struct conversion *conversion, struct ik_json *schema, int depth)
{
	if (ik_json_type(schema) != IK_JSON_OBJECT || depth > DEPTH_MAX || !keep_taken(schema))
		return false;
	if (schema != conversion->root && ik_json_get(schema, "$defs"))
		return false;
	if (ik_json_get(schema, "$ref"))
		return convert_reference(conversion, schema);
	if (ik_json_get(schema, "anyOf"))
		return convert_choices(conversion, schema, depth);
	if ((ik_json_get(schema, "enum") || ik_json_get(schema, "const")) &&
		!convert_values(conversion, schema))
		return false;
	if (!ik_json_get(schema, "type"))
		return false;
	if (has_type(schema, "object") && !convert_object(conversion, schema, depth))
		return false;
	return !has_type(schema, "array") ||
		convert(conversion, ik_json_get(schema, "items"), depth + 1);
}

/* Return the strict form of a schema as a new tree, or NULL. */
static struct ik_json *strict_form(struct ik_json_span schema)
{
	struct conversion conversion = { .root = ik_json_parse(schema.text, schema.length, NULL) };
	struct ik_json *definition = ik_json_first(ik_json_get(conversion.root, "$defs")), *next;
	bool fits = conversion.root && is_text(ik_json_get(conversion.root, "type"), "object");

	for (; definition && fits; definition = next) {
		next = ik_json_sibling(definition);
		fits = convert(&conversion, definition, 1);
	}
	fits = fits && convert(&conversion, conversion.root, 0) &&
		conversion.name_bytes <= NAME_BYTES_MAX;
	return fits ? conversion.root : ik_json_free(conversion.root);
}

bool ik_openai_put_strict_schema(struct ik_buf *out, struct ik_json_span schema)
{
	struct ik_json *strict = strict_form(schema);

	if (!strict)
		return false;
	ik_json_print(strict, out);
	ik_json_free(strict);
	return true;
}

/* ---- the way back ---- */

/* Removing the nulls from a value, by the schema before it became strict. */
struct cleaning {
	const struct ik_json *root;
	bool changed;
};

static void clean(struct cleaning *cleaning, const struct ik_json *schema, struct ik_json *value);

static const struct ik_json *follow(const struct cleaning *cleaning, const struct ik_json *schema)
{
	/* A longer chain of references is circular. */
	for (int steps = 0; steps < 16; steps++) {
		const char *reference = ik_json_text(ik_json_get(schema, "$ref"));

		if (!reference)
			return schema;
		schema = ik_text_starts(reference, "#/$defs/")
			? ik_json_get(ik_json_get(cleaning->root, "$defs"), reference + 8)
			: cleaning->root;
	}
	return NULL;
}

/* The same through references and lists of values. */
static bool takes_null(const struct cleaning *cleaning, const struct ik_json *schema)
{
	const struct ik_json *target = follow(cleaning, schema);
	const struct ik_json *choice = ik_json_first(ik_json_get(target, "anyOf"));
	const struct ik_json *value = ik_json_first(ik_json_get(target, "enum"));

	for (; choice; choice = ik_json_sibling(choice)) {
		if (takes_null(cleaning, choice))
			return true;
	}
	for (; value && !ik_json_get(target, "type"); value = ik_json_sibling(value)) {
		if (ik_json_type(value) == IK_JSON_NULL)
			return true;
	}
	return allows_null(target);
}

static void clean_object(struct cleaning *cleaning, const struct ik_json *schema,
	struct ik_json *value)
{
	const struct ik_json *required = ik_json_get(schema, "required");
	const struct ik_json *property = ik_json_first(ik_json_get(schema, "properties"));

	for (; property; property = ik_json_sibling(property)) {
		struct ik_json *member = ik_json_get(value, ik_json_name(property));

		if (!member)
			continue;
		if (ik_json_type(member) != IK_JSON_NULL) {
			clean(cleaning, property, member);
		} else if (!holds_text(required, ik_json_name(property)) &&
			!takes_null(cleaning, property)) {
			ik_json_free(ik_json_detach(value, member));
			cleaning->changed = true;
		}
	}
}

/* Use the first alternative that the value matches once its nulls are removed. */
static void clean_choice(struct cleaning *cleaning, const struct ik_json *choices,
	struct ik_json *value)
{
	const struct ik_json *choice = ik_json_first(choices);

	for (; choice; choice = ik_json_sibling(choice)) {
		struct cleaning trial = { .root = cleaning->root };
		struct ik_json *copy = ik_json_copy(value);
		struct ik_json *schema = ik_json_copy(follow(cleaning, choice));
		const struct ik_json *definitions = ik_json_get(cleaning->root, "$defs");
		bool fits;

		clean(&trial, choice, copy);
		if (schema && definitions && !ik_json_get(schema, "$defs"))
			ik_json_add(schema, "$defs", ik_json_copy(definitions));
		fits = schema && ik_schema_validate(schema, copy, NULL) == IK_OK;
		ik_json_free(schema);
		ik_json_free(copy);
		if (fits) {
			clean(cleaning, choice, value);
			return;
		}
	}
}

static void clean(struct cleaning *cleaning, const struct ik_json *schema, struct ik_json *value)
{
	const struct ik_json *target = follow(cleaning, schema);
	struct ik_json *item = ik_json_first(value);

	if (ik_json_get(target, "anyOf"))
		clean_choice(cleaning, ik_json_get(target, "anyOf"), value);
	else if (ik_json_type(value) == IK_JSON_OBJECT)
		clean_object(cleaning, target, value);
	else if (ik_json_type(value) == IK_JSON_ARRAY)
		for (; item; item = ik_json_sibling(item))
			clean(cleaning, ik_json_get(target, "items"), item);
}

bool ik_openai_put_without_nulls(struct ik_buf *out, struct ik_json_span schema,
	struct ik_json_span arguments)
{
	struct ik_json *root, *value, *strict;
	struct cleaning cleaning = { NULL, false };

	/* Most calls contain none; find out without building a tree. */
	if (!memmem(arguments.text, arguments.length, "null", 4))
		return false;
	strict = strict_form(schema);
	root = ik_json_parse(schema.text, schema.length, NULL);
	value = ik_json_parse(arguments.text, arguments.length, NULL);
	cleaning.root = root;
	if (strict && root && value)
		clean(&cleaning, root, value);
	if (cleaning.changed)
		ik_json_print(value, out);
	ik_json_free(value);
	ik_json_free(root);
	ik_json_free(strict);
	return cleaning.changed;
}
