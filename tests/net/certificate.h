/*
 * certificate: an authority of the test's own, and what it signs.
 *
 * May include: libc, libssl.
 */
#ifndef TESTS_NET_CERTIFICATE_H
#define TESTS_NET_CERTIFICATE_H

#include <stdbool.h>

#include <openssl/ssl.h>

/* A server's context with a fresh key and a certificate for 127.0.0.1 and
 * provider.test, whose authority is written to authority_file (PEM).  kind is
 * "good", "expired", "early" (not valid yet) or "other" (for other.test only).
 * NULL, and said on stderr, when that cannot be done. */
SSL_CTX *certificate_context(const char *kind, const char *authority_file);

/* Write key and certificate of a context to a file (PEM), for another server. */
bool certificate_write(const SSL_CTX *context, const char *path);

#endif
