/*
 * address: the URLs and HTTP headers of requests.
 *
 * May include: util, provider.
 */
#ifndef IK_PROVIDER_WIRE_ADDRESS_H
#define IK_PROVIDER_WIRE_ADDRESS_H

#include "provider/wire/format.h"

/* Return the URL of a request, or of the list of models, in new memory. */
char *ik_wire_url(const struct ik_wire_format *format, const struct ik_endpoint *endpoint,
	const char *model);
char *ik_wire_models_url(const struct ik_wire_format *format, const struct ik_endpoint *endpoint);

/* Return the headers, NULL-terminated, in new memory. Without a key there is no header for it; white
 * space around the key (as from a file) is removed. */
char **ik_wire_headers(const struct ik_wire_format *format, const struct ik_endpoint *endpoint);
void ik_wire_headers_free(char **headers);

#endif
