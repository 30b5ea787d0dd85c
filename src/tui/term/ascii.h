/*
 * ascii: what stands in for characters where a terminal has ASCII only.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TERM_ASCII_H
#define IK_TUI_TERM_ASCII_H

#include <stddef.h>

/* One character for a cluster: frames become | - +, known marks what is like
 * them, all else '?'. length > 0. */
char ik_ascii_for(const char *cluster, size_t length);

#endif
