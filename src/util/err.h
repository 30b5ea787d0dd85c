/*
 * err: how every layer reports failure.
 *
 * A function that can fail returns an ik_status, which must be used. If the user will read about
 * it, it also fills an ik_error with a sentence made where the failure was detected. Libraries
 * never print and never exit.
 *
 * Owns nothing. May include: libc.
 */
#ifndef IK_UTIL_ERR_H
#define IK_UTIL_ERR_H

#include <stdarg.h>

#define IK_MUST_USE __attribute__((warn_unused_result))
#define IK_PRINTF(format_index, first_argument) \
	__attribute__((format(printf, format_index, first_argument)))

enum ik_status {
	IK_OK = 0,
	IK_FAILED,    /* anything else; see the sentence */
	IK_NO_MEMORY, /* an allocation of external size failed */
	IK_TOO_LARGE, /* a ceiling was reached */
	IK_INVALID,   /* the input does not follow its format */
	IK_NOT_FOUND,
	IK_DENIED,     /* permission */
	IK_IO,         /* the operating system refused; errno is in the sentence */
	IK_UNAVAILABLE /* a server, library or device is not available (now) */
};

/* Return what programs call the status among themselves: "NOT_FOUND". */
const char *ik_status_name(enum ik_status status);

/* A failure in words. Plain storage: nothing to free. text is never NULL. */
struct ik_error {
	enum ik_status status;
	char text[500];
	const char *at; /* where the fault is in the text that was read, borrowed; NULL: unknown */
};

/*
 * Fill *error (which may be NULL) and return status, so that a failing function can end in one
 * line:
 *     return ik_error_set(error, IK_INVALID, _("..."), ...);
 * Text that does not fit is cut at a character boundary.
 */
enum ik_status ik_error_set(struct ik_error *error, enum ik_status status, const char *format, ...)
	IK_PRINTF(3, 4);

/* Do the same, appending ": strerror(number)"; the status follows from number, an errno value
 * (ENOENT: IK_NOT_FOUND, ...). */
enum ik_status ik_error_set_errno(struct ik_error *error, int number, const char *format, ...)
	IK_PRINTF(3, 4);

#endif
