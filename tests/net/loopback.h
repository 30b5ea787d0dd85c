/*
 * loopback: start the loopback server for a test, and read what it recorded.
 */
#ifndef TESTS_NET_LOOPBACK_H
#define TESTS_NET_LOOPBACK_H

#include <stdio.h>
#include <sys/types.h>

struct loopback {
	pid_t pid;
	int port;
	FILE *orders;  /* its stdin */
	FILE *records; /* its stdout */
	char *line;    /* the last record */
	size_t line_size;
	char scenario[64];
};

/* Start a server with the text of a scenario. Aborts on failure. */
struct loopback *loopback_start(const char *scenario);

/* Release all answers that wait for name. */
void loopback_go(struct loopback *loopback, const char *name);

/* Wait for the next record and return it, valid until the next call; NULL at the end. */
const char *loopback_record(struct loopback *loopback);

/* Tell the server to quit, and return its exit status. */
int loopback_stop(struct loopback *loopback);

/* Return a new connection to the server. */
int loopback_connect(const struct loopback *loopback);

#endif
