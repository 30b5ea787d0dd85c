#include "json/reference.h"

#include <stdlib.h>
#include <string.h>

#include "json/pointer.h"
#include "util/buf.h"
#include "util/limits.h"
#include "util/text.h"

bool ik_reference_is_resource(const struct ik_json *schema)
{
	const char *id = ik_json_text(ik_json_get(schema, "$id"));

	/* In draft 7, "#name" is what later became $anchor. */
	return id && id[0] != '#';
}

/* Return the element of an array that a pointer's step names. */
static const struct ik_json *element_at(const struct ik_json *array, const char *step)
{
	const struct ik_json *child = ik_json_first(array);
	char *end;
	unsigned long index = strtoul(step, &end, 10);

	if (*step < '0' || *step > '9' || *end)
		return NULL;
	while (child && index-- > 0)
		child = ik_json_sibling(child);
	return child;
}

/* Follow a JSON Pointer. */
static const struct ik_json *follow(const struct ik_json *at, const char *pointer,
	const struct ik_json **resource)
{
	struct ik_buf step;

	ik_buf_init(&step, IK_LIMIT_SCHEMA);
	while (at && *pointer == '/') {
		ik_buf_clear(&step);
		pointer = ik_pointer_step(&step, pointer + 1);
		at = ik_json_type(at) == IK_JSON_ARRAY ? element_at(at, step.data)
											   : ik_json_get(at, step.data);
		/* References inside the target are relative to the resource it is in, not to itself. */
		if (*pointer == '/' && ik_reference_is_resource(at))
			*resource = at;
	}
	ik_buf_done(&step);
	return at;
}

/* Is a member of a schema data rather than a schema? */
static bool is_data(const struct ik_json *member)
{
	const char *name = ik_json_name(member);

	return name &&
		(ik_text_equal(name, "enum") || ik_text_equal(name, "const") ||
			ik_text_equal(name, "default") || ik_text_equal(name, "examples"));
}

/* Find the schema with that anchor, anywhere except in other resources. */
static const struct ik_json *find_anchor(const struct ik_json *at, const char *anchor, size_t depth)
{
	/* How each draft names a schema; the first two as "#name". */
	static const struct {
		const char *keyword;
		size_t prefix;
	} names[] = { { "id", 1 }, { "$id", 1 }, { "$anchor", 0 }, { "$dynamicAnchor", 0 } };
	const struct ik_json *found = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = ik_json_text(ik_json_get(at, names[i].keyword));

		if (name && (!names[i].prefix || name[0] == '#') &&
			ik_text_equal(name + names[i].prefix, anchor))
			return at;
	}
	if (depth > IK_LIMIT_JSON_DEPTH)
		return NULL;
	for (at = ik_json_first(at); at && !found; at = ik_json_sibling(at)) {
		if (!ik_reference_is_resource(at) && !is_data(at))
			found = find_anchor(at, anchor, depth + 1);
	}
	return found;
}

const struct ik_json *ik_reference_find(const struct ik_json *resource, const char *reference,
	const struct ik_json **ret_resource)
{
	const struct ik_json *inner = resource, *found;

	if (reference[0] != '#')
		return NULL;
	if (reference[1] == '\0')
		found = resource;
	else if (reference[1] == '/')
		found = follow(resource, reference + 1, &inner);
	else
		found = find_anchor(resource, reference + 1, 0);
	if (found)
		*ret_resource = inner;
	return found;
}
