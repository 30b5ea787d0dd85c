/*
 * file_keep: copy a file's bytes into a directory of objects, under the name of their hash.
 *
 * A step copies one slice, which takes a few milliseconds, so that the loop can turn between steps.
 * The copy survives the death of the process, but is not forced to the disk.
 *
 * May include: util, json, undo/file_state.h.
 */
#ifndef IK_UNDO_FILE_KEEP_H
#define IK_UNDO_FILE_KEEP_H

#include "undo/file_state.h"

/* Bytes of one step. */
#define IK_FILE_SLICE IK_MIB(1)
/* A larger file is not kept. */
#define IK_FILE_KEPT_MOST IK_MIB(64)

struct ik_file_keep;

/* Prepare to copy a file into the directory objects, which must exist. Both are borrowed until the
 * free. */
struct ik_file_keep *ik_file_keep_new(const char *objects, const char *path);
/* Do one step; true when the copy is complete. */
bool ik_file_keep_step(struct ik_file_keep *keep);
/* After that: return the state of the file (borrowed). It has no hash if the file was not copied:
 * too large, not readable, or changed meanwhile. */
const struct ik_file_state *ik_file_keep_state(const struct ik_file_keep *keep);
struct ik_file_keep *ik_file_keep_free(struct ik_file_keep *keep);

#endif
