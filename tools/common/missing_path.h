/*
 * missing_path: hints for a path that does not exist.
 *
 * Hints are whole sentences; if nothing helps, nothing is appended.  The work for a hint is
 * limited, whatever the file system contains.
 *
 * May include: util, tools/common/suggestions.h.
 */
#ifndef IK_TOOLS_MISSING_PATH_H
#define IK_TOOLS_MISSING_PATH_H

#include "util/buf.h"

/*
 * Append why path does not exist (a directory is missing, a symbolic link dangles, "~" is not
 * expanded) and which existing file or directory may be meant: one with a similar name, even if
 * directories of the path are misspelled, or one with the same name elsewhere below the current
 * directory.
 */
void ik_missing_path(const char *path, struct ik_buf *hint);

/* Append why no file can be created at path: its directory is missing. */
void ik_missing_directory(const char *path, struct ik_buf *hint);

#endif
