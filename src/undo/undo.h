/*
 * undo: give files the contents they had before a tool wrote them, or redo that.
 *
 * A file is touched only if it is, byte for byte, what is expected, so no later change is lost.
 * With force it is not checked, but its contents are kept first, so that this can be undone, too.
 *
 * Works in steps.  May include: util, json, undo.
 */
#ifndef IK_UNDO_UNDO_H
#define IK_UNDO_UNDO_H

#include "undo/undo_journal.h"

enum ik_undo_outcome {
	IK_UNDO_READY, /* preview: it would be done, as far as that is known without reading the file */
	IK_UNDO_DONE,
	IK_UNDO_ALREADY,  /* there is nothing to do */
	IK_UNDO_CHANGED,  /* the file has changed since: not touched */
	IK_UNDO_NO_FILE,  /* it is a directory, a link or the like now: not touched */
	IK_UNDO_CUT_OFF,  /* the call was cut off, so what it left is unknown: not touched */
	IK_UNDO_MOVED,    /* its directory has changed, or is reached through a link now: left alone */
	IK_UNDO_NOT_KEPT, /* its old contents are gone: the file was too large, or they were
						 forgotten */
	IK_UNDO_FAILED    /* reason says why */
};

struct ik_undo_result {
	struct ik_file_change file; /* before: the wanted state; after: the expected one */
	enum ik_undo_outcome outcome;
	bool present; /* the file exists */
	struct ik_error reason;
	struct ik_file_change done; /* if it was done; its path is file's */
};

struct ik_undo;

/*
 * Start to undo files (an array of ik_undo_files(), taken over). directory is the session's, where
 * their current contents are kept; NULL: preview only. history is borrowed until ik_undo_free().
 * Does no work yet.
 */
struct ik_undo *ik_undo_new(const char *directory, const struct ik_undo_history *history,
	struct ik_file_change *files, size_t count, bool force);
/* Do one step; true when all is done. */
bool ik_undo_advance(struct ik_undo *undo);
/* After that: return the result for each file (borrowed). */
const struct ik_undo_result *ik_undo_results(const struct ik_undo *undo, size_t *ret_count);
/* Count the files with that outcome. */
size_t ik_undo_count(const struct ik_undo *undo, enum ik_undo_outcome outcome);
/* Return the changes that were made, for the journal: a new array whose elements are borrowed. */
struct ik_file_change *ik_undo_changes(const struct ik_undo *undo, size_t *ret_count);
struct ik_undo *ik_undo_free(struct ik_undo *undo);

#endif
