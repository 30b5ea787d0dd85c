/*
 * loop: the one place where the program waits.
 *
 * One turn: poll once, run what was deferred, call the before-sleep function,
 * repeat.  Callbacks record and set flags; nothing draws or frees inside one.
 * Nothing is armed while nothing is due, so an idle program does not wake up.
 *
 * Closing: x = ik_x_close(x) makes an object silent at once (no callback of
 * it runs any more) and releases its memory between two turns; it takes NULL
 * and returns NULL.
 *
 * Owns the event base.  <event2/...> is included in src/loop only.
 * May include: util, config.
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
struct ik_signal;

/* One at a time: signals go to one. SIGPIPE is ignored from here on (children
 * get it back), an ignored SIGCHLD is put back to default. */
struct ik_loop *ik_loop_new(struct ik_error *error);
/* Runs what is still deferred, then releases. Everything on it must be closed. */
struct ik_loop *ik_loop_free(struct ik_loop *loop);

/* Turn until ik_loop_stop(). A stop inside a callback ends after this turn.
 * What was deferred before, and the before-sleep function, run ahead of the
 * first poll. Ends with IK_FAILED when nothing is left that could wake it. */
enum ik_status ik_loop_run(struct ik_loop *loop, struct ik_error *error) IK_MUST_USE;
void ik_loop_stop(struct ik_loop *loop);

/* Called at the end of each turn, before the loop sleeps: the one draw. */
void ik_loop_before_sleep(struct ik_loop *loop, void (*fn)(void *), void *arg);

/* Run fn(arg) in this turn, after the callbacks, in order of the calls. What a
 * deferred function defers runs in the next turn, which then does not sleep. */
void ik_loop_defer(struct ik_loop *loop, void (*fn)(void *), void *arg);

/* Forget what is deferred with this fn and arg: for an owner that goes away first. */
void ik_loop_cancel_deferred(struct ik_loop *loop, void (*fn)(void *), void *arg);

/* One-shot timer. Starting a running one moves its end. All of these may be
 * called from its own function. */
struct ik_timer *ik_timer_new(struct ik_loop *loop, void (*fn)(void *), void *arg);
void ik_timer_start(struct ik_timer *timer, int64_t milliseconds);
void ik_timer_stop(struct ik_timer *timer);
bool ik_timer_running(const struct ik_timer *timer);
struct ik_timer *ik_timer_close(struct ik_timer *timer);

enum { IK_READABLE = 1, IK_WRITABLE = 2 };

/* Watch a descriptor (not owned; close the watch before the descriptor). what is
 * a set of IK_READABLE, IK_WRITABLE, or 0 to pause. Fails on a regular file (epoll refuses those). */
struct ik_watch *ik_watch_new(struct ik_loop *loop, int fd, void (*fn)(void *arg, int what),
	void *arg);
enum ik_status ik_watch_set(struct ik_watch *watch, int what, struct ik_error *error);
struct ik_watch *ik_watch_close(struct ik_watch *watch);

/* The object of its kind that belongs to the loop, made by make(loop) when first asked for. The
 * function make names the kind. ik_loop_free() releases these objects, the newest first. */
void *ik_loop_attached(struct ik_loop *loop, void *(*make)(struct ik_loop *loop),
	void (*release)(void *object));

/* libevent's base, for what libevent itself runs on it (net/resolve.c). */
struct event_base *ik_loop_base(struct ik_loop *loop);

/* A signal as a loop event; several watches of one signal are allowed. */
struct ik_signal *ik_signal_new(struct ik_loop *loop, int number, void (*fn)(void *arg, int number),
	void *arg);
struct ik_signal *ik_signal_close(struct ik_signal *signal);

#endif
