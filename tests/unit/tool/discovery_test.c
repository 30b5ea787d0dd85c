#include "tool/discovery.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "support.h"
#include "util/alloc.h"

/*
 * A source that announces what a test tells it to, when the test says so: this chooses orders and
 * moments that a directory would not show.
 */
struct staged {
	struct ik_source source;
	const struct ik_source_events *events;
	void *arg;
	int scans;
	int closes;
	int frees;
};

static void staged_scan(struct ik_source *source, const struct ik_source_events *events, void *arg)
{
	struct staged *staged = (struct staged *)source;

	staged->events = events;
	staged->arg = arg;
	staged->scans++;
}

static void staged_close(struct ik_source *source)
{
	((struct staged *)source)->closes++;
}

static void staged_free(struct ik_source *source)
{
	((struct staged *)source)->frees++;
}

static const struct ik_source_ops staged_ops = {
	.scan = staged_scan, .call = NULL, .close = staged_close, .free = staged_free,
};

static void announce(struct staged *staged, const char *name, const char *path)
{
	struct ik_tool tool = { .name = ik_strdup(name), .path = ik_strdup(path) };

	staged->events->tool(staged->arg, &tool);
}

/* What a discovery reported. */
struct told {
	struct ik_loop *loop;
	struct ik_discovery *discovery;
	int finished;
	int stop_after;
	size_t done, total;
	size_t close_at; /* close after so many; 0: never */
	int left;        /* children that ran then */
	bool close_in_finished;
	bool scan_in_finished;
	bool scanning;   /* when the last one finished */
	struct ik_registry *registry;
};

static void on_progress(void *arg, size_t done, size_t total)
{
	struct told *told = arg;

	told->done = done;
	told->total = total;
	if (told->close_at > 0 && done == told->close_at) {
		told->left = support_children();
		told->discovery = ik_discovery_close(told->discovery);
		ik_loop_stop(told->loop);
	}
}

static void on_finished(void *arg, struct ik_registry *registry)
{
	struct told *told = arg;

	told->finished++;
	told->scanning = ik_discovery_scanning(told->discovery);
	told->registry = ik_registry_unref(told->registry);
	told->registry = ik_registry_ref(registry);
	if (told->scan_in_finished)
		ik_discovery_scan(told->discovery, IK_CACHE_ALL);
	if (told->close_in_finished)
		told->discovery = ik_discovery_close(told->discovery);
	if (told->finished == told->stop_after)
		ik_loop_stop(told->loop);
}

static void begin(struct told *told, struct staged *sources, size_t count)
{
	static const struct ik_discovery_events events = { .progress = on_progress, .finished = on_finished };

	memset(told, 0, sizeof *told);
	told->loop = support_loop_new();
	told->stop_after = 1;
	told->discovery = ik_discovery_new(told->loop, &events, told);
	for (size_t i = 0; i < count; i++) {
		memset(&sources[i], 0, sizeof sources[i]);
		ik_source_init(&sources[i].source, &staged_ops, IK_SOURCE_USER);
		ik_discovery_add_source(told->discovery, &sources[i].source);
	}
}

static void end(struct told *told)
{
	told->discovery = ik_discovery_close(told->discovery);
	told->registry = ik_registry_unref(told->registry);
	told->loop = support_loop_free(told->loop);
}

static const char *path_at(const struct ik_registry *registry, size_t index)
{
	return ik_registry_at(registry, index)->path;
}

Test(discovery, is_the_same_whoever_answers_first)
{
	struct told told;
	struct staged sources[2];

	for (int order = 0; order < 2; order++) {
		begin(&told, sources, 2);
		cr_assert_eq(ik_registry_state(ik_discovery_registry(told.discovery)),
			IK_SCAN_NOT_STARTED);
		ik_discovery_scan(told.discovery, IK_CACHE_ALL);
		cr_assert(ik_discovery_scanning(told.discovery));
		if (order == 0) {
			announce(&sources[0], "x", "/system/1");
			announce(&sources[0], "x", "/system/2");
			announce(&sources[0], "y", "/system/y");
			sources[0].events->done(sources[0].arg, true, NULL);
			announce(&sources[1], "x", "/user/1");
			announce(&sources[1], "x", "/user/2");
			sources[1].events->done(sources[1].arg, true, NULL);
		} else {
			announce(&sources[1], "x", "/user/2");
			announce(&sources[1], "x", "/user/1");
			sources[1].events->done(sources[1].arg, true, NULL);
			announce(&sources[0], "y", "/system/y");
			announce(&sources[0], "x", "/system/2");
			announce(&sources[0], "x", "/system/1");
			sources[0].events->done(sources[0].arg, true, NULL);
		}
		cr_assert_eq(told.finished, 0, "finished comes between turns");
		support_loop_run(told.loop);
		cr_assert_not(ik_discovery_scanning(told.discovery));
		cr_assert_eq(ik_registry_count(told.registry), 5);
		cr_assert_str_eq(ik_registry_find(told.registry, "x")->path, "/user/2");
		cr_assert_str_eq(path_at(told.registry, 0), "/user/2");
		cr_assert_str_eq(path_at(told.registry, 1), "/user/1");
		cr_assert_str_eq(path_at(told.registry, 2), "/system/2");
		cr_assert_str_eq(path_at(told.registry, 3), "/system/1");
		cr_assert_str_eq(path_at(told.registry, 4), "/system/y");
		end(&told);
		cr_assert_eq(sources[0].frees, 1);
	}
}

Test(discovery, folds_refreshes_into_one_more)
{
	struct told told;
	struct staged source;

	begin(&told, &source, 1);
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	cr_assert_eq(source.scans, 1);
	announce(&source, "old", "/old");
	source.events->done(source.arg, true, NULL);
	support_loop_run(told.loop);
	cr_assert_eq(told.finished, 1);
	cr_assert(told.scanning, "who is told sees that another follows");
	cr_assert_eq(source.scans, 2, "one more scan, not two");
	cr_assert(ik_discovery_scanning(told.discovery));
	cr_assert_not_null(ik_registry_find(ik_discovery_registry(told.discovery), "old"),
		"the old registry stands while the new one is made");
	announce(&source, "new", "/new");
	source.events->done(source.arg, true, NULL);
	told.stop_after = 2;
	support_loop_run(told.loop);
	cr_assert_eq(source.scans, 2);
	cr_assert_not(ik_discovery_scanning(told.discovery));
	cr_assert_not_null(ik_registry_find(ik_discovery_registry(told.discovery), "new"));
	cr_assert_null(ik_registry_find(ik_discovery_registry(told.discovery), "old"));
	end(&told);
}

Test(discovery, can_be_scanned_or_closed_when_it_finishes)
{
	struct told told;
	struct staged source;

	begin(&told, &source, 1);
	told.scan_in_finished = true;
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	source.events->done(source.arg, true, NULL);
	support_loop_run(told.loop);
	cr_assert_eq(source.scans, 2, "the wish and the folded refresh are one scan");
	told.scan_in_finished = false;
	told.close_in_finished = true;
	told.stop_after = 2;
	source.events->done(source.arg, true, NULL);
	support_loop_run(told.loop);
	cr_assert_null(told.discovery);
	cr_assert_eq(source.closes, 1);
	end(&told);
	cr_assert_eq(source.frees, 1);
}

Test(discovery, scans_again_when_a_source_says_that_it_changed)
{
	struct told told;
	struct staged source;

	begin(&told, &source, 1);
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	source.events->done(source.arg, true, NULL);
	support_loop_run(told.loop);
	cr_assert_eq(source.scans, 1);
	source.events->changed(source.arg);
	cr_assert_eq(source.scans, 2);
	told.stop_after = 2;
	announce(&source, "new", "/new");
	source.events->done(source.arg, true, NULL);
	support_loop_run(told.loop);
	cr_assert_not_null(ik_registry_find(told.registry, "new"));
	end(&told);
}

Test(discovery, keeps_a_source_while_a_registry_has_its_tools)
{
	struct told told;
	struct staged source;

	begin(&told, &source, 1);
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	announce(&source, "x", "/x");
	source.events->done(source.arg, true, NULL);
	support_loop_run(told.loop);
	told.discovery = ik_discovery_close(told.discovery);
	cr_assert_eq(source.closes, 1);
	told.loop = support_loop_free(told.loop);
	cr_assert_eq(source.frees, 0);
	cr_assert_eq(ik_registry_find(told.registry, "x")->owner, &source.source);
	told.registry = ik_registry_unref(told.registry);
	cr_assert_eq(source.frees, 1);
}

Test(discovery, is_silent_once_closed)
{
	struct told told;
	struct staged source;

	begin(&told, &source, 1);
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	announce(&source, "x", "/x");
	source.events->done(source.arg, true, NULL);
	told.discovery = ik_discovery_close(told.discovery);
	end(&told);
	cr_assert_eq(told.finished, 0);
}

Test(discovery, finishes_without_any_source)
{
	struct told told;

	begin(&told, NULL, 0);
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	cr_assert_eq(told.finished, 0);
	support_loop_run(told.loop);
	cr_assert_eq(ik_registry_state(told.registry), IK_SCAN_COMPLETE);
	end(&told);
}

Test(discovery, fails_only_when_nothing_could_be_read)
{
	struct told told;
	struct staged sources[3];

	begin(&told, sources, 3);
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	sources[0].events->done(sources[0].arg, false, NULL);
	sources[1].events->done(sources[1].arg, false, "the disk is broken");
	sources[2].events->done(sources[2].arg, false, "this one too");
	support_loop_run(told.loop);
	cr_assert_eq(ik_registry_state(told.registry), IK_SCAN_FAILED);
	cr_assert_eq(ik_registry_problem_count(told.registry), 2);
	cr_assert_str_eq(ik_registry_problem(told.registry, 0), "the disk is broken");
	told.stop_after = 2;
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	sources[0].events->done(sources[0].arg, true, NULL);
	sources[1].events->done(sources[1].arg, false, "the disk is broken");
	sources[2].events->done(sources[2].arg, false, NULL);
	support_loop_run(told.loop);
	cr_assert_eq(ik_registry_state(told.registry), IK_SCAN_COMPLETE);
	cr_assert_eq(ik_registry_problem_count(told.registry), 1);
	end(&told);
}

Test(discovery, adds_up_progress)
{
	struct told told;
	struct staged sources[2];

	begin(&told, sources, 2);
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	sources[0].events->found(sources[0].arg, 4);
	announce(&sources[0], "x", "/system/x");
	cr_assert_eq(told.done, 1);
	cr_assert_eq(told.total, 4);
	sources[1].events->found(sources[1].arg, 3);
	announce(&sources[1], "y", "/user/y");
	announce(&sources[0], "z", "/system/z");
	cr_assert_eq(told.done, 3);
	cr_assert_eq(told.total, 7);
	end(&told);
}

Test(discovery, switches_tools_off_by_name)
{
	struct told told;
	struct staged sources[2];

	begin(&told, sources, 2);
	ik_discovery_disable(told.discovery, "x");
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	announce(&sources[0], "x", "/system/x");
	announce(&sources[0], "y", "/system/y");
	announce(&sources[1], "x", "/user/x");
	sources[0].events->done(sources[0].arg, true, NULL);
	sources[1].events->done(sources[1].arg, true, NULL);
	support_loop_run(told.loop);
	cr_assert_null(ik_registry_find(told.registry, "x"));
	cr_assert_not_null(ik_registry_find(told.registry, "y"));
	cr_assert_eq(ik_registry_at(told.registry, 0)->state, IK_TOOL_DISABLED);
	cr_assert_eq(ik_registry_at(told.registry, 1)->state, IK_TOOL_DISABLED);
	end(&told);
}

Test(discovery, closes_in_the_middle_of_a_real_scan)
{
	struct told told;
	struct ik_source_directory_options options = {
		.path = FIXTURES "/bad", .origin = IK_SOURCE_SYSTEM, .timeout_ms = 10000
	};
	int files = support_open_files();

	begin(&told, NULL, 0);
	ik_discovery_add_source(told.discovery, ik_source_directory_new(told.loop, &options));
	/* The third of them never ends by itself. */
	told.close_at = 4;
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	support_loop_run(told.loop);
	cr_assert_gt(told.left, 0, "something was running");
	end(&told);
	cr_assert_eq(support_open_files(), files);
	cr_assert_eq(told.finished, 0);
	cr_assert_eq(support_children(), 0);
}

/* A source may be taken away at any time: during its scan, and with a tool of it in use. */
Test(discovery, loses_a_source)
{
	struct told told;
	struct staged sources[2], third = { .scans = 0 };
	const struct ik_tool *tool;

	begin(&told, sources, 2);
	ik_source_init(&third.source, &staged_ops, IK_SOURCE_USER);
	ik_discovery_add_lowest(told.discovery, &third.source);
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	announce(&sources[0], "x", "/system/x");
	announce(&third, "x", "/third/x");
	announce(&third, "y", "/third/y");
	for (int i = 0; i < 2; i++)
		sources[i].events->done(sources[i].arg, true, NULL);
	ik_discovery_remove_source(told.discovery, &third.source);
	cr_assert_eq(third.closes, 1);
	support_loop_run(told.loop);
	tool = ik_registry_find(told.registry, "x");
	cr_assert_str_eq(tool->path, "/system/x", "the third gives way");
	cr_assert_not_null(ik_registry_find(told.registry, "y"));
	cr_assert_eq(third.frees, 0, "it is in use");
	told.stop_after = 2;
	ik_discovery_scan(told.discovery, IK_CACHE_ALL);
	for (int i = 0; i < 2; i++)
		sources[i].events->done(sources[i].arg, true, NULL);
	support_loop_run(told.loop);
	cr_assert_null(ik_registry_find(told.registry, "y"));
	cr_assert_eq(third.scans, 1);
	cr_assert_eq(third.frees, 1);
	end(&told);
}
