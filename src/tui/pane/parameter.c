#include "tui/pane/parameter.h"

#include <stdlib.h>
#include <string.h>

#include "json/pointer.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define MOST_READ IK_MIB(4) /* a few milliseconds */
#define LONGEST_CHAIN 8     /* of references to references */
#define DEEPEST 4           /* alternatives within alternatives */

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

/* Its alternatives; no value: there are none. */
static struct ik_json_span alternatives_of(struct ik_json_span schema)
{
	struct ik_json_span any = ik_json_member(schema, "anyOf");

	return any.text ? any : ik_json_member(schema, "oneOf");
}

/* The values that may stand there, being found. */
struct choices {
	struct ik_parameter_root *root;
	char **list;
	size_t count;
};

static void add_choice(struct choices *choices, const char *text, size_t length)
{
	choices->list = ik_alloc_array(choices->list, choices->count + 1, sizeof(char *));
	choices->list[choices->count++] = ik_strndup(text, length);
}

/* Add null, unless it is there: it is often among the values and the types. */
static void add_null(struct choices *choices)
{
	for (size_t i = 0; i < choices->count; i++)
		if (ik_text_equal(choices->list[i], "null"))
			return;
	add_choice(choices, "null", strlen("null"));
}

/* Add the values of a type by its name; false: there are too many. */
static bool add_named(struct choices *choices, struct ik_json_span type)
{
	if (ik_json_string_is(type, "null")) {
		add_null(choices);
		return true;
	}
	if (!ik_json_string_is(type, "boolean"))
		return false;
	add_choice(choices, "true", strlen("true"));
	add_choice(choices, "false", strlen("false"));
	return true;
}

static bool add_all(struct choices *choices, struct ik_json_span schema, int depth);

/* Add those of each element of a list: schemas, or names of types. */
static bool add_each(struct choices *choices, struct ik_json_span list, int depth)
{
	struct ik_json_span one;
	struct ik_json_walk walk = { 0 };
	bool all = ik_json_span_type(list) == IK_JSON_ARRAY && depth < DEEPEST;

	while (all && ik_json_next(list, &walk, NULL, &one))
		all = ik_json_span_type(one) == IK_JSON_STRING ? add_named(choices, one)
													   : add_all(choices, one, depth + 1);
	return all;
}

/* Add what may stand where a schema is; false: others may, too. */
static bool add_all(struct choices *choices, struct ik_json_span schema, int depth)
{
	schema = ik_parameter_resolve(choices->root, schema);
	struct ik_json_span type = ik_json_member(schema, "type"), value;
	struct ik_json_span listed = ik_json_member(schema, "enum");
	struct ik_json_span constant = ik_json_member(schema, "const");
	struct ik_json_walk walk = { 0 };

	if (ik_json_span_type(listed) == IK_JSON_ARRAY) {
		while (ik_json_next(listed, &walk, NULL, &value))
			add_choice(choices, value.text, value.length);
		return true;
	}
	if (constant.text)
		add_choice(choices, constant.text, constant.length);
	if (constant.text || add_named(choices, type))
		return true;
	return add_each(choices, type.text ? type : alternatives_of(schema), depth);
}

char **ik_parameter_choices(struct ik_parameter_root *root, struct ik_json_span property,
	size_t *ret_count)
{
	struct choices choices = { .root = root };

	if (!add_all(&choices, property, 0)) {
		while (choices.count > 0)
			free(choices.list[--choices.count]);
		free(choices.list);
		choices.list = NULL;
	}
	*ret_count = choices.count;
	return choices.list;
}

/* What may stand somewhere: texts, null, something else. */
struct kinds {
	bool text, null, other;
};

static void find_kinds(struct ik_parameter_root *root, struct ik_json_span schema,
	struct kinds *kinds, int depth);

/* The same of each element of a list: schemas, or names of types. */
static void find_kinds_of_each(struct ik_parameter_root *root, struct ik_json_span list,
	struct kinds *kinds, int depth)
{
	struct ik_json_span one;
	struct ik_json_walk walk = { 0 };

	kinds->other |= ik_json_span_type(list) != IK_JSON_ARRAY || depth == DEEPEST;
	while (!kinds->other && ik_json_next(list, &walk, NULL, &one))
		find_kinds(root, one, kinds, depth + 1);
}

static void find_kinds(struct ik_parameter_root *root, struct ik_json_span schema,
	struct kinds *kinds, int depth)
{
	schema = ik_parameter_resolve(root, schema);
	struct ik_json_span type = ik_json_member(schema, "type");

	if (ik_json_span_type(schema) == IK_JSON_STRING)
		type = schema; /* the name itself */
	if (ik_json_string_is(type, "string"))
		kinds->text = true;
	else if (ik_json_string_is(type, "null"))
		kinds->null = true;
	else
		find_kinds_of_each(root, type.text ? type : alternatives_of(schema), kinds, depth);
}

bool ik_parameter_is_text(struct ik_parameter_root *root, struct ik_json_span property,
	bool *ret_null)
{
	struct kinds kinds = { 0 };

	find_kinds(root, property, &kinds, 0);
	*ret_null = kinds.null;
	return kinds.text && !kinds.other;
}
