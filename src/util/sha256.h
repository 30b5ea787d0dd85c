/*
 * sha256: the SHA-256 of bytes (FIPS 180-4), by OpenSSL's libcrypto.
 *
 * The library is loaded when it is first needed: the chat of a directory that
 * brings no tools never needs it, and where libcurl stands on it, it is there
 * already.  It is that of the machine, kept up by its distribution, and uses
 * the processor's own instructions (1.5 GB/s where a portable one makes 0.25).
 *
 * Owns the table of functions, which lives as long as the process.
 * May include: util, <openssl/...>.
 */
#ifndef IK_UTIL_SHA256_H
#define IK_UTIL_SHA256_H

#include "util/err.h"

#include <stddef.h>

/* 64 hexadecimal digits in lower case and a NUL. */
#define IK_SHA256_TEXT 65

struct ik_sha256;

/* NULL with *error when the library cannot be loaded, or refuses. */
struct ik_sha256 *ik_sha256_new(struct ik_error *error);
struct ik_sha256 *ik_sha256_free(struct ik_sha256 *sum);

void ik_sha256_add(struct ik_sha256 *sum, const char *bytes, size_t length);

/* The digest of all that was added. Once; then only ik_sha256_free(). */
enum ik_status ik_sha256_end(struct ik_sha256 *sum, char out[IK_SHA256_TEXT],
	struct ik_error *error) IK_MUST_USE;

/* The same for bytes that are all there. */
enum ik_status ik_sha256_of(const char *bytes, size_t length, char out[IK_SHA256_TEXT],
	struct ik_error *error) IK_MUST_USE;

/* The same for an open file, read to its end however long it is: 0 or errno. */
int ik_sha256_of_fd(int fd, char out[IK_SHA256_TEXT]) IK_MUST_USE;

/* The same for a regular file. */
enum ik_status ik_sha256_of_file(const char *path, char out[IK_SHA256_TEXT],
	struct ik_error *error) IK_MUST_USE;

#endif
