/* What all tools do alike with their input and output, shown by file-read. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/tools/support.h"

TestSuite(input, .init = scratch_enter, .fini = scratch_leave, .timeout = 60);

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

Test(input, that_never_ends_is_answered_when_it_can_be_no_object)
{
	struct reply reply = call_run(&(struct call){ .tool = "file-read", .input_endless = true });

	cr_assert_eq(reply.status, 0);
	expect_error_with(reply, "INVALID_ARG", "the input must be a JSON object");
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
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	struct reply reply = call_run(&(struct call){ .tool = "file-read", .output = ends[1],
		.input = "{\"file_path\":\"/etc/passwd\"}" });
	cr_assert_eq(reply.status, 1);
	reply_free(&reply);
}
