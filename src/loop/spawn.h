/*
 * spawn: what happens between fork and exec, and nothing else.
 *
 * The child is made by vfork(2): it costs the same however large this process
 * is, and the parent stands still until the exec.  It shares the parent's
 * memory until then, so it does nothing but system calls.  One that is to find places
 * covered is made by clone(2), in the same way (loop/mount_mask.h).  posix_spawn(3)
 * cannot set limits or a parent-death signal.
 *
 * May include: libc, util/identity.h, loop/confine.h.
 */
#ifndef IK_LOOP_SPAWN_H
#define IK_LOOP_SPAWN_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "loop/confine.h"
#include "util/identity.h"

struct ik_spawn {
	const char *path;
	const struct ik_identity *identity; /* the file that it must be when it is executed;
	                                       NULL: any */
	char *const *argv;
	char *const *environment;
	const char *directory;     /* NULL: this process's */
	int streams[3];            /* become 0, 1, 2; each above 2 */
	rlim_t memory_limit;       /* bytes of address space; RLIM_INFINITY: none */
	bool foreground;           /* it stays in this process's session and group, and so in its
	                             job, with the terminal that it may have */
	bool outlives;             /* it is not killed when this process dies */
	const struct rlimit *mark; /* RLIMIT_LOCKS, by which a guard finds it and what it starts
	                             (loop/guard.h); NULL: as it is */
	const struct ik_confinement *confinement; /* what it may not do; NULL: nothing of it */
	rlim_t descriptor_limit; /* soft limit of open files; RLIM_INFINITY: as it is */
};

/* What the errno value belongs to. */
enum ik_spawn_step {
	IK_SPAWN_FORK,  /* no process or no descriptor could be had */
	IK_SPAWN_SETUP, /* session, limits, streams */
	IK_SPAWN_DIRECTORY,
	IK_SPAWN_CONFINE,  /* the sandbox */
	IK_SPAWN_IDENTITY, /* it is another file; the value says nothing */
	IK_SPAWN_EXEC
};

/*
 * Start a process in a session (and so a process group) of its own, without
 * a controlling terminal (but for one that is to be in the foreground), with
 * signals at default and none blocked, no core dumps, SIGKILL when this
 * process dies (but for one that outlives it), and no descriptor but its streams.
 * Returns 0 and the pid once the program has been executed; else an errno
 * value and the step, and nothing is left of the process.
 */
int ik_spawn(const struct ik_spawn *spawn, pid_t *ret_pid, enum ik_spawn_step *ret_step);

/* fd, or a duplicate above 2 in its place (fd is closed then); -1 with errno. */
int ik_spawn_above_streams(int fd);

/* Return the variables that this program needs when it starts itself as a helper: those of
 * libraries and their checkers, never a key. NULL-terminated, of borrowed strings; release it
 * with free(). */
const char **ik_spawn_helper_environment(void);

#endif
