/*
 * partial_arguments: put together the arguments of a call that Google streams in pieces.
 *
 * A piece is an object with a JSON Path (RFC 9535) to an argument and its value, or a part of a string.
 * Source: Vertex AI API reference, "FunctionCall", "PartialArg".
 *
 * Pure. May include: util, json.
 */
#ifndef IK_PROVIDER_PARTIAL_ARGUMENTS_H
#define IK_PROVIDER_PARTIAL_ARGUMENTS_H

#include "json/scan.h"
#include "util/buf.h"

/* Append the object that a list of pieces describes. Return false, with anything appended, if a path
 * is not a plain one (names and numbers), two contradict each other, or there are too many. */
bool ik_partial_arguments_put(struct ik_buf *out, struct ik_json_span pieces);

#endif
