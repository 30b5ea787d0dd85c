/*
 * certificate: a test certificate authority, and the certificates that it signs.
 *
 * May include: libc, libssl.
 */
#ifndef TESTS_NET_CERTIFICATE_H
#define TESTS_NET_CERTIFICATE_H

#include <stdbool.h>

#include <openssl/ssl.h>

/* Return a server's context with a fresh key and a certificate for 127.0.0.1 and provider.test, and
 * write its authority to authority_file (PEM). kind is "good", "expired", "early" (not valid yet)
 * or "other" (for other.test only). NULL, with a message on stderr, on failure. */
SSL_CTX *certificate_context(const char *kind, const char *authority_file);

/* Write key and certificate of a context to a file (PEM), for another server. */
bool certificate_write(const SSL_CTX *context, const char *path);

#endif
