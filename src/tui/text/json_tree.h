/*
 * json_tree: JSON as a tree whose nodes fold, printed one per line.
 *
 * At most IK_TREE_MEMBERS members of an unfolded container are shown, with the
 * number of the others.  For texts of up to about a megabyte; the caller cuts
 * larger ones.
 *
 * Owns its copy of the text, and the nodes of the last lines made.
 * May include: util, json/scan.h, tui/text/quantity.h.
 */
#ifndef IK_TUI_TEXT_JSON_TREE_H
#define IK_TUI_TEXT_JSON_TREE_H

#include "json/scan.h"

#define IK_TREE_MEMBERS 1000
#define IK_TREE_PREVIEW_LINES 12 /* limit of a longer text, */
#define IK_TREE_PREVIEW_ITEMS 20 /* and of a longer list, unless the user folded or unfolded it */

enum ik_tree_state {
	IK_TREE_USUAL, /* long ones show a preview */
	IK_TREE_OPEN,
	IK_TREE_FOLDED
};

struct ik_tree_node {
	struct ik_tree_node *parent, *before; /* before: the node made before this one */
	struct ik_json_span key;              /* quoted; empty if there is no key */
	struct ik_json_span value;
	uint64_t path;  /* the same in every tree of the same text */
	uint32_t count; /* number of members or lines */
	uint16_t depth;
	uint8_t state; /* of enum ik_tree_state */
	bool open;     /* it is unfolded */
	bool cut;      /* shows only a preview */
	bool last;     /* the last of its siblings */
};

struct ik_json_tree;

/* Return the state of a node, whose parent is complete. */
typedef enum ik_tree_state ik_tree_state_of(void *arg, const struct ik_tree_node *node);

/* Create a tree that takes over the text if it is JSON; otherwise return NULL and leave the
 * text. */
struct ik_json_tree *ik_json_tree_new(struct ik_buf *text, ik_tree_state_of *state_of, void *arg);
struct ik_json_tree *ik_json_tree_free(struct ik_json_tree *tree);

/* Return a member of the outermost object; empty if there is none. */
struct ik_json_span ik_json_tree_member(const struct ik_json_tree *tree, const char *name);

/* Can it be folded? */
bool ik_tree_node_folds(const struct ik_tree_node *node);

/* The part of a node that a line shows. */
enum ik_tree_role {
	IK_TREE_HEAD, /* its first line, with its key; all lines of a text */
	IK_TREE_MORE, /* says that it goes on */
	IK_TREE_FOOT  /* its closing bracket */
};
/* text: not sanitised; has several lines if a text is shown as lines. */
typedef void ik_tree_line(void *arg, struct ik_tree_node *node, enum ik_tree_role role,
	const char *text, size_t length);
/* Make the lines and their nodes, which are valid until the next call. */
void ik_json_tree_lines(struct ik_json_tree *tree, ik_tree_line *line, void *arg);

/* Append a node for the clipboard: a text decoded, anything else as it was received. */
void ik_json_tree_copy(const struct ik_tree_node *node, struct ik_buf *out);

#endif
