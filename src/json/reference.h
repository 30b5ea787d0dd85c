/*
 * reference: where the $ref of a schema leads, inside the same document.
 *
 * Private to json.  May include: json/json.h.
 */
#ifndef IK_JSON_REFERENCE_H
#define IK_JSON_REFERENCE_H

#include "json/json.h"

/*
 * The schema that "#", "#/$defs/x" or "#anchor" names in resource (the nearest
 * schema around with an $id, or the document). NULL for what is elsewhere or
 * nowhere. *ret_resource gets the resource that the found one is part of.
 */
const struct ik_json *ik_reference_find(const struct ik_json *resource, const char *reference,
	const struct ik_json **ret_resource);

/* Does a schema begin a resource of its own, so that references inside start from it? */
bool ik_reference_is_resource(const struct ik_json *schema);

#endif
