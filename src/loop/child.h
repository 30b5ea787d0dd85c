/*
 * child: one process with its three streams, from spawn to last word.
 *
 * A child runs in a session, and so in a process group, of its own: the
 * terminal is out of its reach (a password prompt fails at once instead of
 * drawing over the screen).  It has pipes (or /dev/null) for its streams,
 * every other descriptor closed, signals at default, core dumps off, a
 * parent-death signal set.  It is finished when its leader has ended AND its
 * output has ended (at most grace_ms after the leader, should a grandchild
 * hold the pipes); then done runs, exactly once, never inside start.  A
 * time-out or a cancel sends SIGTERM to the group and SIGKILL kill_after_ms
 * later, or at the end of grace_ms when the leader is gone by then; nothing of
 * the group is left then.  The clock starts at the spawn, and output that is
 * there is read before anyone is killed.
 *
 * The program is a child subreaper: what leaves the group is found again and ended with the
 * program (loop/children.h).
 *
 * Owns the process, its pipes and its clocks.  May include: util, loop.
 */
#ifndef IK_LOOP_CHILD_H
#define IK_LOOP_CHILD_H

#include "loop/loop.h"

#include <stddef.h>

struct ik_child;

struct ik_identity;
struct ik_confinement;

struct ik_child_spec {
	const char *path;                         /* executable, seen from directory; no PATH search */
	const struct ik_identity *identity;       /* the file that it must be; NULL: any */
	const char *const *argv;                  /* NULL-terminated; argv[0] first */
	const char *const *environment;           /* NULL-terminated; NULL: this process's */
	const char *directory;                    /* NULL: this process's */
	const struct ik_confinement *confinement; /* what it and its own may not do (loop/confine.h);
	                                    borrowed until it has started; NULL: as this process */
	const char *input;                        /* borrowed until done or close; NULL: /dev/null */
	size_t input_length;
	int64_t timeout_ms;            /* from the spawn; 0: none */
	int64_t (*overdue)(void *arg); /* timeout_ms is over and nothing is left to be read: in
	                                    how many more to ask again, 0: end it; NULL: always 0 */
	int64_t kill_after_ms;         /* SIGTERM to SIGKILL; 0: SIGKILL at once */
	int64_t grace_ms;              /* output after the leader's end */
	int64_t memory_limit;          /* bytes of address space; 0: none */
	bool discard_stderr;           /* /dev/null instead of a pipe */
};

enum ik_stream { IK_STDOUT, IK_STDERR };

struct ik_child_result {
	bool exited; /* exit_code holds; else signal_number */
	int exit_code;
	int signal_number;
	bool timed_out;      /* our SIGTERM after timeout_ms */
	bool cancelled;      /* ik_child_cancel() */
	int64_t duration_ms; /* spawn to end of the leader */
	bool left_running;   /* a grandchild still held the pipes */
};

struct ik_child_events {
	/* A piece of output as it was read (at most 64 KiB). May call
	 * ik_child_cancel() and ik_child_close(). May be NULL. */
	void (*output)(void *arg, enum ik_stream stream, const char *bytes, size_t length);
	/* May call ik_child_close(), which is due in the end in any case. */
	void (*done)(void *arg, const struct ik_child_result *result);
};

/* Spawn. On failure nothing was started, no callback will run, *error says
 * why (IK_NOT_FOUND, IK_DENIED, also for another file than it must be, IK_INVALID
 * for no executable format, ...). */
enum ik_status ik_child_start(struct ik_loop *loop, const struct ik_child_spec *spec,
	const struct ik_child_events *events, void *arg, struct ik_child **ret_child,
	struct ik_error *error) IK_MUST_USE;

/* End it as a time-out would; done reports it with cancelled set. No effect
 * when it is ending already, or has ended. */
void ik_child_cancel(struct ik_child *child);

int ik_child_pid(const struct ik_child *child);

/* Silent at once; a process that still runs is killed with its group and
 * reaped. What it left running after done lives on. */
struct ik_child *ik_child_close(struct ik_child *child);

#endif
