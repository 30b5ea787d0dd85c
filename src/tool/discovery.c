#include "tool/discovery.h"

#include <stdlib.h>
#include <string.h>

#include "loop/directory_watch.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/text.h"

/* A source, and its place. */
struct slot {
	struct ik_discovery *discovery;
	struct ik_source *source;
	size_t precedence;
	bool scanning; /* its scan runs */
};

struct ik_discovery {
	struct ik_loop *loop;
	struct ik_discovery_events events;
	void *arg;
	struct slot **slots; /* allocated separately, since sources keep their addresses */
	size_t slot_count;
	char **disabled;
	size_t disabled_count;
	struct ik_registry *registry;     /* of the last scan */
	struct ik_registry *next;         /* of the running scan, or NULL */
	size_t unfinished;                /* sources whose scan runs */
	size_t done, total;               /* candidates of the running scan */
	bool readable;                    /* one of them at least could be read */
	struct ik_schema_cache *cache;    /* NULL: none */
	struct ik_directory_watch *watch; /* NULL: not wanted */
	struct ik_timer *later;           /* runs until tools that timed out are asked again */
	bool scanning;
	bool quiet; /* no caller waits for this scan */
	bool again;
	enum ik_cache_use again_use; /* for the scan that follows */
	bool closed;
};

/* Places to watch, while they are collected. */
struct places {
	struct ik_watched *items;
	size_t count;
};

static void finish(void *arg);
static void finish_if_done(struct ik_discovery *discovery);
static void start(struct ik_discovery *discovery, enum ik_cache_use use, bool quiet);

/* Ask tools that failed, unless a scan is running, whose end sets the timer again. */
static void on_later(void *arg)
{
	struct ik_discovery *discovery = arg;

	if (!discovery->scanning)
		start(discovery, IK_CACHE_ANSWERS, true);
}

struct ik_discovery *ik_discovery_new(struct ik_loop *loop,
	const struct ik_discovery_events *events, void *arg)
{
	struct ik_discovery *discovery = ik_alloc(sizeof(*discovery));

	discovery->loop = loop;
	discovery->events = *events;
	discovery->arg = arg;
	discovery->registry = ik_registry_new();
	discovery->later = ik_timer_new(loop, on_later, discovery);
	return discovery;
}

/* Deferred: free the memory. */
static void release(void *arg)
{
	struct ik_discovery *discovery = arg;

	for (size_t i = 0; i < discovery->slot_count; i++) {
		ik_source_unref(discovery->slots[i]->source);
		free(discovery->slots[i]);
	}
	free(discovery->slots);
	ik_discovery_enable_all(discovery);
	ik_registry_unref(discovery->registry);
	ik_registry_unref(discovery->next);
	ik_schema_cache_free(discovery->cache);
	free(discovery);
}

struct ik_discovery *ik_discovery_close(struct ik_discovery *discovery)
{
	if (!discovery)
		return NULL;
	discovery->closed = true;
	ik_loop_cancel_deferred(discovery->loop, finish, discovery);
	discovery->later = ik_timer_close(discovery->later);
	discovery->watch = ik_directory_watch_close(discovery->watch);
	for (size_t i = 0; i < discovery->slot_count; i++) {
		struct ik_source *source = discovery->slots[i]->source;

		source->ops->close(source);
	}
	ik_loop_defer(discovery->loop, release, discovery);
	return NULL;
}

static void add_slot(struct ik_discovery *discovery, struct ik_source *source, size_t precedence)
{
	struct slot *slot = ik_alloc(sizeof(*slot));

	slot->discovery = discovery;
	slot->source = source;
	slot->precedence = precedence;
	discovery->slots = ik_alloc_array(discovery->slots, discovery->slot_count + 1,
		sizeof(struct slot *));
	discovery->slots[discovery->slot_count++] = slot;
}

void ik_discovery_add_source(struct ik_discovery *discovery, struct ik_source *source)
{
	add_slot(discovery, source, 1 + discovery->slot_count);
}

void ik_discovery_add_lowest(struct ik_discovery *discovery, struct ik_source *source)
{
	add_slot(discovery, source, 0);
}

/* Deferred: free the memory of a source that was closed. */
static void free_source(void *arg)
{
	ik_source_unref(arg);
}

void ik_discovery_remove_source(struct ik_discovery *discovery, struct ik_source *source)
{
	size_t i = 0;
	struct slot *slot;

	while (discovery->slots[i]->source != source)
		i++;
	slot = discovery->slots[i];
	source->ops->close(source);
	if (slot->scanning) {
		discovery->unfinished--;
		finish_if_done(discovery);
	}
	memmove(discovery->slots + i, discovery->slots + i + 1,
		(--discovery->slot_count - i) * sizeof(struct slot *));
	free(slot);
	ik_loop_defer(discovery->loop, free_source, source);
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

static void add_place(void *arg, const char *directory, const char *name)
{
	struct places *places = arg;

	places->items = ik_alloc_more(places->items, places->count, sizeof(*places->items));
	places->items[places->count++] = (struct ik_watched){ ik_strdup(directory),
		name ? ik_strdup(name) : NULL };
}

/* Watch the places that the sources name now. */
static void watch_places(struct ik_discovery *discovery)
{
	struct places places = { NULL, 0 };

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
	discovery->registry = discovery->next;
	discovery->next = NULL;
	ik_registry_finish(discovery->registry,
		ik_registry_problem_count(discovery->registry) > 0 && !discovery->readable
			? IK_SCAN_FAILED
			: IK_SCAN_COMPLETE);
	discovery->scanning = again;
	discovery->events.finished(discovery->arg, discovery->registry);
	if (discovery->closed)
		return;
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
	if (discovery->unfinished == 0)
		ik_loop_defer(discovery->loop, finish, discovery);
}

static void tell_progress(const struct ik_discovery *discovery)
{
	if (discovery->events.progress && !discovery->quiet)
		discovery->events.progress(discovery->arg, discovery->done, discovery->total);
}

static void source_found(void *arg, size_t count)
{
	struct ik_discovery *discovery = ((struct slot *)arg)->discovery;

	discovery->total += count;
	tell_progress(discovery);
}

static void source_tool(void *arg, struct ik_tool *tool)
{
	const struct slot *slot = arg;
	struct ik_discovery *discovery = slot->discovery;

	tool->precedence = slot->precedence;
	tool->owner = ik_source_ref(slot->source);
	if (ik_tool_is_offered(tool) && is_disabled(discovery, tool->name))
		ik_tool_reject(tool, IK_TOOL_DISABLED, "DISABLED",
			ik_strdup(_("switched off, by tools.disabled in the configuration or in the tool "
						"browser")));
	ik_registry_add(discovery->next, tool);
	discovery->done++;
	tell_progress(discovery);
}

static void source_done(void *arg, bool readable, const char *sentence)
{
	struct slot *slot = arg;
	struct ik_discovery *discovery = slot->discovery;

	slot->scanning = false;
	discovery->unfinished--;
	discovery->readable = discovery->readable || readable;
	if (sentence)
		ik_registry_add_problem(discovery->next, sentence);
	finish_if_done(discovery);
}

static void source_changed(void *arg)
{
	struct slot *slot = arg;

	start(slot->discovery, IK_CACHE_ALL, false);
}

/* Start a scan, or let one follow the running one; the request that uses least of the cache wins.
 */
static void start(struct ik_discovery *discovery, enum ik_cache_use use, bool quiet)
{
	static const struct ik_source_events events = { source_tool, source_found, source_done,
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
	discovery->next = ik_registry_new();
	discovery->unfinished = discovery->slot_count;
	discovery->readable = false;
	discovery->done = discovery->total = 0;
	for (size_t i = 0; i < discovery->slot_count && !discovery->closed; i++) {
		struct slot *slot = discovery->slots[i];

		slot->scanning = true;
		slot->source->ops->scan(slot->source, &events, slot);
	}
	finish_if_done(discovery);
}

void ik_discovery_scan(struct ik_discovery *discovery, enum ik_cache_use use)
{
	start(discovery, use, false);
}

void ik_discovery_ask_later(struct ik_discovery *discovery, int64_t after_ms)
{
	const struct ik_tool *tool;

	ik_timer_stop(discovery->later);
	for (size_t i = 0; (tool = ik_registry_at(discovery->registry, i)); i++)
		if (tool->code && ik_text_equal(tool->code, IK_CODE_SCHEMA_TIMEOUT))
			ik_timer_start(discovery->later, after_ms);
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
