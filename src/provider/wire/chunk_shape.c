#include "provider/wire/chunk_shape.h"

#include <string.h>

#include "util/limits.h"

/* Chunks with more than this are rare and parsed as a whole. */
#define SHAPE_BYTES IK_KIB(8)
/* A whole number of more digits is no count of anything. */
#define DIGITS 15

/* What follows a part, beside a member: the string that matters, or nothing. */
enum { HOLE_STRING = -1, HOLE_END = -2 };

void ik_chunk_shape_init(struct ik_chunk_shape *shape)
{
	ik_buf_init(&shape->text, SHAPE_BYTES);
	shape->part_count = 0;
}

void ik_chunk_shape_done(struct ik_chunk_shape *shape)
{
	ik_buf_done(&shape->text);
}

void ik_chunk_shape_forget(struct ik_chunk_shape *shape)
{
	ik_buf_clear(&shape->text);
}

/* The place behind a plain whole number at the start of text; NULL where there is none. */
static const char *read_number(const char *text, const char *end, int64_t *ret_number)
{
	const char *at = text;
	int64_t number = 0;

	while (at < end && *at >= '0' && *at <= '9' && at - text < DIGITS)
		number = number * 10 + (*at++ - '0');
	if (at == text || (*text == '0' && at - text > 1))
		return NULL;
	*ret_number = number;
	return at;
}

/* The closing quote of the string whose inside begins at text; NULL where there is none. */
static const char *find_quote(const char *text, const char *end)
{
	const char *at = text;

	while ((at = memchr(at, '"', (size_t)(end - at)))) {
		const char *escape = at;

		while (escape > text && escape[-1] == '\\')
			escape--;
		if ((at - escape) % 2 == 0)
			return at;
		at++;
	}
	return NULL;
}

/* End the last part where value begins. False: there are too many. */
static bool add_hole(struct ik_chunk_shape *shape, const char *chunk, struct ik_json_span value,
	int hole)
{
	bool number = ik_json_span_type(value) == IK_JSON_NUMBER;
	struct ik_shape_part *part = &shape->parts[shape->part_count - 1];

	if (shape->part_count == IK_SHAPE_HOLES)
		return false;
	part->length = (size_t)(value.text - chunk) + !number - part->from;
	part->hole = hole;
	part->number = number;
	shape->parts[shape->part_count++] = (struct ik_shape_part){
		.from = part->from + part->length + value.length - (number ? 0 : 2) };
	return true;
}

/* Look for what may differ inside a container. False: it has no shape. */
static bool find_holes(struct ik_chunk_shape *shape, const char *chunk,
	struct ik_json_span container, struct ik_json_span string, const char *const *names)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span key, value;

	while (ik_json_next(container, &walk, &key, &value)) {
		enum ik_json_type type = ik_json_span_type(value);
		int64_t number;
		int name = 0;

		if (value.text == string.text) {
			if (!add_hole(shape, chunk, value, HOLE_STRING))
				return false;
			continue;
		}
		while (key.text && names && names[name] && !ik_json_string_is(key, names[name]))
			name++;
		if (key.text && names && names[name]) {
			if ((type != IK_JSON_STRING && type != IK_JSON_NUMBER) ||
			    (type == IK_JSON_NUMBER && read_number(value.text,
				value.text + value.length, &number) != value.text + value.length) ||
			    !add_hole(shape, chunk, value, name))
				return false;
		} else if ((type == IK_JSON_OBJECT || type == IK_JSON_ARRAY) &&
			   !find_holes(shape, chunk, value, string, names)) {
			return false;
		}
	}
	return true;
}

/* Was the string that matters come by? */
static bool has_string(const struct ik_chunk_shape *shape)
{
	for (size_t index = 0; index + 1 < shape->part_count; index++) {
		if (shape->parts[index].hole == HOLE_STRING)
			return true;
	}
	return false;
}

void ik_chunk_shape_learn(struct ik_chunk_shape *shape, struct ik_json_span chunk,
	struct ik_json_span string, const char *const *names)
{
	struct ik_shape_part *last;

	ik_buf_clear(&shape->text);
	ik_buf_append(&shape->text, chunk.text, chunk.length);
	shape->part_count = 1;
	shape->parts[0] = (struct ik_shape_part){ .from = 0 };
	if (ik_buf_status(&shape->text) != IK_OK ||
	    !find_holes(shape, chunk.text, chunk, string, names) || !has_string(shape)) {
		ik_chunk_shape_forget(shape);
		return;
	}
	last = &shape->parts[shape->part_count - 1];
	last->length = chunk.length - last->from;
	last->hole = HOLE_END;
}

/* Pass over the value that follows a part; NULL where it is not of its kind. */
static const char *pass_hole(const struct ik_shape_part *part, const char *at, const char *end,
	struct ik_json_span *ret_string, int64_t *ret_numbers)
{
	struct ik_json_span string;
	const char *quote;

	if (part->number)
		return read_number(at, end, &ret_numbers[part->hole]);
	quote = find_quote(at, end);
	/* From quote to quote: what is around it was checked before. */
	if (!quote || ik_json_check(at - 1, (size_t)(quote + 2 - at), &string, NULL) != IK_OK)
		return NULL;
	if (part->hole == HOLE_STRING) {
		if (quote == at)
			return NULL;
		*ret_string = string;
	}
	return quote;
}

bool ik_chunk_shape_match(const struct ik_chunk_shape *shape, const char *chunk, size_t length,
	struct ik_json_span *ret_string, int64_t ret_numbers[IK_SHAPE_NAMES])
{
	const char *at = chunk, *end = chunk + length;

	if (!shape->text.length)
		return false;
	for (size_t index = 0; index < IK_SHAPE_NAMES; index++)
		ret_numbers[index] = -1;
	for (const struct ik_shape_part *part = shape->parts;; part++) {
		if ((size_t)(end - at) < part->length ||
		    memcmp(at, shape->text.data + part->from, part->length) != 0)
			return false;
		at += part->length;
		if (part->hole == HOLE_END)
			return at == end;
		at = pass_hole(part, at, end, ret_string, ret_numbers);
		if (!at)
			return false;
	}
}
