/*
 * record: requests to the loopback server, one JSON object a line.
 *
 * loopback_server.c lists the members.
 */
#ifndef TESTS_NET_RECORD_H
#define TESTS_NET_RECORD_H

#include <stddef.h>

/* Return the value of a header (in any case), or NULL; the caller frees it. */
char *request_header(const char *head, const char *name);

/* Write a record; fd below 0: don't. */
void record_request(int fd, int request, int connection, const char *head, const char *body,
	size_t body_length, int answer, const char *refusal);
void record_end(int fd, int request, const char *how, size_t bytes);

#endif
