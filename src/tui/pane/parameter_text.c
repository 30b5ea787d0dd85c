#include "tui/pane/parameter_text.h"

#include <string.h>

#include "util/text.h"

#define MOST_VALUES 12 /* of an enum; the schema has the others */
#define MOST_BYTES 400
#define DEEPEST 3

/* Append " | " between two. */
static void put_or(struct ik_buf *out, size_t start)
{
	if (out->length > start)
		ik_buf_puts(out, " | ");
}

/* The values of an enum, as many as are easily read. */
static void put_values(struct ik_buf *out, struct ik_json_span list)
{
	struct ik_json_span value;
	struct ik_json_walk walk = { 0 };
	size_t start = out->length, count = 0;

	while (ik_json_next(list, &walk, NULL, &value)) {
		put_or(out, start);
		if (count++ == MOST_VALUES || out->length - start + value.length > MOST_BYTES) {
			ik_buf_puts(out, "...");
			return;
		}
		ik_buf_append(out, value.text, value.length);
	}
}

/* The bounds of a number, as far as there are any: " 1..10", " >= 1", " > 0 <= 5". */
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

/* How much is said. */
struct words {
	struct ik_parameter_root *root;
	bool values; /* those of an enum, not their types alone */
	int depth;
};

static bool put_schema(struct ik_buf *out, struct ik_json_span property, struct words words);

/* The types of the values of an enum, each once. */
static void put_types_of(struct ik_buf *out, struct ik_json_span list)
{
	struct ik_json_span value;
	struct ik_json_walk walk = { 0 };
	size_t start = out->length;
	unsigned seen = 0;

	while (ik_json_next(list, &walk, NULL, &value)) {
		enum ik_json_type type = ik_json_span_type(value);

		if (seen & 1u << type)
			continue;
		seen |= 1u << type;
		put_or(out, start);
		ik_buf_puts(out, ik_json_type_name(type));
	}
}

/* The type that is named, or those; of an array what is in it. */
static bool put_named(struct ik_buf *out, struct ik_json_span property, struct words words)
{
	struct ik_json_span type = ik_json_member(property, "type"), one;
	struct ik_json_span items = ik_json_member(property, "items");
	struct ik_json_walk walk = { 0 };
	size_t start = out->length;

	if (ik_json_string_is(type, "array") &&
		ik_json_string(ik_json_member(ik_parameter_resolve(words.root, items), "type"), out)) {
		ik_buf_puts(out, "[]");
		return true;
	}
	if (ik_json_string(type, out) || ik_json_span_type(type) != IK_JSON_ARRAY)
		return out->length > start;
	while (ik_json_next(type, &walk, NULL, &one)) {
		put_or(out, start);
		(void)ik_json_string(one, out);
	}
	return out->length > start;
}

/* What one of several schemas asks for. */
static bool put_alternatives(struct ik_buf *out, struct ik_json_span list, struct words words)
{
	struct ik_json_span one;
	struct ik_json_walk walk = { 0 };
	size_t start = out->length, last = start, last_length = 0;

	words.depth++;
	while (ik_json_next(list, &walk, NULL, &one)) {
		size_t before = out->length;

		put_or(out, start);
		size_t at = out->length;

		if (!put_schema(out, one, words)) {
			ik_buf_truncate(out, start);
			return false; /* one of them takes anything */
		}
		/* Texts of two forms are "string" once. */
		if (last_length > 0 && out->length - at == last_length &&
			memcmp(out->data + last, out->data + at, last_length) == 0) {
			ik_buf_truncate(out, before);
			continue;
		}
		last = at;
		last_length = out->length - at;
	}
	return out->length > start;
}

/* Append what a schema asks for; false: nothing that is told in a few words. */
static bool put_schema(struct ik_buf *out, struct ik_json_span property, struct words words)
{
	property = ik_parameter_resolve(words.root, property);
	struct ik_json_span listed = ik_json_member(property, "enum");
	struct ik_json_span constant = ik_json_member(property, "const");

	if (ik_json_span_type(property) != IK_JSON_OBJECT || words.depth > DEEPEST)
		return false;
	if (words.values && ik_json_span_type(listed) == IK_JSON_ARRAY) {
		put_values(out, listed);
		return true;
	}
	if (words.values && constant.text && constant.length <= MOST_BYTES) {
		ik_buf_append(out, constant.text, constant.length);
		return true;
	}
	if (ik_json_member(property, "type").text) {
		bool named = put_named(out, property, words);

		put_bounds(out, property);
		return named;
	}
	if (ik_json_span_type(listed) == IK_JSON_ARRAY && ik_json_count(listed) > 0) {
		put_types_of(out, listed);
		return true;
	}
	if (constant.text) {
		ik_buf_puts(out, ik_json_type_name(ik_json_span_type(constant)));
		return true;
	}
	return put_alternatives(out, ik_json_member(property, "anyOf"), words) ||
		put_alternatives(out, ik_json_member(property, "oneOf"), words);
}

void ik_parameter_put_type(struct ik_buf *out, struct ik_parameter_root *root,
	struct ik_json_span property, bool values)
{
	struct words words = { .root = root, .values = values };

	if (!put_schema(out, property, words))
		ik_buf_puts(out, _("any type"));
}
