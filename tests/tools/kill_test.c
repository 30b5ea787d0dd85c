/*
 * Kill file-edit and file-write before each of their system calls, and at random times: the file
 * has its complete old or new contents.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>
/* After <sys/ptrace.h>, which uses some of its names. */
#include <linux/ptrace.h>

#include "tests/tools/support.h"
#include "util/clock.h"

TestSuite(kill, .init = scratch_enter, .fini = scratch_leave, .timeout = 240);

/* LeakSanitizer does not work in a traced process, and a killed one leaves nothing to check. */
#define NO_LEAK_CHECK "ASAN_OPTIONS=detect_leaks=0"

/* A tool that stops before and after each of its system calls. */
struct trace {
	struct running running;
	bool begun;    /* it reads its input: everything before is the loader's */
	bool entering; /* entering a call, else leaving it */
	unsigned long number, arguments[6];
};

/* Examine the call at which the tool has stopped. */
static void trace_look(struct trace *trace)
{
	struct ptrace_syscall_info info = { 0 };

	ptrace(PTRACE_GET_SYSCALL_INFO, trace->running.pid, (void *)sizeof(info), &info);
	trace->entering = info.op == PTRACE_SYSCALL_INFO_ENTRY;
	if (!trace->entering)
		return;
	trace->number = (unsigned long)info.entry.nr;
	for (int i = 0; i < 6; i++)
		trace->arguments[i] = (unsigned long)info.entry.args[i];
	if (trace->number == SYS_read && trace->arguments[0] == STDIN_FILENO)
		trace->begun = true;
}

/* Run the tool to its next stop; false if it has ended and call_finish() is due. */
static bool trace_step(struct trace *trace, int signal_number, int *ret_signal)
{
	siginfo_t found = { 0 };
	int status;

	if (ptrace(PTRACE_SYSCALL, trace->running.pid, NULL, (void *)(long)signal_number) < 0)
		return false;
	while (waitid(P_PID, (id_t)trace->running.pid, &found, WEXITED | WSTOPPED | WNOWAIT) < 0)
		cr_assert_eq(errno, EINTR);
	if (found.si_code != CLD_TRAPPED && found.si_code != CLD_STOPPED)
		return false;
	cr_assert_eq(waitpid(trace->running.pid, &status, 0), trace->running.pid);
	*ret_signal = WSTOPSIG(status);
	return true;
}

/* Run to the next system call, before or after it, once the input is being read. */
static bool trace_next(struct trace *trace)
{
	int signal_number = 0;

	do {
		if (!trace_step(trace, signal_number, &signal_number))
			return false;
		if (signal_number == (SIGTRAP | 0x80)) {
			signal_number = 0;
			trace_look(trace);
			if (trace->begun)
				return true;
		}
	} while (true);
}

/* Start a tool; skips where tracing is not allowed. */
static struct trace trace_start(const char *tool, const char *input)
{
	struct trace trace = { .running = call_start(&(struct call){ .tool = tool, .input = input,
		.setting = NO_LEAK_CHECK, .traced = true }) };
	int status;

	cr_assert_eq(waitpid(trace.running.pid, &status, 0), trace.running.pid);
	if (!WIFSTOPPED(status))
		cr_skip("tracing is not allowed here");
	cr_assert_eq(ptrace(PTRACE_SETOPTIONS, trace.running.pid, NULL,
		(void *)(long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)), 0);
	return trace;
}

/* Kill the tool at the stop of that number; false if it ended before. */
static bool kill_at(const char *tool, const char *input, int stop)
{
	struct trace trace = trace_start(tool, input);
	int passed = 0;
	bool alive;

	while ((alive = trace_next(&trace)) && ++passed < stop)
		;
	if (alive)
		kill(trace.running.pid, SIGKILL);
	struct reply reply = call_finish(trace.running);
	if (!alive)
		cr_assert_eq(reply.status, 0, "%s", reply.err.data);
	reply_free(&reply);
	return alive;
}

/* Return which of two texts the file has; fail for any other. */
static int which_text(const char *path, const char *const texts[2], const char *when)
{
	size_t length = strlen(texts[0]) + strlen(texts[1]) + 1;
	char *found = calloc(1, length);
	int fd = open(path, O_RDONLY);
	int which = -1;

	cr_assert_geq(fd, 0, "%s: the file is gone", when);
	ssize_t count = read(fd, found, length);
	close(fd);
	for (int i = 0; i < 2; i++)
		if (count == (ssize_t)strlen(texts[i]) && memcmp(found, texts[i], (size_t)count) == 0)
			which = i;
	cr_assert_geq(which, 0, "%s: neither the old contents nor the new, but %zd bytes", when, count);
	free(found);
	cr_assert_leq(count_names(".ikigai-"), 1, "%s: temporaries pile up", when);
	return which;
}

Test(kill, file_edit_at_each_system_call)
{
	static const char *const texts[2] = { "before A after\n", "before BBBB after\n" };
	static const char *const inputs[2] = {
		"{\"file_path\":\"link\",\"old_string\":\"A\",\"new_string\":\"BBBB\"}",
		"{\"file_path\":\"link\",\"old_string\":\"BBBB\",\"new_string\":\"A\"}",
	};
	struct stat status;
	char when[40];
	int now = 0, stop = 0, changes = 0;
	bool killed = true;

	make_text("a", texts[0]);
	cr_assert_eq(symlink("a", "link"), 0);
	cr_assert_eq(chmod("a", 0640), 0);
	while (killed) {
		int before = now;

		killed = kill_at("file-edit", inputs[before], ++stop);
		snprintf(when, sizeof(when), "killed at stop %d", stop);
		now = which_text("a", texts, when);
		changes += killed && now != before;
		cr_assert_eq(lstat("a", &status), 0);
		cr_assert_eq(status.st_mode, (mode_t)(S_IFREG | 0640), "%s: mode %o", when, status.st_mode);
	}
	cr_assert_gt(stop, 20, "only %d stops were seen", stop);
	cr_assert_gt(changes, 0, "it was never killed after its work was done");
	cr_assert_eq(count_names(".ikigai-"), 0, "the run that was not killed left one");
}

Test(kill, file_write_at_each_system_call)
{
	static const char *const texts[2] = { "the old contents\n", "new\n" };
	static const char *const inputs[2] = {
		"{\"file_path\":\"a\",\"content\":\"new\\n\"}",
		"{\"file_path\":\"a\",\"content\":\"the old contents\\n\"}",
	};
	char when[40];
	int now = 0, stop = 0;
	bool killed = true;

	make_text("a", texts[0]);
	while (killed) {
		killed = kill_at("file-write", inputs[now], ++stop);
		snprintf(when, sizeof(when), "killed at stop %d", stop);
		now = which_text("a", texts, when);
	}
	cr_assert_gt(stop, 20, "only %d stops were seen", stop);
	cr_assert_eq(count_names(".ikigai-"), 0, "the run that was not killed left one");
}

Test(kill, file_write_of_a_new_file_at_each_system_call)
{
	bool killed = true;

	for (int stop = 1; killed; stop++) {
		killed = kill_at("file-write", "{\"file_path\":\"made\",\"content\":\"whole\"}", stop);
		if (access("made", F_OK) == 0) {
			expect_text("made", "whole");
			cr_assert_eq(unlink("made"), 0);
		}
	}
	cr_assert_eq(count_names(".ikigai-"), 0, "the run that was not killed left one");
}

/* Append a letter for a call that affects the disk: w, s or r. */
static void note_call(const struct trace *trace, char *calls, size_t size)
{
	size_t length = strlen(calls);
	char letter = '\0';

	switch (trace->number) {
	case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_pwritev:
		letter = trace->arguments[0] > 2 ? 'w' : '\0';
		break;
	case SYS_fsync: case SYS_fdatasync:
		letter = 's';
		break;
#ifdef SYS_renameat
	case SYS_renameat:
#endif
	case SYS_renameat2:
		letter = 'r';
		break;
	default:
		break;
	}
	if (letter != '\0' && length + 1 < size && (length == 0 || calls[length - 1] != letter))
		calls[length] = letter;
}

Test(kill, what_is_written_is_durable_before_it_is_renamed_and_answered)
{
	static const char *const calls[2][2] = {
		{ "file-write", "{\"file_path\":\"a\",\"content\":\"new\"}" },
		{ "file-edit", "{\"file_path\":\"a\",\"old_string\":\"new\",\"new_string\":\"newer\"}" },
	};

	make_text("a", "old");
	for (int i = 0; i < 2; i++) {
		struct trace trace = trace_start(calls[i][0], calls[i][1]);
		char seen[20] = "";

		while (trace_next(&trace))
			if (trace.entering)
				note_call(&trace, seen, sizeof(seen));
		struct reply reply = call_finish(trace.running);
		cr_assert_eq(reply.status, 0);
		reply_free(&reply);
		/* Written, synced, renamed, and the directory synced. */
		cr_assert_str_eq(seen, "wsrs");
	}
	expect_text("a", "newer");
}

Test(kill, file_edit_of_a_file_that_is_cut_meanwhile)
{
	size_t length = 3000000;
	char *text = malloc(length);
	bool reading = false, cut = false;

	memset(text, 'x', length);
	memcpy(text, "old", 3);
	make_file("a", text, length);
	free(text);
	struct trace trace = trace_start("file-edit",
		"{\"file_path\":\"a\",\"old_string\":\"old\",\"new_string\":\"new text\"}");
	while (trace_next(&trace)) {
		if (trace.entering)
			reading = trace.number == SYS_read && trace.arguments[0] > 2;
		else if (reading && !cut)
			cut = truncate("a", 3) == 0;
	}
	cr_assert(cut, "the file was not read");
	expect_json(call_finish(trace.running),
		"{'output':'Replaced 1 occurrence in a','replacements':1,'line':1}");
	expect_text("a", "new text");
	cr_assert_eq(count_names(".ikigai-"), 0);
}

Test(kill, file_edit_of_a_file_that_somebody_keeps_writing)
{
	int fd, writes = 0;
	off_t length;

	make_text("a", "old\n");
	fd = open("a", O_WRONLY | O_APPEND);
	struct trace trace = trace_start("file-edit",
		"{\"file_path\":\"a\",\"old_string\":\"old\",\"new_string\":\"new\"}");
	while (trace_next(&trace)) {
		/* The new contents are being synced when the old ones change. */
		if (trace.entering && trace.number == SYS_fsync)
			writes += write(fd, "more\n", 5) == 5;
	}
	expect_hint(call_finish(trace.running), "WRITE_FAILED", "Another program keeps writing the file.");
	cr_assert_gt(writes, 1, "it was not tried again");
	length = lseek(fd, 0, SEEK_END);
	close(fd);
	cr_assert_eq(length, 4 + 5 * writes, "what the other one wrote is lost");
	cr_assert_eq(count_names(".ikigai-"), 0);
}

/* Kill runs of a tool after random times up to the length of a whole run. */
static void kill_at_random(const char *tool, const char *const inputs[2], const char *const texts[2])
{
	unsigned seed = (unsigned)getpid();
	int64_t start = ik_clock_ms();
	char when[40];
	int now;

	make_text("a", texts[0]);
	for (int i = 0; i < 4; i++) {
		struct reply reply = call_run(&(struct call){ .tool = tool, .input = inputs[i % 2],
			.setting = NO_LEAK_CHECK });
		reply_free(&reply);
	}
	long usual = (long)(ik_clock_ms() - start) * 1000000 / 4 + 1000000;
	now = which_text("a", texts, "at first");
	for (int i = 0; i < 100; i++) {
		struct running running = call_start(&(struct call){ .tool = tool, .input = inputs[now],
			.setting = NO_LEAK_CHECK });

		nanosleep(&(struct timespec){ .tv_nsec = rand_r(&seed) % (usual + usual / 4) }, NULL);
		kill(running.pid, SIGKILL);
		done(call_finish(running));
		snprintf(when, sizeof(when), "killed run %d", i);
		now = which_text("a", texts, when);
	}
	done(call_run(&(struct call){ .tool = tool, .input = inputs[now] }));
	which_text("a", texts, "at last");
	cr_assert_eq(count_names(".ikigai-"), 0);
}

/* Make a text of that length with one letter in the middle. */
static char *text_with(char letter, size_t length)
{
	char *text = malloc(length + 1);

	memset(text, '.', length);
	text[length] = '\0';
	text[length / 2] = letter;
	return text;
}

Test(kill, file_edit_at_random_instants)
{
	static const char *const inputs[2] = {
		"{\"file_path\":\"a\",\"old_string\":\"A\",\"new_string\":\"B\"}",
		"{\"file_path\":\"a\",\"old_string\":\"B\",\"new_string\":\"A\"}",
	};
	char *texts[2] = { text_with('A', 1500000), text_with('B', 1500000) };

	kill_at_random("file-edit", inputs, (const char *const *)texts);
	free(texts[0]);
	free(texts[1]);
}

Test(kill, file_write_at_random_instants)
{
	char *texts[2] = { text_with('A', 300000), text_with('B', 300000) };
	struct ik_buf inputs[2];

	for (int i = 0; i < 2; i++) {
		ik_buf_init(&inputs[i], SIZE_MAX / 2);
		ik_buf_printf(&inputs[i], "{\"file_path\":\"a\",\"content\":\"%s\"}", texts[1 - i]);
	}
	kill_at_random("file-write", (const char *const[]){ inputs[0].data, inputs[1].data },
		(const char *const *)texts);
	for (int i = 0; i < 2; i++) {
		ik_buf_done(&inputs[i]);
		free(texts[i]);
	}
}
