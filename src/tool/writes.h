/*
 * writes: which files a call writes, by its tool's schema.
 *
 * "annotations": {"writes": ["file_path"]} names the parameters that are paths (or arrays of paths)
 * of files which the tool writes, creates or removes.  Such a tool writes no other files; a tool
 * without this annotation that is not read-only may change anything.
 *
 * May include: util, json, tool/registry.h.
 */
#ifndef IK_TOOL_WRITES_H
#define IK_TOOL_WRITES_H

#include "tool/registry.h"

/* Return the files of a call in new memory, without duplicates: absolute, links followed. Relative
 * paths begin in directory. NULL: none. */
char **ik_writes_paths(const struct ik_tool *tool, const char *arguments, size_t length,
	const char *directory, size_t *ret_count);

/* May a call of the tool change anything at all? */
bool ik_writes_anything(const struct ik_tool *tool);

#endif
