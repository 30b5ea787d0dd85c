/*
 * restore: the last line of defence, for fatal signals (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT,
 * ...).
 *
 * The handler runs on its own stack, restores the terminal (tcsetattr and one write), ends what
 * tools have left running (loop/reaper.h), and lets the signal take its default action. One of the
 * few globals, because a signal handler has no argument.
 *
 * Inside src/loop only. May include: libc.
 */
#ifndef IK_LOOP_RESTORE_H
#define IK_LOOP_RESTORE_H

#include <termios.h>

/* From now on, restore modes and write leave (kept by the caller) to fd. */
void ik_restore_arm(int fd, const struct termios *modes, const char *leave);

/* Write a different leave from now on. */
void ik_restore_leave_with(const char *leave);

/* The terminal is restored: nothing left to do. */
void ik_restore_disarm(void);

/* Handle these signals even without a terminal; calls must be balanced. Between ik_restore_arm()
 * and disarm they are handled in any case. */
void ik_restore_handle(void);
void ik_restore_unhandle(void);

#endif
