#include "tool/mcp/source.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "loop/children.h"
#include "support.h"
#include "tool/mcp/content.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"

/* A discovery of servers that are named here. */
struct scene {
	struct ik_loop *loop;
	struct ik_discovery *discovery;
	struct ik_registry *registry;
	char *directory;
	const char *eras[3]; /* of servers called a, b, c; NULL: none */
	const char *count;
	bool project;
	const char *tools; /* the only ones that are wanted; NULL: all */
	bool asks;         /* somebody can be asked */
	int scans, awaited;
	int turns; /* of the loop in which the scan went on */
	bool turning;
};

/* Return a list of these strings, up to NULL, as an entry owns it. */
static char **list_of(const char *const *strings)
{
	char **list = ik_alloc(8 * sizeof(*list));

	for (size_t i = 0; strings[i]; i++)
		list[i] = ik_strdup(strings[i]);
	return list;
}

static struct ik_mcp_entry *read_entries(void *arg, size_t *ret_count)
{
	const struct scene *scene = arg;
	struct ik_mcp_entry *entries = ik_alloc(3 * sizeof(*entries));
	char *log = ik_format("MCP_LOG=%s/log", scene->directory);

	*ret_count = 0;
	for (size_t i = 0; i < 3; i++) {
		const char name[] = { (char)('a' + i), '\0' };

		if (!scene->eras[i])
			continue;
		entries[(*ret_count)++] = (struct ik_mcp_entry){
			.name = ik_strdup(name),
			.file = ik_strdup("mcp.json"),
			.enabled = true,
			.project = scene->project,
			.command = ik_strdup("python3"),
			.args = list_of((const char *const[]){ IK_TEST_FIXTURES "/mcp/server", scene->eras[i],
				scene->count ? scene->count : "0", NULL }),
			.env = list_of((const char *const[]){ log, "MINE=yes", NULL }),
			.tools = scene->tools ? list_of((const char *const[]){ scene->tools, NULL }) : NULL,
		};
	}
	free(log);
	return entries;
}

static void on_finished(void *arg, struct ik_registry *registry)
{
	struct scene *scene = arg;

	ik_registry_unref(scene->registry);
	scene->registry = ik_registry_ref(registry);
	if (++scene->scans == scene->awaited)
		ik_loop_stop(scene->loop);
}

static void on_turn(void *arg)
{
	struct scene *scene = arg;

	scene->turning = false;
	scene->turns++;
}

static void on_progress(void *arg, size_t done, size_t total)
{
	struct scene *scene = arg;

	if (!scene->turning)
		ik_loop_defer(scene->loop, on_turn, scene);
	scene->turning = true;
}

/* Make a discovery with a cache in the scene's directory, and scan. */
static void discover(struct scene *scene, int64_t timeout_ms)
{
	static const struct ik_discovery_events events = { .progress = on_progress,
		.finished = on_finished };
	char *path = ik_path_join(scene->directory, "schemas");
	struct ik_mcp_source_options options = {
		.start = { .environment = (const char *const *)environ,
			.directory = scene->directory,
			.asks = scene->asks },
		.timeout_ms = timeout_ms,
		.reader = { .read = read_entries, .arg = scene },
	};

	scene->discovery = ik_discovery_new(scene->loop, &events, scene);
	ik_discovery_use_cache(scene->discovery, ik_schema_cache_new(path));
	options.cache = ik_discovery_cache(scene->discovery);
	ik_discovery_add_source(scene->discovery, ik_mcp_source_new(scene->loop, &options));
	scene->scans = 0;
	scene->awaited = 1;
	ik_discovery_scan(scene->discovery, IK_CACHE_ALL);
	support_loop_run(scene->loop);
	free(path);
}

static void begin_with(struct scene *scene, const char *era, bool asks)
{
	memset(scene, 0, sizeof(*scene));
	scene->asks = asks;
	signal(SIGPIPE, SIG_IGN);
	scene->loop = support_loop_new();
	scene->directory = support_mkdir();
	scene->eras[0] = era;
	discover(scene, 2000);
}

static void begin(struct scene *scene, const char *era)
{
	begin_with(scene, era, false);
}

static void end(struct scene *scene)
{
	scene->discovery = ik_discovery_close(scene->discovery);
	scene->registry = ik_registry_unref(scene->registry);
	scene->loop = support_loop_free(scene->loop);
	support_rmdir(scene->directory);
}

/* Expect these words in the envelope of a call with that time-out (0: long). */
static void call(struct scene *scene, const char *name, const char *arguments, int64_t timeout_ms,
	const char *words)
{
	struct ik_run_options options = support_options(scene->loop);
	struct support_outcome outcome;

	if (timeout_ms > 0)
		options.timeout_ms = timeout_ms;
	outcome = support_call(scene->loop, scene->registry, name, arguments, &options);
	cr_assert_not_null(strstr(outcome.envelope, words), "%s: %s, not %s", name, outcome.envelope,
		words);
	support_outcome_done(&outcome);
}

/* Return how many lines of what was sent to servers have these words. */
static int sent(const struct scene *scene, const char *words)
{
	char *path = ik_path_join(scene->directory, "log");
	struct ik_buf text;
	int count = 0;

	ik_buf_init(&text, IK_MIB(64));
	if (ik_file_read(path, &text, NULL) == IK_OK)
		for (const char *at = text.data; (at = strstr(at, words)); at++)
			count++;
	ik_buf_done(&text);
	free(path);
	return count;
}

/* What both eras do alike. */
static void try_all(struct scene *scene)
{
	const struct ik_tool *tool;

	cr_assert_eq(ik_registry_ok_count(scene->registry), 26);
	tool = ik_registry_find(scene->registry, "a__echo");
	cr_assert_str_eq(tool->path, "mcp:a/echo");
	cr_assert_str_eq(tool->kind, "mcp");
	cr_assert(tool->read_only && ik_tool_reads_only(tool));
	cr_assert_not(ik_registry_find(scene->registry, "a__sum")->read_only);
	cr_assert_not_null(ik_registry_find(scene->registry, "a__chat_ter"));
	cr_assert_str_eq(support_entry(scene->registry, "liar")->code, "INVALID_SCHEMA");
	call(scene, "a__echo", "{\"text\":\"hi \\u00e9\"}", 0,
		"{\"tool_success\":true,\"result\":{\"output\":\"hi é\"}}");
	call(scene, "a__echo", "{\"text\":1}", 0, "INVALID_PARAMS");
	call(scene, "a__sum", "{}", 0, "\"result\":{\"sum\":3}}");
	call(scene, "a__odd", "{}", 0, "\"result\":{\"output\":\"three\",\"structured\":{\"sum\":3}}}");
	call(scene, "a__fail", "{}", 0,
		"\"Tool 'a__fail' failed: no such thing\",\"error_code\":\"MCP_ERROR\"");
	call(scene, "a__refuse", "{}", 0, "failed: I won't\",\"error_code\":\"MCP_ERROR\"");
	call(scene, "a__twice", "{}", 0, "\"first\"");
	call(scene, "a__unknown", "{}", 0, "\"known\"");
	call(scene, "a__broken", "{}", 0, "\"whole\"");
	call(scene, "a__bytes", "{}", 0,
		"\"a\xef\xbf\xbd"
		"b\xef\xbf\xbd"
		"c\"");
	call(scene, "a__want", "{}", 0, "[-32601, {}]");
	call(scene, "a__chat_ter", "{}", 0, "hello from chat.ter");
	call(scene, "a__picture", "{}", 0, "\"images\":[{\"image\":\"iVBOR");
	call(scene, "a__audio", "{}", 0, "{\"files\":[{\"file\":\"UklGR");
	call(scene, "a__link", "{}", 0, "{\"resources\":[{\"type\":\"resource_link\"");
	call(scene, "a__env", "{\"text\":\"MINE\"}", 0, "\"yes\"");
	call(scene, "a__hang", "{}", 200, "TOOL_TIMEOUT");
	call(scene, "a__progress", "{}", 300, "\"done\"");
	call(scene, "a__huge", "{}", 0, "more than 64 MiB\",\"error_code\":\"MCP_ERROR\"");
	call(scene, "a__flood", "{}", 0, "\"wet\"");
	call(scene, "a__echo", "{\"text\":\"alive\"}", 0, "\"alive\"");
	/* Of the call that took too long, and of the one whose answer was too large. */
	cr_assert_eq(sent(scene, "notifications/cancelled"), 2);
}

Test(mcp, legacy_server)
{
	struct scene scene;

	begin(&scene, "legacy");
	try_all(&scene);
	cr_assert_eq(sent(&scene, "\"initialize\""), 1);
	cr_assert_eq(sent(&scene, "notifications/initialized"), 1);
	end(&scene);
}

Test(mcp, modern_server)
{
	struct scene scene;

	begin(&scene, "modern");
	try_all(&scene);
	call(&scene, "a__ask", "{}", 0,
		"[{\\\"k\\\": {\\\"action\\\": \\\"decline\\\"}}, \\\"S\\\\\\\"1\\\"]");
	cr_assert_eq(sent(&scene, "\"initialize\""), 0);
	cr_assert_eq(sent(&scene, "subscriptions/listen"), 1);
	end(&scene);
}

/* ---- questions ---- */

/* A call that asks, and how it is answered. */
struct inquiry {
	struct scene *scene;
	struct ik_run *run;
	const char *answer; /* NULL: cancel the call */
	struct ik_timer *timer;
	int questions, withdrawn;
	char *question, *envelope;
};

static void give_answer(void *arg)
{
	struct inquiry *inquiry = arg;

	if (inquiry->answer)
		ik_run_answer(inquiry->run,
			(struct ik_json_span){ inquiry->answer, strlen(inquiry->answer) });
	else
		ik_run_cancel(inquiry->run);
}

static void inquiry_ask(void *arg, struct ik_json_span question)
{
	struct inquiry *inquiry = arg;

	if (!question.text) {
		inquiry->withdrawn++;
		return;
	}
	inquiry->questions++;
	free(inquiry->question);
	inquiry->question = ik_strndup(question.text, question.length);
	if (inquiry->timer)
		ik_timer_start(inquiry->timer, 600);
	else
		give_answer(inquiry);
}

static void inquiry_done(void *arg, const struct ik_run_result *result)
{
	struct inquiry *inquiry = arg;

	inquiry->envelope = ik_strndup(result->envelope, result->envelope_length);
	ik_loop_stop(inquiry->scene->loop);
}

/* Call a tool that asks, answer (after that time-out, if late), and expect these words. */
static struct inquiry inquire(struct scene *scene, const char *arguments, const char *answer,
	bool late, const char *words)
{
	static const struct ik_run_events events = { .done = inquiry_done, .ask = inquiry_ask };
	struct ik_run_options options = support_options(scene->loop);
	struct inquiry inquiry = { .scene = scene, .answer = answer };

	options.asks = true;
	options.timeout_ms = late ? 300 : 5000;
	inquiry.timer = late ? ik_timer_new(scene->loop, give_answer, &inquiry) : NULL;
	inquiry.run = ik_run_start(&options, scene->registry, "a__ask", arguments, strlen(arguments),
		&events, &inquiry);
	support_loop_run(scene->loop);
	cr_assert_not_null(strstr(inquiry.envelope, words), "%s, not %s", inquiry.envelope, words);
	cr_assert_eq(inquiry.questions, !strstr(arguments, "at once"));
	if (inquiry.question)
		cr_assert_not_null(strstr(inquiry.question,
							   "31mare you?\",\"schema\":{\"type\":\"object\""),
			"%s", inquiry.question);
	inquiry.run = ik_run_close(inquiry.run);
	inquiry.timer = ik_timer_close(inquiry.timer);
	free(inquiry.question);
	free(inquiry.envelope);
	return inquiry;
}

/* What both eras do alike with somebody to ask. */
static void try_questions(struct scene *scene)
{
	static const char accept[] = "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}";
	static const char accepted[] = "{\\\"action\\\": \\\"accept\\\", \\\"content\\\": "
								   "{\\\"name\\\": \\\"Ada\\\"}}";

	inquire(scene, "{}", accept, false, accepted);
	/* The time that the user takes is not the call's. */
	inquire(scene, "{}", accept, true, accepted);
	inquire(scene, "{}", "{\"action\":\"decline\"}", false, "decline");
	inquire(scene, "{}", NULL, false, "TOOL_CANCELLED");
	/* Without anybody to ask, this call's question is declined at once. */
	call(scene, "a__ask", "{}", 0, "decline");
}

Test(mcp, questions_of_a_legacy_server)
{
	struct scene scene;
	struct inquiry inquiry;

	begin_with(&scene, "legacy", true);
	try_questions(&scene);
	inquiry = inquire(&scene, "{\"text\":\"withdraw\"}", "{\"action\":\"accept\"}", true, "cancel");
	cr_assert_eq(inquiry.withdrawn, 1);
	inquiry = inquire(&scene, "{\"text\":\"withdraw at once\"}", NULL, false, "cancel");
	cr_assert_eq(inquiry.withdrawn, 0);
	/* One that waits behind another is never asked. */
	inquiry = inquire(&scene, "{\"text\":\"withdraw the second\"}", "{\"action\":\"decline\"}",
		false, "decline");
	cr_assert_eq(inquiry.withdrawn, 0);
	cr_assert_eq(sent(&scene, "\"capabilities\":{\"elicitation\":{}}"), 1);
	/* Other requests are still refused. */
	call(&scene, "a__want", "{}", 0, "[-32601, {}]");
	end(&scene);
	begin(&scene, "legacy");
	call(&scene, "a__ask", "{}", 0, "-32601");
	cr_assert_eq(sent(&scene, "elicitation"), 0);
	end(&scene);
}

Test(mcp, questions_of_a_modern_server)
{
	struct scene scene;

	begin_with(&scene, "modern", true);
	try_questions(&scene);
	/* Again with the state as it was. */
	cr_assert_eq(sent(&scene, "\"requestState\":\"S\\\"1\""), 4);
	cr_assert_gt(sent(&scene, "clientCapabilities\":{\"elicitation\":{}}"), 4);
	end(&scene);
}

Test(mcp, crash_restarts_with_the_next_call)
{
	struct scene scene;

	begin(&scene, "legacy");
	call(&scene, "a__crash", "{}", 0,
		"\"error_code\":\"TOOL_CRASHED\",\"exit_code\":139,"
		"\"stdout\":\"\",\"stderr\":\"about to crash\\n\"");
	call(&scene, "a__quit", "{}", 0, "\"error_code\":\"MCP_ERROR\"");
	call(&scene, "a__echo", "{\"text\":\"again\"}", 0, "\"again\"");
	end(&scene);
}

Test(mcp, start_spawns_nothing)
{
	struct scene scene;
	int begun;

	begin(&scene, "legacy");
	begun = sent(&scene, "server/discover");
	cr_assert_eq(begun, 1);
	scene.discovery = ik_discovery_close(scene.discovery);
	discover(&scene, 2000);
	cr_assert_eq(ik_registry_ok_count(scene.registry), 26);
	cr_assert_eq(sent(&scene, "\"initialize\""), 1);
	/* The era is known. */
	call(&scene, "a__echo", "{\"text\":\"once\"}", 0, "\"once\"");
	cr_assert_eq(sent(&scene, "\"initialize\""), 2);
	cr_assert_eq(sent(&scene, "server/discover"), 1);
	/* Asked to forget, it asks the server that runs. */
	scene.awaited = 2;
	ik_discovery_scan(scene.discovery, IK_CACHE_NOTHING);
	support_loop_run(scene.loop);
	cr_assert_eq(ik_registry_ok_count(scene.registry), 26);
	cr_assert_eq(sent(&scene, "\"initialize\""), 2);
	end(&scene);
}

Test(mcp, tools_that_change_are_noticed)
{
	struct scene scene;

	begin(&scene, "modern");
	call(&scene, "a__change", "{}", 0, "changed");
	while (!ik_registry_find(scene.registry, "a__new")) {
		scene.awaited = scene.scans + 1;
		support_loop_run(scene.loop);
	}
	call(&scene, "a__new", "{}", 0, "hello from new");
	end(&scene);
}

Test(mcp, beginnings)
{
	struct scene scene;

	begin(&scene, "strict");
	call(&scene, "a__echo", "{\"text\":\"strict\"}", 0, "\"strict\"");
	end(&scene);
	begin(&scene, "silent");
	call(&scene, "a__echo", "{\"text\":\"silent\"}", 0, "\"silent\"");
	end(&scene);
	begin(&scene, "endless");
	cr_assert_eq(ik_registry_ok_count(scene.registry), 0);
	cr_assert_not_null(strstr(support_entry(scene.registry, "")->reason, "has no end"));
	end(&scene);
	begin(&scene, "huge");
	cr_assert_not_null(strstr(support_entry(scene.registry, "")->reason, "more than 64 MiB"));
	end(&scene);
	begin(&scene, "gone");
	cr_assert_str_eq(support_entry(scene.registry, "")->reason,
		"the server ended with exit status 1: no such thing here");
	end(&scene);
}

/* Of a list that is announced in 20 ms the loop sees no more than 3 ms at once. */
Test(mcp, long_list_does_not_hold_up_the_loop)
{
	struct scene scene = { .eras = { "legacy" }, .count = "8000" };

	scene.loop = support_loop_new();
	scene.directory = support_mkdir();
	discover(&scene, 10000);
	cr_assert_not_null(ik_registry_find(scene.registry, "a__more_7999"));
	cr_assert_gt(scene.turns, 2);
	scene.turns = 0;
	scene.awaited++;
	ik_discovery_scan(scene.discovery, IK_CACHE_ALL);
	support_loop_run(scene.loop);
	cr_assert_not_null(ik_registry_find(scene.registry, "a__more_7999"));
	cr_assert_gt(scene.turns, 2);
	end(&scene);
}

Test(mcp, slow_one_comes_later_and_holds_up_no_other)
{
	struct scene scene;
	int64_t begun_ms;

	memset(&scene, 0, sizeof(scene));
	scene.loop = support_loop_new();
	scene.directory = support_mkdir();
	scene.count = "400"; /* which takes several turns */
	scene.eras[0] = "slow";
	scene.eras[1] = "legacy";
	scene.eras[2] = "mute";
	begun_ms = ik_clock_ms();
	discover(&scene, 100);
	cr_assert_lt(ik_clock_ms() - begun_ms, 1900);
	cr_assert_not_null(ik_registry_find(scene.registry, "b__echo"));
	cr_assert_str_eq(support_entry(scene.registry, "")->code, "SCHEMA_TIMEOUT");
	while (!ik_registry_find(scene.registry, "a__echo")) {
		scene.awaited = scene.scans + 1;
		support_loop_run(scene.loop);
	}
	call(&scene, "a__echo", "{\"text\":\"late\"}", 0, "\"late\"");
	end(&scene);
}

Test(mcp, backlog_of_a_server_that_does_not_read_is_bounded)
{
	const size_t length = 20 * 1000 * 1000;
	char *arguments = ik_format("{\"text\":\"%*s\"}", (int)length, "x");
	struct scene scene;

	begin(&scene, "deaf");
	for (int i = 0; i < 3; i++)
		call(&scene, "a__echo", arguments, 50, "TOOL_TIMEOUT");
	call(&scene, "a__echo", arguments, 5000,
		"doesn't read what it is sent\",\"error_code\":\"MCP_ERROR\"");
	free(arguments);
	end(&scene);
}

Test(mcp, one_that_does_not_leave_is_ended)
{
	struct scene scene;

	begin(&scene, "stubborn");
	scene.eras[0] = NULL;
	scene.eras[1] = "modern";
	scene.awaited = 2;
	ik_discovery_scan(scene.discovery, IK_CACHE_ALL);
	support_loop_run(scene.loop);
	cr_assert_eq(ik_children_count(scene.loop), 2);
	call(&scene, "b__hang", "{}", 3500, "TOOL_TIMEOUT");
	cr_assert_eq(ik_children_count(scene.loop), 1);
	end(&scene);
}

Test(mcp, entries_come_and_go)
{
	struct scene scene;

	begin(&scene, "legacy");
	scene.eras[0] = NULL;
	scene.eras[1] = "modern";
	scene.awaited = 2;
	ik_discovery_scan(scene.discovery, IK_CACHE_ALL);
	support_loop_run(scene.loop);
	cr_assert_null(ik_registry_find(scene.registry, "a__echo"));
	call(&scene, "b__echo", "{\"text\":\"b\"}", 0, "\"b\"");
	while (sent(&scene, "farewell") < 1)
		usleep(1000); /* it sees its own end */
	scene.discovery = ik_discovery_close(scene.discovery);
	ik_children_end(scene.loop);
	cr_assert_eq(sent(&scene, "farewell"), 2);
	end(&scene);
	cr_assert_eq(support_children(), 0);
}

Test(mcp, of_a_project_and_in_part)
{
	struct scene scene;

	memset(&scene, 0, sizeof(scene));
	scene.loop = support_loop_new();
	scene.directory = support_mkdir();
	scene.eras[0] = "legacy";
	scene.project = true;
	scene.tools = "e*";
	discover(&scene, 2000);
	cr_assert_eq(ik_registry_ok_count(scene.registry), 2);
	cr_assert_not(ik_registry_find(scene.registry, "a__echo")->read_only);
	cr_assert_eq(ik_registry_find(scene.registry, "a__env")->source, IK_SOURCE_PROJECT);
	end(&scene);
}

/* Two calls at once, of which the second is answered first. */
struct pair {
	struct scene *scene;
	char *envelopes[2];
	int done, first;
};

struct half {
	struct pair *pair;
	int index;
};

static void half_done(void *arg, const struct ik_run_result *result)
{
	struct half *half = arg;

	half->pair->envelopes[half->index] = ik_strndup(result->envelope, result->envelope_length);
	if (half->pair->done++ == 0)
		half->pair->first = half->index;
	else
		ik_loop_stop(half->pair->scene->loop);
}

static void run_pair(struct pair *pair, const char *first, const char *second, bool cancel)
{
	static const struct ik_run_events events = { .done = half_done };
	struct ik_run_options options = support_options(pair->scene->loop);
	struct half halves[2] = { { pair, 0 }, { pair, 1 } };
	struct ik_run *runs[2];

	for (int i = 0; i < 2; i++)
		runs[i] = ik_run_start(&options, pair->scene->registry, i == 0 ? first : second, "{}", 2,
			&events, &halves[i]);
	if (cancel)
		ik_run_cancel(runs[0]);
	support_loop_run(pair->scene->loop);
	for (int i = 0; i < 2; i++)
		ik_run_close(runs[i]);
}

Test(mcp, answers_in_any_order_and_cancelled_calls)
{
	struct scene scene;
	struct pair pair = { .scene = &scene };

	begin(&scene, "legacy");
	run_pair(&pair, "a__late", "a__echo", false);
	cr_assert_eq(pair.first, 1);
	cr_assert_not_null(strstr(pair.envelopes[0], "\"late\""));
	free(pair.envelopes[0]);
	free(pair.envelopes[1]);
	pair.done = 0;
	run_pair(&pair, "a__hang", "a__echo", true);
	cr_assert_not_null(strstr(pair.envelopes[0], "TOOL_CANCELLED"));
	cr_assert_not_null(strstr(pair.envelopes[1], "tool_success\":true"));
	free(pair.envelopes[0]);
	free(pair.envelopes[1]);
	pair.done = 0;
	/* One that dies takes the others with it. */
	run_pair(&pair, "a__hang", "a__crash", false);
	cr_assert_not_null(strstr(pair.envelopes[0], "TOOL_CRASHED"));
	free(pair.envelopes[0]);
	free(pair.envelopes[1]);
	end(&scene);
}

Test(mcp, a_thousand_calls)
{
	struct scene scene;
	int64_t begun_us;

	begin(&scene, "modern");
	begun_us = ik_clock_us();
	for (int i = 0; i < 1000; i++)
		call(&scene, "a__sum", "{}", 0, "3");
	cr_log_info("1,000 calls: %lld us each", (long long)(ik_clock_us() - begun_us) / 1000);
	end(&scene);
}

Test(mcp, files_are_kept)
{
	struct scene scene;
	struct ik_run_options options;
	struct support_outcome outcome;

	begin(&scene, "legacy");
	options = support_options(scene.loop);
	options.picture = "/bin/false";
	options.outputs = scene.directory;
	options.session = "session";
	options.outputs_limit = IK_MIB(1);
	outcome = support_call(scene.loop, scene.registry, "a__audio", "{}", &options);
	cr_assert_not_null(strstr(outcome.envelope, "\"file (audio/wav, 40 bytes: /"), "%s",
		outcome.envelope);
	cr_assert_not_null(strstr(outcome.envelope, ".wav)\""), "%s", outcome.envelope);
	support_outcome_done(&outcome);
	options.outputs = NULL;
	outcome = support_call(scene.loop, scene.registry, "a__audio", "{}", &options);
	cr_assert_not_null(strstr(outcome.envelope, "\"file (audio/wav, 40 bytes, not kept)\""), "%s",
		outcome.envelope);
	support_outcome_done(&outcome);
	end(&scene);
}

Test(mcp, results)
{
	static const struct {
		const char *content, *more, *wanted; /* wanted: NULL: it failed */
	} cases[] = {
		{ "{'type':'text','text':'a'},{'type':'text','text':'b'}", "", "{'output':'a\\nb'}" },
		{ "", "", "{'output':''}" },
		{ "", ",'structuredContent':[1]", "[1]" },
		{ "{'type':'text','text':'a'}", ",'structuredContent':{'content':'a'}", "{'output':'a'}" },
		{ "{'type':'text','text':'[1]'}", ",'structuredContent':{'list':[1]}", "{'list':[1]}" },
		{ "{'type':'text','text':'a'}", ",'structuredContent':{'b':1,'c':2}",
			"{'output':'a','structured':{'b':1,'c':2}}" },
		{ "{'type':'image','data':'no','mimeType':'image/png'}", "",
			"{'resources':[{'media_type':'image/png','note':'its contents are no base64'}]}" },
		{ "{'type':'text','text':'why'}", ",'isError':true", NULL },
		{ "3,null,{},[]", "", "{'resources':[3,null,{},[]]}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = ik_format("{'content':[%s]%s}", cases[i].content, cases[i].more);
		char *wanted = ik_strdup(cases[i].wanted ? cases[i].wanted : "why");
		struct ik_json_span value;
		struct ik_buf out;

		for (char *at = text; *at; at++)
			*at = *at == '\'' ? '"' : *at;
		for (char *at = wanted; *at; at++)
			*at = *at == '\'' ? '"' : *at;
		ik_buf_init(&out, IK_MIB(1));
		cr_assert(ik_json_check(text, strlen(text), &value, NULL) == IK_OK, "%s", text);
		cr_assert_eq(ik_mcp_read_content(value, &out), cases[i].wanted != NULL);
		cr_assert_str_eq(out.data, wanted, "%s", out.data);
		ik_buf_done(&out);
		free(text);
		free(wanted);
	}
}

Test(mcp, offered_names)
{
	static const struct {
		const char *server, *tool, *name;
	} cases[] = {
		{ "git", "commit", "git__commit" },
		{ "a.b c", "x/y", "a_b_c__x_y" },
		{ "1st", "t", "_1st__t" },
		{ "ä", "t", "____t" },
		{ "a_server_with_a_long_name", "and_a_tool_whose_name_is_longer_than_that",
			"a_server_with_a_long_name__and_a_tool_whose_name_is_longer" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *name = ik_mcp_offered_name(cases[i].server, cases[i].tool);

		cr_assert(strlen(name) <= 64);
		cr_assert(strlen(name) == 64 ? strncmp(name, cases[i].name, 58) == 0
									 : strcmp(name, cases[i].name) == 0,
			"%s", name);
		free(name);
	}
}
