/*
 * writes: which files a call writes, as its tool's schema says.
 *
 * "annotations": {"writes": ["file_path"]} names the parameters each of which is the path of a
 * file that the tool writes, makes or removes (or an array of such paths).  A tool that says
 * so writes no others; one that neither says so nor is read-only may change anything.
 *
 * May include: util, json, tool/registry.h.
 */
#ifndef IK_TOOL_WRITES_H
#define IK_TOOL_WRITES_H

#include "tool/registry.h"

/* The files of a call in new memory, each once: absolute, links followed. directory is the
 * one that relative paths begin in. NULL: none. */
char **ik_writes_paths(const struct ik_tool *tool, const char *arguments, size_t length,
	const char *directory, size_t *ret_count);
void ik_writes_free(char **paths, size_t count);

/* May a call of it change anything? */
bool ik_writes_anything(const struct ik_tool *tool);

#endif
