/*
 * undo_journal: what the calls of a session did to files, on the disk of this machine.
 *
 * For each session a directory below one root: "journal" has a line of JSON for each
 * thing that happened, in order, and beside it lie the bytes of files under their hashes
 * (undo/file_copy.h).  A line is there before what it tells of is begun, and is appended
 * with one write(2): whatever kills the program, what was kept is known to the next one.
 *   {"call":{"id","turn","title","time","name","call_id","words","files":[{"path","state"}]}}
 *   {"done":{"id","files":[{"path","state"}]}}
 *   {"undo":{"id","time","turns":["..."],"calls":["..."],"files":[{"path","from","to"}]}}
 *   {"redo":{"id" of that undo,"time","files":[...]}}
 *   {"parent":{"session","bytes"}}    first in a fork's: it has so much of its parent's journal
 * A call without "files" may have changed anything; "words" say what it was.  Then "tree" is there
 * where what it changes is found by comparing the work tree (undo/worktree.h), and "files" of
 * "done" have "before", too; where it is not, "why" has the word for the reason, in either line.  A
 * call's line comes when its files are kept; "since" says before how many lines of other calls that
 * was begun, or, where it may have changed anything, whose doing may be among what is found.  In
 * "done" it says before how many the call was over.
 *
 * May include: util, json, undo/file_state.h, undo/worktree.h.
 */
#ifndef IK_UNDO_UNDO_JOURNAL_H
#define IK_UNDO_UNDO_JOURNAL_H

#include "undo/file_state.h"
#include "undo/worktree.h"
#include "util/uuid.h"

/* ---- writing ---- */

/* A file of a call, as it was before (or, once that is done, after) it. */
struct ik_undo_entry {
	char *path; /* absolute, without links */
	struct ik_file_state state;
};

/* A call that is about to be made. All borrowed. */
struct ik_undo_call_line {
	const char *id;    /* a new UUID */
	const char *turn;  /* which turn it belongs to: a UUID */
	const char *title; /* what the person asked for in it */
	const char *name;  /* of the tool */
	const char *call_id;
	const char *words;                   /* the call in one line */
	const struct ik_undo_entry *entries; /* NULL: it may change anything */
	size_t count;
	bool compared; /* where it may change anything: what it changes will be found */
	size_t since;  /* so many lines of other calls were noted while its files were kept */
	enum ik_worktree_problem problem; /* why not */
};

/* The directory of a session, made where it is missing (new memory); NULL: it cannot be. When
 * one is made, those that nobody wrote to for IK_UNDO_KEPT_DAYS go. */
char *ik_undo_directory(const char *root, const char *session, struct ik_error *error);
#define IK_UNDO_KEPT_DAYS 30

enum ik_status ik_undo_note_call(const char *directory, const struct ik_undo_call_line *line,
	struct ik_error *error) IK_MUST_USE;
enum ik_status ik_undo_note_done(const char *directory, const char *id,
	const struct ik_undo_entry *entries, size_t count, struct ik_error *error) IK_MUST_USE;

/* The same of a call that might have changed anything, and changed these; or why that cannot be
 * told. since: so many lines of other calls were noted since it was over. */
enum ik_status ik_undo_note_changes(const char *directory, const char *id,
	enum ik_worktree_problem problem, const struct ik_worktree_change *changes, size_t count,
	size_t since, struct ik_error *error) IK_MUST_USE;

/* A file that was brought from one state to another. */
struct ik_undo_move {
	char *path;
	struct ik_file_state from, to;
};

/* What was taken back as a whole: so many turns, and a call (NULL: none), by their ids. */
struct ik_undo_scope {
	const char *const *turns;
	size_t turn_count;
	const char *call;
};
/* Files were taken back; id: a new one's. */
enum ik_status ik_undo_note_undo(const char *directory, const char *id,
	const struct ik_undo_scope *whole, const struct ik_undo_move *moves, size_t count,
	struct ik_error *error) IK_MUST_USE;
/* What was taken back by the undo of that id was brought again. */
enum ik_status ik_undo_note_redo(const char *directory, const char *id,
	const struct ik_undo_move *moves, size_t count, struct ik_error *error) IK_MUST_USE;

/* A session is a fork of another: it has what that one did so far. */
void ik_undo_fork(const char *root, const char *parent, const char *child);

/* Forget all of a session. */
void ik_undo_forget(const char *root, const char *session);

/* ---- reading ---- */

/* A file that a turn changed, or may have. */
struct ik_undo_file {
	char *path;
	struct ik_file_state before, after;
	bool ended;  /* false: a call that writes it was cut off, what it left is not known */
	size_t over; /* of several calls: when the last of them was (struct ik_undo_call) */
};

struct ik_undo_call {
	char id[IK_UUID_TEXT];
	char *call_id; /* the model's */
	char *words;
	size_t turn;                      /* its index */
	bool undone;                      /* it was taken back by itself */
	bool anything;                    /* it may have changed anything, and it is not known what */
	bool compared;                    /* it might have, and that is known by comparing trees */
	enum ik_worktree_problem problem; /* of one that is not known: why */
	bool ended;
	size_t begun; /* which line of calls it, and its end, is in the journal (from 0); */
	size_t over;  /* SIZE_MAX: it did not end */
	size_t noted; /* in which line its end is */
	struct ik_undo_file *files;
	size_t count;
};

struct ik_undo_turn {
	char id[IK_UUID_TEXT];
	char *title;
	int64_t time_ms; /* of its first call */
	bool undone;     /* it was taken back */
};

struct ik_undo_record {
	char id[IK_UUID_TEXT];
	bool redone;
	char (*turns)[IK_UUID_TEXT];
	size_t turn_count;
	char call[IK_UUID_TEXT]; /* "": none */
	struct ik_undo_move *moves;
	size_t count;
};

/* Everything that a session has, oldest first. */
struct ik_undo_history {
	struct ik_undo_turn *turns;
	size_t turn_count;
	struct ik_undo_call *calls;
	size_t call_count;
	size_t call_lines; /* that tell of a call, or of its end */
	struct ik_undo_record *undos;
	size_t undo_count;
	char **places; /* where bytes are: its own directory first, then its parents'; never empty */
	size_t place_count;
};

/* Read it; a session without a journal has nothing. Lines that cannot be read are left out.
 * Release with ik_undo_history_done(). */
void ik_undo_history_read(const char *root, const char *session, struct ik_undo_history *history);
void ik_undo_history_done(struct ik_undo_history *history);

/*
 * The files that the turns from first to last (indexes) changed, as they were before all and
 * after all of them, in new memory: *ret_count of them, released with ik_undo_files_free().
 * Of several turns those that were taken back do not count, nor do calls that were taken back by
 * themselves, unless even_undone. What the user did to a file between two calls is not undone with
 * them: it is then as the user left it. path: only this one; NULL: all.
 */
struct ik_undo_file *ik_undo_files(const struct ik_undo_history *history, size_t first, size_t last,
	const char *path, bool even_undone, size_t *ret_count);
/* The same of one call (its index) alone. */
struct ik_undo_file *ik_undo_files_of_call(const struct ik_undo_history *history, size_t call,
	size_t *ret_count);
/* It is known that the file is as it was before: a call that would have written it failed, say. */
bool ik_undo_file_unchanged(const struct ik_undo_file *file);
void ik_undo_files_free(struct ik_undo_file *files, size_t count);

/* The directory in which the bytes of that hash are (borrowed); NULL: they are not there. */
const char *ik_undo_place_of(const struct ik_undo_history *history, const char *hash);

#endif
