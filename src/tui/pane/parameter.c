#include "tui/pane/parameter.h"

#include <stdlib.h>
#include <string.h>

#include "json/pointer.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define MOST_READ IK_MIB(4) /* a few milliseconds */
#define LONGEST_CHAIN 8     /* of references to references */
#define DEEPEST 4           /* depth of nested alternatives */
#define MOST_VALUES 12      /* of an enum; the rest are only in the schema */
#define MOST_BYTES 400
#define OR " | "

/* Does a schema itself restrict its values? */
static bool says_what(struct ik_json_span schema)
{
	static const char *const members[] = { "type", "enum", "const", "anyOf", "oneOf" };

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (ik_json_member(schema, members[i]).text)
			return true;
	return false;
}

/* Return what a schema without restrictions refers to; no value if nothing. */
static struct ik_json_span next_of(struct ik_parameter_root *root, struct ik_json_span schema)
{
	struct ik_json_span reference = ik_json_member(schema, "$ref");
	struct ik_json_span parts = ik_json_member(schema, "allOf");

	if (reference.text && root->read + root->schema.length <= MOST_READ) {
		root->read += root->schema.length;
		return ik_json_referred(root->schema, reference);
	}
	if (!reference.text && ik_json_span_type(parts) == IK_JSON_ARRAY && ik_json_count(parts) == 1)
		return ik_json_at(parts, "0");
	return (struct ik_json_span){ NULL, 0 };
}

struct ik_json_span ik_parameter_resolve(struct ik_parameter_root *root,
	struct ik_json_span property)
{
	struct ik_json_span at = property;

	for (int i = 0; i < LONGEST_CHAIN; i++) {
		if (says_what(at))
			return at;
		struct ik_json_span next = next_of(root, at);

		if (!next.text)
			return at;
		at = next;
	}
	return property;
}

struct ik_json_span ik_parameter_member(struct ik_parameter_root *root,
	struct ik_json_span property, const char *name)
{
	struct ik_json_span member = ik_json_member(property, name);

	if (member.text)
		return member;
	return ik_json_member(ik_parameter_resolve(root, property), name);
}

bool ik_parameter_is_required(struct ik_json_span schema, struct ik_json_span key)
{
	char *name = ik_json_string_new(key, NULL);
	struct ik_json_walk walk = { 0 };
	struct ik_json_span one;
	bool found = false;

	while (!found && ik_json_next(ik_json_member(schema, "required"), &walk, NULL, &one))
		found = ik_json_string_is(one, name);
	free(name);
	return found;
}

/* Free the choices of a parameter. */
static void free_choices(struct ik_parameter_values *parameter)
{
	for (size_t i = 0; i < parameter->choice_count; i++)
		free(parameter->choices[i]);
	free(parameter->choices);
	parameter->choices = NULL;
	parameter->choice_count = 0;
}

/* The values of a parameter found so far. */
struct found {
	struct ik_parameter_root *root;
	struct ik_parameter_values *parameter;
	bool values;         /* list the values of an enum, not just their types */
	bool open;           /* the choices are not the only values */
	bool any;            /* cannot be described in a few words */
	bool text;           /* texts */
	bool other;          /* types other than text and null */
	size_t said;         /* number of descriptions appended */
	struct ik_buf words; /* OR, then the descriptions, each followed by OR */
};

/* Append a description once, up to a readable number and size. */
static void say(struct found *found, const char *text, size_t length)
{
	struct ik_buf *words = &found->words, one;

	if (found->said > MOST_VALUES)
		return;
	if (found->said == MOST_VALUES || words->length > MOST_BYTES || length > MOST_BYTES) {
		text = "...";
		length = strlen(text);
	}
	if (words->length == 0)
		ik_buf_puts(words, OR);
	ik_buf_init(&one, IK_KIB(4));
	ik_buf_printf(&one, OR "%.*s" OR, (int)length, text);
	if (!memmem(words->data, words->length, one.data, one.length)) {
		ik_buf_puts(words, one.data + strlen(OR));
		found->said++;
	}
	ik_buf_done(&one);
}

/* Add a choice; null only once, as it is often both a value and a type. */
static void add_choice(struct found *found, struct ik_json_span value)
{
	struct ik_parameter_values *parameter = found->parameter;
	enum ik_json_type type = ik_json_span_type(value);

	found->text |= type == IK_JSON_STRING;
	found->other |= type != IK_JSON_STRING && type != IK_JSON_NULL;
	if (type == IK_JSON_NULL && parameter->may_be_null)
		return;
	parameter->may_be_null |= type == IK_JSON_NULL;
	parameter->choices = ik_alloc_array(parameter->choices, parameter->choice_count + 1,
		sizeof(char *));
	parameter->choices[parameter->choice_count++] = ik_strndup(value.text, value.length);
}

/* Add a value of an enum or a const; named is the type in its schema, if any. */
static void add_value(struct found *found, struct ik_json_span value, struct ik_json_span named)
{
	const char *type = ik_json_type_name(ik_json_span_type(value));

	add_choice(found, value);
	if (found->values)
		say(found, value.text, value.length);
	else if (ik_json_span_type(named) == IK_JSON_STRING)
		say(found, named.text + 1, named.length - 2);
	else
		say(found, type, strlen(type));
}

/* Append the bounds of a number, if any: " 1..10", " >= 1", " > 0 <= 5". */
static void put_bounds(struct ik_buf *out, struct ik_json_span property)
{
	static const struct {
		const char *member, *sign;
	} bounds[] = {
		{ "minimum", ">=" },
		{ "exclusiveMinimum", ">" },
		{ "maximum", "<=" },
		{ "exclusiveMaximum", "<" },
	};
	struct ik_json_span least = ik_json_member(property, "minimum");
	struct ik_json_span most = ik_json_member(property, "maximum");

	if (ik_json_span_type(least) == IK_JSON_NUMBER && ik_json_span_type(most) == IK_JSON_NUMBER) {
		ik_buf_printf(out, " %.*s..%.*s", (int)least.length, least.text, (int)most.length,
			most.text);
		return;
	}
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		struct ik_json_span bound = ik_json_member(property, bounds[i].member);

		if (ik_json_span_type(bound) == IK_JSON_NUMBER)
			ik_buf_printf(out, " %s %.*s", bounds[i].sign, (int)bound.length, bound.text);
	}
}

/* Add a type by its name, with details from its schema: an array's items, a number's bounds. */
static void add_type(struct found *found, struct ik_json_span name, struct ik_json_span schema)
{
	struct ik_json_span items = ik_json_member(schema, "items");
	bool number = ik_json_string_is(name, "integer") || ik_json_string_is(name, "number");
	struct ik_buf words;

	if (ik_json_span_type(name) != IK_JSON_STRING) {
		found->any = true;
		return;
	}
	ik_buf_init(&words, IK_LIMIT_SCHEMA);
	if (ik_json_string_is(name, "array") &&
		ik_json_string(ik_json_member(ik_parameter_resolve(found->root, items), "type"), &words))
		ik_buf_puts(&words, "[]");
	else
		ik_json_string(name, &words);
	if (number)
		put_bounds(&words, schema);
	say(found, words.data, words.length);
	ik_buf_done(&words);
	if (ik_json_string_is(name, "null")) {
		add_choice(found, (struct ik_json_span){ "null", 4 });
	} else if (ik_json_string_is(name, "boolean")) {
		add_choice(found, (struct ik_json_span){ "true", 4 });
		add_choice(found, (struct ik_json_span){ "false", 5 });
	} else {
		bool text = ik_json_string_is(name, "string");

		found->open = true;
		found->text |= text;
		found->other |= !text;
	}
}

/* Add the values that a schema allows. */
static void add_schema(struct found *found, struct ik_json_span schema, int depth)
{
	schema = ik_parameter_resolve(found->root, schema);
	struct ik_json_span type = ik_json_member(schema, "type"), one;
	struct ik_json_span listed = ik_json_member(schema, "enum");
	struct ik_json_span constant = ik_json_member(schema, "const");
	struct ik_json_span any = ik_json_member(schema, "anyOf");
	struct ik_json_span list = any.text ? any : ik_json_member(schema, "oneOf");
	struct ik_json_walk walk = { 0 };

	if (ik_json_span_type(listed) == IK_JSON_ARRAY) {
		while (ik_json_next(listed, &walk, NULL, &one))
			add_value(found, one, type);
	} else if (constant.text) {
		add_value(found, constant, type);
	} else if (ik_json_span_type(type) == IK_JSON_STRING) {
		add_type(found, type, schema);
	} else if (ik_json_span_type(type) == IK_JSON_ARRAY) {
		while (ik_json_next(type, &walk, NULL, &one))
			add_type(found, one, schema);
	} else if (type.text || ik_json_span_type(list) != IK_JSON_ARRAY || depth == DEEPEST) {
		found->any = true;
	} else {
		while (ik_json_next(list, &walk, NULL, &one))
			add_schema(found, one, depth + 1);
	}
}

void ik_parameter_read(struct ik_parameter_values *ret_parameter, struct ik_parameter_root *root,
	struct ik_json_span property, bool values)
{
	struct found found = { .root = root, .parameter = ret_parameter, .values = values };

	*ret_parameter = (struct ik_parameter_values){ 0 };
	ik_buf_init(&found.words, IK_LIMIT_SCHEMA);
	add_schema(&found, property, 0);
	ret_parameter->is_text = found.text && !found.other && !found.any;
	if (found.open || found.any)
		free_choices(ret_parameter);
	ret_parameter->type = found.any || found.words.length == 0
		? ik_strdup(_("any type"))
		: ik_strndup(found.words.data + strlen(OR), found.words.length - 2 * strlen(OR));
	ik_buf_done(&found.words);
}

void ik_parameter_done(struct ik_parameter_values *parameter)
{
	free_choices(parameter);
	free(parameter->type);
}

void ik_parameter_put_type(struct ik_buf *out, struct ik_parameter_root *root,
	struct ik_json_span property)
{
	struct ik_parameter_values parameter;

	ik_parameter_read(&parameter, root, property, true);
	ik_buf_puts(out, parameter.type);
	ik_parameter_done(&parameter);
}
