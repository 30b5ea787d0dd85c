/*
 * place: where a screen test lives: its directories, its environment, its
 * loopback server, and what went wrong in it.
 */
#ifndef IK_TEST_PLACE_H
#define IK_TEST_PLACE_H

#include "terminal.h"

#define MOST_VARIABLES 64

struct harness {
	const char *file;
	int line;
	struct terminal terminal;
	struct terminal other; /* that the step "other" goes to */
	char *root, *home, *ikigai_home, *work;
	char *variables[MOST_VARIABLES];
	pid_t server;
	char *body; /* of the step at hand */
	char failure[1000];
	char *skipped;
};


/* Note why the test failed; the first reason stays. Returns false. */
bool fail(struct harness *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set NAME=VALUE in the program's environment; "NAME" alone unsets. */
void set_variable(struct harness *h, const char *assignment);

/* $NAME in text replaced from the program's environment; new memory. */
char *expand(struct harness *h, const char *text);

/* The body of the step as a file, its directories made. */
bool write_file(struct harness *h, const char *directory, const char *name, mode_t mode);

/* Run shell lines with the program's environment; true when they succeed. */
bool shell(struct harness *h, const char *script);

/* Start the loopback server with the body as its scenario; sets $SERVER, $REQUESTS. */
bool start_server(struct harness *h);

/* Directories of the test's own and a clean environment; and their end. */
void make_place(struct harness *h);
void remove_place(struct harness *h);

#endif
