/*
 * restore: the last line of defence, for signals that end the program where it
 * stands (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, ...).
 *
 * Its handler runs on a stack of its own, puts the terminal back (tcsetattr and
 * one write), ends what tools have left running (loop/reaper.h), and lets the
 * signal take its default course.
 * One of the few globals: a signal handler has no argument.
 *
 * Inside src/loop only.  May include: libc.
 */
#ifndef IK_LOOP_RESTORE_H
#define IK_LOOP_RESTORE_H

#include <termios.h>

/* From now on put modes back and write leave (kept by the caller) to fd. */
void ik_restore_arm(int fd, const struct termios *modes, const char *leave);

/* Write another leave instead, from now on. */
void ik_restore_leave_with(const char *leave);

/* The terminal is as it was: nothing to do any more. */
void ik_restore_disarm(void);

/* Handle these signals, also without a terminal; as often undone as done. Between
 * ik_restore_arm() and disarm they are handled in any case. */
void ik_restore_handle(void);
void ik_restore_unhandle(void);

#endif
