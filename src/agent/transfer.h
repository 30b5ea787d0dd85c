/*
 * transfer: what went wrong on the way to a provider, in words.
 *
 * May include: util, net/http.h, provider.
 */
#ifndef IK_AGENT_TRANSFER_H
#define IK_AGENT_TRANSFER_H

#include "net/http.h"
#include "util/buf.h"

#include <stdbool.h>

/*
 * Append a sentence on a transfer that failed, with what to do; provider is its
 * name (NULL: "?"), heard says that a part of the answer had come. Sets
 * *ret_code to a code of the specification (CONNECT, TLS, TIMEOUT) and
 * *ret_retryable.
 */
void ik_transfer_failed(struct ik_buf *out, const char *provider,
	const struct ik_http_result *result, bool heard, const char **ret_code, bool *ret_retryable);

#endif
