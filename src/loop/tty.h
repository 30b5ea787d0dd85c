/*
 * tty: the terminal as a device: raw mode, bytes in, bytes out, its size.
 *
 * The tty is opened anew, so that O_NONBLOCK stays ours and the shell's
 * descriptor is untouched.  Output that the terminal does not take waits here;
 * the owner asks ik_tty_busy() before it makes another frame.  The terminal is
 * restored on close, on suspend, and by a handler for fatal signals that does
 * nothing but tcsetattr and one write(2).  After a stop that it did not make
 * itself (SIGSTOP) it is entered again, too.
 *
 * Knows nothing of what the bytes mean.  May include: util, loop.
 */
#ifndef IK_LOOP_TTY_H
#define IK_LOOP_TTY_H

#include "loop/loop.h"

#include <stddef.h>

struct ik_tty;

struct ik_tty_events {
	/* What was typed, all that there is (up to 64 KiB). */
	void (*input)(void *arg, const char *bytes, size_t length);
	void (*drained)(void *arg);                        /* all waiting output was taken */
	void (*resized)(void *arg, int rows, int columns); /* SIGWINCH; maybe the same size */
	/* Back from a stop: raw, and enter written again; the size may be
	 * another: redraw all. */
	void (*resumed)(void *arg);
	void (*hung_up)(void *arg); /* the terminal is gone */
};

/* Opens the terminal of stdin and stdout; an error in words when there is none. */
struct ik_tty *ik_tty_open(struct ik_loop *loop, const struct ik_tty_events *events, void *arg,
	struct ik_error *error);

/* Enter raw mode (keys and output as they are: Ctrl-C is a byte, a line feed
 * does not return the carriage) and write enter; leave is what undoes it on
 * screen, written on every way out. Both are copied. From the background this
 * stops the program until it gets the terminal, as for any other. */
enum ik_status ik_tty_enter(struct ik_tty *tty, const char *enter, const char *leave,
	struct ik_error *error) IK_MUST_USE;

/* Enter (after a stop) and leave with other texts from now on; nothing is written. */
void ik_tty_change(struct ik_tty *tty, const char *enter, const char *leave);

/* Give the terminal back as it was; output that waits is given a moment (at
 * most 200 ms) to leave. */
void ik_tty_leave(struct ik_tty *tty);

/* Queue bytes; what the terminal takes goes out at once. Before enter and after
 * leave they are dropped. */
void ik_tty_write(struct ik_tty *tty, const char *bytes, size_t length);

/* Answers of the terminal's own are under way, or no more: leaving waits a moment for
 * them (at most 150 ms), as they would be typed into the shell. */
void ik_tty_expect(struct ik_tty *tty, bool answers);

/* Is output still waiting? Then make no new frame; drained will come. */
bool ik_tty_busy(const struct ik_tty *tty);

void ik_tty_size(const struct ik_tty *tty, int *ret_rows, int *ret_columns);

/* Leave, stop this process and its job as Ctrl-Z does, come back with resumed
 * (later, not inside). No effect where SIGTSTP was ignored from the start. */
void ik_tty_suspend(struct ik_tty *tty);

/* Leave for another program of this job; restored all the same where this one ends
 * meanwhile. Then take it again, with resumed (later, not inside). */
void ik_tty_lend(struct ik_tty *tty);
void ik_tty_take_back(struct ik_tty *tty);
/* While it is lent: stop this job as Ctrl-Z does (later, not inside). */
void ik_tty_stop_job(struct ik_tty *tty);

/* Leaves if need be. */
struct ik_tty *ik_tty_close(struct ik_tty *tty);

/* Write a last word to the terminal of a standard stream, once it was left, by a program that ends.
 * When it has taken nothing for half a second, the rest is dropped: it must not hold up what is still
 * to be stored and released. False: the stream is no terminal, and nothing was written. */
bool ik_tty_say(int stream, const char *text);

/* Put the terminal back from anywhere, a signal handler or the out-of-memory
 * hook included; no effect when it is not entered. For a program that ends now. */
void ik_tty_restore(void);

#endif
