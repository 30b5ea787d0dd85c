/*
 * json_tree: JSON as a tree that folds and unfolds by node, printed a line each.
 *
 * Only what is unfolded has nodes.  A container's members are found when it is
 * unfolded, a slice at a time; of one with more than IK_TREE_GROUP members groups
 * stand for the members, of a text with more than IK_TREE_TEXT bytes parts.  The
 * scanner checks nothing and never leaves the text, whatever that holds.
 *
 * Owns its copy of the text and the nodes.  May include: util, json/scan.h,
 * tui/text/quantity.h.
 */
#ifndef IK_TUI_TEXT_JSON_TREE_H
#define IK_TUI_TEXT_JSON_TREE_H

#include "json/scan.h"

#define IK_TREE_GROUP 1000       /* members under one node */
#define IK_TREE_TEXT IK_KIB(64)  /* bytes of a text, as written, under one node */
#define IK_TREE_PREVIEW_LINES 12 /* of a longer text, */
#define IK_TREE_PREVIEW_ITEMS 20 /* and of a longer list, unless it was folded or unfolded */

enum ik_tree_state {
	IK_TREE_USUAL, /* what is long shows its beginning */
	IK_TREE_OPEN,
	IK_TREE_FOLDED
};

enum ik_tree_kind { IK_TREE_VALUE, IK_TREE_GROUP_OF_ITEMS, IK_TREE_PART_OF_TEXT };

/* Offsets are into the text. */
struct ik_tree_node {
	struct ik_tree_node *parent, *children;
	uint64_t path;         /* the same for the same place in another tree of the same text */
	uint32_t key, key_end; /* with its quotes; equal: none */
	uint32_t start, end;   /* of a value all of it, of a group or part what it covers */
	uint32_t count;        /* members, or lines */
	uint32_t index;        /* of a group or part: the first that it has, from 0 */
	uint32_t child_count;
	uint16_t depth;
	uint8_t kind;      /* of enum ik_tree_kind */
	uint8_t state;     /* of enum ik_tree_state */
	bool wanted, read; /* its children are looked for, are known */
	bool asked;        /* it was unfolded by hand */
	bool last;         /* of its siblings */
};

struct ik_json_tree;

/* What a node's state is, at first; the parent's is known. */
typedef enum ik_tree_state ik_tree_state_of(void *arg, const struct ik_tree_node *node);

/* Takes over the text, which is JSON (or something like it), below 4 GiB. */
struct ik_json_tree *ik_json_tree_new(struct ik_buf *text, ik_tree_state_of *state_of, void *arg);
struct ik_json_tree *ik_json_tree_free(struct ik_json_tree *tree);

/* Find members of what is unfolded, at most a slice's work (a few milliseconds); true:
 * there is more to do. */
bool ik_json_tree_work(struct ik_json_tree *tree);

/* Is there work to do? */
bool ik_json_tree_waits(const struct ik_json_tree *tree);

/* A member of the outermost object, if that was found already. */
struct ik_json_span ik_json_tree_member(const struct ik_json_tree *tree, const char *name);

/* Can it be folded? Is it unfolded? Set how it is. */
bool ik_tree_node_folds(const struct ik_json_tree *tree, const struct ik_tree_node *node);
bool ik_tree_node_is_open(const struct ik_json_tree *tree, const struct ik_tree_node *node);
/* Does it show its beginning only? */
bool ik_tree_node_is_cut(const struct ik_json_tree *tree, const struct ik_tree_node *node);
void ik_json_tree_set(struct ik_json_tree *tree, struct ik_tree_node *node,
	enum ik_tree_state state);

/* What a line is to its node. */
enum ik_tree_role {
	IK_TREE_HEAD, /* its first line, with its key; of a text all lines */
	IK_TREE_MORE, /* says that there is more of it */
	IK_TREE_FOOT  /* the bracket that ends it */
};
/* text: not sanitised; of a text that is shown as lines it has several. */
typedef void ik_tree_line(void *arg, struct ik_tree_node *node, enum ik_tree_role role,
	const char *text, size_t length);
void ik_json_tree_lines(struct ik_json_tree *tree, ik_tree_line *line, void *arg);

/* Append a node for a clipboard: a text decoded, anything else as it came. */
void ik_json_tree_copy(const struct ik_json_tree *tree, const struct ik_tree_node *node,
	struct ik_buf *out);

#endif
