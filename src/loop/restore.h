/*
 * restore: the terminal's last line of defence, for signals that end the
 * program where it stands (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT).
 *
 * Its handler runs on a stack of its own and makes two system calls,
 * tcsetattr and one write; then the signal takes its default course.
 * One of the few globals: a signal handler has no argument.
 *
 * Inside src/loop only.  May include: libc.
 */
#ifndef IK_LOOP_RESTORE_H
#define IK_LOOP_RESTORE_H

#include <termios.h>

/* From now on put modes back and write leave (kept by the caller) to fd. */
void ik_restore_arm(int fd, const struct termios *modes, const char *leave);

/* The terminal is as it was: nothing to do any more. */
void ik_restore_disarm(void);

#endif
