/*
 * needs: what a kernel may lack, or the emulator of one (qemu-user); where it does, the test skips
 * itself.  Include Criterion first.
 */
#ifndef TESTS_SUPPORT_NEEDS_H
#define TESTS_SUPPORT_NEEDS_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that adopts orphans. */
static inline void need_reaper(void)
{
	int adopts;

	if (prctl(PR_GET_CHILD_SUBREAPER, &adopts) != 0)
		cr_skip_test("no process can adopt orphans here");
}

/* A child of vfork(2) that can tell how it failed, and that is in its own session when we go on. */
static inline void need_vfork(void)
{
	static volatile bool shared;
	pid_t pid = vfork();

	if (pid == 0) {
		shared = true;
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	if (!shared)
		cr_skip_test("vfork(2) is fork(2) here");
}

/* A limit on a process's memory. */
static inline void need_memory_limit(void)
{
	struct rlimit before, now;

	cr_assert_eq(getrlimit(RLIMIT_AS, &before), 0);
	now = before;
	now.rlim_cur = (rlim_t)1 << 30;
	cr_assert_eq(setrlimit(RLIMIT_AS, &now), 0);
	cr_assert_eq(getrlimit(RLIMIT_AS, &now), 0);
	cr_assert_eq(setrlimit(RLIMIT_AS, &before), 0);
	if (now.rlim_cur == before.rlim_cur)
		cr_skip_test("setrlimit(2) limits no memory here");
}

/* Is this root, who can give files away?  Not in a user namespace of its own. */
static inline bool is_root(void)
{
	char path[] = "/tmp/ikigai-owner.XXXXXX";
	int fd = mkstemp(path);
	bool given = fd >= 0 && geteuid() == 0 && fchown(fd, 12345, 12345) == 0;

	if (fd >= 0) {
		(void)close(fd);
		(void)unlink(path);
	}
	return given;
}

#endif
