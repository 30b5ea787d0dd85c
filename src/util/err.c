#include "util/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/utf8.h"

const char *ik_status_name(enum ik_status status)
{
	static const char *const names[] = {
		[IK_OK] = "OK",
		[IK_FAILED] = "FAILED",
		[IK_NO_MEMORY] = "NO_MEMORY",
		[IK_TOO_LARGE] = "TOO_LARGE",
		[IK_INVALID] = "INVALID",
		[IK_NOT_FOUND] = "NOT_FOUND",
		[IK_DENIED] = "DENIED",
		[IK_IO] = "IO",
		[IK_UNAVAILABLE] = "UNAVAILABLE",
	};

	return names[status];
}

/* Return the status for an errno value. */
static enum ik_status status_from_errno(int number)
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

/* Remove an incomplete UTF-8 character from the end of a text that may have been cut. */
static void trim_cut_character(char *text)
{
	size_t length = strlen(text), start = length, wanted;
	unsigned char lead;

	while (start > 0 && ik_utf8_is_continuation(text[start - 1]))
		start--;
	if (start == 0)
		return;
	lead = (unsigned char)text[start - 1];
	wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
	if (length - (start - 1) < wanted)
		text[start - 1] = '\0';
}

/* Format the sentence, followed by the reason unless that is NULL. */
static IK_PRINTF(4, 0) void fill(struct ik_error *error, enum ik_status status, const char *reason,
	const char *format, va_list arguments)
{
	size_t length;

	error->status = status;
	error->at = NULL;
	if (vsnprintf(error->text, sizeof(error->text), format, arguments) < 0)
		error->text[0] = '\0';
	length = strlen(error->text);
	if (reason)
		(void)snprintf(error->text + length, sizeof(error->text) - length, ": %s", reason);
	trim_cut_character(error->text);
}

enum ik_status ik_error_set(struct ik_error *error, enum ik_status status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (error)
		fill(error, status, NULL, format, arguments);
	va_end(arguments);
	return status;
}

enum ik_status ik_error_set_errno(struct ik_error *error, int number, const char *format, ...)
{
	enum ik_status status = status_from_errno(number);
	va_list arguments;

	va_start(arguments, format);
	if (error)
		fill(error, status, strerror(number), format, arguments);
	va_end(arguments);
	return status;
}
