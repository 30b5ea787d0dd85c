#include "util/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define FIRST_CAPACITY 64

/* data of an empty buffer; never written to, because its capacity is 0 */
static const char empty[1] = "";

void ik_buf_init(struct ik_buf *buf, size_t ceiling)
{
	buf->data = (char *)empty;
	buf->length = 0;
	buf->capacity = 0;
	buf->ceiling = ceiling < SIZE_MAX ? ceiling : SIZE_MAX - 1;
	buf->status = IK_OK;
}

void ik_buf_done(struct ik_buf *buf)
{
	if (buf->capacity)
		free(buf->data);
	ik_buf_init(buf, buf->ceiling);
}

void ik_buf_clear(struct ik_buf *buf)
{
	ik_buf_truncate(buf, 0);
	buf->status = IK_OK;
}

void ik_buf_truncate(struct ik_buf *buf, size_t length)
{
	if (length >= buf->length)
		return;
	buf->length = length;
	buf->data[length] = '\0';
}

void ik_buf_trim(struct ik_buf *buf, size_t least, const char *set)
{
	size_t length = buf->length;

	while (length > least && memchr(set, buf->data[length - 1], strlen(set)))
		length--;
	ik_buf_truncate(buf, length);
}

void ik_buf_consume(struct ik_buf *buf, size_t count)
{
	ik_buf_erase(buf, 0, count);
}

void ik_buf_erase(struct ik_buf *buf, size_t position, size_t length)
{
	if (position >= buf->length)
		return;
	if (length > buf->length - position)
		length = buf->length - position;
	if (!length)
		return;
	memmove(buf->data + position, buf->data + position + length,
		buf->length - position - length + 1);
	buf->length -= length;
}

/* Grow the memory to hold wanted bytes and a NUL. */
static bool grow(struct ik_buf *buf, size_t wanted)
{
	size_t capacity = buf->capacity ? buf->capacity : FIRST_CAPACITY;
	char *data;

	while (capacity <= wanted) {
		if (capacity > buf->ceiling / 2) {
			capacity = buf->ceiling + 1;
			break;
		}
		capacity *= 2;
	}
	data = realloc(buf->capacity ? buf->data : NULL, capacity);
	if (!data) {
		if (capacity <= IK_MIB(1))
			ik_alloc_fail(); /* no memory even for a small buffer */
		buf->status = IK_NO_MEMORY;
		return false;
	}
	buf->data = data;
	buf->capacity = capacity;
	buf->data[buf->length] = '\0';
	return true;
}

char *ik_buf_reserve(struct ik_buf *buf, size_t extra)
{
	if (buf->status != IK_OK)
		return NULL;
	if (extra > buf->ceiling - buf->length) {
		buf->status = IK_TOO_LARGE;
		return NULL;
	}
	if (buf->length + extra >= buf->capacity && !grow(buf, buf->length + extra))
		return NULL;
	return buf->data + buf->length;
}

void ik_buf_commit(struct ik_buf *buf, size_t written)
{
	if (!buf->capacity)
		return;
	buf->length += written;
	buf->data[buf->length] = '\0';
}

void ik_buf_append(struct ik_buf *buf, const char *bytes, size_t length)
{
	char *place;

	if (!length)
		return;
	place = ik_buf_reserve(buf, length);
	if (!place)
		return;
	memcpy(place, bytes, length);
	ik_buf_commit(buf, length);
}

void ik_buf_puts(struct ik_buf *buf, const char *text)
{
	ik_buf_append(buf, text, strlen(text));
}

void ik_buf_putc(struct ik_buf *buf, char byte)
{
	ik_buf_append(buf, &byte, 1);
}

void ik_buf_vprintf(struct ik_buf *buf, const char *format, va_list arguments)
{
	va_list again;
	char *place;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0) {
		if (buf->status == IK_OK)
			buf->status = IK_FAILED;
		return;
	}
	place = ik_buf_reserve(buf, (size_t)length);
	if (!place)
		return;
	vsnprintf(place, (size_t)length + 1, format, arguments);
	ik_buf_commit(buf, (size_t)length);
}

void ik_buf_printf(struct ik_buf *buf, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	ik_buf_vprintf(buf, format, arguments);
	va_end(arguments);
}

void ik_buf_insert(struct ik_buf *buf, size_t position, const char *bytes, size_t length)
{
	if (!length || !ik_buf_reserve(buf, length))
		return;
	if (position > buf->length)
		position = buf->length;
	memmove(buf->data + position + length, buf->data + position, buf->length - position);
	memcpy(buf->data + position, bytes, length);
	ik_buf_commit(buf, length);
}

enum ik_status ik_buf_status(const struct ik_buf *buf)
{
	return buf->status;
}

enum ik_status ik_buf_check(const struct ik_buf *buf, const char *what, struct ik_error *error)
{
	switch (buf->status) {
	case IK_OK:
		return IK_OK;
	case IK_TOO_LARGE:
		return ik_error_set(error, IK_TOO_LARGE,
			_("%s is larger than %zu bytes, the most that is taken"), what, buf->ceiling);
	case IK_NO_MEMORY:
		return ik_error_set(error, IK_NO_MEMORY, _("not enough memory for %s"), what);
	default:
		return ik_error_set(error, buf->status, _("%s could not be put together"), what);
	}
}

/* Release the memory that doubling allocated in excess, if possible. */
static void shrink(struct ik_buf *buf)
{
	char *smaller;

	if (buf->capacity <= buf->length + 1)
		return;
	smaller = realloc(buf->data, buf->length + 1);
	if (!smaller)
		return;
	buf->data = smaller;
	buf->capacity = buf->length + 1;
}

char *ik_buf_take(struct ik_buf *buf, size_t *ret_length)
{
	char *data;

	if (ik_buf_status(buf) == IK_NO_MEMORY)
		ik_alloc_fail();
	if (buf->capacity / 2 > buf->length)
		shrink(buf);
	data = buf->capacity ? buf->data : ik_alloc(1);
	if (ret_length)
		*ret_length = buf->length;
	ik_buf_init(buf, buf->ceiling);
	return data;
}
