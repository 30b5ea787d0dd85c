/*
 * buffers: files that the editor has open and has not saved.
 *
 * A file tool of ikigai's own works on what the editor shows: before a call that reads a file, it
 * gets a private copy of the unsaved text; before one that changes a file, the editor saves it, so
 * that the change, and /undo, begin with that.
 *
 * May include: all but tui and the other front ends.
 */
#ifndef IK_ACP_BUFFERS_H
#define IK_ACP_BUFFERS_H

#include "acp/update.h"
#include "agent/session/runs.h"
#include "guard/sandbox.h"

struct ik_buffers {
	const struct ik_viewer *viewer;
	bool reads, writes; /* the editor can */
	const struct ik_sandbox *sandbox;
};

/* As struct ik_preparer has them; buffers may be NULL inside. */
struct ik_preparation *ik_buffers_prepare(const struct ik_buffers *buffers,
	const struct ik_tool *tool, struct ik_json_span arguments, ik_prepared *ready, void *arg);
void ik_buffers_close(struct ik_preparation *preparation);

#endif
