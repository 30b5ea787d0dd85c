/*
 * permissions: may this file be run as a tool at all?
 *
 * A tool runs with all rights of its user, so no other user may be able to change it. A file is
 * refused if it, or its directory, is writable by others or by a group other than the user's own
 * primary group, or belongs to neither the user nor root.
 *
 * May include: util.
 */
#ifndef IK_GUARD_PERMISSIONS_H
#define IK_GUARD_PERMISSIONS_H

#include "util/err.h"

/*
 * Return IK_OK, or IK_DENIED with the problem and the command that fixes it (or the system's
 * error). Symbolic links are followed, and the directory of each link is checked, too. A sticky
 * directory that everyone may write to is refused like any other; an access control list counts if
 * it names a user or group.
 */
enum ik_status ik_permissions_check(const char *path, struct ik_error *error) IK_MUST_USE;

#endif
