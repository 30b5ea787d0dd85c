/*
 * candidate: ask one file whether it is a tool, and which.
 *
 * A file is asked in the way of a protocol: `TOOL --schema` (native) or `TOOL description`
 * (Kodelet's).  Its directory decides which comes first. The other question follows only if the
 * first was refused (exit status not 0) or the answer was not JSON.  A timeout is final.
 *
 * At the timeout, pending output is read first.  Then the kernel is asked about the tool, its
 * threads and its descendants: time that they waited for a processor is given back, and those that
 * want to run but cannot (no processor, a slow disk) are examined again a moment later, until four
 * times the timeout.  A tool that sleeps, or had a processor all along, gets no more time.
 *
 * Owns the process and its output. May include: util, json, loop, tool/protocol.h, tool/source.h,
 * tool/load.h, guard/sandbox.h.
 */
#ifndef IK_TOOL_CANDIDATE_H
#define IK_TOOL_CANDIDATE_H

#include "tool/source.h"

struct ik_candidate;

/*
 * Called once, perhaps from inside ask: the file is a tool, or one that FAILED with a code and a
 * reason. The receiver fills in path, name (of a failed one) and source; the strings become its
 * own. The candidate may be closed in here.
 */
typedef void ik_candidate_done(void *arg, struct ik_tool *tool);

/* identity (NULL: any) is the one that the file must have; otherwise it is UNTRUSTED. Of the options,
 * borrowed until the candidate is closed, those about questions count. */
struct ik_candidate *ik_candidate_new(struct ik_loop *loop, const char *path,
	const struct ik_identity *identity, const struct ik_source_directory_options *options,
	ik_candidate_done *done, void *arg);

void ik_candidate_ask(struct ik_candidate *candidate);

/* Stop at once, without a callback; kill what runs. Takes and returns NULL. */
struct ik_candidate *ik_candidate_close(struct ik_candidate *candidate);

#endif
