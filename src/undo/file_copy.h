/*
 * file_copy: a file's bytes kept under the name of their hash, and put back.
 *
 * Both are done in slices, each of a few milliseconds, so that the loop can turn between
 * them.  Bytes are kept for as long as the process or the machine lives without being
 * forced to the disk; what is put back is written beside the old file, forced to the disk
 * and renamed over it (".ikigai-*.tmp", as the tools name theirs), or written in place where
 * that would change what is not ours to change: hard links, a foreign owner or group, extended
 * attributes, a directory that cannot be written.
 *
 * May include: util, json, undo/file_state.h.
 */
#ifndef IK_UNDO_FILE_COPY_H
#define IK_UNDO_FILE_COPY_H

#include "undo/file_state.h"

/* How many bytes a slice has. */
#define IK_FILE_SLICE IK_MIB(1)

/* ---- keeping ---- */

struct ik_file_keep;

/* Begin to keep a file of at most so many bytes in the directory objects, which is there.
 * Nothing is done yet. */
struct ik_file_keep *ik_file_keep_new(const char *objects, const char *path, size_t most);
/* Do a slice; true when it is over. */
bool ik_file_keep_step(struct ik_file_keep *keep);
/* Then: how the file stood (borrowed). Without a hash it is not kept: too large, not
 * readable, changed meanwhile. */
const struct ik_file_state *ik_file_keep_state(const struct ik_file_keep *keep);
struct ik_file_keep *ik_file_keep_free(struct ik_file_keep *keep);

/* ---- putting back ---- */

struct ik_file_put;

/*
 * Begin to make a file what it was: its bytes from objects, its mode, or its absence (then
 * with the directories that were missing, where they are empty). present is how it stands
 * now: it is not touched when it is another one by the time it would be replaced.
 */
struct ik_file_put *ik_file_put_new(const char *objects, const char *path,
	const struct ik_file_state *wanted, const struct ik_file_state *present);
/* Do a slice; true when it is over. */
bool ik_file_put_step(struct ik_file_put *put);
/* Then: did it work? *ret_state (to be released): how the file stands. */
enum ik_status ik_file_put_end(struct ik_file_put *put, struct ik_file_state *ret_state,
	struct ik_error *error) IK_MUST_USE;
struct ik_file_put *ik_file_put_free(struct ik_file_put *put);

#endif
