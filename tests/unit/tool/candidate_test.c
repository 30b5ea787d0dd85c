#include "tool/candidate.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "support.h"
#include "tool/protocol.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

enum { PATIENT_MS = 10000 };

#define NATIVE "echo '{\"name\":\"mine\",\"description\":\"A tool\"}'"
#define KODELET "echo '{\"name\":\"mine\",\"description\":\"A tool\",\"input_schema\":{\"type\":\"object\"}}'"

/* The answers of a file to each question, as lines of shell. */
struct answers {
	const char *schema;
	const char *description;
};

/* Receives what a file is. */
struct told {
	struct ik_loop *loop;
	struct ik_candidate *candidate;
	struct ik_tool tool;
	int times;
};

static void on_done(void *arg, struct ik_tool *tool)
{
	struct told *told = arg;

	told->tool = *tool;
	told->times++;
	told->candidate = ik_candidate_close(told->candidate);
	ik_loop_stop(told->loop);
}

/* Ask a file with these answers; *ret_questions gets the questions ("--schema "). */
static struct ik_tool ask(struct answers answers, struct ik_source_directory_options options,
	char **ret_questions)
{
	char *directory = support_mkdir();
	char *text = ik_format("#!/bin/sh\nprintf '%%s ' \"$1\" >>'%s/asked'\ncase \"$1\" in\n"
		"--schema) %s ;;\ndescription) %s ;;\nesac\n", directory, answers.schema,
		answers.description);
	char *path = support_write_tool(directory, "file", text);
	char *asked = ik_path_join(directory, "asked");
	struct told told = { .loop = support_loop_new() };
	struct ik_error error;
	struct ik_buf questions;

	if (options.timeout_ms == 0)
		options.timeout_ms = PATIENT_MS;
	told.candidate = ik_candidate_new(told.loop, path, NULL, &options, on_done, &told);
	ik_candidate_ask(told.candidate);
	if (told.times == 0)
		support_loop_run(told.loop);
	cr_assert_eq(told.times, 1);
	told.loop = support_loop_free(told.loop);
	ik_buf_init(&questions, IK_KIB(4));
	if (ik_file_read(asked, &questions, &error) != IK_OK)
		ik_buf_puts(&questions, "nothing");
	*ret_questions = ik_buf_take(&questions, NULL);
	free(asked);
	free(path);
	free(text);
	support_rmdir(directory);
	return told.tool;
}

Test(candidate, asks_in_the_order_of_its_directory)
{
	static const struct {
		struct answers answers;
		enum ik_tool_protocol first;
		const char *questions, *name; /* NULL: it failed */
		enum ik_tool_protocol protocol;
	} rows[] = {
		{ { NATIVE, KODELET }, IK_PROTOCOL_NATIVE, "--schema ", "mine", IK_PROTOCOL_NATIVE },
		{ { NATIVE, KODELET }, IK_PROTOCOL_KODELET, "description ", "custom_tool_mine",
			IK_PROTOCOL_KODELET },
		/* A refusal: the other question. */
		{ { "exit 1", KODELET }, IK_PROTOCOL_NATIVE, "--schema description ",
			"custom_tool_mine", IK_PROTOCOL_KODELET },
		{ { NATIVE, "exit 2" }, IK_PROTOCOL_KODELET, "description --schema ", "mine",
			IK_PROTOCOL_NATIVE },
		{ { "kill -SEGV $$", KODELET }, IK_PROTOCOL_NATIVE, "--schema description ",
			"custom_tool_mine", IK_PROTOCOL_KODELET },
		/* Output before a refusal does not count. */
		{ { NATIVE "; exit 1", KODELET }, IK_PROTOCOL_NATIVE, "--schema description ",
			"custom_tool_mine", IK_PROTOCOL_KODELET },
		/* Not JSON: the other question. */
		{ { "echo usage", KODELET }, IK_PROTOCOL_NATIVE, "--schema description ",
			"custom_tool_mine", IK_PROTOCOL_KODELET },
		{ { NATIVE, ":" }, IK_PROTOCOL_KODELET, "description --schema ", "mine",
			IK_PROTOCOL_NATIVE },
		/* Invalid JSON Schema is an answer. */
		{ { "echo '{}'", KODELET }, IK_PROTOCOL_NATIVE, "--schema ", NULL, 0 },
		{ { NATIVE, "echo '[]'" }, IK_PROTOCOL_KODELET, "description ", NULL, 0 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ik_source_directory_options options = { .first = rows[i].first };
		char *questions;
		struct ik_tool tool = ask(rows[i].answers, options, &questions);

		cr_assert_str_eq(questions, rows[i].questions, "row %zu: %s", i, questions);
		if (rows[i].name == NULL) {
			cr_assert_eq(tool.state, IK_TOOL_FAILED, "row %zu", i);
			cr_assert_str_eq(tool.code, "INVALID_SCHEMA");
		} else {
			cr_assert_eq(tool.state, IK_TOOL_OK, "row %zu: %s", i, tool.reason);
			cr_assert_str_eq(tool.name, rows[i].name);
			cr_assert_eq(tool.protocol, rows[i].protocol);
		}
		free(questions);
		ik_tool_clear(&tool);
	}
}

Test(candidate, tells_in_one_sentence_why_neither_question_was_answered)
{
	static const struct {
		struct answers answers;
		const char *code, *reason;
	} rows[] = {
		{ { "echo nope >&2; exit 4", "echo nope >&2; exit 4" }, "SCHEMA_EXIT",
			"exited with status 4 when asked for --schema and for description: nope" },
		{ { "echo nope >&2; exit 4", "exit 4" }, "SCHEMA_EXIT",
			"exited with status 4 when asked for --schema: nope; "
			"then it exited with status 4 when asked for description" },
		{ { ":", "exit 3" }, "INVALID_JSON",
			"printed nothing when asked for --schema; "
			"then it exited with status 3 when asked for description" },
		{ { "exit 3", "echo usage" }, "SCHEMA_EXIT",
			"exited with status 3 when asked for --schema; then it printed something that "
			"is not JSON when asked for description: line 1, column 1: found 'u', expected a value" },
		{ { "exit 3", "head -c 300000 /dev/zero" }, "SCHEMA_TOO_LARGE",
			"exited with status 3 when asked for --schema; then it printed more than "
			"262144 bytes when asked for description" },
		/* An answer in JSON gives the best reason. */
		{ { "exit 3", "echo '{\"name\":\"x\"}'" }, "INVALID_SCHEMA",
			"the member \"description\" is missing from the schema; it has to be a string" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ik_source_directory_options options = { .first = IK_PROTOCOL_NATIVE };
		char *questions;
		struct ik_tool tool = ask(rows[i].answers, options, &questions);

		cr_assert_str_eq(questions, "--schema description ", "row %zu: %s", i, questions);
		cr_assert_eq(tool.state, IK_TOOL_FAILED);
		cr_assert_str_eq(tool.code, rows[i].code, "row %zu: %s", i, tool.code);
		cr_assert_str_eq(tool.reason, rows[i].reason, "row %zu: %s", i, tool.reason);
		free(questions);
		ik_tool_clear(&tool);
	}
}

Test(candidate, takes_silence_for_an_answer)
{
	struct ik_source_directory_options options = { .first = IK_PROTOCOL_NATIVE, .timeout_ms = 100 };
	struct answers first = { "sleep 60", KODELET }, second = { "exit 1", "sleep 60" };
	char *questions;
	struct ik_tool tool = ask(first, options, &questions);

	cr_assert_str_eq(questions, "--schema ");
	cr_assert_str_eq(tool.code, "SCHEMA_TIMEOUT");
	cr_assert_str_eq(tool.reason, "did not answer --schema within 100 ms");
	free(questions);
	ik_tool_clear(&tool);
	/* Only the second question must be late. */
	options.timeout_ms = 1000;
	tool = ask(second, options, &questions);
	cr_assert_str_eq(questions, "--schema description ");
	cr_assert_str_eq(tool.code, "SCHEMA_TIMEOUT", "%s", tool.reason);
	cr_assert_str_eq(tool.reason, "exited with status 1 when asked for --schema; "
		"then it did not answer description within 1000 ms");
	free(questions);
	ik_tool_clear(&tool);
}

Test(candidate, asks_for_kodelets_only_where_they_are_wanted)
{
	struct ik_source_directory_options options = { .first = IK_PROTOCOL_NATIVE, .native_only = true };
	struct answers answers = { "exit 5", KODELET };
	char *questions;
	struct ik_tool tool = ask(answers, options, &questions);

	cr_assert_str_eq(questions, "--schema ");
	cr_assert_str_eq(tool.reason, "exited with status 5 when asked for --schema");
	free(questions);
	ik_tool_clear(&tool);
}

Test(candidate, gives_each_question_its_environment)
{
	const char *const native[] = { "PATH=/usr/bin:/bin", "SIDE=native", NULL };
	const char *const kodelet[] = { "PATH=/usr/bin:/bin", "SIDE=kodelet", NULL };
	struct ik_source_directory_options options = {
		.first = IK_PROTOCOL_NATIVE, .environments = { native, kodelet }
	};
	struct answers answers = {
		"echo \"$SIDE\" >&2; exit 5",
		"echo \"{\\\"name\\\":\\\"x\\\",\\\"description\\\":\\\"$SIDE\\\"}\""
	};
	char *questions;
	struct ik_tool tool = ask(answers, options, &questions);

	cr_assert_eq(tool.state, IK_TOOL_OK, "%s", tool.reason);
	cr_assert_str_eq(tool.description, "kodelet");
	free(questions);
	ik_tool_clear(&tool);
	options.native_only = true;
	tool = ask(answers, options, &questions);
	cr_assert_str_eq(tool.reason, "exited with status 5 when asked for --schema: native");
	free(questions);
	ik_tool_clear(&tool);
}
