/*
 * loop: the one place where the program waits.
 *
 * One turn: poll once, run what was deferred, call the before-sleep function, repeat. Callbacks
 * record and set flags; nothing draws or frees inside one. Nothing is armed while nothing is due,
 * so an idle program does not wake up.
 *
 * Closing: after x = ik_x_close(x) no callback of the object runs any more, and its memory is
 * released between two turns. It takes NULL and returns NULL.
 *
 * Owns the event base. <event2/...> is included in src/loop and net/http_server.c only. May
 * include: util, config.
 */
#ifndef IK_LOOP_LOOP_H
#define IK_LOOP_LOOP_H

#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct ik_loop;
struct ik_timer;
struct ik_watch;

/* Make the loop. Only one at a time, because signals are delivered to one. From here on SIGPIPE is
 * ignored (children get the default back); an ignored SIGCHLD is reset to its default. */
struct ik_loop *ik_loop_new(struct ik_error *error);
/* Run what is still deferred, then release. Everything on the loop must be closed. */
struct ik_loop *ik_loop_free(struct ik_loop *loop);

/* Run until ik_loop_stop(), which inside a callback ends the loop after this turn. Functions
 * deferred earlier and the before-sleep function run before the first poll. Return IK_FAILED if
 * nothing is left to wait for. */
enum ik_status ik_loop_run(struct ik_loop *loop, struct ik_error *error) IK_MUST_USE;
void ik_loop_stop(struct ik_loop *loop);

/* Call fn at the end of each turn, before the loop sleeps: the one draw. */
void ik_loop_before_sleep(struct ik_loop *loop, void (*fn)(void *), void *arg);

/* Run fn(arg) in this turn, after the callbacks, in call order. A function deferred by a deferred
 * function runs in the next turn, which then does not sleep. */
void ik_loop_defer(struct ik_loop *loop, void (*fn)(void *), void *arg);

/* Cancel what is deferred with this fn and arg: for an owner that goes away first. */
void ik_loop_cancel_deferred(struct ik_loop *loop, void (*fn)(void *), void *arg);

/* A one-shot timer. Starting a running one restarts it. All of these may be called from its own
 * function. */
struct ik_timer *ik_timer_new(struct ik_loop *loop, void (*fn)(void *), void *arg);
void ik_timer_start(struct ik_timer *timer, int64_t milliseconds);
void ik_timer_stop(struct ik_timer *timer);
bool ik_timer_running(const struct ik_timer *timer);
struct ik_timer *ik_timer_close(struct ik_timer *timer);

enum { IK_READABLE = 2, IK_WRITABLE = 4 }; /* libevent's EV_READ and EV_WRITE */

/* Watch a descriptor (not owned; close the watch before the descriptor). what is a set of
 * IK_READABLE, IK_WRITABLE, or 0 to pause. Fails for a regular file, which epoll refuses. */
struct ik_watch *ik_watch_new(struct ik_loop *loop, int fd, void (*fn)(void *arg, int what),
	void *arg);
enum ik_status ik_watch_set(struct ik_watch *watch, int what, struct ik_error *error);
/* Watch a signal from now on; several watches of one are allowed. */
struct ik_watch *ik_watch_signal(struct ik_loop *loop, int number,
	void (*fn)(void *arg, int number), void *arg);
struct ik_watch *ik_watch_close(struct ik_watch *watch);

/* Return libevent's base, for net/http_server.c. */
struct event_base *ik_loop_base(struct ik_loop *loop);

/* Return the object of its kind that belongs to the loop; make(loop) makes it on first use and
 * identifies the kind. ik_loop_free() releases these objects, newest first. */
void *ik_loop_attached(struct ik_loop *loop, void *(*make)(struct ik_loop *loop),
	void (*release)(void *object));

#endif
