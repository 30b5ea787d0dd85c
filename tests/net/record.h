/*
 * record: what came to the loopback server, one JSON object a line.
 *
 * The members stand in loopback_server.c.
 */
#ifndef TESTS_NET_RECORD_H
#define TESTS_NET_RECORD_H

#include <stddef.h>

/* The value of a header (any case) in a head of lines, in new memory, or NULL. */
char *request_header(const char *head, const char *name);

/* fd below 0: no record is kept. */
void record_request(int fd, int request, int connection, const char *head, const char *body,
	size_t body_length, int answer);
void record_end(int fd, int request, const char *how, size_t bytes);

#endif
