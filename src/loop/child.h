/*
 * child: one process with its three streams, from spawn to end.
 *
 * A child runs in its own session and process group, so it cannot reach the terminal: a password
 * prompt fails immediately instead of drawing over the screen. Its streams are pipes or /dev/null,
 * every other descriptor is closed, signals are at their defaults, core dumps are off, and it dies
 * with this process.
 *
 * It is finished when its leader has ended AND its output has ended (at most grace_ms after the
 * leader, in case a grandchild holds the pipes). Then done runs exactly once, never from inside
 * start. A time-out or cancel sends SIGTERM to the group, and SIGKILL after kill_after_ms, or at
 * the end of grace_ms if the leader has ended by then; nothing of the group survives. The clock
 * starts at the spawn, and available output is read before anything is killed.
 *
 * The program is a child subreaper: what leaves the group is found again and ended with the program
 * (loop/children.h).
 *
 * Owns the process, its pipes and its timers. May include: util, loop.
 */
#ifndef IK_LOOP_CHILD_H
#define IK_LOOP_CHILD_H

#include "loop/loop.h"

#include <stddef.h>

struct ik_child;

struct ik_identity;
struct ik_confinement;

struct ik_child_spec {
	const char *path;                         /* executable, relative to directory; PATH is not
												 searched */
	const struct ik_identity *identity;       /* the file it must be; NULL: any */
	const char *const *argv;                  /* NULL-terminated; argv[0] first */
	const char *const *environment;           /* NULL-terminated; NULL: this process's */
	const char *directory;                    /* NULL: this process's */
	const struct ik_confinement *confinement; /* sandbox (loop/confine.h); borrowed until it has
												 started; NULL: none */
	const char *input;                        /* borrowed until done or close; NULL: /dev/null */
	size_t input_length;
	size_t input_room;  /* it gets more by ik_child_write(), of which at most so many bytes
									  wait for it, until ik_child_end(); 0: it gets input */
	int64_t timeout_ms; /* from the spawn; 0: none */
	int64_t (*overdue)(void *arg); /* timeout_ms has expired and all output is read: return the
									  ms until it is to be asked again, 0: end the child; NULL:
									  always 0 */
	int64_t kill_after_ms;         /* SIGTERM to SIGKILL; 0: SIGKILL at once */
	int64_t grace_ms;              /* how long to wait for output after the leader's end */
	int door;                      /* a descriptor of the parent's that it and what it starts have
									  as IK_SPAWN_DOOR (loop/spawn.h), too; 0: none */
	int64_t memory_limit;          /* bytes of address space; 0: none */
	bool discard_stderr;           /* /dev/null instead of a pipe */
	bool outlives;                 /* it isn't ended when this process is killed, nor when it is
									  closed, but by ik_children_end() */
};

enum ik_stream { IK_STDOUT, IK_STDERR };

struct ik_child_result {
	bool exited; /* exit_code is set; otherwise signal_number */
	int exit_code;
	int signal_number;
	bool timed_out;      /* ended by us after timeout_ms */
	bool cancelled;      /* ik_child_cancel() */
	int64_t duration_ms; /* spawn to end of the leader */
	bool left_running;   /* a grandchild still held the pipes */
	const char *failure; /* of what only reports like a child (tool/source.h): why it failed, in
							words, borrowed; NULL: it didn't */
};

struct ik_child_events {
	/* A piece of output as it was read (at most 64 KiB). May call ik_child_cancel() and
	 * ik_child_close(). May be NULL. */
	void (*output)(void *arg, enum ik_stream stream, const char *bytes, size_t length);
	/* May call ik_child_close(), which must be called sooner or later anyway. */
	void (*done)(void *arg, const struct ik_child_result *result);
};

/* Spawn. On failure nothing was started, no callback will run, and *error says why (IK_NOT_FOUND,
 * IK_DENIED, which includes a file that fails the identity check, IK_INVALID for an unknown
 * executable format, ...). */
enum ik_status ik_child_start(struct ik_loop *loop, const struct ik_child_spec *spec,
	const struct ik_child_events *events, void *arg, struct ik_child **ret_child,
	struct ik_error *error) IK_MUST_USE;

/* End it as a time-out does; done then has cancelled set. No effect if it is ending or has
 * ended. */
void ik_child_cancel(struct ik_child *child);

/* Write to a child with input_room. Return false, and write nothing, if that is used up or it reads no
 * more. */
bool ik_child_write(struct ik_child *child, const char *bytes, size_t length);
/* Close its input once it is written, and end it as a time-out does if it runs on for so many ms. When
 * it is closed before that, it has some seconds more, or until ik_children_end(). */
void ik_child_end(struct ik_child *child, int64_t wait_ms);

int ik_child_pid(const struct ik_child *child);

/* Wait for this child alone, also inside a callback of the loop: nothing else runs meanwhile, not even
 * its own time-out and done. Write what waits for it, and report a piece of its output. Return false
 * if nothing came until then (ik_clock_ms()), or its output has ended. */
bool ik_child_wait(struct ik_child *child, int64_t until_ms);

/* Stop all callbacks. If the process still runs, it is killed with its group and reaped, unless it
 * outlives this one. Processes that it left running after done stay alive. */
struct ik_child *ik_child_close(struct ik_child *child);

#endif
