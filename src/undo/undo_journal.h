/*
 * undo_journal: record, on this machine's disk, what the calls of a session did to files.
 *
 * Each session has a directory below one root. Its file "journal" has one line of JSON for each
 * event, in order; the contents of files are beside it, named by their hashes (undo/file_keep.h). 
 * A line is appended with one write(2) before what it records begins, so after a crash the next
 * process knows everything that was kept.
 *   {"call":{"id","turn","title","time","name","call_id","words","files":[{"path","before"}]}}
 *   {"done":{"id","files":[{"path","before","after"}]}}
 *   {"undo":{"id","time","turns":["..."],"calls":["..."],"files":[{"path","before","after"}]}}
 *   {"redo":{"id" of that undo,"time","files":[...]}}
 *   {"parent":{"session","bytes"}}    first line of a fork: these bytes of its parent's journal
 * A call without "files" may have changed anything; "words" describe it.  If its changes are found
 * by comparing work trees (undo/worktree.h), it has "tree"; if not, "why" in either line gives the
 * reason.  A call's line is written when its files have been kept. "since" counts the lines of other
 * calls written between its start and that line, or, for a call that may have changed anything, the
 * lines of calls whose changes may be among those found.  In "done" it counts the lines written since
 * the call ended.
 *
 * May include: util, json, undo/file_state.h, undo/worktree.h.
 */
#ifndef IK_UNDO_UNDO_JOURNAL_H
#define IK_UNDO_UNDO_JOURNAL_H

#include "undo/file_state.h"
#include "undo/worktree.h"
#include "util/uuid.h"

/* A call that is about to start. All borrowed. */
struct ik_undo_call_line {
	const char *id;    /* a new UUID */
	const char *turn;  /* UUID of its turn */
	const char *title; /* what the user asked for in that turn */
	const char *name;  /* of the tool */
	const char *call_id;
	const char *words;                  /* the call in one line */
	const struct ik_file_change *files; /* as they are before it; NULL: it may change anything */
	size_t count;
	bool compared; /* a call that may change anything: its changes will be found */
	size_t since;  /* lines of other calls recorded while its files were kept */
	enum ik_worktree_problem problem; /* why they will not be */
};

/* Return the directory of a session (new memory), created if it is missing; NULL on failure.
 * Whenever one is created, sessions not written for IK_UNDO_KEPT_DAYS are removed. */
char *ik_undo_directory(const char *root, const char *session, struct ik_error *error);
#define IK_UNDO_KEPT_DAYS 30

enum ik_status ik_undo_note_call(const char *directory, const struct ik_undo_call_line *line,
	struct ik_error *error) IK_MUST_USE;

/* The end of a call. All borrowed. */
struct ik_undo_done_line {
	const char *id;
	enum ik_worktree_problem problem; /* why its changes are unknown */
	const struct ik_file_change *files;
	size_t count;
	size_t since; /* of a call that might have changed anything: lines of other calls recorded
	                 since it ended */
};
enum ik_status ik_undo_note_done(const char *directory, const struct ik_undo_done_line *line,
	struct ik_error *error) IK_MUST_USE;

/* What was undone completely: turns and at most one call (NULL: none), by their IDs. */
struct ik_undo_scope {
	const char *const *turns;
	size_t turn_count;
	const char *call;
};
/* Record that files were undone; id is a new UUID. */
enum ik_status ik_undo_note_undo(const char *directory, const char *id,
	const struct ik_undo_scope *whole, const struct ik_file_change *files, size_t count,
	struct ik_error *error) IK_MUST_USE;
/* Record that the undo with that id was redone. */
enum ik_status ik_undo_note_redo(const char *directory, const char *id,
	const struct ik_file_change *files, size_t count, struct ik_error *error) IK_MUST_USE;

/* Let the journal of a fork begin with that of its parent so far. */
void ik_undo_fork(const char *root, const char *parent, const char *child);

/* Remove everything of a session. */
void ik_undo_forget(const char *root, const char *session);

#endif
