/*
 * spawn: what happens between fork and exec.
 *
 * The child is made by vfork(2): it costs the same however large this process is, and the parent
 * waits until the exec. Until then it shares the parent's memory, so it makes nothing but system
 * calls, and says there what failed.  (Under valgrind, which forks instead, a program that cannot
 * be executed looks like one that exits with status 127.) A child with a mount mask is made by
 * clone(2) in the same way (loop/mount_mask.h). posix_spawn(3) cannot set limits or a parent-death
 * signal.
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

/* A number that no script uses by itself. */
#define IK_SPAWN_DOOR 63

struct ik_spawn {
	const char *path;
	const struct ik_identity *identity; /* the file it must be at the exec; NULL: any */
	const char *const *argv;            /* NULL-terminated; argv[0] first */
	const char *const *environment;     /* NULL-terminated; NULL: this process's */
	const char *directory;              /* NULL: this process's */
	int streams[3];                     /* become 0, 1, 2; each above 2 */
	int door;                  /* becomes IK_SPAWN_DOOR, which what it starts inherits; 0: none */
	rlim_t memory_limit;       /* bytes of address space; RLIM_INFINITY: none */
	bool foreground;           /* it stays in this process's session, group and job, with its
								  terminal if it has one */
	bool outlives;             /* not killed when this process dies */
	const struct rlimit *mark; /* RLIMIT_LOCKS, by which the killer finds it and what it starts
								  (loop/killer.h); NULL: unchanged */
	const struct ik_confinement *confinement; /* sandbox; NULL: none */
	rlim_t descriptor_limit; /* soft limit of open files; RLIM_INFINITY: unchanged */
};

/* Where it failed. */
enum ik_spawn_step {
	IK_SPAWN_FORK,  /* no process or descriptor available */
	IK_SPAWN_SETUP, /* session, limits, streams */
	IK_SPAWN_DIRECTORY,
	IK_SPAWN_CONFINE,  /* the sandbox */
	IK_SPAWN_IDENTITY, /* the file has been replaced; errno is unset */
	IK_SPAWN_EXEC
};

/*
 * Start a process in its own session and process group, without a controlling terminal (unless it
 * runs in the foreground), with default signals, none blocked, no core dumps, SIGKILL when this
 * process dies (unless it outlives it), and no descriptors but its streams. Return 0 and the pid
 * once the program has been executed. Otherwise return an errno value and the step; nothing is left
 * of the process.
 */
int ik_spawn(const struct ik_spawn *spawn, pid_t *ret_pid, enum ik_spawn_step *ret_step);

/* Return fd, or a duplicate above 2 (then fd is closed); -1 with errno. */
int ik_spawn_above_streams(int fd);

/* Return the entries of this process's environment that begin with one of the count prefixes, as
 * "PATH=" or "LC_". NULL-terminated, of borrowed strings; release it with free(). */
const char **ik_spawn_environment(const char *const *prefixes, size_t count);

#endif
