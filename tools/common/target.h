/*
 * target: a file whose contents are replaced completely or not at all.
 *
 * The new contents go to a temporary file in its directory (".ikigai-*.tmp"), which is forced to
 * the disk, given the old file's mode, owner, ACL and extended attributes, and renamed over it;
 * symbolic links are followed.  They are copied into the file itself if a rename would lose what is
 * not ours to change (hard links, a foreign owner, a directory that cannot be written, an attribute
 * that cannot be set), and for devices and FIFOs.
 *
 * A temporary file is locked (flock) by its writer. One without a lock was left by a killed
 * process, and the next write in that directory removes it.
 *
 * Owns its descriptors.  May include: util, tools/common/answer.h.
 */
#ifndef IK_TOOLS_TARGET_H
#define IK_TOOLS_TARGET_H

#include "tools/common/answer.h"

#include <sys/stat.h>

struct ik_target {
	const char *path;
	int directory; /* that contains the file itself, -1: write in place */
	char *name;    /* its name in there */
	int fd;        /* open for writing, -1: the file does not exist or is being executed */
	bool exists;
	struct stat status;    /* of the file, if it exists */
	int contents;          /* the new contents */
	char temporary[32];    /* name of that file, "": it is in memory */
	struct ik_buf pending; /* what is not written there yet */
	int number;            /* errno of the first failed write there, or 0 */
};

enum ik_target_result {
	IK_TARGET_WRITTEN,
	IK_TARGET_CHANGED, /* another process wrote it meanwhile: nothing was changed */
	IK_TARGET_FAILED   /* answered with the error */
};

/* Find the file that path refers to. False after answering with the error. Call ik_target_close()
 * either way. */
bool ik_target_open(struct ik_target *target, const char *path,
	struct ik_tool_answer *answer) IK_MUST_USE;

/* Append to the new contents; committing reports errors. */
void ik_target_write(struct ik_target *target, const char *bytes, size_t length);
/* Append NULs, as a hole. */
void ik_target_skip(struct ik_target *target, off_t length);

/* Replace the contents; expected: only if the file still has this status. */
enum ik_target_result ik_target_commit(struct ik_target *target, const struct stat *expected,
	struct ik_tool_answer *answer) IK_MUST_USE;

void ik_target_close(struct ik_target *target);

/*
 * Wait until no other tool works on the open file, so that simultaneous calls do not undo each
 * other. False: path refers to another file by now; open it and try again. attempt counts from 0.
 * Gives up waiting after some seconds, and after many attempts.
 */
bool ik_target_lock(int fd, const char *path, int attempt) IK_MUST_USE;

#endif
