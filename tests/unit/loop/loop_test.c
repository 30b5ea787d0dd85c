#include "fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "util/clock.h"

/* What happened, as letters in order. */
struct trace {
	struct ik_loop *loop;
	struct ik_timer *timer;
	struct ik_watch *watch;
	char text[64];
	bool over;
	int count;
};

static void note(struct trace *trace, const char *letter)
{
	strncat(trace->text, letter, sizeof(trace->text) - strlen(trace->text) - 1);
}

static void note_a(void *arg) { note(arg, "a"); }
static void note_b(void *arg) { note(arg, "b"); }
static void note_sleep(void *arg) { note(arg, "|"); }

static void note_c_and_defer(void *arg)
{
	struct trace *trace = arg;

	note(trace, "c");
	ik_loop_defer(trace->loop, note_b, trace);
}

static void stop(void *arg)
{
	struct trace *trace = arg;

	note(trace, "s");
	ik_loop_stop(trace->loop);
}

Test(loop, deferred_runs_in_order_and_the_deferrals_of_deferred_in_the_next_turn)
{
	struct trace trace = { .loop = fixture_loop() };
	struct ik_timer *timer = ik_timer_new(trace.loop, stop, &trace);
	struct ik_error error;

	ik_loop_before_sleep(trace.loop, note_sleep, &trace);
	ik_loop_defer(trace.loop, note_a, &trace);
	ik_loop_defer(trace.loop, note_c_and_defer, &trace);
	ik_loop_defer(trace.loop, note_a, &trace);
	ik_timer_start(timer, 20);
	cr_assert_eq(ik_loop_run(trace.loop, &error), IK_OK);
	cr_assert_str_eq(trace.text, "aca|b|s|");
	ik_timer_close(timer);
	fixture_end(trace.loop);
}

Test(loop, cancelled_deferral_does_not_run)
{
	struct trace one, other;

	memset(&one, 0, sizeof(one));
	memset(&other, 0, sizeof(other));
	one.loop = fixture_loop();
	ik_loop_defer(one.loop, note_a, &one);
	ik_loop_defer(one.loop, note_a, &other);
	ik_loop_defer(one.loop, note_b, &one);
	ik_loop_cancel_deferred(one.loop, note_a, &one);
	fixture_end(one.loop);
	cr_assert_str_eq(one.text, "b");
	cr_assert_str_eq(other.text, "a");
}

static void cancel_next(void *arg)
{
	struct trace *trace = arg;

	ik_loop_cancel_deferred(trace->loop, note_a, trace);
}

Test(loop, deferral_cancelled_by_an_earlier_one_of_the_same_turn_does_not_run)
{
	struct trace trace = { .loop = fixture_loop() };

	ik_loop_defer(trace.loop, cancel_next, &trace);
	ik_loop_defer(trace.loop, note_a, &trace);
	fixture_end(trace.loop);
	cr_assert_str_eq(trace.text, "");
}

static void defer_many(void *arg)
{
	struct trace *trace = arg;

	for (int i = 0; i < 100; i++)
		ik_loop_defer(trace->loop, note_b, trace);
	note(trace, "m");
}

Test(loop, queue_may_grow_while_it_runs)
{
	struct trace trace = { .loop = fixture_loop() };

	ik_loop_defer(trace.loop, defer_many, &trace);
	ik_loop_defer(trace.loop, note_a, &trace);
	fixture_end(trace.loop);
	cr_assert_eq(strncmp(trace.text, "mabbbbb", 7), 0);
}

Test(loop, stop_before_run_ends_it_after_one_turn)
{
	struct trace trace = { .loop = fixture_loop() };
	struct ik_error error;

	ik_loop_defer(trace.loop, note_a, &trace);
	ik_loop_before_sleep(trace.loop, note_sleep, &trace);
	ik_loop_stop(trace.loop);
	cr_assert_eq(ik_loop_run(trace.loop, &error), IK_OK);
	cr_assert_str_eq(trace.text, "a|");
	fixture_end(trace.loop);
}

Test(loop, nothing_to_wait_for_is_an_error_and_no_hang)
{
	struct ik_loop *loop = fixture_loop();
	struct ik_error error;

	cr_assert_eq(ik_loop_run(loop, &error), IK_FAILED);
	cr_assert_str_eq(error.text, "the event loop has nothing to wait for");
	fixture_end(loop);
}

static void timer_done(void *arg)
{
	struct trace *trace = arg;

	trace->count++;
	trace->over = true;
}

Test(loop, timer_fires_once_and_not_early)
{
	struct trace trace = { .loop = fixture_loop() };
	int64_t before = ik_clock_us();

	trace.timer = ik_timer_new(trace.loop, timer_done, &trace);
	cr_assert_not(ik_timer_running(trace.timer));
	ik_timer_start(trace.timer, 30);
	cr_assert(ik_timer_running(trace.timer));
	fixture_run_until(trace.loop, &trace.over);
	cr_assert_geq(ik_clock_us() - before, 30000);
	cr_assert_not(ik_timer_running(trace.timer));
	fixture_run_for(trace.loop, 60);
	cr_assert_eq(trace.count, 1);
	trace.timer = ik_timer_close(trace.timer);
	fixture_end(trace.loop);
}

Test(loop, timer_started_again_moves_and_a_stopped_one_is_silent)
{
	struct trace trace = { .loop = fixture_loop() }, other = { .loop = trace.loop };
	struct ik_timer *stopped = ik_timer_new(trace.loop, timer_done, &other);
	int64_t before = ik_clock_ms();

	trace.timer = ik_timer_new(trace.loop, timer_done, &trace);
	ik_timer_start(trace.timer, 1);
	ik_timer_start(trace.timer, 50);
	ik_timer_start(stopped, 1);
	ik_timer_stop(stopped);
	fixture_run_until(trace.loop, &trace.over);
	cr_assert_geq(ik_clock_ms() - before, 50);
	cr_assert_eq(other.count, 0);
	ik_timer_close(trace.timer);
	ik_timer_close(stopped);
	ik_timer_close(NULL);
	fixture_end(trace.loop);
}

static void timer_again(void *arg)
{
	struct trace *trace = arg;

	if (++trace->count < 3) {
		ik_timer_start(trace->timer, 1);
	} else {
		trace->timer = ik_timer_close(trace->timer);
		trace->over = true;
	}
}

Test(loop, timer_restarts_and_closes_itself_in_its_own_function)
{
	struct trace trace = { .loop = fixture_loop() };

	trace.timer = ik_timer_new(trace.loop, timer_again, &trace);
	ik_timer_start(trace.timer, 0);
	fixture_run_until(trace.loop, &trace.over);
	cr_assert_eq(trace.count, 3);
	cr_assert_null(trace.timer);
	fixture_end(trace.loop);
}

/* Two timers due in one turn; the first closes the second. */
static void close_other(void *arg)
{
	struct trace *trace = arg;

	trace->timer = ik_timer_close(trace->timer);
	trace->over = true;
}

Test(loop, closed_timer_that_is_due_in_the_same_turn_is_silent)
{
	struct trace trace = { .loop = fixture_loop() }, other = { .loop = trace.loop };
	struct ik_timer *first = ik_timer_new(trace.loop, close_other, &trace);
	int64_t start = ik_clock_ms();

	trace.timer = ik_timer_new(trace.loop, timer_done, &other);
	ik_timer_start(first, 1);
	ik_timer_start(trace.timer, 2);
	while (ik_clock_ms() < start + 5)
		; /* both are due before the loop looks */
	fixture_run_until(trace.loop, &trace.over);
	cr_assert_eq(other.count, 0);
	ik_timer_close(first);
	fixture_end(trace.loop);
}

static void pipe_readable(void *arg, int what)
{
	struct trace *trace = arg;

	cr_assert_eq(what, IK_READABLE);
	trace->count++;
	trace->over = true;
}

static void close_watch(void *arg, int what)
{
	struct trace *trace = arg;

	trace->watch = ik_watch_close(trace->watch);
	trace->count++;
	trace->over = true;
}

Test(loop, watch_tells_pauses_and_closes_in_its_own_function)
{
	struct trace trace = { .loop = fixture_loop() };
	struct ik_error error;
	int ends[2];

	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	trace.watch = ik_watch_new(trace.loop, ends[0], pipe_readable, &trace);
	cr_assert_eq(ik_watch_set(trace.watch, IK_READABLE, &error), IK_OK);
	cr_assert_eq(write(ends[1], "x", 1), 1);
	fixture_run_until(trace.loop, &trace.over);

	cr_assert_eq(ik_watch_set(trace.watch, 0, &error), IK_OK);
	trace.count = 0;
	fixture_run_for(trace.loop, 20);
	cr_assert_eq(trace.count, 0);
	ik_watch_close(trace.watch);

	trace.over = false;
	trace.watch = ik_watch_new(trace.loop, ends[0], close_watch, &trace);
	cr_assert_eq(ik_watch_set(trace.watch, IK_READABLE, &error), IK_OK);
	fixture_run_until(trace.loop, &trace.over);
	cr_assert_eq(trace.count, 1);
	close(ends[0]);
	close(ends[1]);
	fixture_end(trace.loop);
}

Test(loop, watch_of_a_regular_file_is_refused)
{
	struct ik_loop *loop = fixture_loop();
	char name[] = "/tmp/ik-loop-XXXXXX";
	struct ik_error error;
	struct ik_watch *watch;
	int fd = mkostemp(name, O_CLOEXEC);

	cr_assert_geq(fd, 0);
	unlink(name);
	watch = ik_watch_new(loop, fd, pipe_readable, NULL);
	cr_assert_eq(ik_watch_set(watch, IK_READABLE, &error), IK_INVALID);
	cr_assert_not_null(strstr(error.text, "is a file or a directory"));
	ik_watch_close(watch);
	close(fd);
	fixture_end(loop);
}

static void signal_came(void *arg, int number)
{
	struct trace *trace = arg;

	cr_assert_eq(number, SIGUSR1);
	trace->count++;
	trace->over = true;
}

Test(loop, signal_reaches_all_its_watches_even_if_it_was_blocked)
{
	struct trace one = { .loop = fixture_loop() }, other = { .loop = one.loop };
	struct ik_watch *first, *second;
	struct sigaction action;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	first = ik_watch_signal(one.loop, SIGUSR1, signal_came, &one);
	second = ik_watch_signal(one.loop, SIGUSR1, signal_came, &other);
	raise(SIGUSR1);
	fixture_run_until(one.loop, &one.over);
	cr_assert_eq(one.count, 1);
	cr_assert_eq(other.count, 1);

	second = ik_watch_close(second);
	one.over = false;
	raise(SIGUSR1);
	fixture_run_until(one.loop, &one.over);
	cr_assert_eq(one.count, 2);
	cr_assert_eq(other.count, 1);

	ik_watch_close(first);
	sigaction(SIGUSR1, NULL, &action);
	cr_assert(action.sa_handler == SIG_DFL, "the disposition must be back");
	fixture_end(one.loop);
}

static void count_turn(void *arg)
{
	((struct trace *)arg)->count++;
}

Test(loop, idle_loop_does_not_turn)
{
	struct trace trace = { .loop = fixture_loop() };
	struct ik_timer *timer = ik_timer_new(trace.loop, stop, &trace);
	struct ik_error error;

	ik_loop_before_sleep(trace.loop, count_turn, &trace);
	ik_timer_start(timer, 100);
	cr_assert_eq(ik_loop_run(trace.loop, &error), IK_OK);
	cr_assert_eq(trace.count, 2, "before the first poll, and when the timer fired");
	ik_timer_close(timer);
	fixture_end(trace.loop);
}
