/*
 * schema_cache: remember the descriptions of tools, so that a scan need not ask them again.
 *
 * A file that has not changed (util/identity.h) would answer the same.  The text that the tool
 * printed is kept, and read again whenever it is used, so a newer ikigai judges for itself.  Kept
 * with it are the path, by which some tools know who they are, and the question that came first in
 * its directory.
 *
 * Good answers are saved in a file, and so are timeouts, since asking again would take as long. 
 * Other failures are remembered until the program ends, for scans that a change of another file
 * starts.  A file changed too recently for its identity to show a further change is not kept.
 *
 * The file is read at the start of a scan, and replaced by ik_schema_cache_save(), without the tools
 * that are gone.  A file that is damaged, of another version or owned by another user is ignored and
 * replaced.  Two programs that save at the same time do no harm: the later one adds what it finds,
 * and lost entries are asked again.
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
	IK_CACHE_NOTHING, /* none: ask all tools and keep their answers */
	IK_CACHE_ANSWERS, /* good answers: ask those that failed, too */
	IK_CACHE_ALL      /* failures, too: ask only what has changed */
};

/* Identifies a file. */
struct ik_cache_key {
	const char *path;
	struct ik_identity identity;
	enum ik_tool_protocol first; /* which question comes first */
};

/* The answer, or the failure. Borrowed. */
struct ik_cached {
	enum ik_tool_protocol protocol; /* of the question that was answered */
	const char *text;               /* as printed; NULL: it failed */
	size_t length;
	const char *code; /* of a failure; static */
	const char *reason;
};

/* path is the file; NULL: keep the cache in memory only. A file written by another version is not
 * used. Both strings are copied. */
struct ik_schema_cache *ik_schema_cache_new(const char *path, const char *version);
struct ik_schema_cache *ik_schema_cache_free(struct ik_schema_cache *cache);

/* Begin a scan. */
void ik_schema_cache_begin(struct ik_schema_cache *cache, enum ik_cache_use use);

/* False: the file must be asked. *ret_cached is valid until the entry is stored or forgotten. */
bool ik_schema_cache_find(struct ik_schema_cache *cache, const struct ik_cache_key *key,
	struct ik_cached *ret_cached);

/*
 * Store the result of asking a file that has not changed since; asked_ns is wall-clock time. The
 * contents of cached are copied.
 */
void ik_schema_cache_store(struct ik_schema_cache *cache, const struct ik_cache_key *key,
	int64_t asked_ns, const struct ik_cached *cached);

/* Asking failed for a reason that may be temporary: do not use the entry again. */
void ik_schema_cache_forget(struct ik_schema_cache *cache, const struct ik_cache_key *key);

/* Write the file if it would differ; create its directory (mode 0700). Does not wait for the disk. */
enum ik_status ik_schema_cache_save(struct ik_schema_cache *cache,
	struct ik_error *error) IK_MUST_USE;

#endif
