/*
 * Call every kind of bad tool, sixteen at a time, through the real path: each call is reported
 * once, and nothing is left behind. 1,000 calls, or IK_TEST_CALLS (10,000).
 */
#include "tool/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "loop/children.h"
#include "loop/orphans.h"
#include "support.h"
#include "tests/support/sanitized.h"
#include "util/alloc.h"
#include "util/limits.h"

#define AT_ONCE 16
/* Calls until the memory has settled, and how much it may grow afterwards. */
#define WARM 300
#define GROWTH_KB (8 * 1024)

static const struct kind {
	const char *name, *arguments;
	const char *wanted; /* in the envelope */
} kinds[] = {
	{ "weather", "{\"city\":\"x\"}", "\"result\":{\"output\":\"sunny" },
	{ "echo", "{\"a\":1}", "\"result\":{\"a\":1}" },
	{ "crashes", "", "TOOL_CRASHED" },
	{ "exit3", "{}", "\"exit_code\":3" },
	{ "kills_itself", "{}", "\"exit_code\":137" },
	{ "prints_nothing", "{}", "INVALID_OUTPUT" },
	{ "two_values", "{}", "INVALID_OUTPUT" },
	{ "binary_garbage", "{}", "INVALID_OUTPUT" },
	{ "slow", "{\"seconds\":60}", "TOOL_TIMEOUT" },
	{ "slow", "{}", "INVALID_PARAMS" },
	{ "noisy", "{}", "\"tool_success\":true" },
	{ "holds_pipes", "{}", "\"tool_success\":true" },
	{ "leaves_session", "{}", "\"tool_success\":true" },
	{ "leaves_many", "{}", "\"tool_success\":true" },
	{ "closes_stdout", "{}", "TOOL_TIMEOUT" },
	{ "talks_on", "{}", "\"tool_success\":true" },
	{ "reads_nothing", "{}", "\"tool_success\":true" },
	{ "absent", "{}", "TOOL_NOT_FOUND" },
	{ "weather", "{", "INVALID_PARAMS" },
	{ "invalid_utf8", "{}", "\"tool_success\":true" },
	{ "exact", "{}", "9007199254740993" },
	{ "drips", "{}", "\"result\":{\"a\":\"\303\251\\u0041\"}" },
	{ "answers_on_term", "{}", "TOOL_TIMEOUT" },
	{ "ignores_term", "{}", "TOOL_TIMEOUT" },
	{ "stops_itself", "{}", "TOOL_TIMEOUT" },
	{ "large_repair", "{}", "\"truncated\":true" },
	{ "echo", NULL, "TOOL_CANCELLED" },
	{ "slow", NULL, "TOOL_CANCELLED" },
};
#define KINDS (sizeof kinds / sizeof *kinds)

struct storm {
	struct ik_loop *loop;
	struct ik_registry *registry;
	struct ik_run_options options;
	size_t started, finished, calls;
	long warm_kb; /* resident after WARM calls */
	struct storm_call {
		struct storm *storm;
		struct ik_run *run;
		const struct kind *kind;
		int done;
	} *call;
};

/* Resident memory. */
static long resident_kb(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	cr_assert_not_null(file);
	cr_assert_eq(fscanf(file, "%*d %ld", &pages), 1);
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* End what was left running before it fills the machine. */
static void sweep(struct storm *storm)
{
	size_t count;
	struct ik_orphan *list;

	if (ik_children_orphans(storm->loop) < 100)
		return;
	list = ik_orphans_list(storm->loop, &count);
	for (size_t i = 0; i < count; i++)
		kill(list[i].pid, SIGKILL);
	ik_orphans_free(list, count);
}

static void start_next(void *arg);

static void call_done(void *arg, const struct ik_run_result *result)
{
	struct storm_call *call = arg;
	struct storm *storm = call->storm;

	call->done++;
	/* A call that is cancelled may have ended first. */
	if (call->kind->arguments != NULL || !result->success)
		cr_assert_not_null(strstr(result->envelope, call->kind->wanted), "%s: %.2000s",
			call->kind->name, result->envelope);
	cr_assert_eq(ik_json_check(result->envelope, result->envelope_length, NULL, NULL), IK_OK);
	call->run = ik_run_close(call->run);
	if (++storm->finished == WARM)
		storm->warm_kb = resident_kb();
	sweep(storm);
	if (storm->finished == storm->calls)
		ik_loop_stop(storm->loop);
	else
		ik_loop_defer(storm->loop, start_next, storm);
}

static void start_next(void *arg)
{
	static const struct ik_run_events events = { .done = call_done };
	struct storm *storm = arg;
	struct storm_call *call;
	const char *arguments;

	if (storm->started == storm->calls)
		return;
	call = &storm->call[storm->started];
	call->storm = storm;
	call->kind = &kinds[storm->started++ % KINDS];
	arguments = call->kind->arguments != NULL ? call->kind->arguments : "{\"seconds\":60}";
	call->run = ik_run_start(&storm->options, storm->registry, call->kind->name, arguments,
		strlen(arguments), &events, call);
	if (call->kind->arguments == NULL)
		ik_run_cancel(call->run);
}

Test(storm, leaves_no_process_no_descriptor_no_memory_and_loses_no_envelope)
{
	static const char *const directories[] = { FIXTURES "/good", FIXTURES "/unruly", NULL };
	/* One second for tools that never end; the others may be slow on a busy machine. */
	struct ik_tool_timeout short_ones[] = {
		{ (char[]){ "slow" }, 1 }, { (char[]){ "closes_stdout" }, 1 },
		{ (char[]){ "answers_on_term" }, 1 }, { (char[]){ "ignores_term" }, 1 },
		{ (char[]){ "stops_itself" }, 1 },
	};
	const char *wish = getenv("IK_TEST_CALLS");
	struct storm storm = { .calls = wish != NULL ? strtoul(wish, NULL, 10) : 1000 };
	struct ik_error error;
	int files;

	storm.loop = support_loop_new();
	storm.registry = support_scan(storm.loop, IK_SOURCE_SYSTEM, 10000, directories);
	storm.call = ik_alloc_array(NULL, storm.calls, sizeof *storm.call);
	memset(storm.call, 0, storm.calls * sizeof *storm.call);
	storm.options = support_options(storm.loop);
	storm.options.timeouts = short_ones;
	storm.options.timeout_count = sizeof short_ones / sizeof *short_ones;
	storm.options.id = "storm";
	files = support_open_files();
	for (int i = 0; i < AT_ONCE; i++)
		start_next(&storm);
	/* Without the watchdog of support_loop_run(), since it may take minutes. */
	cr_assert_eq(ik_loop_run(storm.loop, &error), IK_OK, "%s", error.text);
	for (size_t i = 0; i < storm.calls; i++)
		cr_assert_eq(storm.call[i].done, 1, "%s", storm.call[i].kind->name);
	if (storm.calls > WARM && !SANITIZED)
		cr_assert_lt(resident_kb(), storm.warm_kb + GROWTH_KB);
	if (wish != NULL)
		fprintf(stderr, "%zu calls, %ld kB resident after %d, %ld at the end\n",
			storm.calls, storm.warm_kb, WARM, resident_kb());
	ik_children_end(storm.loop);
	cr_assert_eq(support_children(), 0, "a child was left");
	cr_assert_eq(support_open_files(), files, "a descriptor was left");
	free(storm.call);
	ik_registry_unref(storm.registry);
	support_loop_free(storm.loop);
}
