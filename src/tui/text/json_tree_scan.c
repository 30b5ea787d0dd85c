/* How the members of a container, the groups of a long one and the parts of a long text
 * are found: one pass over what the node covers, which may stop anywhere. */
#include "tui/text/json_tree_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/utf8.h"

#define SLICE IK_MIB(1)
#define MOST_NODES 20000 /* of so many, and so deep, none are unfolded but by hand */

/* A child's place in the tree as a number. */
static uint64_t path_below(uint64_t path, uint64_t step)
{
	uint64_t mixed = (path ^ (step + 1)) * UINT64_C(0x9e3779b97f4a7c15);

	return mixed ^ mixed >> 29;
}

void ik_tree_want(struct ik_json_tree *tree, struct ik_tree_node *node)
{
	if (node->wanted || !ik_tree_has_children(tree, node))
		return;
	node->wanted = true;
	if (tree->wanted_count == tree->wanted_capacity) {
		tree->wanted_capacity = tree->wanted_capacity ? tree->wanted_capacity * 2 : 64;
		tree->wanted = ik_alloc_array(tree->wanted, tree->wanted_capacity,
			sizeof(struct ik_tree_node *));
	}
	tree->wanted[tree->wanted_count++] = node;
}

/* Begin with the node that was wanted first, unless there are too many already. */
static void begin(struct ik_json_tree *tree)
{
	struct ik_tree_scan *scan = &tree->scan;
	struct ik_tree_node *node = tree->wanted[tree->wanted_first++];

	if (tree->wanted_first == tree->wanted_count)
		tree->wanted_first = tree->wanted_count = 0;
	if (tree->nodes >= MOST_NODES && !node->asked) {
		node->state = IK_TREE_FOLDED;
		node->wanted = false;
		return;
	}
	*scan = (struct ik_tree_scan){ .node = node, .at = node->start, .end = node->end };
	if (node->kind == IK_TREE_VALUE) {
		/* Within the brackets, or the quotes. */
		scan->at++;
		char last = tree->text.data[node->end - 1];

		if (node->end > scan->at && (last == '}' || last == ']' || last == '"'))
			scan->end--;
	}
}

/* Note where another group or part begins. */
static void add_start(struct ik_tree_scan *scan, uint32_t start, uint32_t lines)
{
	if (scan->group_count == scan->group_capacity) {
		scan->group_capacity = scan->group_capacity ? scan->group_capacity * 2 : 16;
		scan->starts = ik_alloc_array(scan->starts, scan->group_capacity, sizeof(uint32_t));
		scan->lines = ik_alloc_array(scan->lines, scan->group_capacity, sizeof(uint32_t));
	}
	scan->starts[scan->group_count] = start;
	scan->lines[scan->group_count++] = lines;
}

/* A child is complete. */
static void end_child(struct ik_json_tree *tree)
{
	struct ik_tree_scan *scan = &tree->scan;
	struct ik_tree_node *child = &scan->child;

	if (!scan->in_child)
		return;
	char first = tree->text.data[child->start];

	if ((first == '{' || first == '[') && scan->filled)
		child->count++;
	if (first == '"' &&
		(child->end - child->start < 4 ||
			memcmp(tree->text.data + child->end - 3, "\\n\"", 3) != 0))
		child->count++;
	if (scan->total % IK_TREE_GROUP == 0)
		add_start(scan, child->key_end > child->key ? child->key : child->start, 0);
	if (scan->total < IK_TREE_GROUP) {
		if (scan->total == scan->found_capacity) {
			scan->found_capacity = scan->found_capacity ? scan->found_capacity * 4 : 8;
			scan->found = ik_alloc_array(scan->found, scan->found_capacity, sizeof(*scan->found));
		}
		scan->found[scan->total] = *child;
	}
	scan->total++;
	scan->in_child = scan->has_key = scan->filled = false;
	*child = (struct ik_tree_node){ .key = 0 };
}

/* A byte that begins a key or a value, outside of strings. */
static void begin_item(struct ik_tree_scan *scan, bool object, bool quote)
{
	struct ik_tree_node *child = &scan->child;

	if (object && quote && !scan->has_key) {
		child->key = scan->at;
		child->key_end = scan->at + 1;
		scan->has_key = true;
	} else if (!scan->in_child) {
		child->start = scan->at;
		child->end = scan->at + 1;
		scan->in_child = true;
	}
}

/* What stands behind the byte at scan->at belongs to the child, or its key. */
static void extend(struct ik_tree_scan *scan)
{
	if (scan->in_child)
		scan->child.end = scan->at;
	else if (scan->has_key)
		scan->child.key_end = scan->at;
}

/* The bytes of a string up to its end, or up to stop. */
static void scan_string(struct ik_json_tree *tree, uint32_t stop)
{
	struct ik_tree_scan *scan = &tree->scan;
	const char *text = tree->text.data;
	bool counts = scan->in_child && scan->depth == 0;

	while (scan->at < stop && scan->in_string) {
		char byte = text[scan->at++];

		if (byte == '\\' && scan->at < scan->end) {
			scan->child.count += counts && text[scan->at] == 'n';
			scan->at++;
		} else if (byte == '"') {
			scan->in_string = false;
		}
	}
	extend(scan);
}

/* One byte outside of strings. */
static void scan_byte(struct ik_json_tree *tree, bool object)
{
	struct ik_tree_scan *scan = &tree->scan;
	char byte = tree->text.data[scan->at];

	if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') {
		scan->at++;
		return;
	}
	if (scan->depth == 0 && byte == ',') {
		end_child(tree);
		scan->at++;
		return;
	}
	if (scan->depth == 0 && byte == ':') {
		scan->at++;
		return;
	}
	if (scan->depth == 0)
		begin_item(scan, object, byte == '"');
	bool opens = byte == '{' || byte == '[', closes = byte == '}' || byte == ']';

	if (scan->depth == 1 && byte == ',')
		scan->child.count++;
	scan->filled = scan->filled || (scan->depth == 1 && !closes);
	scan->in_string = byte == '"';
	scan->depth += opens;
	scan->depth -= closes && scan->depth > 0;
	scan->at++;
	extend(scan);
}

/* Bytes of a long text: parts begin behind a line feed where there is one. */
static void scan_text(struct ik_json_tree *tree, uint32_t stop)
{
	struct ik_tree_scan *scan = &tree->scan;
	const char *text = tree->text.data;

	if (scan->group_count == 0)
		add_start(scan, scan->at, 0);
	while (scan->at < stop) {
		bool line = false;

		if (text[scan->at] == '\\' && scan->at + 1 < scan->end) {
			line = text[scan->at + 1] == 'n';
			scan->at += text[scan->at + 1] == 'u' ? 6 : 2;
			scan->total += line;
		} else {
			scan->at++;
		}
		uint32_t length = scan->at - scan->starts[scan->group_count - 1];

		if (length < IK_TREE_TEXT || scan->at >= scan->end)
			continue;
		/* The second half of a pair of escapes, or of a character, is no start. */
		bool half = ik_utf8_is_continuation(text[scan->at]) ||
			(scan->end - scan->at > 2 && text[scan->at] == '\\' && text[scan->at + 1] == 'u' &&
				(text[scan->at + 2] | 0x20) == 'd');
		if (!half && (line || length > IK_TREE_TEXT + IK_KIB(4)))
			add_start(scan, scan->at, scan->total);
	}
}

/* Make the children of what was found. */
static void finish(struct ik_json_tree *tree)
{
	struct ik_tree_scan *scan = &tree->scan;
	struct ik_tree_node *node = scan->node;
	bool text = node->kind == IK_TREE_VALUE && ik_tree_type(tree, node) == IK_JSON_STRING;

	if (!text)
		end_child(tree);
	bool groups = text || scan->total > IK_TREE_GROUP;
	node->child_count = groups ? scan->group_count : scan->total;
	if (!groups) {
		node->children = scan->found;
		scan->found = NULL;
	} else {
		node->children = ik_alloc_array(NULL, scan->group_count, sizeof(*node->children));
		for (uint32_t i = 0; i < scan->group_count; i++) {
			bool last = i + 1 == scan->group_count;
			uint32_t after = last ? scan->total
				: text            ? scan->lines[i + 1]
								  : (i + 1) * IK_TREE_GROUP;
			uint32_t first = text ? scan->lines[i] : i * IK_TREE_GROUP;

			node->children[i] = (struct ik_tree_node){
				.kind = text ? IK_TREE_PART_OF_TEXT : IK_TREE_GROUP_OF_ITEMS,
				.start = scan->starts[i],
				.end = last ? scan->end : scan->starts[i + 1],
				.index = text ? i : first,
				.count = after - first,
			};
		}
	}
	for (uint32_t i = 0; i < node->child_count; i++) {
		struct ik_tree_node *child = &node->children[i];

		child->parent = node;
		child->path = path_below(node->path, i);
		child->depth = (uint16_t)(node->depth + 1);
		child->last = i + 1 == node->child_count && (node->kind == IK_TREE_VALUE || node->last);
		child->state = (uint8_t)(tree->nodes < MOST_NODES && node->depth < IK_LIMIT_JSON_DEPTH
				? tree->state_of(tree->arg, child)
				: IK_TREE_USUAL);
	}
	node->read = true;
	if (!text && node->kind == IK_TREE_VALUE)
		node->count = scan->total;
	tree->nodes += node->child_count;
	for (uint32_t i = 0; i < node->child_count; i++)
		if (ik_tree_node_is_open(tree, &node->children[i]))
			ik_tree_want(tree, &node->children[i]);
	free(scan->found);
	free(scan->starts);
	free(scan->lines);
	*scan = (struct ik_tree_scan){ .node = NULL };
}

bool ik_json_tree_work(struct ik_json_tree *tree)
{
	struct ik_tree_scan *scan = &tree->scan;
	uint32_t budget = SLICE;

	while (budget > 0 && (scan->node || tree->wanted_count > 0)) {
		if (!scan->node)
			begin(tree);
		if (!scan->node)
			continue;
		uint32_t start = scan->at;
		uint32_t stop = scan->end - scan->at > budget ? scan->at + budget : scan->end;
		/* Of a group: what holds it says what it is. */
		const struct ik_tree_node *holder = scan->node->kind == IK_TREE_VALUE ? scan->node
																			  : scan->node->parent;
		enum ik_json_type type = ik_tree_type(tree, holder);

		if (type == IK_JSON_STRING)
			scan_text(tree, stop);
		while (scan->at < stop) {
			if (scan->in_string)
				scan_string(tree, stop);
			else
				scan_byte(tree, type == IK_JSON_OBJECT);
		}
		uint32_t done = scan->at - start + 1;
		budget -= done < budget ? done : budget;
		if (scan->at >= scan->end)
			finish(tree);
	}
	return ik_json_tree_waits(tree);
}

bool ik_json_tree_waits(const struct ik_json_tree *tree)
{
	return tree->scan.node || tree->wanted_count > 0;
}
