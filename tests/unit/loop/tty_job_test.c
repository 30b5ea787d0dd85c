#include "fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "loop/tty.h"
#include "util/buf.h"
#include "util/limits.h"

/* Programs on a terminal that controls a session, as a shell sets it up: job
 * control and crashes. A check that fails in them is told by its line. */

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
	MUST(fixture_is_raw(0));
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
	MUST(fixture_is_raw(0));
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
	MUST(fixture_is_cooked(0));
}

static void dies_with_terminal_restored(pid_t program)
{
	int status;

	MUST(waitpid(program, &status, 0) == program);
	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	MUST(WIFSIGNALED(status));
	MUST(WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGABRT);
	MUST(fixture_is_cooked(0));
}

static void shell_for_suspend(pid_t program)
{
	int status;

	MUST(waitpid(program, &status, WUNTRACED) == program);
	MUST(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTSTP);
	MUST(fixture_is_cooked(0));
	give_terminal(getpgrp());
	give_terminal(program);
	kill(-program, SIGCONT);
	ends_well(program);
}

static void shell_for_background_then_suspend(pid_t program)
{
	/* It starts in the background: it must stop, not draw. */
	stopped_and_continued(program);
	shell_for_suspend(program);
}

static void shell_for_sigstop(pid_t program)
{
	while (!fixture_is_raw(0))
		poll(NULL, 0, 1);
	kill(program, SIGSTOP);
	stopped_and_continued(program);
	ends_well(program);
}

static void shell_for_outside_tstp(pid_t program)
{
	while (!fixture_is_raw(0))
		poll(NULL, 0, 1);
	kill(program, SIGTSTP);
	shell_for_suspend(program);
}

static void shell_for_death(pid_t program)
{
	dies_with_terminal_restored(program);
}

/* Be a shell in a session of its own, with program as its job; never returns. */
static void be_shell(const char *terminal, void (*program)(void), void (*shell)(pid_t))
{
	int fd, ready[2];
	char nothing;
	pid_t pid;

	alarm(25);
	signal(SIGTTOU, SIG_IGN);
	MUST(setsid() > 0);
	fd = open(terminal, O_RDWR);
	MUST(fd >= 0);
	MUST(ioctl(fd, TIOCSCTTY, 0) == 0);
	MUST(dup2(fd, 0) == 0 && dup2(fd, 1) == 1);
	close(fd);
	MUST(pipe(ready) == 0);
	pid = fork();
	MUST(pid >= 0);
	if (pid == 0) {
		/* Not before it is known who has the terminal: it would stop. */
		close(ready[1]);
		MUST(read(ready[0], &nothing, 1) == 0);
		signal(SIGTTOU, SIG_DFL);
		program();
		_exit(255);
	}
	setpgid(pid, pid);
	if (shell != shell_for_background_then_suspend)
		give_terminal(pid);
	close(ready[0]);
	close(ready[1]);
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
	Test(tty_job, name) \
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
