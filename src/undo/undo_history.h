/*
 * undo_history: read the undo journal of a session.
 *
 * Owns what it read.  May include: util, json, undo.
 */
#ifndef IK_UNDO_UNDO_HISTORY_H
#define IK_UNDO_UNDO_HISTORY_H

#include "undo/undo_journal.h"

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
	bool ended;
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
