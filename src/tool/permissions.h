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
#ifndef IK_TOOL_PERMISSIONS_H
#define IK_TOOL_PERMISSIONS_H

#include "util/err.h"

/*
 * IK_OK, or IK_DENIED with what is wrong and the command that mends it (or what
 * the system said). A
 * symbolic link is followed; then the target's directory counts as well.
 */
enum ik_status ik_permissions_check(const char *path, struct ik_error *error) IK_MUST_USE;

#endif
