/*
 * headers: the HTTP headers that all wire formats share.
 *
 * Private to src/provider.  May include: util, provider.
 */
#ifndef IK_PROVIDER_WIRE_HEADERS_H
#define IK_PROVIDER_WIRE_HEADERS_H

#include "provider/wire/format.h"

/* Return the headers of every streamed request and the endpoint's own, in an array for
 * ik_wire_headers_free(). */
char **ik_wire_headers_new(const struct ik_endpoint *endpoint);

/* Add "name: prefix" followed by value, unless value is NULL or "". White space around value (a key
 * read from a file) is removed. */
void ik_wire_headers_add_key(char ***headers, const char *name, const char *prefix,
	const char *value);

#endif
