/*
 * candidate: one file that may be a tool, asked what it is.
 *
 * A tool is asked in the way of a protocol: `TOOL --schema` (native) or
 * `TOOL description` (Kodelet's).  Which comes first is its directory's word;
 * the other question follows only when the first was refused (an exit that is
 * not 0) or answered with something that is no JSON.  A time-out is final.
 *
 * When the time is up, what there is to read is read first.  Then the kernel is
 * asked how the tool, its threads and all that it started have fared: time in
 * which they waited for a processor is given back, and those that would run now
 * but cannot (no processor, a slow disk) are looked at again a moment later; four
 * times the time is the end of that.  One that sleeps, or had a processor all
 * along, gets no more.
 *
 * Owns the process and what it printed.
 * May include: util, json, loop, tool/protocol.h, tool/registry.h, tool/load.h,
 * guard/sandbox.h.
 */
#ifndef IK_TOOL_CANDIDATE_H
#define IK_TOOL_CANDIDATE_H

#include "loop/loop.h"
#include "tool/registry.h"

struct ik_candidate;
struct ik_sandbox;

/* All borrowed until the candidate is closed. */
struct ik_candidate_options {
	enum ik_tool_protocol first;                        /* whose question comes first */
	bool native_only;                                   /* Kodelet's question is not asked */
	int64_t timeout_ms;                                 /* for each question, from its spawn */
	const char *const *environments[IK_PROTOCOL_COUNT]; /* for each question; NULL: this
	                                                       process's */
	const char *working_directory;
	struct ik_sandbox *sandbox; /* its questions run in it; NULL: nothing is confined */
};

/*
 * Told once, also from inside ask: what the file is. A tool, or one that FAILED
 * with the code and the reason; path, name (of one that failed) and source are
 * the receiver's to fill, the strings become its own. The candidate may be
 * closed in here.
 */
typedef void ik_candidate_done(void *arg, struct ik_tool *tool);

struct ik_candidate *ik_candidate_new(struct ik_loop *loop, const char *path,
	const struct ik_candidate_options *options, ik_candidate_done *done, void *arg);

void ik_candidate_ask(struct ik_candidate *candidate);

/* Ask it only while its file is this one; one that was changed is UNTRUSTED. */
void ik_candidate_pin(struct ik_candidate *candidate, const struct ik_identity *identity);

/* Does nothing of what it started run, or want to? */
bool ik_candidate_asleep(const struct ik_candidate *candidate);

/* Silent at once; what runs is killed. Takes and returns NULL. */
struct ik_candidate *ik_candidate_close(struct ik_candidate *candidate);

#endif
