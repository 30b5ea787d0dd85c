/*
 * identity: which file it is, and whether it is unchanged.
 *
 * Equal identities mean equal contents as far as an ordinary user can influence it: any change to a
 * file's contents, mode, owner or name updates its ctime, and no system call can set that back. It
 * does not protect against root, who can set the clock and write to the disk directly; against a
 * network file server, which can report anything; nor against two changes within one clock tick,
 * for which see ik_identity_settles_ms().
 *
 * Pure apart from stat(2). May include: util.
 */
#ifndef IK_UTIL_IDENTITY_H
#define IK_UTIL_IDENTITY_H

#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>

struct stat;

struct ik_identity {
	uint64_t device, inode, size;
	int64_t mtime_ns, ctime_ns; /* nanoseconds since 1970 */
};

struct ik_identity ik_identity_of(const struct stat *status);
bool ik_identity_equal(const struct ik_identity *one, const struct ik_identity *other);

/* Read the identity of the file at path (symbolic links are followed). The sentence contains the
 * errno value. */
enum ik_status ik_identity_read(const char *path, struct ik_identity *ret_identity,
	struct ik_error *error) IK_MUST_USE;

/* Does path still name this file, unchanged? */
bool ik_identity_holds(const char *path, const struct ik_identity *identity);

/*
 * Return the milliseconds until a further change would be detected: before that, it could fall into
 * the same tick of the file system's clock and leave the identity equal. now_ns is the wall clock.
 * 0 means immediately; also for a ctime in the future (a wrong clock), where waiting does not help.
 */
int64_t ik_identity_settles_ms(const struct ik_identity *identity, int64_t now_ns);

#endif
