#include "net/gather.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"

struct ik_gather {
	struct ik_loop *loop;
	struct ik_watch *watch;
	struct ik_timer *timer;
	size_t (*ready)(void *arg, int what);
	void *arg;
	int64_t period_ms;
	int64_t read_ms; /* when it was read last */
	int what;        /* is asked for */
	int steady;      /* little reads in a row */
	bool away;       /* the timer tells when to read, not the watch */
	bool closed;
};

/* Let the watch tell again what is asked for. */
static enum ik_status come_back(struct ik_gather *gather, struct ik_error *error)
{
	gather->away = false;
	gather->steady = 0;
	ik_timer_stop(gather->timer);
	return ik_watch_set(gather->watch, gather->what, error);
}

/* Read, and decide how the next read comes about. */
static void read_now(struct ik_gather *gather, int what)
{
	struct ik_error error;
	size_t bytes = gather->ready(gather->arg, what);
	int64_t now = ik_clock_ms();
	bool little = bytes > 0 && bytes <= IK_GATHER_LITTLE;
	/* A timer is late by some milliseconds; that is no gap in the stream. */
	bool close = now - gather->read_ms <= 2 * gather->period_ms;
	enum ik_status status = IK_OK;

	if (gather->closed)
		return;
	gather->steady = !little ? 0 : close ? gather->steady + 1 : 1;
	gather->read_ms = now;
	if (gather->what == IK_READABLE && gather->period_ms > 0 && little &&
	    (gather->away || gather->steady >= IK_GATHER_STEADY)) {
		if (!gather->away)
			status = ik_watch_set(gather->watch, 0, &error);
		gather->away = true;
		ik_timer_start(gather->timer, gather->period_ms);
	} else if (gather->away) {
		status = come_back(gather, &error);
	}
	if (status != IK_OK)
		ik_log(IK_LOG_ERROR, "gather: %s", error.text);
}

static void watch_fired(void *arg, int what)
{
	read_now(arg, what);
}

static void timer_fired(void *arg)
{
	read_now(arg, IK_READABLE);
}

struct ik_gather *ik_gather_new(struct ik_loop *loop, int fd, int64_t period_ms,
	size_t (*ready)(void *arg, int what), void *arg)
{
	struct ik_gather *gather = ik_alloc(sizeof *gather);

	gather->loop = loop;
	gather->ready = ready;
	gather->arg = arg;
	gather->period_ms = period_ms;
	gather->watch = ik_watch_new(loop, fd, watch_fired, gather);
	gather->timer = ik_timer_new(loop, timer_fired, gather);
	return gather;
}

enum ik_status ik_gather_set(struct ik_gather *gather, int what, struct ik_error *error)
{
	gather->what = what;
	return come_back(gather, error);
}

struct ik_gather *ik_gather_close(struct ik_gather *gather)
{
	if (gather != NULL && !gather->closed) {
		gather->closed = true;
		gather->watch = ik_watch_close(gather->watch);
		gather->timer = ik_timer_close(gather->timer);
		ik_loop_defer(gather->loop, free, gather);
	}
	return NULL;
}
