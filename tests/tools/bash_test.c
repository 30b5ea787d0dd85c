#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/tools/support.h"
#include "util/clock.h"

TestSuite(bash, .init = scratch_enter, .fini = scratch_leave, .timeout = 60);

Test(bash, describes_itself)
{
	expect_options("bash",
		"{'name':'bash','description':'Execute a shell command and return output','parameters':"
		"{'type':'object','properties':{'command':{'type':'string','description':"
		"'Shell command to execute'}},'required':['command']},"
		"'display':{'kind':'execute','line':'$ {command}','command':'command'}}");
}

Test(bash, output_and_exit_code)
{
	expect_json(ask("bash", "{'command':'echo hello'}"), "{'output':'hello','exit_code':0}");
	expect_json(ask("bash", "{'command':'exit 3'}"), "{'output':'','exit_code':3}");
	expect_json(ask("bash", "{'command':'printf \\\"a\\\\n\\\\nb\\\\n\\\\n\\\"'}"),
		"{'output':'a\\n\\nb\\n','exit_code':0}");
	expect_json(ask("bash", "{'command':'echo'}"), "{'output':'','exit_code':0}");
	expect_json(ask("bash", "{'command':'printf x'}"), "{'output':'x','exit_code':0}");
	expect_json(ask("bash", "{'command':'echo refused >&2; exit 2'}"),
		"{'output':'refused','exit_code':2}");
}

Test(bash, shell_errors)
{
	expect_json(ask("bash", "{'command':''}"), "{'output':'','exit_code':127}");
	expect_json(ask("bash", "{'command':'   '}"), "{'output':'','exit_code':0}");
	/* In a path of directories that everybody may search. */
	struct reply reply = call_run(&(struct call){ .tool = "bash", .setting = "PATH=/usr/bin:/bin",
		.input = "{\"command\":\"nonexistent-command\"}" });
	cr_assert_not_null(strstr(reply.out.data, "sh: 1: nonexistent-command: not found"));
	cr_assert_not_null(strstr(reply.out.data, "\"exit_code\":127}"));
	reply_free(&reply);
}

Test(bash, argument_zero_is_sh)
{
	expect_json(ask("bash", "{'command':'echo $0 $#'}"), "{'output':'sh 0','exit_code':0}");
}

Test(bash, exit_codes)
{
	static const int codes[] = { 0, 1, 2, 125, 126, 127, 128, 200, 255 };

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		expect_json(ask("bash", "{'command':'exit %d'}", codes[i]), "{'output':'','exit_code':%d}",
			codes[i]);
	make_text("not-executable", "");
	struct reply reply = ask("bash", "{'command':'./not-executable'}");
	cr_assert_not_null(strstr(reply.out.data, "\"exit_code\":126}"), "%s", reply.out.data);
	reply_free(&reply);
	reply = ask("bash", "{'command':'if'}");
	cr_assert_not_null(strstr(reply.out.data, "Syntax error"), "%s", reply.out.data);
	cr_assert_not_null(strstr(reply.out.data, "\"exit_code\":2}"), "%s", reply.out.data);
	reply_free(&reply);
}

Test(bash, every_signal_is_128_and_its_number)
{
	for (int number = 1; number <= SIGRTMAX; number++) {
		/* Signals that end nothing, and the two that the C library uses. */
		if (number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH ||
			number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU ||
			(number > SIGSYS && number < SIGRTMIN))
			continue;
		expect_json(ask("bash", "{'command':'ulimit -c 0; kill -%d $$; echo survived'}", number),
			"{'output':'','exit_code':%d}", 128 + number);
	}
	/* The same for a program that the shell runs. */
	struct reply reply = ask("bash", "{'command':'sh -c \\\"kill -9 \\\\$\\\\$\\\"; exit $?'}");
	cr_assert_not_null(strstr(reply.out.data, "\"exit_code\":137}"), "%s", reply.out.data);
	reply_free(&reply);
	expect_json(ask("bash", "{'command':'trap'}"), "{'output':'','exit_code':0}");
}

Test(bash, keeps_the_order_of_stdout_and_stderr)
{
	expect_json(ask("bash", "{'command':'for i in 1 2 3; do echo o$i; echo e$i >&2; done'}"),
		"{'output':'o1\\ne1\\no2\\ne2\\no3\\ne3','exit_code':0}");
}

Test(bash, stdin_is_empty)
{
	expect_json(ask("bash", "{'command':'cat; readlink /proc/self/fd/0'}"),
		"{'output':'/dev/null','exit_code':0}");
}

Test(bash, leaves_no_descriptor_open)
{
	/* The fourth is for the directory being listed. */
	expect_json(ask("bash", "{'command':'set -- /proc/$$/fd/*; echo $#'}"),
		"{'output':'4','exit_code':0}");
}

Test(bash, any_bytes)
{
	expect_json(ask("bash", "{'command':'printf \\\"a\\\\000b\\\\377\\\\303\\\\251\\\\n\\\"'}"),
		"{'output':'a\\u0000b\uFFFDé','exit_code':0}");
	expect_error(ask("bash", "{'command':'a\\u0000b'}"), "INVALID_ARG",
		"command must not contain a NUL character");
}

Test(bash, characters_that_come_in_pieces)
{
	expect_json(ask("bash", "{'command':'printf \\\"\\\\342\\\"; sleep 0.05; printf \\\"\\\\202\\\"; "
		"sleep 0.05; printf \\\"\\\\254\\\\n\\\"; sleep 0.05; echo'}"),
		"{'output':'€\\n','exit_code':0}");
}

Test(bash, megabytes_of_output)
{
	struct reply reply = ask("bash", "{'command':'head -c 20000000 /dev/zero | tr \\\"\\\\\\\\0\\\" x'}");
	char *text = ik_json_string_new(ik_json_member(reply.json, "output"), NULL);

	cr_assert_eq(strspn(text, "x"), 20000000);
	cr_assert_eq(strlen(text), 20000000);
	free(text);
	reply_free(&reply);
}

Test(bash, megabytes_on_both_streams)
{
	/* Each line is longer than a pipe holds, and written completely before the next. */
	struct reply reply = ask("bash", "{'command':'for i in 1 2 3 4 5 6 7 8; do "
		"head -c 300000 /dev/zero | tr \\\"\\\\\\\\0\\\" o; head -c 300000 /dev/zero | tr "
		"\\\"\\\\\\\\0\\\" e >&2; done'}");
	size_t length;
	char *text = ik_json_string_new(ik_json_member(reply.json, "output"), &length);

	cr_assert_eq(length, 16 * 300000);
	for (size_t i = 0; i < 16; i++)
		cr_assert_eq(strspn(text + i * 300000, i % 2 == 0 ? "o" : "e"), 300000, "block %zu", i);
	free(text);
	reply_free(&reply);
}

/* A command of any length that counts the characters of a long word. */
static void count_characters(size_t count)
{
	struct ik_buf command;

	ik_buf_init(&command, SIZE_MAX / 2);
	ik_buf_puts(&command, "x=");
	for (size_t i = 0; i < count; i++)
		ik_buf_putc(&command, 'y');
	ik_buf_puts(&command, "; echo $0 ${#x}; exit 5");
	expect_json(ask("bash", "{'command':'%s'}", command.data), "{'output':'sh %zu','exit_code':5}",
		count);
	ik_buf_done(&command);
}

Test(bash, commands_longer_than_an_argument_may_be)
{
	/* Around the limit of an argument, 128 KiB with its NUL, and far beyond it. */
	for (size_t length = 131072 - 2; length <= 131072 + 1; length++)
		count_characters(length - strlen("x=; echo $0 ${#x}; exit 5"));
	count_characters(1000000);
}

Test(bash, in_a_directory_that_was_removed)
{
	cr_assert_eq(mkdir("gone", 0777), 0);
	cr_assert_eq(chdir("gone"), 0);
	cr_assert_eq(rmdir("../gone"), 0);
	struct reply reply = ask("bash", "{'command':'echo here; exit 4'}");
	cr_assert_not_null(strstr(reply.out.data, "here\",\"exit_code\":4}"), "%s", reply.out.data);
	reply_free(&reply);
}

Test(bash, what_a_background_process_wrote_before_the_end_is_in_the_answer)
{
	expect_json(ask("bash", "{'command':'{ echo early; touch done; exec sleep 100; } & echo $! >pid; "
		"while [ ! -e done ]; do sleep 0.01; done'}"), "{'output':'early','exit_code':0}");
	expect_json(ask("bash", "{'command':'kill $(cat pid)'}"), "{'output':'','exit_code':0}");
}

Test(bash, answers_though_something_holds_the_pipe)
{
	int64_t start = ik_clock_ms();
	struct reply reply = ask("bash", "{'command':'sleep 100 & echo $!'}");
	int64_t took = ik_clock_ms() - start;
	char *text = ik_json_string_new(ik_json_member(reply.json, "output"), NULL);
	pid_t left = (pid_t)strtol(text, NULL, 10);

	cr_assert_gt(left, 1);
	cr_assert_eq(kill(left, 0), 0, "what was put into the background must live on");
	kill(left, SIGKILL);
	/* 250 ms after the shell has ended; the rest allows for a busy machine. */
	cr_assert_lt(took, 2000);
	free(text);
	reply_free(&reply);
}

Test(bash, a_noisy_background_process_does_not_hold_the_answer)
{
	struct reply reply = ask("bash", "{'command':'yes & echo $! >pid'}");

	expect_json(ask("bash", "{'command':'kill $(cat pid) 2>&1'}"), "{'output':'','exit_code':0}");
	cr_assert_not_null(strstr(reply.out.data, "\"exit_code\":0}"));
	reply_free(&reply);
}

/* Wait until a file exists. */
static void await_file(const char *path)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	while (access(path, F_OK) != 0)
		nanosleep(&pause, NULL);
}

Test(bash, sigterm_ends_the_command_and_answers)
{
	struct running running = call_start(&(struct call){ .tool = "bash",
		.input = "{\"command\":\"echo before; touch ready; sleep 100; echo after\"}" });

	await_file("ready");
	kill(running.pid, SIGTERM);
	struct reply reply = call_finish(running);
	cr_assert_eq(reply.status, 0);
	expect_json(reply, "{'output':'before','exit_code':143}");
}

Test(bash, other_signals_that_ask_to_end_do_the_same)
{
	static const int signals[] = { SIGINT, SIGHUP };

	for (int i = 0; i < 2; i++) {
		struct running running = call_start(&(struct call){ .tool = "bash",
			.input = "{\"command\":\"echo before; touch ready; sleep 100; echo after\"}" });

		await_file("ready");
		kill(running.pid, signals[i]);
		struct reply reply = call_finish(running);
		cr_assert_eq(reply.status, 0);
		expect_json(reply, "{'output':'before','exit_code':143}");
		cr_assert_eq(unlink("ready"), 0);
	}
}

Test(bash, sigterm_leaves_the_command_its_last_words)
{
	struct running running = call_start(&(struct call){ .tool = "bash",
		.input = "{\"command\":\"trap 'echo bye; exit 9' TERM; touch ready; "
			"while :; do sleep 0.02; done\"}" });

	await_file("ready");
	kill(running.pid, SIGTERM);
	struct reply reply = call_finish(running);
	cr_assert_eq(reply.status, 0);
	cr_assert_not_null(strstr(reply.out.data, "bye\",\"exit_code\":9}"), "%s", reply.out.data);
	reply_free(&reply);
}

Test(bash, sigterm_ends_a_command_that_ignores_it)
{
	struct running running = call_start(&(struct call){ .tool = "bash",
		.input = "{\"command\":\"trap '' TERM; echo $$ > p; mv p ready; "
			"while :; do sleep 0.1; done\"}" });

	await_file("ready");
	int64_t start = ik_clock_ms();
	kill(running.pid, SIGTERM);
	struct reply reply = call_finish(running);
	cr_assert_eq(reply.status, 0);
	cr_assert_lt(ik_clock_ms() - start, 2000, "the caller's patience is 2 s");
	expect_json(reply, "{'output':'','exit_code':137}");
}

Test(bash, ends_when_nobody_reads)
{
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	struct reply reply = call_run(&(struct call){ .tool = "bash", .output = ends[1],
		.input = "{\"command\":\"yes\"}" });
	cr_assert_eq(reply.status, 1);
	reply_free(&reply);
	close(ends[1]);
}

Test(bash, inherited_ignored_signals_do_not_matter)
{
	signal(SIGCHLD, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	struct running running = call_start(&(struct call){ .tool = "bash",
		.input = "{\"command\":\"kill -INT $$; echo survived\"}" });
	signal(SIGCHLD, SIG_DFL);
	struct reply reply = call_finish(running);
	expect_json(reply, "{'output':'','exit_code':130}");
}

Test(bash, live_copy_on_stderr)
{
	struct reply reply = call_run(&(struct call){ .tool = "bash", .setting = "IKIGAI_LIVE=1",
		.input = "{\"command\":\"echo a; echo b >&2; printf %s \\\"$IKIGAI_LIVE\\\"\"}" });

	cr_assert_str_eq(reply.err.data, "a\nb\n");
	expect_json(reply, "{'output':'a\\nb','exit_code':0}");
	reply = call_run(&(struct call){ .tool = "bash", .input = "{\"command\":\"echo a\"}" });
	cr_assert_eq(reply.err.length, 0);
	reply_free(&reply);
}

Test(bash, live_copy_only_when_somebody_watches)
{
	static const char *const settings[] = { "IKIGAI_LIVE=0", "IKIGAI_LIVE=", "IKIGAI_LIVE=1" };

	for (size_t i = 0; i < 3; i++) {
		struct reply reply = call_run(&(struct call){ .tool = "bash", .setting = settings[i],
			.input = "{\"command\":\"echo a\"}" });

		cr_assert_str_eq(reply.err.data, i == 2 ? "a\n" : "");
		expect_json(reply, "{'output':'a','exit_code':0}");
	}
}

Test(bash, live_copy_is_what_was_written_byte_for_byte)
{
	struct reply reply = call_run(&(struct call){ .tool = "bash", .setting = "IKIGAI_LIVE=1",
		.input = "{\"command\":\"printf '\\\\000\\\\377a\\\\n\\\\n'; "
			"head -c 300000 /dev/zero\"}" });

	cr_assert_eq(reply.err.length, 5 + 300000);
	cr_assert_eq(memcmp(reply.err.data, "\0\377a\n\n\0", 6), 0);
	cr_assert_eq(reply.status, 0);
	cr_assert_not_null(reply.json.text);
	reply_free(&reply);
}

Test(bash, live_copy_comes_while_the_command_runs)
{
	/* The command continues only once its first line has been seen on stderr. */
	struct running running = call_start(&(struct call){ .tool = "bash", .setting = "IKIGAI_LIVE=1",
		.input = "{\"command\":\"echo first; while [ ! -e go ]; do sleep 0.01; done; echo last\"}" });
	const struct timespec pause = { .tv_nsec = 2000000 };
	char seen[6];

	while (pread(running.err, seen, sizeof(seen), 0) < (ssize_t)sizeof(seen))
		nanosleep(&pause, NULL);
	cr_assert_eq(memcmp(seen, "first\n", 6), 0);
	make_text("go", "");
	expect_json(call_finish(running), "{'output':'first\\nlast','exit_code':0}");
}

Test(bash, has_no_terminal)
{
	expect_json(ask("bash", "{'command':'(: </dev/tty) 2>/dev/null || echo none'}"),
		"{'output':'none','exit_code':0}");
}
