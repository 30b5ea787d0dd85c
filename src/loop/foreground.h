/*
 * foreground: a program that gets the terminal for a while: an editor, a pager.
 *
 * It belongs to this process's job, so the shell's job control applies to both: Ctrl-Z in it stops
 * both, fg continues both. Meanwhile the terminal is in the shell's modes, this process neither
 * reads nor writes it, and the loop keeps running. Ctrl-C and Ctrl-\ belong to the program (the
 * owner must ignore SIGINT while it runs).
 *
 * Owns the process; borrows the terminal. May include: util, loop.
 */
#ifndef IK_LOOP_FOREGROUND_H
#define IK_LOOP_FOREGROUND_H

#include "loop/tty.h"

struct ik_foreground;

struct ik_foreground_spec {
	const char *path;               /* executable; PATH is not searched */
	const char *const *argv;        /* NULL-terminated */
	const char *const *environment; /* NULL: this process's */
	const char *directory;          /* NULL: this process's */
};

/*
 * Give the terminal back and start the program in it. When it has ended, the terminal is taken
 * again (tty's resumed follows) and done(arg, status) is called, status as of waitpid(2). On
 * failure return NULL: *error says why, and the terminal is ours as before.
 */
struct ik_foreground *ik_foreground_start(struct ik_loop *loop, struct ik_tty *tty,
	const struct ik_foreground_spec *spec, void (*done)(void *arg, int status), void *arg,
	struct ik_error *error);

/* No callback runs from here on. A program that still runs is told to end and soon killed (after at
 * most 300 ms); the terminal gets the shell's modes back. Takes and returns NULL. */
struct ik_foreground *ik_foreground_close(struct ik_foreground *foreground);

#endif
