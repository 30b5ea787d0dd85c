#include "loop/end_watch.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/alloc.h"

struct ik_end_watch {
	int fd;
	struct ik_watch *watch;
	void (*ended)(void *arg);
	void *arg;
};

int ik_end_watch_open(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by default */
#else
	return -1;
#endif
}

/* The descriptor is readable, and will stay so. */
static void on_readable(void *arg, int what)
{
	struct ik_end_watch *watch = arg;

	watch->watch = ik_watch_close(watch->watch);
	watch->ended(watch->arg);
}

struct ik_end_watch *ik_end_watch_new(struct ik_loop *loop, pid_t pid, void (*ended)(void *arg),
	void *arg)
{
	int fd = ik_end_watch_open(pid);
	struct ik_end_watch *watch;

	if (fd < 0)
		return NULL;
	watch = ik_alloc(sizeof(*watch));
	watch->fd = fd;
	watch->ended = ended;
	watch->arg = arg;
	watch->watch = ik_watch_new(loop, fd, on_readable, watch);
	if (ik_watch_set(watch->watch, IK_READABLE, NULL) != IK_OK)
		return ik_end_watch_close(watch);
	return watch;
}

struct ik_end_watch *ik_end_watch_close(struct ik_end_watch *watch)
{
	if (!watch)
		return NULL;
	watch->watch = ik_watch_close(watch->watch);
	(void)close(watch->fd);
	free(watch);
	return NULL;
}
