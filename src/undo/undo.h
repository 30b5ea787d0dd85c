/*
 * undo: files brought back to what they were before a tool wrote them, or again to what it
 * left.
 *
 * A file is only touched when it is, byte for byte, what is expected: nothing that anybody
 * else did to it since is lost.  One that is forced is not asked, but what it is now is kept
 * like every other, so that this can be taken back, too.
 *
 * Work is done in slices.  May include: util, json, undo/undo_journal.h, undo/file_copy.h.
 */
#ifndef IK_UNDO_UNDO_H
#define IK_UNDO_UNDO_H

#include "undo/undo_journal.h"

/* A larger file is not kept. */
#define IK_UNDO_FILE_MOST IK_MIB(64)

enum ik_undo_outcome {
	IK_UNDO_READY, /* of a look: it would be done, as far as that is seen without reading it */
	IK_UNDO_DONE,
	IK_UNDO_ALREADY,  /* it is like that already */
	IK_UNDO_CHANGED,  /* somebody has changed it since: not touched */
	IK_UNDO_NO_FILE,  /* a directory, a link or the like has come to be in its place: not touched */
	IK_UNDO_CUT_OFF,  /* the call was cut off: what it left is not known; not touched */
	IK_UNDO_MOVED,    /* its directory has changed, or is reached through a link: not touched */
	IK_UNDO_NOT_KEPT, /* what it was is not there: it was too large, or is forgotten */
	IK_UNDO_FAILED    /* reason says why */
};

struct ik_undo_result {
	struct ik_undo_file file; /* before: wanted; after: expected */
	enum ik_undo_outcome outcome;
	bool present; /* there is a file now */
	struct ik_error reason;
	struct ik_undo_move move; /* once it is done; its path is file's */
};

struct ik_undo;

/*
 * Begin to bring files (an array of ik_undo_files(), taken over) back. directory: the
 * session's own, where what they are now is kept; NULL: only look how they stand. history is
 * borrowed until ik_undo_free(). Nothing is done yet.
 */
struct ik_undo *ik_undo_new(const char *directory, const struct ik_undo_history *history,
	struct ik_undo_file *files, size_t count, bool force);
/* Do a slice; true when it is over. */
bool ik_undo_advance(struct ik_undo *undo);
/* Then: what became of each (borrowed). */
const struct ik_undo_result *ik_undo_results(const struct ik_undo *undo, size_t *ret_count);
/* How many have that outcome. */
size_t ik_undo_count(const struct ik_undo *undo, enum ik_undo_outcome outcome);
/* The moves that were made, for the journal: an array in new memory that borrows. */
struct ik_undo_move *ik_undo_moves(const struct ik_undo *undo, size_t *ret_count);
struct ik_undo *ik_undo_free(struct ik_undo *undo);

#endif
