#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
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

/* Are the modes of the terminal on this descriptor those of a shell's line? */
static bool is_cooked(int fd)
{
	struct termios modes;

	return tcgetattr(fd, &modes) == 0 && (modes.c_lflag & (ICANON | ECHO | ISIG)) ==
		(ICANON | ECHO | ISIG) && (modes.c_oflag & OPOST) != 0;
}

static bool is_raw(int fd)
{
	struct termios modes;

	return tcgetattr(fd, &modes) == 0 && (modes.c_lflag & (ICANON | ECHO | ISIG)) == 0 &&
		(modes.c_iflag & (ICRNL | IXON)) == 0 && (modes.c_oflag & OPOST) == 0;
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
	cr_assert(is_cooked(0));
	enter(&scene);
	cr_assert(is_raw(0));
	cr_assert_eq(fcntl(0, F_GETFL) & O_NONBLOCK, 0, "the shell's descriptor is untouched");
	ik_tty_write(scene.tty, "a\nb", 3);
	wait_for_terminal(&scene, "<enter>a\nb");
	ik_tty_leave(scene.tty);
	cr_assert(is_cooked(0));
	ik_tty_write(scene.tty, "too late", 8);
	wait_for_terminal(&scene, "<leave>");
	cr_assert_str_eq(scene.seen.data, "<enter>a\nb<leave>");
	enter(&scene);
	cr_assert(is_raw(0));
	scene.tty = ik_tty_close(scene.tty);
	cr_assert(is_cooked(0));
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
	char *frame = malloc(IK_MIB(1));

	cr_assert_not_null(frame);
	memset(frame, 'x', IK_MIB(1));
	begin(&scene);
	enter(&scene);
	cr_assert_not(ik_tty_busy(scene.tty));
	ik_tty_write(scene.tty, frame, IK_MIB(1));
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
	free(frame);
	end(&scene);
}

Test(tty, leaving_a_stalled_terminal_takes_a_moment_only)
{
	struct scene scene;
	char *frame = malloc(IK_MIB(1));
	int64_t before;

	cr_assert_not_null(frame);
	memset(frame, 'x', IK_MIB(1));
	begin(&scene);
	enter(&scene);
	ik_tty_write(scene.tty, frame, IK_MIB(1));
	before = ik_clock_ms();
	ik_tty_leave(scene.tty);
	cr_assert_geq(ik_clock_ms() - before, 150);
	cr_assert_lt(ik_clock_ms() - before, 1000);
	cr_assert(is_cooked(0));
	free(frame);
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

/* ---- With a terminal that controls a session, as a shell sets it up ---- */

#define MUST(condition) \
	do { \
		if (!(condition)) \
			_exit(1 + __LINE__ % 250); \
	} while (0)

static struct ik_loop *job_loop;
static struct ik_tty *job_tty;
static int job_resumed;

static void nothing_typed(void *arg, const char *bytes, size_t length)
{
}

static void job_was_resumed(void *arg)
{
	MUST(is_raw(0));
	job_resumed++;
	ik_loop_stop(job_loop);
}

static void suspend_job(void *arg)
{
	ik_tty_suspend(job_tty);
	MUST(job_resumed == 0); /* later, not inside */
}

/* Set up what all of the programs below begin with. */
static void begin_job(void)
{
	static const struct ik_tty_events events = { .input = nothing_typed,
		.resumed = job_was_resumed };

	alarm(20);
	job_loop = ik_loop_new(NULL);
	MUST(job_loop != NULL);
	job_tty = ik_tty_open(job_loop, &events, NULL, NULL);
	MUST(job_tty != NULL);
	MUST(ik_tty_enter(job_tty, "<enter>", "<leave>", NULL) == IK_OK);
	MUST(is_raw(0));
}

static void end_job(void)
{
	ik_tty_close(job_tty);
	ik_loop_free(job_loop);
	_exit(0);
}

static void program_that_suspends(void)
{
	struct ik_error error;
	struct ik_timer *timer;

	begin_job();
	timer = ik_timer_new(job_loop, suspend_job, NULL);
	ik_timer_start(timer, 1);
	MUST(ik_loop_run(job_loop, &error) == IK_OK);
	MUST(job_resumed == 1);
	ik_timer_close(timer);
	end_job();
}

static void program_that_waits(void)
{
	struct ik_error error;

	begin_job();
	MUST(ik_loop_run(job_loop, &error) == IK_OK);
	MUST(job_resumed == 1);
	end_job();
}

static void program_that_crashes(void)
{
	begin_job();
	raise(SIGSEGV);
}

static void program_that_aborts(void)
{
	begin_job();
	abort();
}

/* A stack overflow: the handler must not need the stack that is used up. */
static int __attribute__((noinline)) recurse(volatile char *above)
{
	volatile char frame[4096];

	frame[0] = above[0];
	if (frame[0] == 0)
		return 0; /* never: it is 1 all the way down */
	return recurse(frame) + frame[0];
}

static void program_that_overflows(void)
{
	char start = 1;

	begin_job();
	_exit(recurse(&start));
}

static void give_terminal(pid_t group)
{
	MUST(tcsetpgrp(0, group) == 0);
}

/* Wait for the program to stop, and continue it in the foreground. */
static void stopped_and_continued(pid_t program)
{
	int status;

	MUST(waitpid(program, &status, WUNTRACED) == program);
	MUST(WIFSTOPPED(status));
	give_terminal(getpgrp());
	give_terminal(program);
	kill(-program, SIGCONT);
}

static void ends_well(pid_t program)
{
	int status;

	MUST(waitpid(program, &status, 0) == program);
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		_exit(WEXITSTATUS(status));
	MUST(WIFEXITED(status));
	MUST(is_cooked(0));
}

static void dies_with_terminal_restored(pid_t program)
{
	int status;

	MUST(waitpid(program, &status, 0) == program);
	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	MUST(WIFSIGNALED(status));
	MUST(WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGABRT);
	MUST(is_cooked(0));
}

static void shell_for_suspend(pid_t program)
{
	int status;

	give_terminal(program);
	MUST(waitpid(program, &status, WUNTRACED) == program);
	MUST(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP);
	MUST(is_cooked(0));
	give_terminal(getpgrp());
	give_terminal(program);
	kill(-program, SIGCONT);
	ends_well(program);
}

static void shell_for_background_then_suspend(pid_t program)
{
	/* It starts in the background: it must stop, not draw. */
	give_terminal(getpgrp());
	stopped_and_continued(program);
	shell_for_suspend(program);
}

static void shell_for_sigstop(pid_t program)
{
	give_terminal(program);
	while (!is_raw(0))
		poll(NULL, 0, 1);
	kill(program, SIGSTOP);
	stopped_and_continued(program);
	ends_well(program);
}

static void shell_for_outside_tstp(pid_t program)
{
	give_terminal(program);
	while (!is_raw(0))
		poll(NULL, 0, 1);
	kill(program, SIGTSTP);
	shell_for_suspend(program);
}

static void shell_for_death(pid_t program)
{
	give_terminal(program);
	dies_with_terminal_restored(program);
}

/* Be a shell in a session of its own, with program as its job; never returns. */
static void be_shell(const char *terminal, void (*program)(void), void (*shell)(pid_t))
{
	pid_t pid;
	int fd;

	alarm(25);
	signal(SIGTTOU, SIG_IGN);
	MUST(setsid() > 0);
	fd = open(terminal, O_RDWR);
	MUST(fd >= 0);
	MUST(ioctl(fd, TIOCSCTTY, 0) == 0);
	MUST(dup2(fd, 0) == 0 && dup2(fd, 1) == 1);
	close(fd);
	pid = fork();
	MUST(pid >= 0);
	if (pid == 0) {
		setpgid(0, 0);
		signal(SIGTTOU, SIG_DFL);
		program();
		_exit(255);
	}
	setpgid(pid, pid);
	shell(pid);
	_exit(0);
}

/* Run program under shell on a new terminal and return what that showed. */
static void run_job(void (*program)(void), void (*shell)(pid_t), struct ik_buf *seen)
{
	struct pollfd wanted = { .events = POLLIN };
	char bytes[4096], *name;
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int keeper, status;
	pid_t pid;

	cr_assert_geq(master, 0);
	cr_assert_eq(grantpt(master), 0);
	cr_assert_eq(unlockpt(master), 0);
	name = ptsname(master);
	keeper = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	ik_buf_init(seen, IK_MIB(1));
	pid = fork();
	cr_assert_geq(pid, 0);
	if (pid == 0)
		be_shell(name, program, shell);
	wanted.fd = master;
	for (;;) {
		pid_t ended = waitpid(pid, &status, WNOHANG);

		while (poll(&wanted, 1, 5) > 0) {
			ssize_t length = read(master, bytes, sizeof(bytes));

			if (length <= 0)
				break;
			ik_buf_append(seen, bytes, (size_t)length);
		}
		if (ended == pid)
			break;
	}
	close(keeper);
	close(master);
	cr_assert(WIFEXITED(status), "signal %d", WTERMSIG(status));
	cr_assert_eq(WEXITSTATUS(status), 0, "a check failed in line 250 * n + %d",
		WEXITSTATUS(status) - 1);
}

#define JOB_TEST(name, program, shell, expected) \
	Test(tty, name) \
	{ \
		struct ik_buf seen; \
		run_job(program, shell, &seen); \
		cr_assert_str_eq(seen.data, expected); \
		ik_buf_done(&seen); \
	}

JOB_TEST(suspend_stops_the_job_and_comes_back, program_that_suspends, shell_for_suspend,
	"<enter><leave><enter><leave>")
JOB_TEST(sigtstp_from_outside_suspends, program_that_waits, shell_for_outside_tstp,
	"<enter><leave><enter><leave>")
JOB_TEST(sigstop_and_continue_enters_again, program_that_waits, shell_for_sigstop,
	"<enter><enter><leave>")
JOB_TEST(start_in_the_background_waits_for_the_terminal, program_that_suspends,
	shell_for_background_then_suspend, "<enter><leave><enter><leave>")
JOB_TEST(crash_restores_the_terminal, program_that_crashes, shell_for_death, "<enter><leave>")
JOB_TEST(abort_restores_the_terminal, program_that_aborts, shell_for_death, "<enter><leave>")
JOB_TEST(stack_overflow_restores_the_terminal, program_that_overflows, shell_for_death,
	"<enter><leave>")
