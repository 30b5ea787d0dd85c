#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "loop/child.h"
#include "loop/children.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/limits.h"

#include "../../support/needs.h"

/* A child and what came of it. */
struct run {
	struct ik_loop *loop;
	struct ik_child *child;
	struct ik_buf out[2];
	struct ik_child_result result;
	int done_count;
	bool done;
	const char *cancel_at; /* cancel when stdout holds this */
	bool close_at_output;
};

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct run *run = arg;

	ik_buf_append(&run->out[stream], bytes, length);
	if (run->cancel_at != NULL && strstr(run->out[0].data, run->cancel_at) != NULL)
		ik_child_cancel(run->child);
	if (run->close_at_output) {
		run->child = ik_child_close(run->child);
		run->done = true;
	}
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	struct run *run = arg;

	run->result = *result;
	run->done_count++;
	run->done = true;
	run->child = ik_child_close(run->child);
}

static const struct ik_child_events events = { on_output, on_done };

static void init_run(struct run *run, struct ik_loop *loop)
{
	memset(run, 0, sizeof(*run));
	run->loop = loop;
	ik_buf_init(&run->out[0], IK_MIB(64));
	ik_buf_init(&run->out[1], IK_MIB(64));
}

static void end_run(struct run *run)
{
	ik_buf_done(&run->out[0]);
	ik_buf_done(&run->out[1]);
}

/* A spec for sh -c script, with the limits that tools have. */
#define SHELL(script) { \
	.path = "/bin/sh", \
	.argv = (const char *const[]){ "sh", "-c", (script), NULL }, \
	.kill_after_ms = 2000, .grace_ms = 250, .timeout_ms = 20000 }

static void start(struct run *run, const struct ik_child_spec *spec)
{
	struct ik_error error;

	cr_assert_eq(ik_child_start(run->loop, spec, &events, run, &run->child, &error), IK_OK,
		"%s", error.text);
	cr_assert_eq(run->done_count, 0, "done inside start");
}

/* Run to the end; with a clean loop before and after. */
static void run_spec(struct run *run, const struct ik_child_spec *spec)
{
	init_run(run, fixture_loop());
	start(run, spec);
	fixture_run_until(run->loop, &run->done);
	cr_assert_eq(run->done_count, 1);
	fixture_end(run->loop);
}

Test(child, exit_code_and_both_streams)
{
	const struct ik_child_spec spec = SHELL("echo out; echo err >&2; exit 3");
	struct run run;

	run_spec(&run, &spec);
	cr_assert(run.result.exited);
	cr_assert_eq(run.result.exit_code, 3);
	cr_assert_str_eq(run.out[IK_STDOUT].data, "out\n");
	cr_assert_str_eq(run.out[IK_STDERR].data, "err\n");
	cr_assert_not(run.result.timed_out || run.result.cancelled || run.result.left_running);
	end_run(&run);
}

Test(child, death_by_signal)
{
	const struct ik_child_spec spec = SHELL("kill -SEGV $$");
	struct run run;

	run_spec(&run, &spec);
	cr_assert_not(run.result.exited);
	cr_assert_eq(run.result.signal_number, SIGSEGV);
	cr_assert_not(run.result.timed_out);
	end_run(&run);
}

Test(child, stderr_can_be_discarded_and_stdin_is_empty_without_input)
{
	struct ik_child_spec spec = SHELL("cat; echo err >&2; echo end");
	struct run run;

	spec.discard_stderr = true;
	run_spec(&run, &spec);
	cr_assert_str_eq(run.out[IK_STDOUT].data, "end\n");
	cr_assert_eq(run.out[IK_STDERR].length, 0);
	end_run(&run);
}

Test(child, input_that_comes_later)
{
	struct ik_child_spec spec = SHELL("exec cat");
	struct run run;

	init_run(&run, fixture_loop());
	spec.timeout_ms = 0;
	spec.input_room = 400000;
	start(&run, &spec);
	for (int i = 0; i < 1000; i++) {
		char piece[300];

		memset(piece, 'a' + i % 26, sizeof(piece));
		cr_assert(ik_child_write(run.child, piece, sizeof(piece)));
	}
	cr_assert_not(ik_child_write(run.child, "", 400001), "more than there is room for");
	ik_child_end(run.child, 5000);
	cr_assert_not(ik_child_write(run.child, "x", 1), "after the end");
	fixture_run_until(run.loop, &run.done);
	cr_assert_eq(run.out[IK_STDOUT].length, 300000);
	for (size_t i = 0; i < 300000; i++)
		cr_assert_eq(run.out[IK_STDOUT].data[i], 'a' + (int)(i / 300) % 26);
	cr_assert(run.result.exited && !run.result.timed_out);
	fixture_end(run.loop);
	end_run(&run);
}

Test(child, end_of_input_is_not_enough_for_all)
{
	struct ik_child_spec spec = SHELL("while :; do sleep 1; done");
	struct run run;

	init_run(&run, fixture_loop());
	spec.timeout_ms = 0;
	spec.input_room = 1000;
	start(&run, &spec);
	ik_child_end(run.child, 50);
	fixture_run_until(run.loop, &run.done);
	cr_assert_eq(run.result.signal_number, SIGTERM);
	fixture_end(run.loop);
	end_run(&run);
}

Test(child, is_waited_for_without_the_loop)
{
	struct ik_child_spec spec = SHELL("cat; sleep 0.1; echo end");
	char text[300000];
	struct run run;
	int64_t until;

	init_run(&run, fixture_loop());
	spec.input_room = sizeof(text);
	start(&run, &spec);
	memset(text, 'a', sizeof(text));
	cr_assert(ik_child_write(run.child, text, sizeof(text)));
	while (run.out[IK_STDOUT].length < sizeof(text))
		cr_assert(ik_child_wait(run.child, ik_clock_ms() + 5000));
	until = ik_clock_ms() + 50;
	cr_assert_not(ik_child_wait(run.child, until), "it waits for more");
	cr_assert_geq(ik_clock_ms(), until);
	ik_child_end(run.child, 5000);
	until = ik_clock_ms() + 5000;
	while (ik_child_wait(run.child, until))
		;
	cr_assert_lt(ik_clock_ms(), until, "its output has ended");
	cr_assert_str_eq(run.out[IK_STDOUT].data + sizeof(text), "end\n");
	cr_assert_eq(run.done_count, 0);
	fixture_run_until(run.loop, &run.done);
	cr_assert(run.result.exited && !run.result.timed_out);
	fixture_end(run.loop);
	end_run(&run);
}

static void on_alarm(int number)
{
}

Test(child, is_waited_for_through_signals)
{
	const struct itimerval often = { { 0, 10000 }, { 0, 10000 } }, never = { { 0, 0 }, { 0, 0 } };
	const struct ik_child_spec spec = SHELL("sleep 0.2; echo end");
	const struct sigaction action = { .sa_handler = on_alarm };
	struct run run;
	int64_t until;

	init_run(&run, fixture_loop());
	start(&run, &spec);
	cr_assert_eq(sigaction(SIGALRM, &action, NULL), 0);
	cr_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	until = ik_clock_ms() + 5000;
	while (ik_child_wait(run.child, until))
		;
	cr_assert_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
	cr_assert_str_eq(run.out[IK_STDOUT].data, "end\n");
	fixture_run_until(run.loop, &run.done);
	fixture_end(run.loop);
	end_run(&run);
}

Test(child, ten_megabytes_through_cat_and_back)
{
	const size_t length = 10 * 1000 * 1000;
	struct ik_child_spec spec = SHELL("exec cat");
	char *input = malloc(length);
	struct run run;

	cr_assert_not_null(input);
	for (size_t i = 0; i < length; i++)
		input[i] = (char)(i * 7919 >> 3);
	spec.input = input;
	spec.input_length = length;
	run_spec(&run, &spec);
	cr_assert_eq(run.out[IK_STDOUT].length, length);
	cr_assert_eq(memcmp(run.out[IK_STDOUT].data, input, length), 0);
	free(input);
	end_run(&run);
}

Test(child, input_that_is_not_read_is_no_failure)
{
	static char input[4 * 1000 * 1000];
	struct ik_child_spec spec = SHELL("exec 0<&-; echo ok");
	struct run run;

	spec.input = input;
	spec.input_length = sizeof(input);
	run_spec(&run, &spec);
	cr_assert(run.result.exited);
	cr_assert_eq(run.result.exit_code, 0);
	cr_assert_str_eq(run.out[IK_STDOUT].data, "ok\n");
	end_run(&run);
}

Test(child, empty_input_is_an_end_of_file)
{
	struct ik_child_spec spec = SHELL("wc -c");
	struct run run;

	spec.input = "";
	run_spec(&run, &spec);
	cr_assert_eq(atol(run.out[IK_STDOUT].data), 0);
	cr_assert_eq(run.result.exit_code, 0);
	end_run(&run);
}

Test(child, timeout_ends_a_child_that_heeds_sigterm)
{
	struct ik_child_spec spec = SHELL("echo before; exec sleep 60");
	struct run run;

	spec.timeout_ms = 200;
	run_spec(&run, &spec);
	cr_assert(run.result.timed_out);
	cr_assert_not(run.result.exited);
	cr_assert_eq(run.result.signal_number, SIGTERM);
	cr_assert_str_eq(run.out[IK_STDOUT].data, "before\n");
	cr_assert_geq(run.result.duration_ms, 200);
	cr_assert_lt(run.result.duration_ms, 1900);
	end_run(&run);
}

Test(child, timeout_kills_a_child_that_ignores_sigterm)
{
	struct ik_child_spec spec = SHELL("trap '' TERM; echo set; while :; do sleep 1; done");
	struct run run;

	spec.timeout_ms = 200;
	spec.kill_after_ms = 300;
	run_spec(&run, &spec);
	cr_assert(run.result.timed_out);
	cr_assert_eq(run.result.signal_number, SIGKILL);
	cr_assert_geq(run.result.duration_ms, 500);
	cr_assert_not(run.result.left_running, "the whole group is gone");
	end_run(&run);
}

Test(child, timeout_without_delay_kills_at_once)
{
	struct ik_child_spec spec = SHELL("exec sleep 60");
	struct run run;

	spec.timeout_ms = 100;
	spec.kill_after_ms = 0;
	run_spec(&run, &spec);
	cr_assert(run.result.timed_out);
	cr_assert_eq(run.result.signal_number, SIGKILL);
	end_run(&run);
}

Test(child, timeout_ends_a_stopped_child)
{
	struct ik_child_spec spec = SHELL("kill -STOP $$");
	struct run run;

	spec.timeout_ms = 200;
	run_spec(&run, &spec);
	cr_assert(run.result.timed_out);
	cr_assert_eq(run.result.signal_number, SIGTERM);
	end_run(&run);
}

Test(child, timeout_looks_first_whether_the_child_has_ended_meanwhile)
{
	struct ik_child_spec spec = SHELL("echo in time");
	int64_t begin = ik_clock_ms();
	struct run run;

	init_run(&run, fixture_loop());
	spec.timeout_ms = 300;
	start(&run, &spec);
	while (ik_clock_ms() < begin + 600)
		; /* this process does not get to look at it, as on a busy machine */
	fixture_run_until(run.loop, &run.done);
	cr_assert_not(run.result.timed_out);
	cr_assert(run.result.exited);
	cr_assert_str_eq(run.out[IK_STDOUT].data, "in time\n");
	fixture_end(run.loop);
	end_run(&run);
}

Test(child, timeout_reaches_the_whole_group_when_the_leader_dies_first)
{
	/* The grandchild ignores SIGTERM and holds the output. */
	struct ik_child_spec spec = SHELL("sh -c 'trap \"\" TERM; echo up; sleep 60' & wait");
	struct run run;

	spec.timeout_ms = 400;
	run_spec(&run, &spec);
	cr_assert(run.result.timed_out);
	cr_assert_eq(run.result.signal_number, SIGTERM);
	cr_assert_not(run.result.left_running);
	end_run(&run);
}

Test(child, grandchild_that_holds_the_pipes_is_left_after_the_grace)
{
	const struct ik_child_spec spec = SHELL("sleep 60 & echo $!; exit 4");
	int64_t begin = ik_clock_ms();
	struct run run;
	pid_t pid;

	run_spec(&run, &spec);
	cr_assert(run.result.left_running);
	cr_assert_eq(run.result.exit_code, 4);
	cr_assert_geq(ik_clock_ms() - begin, 250);
	cr_assert_lt(run.result.duration_ms, 20000);
	pid = (pid_t)atoi(run.out[IK_STDOUT].data);
	cr_assert_gt(pid, 1);
	cr_assert_eq(kill(pid, 0), 0, "what was left running lives on");
	kill(pid, SIGKILL);
	end_run(&run);
}

Test(child, output_of_a_grandchild_within_the_grace_is_kept)
{
	struct ik_child_spec spec = SHELL("(sleep 0.1; echo late) & echo early");
	struct run run;

	spec.grace_ms = 5000;
	run_spec(&run, &spec);
	cr_assert_str_eq(run.out[IK_STDOUT].data, "early\nlate\n");
	cr_assert_not(run.result.left_running);
	end_run(&run);
}

Test(child, streams_may_end_before_the_leader)
{
	const struct ik_child_spec spec = SHELL("exec >&- 2>&-; sleep 0.2; exit 5");
	struct run run;

	run_spec(&run, &spec);
	cr_assert_eq(run.result.exit_code, 5);
	cr_assert_geq(run.result.duration_ms, 200);
	end_run(&run);
}

Test(child, cancel_inside_output_is_reported)
{
	const struct ik_child_spec spec = SHELL("echo ready; exec sleep 60");
	struct run run;

	init_run(&run, fixture_loop());
	run.cancel_at = "ready";
	start(&run, &spec);
	fixture_run_until(run.loop, &run.done);
	cr_assert(run.result.cancelled);
	cr_assert_not(run.result.timed_out);
	cr_assert_eq(run.result.signal_number, SIGTERM);
	fixture_end(run.loop);
	end_run(&run);
}

Test(child, cancel_of_an_endless_writer_ends_it)
{
	struct ik_child_spec spec = SHELL("trap '' TERM; yes");
	struct run run;

	init_run(&run, fixture_loop());
	run.cancel_at = "y\n";
	spec.kill_after_ms = 50;
	start(&run, &spec);
	fixture_run_until(run.loop, &run.done);
	cr_assert(run.result.cancelled);
	cr_assert_eq(run.result.signal_number, SIGKILL);
	fixture_end(run.loop);
	end_run(&run);
}

/* Is there no process with this number (zombies count as processes)? */
static bool is_gone(pid_t pid)
{
	return kill(pid, 0) != 0 && errno == ESRCH;
}

static bool still_there(void *arg)
{
	return !is_gone(*(pid_t *)arg);
}

static void nothing(void *arg)
{
}

Test(child, close_of_a_running_child_is_silent_and_leaves_nothing)
{
	const struct ik_child_spec spec = SHELL("trap '' TERM; while :; do sleep 1; done");
	struct run run;
	struct ik_timer *timer;
	pid_t pid;

	need_vfork();
	init_run(&run, fixture_loop());
	start(&run, &spec);
	pid = (pid_t)ik_child_pid(run.child);
	run.child = ik_child_close(run.child);
	cr_assert_null(run.child);
	timer = ik_timer_new(run.loop, nothing, NULL);
	ik_timer_start(timer, 60000);
	fixture_run_while(run.loop, still_there, &pid);
	ik_timer_close(timer);
	cr_assert_eq(run.done_count, 0);
	fixture_end(run.loop);
	end_run(&run);
}

Test(child, close_inside_output_is_silent)
{
	const struct ik_child_spec spec = SHELL("echo one; echo two; echo three >&2");
	struct run run;
	pid_t pid;

	init_run(&run, fixture_loop());
	run.close_at_output = true;
	start(&run, &spec);
	pid = (pid_t)ik_child_pid(run.child);
	fixture_run_until(run.loop, &run.done);
	ik_loop_free(run.loop);
	cr_assert(is_gone(pid));
	cr_assert_eq(run.done_count, 0);
	end_run(&run);
}

Test(child, loop_that_is_freed_right_after_a_close_reaps)
{
	const struct ik_child_spec spec = SHELL("exec sleep 60");
	struct run run;
	pid_t pid;

	need_vfork();
	init_run(&run, fixture_loop());
	start(&run, &spec);
	pid = (pid_t)ik_child_pid(run.child);
	ik_child_close(run.child);
	fixture_end(run.loop);
	cr_assert(is_gone(pid));
	end_run(&run);
}

/* Start what cannot be started; the error text must hold part. */
static void expect_failure(const struct ik_child_spec *spec, enum ik_status status, const char *part)
{
	struct ik_loop *loop = fixture_loop();
	struct ik_child *child = NULL;
	struct ik_error error;

	cr_assert_eq(ik_child_start(loop, spec, &events, NULL, &child, &error), status,
		"%d: %s", error.status, error.text);
	cr_assert_not_null(strstr(error.text, part), "%s", error.text);
	cr_assert_null(child);
	fixture_end(loop);
}

/* Write an executable of this text into a new file. */
static void make_script(char name[static 32], const char *text, mode_t mode)
{
	int fd;

	strcpy(name, "/tmp/ik-child-XXXXXX");
	fd = mkostemp(name, O_CLOEXEC);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	cr_assert_eq(fchmod(fd, mode), 0);
	close(fd);
}

Test(child, what_cannot_be_started_is_explained)
{
	struct ik_child_spec spec = SHELL("exit");
	char name[32];

	need_vfork();
	spec.path = "/nonexistent/tool";
	expect_failure(&spec, IK_NOT_FOUND, "cannot start /nonexistent/tool: No such file");
	spec.path = "/tmp";
	expect_failure(&spec, IK_DENIED, "is a directory");
	spec.path = name;
	make_script(name, "#!/bin/sh\n", 0644);
	expect_failure(&spec, IK_DENIED, "Permission denied");
	unlink(name);
	make_script(name, "#!/nonexistent/interpreter\n", 0755);
	expect_failure(&spec, IK_NOT_FOUND, "the interpreter that it names does not exist");
	unlink(name);
	make_script(name, "echo no first line\n", 0755);
	expect_failure(&spec, IK_INVALID, "a script's first two characters must be #!");
	unlink(name);
	spec.path = "/bin/sh";
	spec.directory = "/nonexistent/directory";
	expect_failure(&spec, IK_NOT_FOUND, "in the directory /nonexistent/directory");
}

Test(child, no_descriptors_left_is_an_error_in_words)
{
	const struct ik_child_spec spec = SHELL("exit");
	struct ik_loop *loop = fixture_loop();
	const struct rlimit few = { 8, 4096 }, enough = { 1024, 4096 };
	struct ik_child *child = NULL;
	struct ik_error error;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	cr_assert_neq(ik_child_start(loop, &spec, &events, NULL, &child, &error), IK_OK);
	cr_assert_not_null(strstr(error.text, "Too many open files"), "%s", error.text);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &enough), 0);
	fixture_end(loop);
}

Test(child, only_its_streams_reach_the_child)
{
	const struct ik_child_spec spec = SHELL("exec ls /proc/self/fd");
	int inherited = open("/dev/null", O_RDONLY); /* not close-on-exec, as from a shell */
	struct run run;

	cr_assert_geq(inherited, 3);
	run_spec(&run, &spec);
	/* 3 is ls's own, of the directory. */
	cr_assert_str_eq(run.out[IK_STDOUT].data, "0\n1\n2\n3\n");
	close(inherited);
	end_run(&run);
}

Test(child, works_when_this_process_has_no_standard_streams)
{
	struct ik_child_spec spec = SHELL("cat; echo err >&2");
	struct run run;
	int saved[3];

	for (int i = 0; i < 3; i++) {
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 100);
		close(i);
	}
	spec.input = "through";
	spec.input_length = 7;
	init_run(&run, ik_loop_new(NULL));
	start(&run, &spec);
	fixture_run_until(run.loop, &run.done);
	ik_loop_free(run.loop);
	for (int i = 0; i < 3; i++)
		if (saved[i] >= 0)
			dup2(saved[i], i);
	cr_assert_str_eq(run.out[IK_STDOUT].data, "through");
	cr_assert_str_eq(run.out[IK_STDERR].data, "err\n");
	end_run(&run);
}

Test(child, signals_are_default_and_not_blocked)
{
	const struct ik_child_spec spec = SHELL("exec grep -E '^Sig(Blk|Ign)' /proc/self/status");
	struct run run;
	sigset_t set;

	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	run_spec(&run, &spec);
	cr_assert_str_eq(run.out[IK_STDOUT].data,
		"SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
	end_run(&run);
}

Test(child, session_limits_directory_and_environment)
{
	static const char *const environment[] = { "ONLY=this", NULL };
	struct ik_child_spec spec = SHELL(
		"read -r pid name state parent group session rest < /proc/self/stat;"
		"[ $group = $$ ] && [ $session = $$ ] && echo own; ulimit -c; ulimit -Sn; ulimit -v;"
		"pwd; echo $ONLY; cut -d= -f1 /proc/$$/environ | tr '\\0' ' '");
	const struct rlimit limit = { 777, 4096 };
	char expected[200];
	struct run run;

	need_memory_limit();
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	spec.environment = environment;
	spec.directory = "/usr";
	spec.memory_limit = (int64_t)IK_MIB(512);
	init_run(&run, fixture_loop());
	cr_assert_eq(ik_children_capacity(run.loop), (4096 - 64) / 4);
	start(&run, &spec);
	fixture_run_until(run.loop, &run.done);
	fixture_end(run.loop);
	snprintf(expected, sizeof(expected), "own\n0\n777\n%d\n/usr\nthis\nONLY", 512 * 1024);
	cr_assert_eq(strncmp(run.out[IK_STDOUT].data, expected, strlen(expected)), 0, "%s%s",
		run.out[IK_STDOUT].data, run.out[IK_STDERR].data);
	end_run(&run);
}

static bool some_run(void *arg)
{
	struct run *runs = arg;

	for (int i = 0; i < 200; i++)
		if (!runs[i].done)
			return true;
	return false;
}

Test(child, two_hundred_at_once)
{
	static struct run runs[200];
	struct ik_loop *loop = fixture_loop();

	cr_assert_geq(ik_children_capacity(loop), 200);
	for (int i = 0; i < 200; i++) {
		char script[64];
		struct ik_child_spec spec = SHELL(script);

		snprintf(script, sizeof(script), "read line; echo $line; exit %d", i % 100);
		spec.input = "hello\n";
		spec.input_length = 6;
		init_run(&runs[i], loop);
		start(&runs[i], &spec);
	}
	fixture_run_while(loop, some_run, runs);
	for (int i = 0; i < 200; i++) {
		cr_assert_eq(runs[i].result.exit_code, i % 100);
		cr_assert_str_eq(runs[i].out[IK_STDOUT].data, "hello\n");
		cr_assert_eq(runs[i].done_count, 1);
		end_run(&runs[i]);
	}
	fixture_end(loop);
}
