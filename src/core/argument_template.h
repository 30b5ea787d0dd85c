/*
 * argument_template: arguments for a tool, to be filled in: made of its schema.
 *
 * Pure.  May include: util, json.
 */
#ifndef IK_CORE_ARGUMENT_TEMPLATE_H
#define IK_CORE_ARGUMENT_TEMPLATE_H

#include "json/scan.h"

/* Append one JSON object on one line with the required arguments of a canonical schema,
 * all of them where none is required: defaults, the first of what is allowed, else empty. */
void ik_argument_template(struct ik_buf *out, struct ik_json_span schema);

#endif
