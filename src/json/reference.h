/*
 * reference: resolve $ref in a schema, within the same document.
 *
 * Private to json. May include: json/json.h.
 */
#ifndef IK_JSON_REFERENCE_H
#define IK_JSON_REFERENCE_H

#include "json/json.h"

/*
 * Return the schema that "#", "#/$defs/x" or "#anchor" names in resource (the nearest enclosing
 * schema with an $id, or the document). NULL for external or missing ones. *ret_resource gets the
 * resource that contains it.
 */
const struct ik_json *ik_reference_find(const struct ik_json *resource, const char *reference,
	const struct ik_json **ret_resource);

/* Does a schema start its own resource, which references inside it are relative to? */
bool ik_reference_is_resource(const struct ik_json *schema);

#endif
