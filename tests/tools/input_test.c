/* What all tools do alike with their input and output, tested with file-read. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/support/sanitized.h"
#include "tests/tools/support.h"

TestSuite(input, .init = scratch_enter, .fini = scratch_leave, .timeout = 180);

Test(input, refuses_what_is_no_object)
{
	static const char *const wrong[] = { "", " \n", "[]", "3", "null", "\"x\"", "{", "{}x",
		"{\"file_path\":}", "{'file_path':'x'}", "garbage", "\x01\x02", "{\"file_path\":\"\xff\"}",
		"{\"file_path\":\"\\ud800\"}" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct reply reply = call_run(&(struct call){ .tool = "file-read", .input = wrong[i] });

		cr_assert_eq(reply.status, 0);
		cr_assert_not_null(reply.json.text, "no answer to %s", wrong[i]);
		expect_error_with(reply, "INVALID_ARG", "the input must be a JSON object");
	}
}

Test(input, names_the_parameter)
{
	expect_error(ask("file-read", "{}"), "INVALID_ARG",
		"file_path is missing, it must be a string");
	expect_error(ask("file-read", "{'file_path':3}"), "INVALID_ARG",
		"file_path must be a string, but is 3");
	expect_error(ask("file-read", "{'file_path':null}"), "INVALID_ARG",
		"file_path must be a string, but is null");
	expect_error(ask("file-read", "{'file_path':['x']}"), "INVALID_ARG",
		"file_path must be a string, but is an array");
	expect_error(ask("file-read", "{'file_path':'x','limit':'ten'}"), "INVALID_ARG",
		"limit must be an integer of at least 1, but is \"ten\"");
	expect_error(ask("file-read", "{'file_path':'x','offset':1.5}"), "INVALID_ARG",
		"offset must be an integer of at least 1, but is 1.5");
	expect_error(ask("file-read", "{'file_path':'x','offset':99999999999999999999}"), "INVALID_ARG",
		"offset must be an integer of at least 1, but is 99999999999999999999");
	expect_error(ask("file-edit",
		"{'file_path':'x','old_string':'a','new_string':'b','replace_all':'yes'}"),
		"INVALID_ARG", "replace_all must be true or false, but is \"yes\"");
	expect_error(ask("file-read", "{'file_path':'x','file_path':'y'}"), "INVALID_ARG",
		"file_path is given more than once");
	expect_error(ask("file-read", "{'file_path':'a\\u0000b'}"), "INVALID_ARG",
		"file_path must not contain a NUL character");
	expect_error(ask("file-read", "{'file_path':'x','lines':1}"), "INVALID_ARG",
		"unknown parameter: lines");
	expect_hint(ask("file-read", "{'file_path':'x','ofset':1}"), "INVALID_ARG",
		"Did you mean offset?");
}

Test(input, shortens_a_long_value_at_a_character)
{
	struct ik_buf value;

	ik_buf_init(&value, 10000);
	for (int i = 0; i < 500; i++)
		ik_buf_puts(&value, "é");
	expect_error_with(ask("file-read", "{'file_path':'x','limit':'%s'}", value.data),
		"INVALID_ARG", "é…");
	ik_buf_done(&value);
}

Test(input, takes_escapes_in_names_and_integers_in_any_spelling)
{
	make_text("a", "1\n2\n3\n");
	expect_json(ask("file-read", "{'file\\u005fpath':'\\u0061','offset':2.0,'limit':1e0}"),
		"{'output':'2\\n'}");
}

Test(input, reads_64_megabytes)
{
	size_t length = (size_t)64 << 20;
	char *content = malloc(length + 1);

	memset(content, 'x', length);
	content[length] = '\0';
	expect_json(ask("file-write", "{'file_path':'big','content':'%s'}", content),
		"{'output':'Wrote 67108864 bytes to big','bytes':67108864}");
	expect_file("big", content, length);
	free(content);
}

Test(input, that_never_ends_is_answered_at_the_limit)
{
	static const char beginning[] = "{\"file_path\":\"a\",\"content\":\"";
	int fd = open("endless", O_RDWR | O_CREAT, 0600);

	/* 16 GiB: finite, but much more than fits into memory. */
	cr_assert_eq(write(fd, beginning, sizeof(beginning) - 1), (ssize_t)sizeof(beginning) - 1);
	cr_assert_eq(ftruncate(fd, (off_t)16 << 30), 0);
	lseek(fd, 0, SEEK_SET);
	struct reply reply = call_run(&(struct call){ .tool = "file-write", .stdin_fd = fd });
	close(fd);
	cr_assert_eq(reply.status, 0);
	/* While the buffer grows, the old and the new one may both exist, as they do with a sanitizer. */
	if (!SANITIZED)
		cr_assert_lt(reply.peak_kib, 2 * 1024 * 1024);
	expect_error_with(reply, "INVALID_ARG", "the most that is taken");
	cr_assert_neq(access("a", F_OK), 0);
}

Test(input, white_space_around_the_object_is_json)
{
	static const char object[] = "{ \"file_path\"\t:\r\n\"a\" }";
	size_t length = 300000;
	char *input = malloc(length);

	make_text("a", "x");
	memset(input, ' ', length);
	memcpy(input + length - 3000, object, sizeof(object) - 1);
	struct reply reply = call_run(&(struct call){ .tool = "file-read", .input = input,
		.input_length = length });
	expect_json(reply, "{'output':'x'}");
	reply = call_run(&(struct call){ .tool = "file-read", .input = input, .input_length = 200000 });
	expect_error(reply, "INVALID_ARG", "the input must be a JSON object, but is empty");
	free(input);
}

Test(input, that_does_not_fit_into_memory)
{
	/* Fits once, as it is read, but not twice; does not fit at all. */
	static const int lengths[] = { 30000000, 100000000 };
	struct ik_buf input;

	if (SANITIZED)
		cr_skip("a sanitizer needs more address space than a limit leaves");
	for (int i = 0; i < 2; i++) {
		ik_buf_init(&input, SIZE_MAX / 2);
		ik_buf_puts(&input, "{\"file_path\":\"a\",\"content\":\"");
		memset(ik_buf_reserve(&input, (size_t)lengths[i]), 'x', (size_t)lengths[i]);
		ik_buf_commit(&input, (size_t)lengths[i]);
		ik_buf_puts(&input, "\"}");
		make_file("input", input.data, input.length);
		ik_buf_done(&input);
		struct reply reply = ask("bash", "{'command':'ulimit -v 60000; "
			"exec %s/libexec/file-write <input'}", getenv("IK_TOP_BUILDDIR"));
		cr_assert_not_null(strstr(reply.out.data, "OUT_OF_MEMORY"), "%s", reply.out.data);
		cr_assert_not_null(strstr(reply.out.data, "\"exit_code\":0}"), "%s", reply.out.data);
		reply_free(&reply);
		cr_assert_neq(access("a", F_OK), 0);
	}
}

Test(input, that_cannot_be_read)
{
	int directory = open(".", O_RDONLY);

	expect_error(call_run(&(struct call){ .tool = "file-read", .stdin_fd = directory }),
		"INVALID_ARG", "stdin cannot be read: Is a directory");
	expect_error(call_run(&(struct call){ .tool = "file-read", .stdin_fd = -1 }),
		"INVALID_ARG", "the input must be a JSON object, but is empty");
	close(directory);
}

Test(input, comes_late_and_in_pieces_through_a_pipe_that_does_not_block)
{
	static const char input[] = "{\"file_path\":\"\xc3\xa4\"}";
	int ends[2];

	make_text("ä", "x");
	cr_assert_eq(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	struct running running = call_start(&(struct call){ .tool = "file-read",
		.stdin_fd = ends[0] });
	for (size_t i = 0; i < sizeof(input) - 1; i++) {
		const struct timespec pause = { .tv_nsec = 1000000 };

		cr_assert_eq(write(ends[1], input + i, 1), 1);
		nanosleep(&pause, NULL);
	}
	close(ends[1]);
	close(ends[0]);
	expect_json(call_finish(running), "{'output':'x'}");
}

Test(input, an_answer_waits_for_a_pipe_that_does_not_block)
{
	size_t length = 3000000, got = 0;
	char *content = malloc(length);
	int ends[2];

	memset(content, 'x', length);
	make_file("large", content, length);
	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	cr_assert_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	struct running running = call_start(&(struct call){ .tool = "file-read", .output = ends[1],
		.input = "{\"file_path\":\"large\"}" });
	close(ends[1]);
	for (ssize_t count; (count = read(ends[0], content, length)) > 0;)
		got += (size_t)count;
	close(ends[0]);
	cr_assert_eq(got, length + strlen("{\"output\":\"\"}"));
	struct reply reply = call_finish(running);
	cr_assert_eq(reply.status, 0);
	reply_free(&reply);
	free(content);
}

Test(input, closed_stdout_is_an_error_before_anything_is_done)
{
	struct reply reply = call_run(&(struct call){ .tool = "file-write", .output = -1,
		.input = "{\"file_path\":\"made\",\"content\":\"x\"}" });

	cr_assert_neq(reply.status, 0);
	cr_assert_gt(reply.err.length, 0);
	cr_assert_neq(access("made", F_OK), 0);
	reply_free(&reply);
}

Test(input, full_stdout_is_an_error)
{
	static const char *const tools[] = { "bash", "file-read", "file-write", "file-edit", "glob",
		"grep" };
	int full = open("/dev/full", O_WRONLY);

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		struct reply reply = call_run(&(struct call){ .tool = tools[i], .input = "{}",
			.output = full });
		cr_assert_eq(reply.status, 1);
		cr_assert_not_null(strstr(reply.err.data, "No space left"));
		reply_free(&reply);
		reply = call_run(&(struct call){ .tool = tools[i], .option = "--schema", .output = full });
		cr_assert_eq(reply.status, 1);
		reply_free(&reply);
	}
	close(full);
}

Test(input, closed_pipe_is_an_error_not_a_signal)
{
	/* With an answer of one write, and with one of many. */
	static const struct call calls[] = {
		{ .tool = "file-read", .input = "{\"file_path\":\"/etc/passwd\"}" },
		{ .tool = "file-read", .input = "{\"file_path\":\"large\"}" },
		{ .tool = "file-read", .option = "--help" },
		{ .tool = "file-write", .input = "{\"file_path\":\"a\",\"content\":\"x\"}" },
		{ .tool = "file-edit", .input = "{}" },
		{ .tool = "glob", .input = "{\"pattern\":\"*\"}" },
		{ .tool = "grep", .input = "{\"pattern\":\"x\"}" },
		{ .tool = "bash", .input = "{\"command\":\"cat large\"}" },
	};
	char *content = malloc(3000000);

	memset(content, 'x', 3000000);
	make_file("large", content, 3000000);
	free(content);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct call call = calls[i];
		int ends[2];

		cr_assert_eq(pipe(ends), 0);
		close(ends[0]);
		call.output = ends[1];
		struct reply reply = call_run(&call);
		close(ends[1]);
		cr_assert_eq(reply.status, 1, "call %zu: %d", i, reply.status);
		cr_assert_not_null(strstr(reply.err.data, "Broken pipe"), "call %zu", i);
		reply_free(&reply);
	}
}

Test(input, closed_stdout_and_stderr)
{
	static const char *const tools[] = { "bash", "file-read", "file-write", "file-edit", "glob",
		"grep" };

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		struct reply reply = call_run(&(struct call){ .tool = tools[i], .output = -1,
			.input = "{}" });
		cr_assert_eq(reply.status, 1);
		cr_assert_not_null(strstr(reply.err.data, "standard output is closed"));
		reply_free(&reply);
	}
}
