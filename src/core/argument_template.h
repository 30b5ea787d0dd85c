/*
 * argument_template: arguments to fill in, made from a tool's schema.
 *
 * Pure.  May include: util, json.
 */
#ifndef IK_CORE_ARGUMENT_TEMPLATE_H
#define IK_CORE_ARGUMENT_TEMPLATE_H

#include "json/scan.h"

/* Append one JSON object on one line with the required arguments of a canonical schema, or
 * all arguments if none is required. Each has its default, else the first allowed value,
 * else an empty one. */
void ik_argument_template(struct ik_buf *out, struct ik_json_span schema);

#endif
