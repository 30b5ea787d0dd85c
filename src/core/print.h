/*
 * print: standard output and standard error of commands without a screen.
 *
 * May include: util.
 */
#ifndef IK_CORE_PRINT_H
#define IK_CORE_PRINT_H

#include "util/buf.h"

/* Write a buffer to standard output, sanitised if that is a terminal. Return 0, or 1 on failure,
 * after printing an error (unless the reader has closed the pipe). */
int ik_print_buf(const struct ik_buf *out);

/* Print an error message on standard error, sanitised if that is a terminal. */
void ik_complain(const char *sentence);
void ik_complainf(const char *format, ...) IK_PRINTF(1, 2);

/* Return the line that ik_complain() would print; the caller frees it. */
char *ik_complaint(const char *sentence);

#endif
