#include "tool/discovery.h"

#include <stdlib.h>
#include <string.h>

#include "loop/directory_watch.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/text.h"

/* A source, and whether its scan has finished. */
struct slot {
	struct ik_discovery *discovery;
	struct ik_source *source;
	size_t index;
	size_t done;
	size_t total;
	bool finished;
	bool readable;
	char *problem;
};

/* A tool that a scan has found, until the registry is made. */
struct discovery_found {
	struct ik_tool tool;
	size_t slot;
	size_t order; /* of its announcement */
};

struct ik_discovery {
	struct ik_loop *loop;
	struct ik_discovery_events events;
	void *arg;
	struct slot **slots; /* allocated separately, since sources keep their addresses */
	size_t slot_count;
	char **disabled;
	size_t disabled_count;
	struct discovery_found *found;
	size_t found_count;
	size_t found_capacity;
	struct ik_registry *registry;
	struct ik_schema_cache *cache;    /* NULL: none */
	struct ik_directory_watch *watch; /* NULL: not wanted */
	struct ik_timer *due;             /* runs until tools that timed out are asked again */
	bool scanning;
	bool quiet; /* nobody waits for this scan */
	bool again;
	enum ik_cache_use again_use; /* for the scan that follows */
	bool closed;
};

/* Places to watch, while they are collected. */
struct places {
	struct ik_watched *items;
	size_t count, capacity;
};

static void finish(void *arg);
static void start(struct ik_discovery *discovery, enum ik_cache_use use, bool quiet);
static void save_cache(struct ik_discovery *discovery);

/* Ask the tools that are due, unless a scan is running, whose end sets the timer again. */
static void on_due(void *arg)
{
	struct ik_discovery *discovery = arg;

	if (!discovery->scanning)
		start(discovery, IK_CACHE_DUE, true);
}

struct ik_discovery *ik_discovery_new(struct ik_loop *loop,
	const struct ik_discovery_events *events, void *arg)
{
	struct ik_discovery *discovery = ik_alloc(sizeof(*discovery));

	discovery->loop = loop;
	discovery->events = *events;
	discovery->arg = arg;
	discovery->registry = ik_registry_new();
	discovery->due = ik_timer_new(loop, on_due, discovery);
	return discovery;
}

/* Deferred: free the memory. */
static void release(void *arg)
{
	struct ik_discovery *discovery = arg;

	for (size_t i = 0; i < discovery->slot_count; i++) {
		ik_source_unref(discovery->slots[i]->source);
		free(discovery->slots[i]->problem);
		free(discovery->slots[i]);
	}
	free(discovery->slots);
	ik_discovery_enable_all(discovery);
	for (size_t i = 0; i < discovery->found_count; i++)
		ik_tool_clear(&discovery->found[i].tool);
	free(discovery->found);
	ik_registry_unref(discovery->registry);
	ik_schema_cache_free(discovery->cache);
	free(discovery);
}

struct ik_discovery *ik_discovery_close(struct ik_discovery *discovery)
{
	if (!discovery)
		return NULL;
	discovery->closed = true;
	/* Do not ask for a repetition of answers from a scan that others delay. */
	if (discovery->scanning)
		save_cache(discovery);
	ik_loop_cancel_deferred(discovery->loop, finish, discovery);
	discovery->due = ik_timer_close(discovery->due);
	discovery->watch = ik_directory_watch_close(discovery->watch);
	for (size_t i = 0; i < discovery->slot_count; i++) {
		struct ik_source *source = discovery->slots[i]->source;

		source->ops->close(source);
	}
	ik_loop_defer(discovery->loop, release, discovery);
	return NULL;
}

void ik_discovery_add_source(struct ik_discovery *discovery, struct ik_source *source)
{
	struct slot *slot = ik_alloc(sizeof(*slot));

	slot->discovery = discovery;
	slot->source = source;
	slot->index = discovery->slot_count;
	/* A source added during a scan takes part from the next scan on. */
	slot->finished = true;
	discovery->slots = ik_alloc_array(discovery->slots, discovery->slot_count + 1,
		sizeof(struct slot *));
	discovery->slots[discovery->slot_count++] = slot;
}

void ik_discovery_disable(struct ik_discovery *discovery, const char *name)
{
	discovery->disabled = ik_alloc_array(discovery->disabled, discovery->disabled_count + 1,
		sizeof(char *));
	discovery->disabled[discovery->disabled_count++] = ik_strdup(name);
}

void ik_discovery_enable_all(struct ik_discovery *discovery)
{
	for (size_t i = 0; i < discovery->disabled_count; i++)
		free(discovery->disabled[i]);
	free(discovery->disabled);
	discovery->disabled = NULL;
	discovery->disabled_count = 0;
}

static bool is_disabled(const struct ik_discovery *discovery, const char *name)
{
	for (size_t i = 0; i < discovery->disabled_count; i++) {
		if (strcmp(discovery->disabled[i], name) == 0)
			return true;
	}
	return false;
}

/* Order by precedence, then by path, whoever answered first. */
static int compare_found(const void *left, const void *right)
{
	const struct discovery_found *one = left, *other = right;
	int paths;

	if (one->slot != other->slot)
		return one->slot < other->slot ? -1 : 1;
	paths = strcmp(one->tool.path, other->tool.path);
	if (paths != 0)
		return paths;
	return one->order < other->order ? -1 : 1;
}

/* Make the registry from what was found. */
static struct ik_registry *make_registry(struct ik_discovery *discovery)
{
	struct ik_registry *registry = ik_registry_new();
	bool any_readable = false, any_problem = false;

	if (discovery->found_count > 0)
		qsort(discovery->found, discovery->found_count, sizeof(*discovery->found), compare_found);
	for (size_t i = 0; i < discovery->found_count; i++) {
		struct ik_tool *tool = &discovery->found[i].tool;

		if (tool->state == IK_TOOL_OK && is_disabled(discovery, tool->name))
			ik_tool_reject(tool, IK_TOOL_DISABLED, "DISABLED",
				ik_strdup(_("switched off, by tools.disabled in the configuration or in the tool "
							"browser")));
		ik_registry_add(registry, tool);
	}
	discovery->found_count = 0;
	for (size_t i = 0; i < discovery->slot_count; i++) {
		const struct slot *slot = discovery->slots[i];

		any_readable = any_readable || slot->readable;
		if (slot->problem) {
			any_problem = true;
			ik_registry_add_problem(registry, slot->problem);
		}
	}
	ik_registry_finish(registry, any_problem && !any_readable ? IK_SCAN_FAILED : IK_SCAN_COMPLETE);
	return registry;
}

/* Save the cache. */
static void save_cache(struct ik_discovery *discovery)
{
	struct ik_error error;

	if (discovery->cache && ik_schema_cache_save(discovery->cache, &error) != IK_OK)
		ik_log(IK_LOG_INFO, "cache of schemas: %s", error.text);
}

static void add_place(void *arg, const char *directory, const char *name)
{
	struct places *places = arg;

	if (places->count == places->capacity) {
		places->capacity = places->capacity > 0 ? places->capacity * 2 : 8;
		places->items = ik_alloc_array(places->items, places->capacity, sizeof(*places->items));
	}
	places->items[places->count++] = (struct ik_watched){ ik_strdup(directory),
		name ? ik_strdup(name) : NULL };
}

/* Watch the places that the sources name now. */
static void watch_places(struct ik_discovery *discovery)
{
	struct places places = { NULL, 0, 0 };

	for (size_t i = 0; i < discovery->slot_count; i++) {
		struct ik_source *source = discovery->slots[i]->source;

		if (source->ops->places)
			source->ops->places(source, add_place, &places);
	}
	ik_directory_watch_set(discovery->watch, places.items, places.count);
	for (size_t i = 0; i < places.count; i++) {
		free((char *)(uintptr_t)places.items[i].directory);
		free((char *)(uintptr_t)places.items[i].name);
	}
	free(places.items);
}

/* End the scan: replace the registry, report it, and start again if that was requested. */
static void finish(void *arg)
{
	struct ik_discovery *discovery = arg;

	/* The receiver can see that another scan follows, so that whoever requested that one does not
	 * mistake this one for it. */
	bool again = discovery->again;

	discovery->quiet = false;
	ik_registry_unref(discovery->registry);
	discovery->registry = make_registry(discovery);
	discovery->scanning = again;
	discovery->events.finished(discovery->arg, discovery->registry);
	if (discovery->closed)
		return;
	save_cache(discovery);
	if (discovery->watch)
		watch_places(discovery);
	if (!again)
		return;
	discovery->again = discovery->scanning = false;
	start(discovery, discovery->again_use, false);
}

/* Finish, between callbacks, when all sources are done. */
static void finish_if_done(struct ik_discovery *discovery)
{
	for (size_t i = 0; i < discovery->slot_count; i++) {
		if (!discovery->slots[i]->finished)
			return;
	}
	ik_loop_defer(discovery->loop, finish, discovery);
}

static void source_tool(void *arg, struct ik_tool *tool)
{
	struct slot *slot = arg;
	struct ik_discovery *discovery = slot->discovery;

	if (discovery->found_count == discovery->found_capacity) {
		discovery->found_capacity = discovery->found_capacity ? discovery->found_capacity * 2 : 16;
		discovery->found = ik_alloc_array(discovery->found, discovery->found_capacity,
			sizeof(*discovery->found));
	}
	discovery->found[discovery->found_count] = (struct discovery_found){
		.tool = *tool, .slot = slot->index, .order = discovery->found_count
	};
	discovery->found[discovery->found_count].tool.owner = ik_source_ref(slot->source);
	discovery->found_count++;
}

static void source_progress(void *arg, size_t done, size_t total)
{
	struct slot *slot = arg;
	struct ik_discovery *discovery = slot->discovery;
	size_t all_done = 0, all_total = 0;

	slot->done = done;
	slot->total = total;
	for (size_t i = 0; i < discovery->slot_count; i++) {
		all_done += discovery->slots[i]->done;
		all_total += discovery->slots[i]->total;
	}
	if (discovery->events.progress && !discovery->quiet)
		discovery->events.progress(discovery->arg, all_done, all_total);
}

static void source_done(void *arg, bool readable, const char *sentence)
{
	struct slot *slot = arg;

	slot->finished = true;
	slot->readable = readable;
	slot->problem = sentence ? ik_strdup(sentence) : NULL;
	finish_if_done(slot->discovery);
}

static void source_changed(void *arg)
{
	struct slot *slot = arg;

	start(slot->discovery, IK_CACHE_ALL, false);
}

/* Start a scan, or let one follow the running one; the request that uses least of the cache wins. */
static void start(struct ik_discovery *discovery, enum ik_cache_use use, bool quiet)
{
	static const struct ik_source_events events = { source_tool, source_progress, source_done,
		source_changed };

	if (discovery->scanning) {
		if (!discovery->again || use < discovery->again_use)
			discovery->again_use = use;
		if (discovery->quiet && !discovery->again && discovery->events.began)
			discovery->events.began(discovery->arg);
		discovery->again = true;
		return;
	}
	discovery->scanning = true;
	discovery->quiet = quiet;
	if (discovery->cache)
		ik_schema_cache_begin(discovery->cache, use);
	if (discovery->events.began && !quiet)
		discovery->events.began(discovery->arg);
	for (size_t i = 0; i < discovery->slot_count; i++) {
		struct slot *slot = discovery->slots[i];

		slot->done = slot->total = 0;
		slot->finished = slot->readable = false;
		free(slot->problem);
		slot->problem = NULL;
	}
	for (size_t i = 0; i < discovery->slot_count; i++) {
		struct slot *slot = discovery->slots[i];

		slot->source->ops->scan(slot->source, &events, slot);
	}
	finish_if_done(discovery);
}

void ik_discovery_scan(struct ik_discovery *discovery)
{
	start(discovery, IK_CACHE_TIMEOUTS, false);
}

void ik_discovery_ask_failed(struct ik_discovery *discovery)
{
	start(discovery, IK_CACHE_ANSWERS, false);
}

void ik_discovery_ask_due(struct ik_discovery *discovery)
{
	int64_t due_ms = discovery->cache ? ik_schema_cache_due_ms(discovery->cache) : -1;

	if (due_ms >= 0)
		ik_timer_start(discovery->due, due_ms);
	else
		ik_timer_stop(discovery->due);
}

void ik_discovery_rescan(struct ik_discovery *discovery)
{
	start(discovery, IK_CACHE_NOTHING, false);
}

void ik_discovery_use_cache(struct ik_discovery *discovery, struct ik_schema_cache *cache)
{
	ik_schema_cache_free(discovery->cache);
	discovery->cache = cache;
}

struct ik_schema_cache *ik_discovery_cache(const struct ik_discovery *discovery)
{
	return discovery->cache;
}

static void on_change(void *arg)
{
	start(arg, IK_CACHE_ALL, false);
}

static void on_watch_problem(void *arg, const char *sentence)
{
	struct ik_discovery *discovery = arg;

	ik_log(IK_LOG_ERROR, "%s", sentence);
	if (discovery->events.problem)
		discovery->events.problem(discovery->arg, sentence);
}

void ik_discovery_watch(struct ik_discovery *discovery)
{
	static const struct ik_directory_watch_events events = {
		.changed = on_change,
		.problem = on_watch_problem,
		.counts = ik_source_name_counts,
	};

	if (!discovery->watch)
		discovery->watch = ik_directory_watch_new(discovery->loop, &events, discovery);
	watch_places(discovery);
}

bool ik_discovery_scanning(const struct ik_discovery *discovery)
{
	return discovery->scanning && (!discovery->quiet || discovery->again);
}

struct ik_registry *ik_discovery_registry(const struct ik_discovery *discovery)
{
	return discovery->registry;
}
