/*
 * http_explain: why a connection failed, in words that say what to do.
 *
 * libcurl distinguishes the kinds of TLS failures only in its message, so that is what these
 * functions look at; they pass it on where it adds something.
 *
 * Inside src/net only. Pure. May include: util.
 */
#ifndef IK_NET_HTTP_EXPLAIN_H
#define IK_NET_HTTP_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* All write one sentence, without its full stop, to out[0..size). detail is libcurl's message;
 * ca_file may be NULL. */

/* No secure connection. Return whether retrying may help: the connection was cut before the server
 * had identified itself. */
bool ik_http_explain_tls(const char *address, const char *ca_file, const char *detail, char *out,
	size_t size);

/* No connection; number is an errno value, 0: unknown. */
void ik_http_explain_connect(const char *address, long number, const char *detail, char *out,
	size_t size);

/* A proxy answered the connection request with status. */
void ik_http_explain_proxy(const char *address, long status, char *out, size_t size);

#endif
