/*
 * terminal: a real program in a pseudo-terminal, seen through a real terminal
 * emulator (libvterm).
 *
 * For the tests and the benchmarks.  May include: libc, libvterm, util.
 */
#ifndef IK_TEST_TERMINAL_H
#define IK_TEST_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <vterm.h>

#include "util/buf.h"

struct terminal {
	int rows, columns;
	int master;            /* -1: not running */
	pid_t pid;
	bool exited;
	int status;            /* as of waitpid */
	bool reading;          /* false: the terminal has stopped taking output */
	int baud;              /* takes no more a second than such a line carries; 0: all */
	size_t bytes_read;     /* all that the program ever wrote */
	VTerm *vterm;
	VTermScreen *screen;
	int cursor_row, cursor_column;
	bool cursor_visible;
	bool alternate;        /* the second screen is shown */
	bool one_screen;       /* before the start: it has no second one */
	bool mouse;            /* clicks are reported */
	struct ik_buf raw;     /* every byte that it wrote since it was started */
};

void terminal_init(struct terminal *terminal, int rows, int columns);
void terminal_done(struct terminal *terminal); /* kills what still runs */

/* Each becomes the other, with the program in it. */
void terminal_swap(struct terminal *one, struct terminal *other);

/* Has the program something to do: does it run, or wait for a processor, or (reads) has it input
 * that it has not read? */
bool terminal_is_busy(const struct terminal *terminal, bool reads);

/* Start argv in directory with this environment on a fresh screen. False: errno. */
bool terminal_start(struct terminal *terminal, char *const *argv, char *const *environment,
	const char *directory);

/* Take output for at most milliseconds; returns true when some came. */
bool terminal_pump(struct terminal *terminal, int milliseconds);

/* Type bytes; output is taken meanwhile, so that neither side can block. */
bool terminal_write(struct terminal *terminal, const char *bytes, size_t length);

/* The terminal goes away, as a window that is closed. */
void terminal_hang_up(struct terminal *terminal);

void terminal_resize(struct terminal *terminal, int rows, int columns);

/* One row as UTF-8 without trailing blanks; valid until the next call. */
const char *terminal_row(struct terminal *terminal, int row);
bool terminal_cell(struct terminal *terminal, int row, int column, VTermScreenCell *ret_cell);

#endif
