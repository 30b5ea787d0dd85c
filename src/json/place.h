/*
 * place: what reading schemas and checking values share: the location of something in a JSON text,
 * for error messages, and tables of keywords.
 *
 * Private to json. May include: json/scan.h.
 */
#ifndef IK_JSON_PLACE_H
#define IK_JSON_PLACE_H

#include "json/scan.h"

/* A step from a container to its child, on the stack of the function that walks. */
struct ik_place {
	const struct ik_place *parent; /* NULL: the container is the root */
	struct ik_json_span name;      /* the raw name; no value for an array element, see index */
	size_t index;
};

size_t ik_place_depth(const struct ik_place *place);

/* Describe a value for a sentence: a scalar as written, cut if long; otherwise "an array" or "an
 * object". */
#define IK_EXCERPT 96
void ik_excerpt(struct ik_json_span value, char out[IK_EXCERPT]);

/*
 * Fill error (may be NULL) with the place, a colon and the sentence, or just the sentence at the
 * root. Return false.
 */
bool ik_place_refuse(const struct ik_place *place, struct ik_error *error, const char *format, ...)
	IK_PRINTF(3, 4);
bool ik_place_vrefuse(const struct ik_place *place, struct ik_error *error, const char *format,
	va_list arguments) IK_PRINTF(3, 0);

/* Return the row for a member's raw name in a table that is sorted by name and whose rows begin
 * with the name; NULL if there is none. */
const void *ik_keyword_find(struct ik_json_span name, const void *rows, size_t count, size_t size);

#endif
