/*
 * place: the location of something in a JSON tree, for error messages.
 *
 * Private to json. May include: json/json.h.
 */
#ifndef IK_JSON_PLACE_H
#define IK_JSON_PLACE_H

#include "json/json.h"

/* A step from a container to its child, on the stack of the function that walks. */
struct ik_place {
	const struct ik_place *parent; /* NULL: the container is the root */
	const char *name;              /* NULL: an array element, see index */
	size_t index;
};

size_t ik_place_depth(const struct ik_place *place);

/* Describe a value in a sentence: a scalar as written, cut if long; otherwise "an array", "an
 * object". */
#define IK_EXCERPT 96
void ik_excerpt(const struct ik_json *value, char out[IK_EXCERPT]);

/*
 * Fail: fill error (may be NULL) with the place, a colon and the sentence; just the sentence at the
 * root. Returns false.
 */
bool ik_place_refuse(const struct ik_place *place, struct ik_error *error, const char *format, ...)
	IK_PRINTF(3, 4);
bool ik_place_vrefuse(const struct ik_place *place, struct ik_error *error, const char *format,
	va_list arguments) IK_PRINTF(3, 0);

#endif
