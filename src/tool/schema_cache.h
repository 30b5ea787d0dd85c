/*
 * schema_cache: remember the descriptions of tools, so that a scan need not ask them again.
 *
 * A file that has not changed (util/identity.h) would answer the same.  The text that the tool
 * printed is kept, and read again whenever it is used, so a newer ikigai judges for itself.  Kept
 * with it are the path, by which some tools know who they are, and the question that came first in
 * its directory.
 *
 * Good answers are appended to a file; so are timeouts, since another attempt would take as long.
 * Other failures are remembered until the program ends, for scans started by a change of another
 * file.  A file changed too recently for its identity to show a further change is not kept.
 *
 * The cache's file is read at the start of a scan, the tools that are gone left out.  One that is
 * damaged or has grown too large is removed; one that another user may write is ignored.  Several
 * programs may append at the same time.
 *
 * Owns its entries.  May include: util, tool/registry.h.
 */
#ifndef IK_TOOL_SCHEMA_CACHE_H
#define IK_TOOL_SCHEMA_CACHE_H

#include "tool/registry.h"
#include "util/identity.h"

struct ik_schema_cache;

/* Which entries a scan may use. */
enum ik_cache_use {
	IK_CACHE_NOTHING, /* ask all tools and store their answers */
	IK_CACHE_ANSWERS, /* good answers: ask those that failed, too */
	IK_CACHE_ALL      /* failures, too: ask only what has changed */
};

/* A file that was asked, and what came of it. */
struct ik_cached {
	/* These identify it. */
	const char *path;
	struct ik_identity identity;
	int64_t first; /* which question comes first: an enum ik_tool_protocol, or another number for
					  what is no question to a tool (tool/mcp/source.c) */

	enum ik_tool_protocol protocol; /* of the question that was answered */
	const char *text;               /* as printed; of a failure, the reason */
	size_t length;
	const char *code; /* of a failure (static); NULL: it answered */
};

/* path is the file (copied); NULL: keep the cache in memory only. */
struct ik_schema_cache *ik_schema_cache_new(const char *path);
struct ik_schema_cache *ik_schema_cache_free(struct ik_schema_cache *cache);

/* Begin a scan. */
void ik_schema_cache_begin(struct ik_schema_cache *cache, enum ik_cache_use use);

/* Return what is known about the file that key identifies, valid until something is stored; NULL:
 * it must be asked. */
const struct ik_cached *ik_schema_cache_find(const struct ik_schema_cache *cache,
	const struct ik_cached *key);

/*
 * Store the result of asking a file that has not changed since (copied); asked_ns is wall-clock
 * time. Without a text, asking failed for a reason that may be temporary: the file is unknown
 * again. If the file cannot be written, that is logged, and the cache lives in memory only.
 */
void ik_schema_cache_store(struct ik_schema_cache *cache, const struct ik_cached *cached,
	int64_t asked_ns);

#endif
