/*
 * buf: a growing byte string with a size limit (ceiling).
 *
 * Invariants: data is never NULL and always followed by a NUL byte (not counted in length), so it
 * serves as a C string if the bytes contain no NUL; length never exceeds ceiling.
 *
 * A failed append (ceiling, memory) changes nothing but status, which stays set: after a series of
 * appends, check ik_buf_status() once. If there is no memory for a small buffer (a megabyte), the
 * program ends as in util/alloc.h.
 *
 * Owns its bytes. May include: libc, util/err.h, util/alloc.h, util/text.h.
 */
#ifndef IK_UTIL_BUF_H
#define IK_UTIL_BUF_H

#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>

struct ik_buf {
	char *data;
	size_t length;
	size_t capacity; /* 0: data points to a shared empty string */
	size_t ceiling;
	enum ik_status status;
};

/* Make an empty buffer that holds at most ceiling bytes. Allocates nothing. */
void ik_buf_init(struct ik_buf *buf, size_t ceiling);

/* Release the bytes; the buffer is empty and usable again. */
void ik_buf_done(struct ik_buf *buf);

/* Discard the contents and the status; keep the memory. */
void ik_buf_clear(struct ik_buf *buf);

/* Cut to length bytes (no effect if it is already shorter). */
void ik_buf_truncate(struct ik_buf *buf, size_t length);

/* Drop bytes of a set from the end, but none of the first `least`. */
void ik_buf_trim(struct ik_buf *buf, size_t least, const char *set);

/* Drop the first count bytes. */
void ik_buf_consume(struct ik_buf *buf, size_t count);

/* Append bytes, which may not point into the buffer itself. */
void ik_buf_append(struct ik_buf *buf, const char *bytes, size_t length);
void ik_buf_puts(struct ik_buf *buf, const char *text);
void ik_buf_putc(struct ik_buf *buf, char byte);
void ik_buf_printf(struct ik_buf *buf, const char *format, ...) IK_PRINTF(2, 3);
void ik_buf_vprintf(struct ik_buf *buf, const char *format, va_list arguments) IK_PRINTF(2, 0);

/* Insert length bytes before position, erase length bytes from position. */
void ik_buf_insert(struct ik_buf *buf, size_t position, const char *bytes, size_t length);
void ik_buf_erase(struct ik_buf *buf, size_t position, size_t length);

/* Make room for extra more bytes and return where to write them (NULL: failed, see status);
 * ik_buf_commit() then adds the bytes that were written. */
char *ik_buf_reserve(struct ik_buf *buf, size_t extra);
void ik_buf_commit(struct ik_buf *buf, size_t written);

/* Return IK_OK, or the first failure since init or clear. */
enum ik_status ik_buf_status(const struct ik_buf *buf) IK_MUST_USE;

/* Return the status, and fill error with a sentence; what is "the reply", "the arguments of the
 * call", ... */
enum ik_status ik_buf_check(const struct ik_buf *buf, const char *what,
	struct ik_error *error) IK_MUST_USE;

/* Pass the bytes to the caller (who frees them; never NULL; NUL-terminated) and empty the buffer.
 * ret_length may be NULL. Check the status first: a buffer that ran out of memory ends the program,
 * as in util/alloc.h. */
char *ik_buf_take(struct ik_buf *buf, size_t *ret_length);

#endif
