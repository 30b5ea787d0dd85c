/*
 * json_tree: JSON as a tree that folds and unfolds by node, printed a line each.
 *
 * Of a container that is unfolded at most IK_TREE_MEMBERS members are shown; of more it says how
 * many.  For texts of about a megabyte: what is larger is to be cut before.
 *
 * Owns its copy of the text and the nodes of the lines that were made last.  May include: util, json/scan.h,
 * tui/text/quantity.h.
 */
#ifndef IK_TUI_TEXT_JSON_TREE_H
#define IK_TUI_TEXT_JSON_TREE_H

#include "json/scan.h"

#define IK_TREE_MEMBERS 1000
#define IK_TREE_PREVIEW_LINES 12 /* of a longer text, */
#define IK_TREE_PREVIEW_ITEMS 20 /* and of a longer list, unless it was folded or unfolded */

enum ik_tree_state {
	IK_TREE_USUAL, /* what is long shows its beginning */
	IK_TREE_OPEN,
	IK_TREE_FOLDED
};

struct ik_tree_node {
	struct ik_tree_node *parent, *before; /* the one that was made before it */
	struct ik_json_span key;              /* with its quotes; no value: none */
	struct ik_json_span value;
	uint64_t path;  /* the same for the same place in another tree of the same text */
	uint32_t count; /* members, or lines */
	uint16_t depth;
	uint8_t state; /* of enum ik_tree_state */
	bool open;     /* it is unfolded */
	bool cut;      /* it shows its beginning only */
	bool last;     /* of its siblings */
};

struct ik_json_tree;

/* What a node's state is; its parent is complete. */
typedef enum ik_tree_state ik_tree_state_of(void *arg, const struct ik_tree_node *node);

/* Takes over the text, if it is JSON; else it stays, and NULL is returned. */
struct ik_json_tree *ik_json_tree_new(struct ik_buf *text, ik_tree_state_of *state_of, void *arg);
struct ik_json_tree *ik_json_tree_free(struct ik_json_tree *tree);

/* Return a member of the outermost object; no value: it has none. */
struct ik_json_span ik_json_tree_member(const struct ik_json_tree *tree, const char *name);

/* Can it be folded? */
bool ik_tree_node_folds(const struct ik_tree_node *node);

/* What a line is to its node. */
enum ik_tree_role {
	IK_TREE_HEAD, /* its first line, with its key; of a text all lines */
	IK_TREE_MORE, /* says that there is more of it */
	IK_TREE_FOOT  /* the bracket that ends it */
};
/* text: not sanitised; of a text that is shown as lines it has several. */
typedef void ik_tree_line(void *arg, struct ik_tree_node *node, enum ik_tree_role role,
	const char *text, size_t length);
/* Make the lines, and their nodes, which stay until this is called again. */
void ik_json_tree_lines(struct ik_json_tree *tree, ik_tree_line *line, void *arg);

/* Append a node for a clipboard: a text decoded, anything else as it came. */
void ik_json_tree_copy(const struct ik_tree_node *node, struct ik_buf *out);

#endif
