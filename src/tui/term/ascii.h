/*
 * ascii: what is drawn for other characters where the terminal shows only ASCII.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TERM_ASCII_H
#define IK_TUI_TERM_ASCII_H

#include <stddef.h>

/* Return a character for a cluster: "|", "-" or "+" for frames, a similar one for common symbols, "?"
 * for everything else. length > 0. */
char ik_ascii_for(const char *cluster, size_t length);

#endif
