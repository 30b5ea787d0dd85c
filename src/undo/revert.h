/*
 * revert: files brought back to what they were before a tool wrote them, or again to what it
 * left.
 *
 * A file is only touched when it is, byte for byte, what is expected: nothing that anybody
 * else did to it since is lost.  One that is forced is not asked, but what it is now is kept
 * like every other, so that this can be taken back, too.
 *
 * Work is done in slices.  May include: util, json, undo/revert_journal.h, undo/file_copy.h.
 */
#ifndef IK_UNDO_REVERT_H
#define IK_UNDO_REVERT_H

#include "undo/revert_journal.h"

/* A larger file is not kept. */
#define IK_REVERT_FILE_MOST IK_MIB(64)

enum ik_revert_outcome {
	IK_REVERT_READY, /* of a look: it would be done, as far as that is seen without reading it */
	IK_REVERT_DONE,
	IK_REVERT_ALREADY, /* it is like that already */
	IK_REVERT_CHANGED, /* somebody has changed it since: not touched */
	IK_REVERT_NO_FILE, /* a directory, a link or the like has come to be in its place: not touched */
	IK_REVERT_CUT_OFF,  /* the call was cut off: what it left is not known; not touched */
	IK_REVERT_MOVED,    /* its directory has changed, or is reached through a link: not touched */
	IK_REVERT_NOT_KEPT, /* what it was is not there: it was too large, or is forgotten */
	IK_REVERT_FAILED    /* reason says why */
};

struct ik_revert_result {
	struct ik_revert_file file; /* before: wanted; after: expected */
	enum ik_revert_outcome outcome;
	bool present; /* there is a file now */
	struct ik_error reason;
	struct ik_revert_move move; /* once it is done; its path is file's */
};

struct ik_revert;

/*
 * Begin to bring files (an array of ik_revert_files(), taken over) back. directory: the
 * session's own, where what they are now is kept; NULL: only look how they stand. history is
 * borrowed until ik_revert_free(). Nothing is done yet.
 */
struct ik_revert *ik_revert_new(const char *directory, const struct ik_revert_history *history,
	struct ik_revert_file *files, size_t count, bool force);
/* Do a slice; true when it is over. */
bool ik_revert_step(struct ik_revert *undo);
/* Then: what became of each (borrowed). */
const struct ik_revert_result *ik_revert_results(const struct ik_revert *undo, size_t *ret_count);
/* How many have that outcome. */
size_t ik_revert_count(const struct ik_revert *undo, enum ik_revert_outcome outcome);
/* The moves that were made, for the journal: an array in new memory that borrows. */
struct ik_revert_move *ik_revert_moves(const struct ik_revert *undo, size_t *ret_count);
struct ik_revert *ik_revert_free(struct ik_revert *undo);

#endif
