/*
 * foreground: a program that has the terminal for a while: an editor, a pager.
 *
 * It belongs to this process's own job, so that the shell's job control means both: Ctrl-Z
 * in it stops both, and fg continues both.  Meanwhile the terminal is as the shell wants
 * it, nothing is read from it or written to it here, and the loop turns: Ctrl-C and Ctrl-\
 * are the program's (the owner has to ignore a SIGINT of its own while it runs).
 *
 * Owns the process; borrows the terminal.  May include: util, loop.
 */
#ifndef IK_LOOP_FOREGROUND_H
#define IK_LOOP_FOREGROUND_H

#include "loop/tty.h"

struct ik_foreground;

struct ik_foreground_spec {
	const char *path;               /* executable; no PATH search */
	const char *const *argv;        /* NULL-terminated */
	const char *const *environment; /* NULL: this process's */
	const char *directory;          /* NULL: this process's */
};

/*
 * Give the terminal back and start it there. When it has ended, the terminal is taken again
 * (tty's resumed follows) and done(arg, status) is called, status as of waitpid(2). On
 * failure the terminal is ours as before, and *error says why. NULL then.
 */
struct ik_foreground *ik_foreground_start(struct ik_loop *loop, struct ik_tty *tty,
	const struct ik_foreground_spec *spec, void (*done)(void *arg, int status), void *arg,
	struct ik_error *error);

/* Silent at once; a program that still runs is told to end, and killed after a moment (at
 * most 300 ms); the terminal is put back as the shell had it. Takes and returns NULL. */
struct ik_foreground *ik_foreground_close(struct ik_foreground *foreground);

#endif
