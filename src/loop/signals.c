#include "loop/loop.h"

#include <signal.h>
#include <stdlib.h>

#include <event2/event.h>

#include "loop/internal.h"
#include "util/alloc.h"

struct ik_signal {
	struct ik_loop *loop;
	struct event *event;
	int number;
	void (*fn)(void *arg, int number);
	void *arg;
};

/* libevent's callback; its handler proper only wrote a byte into its own pipe. */
static void signal_fired(evutil_socket_t number, short what, void *arg)
{
	struct ik_signal *watched = arg;

	watched->fn(watched->arg, watched->number);
}

struct ik_signal *ik_signal_new(struct ik_loop *loop, int number, void (*fn)(void *arg, int number),
	void *arg)
{
	struct ik_signal *watched = ik_alloc(sizeof(*watched));
	sigset_t set;

	watched->loop = loop;
	watched->number = number;
	watched->fn = fn;
	watched->arg = arg;
	watched->event = evsignal_new(ik_loop_base(loop), number, signal_fired, watched);
	/* Beside want of memory only for SIGKILL, SIGSTOP and numbers that don't exist. */
	if (!watched->event || event_add(watched->event, NULL) != 0)
		ik_alloc_fail();
	/* Who started us may have left it blocked. */
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return watched;
}

struct ik_signal *ik_signal_close(struct ik_signal *watched)
{
	if (watched) {
		event_free(watched->event);
		ik_loop_defer(watched->loop, free, watched);
	}
	return NULL;
}
