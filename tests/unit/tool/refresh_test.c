/* Scans in a row: what is remembered, watched and kept. */
#include "tool/discovery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "support.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"

enum { PATIENT_MS = 10000 };

/* A place with tools that each record in a file that they were asked. */
struct place {
	struct ik_loop *loop;
	char *top, *tools, *cache;
	struct ik_discovery *discovery;
	struct ik_registry *registry;
	int finished;
	const char *wanted; /* stop when there is a tool of that name; NULL: at the end */
	bool gone;          /* ... when there is none any more */
	bool at_first;      /* stop when one tool has answered */
};

static void on_finished(void *arg, struct ik_registry *registry)
{
	struct place *place = arg;

	place->finished++;
	ik_registry_unref(place->registry);
	place->registry = ik_registry_ref(registry);
	if (place->wanted == NULL
		|| (ik_registry_find(registry, place->wanted) != NULL) != place->gone)
		ik_loop_stop(place->loop);
}

static void on_progress(void *arg, size_t done, size_t total)
{
	struct place *place = arg;

	if (place->at_first && done > 0)
		ik_loop_stop(place->loop);
}

/* Start a new program, which knows what is in the file. */
static void begin(struct place *place, bool with_cache, int64_t timeout_ms)
{
	static const struct ik_discovery_events events = {
		.progress = on_progress, .finished = on_finished,
	};
	struct ik_source_directory_options options = {
		.path = place->tools, .origin = IK_SOURCE_USER, .timeout_ms = timeout_ms
	};

	place->loop = support_loop_new();
	place->discovery = ik_discovery_new(place->loop, &events, place);
	if (with_cache)
		ik_discovery_use_cache(place->discovery, ik_schema_cache_new(place->cache));
	options.cache = ik_discovery_cache(place->discovery);
	ik_discovery_add_source(place->discovery, ik_source_directory_new(place->loop, &options));
}

static void end(struct place *place)
{
	place->discovery = ik_discovery_close(place->discovery);
	place->registry = ik_registry_unref(place->registry);
	place->loop = support_loop_free(place->loop);
}

static void make(struct place *place)
{
	memset(place, 0, sizeof *place);
	place->top = support_mkdir();
	place->tools = ik_path_join(place->top, "tools");
	place->cache = ik_path_join(place->top, "cache/schemas");
	cr_assert_eq(mkdir(place->tools, 0755), 0);
}

static void unmake(struct place *place)
{
	free(place->tools);
	free(place->cache);
	support_rmdir(place->top);
}

/* Wait until a change of a file would be noticed. */
static void settle(const char *path)
{
	struct ik_identity identity;
	int64_t now_ns;

	do {
		cr_assert_eq(ik_identity_read(path, &identity, NULL), IK_OK);
		now_ns = ik_clock_wall_ms() * 1000000;
	} while (identity.ctime_ns > now_ns || ik_identity_settles_ms(&identity, now_ns) > 0);
}

/* Put a tool there by a rename; it records the question and does what the lines say. */
static void put(const struct place *place, const char *name, const char *lines)
{
	char *text = ik_format("#!/bin/sh\necho x >>%s/asked-%s\n%s\n", place->top, name, lines);
	char *made = support_write_tool(place->top, "made", text);
	char *path = ik_path_join(place->tools, name);

	cr_assert_eq(rename(made, path), 0);
	settle(path);
	free(text);
	free(made);
	free(path);
}

static void put_good(const struct place *place, const char *name, const char *description)
{
	char *lines = ik_format("echo '{\"name\":\"%s\",\"description\":\"%s\"}'", name, description);

	put(place, name, lines);
	free(lines);
}

/* Return how often a tool was asked. */
static size_t asked(const struct place *place, const char *name)
{
	char *path = ik_format("%s/asked-%s", place->top, name);
	struct ik_buf text;
	size_t length;

	ik_buf_init(&text, IK_LIMIT_CONFIG);
	(void)!ik_file_read(path, &text, NULL);
	length = text.length;
	ik_buf_done(&text);
	free(path);
	return length / 2;
}

static void scan(struct place *place)
{
	place->wanted = NULL;
	ik_discovery_scan(place->discovery, IK_CACHE_ALL);
	support_loop_run(place->loop);
}

static void rescan(struct place *place)
{
	place->wanted = NULL;
	ik_discovery_scan(place->discovery, IK_CACHE_NOTHING);
	support_loop_run(place->loop);
}

/* Wait until a tool of that name is, or is no longer, offered. */
static void await(struct place *place, const char *name, bool gone)
{
	place->wanted = name;
	place->gone = gone;
	if ((ik_registry_find(ik_discovery_registry(place->discovery), name) != NULL) == gone)
		support_loop_run(place->loop);
}

Test(refresh, asks_nobody_whose_file_is_as_it_was)
{
	struct place place;
	char *path, *text;

	make(&place);
	put_good(&place, "one", "First");
	begin(&place, true, PATIENT_MS);
	scan(&place);
	cr_assert_eq(asked(&place, "one"), 1);
	scan(&place);
	cr_assert_eq(asked(&place, "one"), 1);
	end(&place);

	begin(&place, true, PATIENT_MS);
	scan(&place);
	cr_assert_eq(asked(&place, "one"), 1, "another program knows it too");
	path = ik_path_join(place.tools, "one");
	cr_assert_str_eq(ik_registry_find(place.registry, "one")->description, "First");
	cr_assert_str_eq(ik_registry_find(place.registry, "one")->path, path);
	cr_assert_eq(ik_registry_find(place.registry, "one")->source, IK_SOURCE_USER);
	free(path);
	rescan(&place);
	cr_assert_eq(asked(&place, "one"), 2, "a person who wants it has all asked");
	put_good(&place, "one", "Other");
	scan(&place);
	cr_assert_eq(asked(&place, "one"), 3);
	cr_assert_str_eq(ik_registry_find(place.registry, "one")->description, "Other");
	end(&place);

	begin(&place, false, PATIENT_MS);
	scan(&place);
	cr_assert_eq(asked(&place, "one"), 4, "nothing is remembered without a cache");
	end(&place);
	text = ik_format("rm -r %s/cache && echo nonsense >%s/cache", place.top, place.top);
	cr_assert_eq(system(text), 0);
	free(text);
	begin(&place, true, PATIENT_MS);
	scan(&place);
	cr_assert_eq(ik_registry_ok_count(place.registry), 1, "it does not matter");
	end(&place);
	unmake(&place);
}

Test(refresh, knows_a_link_by_where_it_leads)
{
	struct place place;
	char *one, *other, *link;

	make(&place);
	put_good(&place, "one", "One");
	put_good(&place, "other", "Other");
	one = ik_path_join(place.tools, "one");
	other = ik_path_join(place.tools, "other");
	link = ik_path_join(place.tools, "link");
	cr_assert_eq(symlink(one, link), 0);
	begin(&place, true, PATIENT_MS);
	scan(&place);
	cr_assert_eq(asked(&place, "one"), 2, "once by each name");
	cr_assert_eq(unlink(link), 0);
	cr_assert_eq(symlink(other, link), 0);
	scan(&place);
	cr_assert_eq(asked(&place, "one"), 2);
	cr_assert_eq(asked(&place, "other"), 2);
	cr_assert_str_eq(support_entry(place.registry, "link")->description, "Other");
	end(&place);
	free(one);
	free(other);
	free(link);
	unmake(&place);
}

Test(refresh, asks_failures_again_unless_something_else_changed)
{
	struct place place;

	make(&place);
	put_good(&place, "good", "Good");
	put(&place, "exits", "exit 3");
	put(&place, "hangs", "sleep 300");
	put(&place, "wrong", "echo '{}'");
	begin(&place, true, 300);
	scan(&place);
	scan(&place);
	cr_assert_eq(asked(&place, "good"), 1);
	cr_assert_eq(asked(&place, "exits"), 2, "in both ways");
	cr_assert_eq(asked(&place, "hangs"), 1, "who did not answer in time holds nobody up again");
	cr_assert_eq(asked(&place, "wrong"), 1);
	ik_discovery_scan(place.discovery, IK_CACHE_ANSWERS);
	support_loop_run(place.loop);
	cr_assert_eq(asked(&place, "good"), 1);
	cr_assert_eq(asked(&place, "exits"), 4);
	cr_assert_eq(asked(&place, "hangs"), 2);
	cr_assert_eq(asked(&place, "wrong"), 2);
	ik_discovery_watch(place.discovery);
	put_good(&place, "new", "New");
	await(&place, "new", false);
	cr_assert_eq(asked(&place, "new"), 1);
	cr_assert_eq(asked(&place, "good"), 1);
	cr_assert_eq(asked(&place, "exits"), 4);
	cr_assert_eq(asked(&place, "hangs"), 2);
	cr_assert_eq(asked(&place, "wrong"), 2);
	cr_assert_str_eq(support_entry(place.registry, "hangs")->code, "SCHEMA_TIMEOUT");
	cr_assert_str_eq(support_entry(place.registry, "wrong")->code, "INVALID_SCHEMA");
	cr_assert_not_null(strstr(support_entry(place.registry, "exits")->reason, "status 3"));
	put_good(&place, "exits", "Mended");
	await(&place, "exits", false);
	end(&place);
	unmake(&place);
}

Test(refresh, asks_in_the_background_who_did_not_answer)
{
	struct place place;

	make(&place);
	put(&place, "slow", "mkdir ${0%/*}/../first && exec sleep 300\n"
		"echo '{\"name\":\"slow\",\"description\":\"Slow at first\"}'");
	begin(&place, true, 1000);
	scan(&place);
	cr_assert_eq(asked(&place, "slow"), 1);
	ik_discovery_ask_later(place.discovery, 100);
	cr_assert_not(ik_discovery_scanning(place.discovery), "nobody has to wait");
	await(&place, "slow", false);
	cr_assert_eq(asked(&place, "slow"), 2);
	/* No tool has timed out now. */
	ik_discovery_ask_later(place.discovery, 0);
	rescan(&place);
	cr_assert_eq(asked(&place, "slow"), 3);
	end(&place);
	unmake(&place);
}

/* A program that ends before its scan does, while others still hang. */
Test(refresh, keeps_the_answers_of_a_scan_that_does_not_end)
{
	struct place place;

	make(&place);
	put_good(&place, "good", "Good");
	put(&place, "hangs", "exec sleep 300");
	begin(&place, true, INT64_C(6) * PATIENT_MS);
	ik_discovery_scan(place.discovery, IK_CACHE_ALL);
	place.at_first = true;
	support_loop_run(place.loop);
	cr_assert_eq(place.finished, 0);
	end(&place);
	place.at_first = false;
	begin(&place, true, 300);
	scan(&place);
	cr_assert_eq(asked(&place, "good"), 1);
	end(&place);
	unmake(&place);
}

Test(refresh, follows_what_happens_to_tools)
{
	struct place place;
	char *command;

	make(&place);
	begin(&place, true, PATIENT_MS);
	ik_discovery_watch(place.discovery);
	scan(&place);
	put_good(&place, "one", "One");
	await(&place, "one", false);
	command = ik_format("rm %s/one", place.tools);
	cr_assert_eq(system(command), 0);
	free(command);
	await(&place, "one", true);
	/* The directory itself disappears and comes back. */
	command = ik_format("rm -r %s", place.tools);
	cr_assert_eq(system(command), 0);
	free(command);
	cr_assert_eq(mkdir(place.tools, 0755), 0);
	put_good(&place, "two", "Two");
	await(&place, "two", false);
	/* The target of a linked tool changes. */
	command = ik_format("mkdir %s/far && mv %s/two %s/far/two && ln -s ../middle %s/link && "
		"ln -s far/two %s/middle", place.top, place.tools, place.top, place.tools, place.top);
	cr_assert_eq(system(command), 0);
	free(command);
	place.wanted = NULL;
	support_loop_run(place.loop);
	cr_assert_str_eq(ik_path_base(ik_registry_find(place.registry, "two")->path), "link");
	command = ik_format("sed -i s/two/three/ %s/far/two", place.top);
	cr_assert_eq(system(command), 0);
	free(command);
	await(&place, "three", false);
	command = ik_format("ln -sf nowhere %s/middle", place.top);
	cr_assert_eq(system(command), 0);
	free(command);
	await(&place, "three", true);
	end(&place);
	unmake(&place);
}

/* What a call has answered. */
struct answered {
	struct place *place;
	char *envelope;
};

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
}

static void on_done(void *arg, const struct ik_run_result *result)
{
	struct answered *answered = arg;

	answered->envelope = ik_strndup(result->envelope, result->envelope_length);
	ik_loop_stop(answered->place->loop);
}

Test(refresh, leaves_a_call_that_runs_alone)
{
	static const struct ik_run_events events = { .output = on_output, .done = on_done };
	struct answered answered = { .envelope = NULL };
	struct place place;
	struct ik_run *run;
	struct ik_run_options options;
	char *lines, *go;

	make(&place);
	lines = ik_format("[ \"$1\" = --schema ] && exec echo "
		"'{\"name\":\"tool\",\"description\":\"Old\"}'\n"
		"while [ ! -e %s/go ]; do sleep 0.02; done\necho '\"old answer\"'", place.top);
	put(&place, "tool", lines);
	begin(&place, true, PATIENT_MS);
	scan(&place);
	answered.place = &place;
	options = support_options(place.loop);
	run = ik_run_start(&options, place.registry, "tool", "{}", 2, &events, &answered);
	/* A shell opens its script only after it has started. */
	while (asked(&place, "tool") < 2)
		usleep(1000);
	put_good(&place, "tool", "New");
	rescan(&place);
	cr_assert_str_eq(ik_registry_find(place.registry, "tool")->description, "New");
	cr_assert_null(answered.envelope, "it still runs");
	go = ik_path_join(place.top, "go");
	free(support_write_tool(place.top, "go", ""));
	support_loop_run(place.loop);
	cr_assert_not_null(strstr(answered.envelope, "old answer"), "%s", answered.envelope);
	ik_run_close(run);
	free(answered.envelope);
	free(go);
	free(lines);
	end(&place);
	unmake(&place);
}
