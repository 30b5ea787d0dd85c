#include "loop/loop.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>

#include "util/alloc.h"
#include "util/log.h"
#include "util/text.h"

struct deferred {
	void (*fn)(void *); /* NULL: cancelled */
	void *arg;
};

/* An object that lives as long as the loop. */
struct attachment {
	struct attachment *older;
	void *(*make)(struct ik_loop *loop);
	void (*release)(void *object);
	void *object;
};

struct ik_loop {
	struct event_base *base;
	struct attachment *attachments; /* newest first */
	struct deferred *deferred;      /* in order of the calls */
	size_t deferred_count;
	void (*before_sleep)(void *);
	void *before_sleep_arg;
	bool running;
	bool stopping;
};

struct ik_timer {
	struct ik_loop *loop;
	struct event *event;
	void (*fn)(void *);
	void *arg;
};

/* Of a descriptor or a signal. */
struct ik_watch {
	struct ik_loop *loop;
	struct event *event;
	int number;
	int what;
	void (*fn)(void *arg, int what);
	void *arg;
};

/* Keep libevent's messages off the terminal. */
static void log_libevent(int severity, const char *text)
{
	ik_log(severity >= EVENT_LOG_WARN ? IK_LOG_ERROR : IK_LOG_DEBUG, "libevent: %s", text);
}

/* Fix signal dispositions that another program may have left us. */
static void set_dispositions(void)
{
	struct sigaction now;

	/* With SIG_IGN, the exit status of children would be lost. */
	if (sigaction(SIGCHLD, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
}

struct ik_loop *ik_loop_new(struct ik_error *error)
{
	struct ik_loop *loop;
	struct event_base *base = NULL;
	struct event_config *config;

	event_set_log_callback(log_libevent);
	config = event_config_new();
	if (config) {
		/* Without PRECISE_TIMER the clock has a resolution of 4 ms; with a cached time, a timer
		 * that is started late in a turn would be too short. */
		event_config_set_flag(config,
			EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV | EVENT_BASE_FLAG_NO_CACHE_TIME |
				EVENT_BASE_FLAG_PRECISE_TIMER);
		base = event_base_new_with_config(config);
		event_config_free(config);
	}
	if (!base) {
		ik_error_set_errno(error, errno != 0 ? errno : ENOMEM, _("cannot make the event loop"));
		return NULL;
	}
	set_dispositions();
	loop = ik_alloc(sizeof(*loop));
	loop->base = base;
	return loop;
}

struct event_base *ik_loop_base(struct ik_loop *loop)
{
	return loop->base;
}

/* Run what is deferred now; what is added meanwhile stays for the next turn. */
static void run_deferred(struct ik_loop *loop)
{
	size_t count = loop->deferred_count;

	for (size_t i = 0; i < count; i++) {
		/* A copy: the array may move and the entry may be cancelled meanwhile. */
		struct deferred entry = loop->deferred[i];

		loop->deferred[i].fn = NULL;
		if (entry.fn)
			entry.fn(entry.arg);
	}
	loop->deferred_count -= count;
	if (loop->deferred_count > 0)
		memmove(loop->deferred, loop->deferred + count,
			loop->deferred_count * sizeof(*loop->deferred));
}

void *ik_loop_attached(struct ik_loop *loop, void *(*make)(struct ik_loop *loop),
	void (*release)(void *object))
{
	struct attachment *attachment = loop->attachments;

	while (attachment && attachment->make != make)
		attachment = attachment->older;
	if (!attachment) {
		/* Made first: it may attach what it needs, which is then released after it. */
		void *object = make(loop);

		attachment = ik_alloc(sizeof(*attachment));
		*attachment = (struct attachment){ loop->attachments, make, release, object };
		loop->attachments = attachment;
	}
	return attachment->object;
}

/* Release the attached objects, the newest first. */
static void release_attachments(struct ik_loop *loop)
{
	while (loop->attachments) {
		struct attachment *newest = loop->attachments;

		newest->release(newest->object);
		loop->attachments = newest->older;
		free(newest);
	}
}

struct ik_loop *ik_loop_free(struct ik_loop *loop)
{
	if (!loop)
		return NULL;
	assert(!loop->running);
	release_attachments(loop);
	while (loop->deferred_count > 0)
		run_deferred(loop);
	/* libevent reports a cancelled name lookup from its own callback. */
	(void)event_base_loop(loop->base, EVLOOP_NONBLOCK);
	while (loop->deferred_count > 0)
		run_deferred(loop);
	free(loop->deferred);
	event_base_free(loop->base);
	free(loop);
	return NULL;
}

/* The second half of a turn: everything except the poll. */
static void end_turn(struct ik_loop *loop)
{
	run_deferred(loop);
	if (loop->before_sleep)
		loop->before_sleep(loop->before_sleep_arg);
}

enum ik_status ik_loop_run(struct ik_loop *loop, struct ik_error *error)
{
	enum ik_status status = IK_OK;

	assert(!loop->running);
	loop->running = true;
	end_turn(loop);
	while (!loop->stopping && status == IK_OK) {
		int flags = EVLOOP_ONCE;
		int outcome;

		if (loop->deferred_count > 0)
			flags |= EVLOOP_NONBLOCK;
		outcome = event_base_loop(loop->base, flags);
		if (outcome < 0)
			status = ik_error_set_errno(error, errno, _("the event loop failed"));
		else if (outcome > 0 && loop->deferred_count == 0)
			status = ik_error_set(error, IK_FAILED, _("the event loop has nothing to wait for"));
		end_turn(loop);
	}
	loop->running = false;
	loop->stopping = false;
	return status;
}

void ik_loop_stop(struct ik_loop *loop)
{
	loop->stopping = true;
}

void ik_loop_before_sleep(struct ik_loop *loop, void (*fn)(void *), void *arg)
{
	loop->before_sleep = fn;
	loop->before_sleep_arg = arg;
}

void ik_loop_defer(struct ik_loop *loop, void (*fn)(void *), void *arg)
{
	loop->deferred = ik_alloc_more(loop->deferred, loop->deferred_count, sizeof(*loop->deferred));
	loop->deferred[loop->deferred_count++] = (struct deferred){ .fn = fn, .arg = arg };
}

void ik_loop_cancel_deferred(struct ik_loop *loop, void (*fn)(void *), void *arg)
{
	for (size_t i = 0; i < loop->deferred_count; i++)
		if (loop->deferred[i].fn == fn && loop->deferred[i].arg == arg)
			loop->deferred[i].fn = NULL;
}

/* libevent's callback for timers. */
static void timer_fired(evutil_socket_t fd, short what, void *arg)
{
	struct ik_timer *timer = arg;

	timer->fn(timer->arg);
}

/* Make an event, or end the program: libevent is out of memory. */
static struct event *new_event(struct ik_loop *loop, int fd, event_callback_fn fn, void *arg)
{
	struct event *event = event_new(loop->base, fd, 0, fn, arg);

	if (!event)
		ik_alloc_fail();
	return event;
}

struct ik_timer *ik_timer_new(struct ik_loop *loop, void (*fn)(void *), void *arg)
{
	struct ik_timer *timer = ik_alloc(sizeof(*timer));

	timer->loop = loop;
	timer->event = new_event(loop, -1, timer_fired, timer);
	timer->fn = fn;
	timer->arg = arg;
	return timer;
}

void ik_timer_start(struct ik_timer *timer, int64_t milliseconds)
{
	struct timeval after;

	if (milliseconds < 0)
		milliseconds = 0;
	after.tv_sec = milliseconds / 1000;
	after.tv_usec = milliseconds % 1000 * 1000;
	event_add(timer->event, &after);
}

void ik_timer_stop(struct ik_timer *timer)
{
	event_del(timer->event);
}

bool ik_timer_running(const struct ik_timer *timer)
{
	return event_pending(timer->event, EV_TIMEOUT, NULL) != 0;
}

struct ik_timer *ik_timer_close(struct ik_timer *timer)
{
	if (timer) {
		event_free(timer->event);
		ik_loop_defer(timer->loop, free, timer);
	}
	return NULL;
}

_Static_assert((int)IK_READABLE == EV_READ && (int)IK_WRITABLE == EV_WRITE,
	"passed on as they are");

/* libevent's callback for watches; its real signal handler only wrote a byte into a pipe. */
static void watch_fired(evutil_socket_t number, short what, void *arg)
{
	struct ik_watch *watch = arg;

	watch->fn(watch->arg, what & EV_SIGNAL ? watch->number : what & (IK_READABLE | IK_WRITABLE));
}

struct ik_watch *ik_watch_new(struct ik_loop *loop, int fd, void (*fn)(void *arg, int what),
	void *arg)
{
	struct ik_watch *watch = ik_alloc(sizeof(*watch));

	watch->loop = loop;
	watch->number = fd;
	watch->event = new_event(loop, fd, watch_fired, watch);
	watch->fn = fn;
	watch->arg = arg;
	return watch;
}

enum ik_status ik_watch_set(struct ik_watch *watch, int what, struct ik_error *error)
{
	if (what == watch->what)
		return IK_OK;
	event_del(watch->event);
	watch->what = 0;
	if (what == 0)
		return IK_OK;
	event_assign(watch->event, watch->loop->base, watch->number, (short)(what | EV_PERSIST),
		watch_fired, watch);
	errno = 0;
	if (event_add(watch->event, NULL) != 0) {
		if (errno == EPERM)
			return ik_error_set(error, IK_INVALID,
				_("descriptor %d is a file or a directory: it cannot be waited for"),
				watch->number);
		return ik_error_set_errno(error, errno, _("cannot wait for descriptor %d"), watch->number);
	}
	watch->what = what;
	return IK_OK;
}

struct ik_watch *ik_watch_signal(struct ik_loop *loop, int number,
	void (*fn)(void *arg, int number), void *arg)
{
	struct ik_watch *watch = ik_watch_new(loop, number, fn, arg);
	sigset_t set;

	/* Apart from a lack of memory, this only fails for SIGKILL, SIGSTOP and invalid numbers. */
	if (ik_watch_set(watch, EV_SIGNAL, NULL) != IK_OK)
		ik_alloc_fail();
	/* The parent process may have left it blocked. */
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return watch;
}

struct ik_watch *ik_watch_close(struct ik_watch *watch)
{
	if (watch) {
		event_free(watch->event);
		ik_loop_defer(watch->loop, free, watch);
	}
	return NULL;
}
