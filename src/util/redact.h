/*
 * redact: keep passwords and keys out of everything that is shown, logged or stored.
 *
 * Owns the secrets that it knows: one of the few globals, since any text may have one in it.
 * May include: libc, util.
 */
#ifndef IK_UTIL_REDACT_H
#define IK_UTIL_REDACT_H

#include "util/buf.h"

/*
 * Return an address with every password replaced by "***": that of scheme://NAME:PASSWORD@HOST, those
 * of password=... and sslpassword=..., in a query or among keywords and values (quoted or not), and
 * key=..., token=... and the like in a query. The rest is unchanged. New memory; NULL for NULL.
 */
char *ik_redact(const char *text);

/* Remember a secret (copied). One of fewer than 8 bytes isn't one ("x" for a local server). Takes
 * NULL. */
void ik_secret_know(const char *secret);
/* Remember the password in an address, if it has one. Takes NULL. */
void ik_secret_know_address(const char *address);
/* Replace every known secret in a text by "***": as it is, and in the encodings of URLs and base64. */
void ik_secrets_hide(struct ik_buf *text);
/* Forget all secrets. */
void ik_secrets_forget(void);

#endif
