#include "tui/text/markdown.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "markdown_page.h"

#define SHOWS(text, columns, expected) \
	do { \
		struct ik_cells *cells_ = markdown_cells(text, columns); \
		PICTURE_IS(cells_, expected); \
		markdown_cells_free(cells_); \
	} while (0)

#define STYLE_IS(text, part, expected) \
	do { \
		struct ik_cells *cells_ = markdown_cells(text, 60); \
		cr_assert_eq(picture_style(cells_, part), expected, "%s: %d", part, \
			picture_style(cells_, part)); \
		markdown_cells_free(cells_); \
	} while (0)

Test(markdown, paragraphs_keep_their_line_ends_and_blank_lines)
{
	SHOWS("one two three four\nfive\n\n\nsix  \nseven\\\neight", 10,
		"one two\nthree four\nfive\n\nsix\nseven\neight\n");
}

Test(markdown, spans_are_styled_and_their_marks_gone)
{
	const char *text = "a **bold** and *soft* `code` ***both*** ~~gone~~ \\*star\\*";
	SHOWS(text, 60, "a bold and soft code both ~~gone~~ *star*\n");
	STYLE_IS(text, "~~gone~~", IK_STYLE_DIM);
	STYLE_IS(text, "bold", IK_STYLE_BOLD);
	STYLE_IS(text, "soft", IK_STYLE_EMPHASIS);
	STYLE_IS(text, "code", IK_STYLE_CODE);
	STYLE_IS(text, "both", IK_STYLE_BOLD);
	STYLE_IS(text, " and", IK_STYLE_NORMAL);
	SHOWS("~one~ and 5~6", 40, "~one~ and 5~6\n");
	SHOWS("a **bold text** that wraps", 8, "a bold\ntext\nthat\nwraps\n");
}

Test(markdown, headings)
{
	const char *text = "# One\ntext\n\n## Two\n\n### Three\n#### Four\n\nSet\n===\ntext";
	SHOWS(text, 20, "One\n═══\ntext\n\nTwo\n───\n\nThree\nFour\n\nSet\n═══\ntext\n");
	STYLE_IS(text, "Two", IK_STYLE_BOLD);
	STYLE_IS(text, "Four", IK_STYLE_BOLD);
}

Test(markdown, rules)
{
	SHOWS("one\n\n---\n\ntwo\n***\nthree", 6, "one\n\n──────\n\ntwo\n──────\nthree\n");
}

Test(markdown, lists_nest_and_hang)
{
	SHOWS("- one two three\n- four\n  - five\n    - six\n  - seven\n\n9. nine\n10. ten ten ten", 12,
		"• one two\n  three\n• four\n  ◦ five\n    ▪ six\n  ◦ seven\n\n9. nine\n10. ten ten\n    ten\n");
	SHOWS("1. one\n\n   more\n\n2. two", 20, "1. one\n\n   more\n\n2. two\n");
	SHOWS("- [ ] open\n- [x] done\n-\n- last", 20, "☐ open\n☑ done\n•\n• last\n");
}

Test(markdown, deep_lists_leave_room_for_text)
{
	char text[4096];
	size_t length = 0;
	for (int i = 0; i < 20; i++) {
		memset(text + length, ' ', (size_t)i * 2);
		length += (size_t)i * 2;
		memcpy(text + length, "- word word word\n", 17);
		length += 17;
	}
	text[length] = '\0';
	struct ik_cells *cells = markdown_cells(text, 24);
	cr_assert(strstr(picture_of(cells), "word word"), "%s", picture_of(cells));
	markdown_cells_free(cells);
}

Test(markdown, quotes_have_a_bar)
{
	SHOWS("> one two three\n>\n> - four\n>\n>> five\n\nsix", 11,
		"│ one two\n│ three\n│\n│ • four\n│\n│ │ five\n\nsix\n");
}

Test(markdown, code_blocks_have_a_bar)
{
	const char *text = "See:\n```c\nint\t\tone;\n\n  two(**three**);\n```\nEnd.";
	SHOWS(text, 20,
		"See:\n▎ int     one;     c\n▎\n▎   two(**three**);\nEnd.\n");
	STYLE_IS(text, "two(**three**)", IK_STYLE_NORMAL);
	STYLE_IS(text, "▎", IK_STYLE_FRAME);
	STYLE_IS("```sh\nls\n```", "sh", IK_STYLE_FRAME);
	SHOWS("    indented\n      more\n\ntext", 12, "▎ indented\n▎   more\n\ntext\n");
	SHOWS("~~~\n~~~", 4, "▎\n");
	SHOWS("~~~\n~~~\n\nafter\n~~~\n\n~~~\nafter\n", 5, "▎\n\nafter\n▎\nafter\n");
	SHOWS("- one\n  ```sh\n  ls -l\n  ```\n- two", 16, "• one\n  ▎ ls -l     sh\n• two\n");
	/* The language is named in the first row that has room, if one has. */
	SHOWS("```sh\nls -l | wc\nls\nls\n```", 13, "▎ ls -l | wc\n▎ ls       sh\n▎ ls\n");
	SHOWS("```sh\nls -l | wc\n```", 13, "▎ ls -l | wc\n");
}

Test(markdown, a_diff_has_the_colours_of_one)
{
	const char *text = "1. x\n   ```diff\n   @@ -1 +1 @@\n    same\n   -\told\n   +new\n   ```\n";
	SHOWS(text, 22, "1. x\n   ▎ @@ -1 +1 @@\n   ▎  same        diff\n   ▎ -   old\n   ▎ +new\n");
	STYLE_IS(text, "@@", IK_STYLE_DIM);
	STYLE_IS(text, "same", IK_STYLE_NORMAL);
	STYLE_IS(text, "old", IK_STYLE_BAD);
	STYLE_IS(text, "new", IK_STYLE_GOOD);
	/* The blank before what did not change comes from the parser by itself. */
	STYLE_IS("```diff\n - item\n```\n", "- item", IK_STYLE_NORMAL);
	STYLE_IS("```diff\n + x\n+y\n```\n", "+ x", IK_STYLE_NORMAL);
	STYLE_IS("```diff\n + x\n+y\n```\n", "+y", IK_STYLE_GOOD);
	STYLE_IS("- a\n\n  ```diff\n   @here\n  -z\n  ```\n", "@here", IK_STYLE_NORMAL);
	STYLE_IS("- a\n\n  ```diff\n   @here\n  -z\n  ```\n", "-z", IK_STYLE_BAD);
	STYLE_IS("```patch\n+new\n```\n", "new", IK_STYLE_GOOD);
	STYLE_IS("```\n-old;\n```\n", "old", IK_STYLE_NORMAL);
	STYLE_IS("```diff\n-old\n```\n\n`+code`\n", "code", IK_STYLE_CODE);
}

Test(markdown, code_of_a_known_language_has_colours)
{
	const char *text = "- ```c\n  if (x)\t/* why */\n  \treturn \"no\";\n  ```\n";
	SHOWS(text, 28, "• ▎ if (x)  /* why */      c\n  ▎   return \"no\";\n");
	STYLE_IS(text, "if", IK_STYLE_KEYWORD);
	STYLE_IS(text, "(x)", IK_STYLE_NORMAL);
	STYLE_IS(text, "/* why */", IK_STYLE_DIM);
	STYLE_IS(text, "\"no\"", IK_STYLE_CODE);
	STYLE_IS("```nothing\nif\n```\n", "if", IK_STYLE_NORMAL);
}

Test(markdown, colours_part_no_accent_from_what_it_stands_on)
{
	SHOWS("```c\n\"a\"\u0301 /* b */\u0301 'c' \u0301if\n```\n", 28,
		"▎ \"a\"\u0301 /* b */\u0301 'c' \u0301if       c\n");
}

Test(markdown, long_lines_of_code_go_on_behind_a_mark)
{
	SHOWS("```\nabcdefghijkl\n日本語日本\nabcdef\n```", 8,
		"▎ abcde↩\n▎ fghij↩\n▎ kl\n▎ 日本 ↩\n▎ 語日本\n▎ abcdef\n");
}

Test(markdown, tables_are_aligned)
{
	const char *text = "| Name | Size | Mid |\n|:-----|-----:|:---:|\n| a | 1 | x |\n| **long** | 1000 | yyy |\n";
	SHOWS(text, 40,
		"Name │ Size │ Mid\n"
		"─────┼──────┼────\n"
		"a    │    1 │  x\n"
		"long │ 1000 │ yyy\n");
	STYLE_IS(text, "Name", IK_STYLE_BOLD);
	STYLE_IS(text, "long", IK_STYLE_BOLD);
}

Test(markdown, narrow_rows_below_the_head_of_a_table_will_do)
{
	SHOWS("| a | b |\n|--|-|\n| 1 | **2** |\n\nafter `x`\n", 40,
		"a │ b\n──┼──\n1 │ 2\n\nafter x\n");
	SHOWS("a|b\n:-|-:\n1|22\n", 40, "a │  b\n──┼───\n1 │ 22\n");
	SHOWS("```\n|a|b|\n|-|-|\n```\n", 20,
		"▎ |a|b|\n▎ |-|-|\n");
	SHOWS("a | b | c\n|-|-|\n", 40, "a | b | c\n|-|-|\n");
}

Test(markdown, tables_wrap_within_cells_and_become_lists)
{
	const char *text = "| Key | What it is |\n|---|---|\n| one | a rather long text |\n| 日本 | |\n";
	SHOWS(text, 18,
		"Key  │ What it is\n─────┼────────────\none  │ a rather\n     │ long text\n日本 │\n");
	SHOWS(text, 12, "Key: one\nWhat it is\na rather\nlong text\n───\nKey: 日本\nWhat it is:\n");
}

Test(markdown, links_have_their_address_behind_them)
{
	const char *text = "[text](http://a.b/c) <http://d.e> http://f.g <me@h.i> ![alt](pic.png) [x](<y z> \"t\")";
	SHOWS(text, 90,
		"text (http://a.b/c) http://d.e http://f.g me@h.i alt (pic.png) x (y z)\n");
	STYLE_IS("[text](http://a.b/c)", "text", IK_STYLE_LINK);
	STYLE_IS("[text](http://a.b/c)", "http", IK_STYLE_DIM);
	SHOWS("[a][1] and [1]\n\n[1]: http://x.y \"title\"", 40,
		"a (http://x.y) and 1 (http://x.y)\n\n[1]: http://x.y \"title\"\n");
}

Test(markdown, html_is_text_and_entities_are_decoded)
{
	SHOWS("<b>bold</b>\n\n<div>\nx\n</div>\n\n&lt;&amp;&#65;&#x42; &unknown; &nbsp;|", 30,
		"<b>bold</b>\n\n<div>\nx\n</div>\n\n<&AB &unknown; \u00A0|\n");
}

Test(markdown, a_break_of_html_is_one)
{
	SHOWS("one<br>two<BR/>three<br />four <break> \\<br>\n`<br>`\n", 40,
		"one\ntwo\nthree\nfour <break> <br>\n<br>\n");
	SHOWS("| a | b |\n|---|--:|\n| x<br>longer | 1 |\n", 40,
		"a      │ b\n───────┼──\nx      │ 1\nlonger │\n");
	SHOWS("| Key | Value |\n|---|---|\n| x | 1<br>2 |\n", 8, "Key: x\nValue\n1\n2\n");
	SHOWS("```\n<br>\n```\n", 8, "▎ <br>\n");
	SHOWS("One\nlonger\n===\n", 40, "One\nlonger\n══════\n");
}

Test(markdown, nothing_becomes_a_control_byte)
{
	const char *text = "&#27;[31m &#x202e; &#0; [l](x&#27;y) `a&#27;b` \033]8;;evil\a [\033](\033[2J)\n\n"
		"```\n\033[2J\n```\n\n|a\033|\n|---|\n|\033&#8;|\n";
	struct ik_cells *cells = markdown_cells(text, 60);
	const char *picture = picture_of(cells);
	cr_assert(strstr(picture, "␛[31m <U+202E> \uFFFD l (x␛y) a&#27;b ␛]8;;evil␇"), "%s", picture);
	for (const char *at = picture; *at; at++)
		cr_assert(*at == '\n' || (unsigned char)*at >= 0x20, "%s", picture);
	markdown_cells_free(cells);
}

Test(markdown, a_remark_stays_plain)
{
	struct ik_block *block = markdown_block("```c\nint");
	ik_block_finish(block);
	ik_block_remark(block, "[interrupted]");
	struct ik_cells *cells = markdown_block_cells(block, 16);
	PICTURE_IS(cells, "▎ int          c\n[interrupted]\n");
	cr_assert_eq(picture_style(cells, "[interrupted]"), IK_STYLE_DIM);
	markdown_cells_free(cells);
	ik_block_free(block);
}

Test(markdown, what_is_incomplete_looks_calm)
{
	static const struct {
		const char *text, *picture;
	} cases[] = {
		{"a **bo", "a bo\n"}, {"a **", "a\n"}, {"a *it", "a it\n"}, {"a `co", "a co\n"},
		{"a ~~de", "a ~~de~~\n"}, {"a **b *c", "a b c\n"}, {"[t](http://x", "t\n(http://x)\n"},
		{"one\n-", "one\n"}, {"one\n- t", "one\n• t\n"}, {"```", "▎\n"},
		{"```c\nint", "▎ int    c\n"}, {"```c\nab **b", "▎ ab **b\n"},
		{"| a | b", "\n"}, {"| a | b |\n|--", "\n"},
		{"| a | b |\n|---|---|\n| c", "a │ b\n──┼──\nc │\n"}, {"# He", "He\n══\n"}, {"a 2 * 3", "a 2 * 3\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ik_block *block = markdown_block(cases[i].text);
		struct ik_cells *cells = markdown_block_cells(block, 10);
		cr_assert_str_eq(picture_of(cells), cases[i].picture, "%s: %s", cases[i].text,
			picture_of(cells));
		markdown_cells_free(cells);
		ik_block_free(block);
	}
}

Test(markdown, marks_held_back_are_shown_in_the_end)
{
	SHOWS("a **", 10, "a **\n");
	SHOWS("| a | b", 10, "| a | b\n");
	SHOWS("**bo", 10, "**bo\n");
}

Test(markdown, a_table_of_monstrous_width_is_text)
{
	size_t columns = 3000;
	char *text = malloc(columns * 6 + 16);
	char *at = text;
	for (size_t i = 0; i < columns; i++)
		at = stpcpy(at, "|a");
	at = stpcpy(at, "\n");
	for (size_t i = 0; i < columns; i++)
		at = stpcpy(at, "|---");
	struct ik_cells *cells = markdown_cells(text, 40);
	cr_assert(picture_has(cells, "|a|a|a"));
	markdown_cells_free(cells);
	free(text);
}

Test(markdown, a_table_of_very_many_rows_is_one)
{
	struct ik_buf text;
	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_puts(&text, "| a | b |\n|---|---|\n");
	for (int i = 0; i < 40000; i++)
		ik_buf_printf(&text, "| n%d | x |\n", i);
	struct ik_cells *cells = markdown_cells(text.data, 40);
	cr_assert(picture_has(cells, "n0 "));
	cr_assert(picture_has(cells, "n39999 │ x"));
	markdown_cells_free(cells);
	ik_buf_done(&text);
}
