#include "util/front_matter.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

static struct ik_front_matter matter;

static void done(void)
{
	ik_front_matter_done(&matter);
}

TestSuite(front_matter, .fini = done);

static void read_text(const char *text)
{
	struct ik_error error = { 0 };

	cr_assert_eq(ik_front_matter_read(&matter, "f.md", text, strlen(text), &error), IK_OK, "%s",
		error.text);
}

/* Demand that a front matter with this line has that value. */
static void demand(const char *lines, const char *name, const char *value)
{
	char text[1000];

	snprintf(text, sizeof(text), "---\nbefore: 1\n%s\nafter: 2\n---\nbody\n", lines);
	ik_front_matter_done(&matter);
	read_text(text);
	cr_assert(ik_front_matter_field(&matter, name), "%s: there is no %s", lines, name);
	cr_assert_str_eq(ik_front_matter_field(&matter, name)->value, value, "%s: %s is \"%s\"", lines,
		name, ik_front_matter_field(&matter, name)->value);
	cr_assert_str_eq(ik_front_matter_value(&matter, "after"), "2", "%s swallows what follows", lines);
	cr_assert_str_eq(matter.body, "body\n");
}

static void demand_error(const char *text, size_t length, const char *sentence)
{
	struct ik_error error = { 0 };

	ik_front_matter_done(&matter);
	cr_assert_eq(ik_front_matter_read(&matter, "f.md", text, length, &error), IK_INVALID);
	cr_assert(strstr(error.text, sentence), "%s", error.text);
}

Test(front_matter, plain)
{
	demand("name: review", "name", "review");
	demand("name:   review  ", "name", "review");
	demand("\"name\": review", "name", "review");
	demand("name:review", "name", "review");
	demand("name: a\n  b\n\n  c", "name", "a b\nc");
	demand("name:\n  a\n  b", "name", "a b");
	demand("name: C# and F# # a comment", "name", "C# and F#");
	demand("name: fixes #12", "name", "fixes #12");
	demand("name:", "name", "");
	demand("# name: x\nname: y", "name", "y");
	demand("name: \xff", "name", "\xef\xbf\xbd");
}

Test(front_matter, what_yaml_refuses)
{
	demand("description: Use when: the user asks", "description", "Use when: the user asks");
	demand("description: \"Quoted\" and more", "description", "\"Quoted\" and more");
	demand("description: \"Open", "description", "\"Open");
	demand("description: 'tis open", "description", "'tis open");
	demand("description: [a, b", "description", "[a, b");
	demand("description: @x *y &z %w", "description", "@x *y &z %w");
	demand("metadata:\n\tkey: tab", "metadata.key", "tab");
}

Test(front_matter, quoted)
{
	demand("name: \"a: \\\"b\\\" \\\\ \\u00e4\\n\\x41\" # c", "name", "a: \"b\" \\ \xc3\xa4\nA");
	demand("name: 'it''s \\n'", "name", "it's \\n");
	demand("name: \"a\n  b\"", "name", "a b");
	demand("name:\n  \"a: b\"", "name", "a: b");
	demand("name: \"C:\\docs \\d+\"", "name", "C:\\docs \\d+");
	demand("name: \"\"", "name", "");
	cr_assert_null(ik_front_matter_value(&matter, "name"));
}

Test(front_matter, blocks)
{
	demand("name: >\n  a\n  b\n\n  c", "name", "a b\nc");
	demand("name: >-\n  a: 1\n    - b\n    - c", "name", "a: 1\n  - b\n  - c");
	demand("name: |+ # kept\n  a\n\n   b # c\n", "name", "a\n\n b # c");
	demand("name: |2\n  a", "name", "a");
	demand("name: |", "name", "");
	demand("name: > 5", "name", "> 5");
}

Test(front_matter, maps_and_lists)
{
	demand("metadata:\n  author: me\n  # no\n  version: \"1.0\"", "metadata.version", "1.0");
	cr_assert_str_eq(ik_front_matter_value(&matter, "metadata.author"), "me");
	demand("a:\n  b:\n    c: 1\n  d: 2", "a.d", "2");
	cr_assert_str_eq(ik_front_matter_value(&matter, "a.b.c"), "1");
	demand("tools:\n  - Read\n  - Bash(git:*)", "tools", "Read\nBash(git:*)");
	demand("tools:\n- Read\n-\n- 'x'", "tools", "Read\n\nx");
}

Test(front_matter, body)
{
	read_text("\xef\xbb\xbf---\r\nname: x\r\nother: >\r\n  y\r\n---\r\nbody");
	cr_assert_str_eq(ik_front_matter_value(&matter, "name"), "x");
	cr_assert_str_eq(ik_front_matter_value(&matter, "other"), "y");
	cr_assert_eq(ik_front_matter_field(&matter, "other")->line, 3);
	cr_assert_str_eq(matter.body, "body");
	cr_assert_eq(matter.body_line, 6);
	ik_front_matter_done(&matter);
	read_text("# No front matter\n---\n");
	cr_assert_eq(matter.count, 0);
	cr_assert_eq(matter.body_length, 22);
	read_text("---\n---");
	cr_assert_eq(matter.count, 0);
	cr_assert_eq(matter.body_length, 0);
	read_text("");
	cr_assert_eq(matter.body_length, 0);
}

Test(front_matter, truth)
{
	read_text("---\na: true\nb: Yes\nc: false\nd:\n---\n");
	cr_assert(ik_front_matter_is(&matter, "a", false));
	cr_assert(ik_front_matter_is(&matter, "b", false));
	cr_assert_not(ik_front_matter_is(&matter, "c", true));
	cr_assert(ik_front_matter_is(&matter, "d", true));
	cr_assert_not(ik_front_matter_is(&matter, "e", false));
}

Test(front_matter, errors)
{
	static char large[70000];

	demand_error("---\nname: x\n", 12, "f.md:1: ");
	demand_error("---\nname: x\nwhat is this\n---\n", 29, "f.md:3: ");
	demand_error("---\n: x\n---\n", 12, "f.md:2: ");
	demand_error("---\nn: \0\n---\n", 13, "f.md: ");
	memset(large, 'a', sizeof(large));
	memcpy(large, "---\na: ", 7);
	memcpy(large + sizeof(large) - 5, "\n---\n", 5);
	demand_error(large, sizeof(large), "f.md:1: ");
}

/* What fields repeat of the name of their map is little. */
Test(front_matter, long_names)
{
	static char large[60000] = "---\n";

	memset(large + 4, 'n', 30000);
	memcpy(large + 30004, ":\n a: b\n---\n", 13);
	read_text(large);
	cr_assert_eq(matter.count, 2);
	cr_assert_str_eq(matter.fields[0].value, "b");
	cr_assert_lt(strlen(matter.fields[0].name), 300);
	cr_assert_lt(strlen(matter.fields[1].name), 300);
}

/* Neither memory nor the stack grows with what a hostile file nests. */
Test(front_matter, nesting)
{
	static char large[60000] = "---\n";
	size_t at = 4;

	for (size_t depth = 0; at + depth + 10 < sizeof(large); depth++) {
		memset(large + at, ' ', depth);
		memcpy(large + at + depth, "a:\n", 3);
		at += depth + 3;
	}
	memcpy(large + at, "---\n", 4);
	read_text(large);
	cr_assert_gt(matter.count, 300);
}
