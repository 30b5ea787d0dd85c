#include "fixture.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "loop/child.h"
#include "loop/children.h"
#include "util/buf.h"
#include "util/limits.h"

#include "../../support/needs.h"

struct run {
	struct ik_child *child;
	struct ik_buf output;
	bool done;
};

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	ik_buf_append(&((struct run *)arg)->output, bytes, length);
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	struct run *run = arg;

	run->child = ik_child_close(run->child);
	run->done = true;
}

static void start_shell(struct ik_loop *loop, struct run *run, const char *script)
{
	static const struct ik_child_events events = { on_output, on_done };
	const char *const argv[] = { "sh", "-c", script, NULL };
	const struct ik_child_spec spec = { .path = "/bin/sh", .argv = argv, .grace_ms = 50 };
	struct ik_error error;

	memset(run, 0, sizeof(*run));
	ik_buf_init(&run->output, IK_MIB(1));
	cr_assert_eq(ik_child_start(loop, &spec, &events, run, &run->child, &error), IK_OK);
}

static void run_shell(struct ik_loop *loop, struct run *run, const char *script)
{
	start_shell(loop, run, script);
	fixture_run_until(loop, &run->done);
}

static void count_change(void *arg)
{
	(*(int *)arg)++;
}

static bool orphans_differ_from_0(void *arg) { return ik_children_orphans(arg) != 0; }
static bool orphans_differ_from_1(void *arg) { return ik_children_orphans(arg) != 1; }
static bool orphans_differ_from_2(void *arg) { return ik_children_orphans(arg) != 2; }

static bool is_silent(void *arg)
{
	return ((struct run *)arg)->output.length == 0;
}

Test(children, orphans_are_counted_in_any_session_and_reaped_when_they_end)
{
	struct ik_loop *loop = fixture_loop();
	int changes = 0;
	struct run run;
	pid_t first, second;

	need_reaper();
	ik_children_become_reaper(loop);
	ik_children_on_change(loop, count_change, &changes);
	run_shell(loop, &run, "exit 0");
	fixture_run_for(loop, 20);
	cr_assert_eq(ik_children_orphans(loop), 0);
	cr_assert_eq(changes, 0);

	/* One holds the pipes, the other went into a session of its own. */
	run_shell(loop, &run, "sleep 60 & echo $!; setsid sleep 60 >/dev/null 2>&1 & echo $!");
	fixture_run_while(loop, orphans_differ_from_2, loop);
	cr_assert_geq(changes, 1);
	cr_assert_eq(sscanf(run.output.data, "%d %d", &first, &second), 2);
	ik_buf_done(&run.output);

	changes = 0;
	kill(first, SIGTERM);
	fixture_run_while(loop, orphans_differ_from_1, loop);
	cr_assert_eq(changes, 1);
	cr_assert(kill(first, 0) != 0 && errno == ESRCH, "reaped");
	kill(second, SIGTERM);
	fixture_run_while(loop, orphans_differ_from_0, loop);
	cr_assert_eq(changes, 2);
	fixture_end(loop);
}

Test(children, orphan_that_ends_while_a_zombie_of_ours_waits_is_reaped_in_the_end)
{
	struct ik_loop *loop = fixture_loop();
	struct run run;

	need_reaper();
	ik_children_become_reaper(loop);
	/* The leader ends at once and stays a zombie for the grace, as a
	 * grandchild holds the output; that one and another end meanwhile. */
	run_shell(loop, &run, "sleep 0.02 >/dev/null 2>&1 & sleep 0.04 & exit 0");
	fixture_run_while(loop, orphans_differ_from_0, loop);
	errno = 0;
	cr_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "no zombie is left");
	ik_buf_done(&run.output);
	fixture_end(loop);
}

Test(children, end_kills_everything_below)
{
	struct ik_loop *loop = fixture_loop();
	struct run left, running;

	need_reaper();
	ik_children_become_reaper(loop);
	run_shell(loop, &left,
		"setsid sh -c 'trap \"\" TERM HUP; sleep 60 & sh -c \"sleep 60 & sleep 60\" & wait'"
		" >/dev/null 2>&1 & (sleep 60 & sleep 60) & exit 0");
	start_shell(loop, &running, "echo up; sleep 60 | sleep 60; sleep 60");
	fixture_run_while(loop, orphans_differ_from_2, loop);
	fixture_run_while(loop, is_silent, &running);
	ik_children_end(loop);
	errno = 0;
	cr_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	ik_child_close(running.child);
	ik_buf_done(&left.output);
	ik_buf_done(&running.output);
	fixture_end(loop);
}

Test(children, end_outruns_what_forks_all_the_time)
{
	struct ik_loop *loop = fixture_loop();
	struct run run;

	need_reaper();
	ik_children_become_reaper(loop);
	run_shell(loop, &run,
		"setsid sh -c 'f() { (f) & exit; }; f' >/dev/null 2>&1 &"
		"setsid sh -c 'while :; do (sleep 5 &); sleep 0.001; done' >/dev/null 2>&1 & exit 0");
	fixture_run_for(loop, 100);
	ik_children_end(loop);
	errno = 0;
	cr_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	ik_buf_done(&run.output);
	fixture_end(loop);
}

Test(children, children_that_we_were_born_with_are_left_alone)
{
	struct ik_loop *loop = fixture_loop();
	struct run run;
	pid_t stranger = fork();

	if (stranger == 0) {
		execl("/bin/sleep", "sleep", "60", (char *)NULL);
		_exit(127);
	}
	cr_assert_gt(stranger, 0);
	need_reaper();
	ik_children_become_reaper(loop);
	run_shell(loop, &run, "sleep 60 >/dev/null 2>&1 &");
	fixture_run_while(loop, orphans_differ_from_1, loop);
	ik_children_end(loop);
	cr_assert_eq(waitpid(stranger, NULL, WNOHANG), 0, "it lives");
	kill(stranger, SIGKILL);
	waitpid(stranger, NULL, 0);
	ik_buf_done(&run.output);
	fixture_end(loop);
}

Test(children, many_that_end_at_once_and_one_that_was_closed_are_seen_to_end)
{
	struct ik_loop *loop = fixture_loop();
	struct run runs[20], closed;
	pid_t pid;

	for (int i = 0; i < 20; i++)
		start_shell(loop, &runs[i], "echo here");
	start_shell(loop, &closed, "exec sleep 60");
	pid = (pid_t)ik_child_pid(closed.child);
	ik_child_close(closed.child);
	for (int i = 0; i < 20; i++) {
		fixture_run_until(loop, &runs[i].done);
		cr_assert_str_eq(runs[i].output.data, "here\n");
		ik_buf_done(&runs[i].output);
	}
	need_reaper();
	ik_children_become_reaper(loop);
	run_shell(loop, &closed, "sleep 60 >/dev/null 2>&1 &");
	fixture_run_while(loop, orphans_differ_from_1, loop);
	ik_children_end(loop);
	cr_assert(kill(pid, 0) != 0 && errno == ESRCH);
	fixture_end(loop);
}

/* Trace a child and wait for it only some time after its end, as a debugger may. False: that is not
 * allowed here. */
static bool trace(pid_t pid, pid_t *ret_tracer)
{
	siginfo_t info;
	char traces = 0;
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	*ret_tracer = fork();
	if (*ret_tracer == 0) {
		traces = ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
		(void)!write(ends[1], &traces, 1);
		if (traces && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0) {
			usleep(100 * 1000);
			waitpid(pid, NULL, 0);
		}
		_exit(0);
	}
	(void)!read(ends[0], &traces, 1);
	close(ends[0]);
	close(ends[1]);
	return traces;
}

Test(children, one_that_has_a_tracer_is_seen_to_end)
{
	struct ik_loop *loop = fixture_loop();
	struct run run;
	pid_t tracer;

	start_shell(loop, &run, "exec sleep 0.2");
	if (trace((pid_t)ik_child_pid(run.child), &tracer))
		fixture_run_until(loop, &run.done);
	ik_child_close(run.child);
	waitpid(tracer, NULL, 0);
	ik_buf_done(&run.output);
	fixture_end(loop);
}

Test(children, parent_death_kills_the_child)
{
	char byte = 0;
	int ends[2];
	pid_t parent;

	/* A process with a loop and a child dies by SIGKILL; the child holds the
	 * write end of a pipe, whose end of file tells that it died. */
	cr_assert_eq(pipe(ends), 0);
	parent = fork();
	if (parent == 0) {
		static const char *const argv[] = { "sh", "-c",
			"exec 8>/proc/$PPID/fd/9; printf u >&8; exec sleep 60", NULL };
		const struct ik_child_spec spec = { .path = "/bin/sh", .argv = argv };
		const struct ik_child_events events = { on_output, on_done };
		struct ik_loop *loop = ik_loop_new(NULL);
		struct ik_child *child;
		struct ik_error error;

		close(ends[0]);
		dup2(ends[1], 9);
		close(ends[1]);
		if (ik_child_start(loop, &spec, &events, NULL, &child, &error) != IK_OK)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	cr_assert_eq(read(ends[0], &byte, 1), 1);
	cr_assert_eq(byte, 'u');
	kill(parent, SIGKILL);
	cr_assert_eq(waitpid(parent, NULL, 0), parent);
	cr_assert_eq(read(ends[0], &byte, 1), 0, "end of file: nobody holds the pipe");
	close(ends[0]);
}

/* In a process of its own: start tools that leave much behind, say so, and die of a signal. */
static void die_with_children(int number, int told)
{
	struct ik_loop *loop = fixture_loop();
	struct run run;

	ik_children_become_reaper(loop);
	run_shell(loop, &run, "setsid sh -c 'sleep 300 & sleep 300' >&- 2>&- & sleep 300 >&- 2>&- &");
	start_shell(loop, &run, "sh -c 'sleep 300 & echo ready; sleep 300' & wait");
	fixture_run_while(loop, is_silent, &run);
	cr_assert_eq(write(told, "r", 1), 1);
	signal(SIGALRM, SIG_DFL); /* alarm() of a test that hangs */
	raise(number);
	_exit(1);
}

Test(children, nothing_is_left_after_a_fatal_signal)
{
	static const int numbers[] = { SIGSEGV, SIGABRT, SIGQUIT, SIGUSR1 };

	need_reaper();
	signal(SIGQUIT, SIG_DFL); /* a job in the background may ignore it */
	/* What is left of the process comes to this one. */
	cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int told[2], status;
		char byte;
		pid_t pid;

		cr_assert_eq(pipe(told), 0);
		pid = fork();
		if (pid == 0)
			die_with_children(numbers[i], told[1]);
		close(told[1]);
		cr_assert_eq(read(told[0], &byte, 1), 1);
		close(told[0]);
		cr_assert_eq(waitpid(pid, &status, 0), pid);
		cr_assert(WIFSIGNALED(status));
		cr_assert_eq(WTERMSIG(status), numbers[i]);
		cr_assert_eq(waitpid(-1, &status, WNOHANG), -1, "something was left");
	}
}
