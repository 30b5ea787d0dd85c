/*
 * tty: the terminal as a device: raw mode, bytes in, bytes out, its size.
 *
 * The tty is opened anew, so that O_NONBLOCK stays ours and the shell's
 * descriptor is untouched.  Output that the terminal does not take waits here;
 * the owner asks ik_tty_busy() before it makes another frame.  The terminal is
 * restored on close, on suspend, and by a handler for fatal signals that does
 * nothing but tcsetattr and one write(2).
 *
 * Knows nothing of what the bytes mean.  May include: util, loop.
 */
#ifndef IK_LOOP_TTY_H
#define IK_LOOP_TTY_H

#include "loop/loop.h"

#include <stddef.h>

struct ik_tty;

struct ik_tty_events {
	void (*input)(void *arg, const char *bytes, size_t length);
	void (*drained)(void *arg); /* all waiting output was taken */
	void (*resized)(void *arg, int rows, int columns); /* SIGWINCH */
	void (*resumed)(void *arg); /* back from a suspend: raw again, redraw all */
	void (*hung_up)(void *arg); /* the terminal is gone */
};

/* Opens the terminal of stdin and stdout; an error in words when there is none. */
struct ik_tty *ik_tty_open(struct ik_loop *loop, const struct ik_tty_events *events,
	void *arg, struct ik_error *error);

/* Enter raw mode and write enter; leave is what undoes it on screen, written
 * on every way out. Both are copied. */
enum ik_status ik_tty_enter(struct ik_tty *tty, const char *enter, const char *leave,
	struct ik_error *error) IK_MUST_USE;

/* Give the terminal back as it was; output that waits is given a moment (at
 * most 200 ms) to leave. */
void ik_tty_leave(struct ik_tty *tty);

/* Queue bytes. */
void ik_tty_write(struct ik_tty *tty, const char *bytes, size_t length);

/* Is output still waiting? Then make no new frame; drained will come. */
bool ik_tty_busy(const struct ik_tty *tty);

void ik_tty_size(const struct ik_tty *tty, int *ret_rows, int *ret_columns);

/* Leave, stop this process as Ctrl-Z does, come back with resumed. */
void ik_tty_suspend(struct ik_tty *tty);

/* Leaves if need be. */
struct ik_tty *ik_tty_close(struct ik_tty *tty);

#endif
