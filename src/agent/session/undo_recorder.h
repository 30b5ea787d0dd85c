/*
 * undo_recorder: journals what calls do to files, for /undo (undo/undo_journal.h).
 *
 * Before a call starts, the files that it names are copied. For a call that may change anything,
 * the work tree is compared before and after (undo/worktree.h); that may take longer than the call.
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

/* Everything is borrowed. */
struct ik_undo_recorder_options {
	struct ik_session_record *record;
	const char *root;              /* directory of the journals; NULL: record nothing */
	int64_t kept_days;             /* how long unused work trees are kept, in days */
	const char *database;          /* path of the database, whose changes no call causes; NULL: no
	                                  database */
	struct ik_file_writes *writes; /* of all sessions */
	struct ik_sandbox *sandbox;    /* files that it hides from a tool are not copied */
};

struct ik_undo_recorder *ik_undo_recorder_new(const struct ik_undo_recorder_options *options);
/* Call back those who wait, then end; changes that are not yet known are not recorded. Takes NULL.
 * Returns NULL. */
struct ik_undo_recorder *ik_undo_recorder_close(struct ik_undo_recorder *recorder);

/* Start a turn: read the work tree if one of the tools may change anything. */
void ik_undo_recorder_start_turn(struct ik_undo_recorder *recorder,
	const struct ik_registry *registry);
/* Do the same when the tools become known, unless it was done. */
void ik_undo_recorder_prepare(struct ik_undo_recorder *recorder,
	const struct ik_registry *registry);

/* Are the changes of all calls that have ended recorded? */
bool ik_undo_recorder_is_done(const struct ik_undo_recorder *recorder);
/* Like ik_undo_recorder_is_done(), but true also if recording takes too long. If false, ready is
 * called when everything is recorded, after a few seconds at most, or when the recorder is
 * closed. */
bool ik_undo_recorder_wait(struct ik_undo_recorder *recorder, void (*ready)(void *arg), void *arg);

/* ---- one call ---- */

struct ik_recording;

/* Borrowed until the recording has ended or is closed. */
struct ik_recorded_call {
	const struct ik_tool *tool; /* valid only until the recording has started; NULL: no such tool */
	const char *name;
	const char *line; /* what it does, in words */
	const char *id;
	const char *arguments;
	size_t arguments_length;
	bool own; /* made by the user with /run */
};

/* Start recording a call. Return true if the call may start, false if ready is called when it may.
 * *ret_recording is NULL if nothing is recorded. Events emitted meanwhile may close it. */
bool ik_recording_start(struct ik_undo_recorder *recorder, const struct ik_recorded_call *call,
	void (*ready)(void *arg), void *arg, struct ik_recording **ret_recording);
/* Record what the call did, since it has ended; that may be completed later. Takes NULL. Returns
 * NULL. */
struct ik_recording *ik_recording_end(struct ik_recording *recording);
/* Drop the recording of a call that is dropped. Takes NULL. Returns NULL. */
struct ik_recording *ik_recording_close(struct ik_recording *recording);

#endif
