/*
 * missing: what was meant by a path that leads nowhere.
 *
 * Hints are for reading, in whole sentences; when nothing helps, nothing is
 * appended.  The work for a hint is bounded, whatever the file system holds.
 *
 * May include: util, tools/common/suggestions.h.
 */
#ifndef IK_TOOLS_MISSING_PATH_H
#define IK_TOOLS_MISSING_PATH_H

#include "util/buf.h"

/*
 * Append why path does not lead to a file or directory (a directory on the way
 * is missing, a symbolic link dangles, "~" is not expanded) and which existing
 * one may have been meant: of a similar name, also where directories on the
 * way are misspelt, or of the same name elsewhere below the current directory.
 */
void ik_missing_path(const char *path, struct ik_buf *hint);

/* Append why no new file can be made at path: its directory is missing. */
void ik_missing_directory(const char *path, struct ik_buf *hint);

#endif
