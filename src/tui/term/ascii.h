/*
 * ascii: look-alikes for other characters on terminals that show only ASCII.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TERM_ASCII_H
#define IK_TUI_TERM_ASCII_H

#include <stddef.h>

/* Return the ASCII character to draw for a cluster: "|", "-" or "+" for frames, a look-alike for
 * common symbols, "?" for everything else. length > 0. */
char ik_ascii_for(const char *cluster, size_t length);

#endif
