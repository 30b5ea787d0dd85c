/*
 * shell_word: words of a POSIX shell: quoted for it, in commands that ikigai asks the user to type,
 * and read as it reads them.
 *
 * Pure. May include: util.
 */
#ifndef IK_UTIL_SHELL_WORD_H
#define IK_UTIL_SHELL_WORD_H

#include "util/buf.h"

/* Append text as one word, single-quoted if necessary. */
void ik_shell_word_put(struct ik_buf *out, const char *text);

/* The words of a text, in which quotation marks and backslashes are as in a shell, but never an
 * error: a mark that isn't closed, and an apostrophe within a word, are ordinary characters. */
struct ik_shell_words {
	char **words;
	size_t count;
};
void ik_shell_words_split(struct ik_shell_words *words, const char *text);
void ik_shell_words_done(struct ik_shell_words *words);

#endif
