#include "tui/pane/parameter.h"

#include <stdlib.h>
#include <string.h>

#include "json/pointer.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define MOST_READ IK_MIB(4) /* a few milliseconds */
#define LONGEST_CHAIN 8     /* of references to references */
#define DEEPEST 4           /* alternatives within alternatives, */
#define DEEPEST_WORDS 3     /* and of those that are put into words */
#define MOST_VALUES 12      /* of an enum; the schema has the others */
#define MOST_BYTES 400
#define OR " | "

/* Does a schema say itself what may stand there? */
static bool says_what(struct ik_json_span schema)
{
	static const char *const members[] = { "type", "enum", "const", "anyOf", "oneOf" };

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (ik_json_member(schema, members[i]).text)
			return true;
	return false;
}

/* Where a schema that says nothing itself leads; no value: nowhere. */
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

/* Its alternatives; no value: there are none. */
static struct ik_json_span alternatives_of(struct ik_json_span schema)
{
	struct ik_json_span any = ik_json_member(schema, "anyOf");

	return any.text ? any : ik_json_member(schema, "oneOf");
}

/* What may be in a parameter, while it is being found. */
struct found {
	struct ik_parameter_root *root;
	struct ik_parameter_values *parameter;
	bool open;  /* other values than those listed */
	bool text;  /* texts */
	bool other; /* what is neither a text nor null */
};

/* Add a value, null only once: it is often among the values and the types. */
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

/* Add what a type is by its name. */
static void add_type(struct found *found, struct ik_json_span name)
{
	bool text = ik_json_string_is(name, "string");

	if (ik_json_string_is(name, "null")) {
		add_choice(found, (struct ik_json_span){ "null", 4 });
	} else if (ik_json_string_is(name, "boolean")) {
		add_choice(found, (struct ik_json_span){ "true", 4 });
		add_choice(found, (struct ik_json_span){ "false", 5 });
	} else {
		found->open = true;
		found->text |= text;
		found->other |= !text;
	}
}

/* Add what may be where a schema is, which may be the name of a type. */
static void add_schema(struct found *found, struct ik_json_span schema, int depth)
{
	if (ik_json_span_type(schema) == IK_JSON_STRING) {
		add_type(found, schema);
		return;
	}
	schema = ik_parameter_resolve(found->root, schema);
	struct ik_json_span type = ik_json_member(schema, "type"), one;
	struct ik_json_span listed = ik_json_member(schema, "enum");
	struct ik_json_span constant = ik_json_member(schema, "const");
	struct ik_json_walk walk = { 0 };

	if (ik_json_span_type(listed) == IK_JSON_ARRAY) {
		while (ik_json_next(listed, &walk, NULL, &one))
			add_choice(found, one);
		return;
	}
	if (constant.text) {
		add_choice(found, constant);
		return;
	}
	if (ik_json_span_type(type) == IK_JSON_STRING) {
		add_type(found, type);
		return;
	}
	struct ik_json_span list = type.text ? type : alternatives_of(schema);

	if (ik_json_span_type(list) != IK_JSON_ARRAY || depth == DEEPEST)
		found->open = found->other = true;
	while (depth < DEEPEST && ik_json_next(list, &walk, NULL, &one))
		add_schema(found, one, depth + 1);
}

void ik_parameter_read(struct ik_parameter_values *ret_parameter, struct ik_parameter_root *root,
	struct ik_json_span property)
{
	struct found found = { .root = root, .parameter = ret_parameter };

	*ret_parameter = (struct ik_parameter_values){ 0 };
	add_schema(&found, property, 0);
	ret_parameter->is_text = found.text && !found.other;
	if (found.open)
		ik_parameter_free_choices(ret_parameter);
}

void ik_parameter_free_choices(struct ik_parameter_values *parameter)
{
	for (size_t i = 0; i < parameter->choice_count; i++)
		free(parameter->choices[i]);
	free(parameter->choices);
	parameter->choices = NULL;
	parameter->choice_count = 0;
}

/* ---- in words ---- */

/* How much is said. */
struct words {
	struct ik_parameter_root *root;
	bool values; /* those of an enum, not their types alone */
	int depth;
};

/* Append what one of a list is; false: it is nothing that is told in a few words. */
typedef bool put_one(struct ik_buf *out, struct ik_json_span one, struct words words);

/* Are the bytes from "at" on said before, between two signs for "or"? */
static bool is_said(const struct ik_buf *out, size_t start, size_t at)
{
	size_t length = out->length - at;

	while (start < at) {
		const char *end = memmem(out->data + start, at - start, OR, strlen(OR));
		size_t said = (size_t)(end - out->data) - start;

		if (said == length && memcmp(out->data + start, out->data + at, length) == 0)
			return true;
		start += said + strlen(OR);
	}
	return false;
}

/* Append what is in a list, each once, as many as are easily read; false, and nothing is appended:
 * one of them takes anything, or there is none. */
static bool put_each(struct ik_buf *out, struct ik_json_span list, put_one *put, struct words words)
{
	struct ik_json_span one;
	struct ik_json_walk walk = { 0 };
	size_t start = out->length;

	for (size_t count = 0; ik_json_next(list, &walk, NULL, &one); count++) {
		size_t before = out->length;

		if (before > start)
			ik_buf_puts(out, OR);
		size_t at = out->length;

		if (count == MOST_VALUES || at - start > MOST_BYTES) {
			ik_buf_puts(out, "...");
			return true;
		}
		if (!put(out, one, words)) {
			ik_buf_truncate(out, start);
			return false;
		}
		if (is_said(out, start, at))
			ik_buf_truncate(out, before);
	}
	return out->length > start;
}

static bool put_value(struct ik_buf *out, struct ik_json_span value, struct words words)
{
	(void)words;
	if (value.length > MOST_BYTES)
		ik_buf_puts(out, "...");
	else
		ik_buf_append(out, value.text, value.length);
	return true;
}

static bool put_type_of(struct ik_buf *out, struct ik_json_span value, struct words words)
{
	(void)words;
	ik_buf_puts(out, ik_json_type_name(ik_json_span_type(value)));
	return true;
}

static bool put_name(struct ik_buf *out, struct ik_json_span name, struct words words)
{
	(void)words;
	return ik_json_string(name, out);
}

/* Append the bounds of a number, as far as there are any: " 1..10", " >= 1", " > 0 <= 5". */
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

/* Append the type that is named, or those; of an array what is in it. */
static bool put_named(struct ik_buf *out, struct ik_json_span property, struct words words)
{
	struct ik_json_span type = ik_json_member(property, "type");
	struct ik_json_span items = ik_json_member(property, "items");

	if (ik_json_string_is(type, "array") &&
		ik_json_string(ik_json_member(ik_parameter_resolve(words.root, items), "type"), out)) {
		ik_buf_puts(out, "[]");
		return true;
	}
	bool named = ik_json_string(type, out) || put_each(out, type, put_name, words);

	put_bounds(out, property);
	return named;
}

/* Append what a schema asks for. */
static bool put_schema(struct ik_buf *out, struct ik_json_span property, struct words words)
{
	property = ik_parameter_resolve(words.root, property);
	struct ik_json_span listed = ik_json_member(property, "enum");
	struct ik_json_span constant = ik_json_member(property, "const");

	if (ik_json_span_type(property) != IK_JSON_OBJECT || words.depth++ > DEEPEST_WORDS)
		return false;
	if (words.values && ik_json_span_type(listed) == IK_JSON_ARRAY)
		return put_each(out, listed, put_value, words);
	if (words.values && constant.text && constant.length <= MOST_BYTES)
		return put_value(out, constant, words);
	if (ik_json_member(property, "type").text)
		return put_named(out, property, words);
	if (put_each(out, listed, put_type_of, words))
		return true;
	if (constant.text)
		return put_type_of(out, constant, words);
	return put_each(out, ik_json_member(property, "anyOf"), put_schema, words) ||
		put_each(out, ik_json_member(property, "oneOf"), put_schema, words);
}

void ik_parameter_put_type(struct ik_buf *out, struct ik_parameter_root *root,
	struct ik_json_span property, bool values)
{
	struct words words = { .root = root, .values = values };
	size_t start = out->length;

	if (put_schema(out, property, words))
		return;
	ik_buf_truncate(out, start);
	ik_buf_puts(out, _("any type"));
}
