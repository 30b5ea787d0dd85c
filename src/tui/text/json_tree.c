#include "tui/text/json_tree.h"

#include <stdlib.h>
#include <string.h>

#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define SLICE IK_MIB(1)
#define MOST_NODES 20000   /* of so many, and so deep, none are unfolded but by hand */
#define LONG_BYTES 4000    /* a text of one line that is longer shows its beginning, */
#define PREVIEW_BYTES 1000 /* so much of it; of lines: */
#define PREVIEW_MOST 8000
#define USUAL_NODES 5000 /* of so many no more are unfolded unasked, */
#define USUAL_DEPTH 12   /* nor what is deeper */

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

/* A child's place in the tree as a number. */
static uint64_t path_below(uint64_t path, uint64_t step)
{
	uint64_t mixed = (path ^ (step + 1)) * UINT64_C(0x9e3779b97f4a7c15);

	return mixed ^ mixed >> 29;
}

/* Bytes of a node as it is written. */
static uint32_t size_of(const struct ik_tree_node *node)
{
	return node->end - node->start;
}

/* Return the type of a value, by its first byte. */
static enum ik_json_type type_of(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	return ik_json_span_type((struct ik_json_span){
		tree->text.data + node->start, node->end - node->start });
}

/* Return whether there are nodes under this one: members, groups or parts. */
static bool has_children(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	if (node->kind != IK_TREE_VALUE)
		return node->kind == IK_TREE_GROUP_OF_ITEMS;
	enum ik_json_type type = type_of(tree, node);

	if (type == IK_JSON_STRING)
		return size_of(node) > IK_TREE_TEXT;
	return type == IK_JSON_ARRAY || type == IK_JSON_OBJECT;
}

/* Queue a node for the search for its children, unless they are known. */
static void want(struct ik_json_tree *tree, struct ik_tree_node *node)
{
	if (node->wanted || !has_children(tree, node))
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
static void begin_scan(struct ik_json_tree *tree)
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
static void finish_scan(struct ik_json_tree *tree)
{
	struct ik_tree_scan *scan = &tree->scan;
	struct ik_tree_node *node = scan->node;
	bool text = node->kind == IK_TREE_VALUE && type_of(tree, node) == IK_JSON_STRING;

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
			want(tree, &node->children[i]);
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
			begin_scan(tree);
		if (!scan->node)
			continue;
		uint32_t start = scan->at;
		uint32_t stop = scan->end - scan->at > budget ? scan->at + budget : scan->end;
		/* Of a group: what holds it says what it is. */
		const struct ik_tree_node *holder = scan->node->kind == IK_TREE_VALUE ? scan->node
																			  : scan->node->parent;
		enum ik_json_type type = type_of(tree, holder);

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
			finish_scan(tree);
	}
	return ik_json_tree_waits(tree);
}

bool ik_json_tree_waits(const struct ik_json_tree *tree)
{
	return tree->scan.node || tree->wanted_count > 0;
}

struct ik_json_tree *ik_json_tree_new(struct ik_buf *text, ik_tree_state_of *state_of, void *arg)
{
	struct ik_json_tree *tree = ik_alloc(sizeof(*tree));

	tree->text = *text;
	ik_buf_init(text, IK_LIMIT_ENVELOPE);
	tree->state_of = state_of;
	tree->arg = arg;
	size_t start = 0, end = tree->text.length;

	while (start < end && (unsigned char)tree->text.data[start] <= ' ')
		start++;
	while (end > start && (unsigned char)tree->text.data[end - 1] <= ' ')
		end--;
	tree->root = (struct ik_tree_node){
		.start = (uint32_t)start,
		.end = (uint32_t)end,
		.path = 1,
		.last = true,
	};
	tree->root.state = (uint8_t)state_of(arg, &tree->root);
	if (type_of(tree, &tree->root) == IK_JSON_STRING)
		for (size_t i = start; i + 1 < end; i++) {
			bool escape = tree->text.data[i] == '\\';

			tree->root.count += escape && tree->text.data[i + 1] == 'n';
			i += escape;
		}
	if (tree->root.count > 0 && memcmp(tree->text.data + end - 3, "\\n\"", 3) != 0)
		tree->root.count++;
	want(tree, &tree->root);
	return tree;
}

/* Free what is under a node. */
static void free_children(struct ik_tree_node *node)
{
	for (uint32_t i = 0; i < node->child_count; i++)
		free_children(&node->children[i]);
	free(node->children);
}

struct ik_json_tree *ik_json_tree_free(struct ik_json_tree *tree)
{
	if (!tree)
		return NULL;
	free_children(&tree->root);
	free(tree->scan.found);
	free(tree->scan.starts);
	free(tree->scan.lines);
	free(tree->wanted);
	ik_buf_done(&tree->text);
	free(tree);
	return NULL;
}

struct ik_json_span ik_json_tree_member(const struct ik_json_tree *tree, const char *name)
{
	for (uint32_t i = 0; i < tree->root.child_count; i++) {
		const struct ik_tree_node *child = &tree->root.children[i];
		struct ik_json_span key = { tree->text.data + child->key, child->key_end - child->key };

		if (child->key_end > child->key && ik_json_string_is(key, name))
			return (struct ik_json_span){ tree->text.data + child->start,
				child->end - child->start };
	}
	return (struct ik_json_span){ NULL, 0 };
}

bool ik_tree_node_folds(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	if (node->kind != IK_TREE_VALUE)
		return true;
	switch (type_of(tree, node)) {
	case IK_JSON_ARRAY:
	case IK_JSON_OBJECT:
		return !node->read || node->child_count > 0;
	case IK_JSON_STRING:
		return node->count > 1 || size_of(node) > LONG_BYTES;
	default:
		return false;
	}
}

/* Is it so long that the usual state shows only its beginning? */
static bool is_long(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	if (type_of(tree, node) == IK_JSON_STRING)
		return node->count > IK_TREE_PREVIEW_LINES + 1 || size_of(node) > LONG_BYTES;
	return (node->read ? node->child_count : node->count) > IK_TREE_PREVIEW_ITEMS + 1;
}

bool ik_tree_node_is_open(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	if (node->state != IK_TREE_USUAL)
		return node->state == IK_TREE_OPEN;
	if (node->kind != IK_TREE_VALUE)
		return false;
	if (type_of(tree, node) == IK_JSON_STRING)
		return !is_long(tree, node);
	if (node == &tree->root)
		return true;
	return node->count <= IK_TREE_GROUP && node->depth <= USUAL_DEPTH &&
		(node->read || tree->nodes < USUAL_NODES);
}

bool ik_tree_node_is_cut(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	return node->kind == IK_TREE_VALUE && node->state == IK_TREE_USUAL && is_long(tree, node) &&
		(type_of(tree, node) == IK_JSON_STRING || ik_tree_node_is_open(tree, node));
}

void ik_json_tree_set(struct ik_json_tree *tree, struct ik_tree_node *node,
	enum ik_tree_state state)
{
	node->state = (uint8_t)state;
	node->asked = true;
	if (ik_tree_node_is_open(tree, node))
		want(tree, node);
}

/* What goes from call to call while the lines are made. */
struct printer {
	struct ik_json_tree *tree;
	ik_tree_line *line;
	void *arg;
	struct ik_buf out;
};

/* Begin a line. */
static void begin(struct printer *printer, unsigned depth)
{
	ik_buf_clear(&printer->out);
	for (unsigned i = 0; i < depth; i++)
		ik_buf_puts(&printer->out, "  ");
}

/* Begin a node's first line, with its key. */
static void begin_node(struct printer *printer, const struct ik_tree_node *node, unsigned depth)
{
	begin(printer, depth);
	if (node->key_end == node->key)
		return;
	ik_buf_append(&printer->out, printer->tree->text.data + node->key, node->key_end - node->key);
	ik_buf_puts(&printer->out, ": ");
}

/* A line is complete. */
static void end(struct printer *printer, struct ik_tree_node *node, enum ik_tree_role role)
{
	printer->line(printer->arg, node, role, printer->out.data, printer->out.length);
}

/* Append so many bytes of a text as they are decoded. */
static void put_text(const struct ik_json_tree *tree, uint32_t start, uint32_t stop,
	struct ik_buf *out)
{
	struct ik_buf quoted;
	struct ik_json_span value;
	size_t before = out->length;

	ik_buf_init(&quoted, IK_LIMIT_ENVELOPE);
	ik_buf_putc(&quoted, '"');
	ik_buf_append(&quoted, tree->text.data + start, stop - start);
	ik_buf_putc(&quoted, '"');
	if (ik_json_check(quoted.data, quoted.length, &value, NULL) != IK_OK ||
		!ik_json_string(value, out)) {
		ik_buf_truncate(out, before);
		ik_buf_append(out, tree->text.data + start, stop - start);
	}
	ik_buf_done(&quoted);
}

/* What a text or a part of one covers, without its quotes. */
static void inside(const struct ik_json_tree *tree, const struct ik_tree_node *node,
	uint32_t *ret_start, uint32_t *ret_end)
{
	*ret_start = node->start;
	*ret_end = node->end;
	if (node->kind != IK_TREE_VALUE || size_of(node) < 2)
		return;
	++*ret_start;
	if (tree->text.data[node->end - 1] == '"')
		--*ret_end;
}

/* Where the beginning of a text ends that is shown of it. */
static uint32_t preview_end(const struct ik_json_tree *tree, uint32_t start, uint32_t stop,
	bool lines)
{
	const char *text = tree->text.data;
	uint32_t most = lines ? PREVIEW_MOST : PREVIEW_BYTES, count = 0, at = start;

	while (at < stop && at - start < most && count < IK_TREE_PREVIEW_LINES) {
		bool escape = text[at] == '\\' && at + 1 < stop;

		count += escape && text[at + 1] == 'n';
		at += !escape ? 1 : text[at + 1] == 'u' ? 6 : 2;
	}
	at = at < stop ? at : stop;
	while (at < stop && ik_utf8_is_continuation(text[at]))
		at++;
	/* Both halves of a pair of escapes. */
	if (stop - at > 6 && text[at] == '\\' && text[at + 1] == 'u' && (text[at + 2] | 0x20) == 'd')
		at += 6;
	return at;
}

/* Append a text as its lines, each indented. */
static void put_lines(struct ik_buf *out, const char *text, size_t length, unsigned depth)
{
	const char *stop = text + length;

	while (text < stop) {
		const char *line_feed = memchr(text, '\n', (size_t)(stop - text));
		size_t bytes = (size_t)((line_feed ? line_feed : stop) - text);

		if (out->length > 0)
			ik_buf_putc(out, '\n');
		for (unsigned i = 0; i < depth; i++)
			ik_buf_puts(out, "  ");
		ik_buf_append(out, text, bytes);
		text += bytes + (!!line_feed);
	}
}

/* What is folded says what it holds: "text, 120 lines, 4.5 KB". */
static void put_size(struct ik_buf *out, const struct ik_tree_node *node)
{
	ik_buf_puts(out, _("text"));
	if (node->count > 1) {
		ik_buf_puts(out, ", ");
		ik_buf_printf(out, ngettext("%zu line", "%zu lines", node->count), (size_t)node->count);
	}
	ik_buf_puts(out, ", ");
	ik_size_text(out, size_of(node));
}

/* A line that says that there is more of a text or a list. */
static void say_more(struct printer *printer, struct ik_tree_node *node, unsigned depth,
	uint32_t shown)
{
	begin(printer, depth);
	if (type_of(printer->tree, node) != IK_JSON_STRING) {
		ik_buf_printf(&printer->out,
			ngettext("... %zu more", "... %zu more", (size_t)(node->child_count - shown)),
			(size_t)(node->child_count - shown));
	} else if (node->count > shown + 1) {
		ik_buf_printf(&printer->out,
			ngettext("... %zu more line", "... %zu more lines", (size_t)(node->count - shown)),
			(size_t)(node->count - shown));
		ik_buf_puts(&printer->out, "  (");
		put_size(&printer->out, node);
		ik_buf_putc(&printer->out, ')');
	} else {
		ik_buf_puts(&printer->out, "...  ");
		put_size(&printer->out, node);
	}
	end(printer, node, IK_TREE_MORE);
}

/* Lines of a text. */
static uint32_t count_lines(const char *text, size_t length)
{
	uint32_t lines = length > 0 && text[length - 1] != '\n';

	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

static void print_children(struct printer *printer, struct ik_tree_node *node, uint32_t count,
	unsigned depth);

/* A text: in its quotes, as its lines, its beginning, or what there is of it. */
static void print_text(struct printer *printer, struct ik_tree_node *node, unsigned depth)
{
	struct ik_json_tree *tree = printer->tree;
	uint32_t start, stop, shown = 0;
	struct ik_buf text;

	inside(tree, node, &start, &stop);
	bool preview = ik_tree_node_is_cut(tree, node);
	bool lines = node->count > 1;
	begin_node(printer, node, depth);
	if (!ik_tree_node_is_open(tree, node) && !preview) {
		put_size(&printer->out, node);
		end(printer, node, IK_TREE_HEAD);
		return;
	}
	if (!preview && has_children(tree, node)) {
		put_size(&printer->out, node);
		end(printer, node, IK_TREE_HEAD);
		print_children(printer, node, node->child_count, depth + 1);
		return;
	}
	if (preview)
		stop = preview_end(tree, start, stop, lines);
	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	if (lines) {
		put_text(tree, start, stop, &text);
		shown = count_lines(text.data, text.length);
		ik_buf_puts(&printer->out, "\"\"\"");
		put_lines(&printer->out, text.data, text.length, depth + 1);
	} else {
		ik_buf_putc(&printer->out, '"');
		ik_buf_append(&printer->out, tree->text.data + start, stop - start);
	}
	if (!preview) {
		if (lines)
			put_lines(&printer->out, "\"\"\"", 3, depth + 1);
		else
			ik_buf_putc(&printer->out, '"');
		if (!node->last)
			ik_buf_putc(&printer->out, ',');
	}
	end(printer, node, IK_TREE_HEAD);
	if (preview)
		say_more(printer, node, depth + 1, shown);
	ik_buf_done(&text);
}

/* A part of a long text. */
static void print_part(struct printer *printer, struct ik_tree_node *node, unsigned depth)
{
	begin(printer, depth);
	ik_buf_printf(&printer->out, _("part %u of %u: "), node->index + 1, node->parent->child_count);
	put_size(&printer->out, node);
	if (ik_tree_node_is_open(printer->tree, node)) {
		struct ik_buf text;

		ik_buf_init(&text, IK_LIMIT_ENVELOPE);
		put_text(printer->tree, node->start, node->end, &text);
		put_lines(&printer->out, text.data, text.length, depth + 1);
		ik_buf_done(&text);
	}
	end(printer, node, IK_TREE_HEAD);
}

/* Some of the members of a list: "[1000 … 1999]". */
static void print_group(struct printer *printer, struct ik_tree_node *node, unsigned depth)
{
	begin(printer, depth);
	ik_buf_printf(&printer->out, "[%u … %u]", node->index, node->index + node->count - 1);
	end(printer, node, IK_TREE_HEAD);
	if (ik_tree_node_is_open(printer->tree, node))
		print_children(printer, node, node->child_count, depth + 1);
}

/* A list or an object. */
static void print_container(struct printer *printer, struct ik_tree_node *node, unsigned depth)
{
	struct ik_json_tree *tree = printer->tree;
	bool object = type_of(tree, node) == IK_JSON_OBJECT;

	begin_node(printer, node, depth);
	if (!ik_tree_node_is_open(tree, node) && node->count + node->child_count > 0) {
		uint32_t count = node->count;

		ik_buf_puts(&printer->out, object ? "{…} " : "[…] ");
		if (object)
			ik_buf_printf(&printer->out, ngettext("%u member", "%u members", count), count);
		else
			ik_buf_printf(&printer->out, "%u", count);
		end(printer, node, IK_TREE_HEAD);
		return;
	}
	ik_buf_putc(&printer->out, object ? '{' : '[');
	if ((node->read && node->child_count == 0) ||
		(!node->read && node->count == 0 && node != &tree->root)) {
		ik_buf_puts(&printer->out, object ? "}" : "]");
		ik_buf_puts(&printer->out, node->last ? "" : ",");
		end(printer, node, IK_TREE_HEAD);
		return;
	}
	if (!node->read)
		ik_buf_printf(&printer->out, " %s", _("Reading…"));
	end(printer, node, IK_TREE_HEAD);
	bool preview = ik_tree_node_is_cut(tree, node);
	uint32_t shown = preview && node->read ? IK_TREE_PREVIEW_ITEMS : node->child_count;
	print_children(printer, node, shown, depth + 1);
	if (shown < node->child_count)
		say_more(printer, node, depth + 1, shown);
	begin(printer, depth);
	ik_buf_puts(&printer->out, object ? "}" : "]");
	ik_buf_puts(&printer->out, node->last ? "" : ",");
	end(printer, node, IK_TREE_FOOT);
}

/* Any node. */
static void print_node(struct printer *printer, struct ik_tree_node *node, unsigned depth)
{
	if (node->kind == IK_TREE_GROUP_OF_ITEMS) {
		print_group(printer, node, depth);
	} else if (node->kind == IK_TREE_PART_OF_TEXT) {
		print_part(printer, node, depth);
	} else if (type_of(printer->tree, node) == IK_JSON_STRING) {
		print_text(printer, node, depth);
	} else if (has_children(printer->tree, node)) {
		print_container(printer, node, depth);
	} else {
		begin_node(printer, node, depth);
		ik_buf_append(&printer->out, printer->tree->text.data + node->start, size_of(node));
		ik_buf_puts(&printer->out, node->last ? "" : ",");
		end(printer, node, IK_TREE_HEAD);
	}
}

static void print_children(struct printer *printer, struct ik_tree_node *node, uint32_t count,
	unsigned depth)
{
	for (uint32_t i = 0; i < count && i < node->child_count; i++)
		print_node(printer, &node->children[i], depth);
}

void ik_json_tree_lines(struct ik_json_tree *tree, ik_tree_line *line, void *arg)
{
	struct printer printer = { .tree = tree, .line = line, .arg = arg };

	ik_buf_init(&printer.out, IK_LIMIT_ENVELOPE);
	print_node(&printer, &tree->root, 0);
	ik_buf_done(&printer.out);
}

void ik_json_tree_copy(const struct ik_json_tree *tree, const struct ik_tree_node *node,
	struct ik_buf *out)
{
	uint32_t start, stop;

	inside(tree, node, &start, &stop);
	if (node->kind == IK_TREE_PART_OF_TEXT ||
		(node->kind == IK_TREE_VALUE && type_of(tree, node) == IK_JSON_STRING))
		put_text(tree, start, stop, out);
	else
		ik_buf_append(out, tree->text.data + node->start, size_of(node));
}
