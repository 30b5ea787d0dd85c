#include "server_source.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "support.h"
#include "util/alloc.h"

/* A discovery of a directory and a server. */
struct scene {
	struct ik_loop *loop;
	struct ik_source *server;
	struct ik_discovery *discovery;
	struct ik_registry *registry;
	int scans;
	int awaited; /* stop the loop with this scan */
	size_t done, total;
};

static void on_progress(void *arg, size_t done, size_t total)
{
	struct scene *scene = arg;

	scene->done = done;
	scene->total = total;
}

static void on_finished(void *arg, struct ik_registry *registry)
{
	struct scene *scene = arg;

	ik_registry_unref(scene->registry);
	scene->registry = ik_registry_ref(registry);
	if (++scene->scans == scene->awaited)
		ik_loop_stop(scene->loop);
}

static void begin(struct scene *scene)
{
	static const struct ik_discovery_events events = { .progress = on_progress, .finished = on_finished };
	struct ik_source_directory_options options = {
		.path = FIXTURES "/good", .origin = IK_SOURCE_SYSTEM, .timeout_ms = 10000
	};

	memset(scene, 0, sizeof *scene);
	signal(SIGPIPE, SIG_IGN);
	scene->loop = support_loop_new();
	scene->server = server_source_new(scene->loop);
	scene->discovery = ik_discovery_new(scene->loop, &events, scene);
	ik_discovery_add_source(scene->discovery, ik_source_directory_new(scene->loop, &options));
	ik_discovery_add_source(scene->discovery, scene->server);
	ik_discovery_scan(scene->discovery, IK_CACHE_ALL);
	scene->awaited = 1;
	support_loop_run(scene->loop);
}

static void end(struct scene *scene)
{
	scene->discovery = ik_discovery_close(scene->discovery);
	scene->registry = ik_registry_unref(scene->registry);
	scene->loop = support_loop_free(scene->loop);
}

/* Call a tool; its envelope in new memory. */
static char *call(struct scene *scene, const char *name, const char *arguments, int64_t timeout_ms)
{
	struct ik_run_options options = support_options(scene->loop);
	struct support_outcome outcome;
	char *envelope;

	if (timeout_ms > 0)
		options.timeout_ms = timeout_ms;
	outcome = support_call(scene->loop, scene->registry, name, arguments, &options);
	envelope = ik_strdup(outcome.envelope);
	support_outcome_done(&outcome);
	return envelope;
}

/* Expect this envelope; *_format is for ik_format() with the server's pid. */
static void gives(struct scene *scene, const char *name, const char *arguments, char *wanted)
{
	char *envelope = call(scene, name, arguments, 0);

	cr_assert_str_eq(envelope, wanted, "%s: %s", name, envelope);
	free(envelope);
	free(wanted);
}

Test(server_source, announces_a_hundred_tools_beside_a_directory)
{
	struct scene scene;
	const struct ik_tool *tool;

	begin(&scene);
	cr_assert_eq(ik_registry_state(scene.registry), IK_SCAN_COMPLETE);
	cr_assert_eq(ik_registry_ok_count(scene.registry), 102);
	cr_assert_eq(scene.done, 102);
	cr_assert_eq(scene.total, 102);
	for (size_t i = 1; i < ik_registry_count(scene.registry); i++)
		cr_assert_lt(strcmp(ik_registry_at(scene.registry, i - 1)->name,
			ik_registry_at(scene.registry, i)->name), 0);
	tool = ik_registry_find(scene.registry, "tool_042");
	cr_assert_not_null(tool);
	cr_assert_eq(tool->owner, scene.server);
	cr_assert_str_eq(tool->description, "Number 42");
	cr_assert_neq(ik_registry_find(scene.registry, "echo")->owner, scene.server);
	end(&scene);
}

Test(server_source, runs_the_calls_of_its_tools_itself)
{
	struct scene scene;
	int pid;
	char *envelope;

	begin(&scene);
	pid = server_source_pid(scene.server);
	gives(&scene, "tool_007", "{\"n\":1}", ik_format("{\"tool_success\":true,\"result\":"
		"{\"tool\":7,\"calls\":1,\"pid\":%d}}", pid));
	gives(&scene, "tool_005", "", ik_format("{\"tool_success\":true,\"result\":"
		"{\"tool\":5,\"calls\":2,\"pid\":%d}}", pid));
	/* An error is found before the server is asked, and reported as for any tool. */
	envelope = call(&scene, "tool_007", "{\"n\":\"one\"}", 0);
	cr_assert_not_null(strstr(envelope, "\"INVALID_PARAMS\""), "%s", envelope);
	free(envelope);
	gives(&scene, "tool_003", "{}", ik_format("{\"tool_success\":false,"
		"\"error\":\"Tool 'tool_003' returned invalid JSON\",\"error_code\":\"INVALID_OUTPUT\","
		"\"exit_code\":0,\"stdout\":\"nonsense\",\"stderr\":\"\"}"));
	gives(&scene, "tool_008", "{}", ik_format("{\"tool_success\":true,\"result\":"
		"{\"tool\":8,\"calls\":4,\"pid\":%d}}", pid));
	envelope = call(&scene, "tool_000", "{}", 50);
	cr_assert_not_null(strstr(envelope, "\"Tool 'tool_000' timed out after 0.05s\""), "%s", envelope);
	free(envelope);
	envelope = call(&scene, "echo", "{\"a\":1}", 0);
	cr_assert_not_null(strstr(envelope, "\"tool_success\":true"), "%s", envelope);
	free(envelope);
	end(&scene);
}

/* Calls that run at the same time. */
struct pair {
	struct scene *scene;
	struct ik_run *runs[2];
	int order[2];
	int done;
	char *envelopes[2];
};

struct half {
	struct pair *pair;
	int index;
};

static void half_done(void *arg, const struct ik_run_result *result)
{
	struct half *half = arg;
	struct pair *pair = half->pair;

	pair->envelopes[half->index] = ik_strndup(result->envelope, result->envelope_length);
	pair->order[pair->done++] = half->index;
	if (pair->done == 2)
		ik_loop_stop(pair->scene->loop);
}

static void start_pair(struct scene *scene, struct pair *pair, struct half *halves,
	const char *first, const char *second)
{
	static const struct ik_run_events events = { .done = half_done };
	struct ik_run_options options = support_options(scene->loop);

	memset(pair, 0, sizeof *pair);
	pair->scene = scene;
	for (int i = 0; i < 2; i++) {
		halves[i] = (struct half){ pair, i };
		pair->runs[i] = ik_run_start(&options, scene->registry, i == 0 ? first : second, "{}", 2,
			&events, &halves[i]);
	}
}

static void end_pair(struct pair *pair)
{
	for (int i = 0; i < 2; i++) {
		ik_run_close(pair->runs[i]);
		free(pair->envelopes[i]);
	}
}

Test(server_source, keeps_calls_apart_and_ends_one_alone)
{
	struct scene scene;
	struct pair pair;
	struct half halves[2];

	begin(&scene);
	/* The first answers after the second. */
	start_pair(&scene, &pair, halves, "tool_004", "tool_009");
	support_loop_run(scene.loop);
	cr_assert_eq(pair.order[0], 1);
	cr_assert_not_null(strstr(pair.envelopes[0], "\"tool\":4"), "%s", pair.envelopes[0]);
	cr_assert_not_null(strstr(pair.envelopes[1], "\"tool\":9"), "%s", pair.envelopes[1]);
	end_pair(&pair);
	/* One is cancelled, one closed; the next is still answered. */
	start_pair(&scene, &pair, halves, "tool_000", "tool_010");
	ik_run_cancel(pair.runs[0]);
	support_loop_run(scene.loop);
	cr_assert_not_null(strstr(pair.envelopes[0], "\"TOOL_CANCELLED\""), "%s", pair.envelopes[0]);
	cr_assert_not_null(strstr(pair.envelopes[1], "\"tool\":10"), "%s", pair.envelopes[1]);
	end_pair(&pair);
	start_pair(&scene, &pair, halves, "tool_000", "tool_004");
	end_pair(&pair);
	gives(&scene, "tool_011", "{}", ik_format("{\"tool_success\":true,\"result\":"
		"{\"tool\":11,\"calls\":7,\"pid\":%d}}", server_source_pid(scene.server)));
	end(&scene);
}

Test(server_source, is_scanned_again_when_it_says_that_it_changed)
{
	struct scene scene;
	struct ik_registry *before;

	begin(&scene);
	before = ik_registry_ref(scene.registry);
	scene.awaited = 2;
	gives(&scene, "tool_001", "{}", ik_format("{\"tool_success\":true,\"result\":"
		"{\"tool\":1,\"calls\":1,\"pid\":%d}}", server_source_pid(scene.server)));
	if (scene.scans < 2)
		support_loop_run(scene.loop);
	cr_assert_eq(ik_registry_ok_count(scene.registry), 102);
	cr_assert_not_null(ik_registry_find(scene.registry, "tool_100"));
	cr_assert_null(ik_registry_find(scene.registry, "tool_099"));
	/* The old registry still has its tools. */
	cr_assert_not_null(ik_registry_find(before, "tool_099"));
	before = ik_registry_unref(before);
	end(&scene);
}

Test(server_source, fails_by_itself_alone_when_its_process_ends)
{
	struct scene scene;
	struct pair pair;
	struct half halves[2];

	begin(&scene);
	start_pair(&scene, &pair, halves, "tool_000", "tool_002");
	support_loop_run(scene.loop);
	for (int i = 0; i < 2; i++)
		cr_assert_not_null(strstr(pair.envelopes[i], "crashed with exit code 1\","
			"\"error_code\":\"TOOL_CRASHED\""), "%s", pair.envelopes[i]);
	end_pair(&pair);
	gives(&scene, "tool_003", "{}", ik_format("{\"tool_success\":false,"
		"\"error\":\"Tool 'tool_003' could not be started: the server has ended\","
		"\"error_code\":\"SPAWN_FAILED\",\"exit_code\":null,\"stdout\":\"\",\"stderr\":\"\"}"));
	scene.awaited = 2;
	ik_discovery_scan(scene.discovery, IK_CACHE_ALL);
	support_loop_run(scene.loop);
	cr_assert_eq(ik_registry_state(scene.registry), IK_SCAN_COMPLETE);
	cr_assert_eq(ik_registry_ok_count(scene.registry), 2);
	cr_assert_str_eq(ik_registry_problem(scene.registry, 0), "the server has ended");
	end(&scene);
}

Test(server_source, may_be_closed_while_calls_run_and_a_registry_is_held)
{
	struct scene scene;
	struct pair pair;
	struct half halves[2];

	begin(&scene);
	start_pair(&scene, &pair, halves, "tool_000", "tool_004");
	scene.discovery = ik_discovery_close(scene.discovery);
	support_loop_run(scene.loop);
	cr_assert_eq(pair.done, 2, "a call never hangs");
	end_pair(&pair);
	scene.loop = support_loop_free(scene.loop);
	cr_assert_eq(ik_registry_find(scene.registry, "tool_001")->owner, scene.server);
	scene.registry = ik_registry_unref(scene.registry);
}
