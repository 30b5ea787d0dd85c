/*
 * tty: the terminal as a device: raw mode, input bytes, output bytes, size.
 *
 * The terminal is opened again, so that O_NONBLOCK stays ours and the shell's descriptor is
 * untouched. Output that the terminal does not accept waits here; the owner checks ik_tty_busy()
 * before it makes another frame. The terminal is restored on close, on suspend, and by a handler
 * for fatal signals that does nothing but tcsetattr and one write(2). After an external stop
 * (SIGSTOP) it is entered again, too.
 *
 * Knows nothing about the meaning of the bytes. May include: util, loop.
 */
#ifndef IK_LOOP_TTY_H
#define IK_LOOP_TTY_H

#include "loop/loop.h"

#include <stddef.h>

struct ik_tty;

struct ik_tty_events {
	/* All available input (up to 64 KiB). */
	void (*input)(void *arg, const char *bytes, size_t length);
	void (*drained)(void *arg);                        /* all waiting output was written */
	void (*resized)(void *arg, int rows, int columns); /* SIGWINCH; possibly the same size */
	/* Back from a stop: raw mode is set and enter written again. The size may have changed: redraw
	 * everything. */
	void (*resumed)(void *arg);
	void (*hung_up)(void *arg); /* the terminal is gone */
};

/* Open the terminal of stdin and stdout. The error is a sentence. */
struct ik_tty *ik_tty_open(struct ik_loop *loop, const struct ik_tty_events *events, void *arg,
	struct ik_error *error);

/* Enter raw mode (keys and output unchanged: Ctrl-C is a byte, a line feed does not return the
 * carriage) and write enter; leave undoes it on the screen and is written on every way out. Both
 * are copied. In the background this stops the program until it gets the terminal, like any
 * other. */
enum ik_status ik_tty_enter(struct ik_tty *tty, const char *enter, const char *leave,
	struct ik_error *error) IK_MUST_USE;

/* Use other texts to enter (after a stop) and leave from now on; writes nothing. */
void ik_tty_change(struct ik_tty *tty, const char *enter, const char *leave);

/* Restore the terminal; pending output gets at most 200 ms. */
void ik_tty_leave(struct ik_tty *tty);

/* Queue bytes and write what the terminal accepts. Before enter and after leave they are
 * dropped. */
void ik_tty_write(struct ik_tty *tty, const char *bytes, size_t length);

/* Answers from the terminal are pending, or no more: leaving waits for them (at most 150 ms),
 * because the shell would take them for typed text. */
void ik_tty_expect(struct ik_tty *tty, bool answers);

/* Is output still waiting? Then make no new frame until drained. */
bool ik_tty_busy(const struct ik_tty *tty);

void ik_tty_size(const struct ik_tty *tty, int *ret_rows, int *ret_columns);
/* Return the size of a cell in pixels; false: the terminal doesn't say. */
bool ik_tty_cell(const struct ik_tty *tty, int *ret_width, int *ret_height);

/* Leave, stop this process and its job like Ctrl-Z, and come back with resumed (later, not from
 * inside). No effect if SIGTSTP was ignored at start. */
void ik_tty_suspend(struct ik_tty *tty);

/* Leave for another program of this job; still restored if this one ends meanwhile. Then take it
 * again, with resumed (later, not from inside). */
void ik_tty_lend(struct ik_tty *tty);
void ik_tty_take_back(struct ik_tty *tty);
/* While it is lent: stop this job like Ctrl-Z (later, not from inside). */
void ik_tty_stop_job(struct ik_tty *tty);

/* Leave if necessary, and close. */
struct ik_tty *ik_tty_close(struct ik_tty *tty);

/* Write a last message to the terminal of a standard stream, after it was left, when the program
 * ends. If it accepts nothing for half a second, drop the rest: it must not delay storing and
 * releasing. Return false if the stream is not a terminal; nothing is written then. */
bool ik_tty_say(int stream, const char *text);

/* Restore the terminal from anywhere, including a signal handler or the out-of-memory hook; no
 * effect if it is not entered. For a program that is about to end. */
void ik_tty_restore(void);

#endif
