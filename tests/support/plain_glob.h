/*
 * plain_glob: the paths that a pattern with ** matches, found in the simplest way.
 *
 * Every path of a tree is compared with the pattern, component by component,
 * each with fnmatch(3).  For the current locale, and for trees without symbolic
 * links to directories.
 */
#ifndef TESTS_SUPPORT_PLAIN_GLOB_H
#define TESTS_SUPPORT_PLAIN_GLOB_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define PLAIN_PATHS_MAX 1000

/* The paths below the current directory. */
struct plain_tree {
	size_t count;
	struct plain_path {
		char *text;
		bool directory;
	} paths[PLAIN_PATHS_MAX];
};

/* Read the tree below the current directory. */
struct plain_tree *plain_tree_new(void);
struct plain_tree *plain_tree_free(struct plain_tree *tree);

/* Does the pattern have "**" as a component? */
bool plain_is_deep(const char *pattern);

/* Does the pattern lead out of the tree, or have a component that is not a path in the tree
 * (".") or an escaped slash? Then this module can't judge it. */
bool plain_is_hopeless_glob(const char *pattern);

/* Does the C library itself read past the end of the pattern, as for "[a-"? */
bool plain_is_overread(const char *pattern);

/* Append the paths that match, each with a NUL, in byte order. */
void plain_glob(const struct plain_tree *tree, const char *pattern, struct ik_buf *out);

#endif
