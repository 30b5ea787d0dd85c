#include "loop/children.h"

#include <stdlib.h>
#include <time.h>

#include "loop/killer.h"
#include "loop/process.h"
#include "loop/reaper.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"

/* How long ik_children_end() tries: only processes that fork as fast as they
 * are killed, or that hang in the kernel, take more than a few milliseconds. */
#define END_MS 3000

/* Descriptors that are not for children: terminal, store, network, log. */
#define RESERVED_DESCRIPTORS 64
/* Three pipes and a pidfd. */
#define DESCRIPTORS_OF_CHILD 4
#define MOST_CHILDREN 100000

struct children {
	struct ik_loop *loop;
	rlim_t descriptor_limit;
	int orphans;
	void (*on_change)(void *);
	void *on_change_arg;
	struct ik_killer *killer; /* NULL: none */
};

static void *make_children(struct ik_loop *loop)
{
	struct children *children = ik_alloc(sizeof(*children));
	struct rlimit limit;

	(void)ik_processes_count(loop); /* attached before this, so released after it */
	children->loop = loop;
	children->descriptor_limit = RLIM_INFINITY;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		children->descriptor_limit = limit.rlim_cur;
	return children;
}

static void release_children(void *object)
{
	struct children *children = object;

	children->killer = ik_killer_close(children->killer);
	children->on_change = NULL;
	ik_loop_defer(children->loop, free, children);
}

static struct children *children_of(struct ik_loop *loop)
{
	return ik_loop_attached(loop, make_children, release_children);
}

/* A child has ended: count the orphans again. */
static void changed(void *arg)
{
	struct children *children = arg;
	const int before = children->orphans;
	size_t count;

	free(ik_processes_orphans(children->loop, &count));
	children->orphans = (int)count;
	if (count == 0 && ik_processes_count(children->loop) == ik_killer_count(children->killer))
		ik_killer_rest(children->killer);
	else
		ik_killer_renew(children->killer);
	if (children->orphans != before && children->on_change)
		children->on_change(children->on_change_arg);
}

void ik_children_become_reaper(struct ik_loop *loop, const char *killer)
{
	struct children *children = children_of(loop);

	ik_processes_adopt(loop, changed, children);
	if (killer && !children->killer)
		children->killer = ik_killer_new(loop, killer);
}

int ik_children_orphans(struct ik_loop *loop)
{
	return children_of(loop)->orphans;
}

void ik_children_on_change(struct ik_loop *loop, void (*fn)(void *), void *arg)
{
	struct children *children = children_of(loop);

	children->on_change = fn;
	children->on_change_arg = arg;
}

void ik_children_end(struct ik_loop *loop)
{
	const struct timespec moment = { 0, 500 * 1000 };
	const int64_t end = ik_clock_ms() + END_MS;
	size_t count;

	/* Children of killed processes become ours: each round finds the next generation, until
	 * none is left. */
	while ((count = ik_processes_kill(loop)) > 0) {
		if (ik_clock_ms() > end) {
			ik_log(IK_LOG_ERROR, "%zu child processes could not be ended", count);
			break;
		}
		nanosleep(&moment, NULL);
	}
	ik_processes_changed(loop);
}

void ik_children_end_now(void)
{
	ik_reaper_end();
}

rlim_t ik_children_descriptor_limit(struct ik_loop *loop)
{
	return children_of(loop)->descriptor_limit;
}

const struct rlimit *ik_children_mark(struct ik_loop *loop)
{
	return ik_killer_mark(children_of(loop)->killer);
}

int ik_children_capacity(struct ik_loop *loop)
{
	struct rlimit limit;
	rlim_t count;

	(void)children_of(loop); /* notes the limit as it was */
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 1;
	if (limit.rlim_cur != limit.rlim_max) {
		const struct rlimit raised = { limit.rlim_max, limit.rlim_max };

		if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
			limit = raised;
	}
	if (limit.rlim_cur == RLIM_INFINITY)
		return MOST_CHILDREN;
	if (limit.rlim_cur < RESERVED_DESCRIPTORS + DESCRIPTORS_OF_CHILD)
		return 1;
	count = (limit.rlim_cur - RESERVED_DESCRIPTORS) / DESCRIPTORS_OF_CHILD;
	return count < MOST_CHILDREN ? (int)count : MOST_CHILDREN;
}
