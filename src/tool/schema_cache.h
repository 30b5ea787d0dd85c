/*
 * cache: what tools said of themselves, so that a scan need not ask them again.
 *
 * A file that is as it was (util/identity.h) would say the same again.  What is
 * kept is the text that the tool printed; whoever takes it reads it anew, so a
 * newer program judges for itself.  Kept with it: the path, by which some tools
 * know who they are, and whose question came first in that directory.
 *
 * Answers that were good outlive the program in one file, and so does who did not answer in
 * time: asking again takes as long.  Other failures are remembered until the program
 * ends, for scans that another file's change starts.  An identity that is too young to
 * tell a further change is not kept at all.
 *
 * The file is read once, when it is first needed, and replaced as a whole by
 * ik_schema_cache_save().  One that is damaged, of another version or another
 * user's is passed over and replaced.  Two programs that save at the same time
 * do no harm: the later one adds what it finds; what gets lost is asked again.
 *
 * Owns its entries.  May include: util, tool/registry.h.
 */
#ifndef IK_TOOL_SCHEMA_CACHE_H
#define IK_TOOL_SCHEMA_CACHE_H

#include "tool/registry.h"
#include "util/identity.h"

struct ik_schema_cache;

/* What a scan may take from it. */
enum ik_cache_use {
	IK_CACHE_NOTHING,  /* all are asked; what they say is kept */
	IK_CACHE_ANSWERS,  /* good answers */
	IK_CACHE_TIMEOUTS, /* and time-outs */
	IK_CACHE_DUE,      /* all but time-outs that are due: older than IK_CACHE_DUE_NS */
	IK_CACHE_ALL       /* all failures, too: only what has changed is asked */
};
#define IK_CACHE_DUE_NS (INT64_C(60) * 1000 * 1000 * 1000)

/* Which file it is about. */
struct ik_cache_key {
	const char *path;
	struct ik_identity identity;
	enum ik_tool_protocol first; /* whose question comes first */
};

/* What it said, or why it said nothing. Borrowed. */
struct ik_cached {
	enum ik_tool_protocol protocol; /* of the question that was answered */
	const char *text;               /* as printed; NULL: it failed */
	size_t length;
	const char *code; /* of a failure; static */
	const char *reason;
};

/* path is the file; NULL: only as long as the program runs. A file that another
 * version wrote is not taken. Both are copied. */
struct ik_schema_cache *ik_schema_cache_new(const char *path, const char *version);
struct ik_schema_cache *ik_schema_cache_free(struct ik_schema_cache *cache);

/* A scan begins. */
void ik_schema_cache_begin(struct ik_schema_cache *cache, enum ik_cache_use use);

/* False when it has to be asked. What is found is valid until the next call. */
bool ik_schema_cache_find(struct ik_schema_cache *cache, const struct ik_cache_key *key,
	struct ik_cached *ret_cached);

/*
 * It was asked at that time (wall clock, nanoseconds) and is as it was before.
 * What is borrowed in cached is copied.
 */
void ik_schema_cache_store(struct ik_schema_cache *cache, const struct ik_cache_key *key,
	int64_t asked_ns, const struct ik_cached *cached);

/* It was asked in vain, for a reason that need not last: what is kept of it is
 * not taken again. */
void ik_schema_cache_forget(struct ik_schema_cache *cache, const struct ik_cache_key *key);

/* In how many milliseconds the first time-out that this scan has taken is due, at least 0;
 * -1: it has taken none. */
int64_t ik_schema_cache_due_ms(const struct ik_schema_cache *cache);

/* All files of that directory were looked at in this scan: forget the others. */
void ik_schema_cache_sweep(struct ik_schema_cache *cache, const char *directory);

/* Write the file if it would differ; its directory is made (mode 0700). Does not
 * wait for the disk. */
enum ik_status ik_schema_cache_save(struct ik_schema_cache *cache,
	struct ik_error *error) IK_MUST_USE;

#endif
