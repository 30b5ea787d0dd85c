#include "fixture.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "loop/tty.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/limits.h"

/* The far end of a pseudo-terminal, and what the near end told. */
struct scene {
	struct ik_loop *loop;
	struct ik_tty *tty;
	int master;
	struct ik_watch *watch;
	struct ik_buf seen;  /* what the terminal got */
	struct ik_buf input; /* what the program got */
	int drained_count;
	int resized_count;
	int gone_count;
	int rows;
	int columns;
	bool drained;
	bool resized;
	bool gone;
	const char *wanted;
	int saved[2];
};

static void on_input(void *arg, const char *bytes, size_t length)
{
	ik_buf_append(&((struct scene *)arg)->input, bytes, length);
}

static void on_drained(void *arg)
{
	struct scene *scene = arg;

	scene->drained_count++;
	scene->drained = true;
}

static void on_resized(void *arg, int rows, int columns)
{
	struct scene *scene = arg;

	scene->resized_count++;
	scene->resized = true;
	scene->rows = rows;
	scene->columns = columns;
}

static void on_hung_up(void *arg)
{
	struct scene *scene = arg;

	scene->gone_count++;
	scene->gone = true;
}

static void master_readable(void *arg, int what)
{
	struct scene *scene = arg;
	char bytes[65536];
	ssize_t length = read(scene->master, bytes, sizeof(bytes));

	if (length > 0)
		ik_buf_append(&scene->seen, bytes, (size_t)length);
}

static void read_master(struct scene *scene)
{
	cr_assert_eq(ik_watch_set(scene->watch, IK_READABLE, NULL), IK_OK);
}

static void begin(struct scene *scene)
{
	static const struct ik_tty_events events = { .input = on_input, .drained = on_drained,
		.resized = on_resized, .hung_up = on_hung_up };
	const struct winsize size = { .ws_row = 30, .ws_col = 100 };
	struct ik_error error;
	int slave;

	memset(scene, 0, sizeof(*scene));
	scene->loop = fixture_loop();
	ik_buf_init(&scene->seen, IK_MIB(64));
	ik_buf_init(&scene->input, IK_MIB(64));
	cr_assert_eq(openpty(&scene->master, &slave, NULL, NULL, &size), 0);
	for (int i = 0; i < 2; i++) {
		scene->saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 50);
		cr_assert_eq(dup2(slave, i), i);
	}
	close(slave);
	scene->watch = ik_watch_new(scene->loop, scene->master, master_readable, scene);
	scene->tty = ik_tty_open(scene->loop, &events, scene, &error);
	cr_assert_not_null(scene->tty, "%s", error.text);
}

static void enter(struct scene *scene)
{
	struct ik_error error;

	cr_assert_eq(ik_tty_enter(scene->tty, "<enter>", "<leave>", &error), IK_OK, "%s", error.text);
}

/* Enter a terminal that nobody reads, and give it more than it takes. */
static void enter_stalled(struct scene *scene)
{
	char *frame = malloc(IK_MIB(1));

	cr_assert_not_null(frame);
	memset(frame, 'x', IK_MIB(1));
	enter(scene);
	cr_assert_not(ik_tty_busy(scene->tty));
	ik_tty_write(scene->tty, frame, IK_MIB(1));
	free(frame);
}

static void close_master(struct scene *scene)
{
	scene->watch = ik_watch_close(scene->watch);
	if (scene->master >= 0)
		close(scene->master);
	scene->master = -1;
}

static void end(struct scene *scene)
{
	scene->tty = ik_tty_close(scene->tty);
	close_master(scene);
	for (int i = 0; i < 2; i++) {
		dup2(scene->saved[i], i);
		close(scene->saved[i]);
	}
	ik_buf_done(&scene->seen);
	ik_buf_done(&scene->input);
	fixture_end(scene->loop);
}

static bool terminal_lacks(void *arg)
{
	struct scene *scene = arg;

	return strstr(scene->seen.data, scene->wanted) == NULL;
}

static void wait_for_terminal(struct scene *scene, const char *text)
{
	scene->wanted = text;
	read_master(scene);
	fixture_run_while(scene->loop, terminal_lacks, scene);
}

static bool input_lacks(void *arg)
{
	struct scene *scene = arg;

	return strstr(scene->input.data, scene->wanted) == NULL;
}

Test(tty, what_is_no_terminal_is_refused_in_words)
{
	static const struct ik_tty_events events = { .input = on_input };
	struct ik_loop *loop = fixture_loop();
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), master, slave;
	int saved[2] = { dup(0), dup(1) };
	struct ik_error error;

	dup2(null, 0);
	cr_assert_null(ik_tty_open(loop, &events, NULL, &error));
	cr_assert_str_eq(error.text, "standard input is not a terminal; without one, use ikigai exec");
	cr_assert_eq(openpty(&master, &slave, NULL, NULL, NULL), 0);
	dup2(slave, 0);
	dup2(null, 1);
	cr_assert_null(ik_tty_open(loop, &events, NULL, &error));
	cr_assert_str_eq(error.text, "standard output is not a terminal; without one, use ikigai exec");
	dup2(saved[0], 0);
	dup2(saved[1], 1);
	close(saved[0]);
	close(saved[1]);
	close(master);
	close(slave);
	close(null);
	fixture_end(loop);
}

Test(tty, enter_is_raw_and_leave_restores)
{
	struct scene scene;
	int rows, columns;

	begin(&scene);
	ik_tty_size(scene.tty, &rows, &columns);
	cr_assert_eq(rows, 30);
	cr_assert_eq(columns, 100);
	ik_tty_write(scene.tty, "too early", 9);
	cr_assert(fixture_is_cooked(0));
	enter(&scene);
	cr_assert(fixture_is_raw(0));
	cr_assert_eq(fcntl(0, F_GETFL) & O_NONBLOCK, 0, "the shell's descriptor is untouched");
	ik_tty_write(scene.tty, "a\nb", 3);
	wait_for_terminal(&scene, "<enter>a\nb");
	ik_tty_leave(scene.tty);
	cr_assert(fixture_is_cooked(0));
	ik_tty_write(scene.tty, "too late", 8);
	wait_for_terminal(&scene, "<leave>");
	cr_assert_str_eq(scene.seen.data, "<enter>a\nb<leave>");
	enter(&scene);
	cr_assert(fixture_is_raw(0));
	scene.tty = ik_tty_close(scene.tty);
	cr_assert(fixture_is_cooked(0));
	end(&scene);
}

Test(tty, keys_come_as_bytes)
{
	static const char keys[] = "\003\032\034\r\021\023\033[A\303\244.";
	struct scene scene;

	begin(&scene);
	enter(&scene);
	cr_assert_eq(write(scene.master, keys, strlen(keys)), (ssize_t)strlen(keys));
	scene.wanted = ".";
	fixture_run_while(scene.loop, input_lacks, &scene);
	cr_assert_str_eq(scene.input.data, keys);
	end(&scene);
}

Test(tty, slow_terminal_makes_it_busy_until_drained)
{
	struct scene scene;

	begin(&scene);
	enter_stalled(&scene);
	cr_assert(ik_tty_busy(scene.tty));
	fixture_run_for(scene.loop, 50);
	cr_assert(ik_tty_busy(scene.tty));
	cr_assert_eq(scene.drained_count, 0);
	read_master(&scene);
	fixture_run_until(scene.loop, &scene.drained);
	cr_assert_not(ik_tty_busy(scene.tty));
	ik_tty_write(scene.tty, "end", 3);
	wait_for_terminal(&scene, "end");
	cr_assert_eq(scene.drained_count, 1);
	cr_assert_eq(scene.seen.length, 7 + IK_MIB(1) + 3);
	end(&scene);
}

Test(tty, leaving_a_stalled_terminal_takes_a_moment_only)
{
	struct scene scene;
	int64_t before;

	begin(&scene);
	enter_stalled(&scene);
	before = ik_clock_ms();
	ik_tty_leave(scene.tty);
	cr_assert_geq(ik_clock_ms() - before, 150);
	/* Not before the terminal reads on, which is never; a busy machine needs longer. */
	cr_assert_lt(ik_clock_ms() - before, 10000);
	cr_assert(fixture_is_cooked(0));
	end(&scene);
}

Test(tty, a_last_word_is_said)
{
	struct scene scene;

	begin(&scene);
	enter(&scene);
	ik_tty_leave(scene.tty);
	cr_assert(ik_tty_say(STDOUT_FILENO, "resume with this\n"));
	wait_for_terminal(&scene, "<leave>resume with this\r\n");
	end(&scene);
}

Test(tty, a_last_word_to_a_stalled_terminal_takes_a_moment_only)
{
	struct scene scene;
	int64_t before;

	begin(&scene);
	enter_stalled(&scene);
	ik_tty_leave(scene.tty);
	before = ik_clock_ms();
	cr_assert(ik_tty_say(STDOUT_FILENO, "resume with this\n"));
	cr_assert_geq(ik_clock_ms() - before, 300);
	end(&scene);
}

Test(tty, resize)
{
	const struct winsize size = { .ws_row = 50, .ws_col = 200 };
	struct scene scene;
	int rows, columns;

	begin(&scene);
	enter(&scene);
	cr_assert_eq(ioctl(scene.master, TIOCSWINSZ, &size), 0);
	raise(SIGWINCH); /* this pty controls nobody, so nobody is told */
	fixture_run_until(scene.loop, &scene.resized);
	cr_assert_eq(scene.rows, 50);
	cr_assert_eq(scene.columns, 200);
	ik_tty_size(scene.tty, &rows, &columns);
	cr_assert_eq(rows, 50);
	cr_assert_eq(columns, 200);
	end(&scene);
}

static void count_turn(void *arg)
{
	(*(int *)arg)++;
}

static void stop_loop(void *arg)
{
	ik_loop_stop(arg);
}

Test(tty, hang_up_is_told_once_and_does_not_spin)
{
	struct scene scene;
	struct ik_timer *timer;
	struct ik_error error;
	int turns = 0;

	begin(&scene);
	enter(&scene);
	close_master(&scene);
	fixture_run_until(scene.loop, &scene.gone);
	ik_tty_write(scene.tty, "lost", 4);
	ik_tty_leave(scene.tty);
	raise(SIGHUP);
	timer = ik_timer_new(scene.loop, stop_loop, scene.loop);
	ik_timer_start(timer, 100);
	ik_loop_before_sleep(scene.loop, count_turn, &turns);
	cr_assert_eq(ik_loop_run(scene.loop, &error), IK_OK);
	cr_assert_leq(turns, 3);
	cr_assert_eq(scene.gone_count, 1);
	ik_timer_close(timer);
	end(&scene);
}

Test(tty, hang_up_while_writing)
{
	struct scene scene;

	begin(&scene);
	enter(&scene);
	close_master(&scene);
	ik_tty_write(scene.tty, "lost", 4);
	fixture_run_until(scene.loop, &scene.gone);
	cr_assert_eq(scene.gone_count, 1);
	cr_assert_not(ik_tty_busy(scene.tty));
	end(&scene);
}

Test(tty, sighup_is_a_hang_up)
{
	struct scene scene;

	begin(&scene);
	enter(&scene);
	raise(SIGHUP);
	fixture_run_until(scene.loop, &scene.gone);
	cr_assert_eq(scene.gone_count, 1);
	end(&scene);
}
