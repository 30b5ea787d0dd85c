/*
 * discovery: scans of all sources, one registry at the end of each.
 *
 * A refresh builds a new registry beside the old one; a second refresh during
 * a scan is folded into one more scan after it.  What a change of the tools'
 * directories sets off asks only files that have changed.
 *
 * Owns its sources, its cache, what watches, and a reference to the newest registry.
 * May include: util, json, config, conversation, loop, tool.
 */
#ifndef IK_TOOL_DISCOVERY_H
#define IK_TOOL_DISCOVERY_H

#include "tool/source.h"

struct ik_discovery;

struct ik_discovery_events {
	/* Progress of the running scan; may be NULL. */
	void (*progress)(void *arg, size_t done, size_t total);
	/* A scan ended: here is its registry (borrowed; take a reference). */
	void (*finished)(void *arg, struct ik_registry *registry);
	/* A scan begins, by whosever wish. May be NULL. */
	void (*began)(void *arg);
	/* Something that makes no scan fail, in words: not all can be watched. May be NULL. */
	void (*problem)(void *arg, const char *sentence);
};

struct ik_discovery *ik_discovery_new(struct ik_loop *loop,
	const struct ik_discovery_events *events, void *arg);
struct ik_discovery *ik_discovery_close(struct ik_discovery *discovery);

/* Sources in the order of precedence, lowest first; taken over. */
void ik_discovery_add_source(struct ik_discovery *discovery, struct ik_source *source);
/* A tool of that name is kept but not offered. */
void ik_discovery_disable(struct ik_discovery *discovery, const char *name);
/* None is, from the next scan on. */
void ik_discovery_enable_all(struct ik_discovery *discovery);

/* The cache for its sources; taken over, saved after each scan. Before they are made. */
void ik_discovery_use_cache(struct ik_discovery *discovery, struct ik_schema_cache *cache);
struct ik_schema_cache *ik_discovery_cache(const struct ik_discovery *discovery);

/* From now on a change where the sources look starts a scan by itself. */
void ik_discovery_watch(struct ik_discovery *discovery);

/* Start a scan, or one more after the one that runs. The cache serves, also for tools that did
 * not answer in time; the second asks all that failed, the third all there are. */
void ik_discovery_scan(struct ik_discovery *discovery);
void ik_discovery_ask_failed(struct ik_discovery *discovery);
void ik_discovery_rescan(struct ik_discovery *discovery);

/*
 * Ask tools that timed out again in the background, IK_CACHE_DUE_NS after they were last asked:
 * nobody waits for this scan, and only its end is reported. To be called after each scan; no timer
 * runs while no tool has timed out.
 */
void ik_discovery_ask_due(struct ik_discovery *discovery);

/* Is there a scan that is worth waiting for? */
bool ik_discovery_scanning(const struct ik_discovery *discovery);

/* The newest finished registry; an empty one in state NOT_STARTED before. */
struct ik_registry *ik_discovery_registry(const struct ik_discovery *discovery);

#endif
