#include "tool/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "loop/children.h"
#include "support.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

#include "../../support/needs.h"

static const char *const FIXTURE_TOOLS[] = { FIXTURES "/good", FIXTURES "/unruly", NULL };

struct fixture {
	struct ik_loop *loop;
	struct ik_registry *registry;
};

static struct fixture begin(void)
{
	struct fixture fixture = { .loop = support_loop_new() };

	fixture.registry =
		support_scan(fixture.loop, IK_SOURCE_SYSTEM, 10000, FIXTURE_TOOLS);
	cr_assert_eq(ik_registry_failed_count(fixture.registry), 0);
	return fixture;
}

static void end(struct fixture *fixture)
{
	fixture->registry = ik_registry_unref(fixture->registry);
	fixture->loop = support_loop_free(fixture->loop);
}

/* Expect exactly this envelope. */
static void answers(struct fixture *fixture, const char *name, const char *arguments,
	const char *envelope)
{
	struct support_outcome outcome =
		support_call(fixture->loop, fixture->registry, name, arguments, NULL);

	cr_assert_str_eq(outcome.envelope, envelope);
	cr_assert_eq(outcome.success, strstr(envelope, "\"tool_success\":true") != NULL);
	support_outcome_done(&outcome);
}

Test(run, wraps_answers_as_they_came)
{
	struct fixture fixture = begin();

	answers(&fixture, "weather", "{\"city\":\"Berlin\"}",
		"{\"tool_success\":true,\"result\":{\"output\":\"sunny, 21 degrees\"}}");
	answers(&fixture, "echo", "{\"n\":9007199254740993,\"n\":1,\"s\":\"\\u0000\"}",
		"{\"tool_success\":true,\"result\":{\"n\":9007199254740993,\"n\":1,\"s\":\"\\u0000\"}}");
	answers(&fixture, "exact", "{}", "{\"tool_success\":true,\"result\":"
		"{\"big\":9007199254740993,\"real\":0.30000000000000004,\"twice\":1,\"twice\":2,"
		"\"nul\":\"a\\u0000b\",\"huge\":1e400}}");
	answers(&fixture, "invalid_utf8", "{}", "{\"tool_success\":true,\"result\":"
		"{\"output\":\"a\357\277\275b\357\277\275(c\\ufffdd\"}}");
	end(&fixture);
}

Test(run, takes_nothing_for_no_arguments)
{
	struct fixture fixture = begin();

	answers(&fixture, "echo", "", "{\"tool_success\":true,\"result\":{}}");
	answers(&fixture, "echo", " \n\t", "{\"tool_success\":true,\"result\":{}}");
	answers(&fixture, "echo", " {\"a\": 1} ", "{\"tool_success\":true,\"result\":{\"a\": 1}}");
	end(&fixture);
}

/* Expect a failure with that code, message and exit code. */
static void fails(struct fixture *fixture, const char *name, const char *arguments,
	const struct ik_run_options *options, const char *message, const char *code,
	const char *exit_code)
{
	struct support_outcome outcome =
		support_call(fixture->loop, fixture->registry, name, arguments, options);
	char *beginning = ik_format("{\"tool_success\":false,\"error\":\"%s\",\"error_code\":\"%s\","
		"\"exit_code\":%s,\"stdout\":\"", message, code, exit_code);

	cr_assert_eq(strncmp(outcome.envelope, beginning, strlen(beginning)), 0, "%s, not %s",
		outcome.envelope, beginning);
	cr_assert_not(outcome.success);
	cr_assert_eq(outcome.exit_code,
		strcmp(exit_code, "null") == 0 ? -1 : (int)strtol(exit_code, NULL, 10));
	free(beginning);
	support_outcome_done(&outcome);
}

Test(run, says_what_went_wrong)
{
	struct fixture fixture = begin();
	struct ik_run_options quick = support_options(fixture.loop);

	quick.timeout_ms = 300;
	fails(&fixture, "absent", "{}", NULL, "Tool 'absent' not found", "TOOL_NOT_FOUND", "null");
	fails(&fixture, "crashes", "{}", NULL, "Tool 'crashes' crashed with exit code 139",
		"TOOL_CRASHED", "139");
	fails(&fixture, "exit3", "{}", NULL, "Tool 'exit3' crashed with exit code 3",
		"TOOL_CRASHED", "3");
	fails(&fixture, "prints_nothing", "{}", NULL, "Tool 'prints_nothing' returned invalid JSON",
		"INVALID_OUTPUT", "0");
	fails(&fixture, "two_values", "{}", NULL, "Tool 'two_values' returned invalid JSON",
		"INVALID_OUTPUT", "0");
	fails(&fixture, "binary_garbage", "{}", NULL,
		"Tool 'binary_garbage' returned invalid JSON", "INVALID_OUTPUT", "0");
	fails(&fixture, "slow", "{\"seconds\":60}", &quick, "Tool 'slow' timed out after 0.3s",
		"TOOL_TIMEOUT", "null");
	fails(&fixture, "closes_stdout", "{}", &quick,
		"Tool 'closes_stdout' timed out after 0.3s", "TOOL_TIMEOUT", "null");
	fails(&fixture, "answers_on_term", "{}", &quick,
		"Tool 'answers_on_term' timed out after 0.3s", "TOOL_TIMEOUT", "null");
	end(&fixture);
}

Test(run, keeps_the_streams_of_a_failure)
{
	struct fixture fixture = begin();

	answers(&fixture, "exit3", "{}", "{\"tool_success\":false,"
		"\"error\":\"Tool 'exit3' crashed with exit code 3\",\"error_code\":\"TOOL_CRASHED\","
		"\"exit_code\":3,\"stdout\":\"\",\"stderr\":\"no configuration found\\n\"}");
	answers(&fixture, "absent", "{}", "{\"tool_success\":false,"
		"\"error\":\"Tool 'absent' not found\",\"error_code\":\"TOOL_NOT_FOUND\","
		"\"exit_code\":null,\"stdout\":\"\",\"stderr\":\"\"}");
	end(&fixture);
}

/* Expect that the arguments are refused and no process is started. */
static void refuses(struct fixture *fixture, const char *name, const char *arguments,
	const char *words)
{
	struct support_outcome outcome =
		support_call(fixture->loop, fixture->registry, name, arguments, NULL);

	cr_assert_not_null(strstr(outcome.envelope, "\"error_code\":\"INVALID_PARAMS\","
		"\"exit_code\":null,\"stdout\":\"\",\"stderr\":\"\"}"), "%s", outcome.envelope);
	cr_assert_not_null(strstr(outcome.envelope, words), "%s", outcome.envelope);
	cr_assert_eq(outcome.exit_code, -1);
	support_outcome_done(&outcome);
}

Test(run, refuses_wrong_arguments_without_a_process)
{
	struct fixture fixture = begin();

	refuses(&fixture, "weather", "{\"city\":", "line 1");
	refuses(&fixture, "weather", "{\"city\":\"\377\"}", "line 1");
	refuses(&fixture, "weather", "[]", "array");
	refuses(&fixture, "weather", "{} {}", "line 1");
	refuses(&fixture, "weather", "{}", "city");
	refuses(&fixture, "weather", "{\"city\":5}", "/city");
	refuses(&fixture, "slow", "{\"seconds\":\"5\"}", "/seconds");
	end(&fixture);
}

Test(run, says_why_a_tool_could_not_be_started)
{
	struct fixture fixture = { .loop = support_loop_new() };
	char *directory = support_mkdir();
	const char *const directories[] = { directory, NULL };
	char *path = support_write_tool(directory, "gone",
		"#!/bin/sh\necho '{\"name\":\"gone\",\"description\":\"d\"}'\n");
	struct support_outcome outcome;

	fixture.registry = support_scan(fixture.loop, IK_SOURCE_USER, 10000, directories);
	cr_assert_not_null(ik_registry_find(fixture.registry, "gone"));
	unlink(path);
	outcome = support_call(fixture.loop, fixture.registry, "gone", "{}", NULL);
	cr_assert_not_null(strstr(outcome.envelope, "\"error_code\":\"SPAWN_FAILED\","
		"\"exit_code\":null"), "%s", outcome.envelope);
	cr_assert_not_null(strstr(outcome.envelope, path), "%s", outcome.envelope);
	support_outcome_done(&outcome);
	free(path);
	support_rmdir(directory);
	end(&fixture);
}

Test(run, takes_the_configurations_time_out_before_the_tools_own_before_the_general_one)
{
	struct fixture fixture = { .loop = support_loop_new() };
	char *directory = support_mkdir();
	const char *const directories[] = { directory, NULL };
	struct ik_run_options options = support_options(fixture.loop);
	const struct ik_tool_timeout timeouts[] = { { (char[]){ "other" }, 1 }, { (char[]){ "sleeper" }, 2 } };

	free(support_write_tool(directory, "sleeper", "#!/bin/sh\n[ \"$1\" = --schema ] && exec echo "
		"'{\"name\":\"sleeper\",\"description\":\"d\",\"timeout_s\":1}'\nexec sleep 300\n"));
	fixture.registry = support_scan(fixture.loop, IK_SOURCE_USER, 10000, directories);
	fails(&fixture, "sleeper", "{}", &options, "Tool 'sleeper' timed out after 1s",
		"TOOL_TIMEOUT", "null");
	options.timeouts = timeouts;
	options.timeout_count = 2;
	fails(&fixture, "sleeper", "{}", &options, "Tool 'sleeper' timed out after 2s",
		"TOOL_TIMEOUT", "null");
	support_rmdir(directory);
	end(&fixture);
}

Test(run, tells_the_tool_its_surroundings)
{
	struct fixture fixture = begin();
	struct ik_run_options options = support_options(fixture.loop);
	const char *const secrets[] = { "IKIGAI_TEST_SECRET", NULL };
	char **environment;
	struct support_outcome outcome;

	setenv("IKIGAI_TEST_SECRET", "sk-1", 1);
	environment = ik_environment_for_tools(secrets, NULL);
	options.environment = (const char *const *)environment;
	options.directory = "/usr";
	outcome = support_call(fixture.loop, fixture.registry, "surroundings", "{}", &options);
	cr_assert_str_eq(outcome.envelope, "{\"tool_success\":true,\"result\":"
		"{\"directory\":\"/usr\",\"live\":\"1\",\"secret\":\"\"}}");
	support_outcome_done(&outcome);
	environment = ik_environment_free(environment);
	end(&fixture);
}

Test(run, passes_output_on_and_keeps_it)
{
	struct fixture fixture = begin();
	struct support_outcome outcome =
		support_call(fixture.loop, fixture.registry, "noisy", "{}", NULL);

	cr_assert(outcome.success);
	cr_assert_str_eq(outcome.envelope,
		"{\"tool_success\":true,\"result\":{\"output\":\"done\"}}");
	cr_assert_eq(outcome.errors_length, 1000000);
	cr_assert_eq(outcome.live, 1000000 + strlen("{\"output\":\"done\"}\n"));
	cr_assert_not(outcome.truncated);
	support_outcome_done(&outcome);
	end(&fixture);
}

Test(run, carries_large_arguments_both_ways)
{
	struct fixture fixture = begin();
	struct ik_run_options options = support_options(fixture.loop);
	size_t length = 3 * 1000 * 1000;
	char *text = ik_alloc(length + 1);
	char *arguments;
	struct support_outcome outcome;

	memset(text, 'a', length);
	arguments = ik_format("{\"text\":\"%s\"}", text);
	options.output_limit = IK_MIB(4);
	outcome = support_call(fixture.loop, fixture.registry, "echo", arguments, &options);
	cr_assert(outcome.success);
	cr_assert_not(outcome.truncated);
	cr_assert_eq(outcome.output_length, strlen(arguments));
	cr_assert_str_eq(outcome.output, arguments);
	support_outcome_done(&outcome);
	/* A tool that does not read its input has not failed. */
	outcome = support_call(fixture.loop, fixture.registry, "reads_nothing", arguments, NULL);
	cr_assert(outcome.success, "%s", outcome.envelope);
	support_outcome_done(&outcome);
	free(text);
	free(arguments);
	end(&fixture);
}

Test(run, cuts_what_the_model_gets_and_keeps_the_rest)
{
	struct fixture fixture = begin();
	struct support_outcome outcome =
		support_call(fixture.loop, fixture.registry, "huge_output", "{}", NULL);

	cr_assert(outcome.success);
	cr_assert(outcome.truncated);
	cr_assert_leq(strlen(outcome.envelope), IK_LIMIT_MODEL_OUTPUT + 100);
	/* An answer that is too large to be read in one turn of the loop is text. */
	cr_assert_eq(strncmp(outcome.envelope, "{\"tool_success\":true,\"result\":{\"output\":\"{\\\"", 44),
		0, "%.100s", outcome.envelope);
	cr_assert_eq(outcome.output_length, 50000000 + strlen("{\"output\":\"\"}"));
	support_outcome_done(&outcome);
	end(&fixture);
}

Test(run, drains_what_it_does_not_keep)
{
	struct fixture fixture = begin();
	struct ik_run_options options = support_options(fixture.loop);
	struct support_outcome outcome;

	options.timeout_ms = 8000; /* in which even a slow machine prints too much */
	outcome = support_call(fixture.loop, fixture.registry, "endless_output", "{}", &options);
	cr_assert_not_null(strstr(outcome.envelope, "TOOL_TIMEOUT"));
	cr_assert_leq(outcome.output_length, IK_LIMIT_TOOL_OUTPUT);
	cr_assert_gt(outcome.live, outcome.output_length, "it wrote no more than is kept");
	cr_assert(outcome.truncated);
	support_outcome_done(&outcome);
	end(&fixture);
}

Test(run, does_not_wait_for_what_a_tool_leaves_behind)
{
	struct fixture fixture = begin();
	struct support_outcome outcome;

	outcome = support_call(fixture.loop, fixture.registry, "holds_pipes", "{}", NULL);
	cr_assert(outcome.success, "%s", outcome.envelope);
	support_outcome_done(&outcome);
	outcome = support_call(fixture.loop, fixture.registry, "leaves_session", "{}", NULL);
	cr_assert(outcome.success, "%s", outcome.envelope);
	support_outcome_done(&outcome);
	need_reaper();
	cr_assert_gt(ik_children_orphans(fixture.loop), 0);
	ik_children_end(fixture.loop);
	cr_assert_eq(support_children(), 0);
	end(&fixture);
}

/* A call that is cancelled, or closed, with its first output. */
struct live {
	struct ik_loop *loop;
	struct ik_run *run;
	bool close;
	int done;
	char *envelope;
};

static void live_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct live *live = arg;

	if (live->close) {
		live->run = ik_run_close(live->run);
		ik_loop_stop(live->loop);
	} else {
		ik_run_cancel(live->run);
	}
}

static void live_done(void *arg, const struct ik_run_result *result)
{
	struct live *live = arg;

	live->done++;
	live->envelope = ik_strndup(result->envelope, result->envelope_length);
	live->run = ik_run_close(live->run);
	ik_loop_stop(live->loop);
}

static const struct ik_run_events live_events = { .output = live_output, .done = live_done };

Test(run, can_be_cancelled)
{
	static const char *const names[] = { "slow", "ignores_term" };
	struct fixture fixture = begin();
	struct ik_run_options options = support_options(fixture.loop);

	for (size_t i = 0; i < 2; i++) {
		struct live live = { .loop = fixture.loop };
		const char *arguments = i == 0 ? "{\"seconds\":60}" : "{}";
		char *wanted = ik_format("{\"tool_success\":false,"
			"\"error\":\"Tool '%s' was cancelled\",\"error_code\":\"TOOL_CANCELLED\","
			"\"exit_code\":null,", names[i]);

		live.run = ik_run_start(&options, fixture.registry, names[i], arguments,
			strlen(arguments), &live_events, &live);
		support_loop_run(fixture.loop);
		cr_assert_eq(live.done, 1);
		cr_assert_eq(strncmp(live.envelope, wanted, strlen(wanted)), 0, "%s", live.envelope);
		free(live.envelope);
		free(wanted);
	}
	/* Processes killed with their leader may still have to be reaped. */
	ik_children_end(fixture.loop);
	cr_assert_eq(support_children(), 0);
	end(&fixture);
}

Test(run, is_silent_once_closed)
{
	struct fixture fixture = begin();
	struct ik_run_options options = support_options(fixture.loop);
	struct live live = { .loop = fixture.loop, .close = true };

	live.run = ik_run_start(&options, fixture.registry, "slow", "{\"seconds\":60}", 14,
		&live_events, &live);
	support_loop_run(fixture.loop);
	cr_assert_eq(live.done, 0);
	/* Also before a refusal was reported. */
	live.run = ik_run_start(&options, fixture.registry, "absent", "{}", 2, &live_events, &live);
	live.run = ik_run_close(live.run);
	end(&fixture);
	cr_assert_eq(live.done, 0);
}

Test(run, keeps_the_registry_it_began_with)
{
	struct fixture fixture = begin();
	struct ik_run_options options = support_options(fixture.loop);
	struct live live = { .loop = fixture.loop };

	live.run = ik_run_start(&options, fixture.registry, "echo", "{\"a\":1}", 7,
		&(struct ik_run_events){ .done = live_done }, &live);
	fixture.registry = ik_registry_unref(fixture.registry);
	support_loop_run(fixture.loop);
	cr_assert_str_eq(live.envelope, "{\"tool_success\":true,\"result\":{\"a\":1}}");
	free(live.envelope);
	end(&fixture);
}

/* A call that is closed after a number of turns, wherever it is by then. */
struct hurried {
	struct live live;
	int turns;
};

static void hurried_turn(void *arg)
{
	struct hurried *hurried = arg;

	if (hurried->live.done > 0 || hurried->turns-- > 0)
		return;
	hurried->live.run = ik_run_close(hurried->live.run);
	ik_loop_stop(hurried->live.loop);
}

Test(run, can_be_closed_while_a_large_answer_is_wrapped)
{
	struct fixture fixture = begin();
	struct ik_run_options options = support_options(fixture.loop);
	struct ik_run_events events = { .done = live_done };
	int done = 0, closed = 0;

	options.output_limit = IK_LIMIT_TOOL_OUTPUT;
	/* The number of turns varies; begin with a first call that ends. */
	for (int turns = 1; done == 0; turns++) {
		struct hurried hurried = { .live.loop = fixture.loop, .turns = turns };

		hurried.live.run = ik_run_start(&options, fixture.registry, "large_repair", "{}", 2,
			&events, &hurried.live);
		ik_loop_before_sleep(fixture.loop, hurried_turn, &hurried);
		support_loop_run(fixture.loop);
		ik_loop_before_sleep(fixture.loop, NULL, NULL);
		done += hurried.live.done;
		closed += !hurried.live.done;
		free(hurried.live.envelope);
	}
	cr_assert_gt(closed, 5);
	end(&fixture);
}
