/*
 * permissions: may this file be run as a tool at all?
 *
 * A tool runs with everything its user may do, so nobody else may be able to
 * change it: a file, or the directory it lies in, that is writable by others
 * or by a group other than the user's own primary group, or that belongs to
 * neither the user nor root, is refused.
 *
 * May include: util.
 */
#ifndef IK_GUARD_PERMISSIONS_H
#define IK_GUARD_PERMISSIONS_H

#include "util/err.h"

/*
 * IK_OK, or IK_DENIED with what is wrong and the command that mends it (or what
 * the system said). A
 * symbolic link is followed, and the directory of each on the way counts as well. A
 * sticky directory that all may write to is refused like any other; an access control
 * list counts where it names somebody.
 */
enum ik_status ik_permissions_check(const char *path, struct ik_error *error) IK_MUST_USE;

/*
 * The same for many files that are judged at once: a directory that was found good is not
 * judged again for the next file in it. Forget it between turns of the loop, for it can
 * change. Zeros are a fresh one; there is nothing to release.
 */
struct ik_permissions_memo {
	char good[1024]; /* the directory found good last; "": none */
};
enum ik_status ik_permissions_check_next(struct ik_permissions_memo *memo, const char *path,
	struct ik_error *error) IK_MUST_USE;

#endif
