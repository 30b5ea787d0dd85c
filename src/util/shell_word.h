/*
 * shell_word: a text as a POSIX shell reads it back, for commands that a person
 * is told to type.
 *
 * Pure.  May include: util.
 */
#ifndef IK_UTIL_SHELL_WORD_H
#define IK_UTIL_SHELL_WORD_H

#include "util/buf.h"

/* Append text as one word: in single quotes where it needs them. */
void ik_shell_word_put(struct ik_buf *out, const char *text);

#endif
