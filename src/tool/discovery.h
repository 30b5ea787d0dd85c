/*
 * discovery: scans of all sources, one registry at the end of each.
 *
 * A refresh builds a new registry beside the old one; a second refresh during
 * a scan is folded into one more scan after it.
 *
 * Owns its sources and a reference to the newest registry.
 * May include: util, json, config, conversation, loop, tool.
 */
#ifndef IK_TOOL_DISCOVERY_H
#define IK_TOOL_DISCOVERY_H

#include "tool/source.h"

struct ik_discovery;

struct ik_discovery_events {
	/* Progress of the running scan. */
	void (*progress)(void *arg, size_t done, size_t total);
	/* A scan ended: here is its registry (borrowed; take a reference). */
	void (*finished)(void *arg, struct ik_registry *registry);
};

struct ik_discovery *ik_discovery_new(struct ik_loop *loop,
	const struct ik_discovery_events *events, void *arg);
struct ik_discovery *ik_discovery_close(struct ik_discovery *discovery);

/* Sources in the order of precedence, lowest first; taken over. */
void ik_discovery_add_source(struct ik_discovery *discovery, struct ik_source *source);
/* A tool of that name is kept but not offered. */
void ik_discovery_disable(struct ik_discovery *discovery, const char *name);

/* Start a scan, or one more after the one that runs. */
void ik_discovery_scan(struct ik_discovery *discovery);
bool ik_discovery_scanning(const struct ik_discovery *discovery);

/* The newest finished registry; an empty one in state NOT_STARTED before. */
struct ik_registry *ik_discovery_registry(const struct ik_discovery *discovery);

#endif
