/*
 * file_put: give a file back the contents, mode or absence that it had.
 *
 * As in file_keep.h, each step does a few milliseconds of work.  The contents are written to a
 * temporary file in the same directory (".ikigai-*.tmp", like those of the tools), forced to the disk
 * and renamed over the file.  They are written in place where a rename would lose what is not ours
 * to change: hard links, a foreign owner or group, extended attributes, or a directory that cannot
 * be written.
 *
 * May include: util, json, undo/file_state.h.
 */
#ifndef IK_UNDO_FILE_PUT_H
#define IK_UNDO_FILE_PUT_H

#include "undo/file_state.h"

struct ik_file_put;

/*
 * Start to make a file what it was: give it its contents from objects and its mode, or remove it
 * (together with the empty directories that did not exist then). present is its state now; the file
 * is left alone if that has changed by the time it would be replaced. All are borrowed until the free.
 */
struct ik_file_put *ik_file_put_new(const char *objects, const char *path,
	const struct ik_file_state *wanted, const struct ik_file_state *present);
/* Do one step; true when it is done. */
bool ik_file_put_step(struct ik_file_put *put);
/* After that: did it work? *ret_state (to be released) is the new state of the file. */
enum ik_status ik_file_put_end(struct ik_file_put *put, struct ik_file_state *ret_state,
	struct ik_error *error) IK_MUST_USE;
struct ik_file_put *ik_file_put_free(struct ik_file_put *put);

#endif
