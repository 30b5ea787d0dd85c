/*
 * json_tree_private: a tree's state, shared by json_tree.c (how it reads) and
 * json_tree_scan.c (how members are found).
 */
#ifndef IK_TUI_TEXT_JSON_TREE_PRIVATE_H
#define IK_TUI_TEXT_JSON_TREE_PRIVATE_H

#include "tui/text/json_tree.h"

/* Where the search for one node's children stands. */
struct ik_tree_scan {
	struct ik_tree_node *node; /* NULL: nothing is looked for */
	uint32_t at, end;
	uint32_t depth; /* of brackets within the child */
	bool in_string, has_key, in_child, filled;
	struct ik_tree_node child;  /* as far as it was read */
	struct ik_tree_node *found; /* the first IK_TREE_GROUP, */
	uint32_t found_capacity;
	uint32_t *starts; /* where each group, or part of a text, begins */
	uint32_t *lines;  /* line feeds before each part */
	uint32_t group_count, group_capacity;
	uint32_t total; /* members, or line feeds */
};

struct ik_json_tree {
	struct ik_buf text;
	ik_tree_state_of *state_of;
	void *arg;
	struct ik_tree_node root;
	struct ik_tree_scan scan;
	struct ik_tree_node **wanted; /* whose children are to be found */
	size_t wanted_first, wanted_count, wanted_capacity;
	size_t nodes;
};

/* Of a value: its type by its first byte. */
enum ik_json_type ik_tree_type(const struct ik_json_tree *tree, const struct ik_tree_node *node);

/* Has it nodes under it: members, groups, parts? */
bool ik_tree_has_children(const struct ik_json_tree *tree, const struct ik_tree_node *node);

/* Let its children be found, unless they are. */
void ik_tree_want(struct ik_json_tree *tree, struct ik_tree_node *node);

#endif
