/*
 * children: the insides that process.c and children.c share.
 *
 * children.c watches SIGCHLD where that is needed, reaps adopted orphans,
 * counts them and ends everything; process.c looks after single pids.
 *
 * Inside src/loop only.  May include: util, loop.
 */
#ifndef IK_LOOP_CHILDREN_H
#define IK_LOOP_CHILDREN_H

#include "loop/process.h"

struct ik_guard;
struct ik_leftovers;

struct ik_process {
	struct ik_process *next;
	struct ik_process *previous;
	struct ik_children *children;
	pid_t pid;
	int pidfd;                /* -1: SIGCHLD tells of its end */
	struct ik_watch *watch;   /* of pidfd, until the end was seen */
	void (*ended)(void *arg); /* NULL: closed, lives only to be reaped */
	void *arg;
	bool is_zombie;
	bool reaped; /* the number may be another's now */
	int status;
};

struct ik_children {
	struct ik_loop *loop;
	struct ik_process *first; /* all that are not reaped */
	size_t count;
	struct ik_signal *signal; /* SIGCHLD; NULL until needed */
	rlim_t descriptor_limit;
	bool is_reaper;
	pid_t *strangers; /* children that we were born with */
	size_t stranger_count;
	bool changed; /* a look at the orphans is due (deferred) */
	int orphans;
	void (*on_change)(void *);
	void *on_change_arg;
	struct ik_guard *guard;         /* NULL: none */
	struct ik_leftovers *leftovers; /* those that are told to end; NULL until needed */
};

/* The processes that this one adopted, zombies included: free() the array. */
pid_t *ik_children_adopted(struct ik_children *children, size_t *ret_count);

/* Release what leftovers.c keeps; takes and returns NULL. */
struct ik_leftovers *ik_leftovers_dispose(struct ik_leftovers *leftovers);

/* A process was reaped or SIGCHLD came: look at the orphans between turns. */
void ik_children_changed(struct ik_children *children);

/* Watch SIGCHLD from now on. */
void ik_children_watch_signal(struct ik_children *children);

/* If it has ended: tell its owner, or reap it if it has none any more. */
void ik_process_notice(struct ik_process *process);

/* It is gone; status is as of waitpid(2). */
void ik_process_set_reaped(struct ik_process *process, int status);

/* Release the list itself. */
void ik_children_dispose(struct ik_children *children);

#endif
