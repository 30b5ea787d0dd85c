#include "tool/protocol.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "support.h"
#include "util/alloc.h"
#include "util/limits.h"

#define KODELET IK_TEST_FIXTURES "/kodelet"

static struct ik_tool read_text(const char *text)
{
	struct ik_tool tool;
	enum ik_status status = ik_protocol_read(IK_PROTOCOL_KODELET, text, strlen(text), &tool);

	cr_assert_eq(status == IK_OK, tool.state == IK_TOOL_OK);
	cr_assert_eq(tool.protocol, IK_PROTOCOL_KODELET);
	return tool;
}

Test(kodelet, reads_a_description)
{
	struct ik_tool tool = read_text("{\"name\":\"hello\",\"description\":\"Say hello\",\"more\":1,"
		"\"input_schema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
		"\"age\":{\"type\":\"integer\"}},\"required\":[\"name\"]}}\n");

	cr_assert_eq(tool.state, IK_TOOL_OK, "%s", tool.reason);
	cr_assert_str_eq(tool.name, "custom_tool_hello");
	cr_assert_str_eq(tool.description, "Say hello");
	cr_assert_str_eq(tool.parameters, "{\"type\":\"object\",\"properties\":{\"name\":"
		"{\"type\":\"string\"},\"age\":{\"type\":\"integer\"}},\"required\":[\"name\"]}");
	cr_assert_eq(tool.timeout_s, 0);
	cr_assert_not_null(strstr(tool.schema, "\"more\":1"), "kept as it was written");
	ik_tool_clear(&tool);
	/* The flat spelling, and none. */
	tool = read_text("{\"name\":\"2\",\"description\":\"x\",\"input_schema\":"
		"{\"a\":{\"type\":\"string\",\"required\":true}}}");
	cr_assert_str_eq(tool.name, "custom_tool_2");
	cr_assert_str_eq(tool.parameters, "{\"type\":\"object\",\"properties\":{\"a\":"
		"{\"type\":\"string\"}},\"required\":[\"a\"]}");
	ik_tool_clear(&tool);
	tool = read_text("{\"name\":\"n\",\"description\":\"x\"}");
	cr_assert_str_eq(tool.parameters, "{\"type\":\"object\",\"properties\":{}}");
	ik_tool_clear(&tool);
}

Test(kodelet, refuses_what_is_wrong)
{
	static const struct {
		const char *text, *code, *word;
	} rows[] = {
		{ "", "INVALID_JSON", "printed nothing when asked for description" },
		{ "Usage: hello <command>", "INVALID_JSON", "not JSON when asked for description" },
		{ "[]", "INVALID_SCHEMA", "what it printed for description is of type array" },
		{ "{}", "INVALID_SCHEMA", "\"name\"" },
		{ "{\"name\":\"\",\"description\":\"x\"}", "INVALID_NAME", "1 to 64" },
		{ "{\"name\":\"a b\",\"description\":\"x\"}", "INVALID_NAME", "\"a b\"" },
		{ "{\"name\":\"a\\u0000\",\"description\":\"x\"}", "INVALID_NAME", "" },
		{ "{\"name\":\"a\",\"description\":\"\"}", "INVALID_SCHEMA", "empty" },
		{ "{\"name\":\"a\",\"description\":\"x\",\"input_schema\":[]}", "INVALID_SCHEMA",
			"the member \"input_schema\" of the schema is of type array" },
		{ "{\"name\":\"a\",\"description\":\"x\",\"input_schema\":{\"type\":\"object\","
			"\"properties\":3}}", "INVALID_SCHEMA", "\"input_schema\"" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ik_tool tool = read_text(rows[i].text);

		cr_assert_eq(tool.state, IK_TOOL_FAILED, "%s", rows[i].text);
		cr_assert_str_eq(tool.code, rows[i].code, "%s: %s", rows[i].text, tool.code);
		cr_assert_not_null(strstr(tool.reason, rows[i].word), "%s", tool.reason);
		ik_tool_clear(&tool);
	}
}

Test(kodelet, counts_the_prefix_into_the_length_of_a_name)
{
	static const char fits[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"; /* 52 */
	char *text = ik_format("{\"name\":\"%s\",\"description\":\"x\"}", fits);
	struct ik_tool tool = read_text(text);

	cr_assert_eq(strlen(tool.name), 64);
	ik_tool_clear(&tool);
	free(text);
	text = ik_format("{\"name\":\"%sa\",\"description\":\"x\"}", fits);
	tool = read_text(text);
	cr_assert_str_eq(tool.code, "INVALID_NAME");
	cr_assert_not_null(strstr(tool.reason, "\"custom_tool_\""), "%s", tool.reason);
	ik_tool_clear(&tool);
	free(text);
}

Test(kodelet, knows_the_report_of_a_failure)
{
	static const struct {
		const char *answer, *words; /* NULL: it is none */
	} rows[] = {
		{ "{\"error\":\"it failed\"}", "it failed" },
		{ "{\"error\":\"it failed\",\"details\":\"badly\"}", "it failed: badly" },
		{ "{ \"details\" : \"b\\u00e4dly\" , \"error\" : \"it\\nfailed\" }", "it\nfailed: b\303\244dly" },
		{ "{\"error\":{\"code\":7},\"details\":[1, 2]}", "{\"code\":7}: [1, 2]" },
		{ "{\"error\":\"x\",\"output\":\"y\"}", NULL },
		{ "{\"error\":\"x\",\"details\":\"y\",\"more\":0}", NULL },
		{ "{\"details\":\"y\"}", NULL },
		{ "{}", NULL },
		{ "[\"error\"]", NULL },
		{ "\"error\"", NULL },
		{ "42", NULL },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ik_json_span answer;
		struct ik_buf words;
		bool failure;

		ik_buf_init(&words, IK_KIB(4));
		cr_assert_eq(ik_json_check(rows[i].answer, strlen(rows[i].answer), &answer, NULL), IK_OK);
		failure = ik_protocol_kodelet_failure(answer, 1000, &words);
		cr_assert_eq(failure, rows[i].words != NULL, "%s", rows[i].answer);
		cr_assert_str_eq(words.data, failure ? rows[i].words : "");
		ik_buf_done(&words);
	}
}

/* What a call gives. */
struct wanted {
	const char *name, *arguments, *envelope;
	int exit_code;
	bool success;
};

static void check_call(struct ik_loop *loop, struct ik_registry *registry,
	const struct ik_run_options *options, const struct wanted *wanted)
{
	struct support_outcome outcome = support_call(loop, registry, wanted->name,
		wanted->arguments, options);

	cr_assert_str_eq(outcome.envelope, wanted->envelope, "%s %s: %s", wanted->name,
		wanted->arguments, outcome.envelope);
	cr_assert_eq(outcome.exit_code, wanted->exit_code);
	cr_assert_eq(outcome.success, wanted->success);
	support_outcome_done(&outcome);
}

Test(kodelet, wraps_each_outcome)
{
	static const struct wanted rows[] = {
		{ "custom_tool_error_tool", "{}",
			"{\"tool_success\":true,\"result\":{\"output\":\"All is well.\\n\"}}", 0, true },
		{ "custom_tool_error_tool", "{\"should_fail\":true}",
			"{\"tool_success\":false,\"error\":\"Tool 'custom_tool_error_tool' failed: Failed to "
			"process request: Invalid input format\",\"error_code\":\"TOOL_CRASHED\","
			"\"exit_code\":0,\"stdout\":\"{\\\"error\\\": \\\"Failed to process request\\\", "
			"\\\"details\\\": \\\"Invalid input format\\\"}\\n\",\"stderr\":\"\"}", 0, false },
		{ "custom_tool_error_tool", "{\"mode\":\"report_and_exit\"}",
			"{\"tool_success\":false,\"error\":\"Tool 'custom_tool_error_tool' crashed with exit "
			"code 3\",\"error_code\":\"TOOL_CRASHED\",\"exit_code\":3,\"stdout\":\"{\\\"error\\\": "
			"\\\"Failed to process request\\\", \\\"details\\\": \\\"Invalid input format\\\"}\\n\","
			"\"stderr\":\"\"}", 3, false },
		{ "custom_tool_error_tool", "{\"mode\":\"exit\"}",
			"{\"tool_success\":false,\"error\":\"Tool 'custom_tool_error_tool' crashed with exit "
			"code 7\",\"error_code\":\"TOOL_CRASHED\",\"exit_code\":7,\"stdout\":\"\","
			"\"stderr\":\"error_tool: it went wrong\\n\"}", 7, false },
		{ "custom_tool_error_tool", "{\"mode\":\"signal\"}",
			"{\"tool_success\":false,\"error\":\"Tool 'custom_tool_error_tool' crashed with exit "
			"code 139\",\"error_code\":\"TOOL_CRASHED\",\"exit_code\":139,\"stdout\":\"\","
			"\"stderr\":\"\"}", 139, false },
		{ "custom_tool_error_tool", "{\"mode\":\"more_members\"}",
			"{\"tool_success\":true,\"result\":{\"error\": null, \"answer\": 42}}", 0, true },
		{ "error_tool", "{}",
			"{\"tool_success\":false,\"error\":\"Tool 'error_tool' not found\","
			"\"error_code\":\"TOOL_NOT_FOUND\",\"exit_code\":null,\"stdout\":\"\","
			"\"stderr\":\"\"}", -1, false },
	};
	struct ik_loop *loop = support_loop_new();
	const char *const directories[] = { KODELET, NULL };
	struct ik_registry *registry = support_scan(loop, IK_SOURCE_SYSTEM, 30000, directories);
	struct ik_run_options options = support_options(loop);
	struct support_outcome outcome;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_call(loop, registry, &options, &rows[i]);
	outcome = support_call(loop, registry, "custom_tool_error_tool", "{\"mode\":\"unheard of\"}",
		&options);
	cr_assert_not_null(strstr(outcome.envelope, "INVALID_PARAMS"), "%s", outcome.envelope);
	cr_assert_not_null(strstr(outcome.envelope, "/mode"), "%s", outcome.envelope);
	support_outcome_done(&outcome);
	registry = ik_registry_unref(registry);
	loop = support_loop_free(loop);
}

#define ANSWERS(name, run) "#!/bin/sh\nif [ \"$1\" = description ]; then\n" \
	"echo '{\"name\":\"" name "\",\"description\":\"A tool\"}'; exit\nfi\n" \
	"[ \"$1\" = run ] || exit 1\n" run "\n"

Test(kodelet, holds_its_tools_to_their_own_limits)
{
	struct ik_loop *loop = support_loop_new();
	char *directory = support_mkdir();
	const char *const directories[] = { directory, NULL };
	const char *const environment[] = { "PATH=/usr/bin:/bin", "ONLY=this", NULL };
	const char *const native[] = { "PATH=/usr/bin:/bin", "OTHER=that", NULL };
	struct ik_run_options options = support_options(loop);
	struct ik_registry *registry;
	struct support_outcome outcome;

	free(support_write_tool(directory, "slow", ANSWERS("slow", "sleep 60")));
	free(support_write_tool(directory, "long", ANSWERS("long", "yes | head -c 5000")));
	free(support_write_tool(directory, "fails",
		ANSWERS("fails", "printf '{\"error\":\"no\",\"details\":\"%05000d\"}' 0 | tr 0 y")));
	free(support_write_tool(directory, "environment",
		ANSWERS("environment", "echo \"$ONLY|$OTHER|$IKIGAI_LIVE\"")));
	registry = support_scan(loop, IK_SOURCE_USER, 10000, directories);
	options.environment = native;
	options.kodelet.environment = environment;
	options.kodelet.timeout_ms = 10000;
	options.kodelet.output_limit = 1000;
	outcome = support_call(loop, registry, "custom_tool_environment", "", &options);
	cr_assert_str_eq(outcome.envelope,
		"{\"tool_success\":true,\"result\":{\"output\":\"this||\\n\"}}");
	support_outcome_done(&outcome);
	outcome = support_call(loop, registry, "custom_tool_long", "{}", &options);
	cr_assert(outcome.success && outcome.truncated);
	cr_assert_not_null(strstr(outcome.envelope, "bytes"));
	cr_assert_not_null(strstr(outcome.envelope, "\"},\"truncated\":true}"));
	cr_assert_lt(strlen(outcome.envelope), 1100);
	cr_assert_eq(outcome.output_length, 5000, "all of it is kept");
	support_outcome_done(&outcome);
	/* A failure is recognised before it is cut. */
	outcome = support_call(loop, registry, "custom_tool_fails", "{}", &options);
	cr_assert(!outcome.success && outcome.truncated);
	cr_assert_not_null(strstr(outcome.envelope, "\"Tool 'custom_tool_fails' failed: no: yyy"),
		"%s", outcome.envelope);
	cr_assert_not_null(strstr(outcome.envelope, "\"stdout\":\"{\\\"error\\\":\\\"no"));
	support_outcome_done(&outcome);
	options.kodelet.timeout_ms = 100;
	outcome = support_call(loop, registry, "custom_tool_slow", "{}", &options);
	cr_assert_not_null(strstr(outcome.envelope,
		"\"Tool 'custom_tool_slow' timed out after 0.1s\",\"error_code\":\"TOOL_TIMEOUT\""),
		"%s", outcome.envelope);
	support_outcome_done(&outcome);
	registry = ik_registry_unref(registry);
	support_rmdir(directory);
	loop = support_loop_free(loop);
}
