/*
 * transfer: says in words why a transfer from a provider failed.
 *
 * May include: util, conversation, net/http.h, provider.
 */
#ifndef IK_AGENT_TRANSFER_H
#define IK_AGENT_TRANSFER_H

#include "conversation/event.h"
#include "net/http.h"
#include "util/buf.h"

#include <stdbool.h>

/*
 * Append a sentence about a failed transfer, with what to do; provider is its name (NULL: "?"),
 * heard means that a part of the response had arrived. Sets
 * *ret_code (CONNECT, TLS, TIMEOUT) and *ret_retryable.
 */
void ik_transfer_failed(struct ik_buf *out, const char *provider,
	const struct ik_http_result *result, bool heard, enum ik_error_code *ret_code,
	bool *ret_retryable);

#endif
