/*
 * shell_word: quote text for a POSIX shell, in commands that ikigai asks the user to type.
 *
 * Pure. May include: util.
 */
#ifndef IK_UTIL_SHELL_WORD_H
#define IK_UTIL_SHELL_WORD_H

#include "util/buf.h"

/* Append text as one word, single-quoted if necessary. */
void ik_shell_word_put(struct ik_buf *out, const char *text);

#endif
