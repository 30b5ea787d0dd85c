#include "tui/text/json_tree.h"

#include <stdlib.h>
#include <string.h>

#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

#define MOST_NODES 20000   /* with more, only what the user unfolds is unfolded */
#define LONG_BYTES 4000    /* a longer text of one line shows a preview */
#define PREVIEW_BYTES 1000 /* size of that preview; for several lines: */
#define PREVIEW_MOST 8000
#define USUAL_NODES 5000 /* with more, nothing else is unfolded by default, */
#define USUAL_DEPTH 12   /* nor is anything deeper */

struct ik_json_tree {
	struct ik_buf text;
	ik_tree_state_of *state_of;
	void *arg;
	struct ik_json_span root;
	struct ik_tree_node *nodes; /* the newest one */
	size_t members;             /* in all unfolded containers */
};

/* Return a child's path as a number. */
static uint64_t path_below(uint64_t path, uint64_t step)
{
	uint64_t mixed = (path * UINT64_C(0xbf58476d1ce4e5b9) ^ step) * UINT64_C(0x9e3779b97f4a7c15);

	return mixed ^ mixed >> 29;
}

static bool is_text(const struct ik_tree_node *node)
{
	return ik_json_span_type(node->value) == IK_JSON_STRING;
}

static bool is_container(const struct ik_tree_node *node)
{
	enum ik_json_type type = ik_json_span_type(node->value);

	return type == IK_JSON_ARRAY || type == IK_JSON_OBJECT;
}

/* Count the lines of a quoted text. */
static uint32_t count_lines(struct ik_json_span value)
{
	uint32_t lines = 0;
	bool ended = true; /* by a line feed */

	for (size_t i = 1; i + 1 < value.length; i++) {
		bool escape = value.text[i] == '\\';

		ended = escape && value.text[i + 1] == 'n';
		lines += ended;
		i += escape;
	}
	return lines + !ended;
}

struct ik_json_tree *ik_json_tree_new(struct ik_buf *text, ik_tree_state_of *state_of, void *arg)
{
	struct ik_json_span value;

	if (ik_json_check(text->data, text->length, &value, NULL) != IK_OK)
		return NULL;
	struct ik_json_tree *tree = ik_alloc(sizeof(*tree));

	tree->text = *text;
	ik_buf_init(text, IK_LIMIT_ENVELOPE);
	tree->state_of = state_of;
	tree->arg = arg;
	tree->root = value;
	return tree;
}

static void free_nodes(struct ik_json_tree *tree)
{
	for (struct ik_tree_node *node = tree->nodes, *before; node; node = before) {
		before = node->before;
		free(node);
	}
	tree->nodes = NULL;
}

struct ik_json_tree *ik_json_tree_free(struct ik_json_tree *tree)
{
	if (!tree)
		return NULL;
	free_nodes(tree);
	ik_buf_done(&tree->text);
	free(tree);
	return NULL;
}

struct ik_json_span ik_json_tree_member(const struct ik_json_tree *tree, const char *name)
{
	return ik_json_member(tree->root, name);
}

bool ik_tree_node_folds(const struct ik_tree_node *node)
{
	if (is_text(node))
		return node->count > 1 || node->value.length > LONG_BYTES;
	return is_container(node) && node->count > 0;
}

/* Is it so long that the usual state shows only a preview? */
static bool is_long(const struct ik_tree_node *node)
{
	if (is_text(node))
		return node->count > IK_TREE_PREVIEW_LINES + 1 || node->value.length > LONG_BYTES;
	return node->count > IK_TREE_PREVIEW_ITEMS + 1;
}

static bool is_open(const struct ik_json_tree *tree, const struct ik_tree_node *node)
{
	if (node->state != IK_TREE_USUAL)
		return node->state == IK_TREE_OPEN;
	if (is_text(node))
		return !is_long(node);
	return !node->parent ||
		(node->count <= IK_TREE_MEMBERS && node->depth <= USUAL_DEPTH &&
			tree->members < USUAL_NODES);
}

/* Complete a new node, whose place and value are known. */
static struct ik_tree_node *add_node(struct ik_json_tree *tree, struct ik_tree_node known)
{
	struct ik_tree_node *node = ik_alloc(sizeof(*node));

	*node = known;
	node->before = tree->nodes;
	tree->nodes = node;
	node->count = is_text(node) ? count_lines(node->value) : (uint32_t)ik_json_count(node->value);
	node->state = (uint8_t)tree->state_of(tree->arg, node);
	node->open = is_open(tree, node);
	if (node->open && node->parent && is_container(node) && tree->members >= MOST_NODES) {
		node->state = IK_TREE_FOLDED;
		node->open = false;
	}
	node->cut = node->state == IK_TREE_USUAL && is_long(node) && (is_text(node) || node->open);
	return node;
}

/* State that is passed on while the lines are made. */
struct printer {
	struct ik_json_tree *tree;
	ik_tree_line *line;
	void *arg;
	struct ik_buf out;
};

static void begin(struct printer *printer, unsigned depth)
{
	ik_buf_clear(&printer->out);
	ik_buf_printf(&printer->out, "%*s", 2 * (int)depth, "");
}

static void end(struct printer *printer, struct ik_tree_node *node, enum ik_tree_role role)
{
	printer->line(printer->arg, node, role, printer->out.data, printer->out.length);
}

/* Append the first `length` bytes of an encoded text, decoded. */
static void put_text(struct ik_json_span value, size_t length, struct ik_buf *out)
{
	struct ik_buf quoted;

	ik_buf_init(&quoted, IK_LIMIT_ENVELOPE);
	ik_buf_append(&quoted, value.text, length + 1);
	ik_buf_putc(&quoted, '"');
	(void)ik_json_string((struct ik_json_span){ quoted.data, quoted.length }, out);
	ik_buf_done(&quoted);
}

/* Return the length of a text's preview, in encoded bytes. */
static size_t preview_length(struct ik_json_span value, bool lines)
{
	const char *text = value.text + 1;
	size_t length = value.length - 2, most = lines ? PREVIEW_MOST : PREVIEW_BYTES, at = 0;
	uint32_t count = 0;

	while (at < length && at < most && count < IK_TREE_PREVIEW_LINES) {
		bool escape = text[at] == '\\';

		count += escape && text[at + 1] == 'n';
		at += !escape ? 1 : text[at + 1] == 'u' ? 6 : 2;
	}
	while (at < length && ik_utf8_is_continuation(text[at]))
		at++;
	/* Both halves of a surrogate pair. */
	if (length - at >= 6 && text[at] == '\\' && text[at + 1] == 'u' && (text[at + 2] | 0x20) == 'd')
		at += 6;
	return at;
}

/* Append the lines of a text, each indented; return their number. */
static uint32_t put_lines(struct ik_buf *out, const char *text, size_t length, unsigned depth)
{
	uint32_t count = 0;

	for (size_t at = 0, end; at < length; at = end + 1, count++) {
		end = ik_line_end(text, at, length);
		ik_buf_printf(out, "\n%*s", 2 * (int)depth, "");
		ik_buf_append(out, text + at, end - at);
	}
	return count;
}

/* Append the size of a folded node: "text, 120 lines, 4.5 KB". */
static void put_size(struct ik_buf *out, const struct ik_tree_node *node)
{
	ik_buf_puts(out, _("text"));
	if (node->count > 1) {
		ik_buf_puts(out, ", ");
		ik_buf_printf(out, ngettext("%zu line", "%zu lines", node->count), (size_t)node->count);
	}
	ik_buf_puts(out, ", ");
	ik_size_text(out, node->value.length);
}

/* Emit a line that says that a text or a list goes on. */
static void say_more(struct printer *printer, struct ik_tree_node *node, uint32_t shown)
{
	size_t more = node->count - shown;

	begin(printer, node->depth + 1u);
	if (!is_text(node)) {
		ik_buf_printf(&printer->out, ngettext("... %zu more", "... %zu more", more), more);
	} else if (more > 1) {
		ik_buf_printf(&printer->out, ngettext("... %zu more line", "... %zu more lines", more),
			more);
		ik_buf_puts(&printer->out, "  (");
		put_size(&printer->out, node);
		ik_buf_putc(&printer->out, ')');
	} else {
		ik_buf_puts(&printer->out, "...  ");
		put_size(&printer->out, node);
	}
	end(printer, node, IK_TREE_MORE);
}

/* Print a text: quoted, as lines, as a preview, or as its size. */
static void print_text(struct printer *printer, struct ik_tree_node *node)
{
	bool preview = node->cut, lines = node->count > 1;
	size_t length = preview ? preview_length(node->value, lines) : node->value.length - 2;
	uint32_t shown = 0;
	struct ik_buf text;

	if (!node->open && !preview) {
		put_size(&printer->out, node);
		end(printer, node, IK_TREE_HEAD);
		return;
	}
	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	if (lines) {
		put_text(node->value, length, &text);
		ik_buf_puts(&printer->out, "\"\"\"");
		shown = put_lines(&printer->out, text.data, text.length, node->depth + 1u);
	} else {
		ik_buf_append(&printer->out, node->value.text, 1 + length);
	}
	if (!preview) {
		if (lines)
			(void)put_lines(&printer->out, "\"\"\"", 3, node->depth + 1u);
		else
			ik_buf_putc(&printer->out, '"');
		ik_buf_puts(&printer->out, node->last ? "" : ",");
	}
	end(printer, node, IK_TREE_HEAD);
	if (preview)
		say_more(printer, node, shown);
	ik_buf_done(&text);
}

static void print_node(struct printer *printer, struct ik_tree_node *node);

/* Print the visible members of a list or an object; return their number. */
static uint32_t print_members(struct printer *printer, struct ik_tree_node *node)
{
	uint32_t most = node->count < IK_TREE_MEMBERS ? node->count : IK_TREE_MEMBERS, shown = 0;

	printer->tree->members += most;
	if (node->cut)
		most = IK_TREE_PREVIEW_ITEMS;
	for (struct ik_json_walk walk = ik_json_walk(node->value); shown < most && ik_json_next(&walk);
		 shown++)
		print_node(printer,
			add_node(printer->tree,
				(struct ik_tree_node){
					.parent = node,
					.key = walk.key,
					.value = walk.value,
					.path = path_below(node->path, shown),
					.depth = (uint16_t)(node->depth + 1),
					.last = shown + 1 == node->count,
				}));
	return shown;
}

static void print_container(struct printer *printer, struct ik_tree_node *node)
{
	bool object = ik_json_span_type(node->value) == IK_JSON_OBJECT;
	const char *close = object ? "}" : "]", *comma = node->last ? "" : ",";
	uint32_t count = node->count;

	if (!node->open && count > 0) {
		ik_buf_puts(&printer->out, object ? "{…} " : "[…] ");
		if (object)
			ik_buf_printf(&printer->out, ngettext("%u member", "%u members", count), count);
		else
			ik_buf_printf(&printer->out, "%u", count);
		end(printer, node, IK_TREE_HEAD);
		return;
	}
	ik_buf_putc(&printer->out, object ? '{' : '[');
	if (count == 0) {
		ik_buf_printf(&printer->out, "%s%s", close, comma);
		end(printer, node, IK_TREE_HEAD);
		return;
	}
	end(printer, node, IK_TREE_HEAD);
	uint32_t shown = print_members(printer, node);

	if (shown < count)
		say_more(printer, node, shown);
	begin(printer, node->depth);
	ik_buf_printf(&printer->out, "%s%s", close, comma);
	end(printer, node, IK_TREE_FOOT);
}

static void print_node(struct printer *printer, struct ik_tree_node *node)
{
	begin(printer, node->depth);
	if (node->key.text) {
		ik_buf_append(&printer->out, node->key.text, node->key.length);
		ik_buf_puts(&printer->out, ": ");
	}
	if (is_text(node)) {
		print_text(printer, node);
	} else if (is_container(node)) {
		print_container(printer, node);
	} else {
		ik_buf_append(&printer->out, node->value.text, node->value.length);
		ik_buf_puts(&printer->out, node->last ? "" : ",");
		end(printer, node, IK_TREE_HEAD);
	}
}

void ik_json_tree_lines(struct ik_json_tree *tree, ik_tree_line *line, void *arg)
{
	struct printer printer = { .tree = tree, .line = line, .arg = arg };

	free_nodes(tree);
	tree->members = 0;
	ik_buf_init(&printer.out, IK_LIMIT_ENVELOPE);
	print_node(&printer,
		add_node(tree, (struct ik_tree_node){ .value = tree->root, .path = 1, .last = true }));
	ik_buf_done(&printer.out);
}

void ik_json_tree_copy(const struct ik_tree_node *node, struct ik_buf *out)
{
	if (!ik_json_string(node->value, out))
		ik_buf_append(out, node->value.text, node->value.length);
}
