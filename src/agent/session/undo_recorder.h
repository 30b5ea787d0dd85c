/*
 * undo_recorder: writes down what calls do to files, for /undo (undo/undo_journal.h).
 *
 * Before a call starts, the files that it names are copied.  For one that may change anything,
 * the work tree is compared (undo/worktree.h): that result may come after the call has ended.
 *
 * Borrows the record.  May include: util, conversation, loop, guard, undo, tool,
 * agent/session/record.h, agent/session/file_writes.h.
 */
#ifndef IK_AGENT_SESSION_UNDO_RECORDER_H
#define IK_AGENT_SESSION_UNDO_RECORDER_H

#include "agent/session/file_writes.h"
#include "agent/session/record.h"
#include "tool/registry.h"

struct ik_sandbox;
struct ik_undo_recorder;

/* All borrowed. */
struct ik_undo_recorder_options {
	struct ik_session_record *record;
	const char *root;              /* of the journals; NULL: nothing is recorded */
	int64_t kept_days;             /* how long work trees are kept that are not used */
	const char *database;          /* changes of which are no call's doing; NULL: none */
	struct ik_file_writes *writes; /* of all sessions */
	struct ik_sandbox *sandbox;    /* what it hides from a tool is not copied */
};

struct ik_undo_recorder *ik_undo_recorder_new(const struct ik_undo_recorder_options *options);
/* Silent at once, after telling those who wait; what is not known yet is not recorded. */
struct ik_undo_recorder *ik_undo_recorder_close(struct ik_undo_recorder *recorder);

/* A turn starts: read the work tree where one of the tools may change anything. */
void ik_undo_recorder_start_turn(struct ik_undo_recorder *recorder,
	const struct ik_registry *registry);
/* The same when the tools are known, unless it was done. */
void ik_undo_recorder_prepare(struct ik_undo_recorder *recorder,
	const struct ik_registry *registry);

/* Is it written down what all calls that have ended did? */
bool ik_undo_recorder_is_done(const struct ik_undo_recorder *recorder);
/* The same, but true also where that takes too long. False: ready is called when it is, after a
 * few seconds at the latest, or when the recorder is closed. */
bool ik_undo_recorder_wait(struct ik_undo_recorder *recorder, void (*ready)(void *arg), void *arg);

/* ---- one call ---- */

struct ik_recording;

/* Borrowed until the recording has ended or is closed. */
struct ik_recorded_call {
	const struct ik_tool *tool; /* only until the recording has started; NULL: there is none */
	const char *name;
	const char *id;
	const char *arguments;
	size_t arguments_length;
	bool own; /* the user's, who made it with /run */
};

/* True: the call may start; false: ready is called when it may. *ret_recording is NULL where
 * nothing is recorded. What is told meanwhile may close it. */
bool ik_recording_start(struct ik_undo_recorder *recorder, const struct ik_recorded_call *call,
	void (*ready)(void *arg), void *arg, struct ik_recording **ret_recording);
/* The call has ended: write down what it did, now or when it is known. Takes NULL, returns NULL. */
struct ik_recording *ik_recording_end(struct ik_recording *recording);
/* The call is dropped. Takes NULL, returns NULL. */
struct ik_recording *ik_recording_close(struct ik_recording *recording);

#endif
