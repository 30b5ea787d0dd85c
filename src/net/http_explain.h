/*
 * http_explain: why a connection did not come about, in words with what to do.
 *
 * libcurl tells the kinds of TLS failures apart in its text only; the words
 * here go by it, and give it where it says something new.
 *
 * Inside src/net only.  Pure.  May include: util.
 */
#ifndef IK_NET_HTTP_EXPLAIN_H
#define IK_NET_HTTP_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* All write one sentence, without its full stop, to out[0..size). detail is
 * libcurl's text; ca_file may be NULL. */

/* There is no secure connection. Returns whether another try may do: something
 * on the way ended it before it was known who is there. */
bool ik_http_explain_tls(const char *address, const char *ca_file, const char *detail, char *out,
	size_t size);

/* There is no connection; number is errno's, 0: not known. */
void ik_http_explain_connect(const char *address, long number, const char *detail, char *out,
	size_t size);

/* A proxy answered the wish for a connection with status. */
void ik_http_explain_proxy(const char *address, long status, char *out, size_t size);

/* Is value a whole number? *ret_seconds: -1 for one that no wait can be. */
bool ik_http_read_seconds(const char *value, long *ret_seconds);

#endif
