#include "provider/partial_arguments.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"

/* Limit on the depth of arguments. */
#define DEEPEST 64
/* Limit on the steps that are compared: those of a list of 3,000 numbers. */
#define COMPARISONS_MOST 20000000

/* Arguments being written. */
struct joining {
	struct ik_buf *out;
	size_t comparisons;
};

/* A piece, and the part of its path that is below the present value. */
struct piece {
	const char *rest;
	struct ik_json_span value;
	char *path; /* owned */
};

/* A name or a number in a path. */
struct step {
	const char *name;
	size_t length;
	bool is_index;
};

/* Read the first step of a path: .NAME, ['NAME'], ["NAME"] or [NUMBER]. Return what follows it, or
 * NULL if there is no such step. */
static const char *read_step(const char *path, struct step *ret_step)
{
	const char quote = path[0] == '[' && path[1] && strchr("'\"", path[1]) ? path[1] : '\0';
	const char *begin = path + (quote ? 2 : 1), *end = begin;

	if (path[0] == '.')
		end += strcspn(begin, ".[");
	else if (quote)
		end += strcspn(begin, quote == '\'' ? "'" : "\"");
	else if (path[0] == '[')
		end += strspn(begin, "0123456789");
	if (end == begin)
		return NULL;
	*ret_step = (struct step){ begin, (size_t)(end - begin), path[0] == '[' && !quote };
	if (path[0] == '.')
		return end;
	end += quote && *end == quote;
	return *end == ']' ? end + 1 : NULL;
}

static bool same_step(const struct step *one, const struct step *other)
{
	return one->is_index == other->is_index && one->length == other->length &&
		memcmp(one->name, other->name, one->length) == 0;
}

/* Write a value from its pieces, if none leads further: join strings; of others, use the last. */
static bool put_leaf(struct ik_buf *out, const struct piece *pieces, size_t count)
{
	bool is_text = true;

	for (size_t i = 0; i < count; i++) {
		if (*pieces[i].rest)
			return false;
		is_text = is_text && ik_json_span_type(pieces[i].value) == IK_JSON_STRING;
	}
	if (!is_text) {
		ik_json_put_raw(out, pieces[count - 1].value);
		return true;
	}
	ik_json_quote_open(out);
	for (size_t i = 0; i < count; i++)
		ik_buf_append(out, pieces[i].value.text + 1, pieces[i].value.length - 2);
	ik_json_quote_close(out);
	return true;
}

static bool put_value(struct joining *joining, const struct piece *pieces, size_t count, int depth);

/* Write the member or element that the step leads to, from those of the pieces that begin with it. */
static bool put_child(struct joining *joining, const struct piece *pieces, size_t count,
	const struct step *step, int depth)
{
	struct piece *below = ik_alloc_array(NULL, count, sizeof(*below));
	size_t found = 0;
	bool good;

	for (size_t i = 0; i < count; i++) {
		struct step other;
		const char *rest = read_step(pieces[i].rest, &other);

		if (rest && same_step(step, &other))
			below[found++] = (struct piece){ .rest = rest, .value = pieces[i].value };
	}
	if (!step->is_index) {
		ik_json_put_string(joining->out, step->name, step->length);
		ik_buf_putc(joining->out, ':');
	}
	good = put_value(joining, below, found, depth + 1);
	free(below);
	return good;
}

/* Write an object or array: its children in the order in which they first appear. */
static bool put_value(struct joining *joining, const struct piece *pieces, size_t count, int depth)
{
	struct step first, step, earlier;

	if (!*pieces[0].rest)
		return put_leaf(joining->out, pieces, count);
	if (depth > DEEPEST || !read_step(pieces[0].rest, &first))
		return false;
	ik_json_open(joining->out, first.is_index ? '[' : '{');
	for (size_t i = 0; i < count; i++) {
		size_t before = 0;

		if (!read_step(pieces[i].rest, &step) || step.is_index != first.is_index)
			return false;
		while (before < i && read_step(pieces[before].rest, &earlier) &&
			!same_step(&earlier, &step))
			before++;
		joining->comparisons += before < i ? before : before + count;
		if (joining->comparisons > COMPARISONS_MOST ||
			(before == i && !put_child(joining, pieces, count, &step, depth)))
			return false;
	}
	ik_json_close(joining->out, first.is_index ? ']' : '}');
	return true;
}

/* Return the value in a piece. */
static struct ik_json_span value_of(struct ik_json_span piece)
{
	static const char *const names[] = { "stringValue", "numberValue", "boolValue" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct ik_json_span value = ik_json_member(piece, names[i]);

		if (value.text && ik_json_span_type(value) != IK_JSON_NULL)
			return value;
	}
	return IK_JSON_SPAN("null");
}

bool ik_partial_arguments_put(struct ik_buf *out, struct ik_json_span list)
{
	struct joining joining = { .out = out };
	struct piece *pieces = NULL;
	size_t count = 0;
	bool good = true;

	for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);) {
		char *path = ik_json_text_new(ik_json_member(walk.value, "jsonPath"));

		pieces = ik_alloc_more(pieces, count, sizeof(*pieces));
		pieces[count++] = (struct piece){ path ? path + (*path == '$') : "", value_of(walk.value),
			path };
		good = good && path && pieces[count - 1].rest[0];
	}
	if (!count)
		ik_json_printf(out, "{}");
	else
		good = good && put_value(&joining, pieces, count, 0);
	while (count > 0)
		free(pieces[--count].path);
	free(pieces);
	return good;
}
