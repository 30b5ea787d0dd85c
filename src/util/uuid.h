/*
 * uuid: identifiers of sessions, events and calls.
 *
 * Remembers the time of the last one, to keep them in order. May include: libc.
 */
#ifndef IK_UTIL_UUID_H
#define IK_UTIL_UUID_H

/* 36 characters and a NUL. */
#define IK_UUID_TEXT 37

/* Make a version 7 UUID (RFC 9562, section 5.7) in lower case: ordered by time, even within one
 * millisecond of one process. */
void ik_uuid_new(char out[IK_UUID_TEXT]);

#endif
