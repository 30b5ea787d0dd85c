/*
 * discovery: scan all sources, and make a new registry from each scan.
 *
 * A scan builds a new registry while the old one stays in use. A scan requested during a scan
 * follows it; several requests become one.  A change in a tools' directory starts a scan that asks
 * only files that have changed.
 *
 * Owns its sources, its cache, the watch, and a reference to the newest registry. May include:
 * util, json, config, conversation, loop, tool.
 */
#ifndef IK_TOOL_DISCOVERY_H
#define IK_TOOL_DISCOVERY_H

#include "tool/source.h"

struct ik_discovery;

struct ik_discovery_events {
	/* Progress of the running scan; may be NULL. */
	void (*progress)(void *arg, size_t done, size_t total);
	/* A scan has ended with this registry (borrowed; take a reference). */
	void (*finished)(void *arg, struct ik_registry *registry);
	/* A scan begins, whatever started it. May be NULL. */
	void (*began)(void *arg);
	/* A problem that does not make a scan fail: not all directories can be watched. May be NULL. */
	void (*problem)(void *arg, const char *sentence);
};

struct ik_discovery *ik_discovery_new(struct ik_loop *loop,
	const struct ik_discovery_events *events, void *arg);
struct ik_discovery *ik_discovery_close(struct ik_discovery *discovery);

/* Add a source (taken over), in increasing order of precedence. */
void ik_discovery_add_source(struct ik_discovery *discovery, struct ik_source *source);
/* Add a source (taken over) whose tools give way to all others of their names; and close it again,
 * during a scan or not. Its tools go with the next scan. */
void ik_discovery_add_lowest(struct ik_discovery *discovery, struct ik_source *source);
void ik_discovery_remove_source(struct ik_discovery *discovery, struct ik_source *source);
/* Do not offer tools of that name, though they are listed. */
void ik_discovery_disable(struct ik_discovery *discovery, const char *name);
/* Enable all tools again, from the next scan on. */
void ik_discovery_enable_all(struct ik_discovery *discovery);

/* Set the cache for the sources (taken over), before they are created. */
void ik_discovery_use_cache(struct ik_discovery *discovery, struct ik_schema_cache *cache);
struct ik_schema_cache *ik_discovery_cache(const struct ik_discovery *discovery);

/* From now on start a scan whenever something changes in the sources' directories. */
void ik_discovery_watch(struct ik_discovery *discovery);

/* Start a scan, or another one after the running one, that uses so much of the cache. */
void ik_discovery_scan(struct ik_discovery *discovery, enum ik_cache_use use);

/* If a tool has timed out, ask those that failed again in the background, after that time. Nobody
 * waits for this scan, and only its end is reported. Call it after each scan. */
void ik_discovery_ask_later(struct ik_discovery *discovery, int64_t after_ms);
#define IK_DISCOVERY_LATER_MS 60000

/* Is a scan running that is worth waiting for? */
bool ik_discovery_scanning(const struct ik_discovery *discovery);

/* Return the registry of the last scan; before the first, an empty one in state NOT_STARTED. */
struct ik_registry *ik_discovery_registry(const struct ik_discovery *discovery);

#endif
