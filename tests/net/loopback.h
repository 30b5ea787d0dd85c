/*
 * loopback: the loopback server started by a test, and what it recorded.
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

/* Start a server on a scenario (its text). Aborts when it cannot be started. */
struct loopback *loopback_start(const char *scenario);

/* Release whoever waits for name. */
void loopback_go(struct loopback *loopback, const char *name);

/* The next record, waited for; valid until the next call. NULL at the end. */
const char *loopback_record(struct loopback *loopback);

/* Ask it to quit; its exit status. */
int loopback_stop(struct loopback *loopback);

/* A connection of the test's own to it. */
int loopback_connect(const struct loopback *loopback);

#endif
