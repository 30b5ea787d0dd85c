/*
 * uuid: identifiers of sessions, events and calls.
 *
 * Keeps the last one's time, the price of their order.  May include: libc.
 */
#ifndef IK_UTIL_UUID_H
#define IK_UTIL_UUID_H

/* 36 characters and a NUL. */
#define IK_UUID_TEXT 37

/* A version 7 UUID (RFC 9562, section 5.7): ordered by time, also within one
 * millisecond of one process. Lower case. */
void ik_uuid_new(char out[IK_UUID_TEXT]);

#endif
