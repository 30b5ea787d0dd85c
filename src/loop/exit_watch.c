#include "loop/exit_watch.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/alloc.h"

struct ik_exit_watch {
	int fd;
	struct ik_watch *watch;
	void (*ended)(void *arg);
	void *arg;
};

/* The descriptor is readable, and will stay so. */
static void on_readable(void *arg, int what)
{
	struct ik_exit_watch *watch = arg;

	watch->watch = ik_watch_close(watch->watch);
	watch->ended(watch->arg);
}

struct ik_exit_watch *ik_exit_watch_new(struct ik_loop *loop, pid_t pid, void (*ended)(void *arg),
	void *arg)
{
	int fd = -1;
	struct ik_exit_watch *watch;

#ifdef SYS_pidfd_open
	fd = (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by default */
#endif
	if (fd < 0)
		return NULL;
	watch = ik_alloc(sizeof(*watch));
	watch->fd = fd;
	watch->ended = ended;
	watch->arg = arg;
	watch->watch = ik_watch_new(loop, fd, on_readable, watch);
	if (ik_watch_set(watch->watch, IK_READABLE, NULL) != IK_OK)
		return ik_exit_watch_close(watch);
	return watch;
}

struct ik_exit_watch *ik_exit_watch_close(struct ik_exit_watch *watch)
{
	if (!watch)
		return NULL;
	watch->watch = ik_watch_close(watch->watch);
	(void)close(watch->fd);
	free(watch);
	return NULL;
}
