#include "util/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/utf8.h"

/* Remove an incomplete UTF-8 character from the end of a text that was cut. */
static void trim_cut_character(char *text, size_t length)
{
	size_t start = length;
	unsigned char lead;
	size_t wanted;

	while (start > 0 && length - start < 3 && ik_utf8_is_continuation(text[start - 1]))
		start--;
	if (start == 0)
		return;
	lead = (unsigned char)text[start - 1];
	wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
	if (length - (start - 1) < wanted)
		text[start - 1] = '\0';
}

/* Format into the error, starting at position. */
static void fill(struct ik_error *error, size_t position, const char *format, va_list arguments)
	IK_PRINTF(3, 0);
static void fill(struct ik_error *error, size_t position, const char *format, va_list arguments)
{
	size_t room = sizeof(error->text) - position;
	int length = vsnprintf(error->text + position, room, format, arguments);

	if (length < 0)
		error->text[position] = '\0';
	else if ((size_t)length >= room)
		trim_cut_character(error->text, sizeof(error->text) - 1);
}

static void append(struct ik_error *error, const char *format, ...) IK_PRINTF(2, 3);
/* Append to the sentence. */
static void append(struct ik_error *error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(error, strlen(error->text), format, arguments);
	va_end(arguments);
}

enum ik_status ik_error_set(struct ik_error *error, enum ik_status status, const char *format, ...)
{
	va_list arguments;

	if (!error)
		return status;
	error->status = status;
	va_start(arguments, format);
	fill(error, 0, format, arguments);
	va_end(arguments);
	return status;
}

enum ik_status ik_error_set_errno(struct ik_error *error, int number, const char *format, ...)
{
	enum ik_status status = ik_status_from_errno(number);
	char reason[128];

	va_list arguments;

	if (!error)
		return status;
	error->status = status;
	va_start(arguments, format);
	fill(error, 0, format, arguments);
	va_end(arguments);
	append(error, ": %s", strerror_r(number, reason, sizeof(reason)));
	return status;
}

enum ik_status ik_status_from_errno(int number)
{
	switch (number) {
	case 0:
		return IK_OK;
	case ENOMEM:
		return IK_NO_MEMORY;
	case ENOENT:
	case ENOTDIR:
		return IK_NOT_FOUND;
	case EACCES:
	case EPERM:
	case EROFS:
		return IK_DENIED;
	case EFBIG:
	case E2BIG:
	case ENAMETOOLONG:
	case EOVERFLOW:
		return IK_TOO_LARGE;
	case EINVAL:
	case EILSEQ:
		return IK_INVALID;
	case ECONNREFUSED:
	case ECONNRESET:
	case EHOSTUNREACH:
	case ENETUNREACH:
	case ETIMEDOUT:
	case ENODEV:
	case ENXIO:
		return IK_UNAVAILABLE;
	default:
		return IK_IO;
	}
}
