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
#define OR "\x1f" /* between descriptions: no JSON text contains it */

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
	bool found = false;

	for (struct ik_json_walk walk = ik_json_walk(ik_json_member(schema, "required"));
		 !found && ik_json_next(&walk);)
		found = ik_json_string_is(walk.value, name);
	free(name);
	return found;
}

static void free_choices(struct ik_parameter_values *parameter)
{
	for (size_t i = 0; i < parameter->choice_count; i++)
		free(parameter->choices[i]);
	free(parameter->choices);
	parameter->choices = NULL;
	parameter->choice_count = 0;
}

/* The types in words. */
static const struct type_words {
	const char *type, *words, *list;
} type_words[] = {
	{ "string", N_("text"), N_("list of texts") },
	{ "integer", N_("whole number"), N_("list of whole numbers") },
	{ "number", N_("number"), N_("list of numbers") },
	{ "boolean", N_("true or false"), N_("list of true or false") },
	{ "object", N_("object"), N_("list of objects") },
	{ "array", N_("list"), N_("list of lists") },
	{ "null", "null", N_("list") },
};

/* Return the words for a type; NULL: it is none of them. */
static const struct type_words *words_of(struct ik_json_span name)
{
	for (size_t i = 0; i < sizeof(type_words) / sizeof(*type_words); i++)
		if (ik_json_string_is(name, type_words[i].type))
			return &type_words[i];
	return NULL;
}

/* The values of a parameter found so far. */
struct found {
	struct ik_parameter_root *root;
	struct ik_parameter_values *parameter;
	bool form;           /* in words */
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
	const struct type_words *words = words_of(named);
	const char *type = ik_json_type_name(ik_json_span_type(value));

	for (size_t i = 0; !words && i < sizeof(type_words) / sizeof(*type_words); i++)
		words = ik_text_equal(type, type_words[i].type) ? &type_words[i] : NULL;
	add_choice(found, value);
	if (!found->form || !words)
		say(found, value.text, value.length);
	else
		say(found, _(words->words), strlen(_(words->words)));
}

/* Append the bounds of a number, if any: " 1..10", " >= 1", " > 0 <= 5"; or in words. */
static void put_bounds(struct ik_buf *out, struct ik_json_span property, bool form)
{
	static const struct {
		const char *member, *sign, *words;
	} bounds[] = {
		/* Translators: a number follows: "whole number, at least 1". */
		{ "minimum", " >= ", N_(", at least ") },
		{ "exclusiveMinimum", " > ", N_(", more than ") },
		{ "maximum", " <= ", N_(", at most ") },
		{ "exclusiveMaximum", " < ", N_(", less than ") },
	};
	struct ik_json_span least = ik_json_member(property, "minimum");
	struct ik_json_span most = ik_json_member(property, "maximum");

	if (ik_json_span_type(least) == IK_JSON_NUMBER && ik_json_span_type(most) == IK_JSON_NUMBER) {
		ik_buf_printf(out, form ? _(" from %.*s to %.*s") : " %.*s..%.*s", (int)least.length,
			least.text, (int)most.length, most.text);
		return;
	}
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		struct ik_json_span bound = ik_json_member(property, bounds[i].member);

		if (ik_json_span_type(bound) == IK_JSON_NUMBER)
			ik_buf_printf(out, "%s%.*s", form ? _(bounds[i].words) : bounds[i].sign,
				(int)bound.length, bound.text);
	}
}

/* Add a type by its name, with details from its schema: an array's items, a number's bounds. */
static void add_type(struct found *found, struct ik_json_span name, struct ik_json_span schema)
{
	struct ik_json_span items = ik_json_member(ik_parameter_resolve(found->root,
												   ik_json_member(schema, "items")),
		"type");
	bool number = ik_json_string_is(name, "integer") || ik_json_string_is(name, "number");
	bool array = ik_json_string_is(name, "array");
	const struct type_words *known = words_of(name), *of = array ? words_of(items) : NULL;
	struct ik_buf words;

	if (ik_json_span_type(name) != IK_JSON_STRING) {
		found->any = true;
		return;
	}
	ik_buf_init(&words, IK_LIMIT_SCHEMA);
	if (found->form && known)
		ik_buf_puts(&words, of ? _(of->list) : _(known->words));
	else if (array && ik_json_string(items, &words))
		ik_buf_puts(&words, "[]");
	else
		ik_json_string(name, &words);
	if (number)
		put_bounds(&words, schema, found->form);
	found->parameter->is_json |= array || ik_json_string_is(name, "object");
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

static void add_schema(struct found *found, struct ik_json_span schema, int depth)
{
	schema = ik_parameter_resolve(found->root, schema);
	struct ik_json_span type = ik_json_member(schema, "type");
	struct ik_json_span listed = ik_json_member(schema, "enum");
	struct ik_json_span constant = ik_json_member(schema, "const");
	struct ik_json_span any = ik_json_member(schema, "anyOf");
	struct ik_json_span list = any.text ? any : ik_json_member(schema, "oneOf");

	if (ik_json_span_type(listed) == IK_JSON_ARRAY) {
		for (struct ik_json_walk walk = ik_json_walk(listed); ik_json_next(&walk);)
			add_value(found, walk.value, type);
	} else if (constant.text) {
		add_value(found, constant, type);
	} else if (ik_json_span_type(type) == IK_JSON_STRING) {
		add_type(found, type, schema);
	} else if (ik_json_span_type(type) == IK_JSON_ARRAY) {
		for (struct ik_json_walk walk = ik_json_walk(type); ik_json_next(&walk);)
			add_type(found, walk.value, schema);
	} else if (type.text || ik_json_span_type(list) != IK_JSON_ARRAY || depth == DEEPEST) {
		found->any = true;
	} else {
		for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);)
			add_schema(found, walk.value, depth + 1);
	}
}

static char *join(const struct found *found)
{
	/* Translators: between two types: "text or null". */
	const char *between = found->form ? _(" or ") : " | ";
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_SCHEMA);
	for (size_t at = strlen(OR); at < found->words.length; at++) {
		size_t length = strcspn(found->words.data + at, OR);

		ik_buf_printf(&out, "%s%.*s", out.length > 0 ? between : "", (int)length,
			found->words.data + at);
		at += length;
	}
	return ik_buf_take(&out, NULL);
}

void ik_parameter_read(struct ik_parameter_values *ret_parameter, struct ik_parameter_root *root,
	struct ik_json_span property, bool form)
{
	struct found found = { .root = root, .parameter = ret_parameter, .form = form };

	*ret_parameter = (struct ik_parameter_values){ 0 };
	ik_buf_init(&found.words, IK_LIMIT_SCHEMA);
	add_schema(&found, property, 0);
	ret_parameter->is_text = found.text && !found.other && !found.any;
	if (found.open || found.any)
		free_choices(ret_parameter);
	ret_parameter->is_json |= found.any || found.words.length == 0;
	ret_parameter->type = found.any || found.words.length == 0 ? ik_strdup(_("any type"))
															   : join(&found);
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

	ik_parameter_read(&parameter, root, property, false);
	ik_buf_puts(out, parameter.type);
	ik_parameter_done(&parameter);
}
