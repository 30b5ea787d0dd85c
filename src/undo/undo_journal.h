/*
 * undo_journal: record, on this machine's disk, what the calls of a session did to files, and read
 * it.
 *
 * Each session has a directory below one root. Its file "journal" has one line of JSON for each
 * event, in order; the contents of files are beside it, named by their hashes (undo/file_keep.h).
 * A line is appended with one write(2) before what it records begins, so after a crash the next
 * process knows everything that was kept.
 *   {"call":{"id","turn","title","time","call_id","words","files":[{"path","before"}]}}
 *   {"done":{"id","files":[{"path","before","after"}]}}
 *   {"undo":{"id","turns":["..."],"calls":["..."],"files":[{"path","before","after"}]}}
 *   {"redo":{"id" of that undo}}
 *   {"parent":{"session","bytes"}}    first line of a fork: these bytes of its parent's journal
 * A call without "files" may have changed anything; "words" describe it.  If its changes are found
 * by comparing work trees (undo/worktree.h), it has "tree"; if not, "why" in either line gives the
 * reason.  A call's line is written when its files have been kept. "since" counts the lines of
 * other calls written between its start and that line, or, for a call that may have changed
 * anything, the lines of calls whose changes may be among those found.  In "done" it counts the
 * lines written since the call ended.
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
	const char *call_id;
	const char *words;                  /* the call in one line */
	const struct ik_file_change *files; /* as they are before it; NULL: it may change anything */
	size_t count;
	bool compared; /* a call that may change anything: its changes will be found */
	size_t since;  /* lines of other calls recorded while its files were kept */
	enum ik_worktree_problem problem; /* why they will not be */
};

/* Return the directory of a session (new memory), created if it is missing; NULL on failure. */
char *ik_undo_directory(const char *root, const char *session, struct ik_error *error);
/* Remove some of the sessions that have not been written for this many days. */
void ik_undo_sweep(const char *root, int64_t days);

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
	struct ik_error *error) IK_MUST_USE;

/* Let the journal of a fork begin with that of its parent so far. */
void ik_undo_fork(const char *root, const char *parent, const char *child);

/* Remove everything of a session. */
void ik_undo_forget(const char *root, const char *session);

/* ---- reading ---- */

struct ik_undo_call {
	char id[IK_UUID_TEXT];
	char *call_id; /* the model's ID */
	char *words;
	size_t turn;                      /* index */
	bool undone;                      /* undone by itself, without its turn */
	bool anything;                    /* it may have changed anything, and what it changed is
										 unknown */
	bool compared;                    /* what it changed is known from comparing work trees */
	enum ik_worktree_problem problem; /* why what it changed is unknown */
	size_t begun;                 /* number of its line among the lines of calls (from 0), and of */
	size_t over;                  /* its end; SIZE_MAX: it did not end */
	size_t noted;                 /* the line that reports its end */
	struct ik_file_change *files; /* after is UNKNOWN if it did not end */
	size_t count;
};

struct ik_undo_turn {
	char id[IK_UUID_TEXT];
	char *title;
	int64_t time_ms; /* of its first call */
	bool undone;
};

struct ik_undo_record {
	char id[IK_UUID_TEXT];
	bool redone;
	char (*turns)[IK_UUID_TEXT];
	size_t turn_count;
	char call[IK_UUID_TEXT]; /* "": none */
	struct ik_file_change *files;
	size_t count;
};

/* Everything in the journal, oldest first. */
struct ik_undo_history {
	struct ik_undo_turn *turns;
	size_t turn_count;
	struct ik_undo_call *calls;
	size_t call_count;
	size_t call_lines; /* number of lines about calls and their ends */
	struct ik_undo_record *undos;
	size_t undo_count;
	char **places; /* directories of the contents: its own first, then its parents'; never empty */
	size_t place_count;
};

/* Read the journal; a session without one has an empty history. Lines that cannot be read are
 * skipped. Release with ik_undo_history_done(). */
void ik_undo_history_read(const char *root, const char *session, struct ik_undo_history *history);
void ik_undo_history_done(struct ik_undo_history *history);

/*
 * Return the files that the turns from first to last (indexes) changed, or may have changed, with
 * their states before and after all of these turns: a new array, to be released with
 * ik_file_changes_free(). The state after a call that was cut off is UNKNOWN. Of several turns,
 * those that are undone do not count, nor do calls that were undone by themselves, unless
 * even_undone. What the user changed between two calls is not undone with them: the file gets the
 * user's contents. path: this file only; NULL: all files.
 */
struct ik_file_change *ik_undo_files(const struct ik_undo_history *history, size_t first,
	size_t last, const char *path, bool even_undone, size_t *ret_count);
/* The same for one call (its index). */
struct ik_file_change *ik_undo_files_of_call(const struct ik_undo_history *history, size_t call,
	size_t *ret_count);

/* Return the directory that has the contents with that hash (borrowed); NULL: they are gone. */
const char *ik_undo_place_of(const struct ik_undo_history *history, const char *hash);

#endif
