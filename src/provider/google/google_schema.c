#include "provider/google/google.h"

#include <stdlib.h>
#include <string.h>

#include "json/pointer.h"
#include "provider/wire/wire.h"

/* Limits on the depth and number of schemas written; anything beyond becomes a string. */
#define DEPTH_MAX 16
#define SCHEMAS_MAX 2000
/* Gemini has no references. A schema that refers to itself is nested in itself this many times, or
 * fewer if it branches so much that REPEATED_SCHEMAS_MAX schemas are not enough. */
#define REPEATS_MAX 6
#define REPEATED_SCHEMAS_MAX 300
/* A schema, what it refers to, and the parts of its allOf. */
#define SOURCES_MAX 24

/* The rewriting of one schema. */
struct rewrite {
	struct ik_json_span root; /* what references are relative to */
	int count;                /* schemas written so far */
	int repeats;              /* how many times one may be nested in itself */
	bool cut;                 /* one would have been nested once more */
};

/* All objects that together describe a value; the first that has a keyword wins. */
struct sources {
	struct rewrite *rewrite;
	const struct sources *around; /* those of the enclosing schema, or NULL */
	struct ik_json_span list[SOURCES_MAX];
	size_t count;
	bool nullable;
	bool shallow; /* its inside is not written: it would not end */
	int depth;
};

static void put(struct ik_buf *out, const struct sources *around, struct ik_json_span schema,
	struct ik_json_span description);

static bool is_null_type(struct ik_json_span schema)
{
	return ik_json_string_is(ik_json_member(schema, "type"), "null");
}

/* Is a schema already nested in these as often as allowed? */
static bool is_repeated(const struct sources *sources, struct ik_json_span schema)
{
	int times = 0;

	for (const struct sources *around = sources->around; around; around = around->around) {
		for (size_t index = 0; index < around->count; index++) {
			if (around->list[index].text == schema.text) {
				times++;
				break;
			}
		}
	}
	return times > sources->rewrite->repeats;
}

/* Add a schema and its parts. */
static void add_source(struct sources *sources, struct ik_json_span schema)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value, only = { NULL, 0 };
	size_t left = 0;

	if (ik_json_span_type(schema) != IK_JSON_OBJECT || sources->count == SOURCES_MAX)
		return;
	for (size_t index = 0; index < sources->count; index++) {
		if (sources->list[index].text == schema.text)
			return;
	}
	sources->list[sources->count++] = schema;
	value = ik_json_member(schema, "$ref");
	if (value.text) {
		struct ik_json_span referred = ik_json_referred(sources->rewrite->root, value);

		if (referred.text && is_repeated(sources, referred))
			sources->shallow = sources->rewrite->cut = true;
		add_source(sources, referred);
	}
	while (ik_json_next(ik_json_member(schema, "allOf"), &walk, &key, &value))
		add_source(sources, value);
	/* "this or null" becomes just "this". */
	for (int index = 0; index < 2; index++) {
		struct ik_json_span choices = ik_json_member(schema, index ? "oneOf" : "anyOf");

		walk = (struct ik_json_walk){ 0 };
		left = 0;
		while (ik_json_next(choices, &walk, &key, &value)) {
			if (is_null_type(value)) {
				sources->nullable = true;
			} else {
				only = value;
				left++;
			}
		}
		if (left == 1)
			add_source(sources, only);
	}
}

static struct ik_json_span find(const struct sources *sources, const char *name)
{
	struct ik_json_span value = { NULL, 0 };

	for (size_t index = 0; index < sources->count && !value.text; index++)
		value = ik_json_member(sources->list[index], name);
	return value;
}

/* Does an earlier source than number last have a property of this name (a raw string)? */
static bool has_property(const struct sources *sources, size_t last, struct ik_json_span name)
{
	char *text = ik_json_string_new(name, NULL);
	bool found = false;

	for (size_t index = 0; text && index < last && !found; index++)
		found = ik_json_member(ik_json_member(sources->list[index], "properties"), text).text;
	free(text);
	return found;
}

static void put_properties(struct ik_buf *out, const struct sources *sources)
{
	struct ik_json_span key, value;
	bool any = false;

	for (size_t index = 0; index < sources->count; index++) {
		struct ik_json_walk walk = { 0 };
		struct ik_json_span properties = ik_json_member(sources->list[index], "properties");

		if (ik_json_span_type(properties) != IK_JSON_OBJECT)
			continue;
		while (ik_json_next(properties, &walk, &key, &value)) {
			struct ik_json_span none = { NULL, 0 };

			if (has_property(sources, index, key))
				continue;
			if (!any)
				ik_json_printf(out, "'properties':{");
			any = true;
			ik_json_printf(out, "%.*s:", IK_WIRE_SPAN(key));
			put(out, sources, value, none);
		}
	}
	if (any)
		ik_json_printf(out, "}");
}

/* Write the names of properties that exist; others would be refused. */
static void put_required(struct ik_buf *out, const struct sources *sources)
{
	struct ik_json_span key, name;
	bool any = false;

	for (size_t index = 0; index < sources->count; index++) {
		struct ik_json_walk walk = { 0 };
		struct ik_json_span required = ik_json_member(sources->list[index], "required");

		if (ik_json_span_type(required) != IK_JSON_ARRAY)
			continue;
		while (ik_json_next(required, &walk, &key, &name)) {
			if (!has_property(sources, sources->count, name))
				continue;
			ik_json_printf(out, any ? "%.*s" : "'required':[%.*s", IK_WIRE_SPAN(name));
			any = true;
		}
	}
	if (any)
		ik_json_printf(out, "]");
}

static void put_items(struct ik_buf *out, const struct sources *sources)
{
	static const char text_only[] = "{\"type\":\"string\"}";
	struct ik_json_span items = find(sources, "items"), none = { NULL, 0 };

	/* The first of a tuple's schemas is used for all elements. */
	if (ik_json_span_type(items) != IK_JSON_OBJECT && find(sources, "prefixItems").text)
		items = find(sources, "prefixItems");
	if (ik_json_span_type(items) == IK_JSON_ARRAY)
		items = ik_json_at(items, "0");
	if (ik_json_span_type(items) != IK_JSON_OBJECT || sources->shallow)
		items = (struct ik_json_span){ text_only, sizeof(text_only) - 1 };
	ik_json_printf(out, "'items':");
	put(out, sources, items, none);
}

/* Only strings can be listed; a constant is a list of one. */
static void put_enum(struct ik_buf *out, const struct sources *sources)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value, only = find(sources, "const");
	bool any = false;

	if (ik_json_span_type(only) == IK_JSON_STRING) {
		ik_json_printf(out, "'enum':[%.*s]", IK_WIRE_SPAN(only));
		return;
	}
	struct ik_json_span list = find(sources, "enum");

	if (ik_json_span_type(list) != IK_JSON_ARRAY)
		return;
	while (ik_json_next(list, &walk, &key, &value)) {
		if (ik_json_span_type(value) != IK_JSON_STRING || ik_json_string_is(value, ""))
			continue;
		ik_json_printf(out, any ? "%.*s" : "'enum':[%.*s", IK_WIRE_SPAN(value));
		any = true;
	}
	if (any)
		ik_json_printf(out, "]");
}

/* Write a bound; an exclusive one becomes the next integer, for integers. */
static void put_bound(struct ik_buf *out, const struct sources *sources, bool whole, bool upper)
{
	struct ik_json_span bound = find(sources, upper ? "maximum" : "minimum");
	bool exclusive = ik_json_span_type(bound) != IK_JSON_NUMBER;
	int64_t number;

	if (exclusive)
		bound = find(sources, upper ? "exclusiveMaximum" : "exclusiveMinimum");
	if (ik_json_span_type(bound) != IK_JSON_NUMBER)
		return;
	ik_json_key(out, upper ? "maximum" : "minimum");
	if (exclusive && whole && ik_json_integer(bound, &number) && number > -INT32_MAX &&
		number < INT32_MAX)
		ik_json_put_integer(out, upper ? number - 1 : number + 1);
	else
		ik_json_put_raw(out, bound);
}

/* Write keywords that are passed through if their value has the right type. */
static void put_plain(struct ik_buf *out, const struct sources *sources, const char *const *names,
	enum ik_json_type type)
{
	for (; *names; names++) {
		struct ik_json_span value = find(sources, *names);

		if (ik_json_span_type(value) != type)
			continue;
		ik_json_key(out, *names);
		ik_json_put_raw(out, value);
	}
}

/* Write a format, if it is one of the few that are known for the type. */
static void put_format(struct ik_buf *out, const struct sources *sources, const char *type)
{
	static const struct {
		const char *type, *format;
	} known[] = {
		{ "string", "date-time" },
		{ "integer", "int32" },
		{ "integer", "int64" },
		{ "number", "float" },
		{ "number", "double" },
	};
	struct ik_json_span format = find(sources, "format");

	for (size_t index = 0; index < sizeof(known) / sizeof(*known); index++) {
		if (strcmp(known[index].type, type) == 0 && ik_json_string_is(format, known[index].format))
			ik_json_printf(out, "'format':'%s'", known[index].format);
	}
}

static const char *const type_names[] = { "object", "array", "string", "integer", "number",
	"boolean", NULL };

/* Does a type, a name or a list of names, allow this one? */
static bool has_type(struct ik_json_span type, const char *name)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value;

	if (ik_json_span_type(type) == IK_JSON_STRING)
		return ik_json_string_is(type, name);
	while (ik_json_next(type, &walk, &key, &value)) {
		if (ik_json_string_is(value, name))
			return true;
	}
	return false;
}

/* Find the types that a schema allows, as indexes into type_names; return their number. */
static size_t find_types(struct sources *sources, size_t *ret_types)
{
	struct ik_json_span type = find(sources, "type");
	size_t count = 0;

	if (has_type(type, "null"))
		sources->nullable = true;
	for (size_t index = 0; type_names[index]; index++) {
		if (has_type(type, type_names[index]))
			ret_types[count++] = index;
	}
	return count;
}

/* Guess the type of a schema without one from its other keywords. */
static const char *guess_type(const struct sources *sources)
{
	if (find(sources, "properties").text)
		return "object";
	if (find(sources, "items").text || find(sources, "prefixItems").text)
		return "array";
	switch (ik_json_span_type(find(sources, "const"))) {
	case IK_JSON_BOOL:
		return "boolean";
	case IK_JSON_NUMBER:
		return "number";
	default:
		return ik_json_span_type(ik_json_at(find(sources, "enum"), "0")) == IK_JSON_NUMBER
			? "number"
			: "string";
	}
}

static void put_typed(struct ik_buf *out, struct sources *sources, const char *type,
	struct ik_json_span description)
{
	static const char *const array_words[] = { "minItems", "maxItems", NULL };
	static const char *const text_words[] = { "minLength", "maxLength", NULL };
	static const char *const pattern_word[] = { "pattern", NULL };

	ik_json_printf(out, "{'type':'%s'", type);
	if (ik_json_span_type(description) == IK_JSON_STRING)
		ik_json_printf(out, "'description':%.*s", IK_WIRE_SPAN(description));
	if (sources->nullable)
		ik_json_printf(out, "'nullable':true");
	if (strcmp(type, "object") == 0) {
		if (!sources->shallow) {
			put_properties(out, sources);
			put_required(out, sources);
		}
	} else if (strcmp(type, "array") == 0) {
		put_items(out, sources);
		put_plain(out, sources, array_words, IK_JSON_NUMBER);
	} else if (strcmp(type, "string") == 0) {
		put_enum(out, sources);
		put_format(out, sources, type);
		put_plain(out, sources, text_words, IK_JSON_NUMBER);
		put_plain(out, sources, pattern_word, IK_JSON_STRING);
	} else if (strcmp(type, "boolean") != 0) {
		put_format(out, sources, type);
		put_bound(out, sources, strcmp(type, "integer") == 0, false);
		put_bound(out, sources, strcmp(type, "integer") == 0, true);
	}
	ik_json_printf(out, "}");
}

/* Write the alternatives of anyOf or oneOf if there are at least two; return false otherwise. */
static bool put_choices(struct ik_buf *out, const struct sources *sources,
	struct ik_json_span description)
{
	struct ik_json_span choices = find(sources, "anyOf"), key, value;
	struct ik_json_walk walk = { 0 };
	size_t count = 0;

	if (ik_json_span_type(choices) != IK_JSON_ARRAY)
		choices = find(sources, "oneOf");
	while (ik_json_next(choices, &walk, &key, &value))
		count += !is_null_type(value);
	if (count < 2 || ik_json_span_type(choices) != IK_JSON_ARRAY)
		return false;
	/* anyOf must be alone in its object. */
	ik_json_printf(out, "{'anyOf':[");
	walk = (struct ik_json_walk){ 0 };
	while (ik_json_next(choices, &walk, &key, &value)) {
		if (!is_null_type(value))
			put(out, sources, value, description);
	}
	ik_json_printf(out, "]}");
	return true;
}

/* Does a self-referring schema exceed the limit? Then it is dropped. */
static bool is_too_much(const struct rewrite *rewrite)
{
	return rewrite->cut && rewrite->repeats > 0 && rewrite->count > REPEATED_SCHEMAS_MAX;
}

/* Append a schema; description is inherited by one that has none. */
static void put(struct ik_buf *out, const struct sources *around, struct ik_json_span schema,
	struct ik_json_span description)
{
	struct rewrite *rewrite = around->rewrite;
	struct sources sources = { .rewrite = rewrite, .around = around, .depth = around->depth + 1 };
	size_t types[sizeof(type_names) / sizeof(*type_names)];
	bool nullable = false;

	if (is_too_much(rewrite))
		return;
	if (sources.depth <= DEPTH_MAX && rewrite->count++ < SCHEMAS_MAX)
		add_source(&sources, schema);
	if (find(&sources, "description").text)
		description = find(&sources, "description");
	if (ik_json_bool(find(&sources, "nullable"), &nullable) && nullable)
		sources.nullable = true;
	size_t count = find_types(&sources, types);
	/* An object describes itself; "at least one of" cannot be expressed in Gemini's dialect. */
	if (!sources.shallow && !find(&sources, "properties").text &&
		put_choices(out, &sources, description))
		return;
	if (count < 2) {
		put_typed(out, &sources, count ? type_names[types[0]] : guess_type(&sources), description);
		return;
	}
	ik_json_printf(out, "{'anyOf':[");
	for (size_t index = 0; index < count; index++)
		put_typed(out, &sources, type_names[types[index]], description);
	ik_json_printf(out, "]}");
}

void ik_google_put_schema(struct ik_buf *out, struct ik_json_span schema)
{
	struct ik_json_span none = { NULL, 0 };
	size_t begin = out->length;

	for (int repeats = REPEATS_MAX;; repeats /= 2) {
		struct rewrite rewrite = { .root = schema, .repeats = repeats };
		struct sources outermost = { .rewrite = &rewrite };

		put(out, &outermost, schema, none);
		if (!is_too_much(&rewrite))
			return;
		ik_buf_truncate(out, begin);
	}
}
