/*
 * identity: which file it is, and whether it is still as it was.
 *
 * Two equal identities mean the same contents, as far as an ordinary user can
 * bring it about: whatever changes a file, its mode, its owner or its name
 * sets the time of its last change (ctime), and no call sets that back.  What
 * this does not hold against: root, who can set the clock and write to the
 * disk beneath; a server of a network file system, which may say what it
 * likes; and two changes within one tick of that clock, for which there is
 * ik_identity_settles_ms().
 *
 * Pure but for the look at the file.  May include: util.
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

/* That of the file that path leads to (symbolic links are followed). The errno
 * value is in the sentence. */
enum ik_status ik_identity_read(const char *path, struct ik_identity *ret_identity,
	struct ik_error *error) IK_MUST_USE;

/* Is the file that path leads to still this one, as it was? */
bool ik_identity_holds(const char *path, const struct ik_identity *identity);

/*
 * In how many milliseconds a further change would be seen: until then one may
 * fall into the same tick of the file system's clock, with the same identity.
 * now_ns is the wall clock. 0: at once, and also for a change in the future (a
 * clock that was wrong), which waiting does not mend.
 */
int64_t ik_identity_settles_ms(const struct ik_identity *identity, int64_t now_ns);

#endif
