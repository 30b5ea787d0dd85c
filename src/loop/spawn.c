#include "loop/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/text.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

/* Set the limits of the child. Return 0, or -1 with errno. */
static int set_limits(const struct ik_spawn *spawn)
{
	const struct rlimit no_core = { 0, 0 };
	struct rlimit limit;

	if (setrlimit(RLIMIT_CORE, &no_core) != 0)
		return -1;
	/* If a sandbox around this process refuses it, run the tool anyway. */
	if (spawn->mark)
		(void)setrlimit(RLIMIT_LOCKS, spawn->mark);
	if (spawn->descriptor_limit != RLIM_INFINITY) {
		if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
			return -1;
		limit.rlim_cur = spawn->descriptor_limit;
		if (limit.rlim_cur <= limit.rlim_max && setrlimit(RLIMIT_NOFILE, &limit) != 0)
			return -1;
	}
	if (spawn->memory_limit != RLIM_INFINITY) {
		if (getrlimit(RLIMIT_AS, &limit) != 0)
			return -1;
		/* Never above this process's own limit. */
		if (limit.rlim_max == RLIM_INFINITY || spawn->memory_limit < limit.rlim_max)
			limit.rlim_max = spawn->memory_limit;
		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_AS, &limit) != 0)
			return -1;
	}
	return 0;
}

/* Let no descriptors but 0, 1, 2 through the exec, whoever opened them. */
static void close_others(void)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
		return;
#endif
	/* Linux before 5.11. All of ours are close-on-exec anyway, and what a shell may have left open
	 * has a low number. */
	for (int fd = 3; fd < 256; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Are places masked for it? */
static bool is_covered(const struct ik_spawn *spawn)
{
	return spawn->confinement && spawn->confinement->mask;
}

/* Do everything up to the exec. Return the step that failed, with errno. */
static enum ik_spawn_step prepare_and_exec(const struct ik_spawn *spawn, pid_t parent)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	static const char kernel_default[64];
	sigset_t none;

	/* Reset handlers before unblocking signals: memory is shared, so a handler of the parent that
	 * ran here would write into the parent's event pipe. */
	for (int number = 1; number < NSIG; number++)
		if (sigaction(number, &action, NULL) != 0 && number >= 32)
			/* The C library hides signals 32 and 33, but an ignored one would be inherited; all
			 * zero is SIG_DFL for the kernel. */
			(void)syscall(SYS_rt_sigaction, number, kernel_default, NULL, 8);
	if ((!spawn->foreground && setsid() < 0) || set_limits(spawn) != 0)
		return IK_SPAWN_SETUP;
	/* Before opening anything that a mask will cover. Dropping rights may also clear the
	 * parent-death signal, so that comes after. */
	if (is_covered(spawn)) {
		errno = ik_mount_mask_apply(spawn->confinement->mask);
		if (errno != 0)
			return IK_SPAWN_CONFINE;
	}
	if (!spawn->outlives && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		return IK_SPAWN_SETUP;
	if (!spawn->outlives && getppid() != parent)
		_exit(127); /* the parent died before the line above: there is no one to report to */
	if (spawn->directory && chdir(spawn->directory) != 0)
		return IK_SPAWN_DIRECTORY;
	for (int i = 0; i < 3; i++)
		if (dup2(spawn->streams[i], i) < 0)
			return IK_SPAWN_SETUP;
	close_others();
	if (spawn->door > 0 &&
		(dup2(spawn->door, IK_SPAWN_DOOR) < 0 || fcntl(IK_SPAWN_DOOR, F_SETFD, 0) < 0))
		return IK_SPAWN_SETUP;
	if (spawn->confinement) {
		errno = ik_confine_self(spawn->confinement);
		if (errno != 0)
			return IK_SPAWN_CONFINE;
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* As late as possible, not by descriptor: the kernel passes a script's path on to its
	 * interpreter. */
	if (spawn->identity && !ik_identity_holds(spawn->path, spawn->identity)) {
		errno = ESTALE;
		return IK_SPAWN_IDENTITY;
	}
	/* execve(2) does not change them; its prototype is older than const. */
	execve(spawn->path, (char *const *)(uintptr_t)spawn->argv,
		spawn->environment ? (char *const *)(uintptr_t)spawn->environment : environ);
	return IK_SPAWN_EXEC;
}

/* What a child is given, and its report if it doesn't reach exec: both in our memory. */
struct spawn_child {
	const struct ik_spawn *spawn;
	pid_t parent;
	volatile enum ik_spawn_step step;
	volatile int number; /* errno; 0: it has been executed */
};

/* Run the child: exec, or say what failed and exit. The address sanitizer would clean up the stack
 * before the exit, and must not know about it. */
static __attribute__((noinline, no_sanitize("address"))) int child_main(void *arg)
{
	struct spawn_child *child = arg;

	child->step = prepare_and_exec(child->spawn, child->parent);
	child->number = errno;
	_exit(127);
}

/* vfork in its own frame, with nothing that it could clobber. */
static __attribute__((noinline)) pid_t start_child(struct spawn_child *child)
{
	pid_t pid;

	if (is_covered(child->spawn))
		return ik_mount_mask_fork(ik_mount_mask_method(), child_main, child);
	pid = vfork();
	if (pid == 0)
		(void)child_main(child);
	return pid;
}

int ik_spawn_above_streams(int fd)
{
	int other, number;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	number = errno;
	close(fd);
	errno = number;
	return other;
}

int ik_spawn(const struct ik_spawn *spawn, pid_t *ret_pid, enum ik_spawn_step *ret_step)
{
	struct spawn_child child = { .spawn = spawn, .parent = getpid(), .step = IK_SPAWN_FORK };
	sigset_t all, before;
	int number;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = start_child(&child);
	number = pid < 0 ? errno : child.number;
	sigprocmask(SIG_SETMASK, &before, NULL);

	*ret_step = child.step;
	if (number == 0)
		*ret_pid = pid;
	else if (pid > 0)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	return number;
}

const char **ik_spawn_environment(const char *const *prefixes, size_t count)
{
	const char **kept = NULL;
	size_t kept_count = 0;

	for (char **entry = environ; entry && *entry; entry++)
		for (size_t i = 0; i < count; i++)
			if (ik_text_starts(*entry, prefixes[i])) {
				kept = ik_alloc_more(kept, kept_count, sizeof(*kept));
				kept[kept_count++] = *entry;
				break;
			}
	kept = ik_alloc_more(kept, kept_count, sizeof(*kept));
	kept[kept_count] = NULL;
	return kept;
}
