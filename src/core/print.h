/*
 * print: what a command that runs without a screen says on standard output.
 *
 * May include: util.
 */
#ifndef IK_CORE_PRINT_H
#define IK_CORE_PRINT_H

#include "util/buf.h"

/*
 * Write bytes to standard output: sanitised where that is a terminal, as they
 * are elsewhere. 0, or 1 when it failed, which was then said on standard error, unless nobody
 * reads any more.
 */
int ik_print(const char *bytes, size_t length);

/* The same of a buffer; one that memory was short for is not printed, and that is said. */
int ik_print_buf(const struct ik_buf *out);

/* Say what is wrong on standard error, as a sentence of the program's; what it quotes
 * is sanitised where that is a terminal. */
void ik_complain(const char *sentence);

/* The line that ik_complain() would say; the caller frees it. */
char *ik_complaint(const char *sentence);

#endif
