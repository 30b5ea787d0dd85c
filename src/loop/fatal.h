/*
 * fatal: the last actions of a dying program: restore the terminal, end processes that tools left
 * running.
 *
 * For the handler of a fatal signal (SIGSEGV, SIGABRT, ...), which runs on its own stack and then
 * lets the signal take its default action; for the lack of memory; and for an ordinary exit, which
 * ends children the same way. All of it makes system calls only. The program is a child subreaper,
 * so processes that its children leave running become its own children.
 *
 * Owns nothing: the texts and strangers belong to the caller. One of the few globals, because a
 * signal handler has no argument.
 *
 * Inside src/loop only. May include: libc.
 */
#ifndef IK_LOOP_FATAL_H
#define IK_LOOP_FATAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

/* From now on, restore modes and write leave to fd; called again, it replaces them. */
void ik_fatal_restore_terminal(int fd, const struct termios *modes, const char *leave);
/* Write a different leave from now on. */
void ik_fatal_leave_with(const char *leave);
/* The terminal is restored: nothing left to do. */
void ik_fatal_forget_terminal(void);

/* From now on, end everything below this process but the strangers: children from before the
 * program started. */
void ik_fatal_end_children(const pid_t *strangers, size_t count);
void ik_fatal_forget_children(void);

/* List up to size children of this process, zombies included, strangers excluded; none if the
 * kernel does not provide it (it was built without CONFIG_PROC_CHILDREN). */
size_t ik_fatal_list_children(pid_t *pids, size_t size);

#endif
