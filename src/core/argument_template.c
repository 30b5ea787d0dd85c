#include "core/argument_template.h"

#include <stdlib.h>

#define DEPTH_MAX 4 /* objects nested deeper are left empty */

static void put_object(struct ik_buf *out, struct ik_json_span schema, int depth);

/* Return the type of a schema, or the first of several. */
static struct ik_json_span type_of(struct ik_json_span schema)
{
	struct ik_json_span type = ik_json_member(schema, "type");

	return ik_json_span_type(type) == IK_JSON_ARRAY ? ik_json_at(type, "0") : type;
}

/* Append a value for a schema. */
static void put_value(struct ik_buf *out, struct ik_json_span schema, int depth)
{
	struct ik_json_span given = ik_json_member(schema, "default"), type = type_of(schema);

	if (!given.text)
		given = ik_json_member(schema, "const");
	if (!given.text)
		given = ik_json_at(ik_json_member(schema, "enum"), "0");
	if (given.text)
		ik_buf_append(out, given.text, given.length);
	else if (ik_json_string_is(type, "object") && depth < DEPTH_MAX)
		put_object(out, schema, depth + 1);
	else if (ik_json_string_is(type, "array"))
		ik_buf_puts(out, "[]");
	else if (ik_json_string_is(type, "integer") || ik_json_string_is(type, "number"))
		ik_buf_puts(out, "0");
	else if (ik_json_string_is(type, "boolean"))
		ik_buf_puts(out, "false");
	else if (ik_json_string_is(type, "object"))
		ik_buf_puts(out, "{}");
	else
		ik_buf_puts(out, "\"\"");
}

/* Does required contain this name (raw, with its quotes)? */
static bool is_required(struct ik_json_span required, struct ik_json_span name)
{
	struct ik_json_walk walk = { .at = NULL };
	struct ik_json_span key, value;
	bool found = false;
	char *text = ik_json_text_new(name);

	while (text && !found && ik_json_next(required, &walk, &key, &value))
		found = ik_json_string_is(value, text);
	free(text);
	return found;
}

static void put_object(struct ik_buf *out, struct ik_json_span schema, int depth)
{
	struct ik_json_span required = ik_json_member(schema, "required"), key, value;
	struct ik_json_walk walk = { .at = NULL };
	bool all = ik_json_count(required) == 0, first = true;

	ik_buf_putc(out, '{');
	while (ik_json_next(ik_json_member(schema, "properties"), &walk, &key, &value)) {
		if (!all && !is_required(required, key))
			continue;
		if (!first)
			ik_buf_puts(out, ", ");
		first = false;
		ik_buf_append(out, key.text, key.length);
		ik_buf_puts(out, ": ");
		put_value(out, value, depth);
	}
	ik_buf_putc(out, '}');
}

void ik_argument_template(struct ik_buf *out, struct ik_json_span schema)
{
	put_object(out, schema, 0);
}
