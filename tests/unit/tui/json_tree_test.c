#include "tui/text/json_tree.h"

#include <criterion/criterion.h>
#include <string.h>

#include "util/limits.h"
#include "util/utf8.h"

static struct ik_json_tree *tree;
static struct ik_buf out;
static struct ik_tree_node *found;     /* of the first line that has what is looked for */
static const char *wanted;
static enum ik_tree_state state;       /* of every node at first */
static struct {
	uint64_t path;
	enum ik_tree_state state;
} changed[10]; /* what was done to nodes since */
static size_t changed_count;

static void begin(void)
{
	ik_buf_init(&out, IK_MIB(64));
	state = IK_TREE_USUAL;
}

static void end(void)
{
	ik_json_tree_free(tree);
	ik_buf_done(&out);
}

TestSuite(json_tree, .init = begin, .fini = end);

static enum ik_tree_state state_of(void *arg, const struct ik_tree_node *node)
{
	(void)arg;
	for (size_t i = changed_count; i-- > 0;)
		if (changed[i].path == node->path)
			return changed[i].state;
	return state;
}

/* Make the tree; there is none of what is no JSON. */
static void make(const char *text, size_t length)
{
	struct ik_buf copy;
	changed_count = 0;
	ik_buf_init(&copy, IK_LIMIT_ENVELOPE);
	ik_buf_append(&copy, text, length);
	tree = ik_json_tree_new(&copy, state_of, NULL);
	ik_buf_done(&copy);
}

static void add_line(void *arg, struct ik_tree_node *node, enum ik_tree_role role,
	const char *text, size_t length)
{
	(void)arg;
	if (wanted && !found && role == IK_TREE_HEAD && memmem(text, length, wanted, strlen(wanted)))
		found = node;
	ik_buf_append(&out, text, length);
	ik_buf_putc(&out, '\n');
}

static const char *lines(void)
{
	ik_buf_clear(&out);
	ik_json_tree_lines(tree, add_line, NULL);
	return out.data;
}

/* The node whose first line has that text. */
static struct ik_tree_node *node_of(const char *text)
{
	wanted = text;
	found = NULL;
	lines();
	cr_assert_not_null(found, "%s", text);
	return found;
}

static void set(const char *text, enum ik_tree_state to)
{
	changed[changed_count].path = node_of(text)->path;
	changed[changed_count++].state = to;
}

static const char *copy(const char *text)
{
	struct ik_tree_node *node = node_of(text);
	ik_buf_clear(&out);
	ik_json_tree_copy(node, &out);
	return out.data;
}

#define MAKE(text) make(text, strlen(text))

Test(json_tree, prints_a_member_a_line_as_it_was_written)
{
	MAKE(" {\"a\" : 1.50 ,\"b\":[true, {}],\"c\":[],\"d\\n\":\"x\\u0041\",\"e\":{\"f\":null}} ");
	cr_assert_str_eq(lines(),
		"{\n  \"a\": 1.50,\n  \"b\": [\n    true,\n    {}\n  ],\n  \"c\": [],\n"
		"  \"d\\n\": \"x\\u0041\",\n  \"e\": {\n    \"f\": null\n  }\n}\n");
}

Test(json_tree, what_is_folded_says_what_it_holds)
{
	MAKE("{\"a\":[1,[2,3]],\"b\":{\"c\":1,\"d\":{}},\"t\":\"x\\ny\\n\",\"n\":5}");
	set("\"a\"", IK_TREE_FOLDED);
	set("\"b\"", IK_TREE_FOLDED);
	set("\"t\"", IK_TREE_FOLDED);
	cr_assert_str_eq(lines(), "{\n  \"a\": […] 2\n  \"b\": {…} 2 members\n"
		"  \"t\": text, 2 lines, 8 bytes\n  \"n\": 5\n}\n");
	set("\"a\"", IK_TREE_OPEN);
	cr_assert_not_null(strstr(lines(), "\"a\": [\n    1,\n    [\n      2,\n"));
	cr_assert(!ik_tree_node_folds(node_of("\"n\"")));
	set("{", IK_TREE_FOLDED);
	cr_assert_str_eq(lines(), "{…} 4 members\n");
}

Test(json_tree, copies_nodes_as_they_came_and_texts_as_they_are_meant)
{
	MAKE("{\"a\":[1, [2,3] ],\"t\":\"x\\ny\\u00e4\",\"u\":\"one\"}");
	cr_assert_str_eq(copy("\"a\""), "[1, [2,3] ]");
	cr_assert_str_eq(copy("\"t\""), "x\nyä");
	cr_assert_str_eq(copy("\"u\""), "one");
	cr_assert_str_eq(copy("2,"), "2");
}

Test(json_tree, a_long_list_and_a_long_text_show_their_beginnings)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_MIB(1));
	ik_buf_puts(&text, "{\"t\":\"");
	for (int i = 1; i <= 50; i++)
		ik_buf_printf(&text, "line %d\\n", i);
	ik_buf_puts(&text, "\",\"l\":[0");
	for (int i = 1; i < 100; i++)
		ik_buf_printf(&text, ",%d", i);
	ik_buf_puts(&text, "]}");
	make(text.data, text.length);
	cr_assert_not_null(strstr(lines(), "    line 12\n    ... 38 more lines  (text, 50 lines, "));
	cr_assert_not_null(strstr(lines(), "    19,\n    ... 80 more\n  ]\n"));
	set("\"t\"", IK_TREE_OPEN);
	set("\"l\"", IK_TREE_OPEN);
	cr_assert_not_null(strstr(lines(), "    line 50\n    \"\"\",\n"));
	cr_assert_not_null(strstr(lines(), "    99\n  ]\n"));
	ik_buf_done(&text);
}

Test(json_tree, a_very_long_list_shows_its_first_thousand)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_MIB(64));
	ik_buf_puts(&text, "[{\"n\":0}");
	for (int i = 1; i < 123456; i++)
		ik_buf_printf(&text, ", {\"n\":%d}", i);
	ik_buf_puts(&text, "]");
	make(text.data, text.length);
	cr_assert_not_null(strstr(lines(), "  ... 123436 more\n]\n"));
	set("[", IK_TREE_OPEN);
	cr_assert_not_null(strstr(lines(), "    \"n\": 999\n  },\n  ... 122456 more\n]\n"));
	ik_buf_done(&text);
}

Test(json_tree, a_very_long_text_is_shown_and_copied_whole)
{
	struct ik_buf text, whole;
	ik_buf_init(&text, IK_MIB(64));
	ik_buf_init(&whole, IK_MIB(64));
	ik_buf_putc(&text, '"');
	for (int i = 0; i < 60000; i++) {
		ik_buf_puts(&text, i % 7 == 0 ? "\\ud83d\\ude00\\n" : i % 3 == 0 ? "€€" : "\\\\n");
		ik_buf_puts(&whole, i % 7 == 0 ? "\U0001F600\n" : i % 3 == 0 ? "€€" : "\\n");
	}
	ik_buf_putc(&text, '"');
	make(text.data, text.length);
	cr_assert_not_null(strstr(lines(), " more lines  (text, 8573 lines, "), "%s", lines());
	node_of("\"");
	ik_buf_clear(&out);
	ik_json_tree_copy(found, &out);
	cr_assert_eq(out.length, whole.length);
	cr_assert_eq(memcmp(out.data, whole.data, whole.length), 0);
	set("\"", IK_TREE_OPEN);
	size_t count = 0;
	lines();
	for (size_t i = 0; i < out.length; i++)
		count += out.data[i] == '\n';
	cr_assert_eq(count, 8573 + 2);
	ik_buf_done(&text);
	ik_buf_done(&whole);
}

Test(json_tree, a_great_many_are_not_all_unfolded_and_the_deep_ones_neither)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_MIB(64));
	state = IK_TREE_OPEN;
	ik_buf_puts(&text, "[0");
	for (int i = 1; i < 300000; i++)
		ik_buf_puts(&text, ",[[[1]]]");
	ik_buf_puts(&text, "]");
	make(text.data, text.length);
	lines();
	size_t count = 0;
	for (size_t i = 0; i < out.length; i++)
		count += out.data[i] == '\n';
	cr_assert_lt(count, 60000);
	ik_buf_done(&text);
}

/* Every beginning of a text, and every byte of it replaced: nothing outside is read. */
Test(json_tree, takes_what_is_no_json_without_harm)
{
	static const char text[] =
		"{\"a\":[1,\"x\\n\\ud83d\\ude00\",{\"b\":[[],{}]}],\"c\":\"d\\\\\",\"e\":tru}";
	static const char bytes[] = "\"\\{}[],: \n\0\xff";
	state = IK_TREE_OPEN;
	for (size_t length = 0; length < sizeof text; length++) {
		make(text, length);
		if (tree)
			lines();
		tree = ik_json_tree_free(tree);
	}
	for (size_t at = 0; at + 1 < sizeof text; at++) {
		for (size_t i = 0; i < sizeof bytes; i++) {
			char broken[sizeof text];
			memcpy(broken, text, sizeof text);
			broken[at] = bytes[i];
			make(broken, sizeof text - 1);
			if (tree)
				lines();
			tree = ik_json_tree_free(tree);
		}
	}
}
