/*
 * title: what a session is called by itself.
 *
 * Pure.  May include: util.
 */
#ifndef IK_STORE_TITLE_H
#define IK_STORE_TITLE_H

#include <stddef.h>

/* The title of a session: the first words of its first message, on one line; new memory. */
char *ik_session_title(const char *text, size_t length);

#endif
