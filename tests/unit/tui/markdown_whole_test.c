/* A text laid out section by section looks as if it were laid out in one piece; links find
 * their addresses wherever these stand. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "markdown_page.h"
#include "tui/text/markdown.h"
#include "util/buf.h"
#include "util/limits.h"

#define COLUMNS 47

/* A picture of lines. */
static char *picture(const struct ik_lines *lines, const char *text)
{
	struct ik_cells cells;
	ik_cells_init(&cells);
	ik_cells_resize(&cells, (int)lines->count, COLUMNS);
	for (uint32_t i = 0; i < lines->count; i++)
		ik_lines_draw(lines, i, text, &cells, (struct ik_rectangle){0, 0, (int)lines->count, COLUMNS},
			(int)i);
	char *result = strdup(picture_of(&cells));
	ik_cells_done(&cells);
	return result;
}

/* Take empty rows off the end. */
static void trim(char *rows)
{
	size_t length = strlen(rows);
	while (length > 0 && rows[length - 1] == '\n')
		rows[--length] = '\0';
}

/* The whole text as one section, of which more may come. */
static char *at_once(const char *text, size_t length)
{
	struct ik_buf learnt;
	struct ik_lines lines = {.count = 0};
	ik_buf_init(&learnt, IK_KIB(64));
	const char *feed = memrchr(text, '\n', length);
	ik_renderer_markdown.learn(&learnt, text, feed ? (size_t)(feed - text) + 1 : 0);
	ik_renderer_markdown.render(&(struct ik_render){
		.text = text, .end = length, .learnt = &learnt, .growing = true,
		.columns = COLUMNS, .prose = COLUMNS, .tail = SIZE_MAX, .head_style = IK_STYLE_NORMAL,
		.style = IK_STYLE_NORMAL, .tail_style = IK_STYLE_DIM}, &lines);
	char *result = picture(&lines, text);
	ik_lines_done(&lines);
	ik_buf_done(&learnt);
	return result;
}

/* Blocks of all kinds, none of which is so long that it is cut inside. */
static void generate(struct ik_buf *out, unsigned seed, size_t length)
{
	static const char *const blocks[] = {
		"A paragraph of some words with **bold ones**, `code` and a [link](http://a.b/c).\n\n",
		"One that goes on\nin a line of its own, *soft*, [one], [x][two] and\n[Three][].\n\n",
		"## Heading\n\n", "Setext\n---\n\n", "- one\n- two\n  - inner\n\n    more of it\n- three\n\n",
		"1. first\n2. second\n\n   with a paragraph\n3. third\n\n", "> quoted\nlazily\n> again\n\n",
		"```c\nint main(void)\n\n{\n}\n```\n\n", "~~~\n# no heading\n\n[one]: /none\n~~~\n\n",
		"| A | B |\n|---|---|\n| one | [two] |\n\n", "***\n\n", "- [x] done\n- [ ] not done\n\n",
		"    indented code\n\n", "[one]: http://one.example/\n[two]: <no\n\n", "\n",
		"[two]: /two (a title)\n\n", "[three]: #3 \"t\"\n\n", "Text\n[one]: /in-a-paragraph\n\n",
		("A long paragraph, which fills sections so that there are several of them in the end: "
			"words, words, words, words, words, words, words, words, words, words, words.\n\n"),
		"<div>\nhtml\n</div>\n\n", "last &amp; least\n\n",
		"Plain words\nand more of them\nand another line.\n\n", "Words that are\na heading\n===\n\n",
		"Plain words\n| a | b |\n|---|---|\n\n", "Words,\n2. no item\n    no code\n1. item\n\n",
		"Words,\nwords\n- item\nmore of it\n# Heading\nwords\n---\nwords\n> quoted\n\n",
		"Words *that\nmay be* soft\n\n", "Words\nhttp://a.b/c?d\n  indented  \nand **bold\nones**\n\n",
		"```c\nint one;\n\n\nint two;\n\tint three;\n\n```\n\n", "Words\n```\ncode\n```\nwords\n\n",
	};
	while (out->length < length) {
		seed = seed * 1103515245u + 12345u;
		ik_buf_puts(out, blocks[(seed >> 16) % (sizeof blocks / sizeof *blocks)]);
	}
}

Test(markdown_whole, sections_look_as_one)
{
	for (unsigned seed = 1; seed < 7; seed++) {
		struct ik_block *block = markdown_block("");
		struct ik_buf text;
		size_t step = 15 + seed;
		ik_buf_init(&text, IK_KIB(64));
		generate(&text, seed, 2600);
		for (size_t length = 0; length < text.length;) {
			size_t size = text.length - length < step ? text.length - length : step;
			ik_block_append(block, text.data + length, size);
			length += size;
			struct ik_cells *cells = markdown_block_cells(block, COLUMNS);
			char *sections = strdup(picture_of(cells)), *whole = at_once(text.data, length);
			/* A section of which nothing is shown yet has a row. */
			trim(sections);
			trim(whole);
			cr_assert_str_eq(sections, whole, "seed %u, %zu bytes, %u sections:\n%s\nwhole:\n%s",
				seed, length, block->section_count, sections, whole);
			markdown_cells_free(cells);
			free(sections);
			free(whole);
		}
		cr_assert_gt(block->section_count, 1);
		ik_buf_done(&text);
		ik_block_free(block);
	}
}

/* A block of numbered lines that grows for long: no turn lays out all of it, or much, and it looks
 * as if it had never been cut. */
static void check_growth(const char *head, const char *before, const char *after, const char *foot)
{
	struct ik_block *block = markdown_block(head);
	struct ik_buf text;
	char piece[200];

	ik_buf_init(&text, IK_KIB(256));
	ik_buf_puts(&text, head);
	for (int i = 1; text.length < 100000; i++) {
		int length = snprintf(piece, sizeof(piece), "%s%d%s", before, i, after);

		ik_buf_puts(&text, piece);
		ik_block_append(block, piece, (size_t)length);
		if (i % 100 == 0)
			markdown_cells_free(markdown_block_cells(block, COLUMNS));
	}
	ik_buf_puts(&text, foot);
	ik_block_append(block, foot, strlen(foot));
	struct ik_cells *cells = markdown_block_cells(block, COLUMNS);
	char *whole = at_once(text.data, text.length);
	char *sections = strdup(picture_of(cells));

	trim(sections);
	trim(whole);
	cr_expect_str_eq(sections, whole, "%s%s", head, before);
	for (uint32_t i = 0; i < block->section_count; i++)
		cr_expect_lt(block->sections[i].end - block->sections[i].start, IK_KIB(36), "%s%s", head,
			before);
	free(sections);
	free(whole);
	markdown_cells_free(cells);
	ik_buf_done(&text);
	ik_block_free(block);
}

Test(markdown_whole, no_block_that_grows_is_laid_out_whole)
{
	check_growth("```c\n", "int line_", " = 1;\n", "```\n\nafter\n");
	check_growth("Words\n\n ~~~~\n", "\n [p]: /", "\n~~~\n", " ~~~~\nafter [p]\n");
	check_growth("", "- item ", " of **bold** words\n", "\n\nafter\n");
	check_growth("", "  * item ", "\n    - inner\n\n      more\n", "after\n");
	check_growth("", "", ". item\n\n   more of it\n", "\n\n1. another\n");
	check_growth("| number | b |\n|--|-|\n", "| ", " | words |\n", "\n\nafter\n");
	check_growth("", "> line ", " of a quote\n", "\nafter\n");
	check_growth("", "[12:00:", "] a line of a log\n", "\nafter\n");
}

Test(markdown_whole, items_that_are_not_in_sequence_keep_their_numbers)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_KIB(64));
	for (int i = 0; i < 2000; i++)
		ik_buf_puts(&text, "1. words\n");
	struct ik_cells *cells = markdown_cells(text.data, COLUMNS);

	cr_expect(picture_has(cells, "2000. words"));
	markdown_cells_free(cells);
	ik_buf_done(&text);
}

/* What a text looks like with the definition still to come, and with it. */
static void shows(const char *text, const char *definition, const char *before, const char *after)
{
	struct ik_block *block = markdown_block(text);
	markdown_cells_free(markdown_block_cells(block, COLUMNS));
	struct ik_cells *cells = markdown_block_cells(block, COLUMNS);
	cr_assert_eq(strncmp(picture_of(cells), before, strlen(before)), 0, "%s", picture_of(cells));
	markdown_cells_free(cells);
	ik_block_append(block, definition, strlen(definition));
	cells = markdown_block_cells(block, COLUMNS);
	cr_assert_eq(strncmp(picture_of(cells), after, strlen(after)), 0, "%s", picture_of(cells));
	markdown_cells_free(cells);
	ik_block_free(block);
}

Test(markdown_whole, a_definition_reaches_what_stands_before_it)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_KIB(64));
	ik_buf_puts(&text, "See [the page][p], [P][] and [q].\n\n");
	while (text.length < 5000)
		ik_buf_puts(&text, "Words that fill the first section, and more than that.\n\n");
	shows(text.data, "[p]: http://p.example/ 'P'\n", "See [the page][p], [P][] and [q].\n",
		"See the page (http://p.example/), P\n(http://p.example/) and [q].\n");
	/* Not before its line is complete, not in code, not in a paragraph. */
	shows("[p]\n\n", "[p]: http://p.ex", "[p]\n", "[p]\n");
	shows("[p]\n\n", "```\n[p]: /x\n```\n", "[p]\n", "[p]\n");
	shows("[p]\n\n", "````\n```\n[p]: /x\n```c\n[p]: /x\n````\n", "[p]\n", "[p]\n");
	shows("[p]\n\n", "~~~\n~~~c\n```\n[p]: /x\n~~~\n", "[p]\n", "[p]\n");
	shows("[p]\n\n", "word\n[p]: /x\n", "[p]\n", "[p]\n");
	/* What is no fence, or ends. */
	shows("[p]\n\n", "```a``` b\n\n[p]: /x\n", "[p]\n", "p (/x)\n");
	shows("[p]\n\n", "1. - ```\n     a\n     ```\n\n[p]: /x\n", "[p]\n", "p (/x)\n");
	shows("[p]\n\n", "[p]: /a b\n", "[p]\n", "[p]\n");
	shows("[p]\n\n", "[p]: </a b>\n", "[p]\n", "p (/a b)\n");
	/* Of other links in its section. */
	shows("", "# [p](/y)\n\n[q]: /x\n\n[q]\n", "", "p (/y)\n══════\n\n[q]: /x\n\nq (/x)\n");
	ik_buf_done(&text);
}

Test(markdown_whole, a_definition_may_stand_in_quotes_and_items)
{
	static const struct {
		const char *text;
		bool defines;
	} table[] = {
		{"> [p]: /x\n", true}, {"> > [p]: /x 'y'\n", true}, {"> a\n>\n> [p]: /x\n", true},
		{"> a\n> [p]: /x\n", false}, {"> a\n> > [p]: /x\n", true}, {"> a\n[p]: /x\n", false},
		{"> a\n\n[p]: /x\n", true}, {"a\n> [p]: /x\n", true}, {">     [p]: /x\n", false},
		{"- [p]: /x\n", true}, {"- a\n- [p]: /x\n", true}, {"- a\n\n  [p]: /x\n", true},
		{"- a\n  [p]: /x\n", false}, {"10. - a\n\n      [p]: /x\n", true},
		{"- a\n\n      [p]: /x\n", false}, {"- a\n\nb\n\n     [p]: /x\n", false},
		{"> - a\n>\n>   [p]: /x\n", true}, {"1) > [p]: </x>\n", true},
		{"> ```\n> [p]: /x\n> ```\n", false}, {"> ```\n> a\n\n[p]: /x\n", true},
		{"```\n> [p]: /x\n- [p]: /x\n```\n", false}, {"> ```\n> > [p]: /x\n> ```\n", false},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct ik_buf learnt;
		ik_buf_init(&learnt, IK_KIB(1));
		bool any = ik_renderer_markdown.learn(&learnt, table[i].text, strlen(table[i].text));
		cr_assert_eq(any, table[i].defines, "%s", table[i].text);
		ik_buf_done(&learnt);
	}
	/* It is shown as it stands, and is no link itself. */
	shows("[p]\n\n", "> [p]: <a b>\n", "[p]\n", "p (a b)\n\n│ [p]: <a b>\n");
	shows("[p]\n\n", "1. a\n\n   [p]: /x\n", "[p]\n", "p (/x)\n\n1. a\n\n   [p]: /x\n");
}

Test(markdown_whole, definitions_that_have_no_room_spoil_nothing)
{
	struct ik_block *block = markdown_block("See [d1], [d9999].\n\n");
	char line[300];
	ik_block_append(block, "[d1]: http://example/1\n", 23);
	for (int i = 0; i < 1000; i++) { /* more than 64 KiB, mostly labels */
		(void)snprintf(line, sizeof line, "[long label %0160d]: /%d\n", i, i);
		ik_block_append(block, line, strlen(line));
	}
	ik_block_append(block, "[d9999]: /late\n", 15);
	struct ik_cells *cells = markdown_block_cells(block, COLUMNS);
	const char *shown = "See d1 (http://example/1), d9999 (/late).\n";
	cr_assert_eq(strncmp(picture_of(cells), shown, strlen(shown)), 0, "%.500s", picture_of(cells));
	markdown_cells_free(cells);
	ik_block_free(block);
}

Test(markdown_whole, a_line_of_many_ends_of_labels_takes_no_time)
{
	size_t length = IK_MIB(1);
	char *text = calloc(1, length + 1);
	for (size_t i = 0; i < length; i += 2)
		memcpy(text + i, "]:", 2);
	clock_t began = clock();
	struct ik_block *block = markdown_block(text);
	ik_block_prepare(block);
	cr_assert_gt(ik_block_lines(block, 0, 80)->count, 1000);
	cr_assert_lt((double)(clock() - began) / CLOCKS_PER_SEC, 5);
	ik_block_free(block);
	free(text);
}

Test(markdown_whole, definitions_are_lines_of_their_kind)
{
	static const struct {
		const char *line;
		bool defines;
	} table[] = {
		{"[a]: b", true}, {"   [a]:\tb  ", true}, {"[a b]: http://x/(y) \"z\"", true},
		{"[a]: b (c)", true}, {"    [a]: b", false}, {"[]: b", false}, {"[ ]: b", false},
		{"[a] : b", false}, {"[a]:", false}, {"[a]: b c", false}, {"[a]: b \"c", false},
		{"[a]: b)", false}, {"[a]: (b", false}, {"[a[]: b", false}, {"[^1]: a note", false},
		{"[a]: <b>", true}, {"[a]: <b c> 'd'", true}, {"[a]: <b>c", false},
		{"[a]: <b", false}, {"[a]: <b<c>", false}, {"[a]: b \"c\" d", false},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct ik_buf learnt;
		ik_buf_init(&learnt, IK_KIB(1));
		bool any = ik_renderer_markdown.learn(&learnt, table[i].line, strlen(table[i].line));
		cr_assert_eq(any, table[i].defines, "%s", table[i].line);
		ik_buf_done(&learnt);
	}
}
