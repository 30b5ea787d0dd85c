/*
 * target: a file whose contents are replaced as a whole or not at all.
 *
 * A regular file is written anew beside the old one (".ikigai-*.tmp"), made
 * durable, given the old one's mode, owner, ACL and extended attributes, and
 * renamed over it; symbolic links are followed.  Where that would change what
 * is not ours to change (hard links, a foreign owner, a directory that cannot
 * be written, an attribute that cannot be set), and for devices and FIFOs, the
 * file is written in place.
 *
 * A temporary is locked (flock) by its writer, so one without a lock belongs
 * to a run that was killed, and the next write in that directory removes it.
 *
 * Owns its descriptors.  May include: util, tools/common/answer.h,
 * tools/common/parts.h.
 */
#ifndef IK_TOOLS_TARGET_H
#define IK_TOOLS_TARGET_H

#include "tools/common/answer.h"
#include "tools/common/parts.h"

#include <sys/stat.h>

struct ik_target {
	const char *path;
	int directory; /* the directory that holds the file itself, -1: write in place */
	char *name;    /* its name there */
	int fd;        /* open for writing, -1: there is no file, or it is being executed */
	bool exists;
	struct stat status; /* of the file, if it exists */
	bool expected;      /* it must not have changed since status was taken */
};

enum ik_target_result {
	IK_TARGET_WRITTEN,
	IK_TARGET_CHANGED, /* somebody else wrote it meanwhile: nothing was done */
	IK_TARGET_FAILED   /* answered with the error */
};

/* Find the file that path stands for. False after answering with the error.
 * ik_target_close() either way. */
bool ik_target_open(struct ik_target *target, const char *path,
	struct ik_tool_answer *answer) IK_MUST_USE;

/* Demand that the file is, unchanged, the one described. False: it is not any
 * more; if it changes later, writing says so. */
bool ik_target_expect(struct ik_target *target, const struct stat *status) IK_MUST_USE;

/* Is that the same file with the same contents, as far as can be told? */
bool ik_target_same(const struct stat *one, const struct stat *other);

/* Replace the contents by the parts; those of an edit may lie in a map of the
 * file itself. */
enum ik_target_result ik_target_write(struct ik_target *target, const struct ik_parts *parts,
	struct ik_tool_answer *answer) IK_MUST_USE;

void ik_target_close(struct ik_target *target);

/*
 * Wait until no other tool works on the open file, so that calls that run at
 * the same time do not undo each other. False: path has another file by now,
 * open it and try again; attempt counts from 0. After some seconds the lock is
 * not waited for any longer, nor after many attempts.
 */
bool ik_target_lock(int fd, const char *path, int attempt) IK_MUST_USE;

#endif
