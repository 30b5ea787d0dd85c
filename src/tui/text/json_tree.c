#include "tui/text/json_tree.h"

#include <stdlib.h>
#include <string.h>

#include "tui/text/json_tree_private.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define LONG_BYTES 4000    /* a text of one line that is longer shows its beginning, */
#define PREVIEW_BYTES 1000 /* so much of it; of lines: */
#define PREVIEW_MOST 8000
#define USUAL_NODES 5000 /* of so many no more are unfolded unasked, */
#define USUAL_DEPTH 12   /* nor what is deeper */

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
	if (ik_tree_type(tree, &tree->root) == IK_JSON_STRING)
		for (size_t i = start; i + 1 < end; i++) {
			bool escape = tree->text.data[i] == '\\';

			tree->root.count += escape && tree->text.data[i + 1] == 'n';
			i += escape;
		}
	if (tree->root.count > 0 && memcmp(tree->text.data + end - 3, "\\n\"", 3) != 0)
		tree->root.count++;
	ik_tree_want(tree, &tree->root);
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

struct ik_json_span ik_json_tree_text(const struct ik_json_tree *tree)
{
	return (struct ik_json_span){ tree->text.data, tree->text.length };
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

enum ik_json_type ik_tree_type(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	return ik_json_span_type((struct ik_json_span){
		tree->text.data + node->start, node->end - node->start });
}

/* Bytes of a node as it is written. */
static uint32_t size_of(const struct ik_tree_node *node)
{
	return node->end - node->start;
}

bool ik_tree_has_children(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	if (node->kind != IK_TREE_VALUE)
		return node->kind == IK_TREE_GROUP_OF_ITEMS;
	enum ik_json_type type = ik_tree_type(tree, node);

	if (type == IK_JSON_STRING)
		return size_of(node) > IK_TREE_TEXT;
	return type == IK_JSON_ARRAY || type == IK_JSON_OBJECT;
}

bool ik_tree_node_folds(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	if (node->kind != IK_TREE_VALUE)
		return true;
	switch (ik_tree_type(tree, node)) {
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
	if (ik_tree_type(tree, node) == IK_JSON_STRING)
		return node->count > IK_TREE_PREVIEW_LINES + 1 || size_of(node) > LONG_BYTES;
	return (node->read ? node->child_count : node->count) > IK_TREE_PREVIEW_ITEMS + 1;
}

bool ik_tree_node_is_open(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	if (node->state != IK_TREE_USUAL)
		return node->state == IK_TREE_OPEN;
	if (node->kind != IK_TREE_VALUE)
		return false;
	if (ik_tree_type(tree, node) == IK_JSON_STRING)
		return !is_long(tree, node);
	if (node == &tree->root)
		return true;
	return node->count <= IK_TREE_GROUP && node->depth <= USUAL_DEPTH &&
		(node->read || tree->nodes < USUAL_NODES);
}

bool ik_tree_node_is_cut(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	return node->kind == IK_TREE_VALUE && node->state == IK_TREE_USUAL && is_long(tree, node) &&
		(ik_tree_type(tree, node) == IK_JSON_STRING || ik_tree_node_is_open(tree, node));
}

void ik_json_tree_set(struct ik_json_tree *tree, struct ik_tree_node *node,
	enum ik_tree_state state)
{
	node->state = (uint8_t)state;
	node->asked = true;
	if (ik_tree_node_is_open(tree, node))
		ik_tree_want(tree, node);
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
	if (ik_tree_type(printer->tree, node) != IK_JSON_STRING) {
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
	if (!preview && ik_tree_has_children(tree, node)) {
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
	bool object = ik_tree_type(tree, node) == IK_JSON_OBJECT;

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
	} else if (ik_tree_type(printer->tree, node) == IK_JSON_STRING) {
		print_text(printer, node, depth);
	} else if (ik_tree_has_children(printer->tree, node)) {
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
		(node->kind == IK_TREE_VALUE && ik_tree_type(tree, node) == IK_JSON_STRING))
		put_text(tree, start, stop, out);
	else
		ik_buf_append(out, tree->text.data + node->start, size_of(node));
}
