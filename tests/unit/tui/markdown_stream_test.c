/* Markdown that arrives in pieces ends as the picture of the whole. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "markdown_page.h"
#include "tui/text/markdown.h"
#include "tui/text/markdown_source.h"
#include "util/buf.h"
#include "util/limits.h"

static const char document[] =
	"# Title\n\nSome **bold** and *soft* text with `code`, a [link](http://a.b/c?d=e) and\n"
	"~~struck~~ words. 日本語 too &amp; &#65;.\n\n"
	"- one\n- two\n  1. three\n  2. four\n\n     more of four\n- [x] done\n\n"
	"> quoted **text\n> goes** on\n\n```c\nint main(void)\n{\n\treturn **0**;\n}\n```\n\n"
	"| A | B |\n|:--|--:|\n| one | 1 |\n| `two` | 22 |\n\n---\n\nSetext\n======\n\n"
	"<b>html</b> ![image](x.png)\n\n    indented\n\n1. last\n";

/* The picture of a reply that came in two pieces, drawn after each. */
static char *streamed(const char *text, size_t length, size_t first, size_t step, int columns)
{
	struct ik_block *block = markdown_block("");
	for (size_t at = 0; at < length;) {
		size_t size = at == 0 && first > 0 ? first : step;
		if (size > length - at)
			size = length - at;
		ik_block_append(block, text + at, size);
		at += size;
		struct ik_cells *cells = markdown_block_cells(block, columns);
		markdown_cells_free(cells);
	}
	ik_block_finish(block);
	struct ik_cells *cells = markdown_block_cells(block, columns);
	char *picture = strdup(picture_of(cells));
	markdown_cells_free(cells);
	ik_block_free(block);
	return picture;
}

Test(markdown_stream, every_split_in_two_ends_the_same)
{
	size_t length = strlen(document);
	for (int columns = 20; columns <= 60; columns += 40) {
		char *whole = streamed(document, length, length, length, columns);
		for (size_t first = 1; first < length; first++) {
			char *split = streamed(document, length, first, length, columns);
			cr_assert_str_eq(split, whole, "cut at %zu:\n%s\nwhole:\n%s", first, split, whole);
			free(split);
		}
		free(whole);
	}
}

/* A document of random parts, as long as asked. */
static void generate(struct ik_buf *out, unsigned seed, size_t length)
{
	static const char *const parts[] = {
		"word ", "**bold** ", "*", "`", "``", "~~", "\n", "\n\n", "\n- ", "\n  - ", "\n1. ", "> ",
		"# ", "```", "\n```c\n", "\n```\n", "|", "| a | b |\n|---|---|\n", "| c | d |\n", "[x](y)",
		"[", "](", ")", "日本 ", "&amp;", "&#27;", "\\", "    ", "\t", "---", "===", "<b>", "\n\n\n",
		"a line that goes on for a while so that sections become full. ",
		"http://example.org/a ", "![i](j)", "\n\n# Head\n\n", "]: ", "e\xCC\x81", "1", "_",
		"[one]", "[x][one] ", "[Two][] ", "\n\n[one]: http://l.b/1\n", "\n\n[two]: <x>\n",
		"\n\n[two]: /two 'title'\n[three]: #3\n", "[three] ",
		"<br>", "<br />|", "\n> [three]: #4\n", "\n- [two]: </in>\n", "\n> ", "\n   ",
	};
	while (out->length < length) {
		seed = seed * 1103515245u + 12345u;
		ik_buf_puts(out, parts[(seed >> 16) % (sizeof parts / sizeof *parts)]);
	}
}

Test(markdown_stream, generated_documents_end_the_same)
{
	for (unsigned seed = 1; seed < 60; seed++) {
		struct ik_buf text;
		ik_buf_init(&text, IK_KIB(256));
		generate(&text, seed, seed % 10 == 0 ? 40000 : 600);
		char *whole = streamed(text.data, text.length, text.length, 1, 33);
		char *pieces = streamed(text.data, text.length, 0, seed % 10 == 0 ? 1777 : 7, 33);
		cr_assert_str_eq(pieces, whole, "seed %u", seed);
		free(whole);
		free(pieces);
		ik_buf_done(&text);
	}
}

/* How many of the numbers 1 to count are words of the picture, in order. */
static int numbers_shown(const char *picture, int count)
{
	for (int i = 1; i <= count; i++) {
		char number[20];
		(void)snprintf(number, sizeof number, "n%d.", i);
		picture = strstr(picture, number);
		if (!picture)
			return i - 1;
	}
	return count;
}

/* A long text of numbered lines: all of them are there, however it was cut. */
static void check_long(const char *head, const char *before, const char *behind, int count)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_KIB(4096));
	ik_buf_puts(&text, head);
	for (int i = 1; i <= count; i++)
		ik_buf_printf(&text, "%sn%d.%s", before, i, behind);
	char *whole = streamed(text.data, text.length, text.length, 1, 40);
	char *pieces = streamed(text.data, text.length, 0, 4099, 40);
	int shown = numbers_shown(whole, count);
	cr_assert_eq(shown, count, "%s%s: %d of %d", head, before, shown, count);
	cr_assert_str_eq(whole, pieces);
	free(whole);
	free(pieces);
	ik_buf_done(&text);
}

Test(markdown_stream, long_blocks_lose_nothing)
{
	check_long("", "paragraph ", "\n\n", 3000);
	check_long("", "- item ", "\n", 3000);
	check_long("", "- item\n  - ", "\n\n", 3000);
	check_long("```c\n", "int ", ";\n", 3000);
	check_long("- a\n  ```c\n", "  int ", ";\n", 3000);
	check_long("| a | b |\n|---|---|\n", "| cell | ", " |\n", 2000);
	check_long("", "> quote ", "\n", 3000);
	check_long("", "one paragraph ", "\n", 3000);
	check_long("", "one line ", " ", 6000);
}

Test(markdown_stream, a_long_code_block_is_one)
{
	struct ik_buf text;
	ik_buf_init(&text, IK_KIB(4096));
	ik_buf_puts(&text, "```c\n");
	for (int i = 0; i < 3000; i++)
		ik_buf_puts(&text, "int one;\n");
	ik_buf_puts(&text, "```\nEnd.");
	char *picture = streamed(text.data, text.length, 0, 3001, 20);
	int rows = 0;
	for (const char *at = picture; (at = strstr(at, "▎ int one;")); at = strchr(at, '\n'))
		rows++;
	cr_assert_eq(rows, 3000);
	cr_assert_eq(strncmp(picture, "▎ int one;         c\n▎ int one;\n", 36), 0, "%.40s", picture);
	cr_assert(strstr(picture, "▎ int one;\nEnd.\n"));
	free(picture);
	ik_buf_done(&text);
}

/* Lay out the first bytes of a text as one that grows; is a byte from after them shown? */
static bool shows_more(const char *text, size_t length)
{
	struct ik_lines lines = {0};
	struct ik_buf learnt;
	bool more = false;
	ik_buf_init(&learnt, IK_KIB(1));
	const struct ik_render request = {.text = text, .end = length,
		.learnt = &learnt, .growing = true, .columns = 80, .prose = 80, .tail = length};
	ik_renderer_markdown.render(&request, &lines);
	for (uint32_t i = 0; i < lines.run_count; i++)
		more |= !lines.runs[i].added && lines.runs[i].offset + lines.runs[i].length > length;
	more |= lines.added_length > 0 && memchr(lines.added, 'Z', lines.added_length);
	ik_lines_done(&lines);
	ik_buf_done(&learnt);
	return more;
}

Test(markdown_stream, marks_that_complete_a_text_open_no_block)
{
	static const char *const texts[] = {
		"~~```aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", "**```one\n",
		"*~~````a b\n", "> ~~```one\n", "- **```one\n",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char text[200];
		size_t length = strlen(texts[i]);
		memset(text, 'Z', sizeof text);
		memcpy(text, texts[i], length);
		cr_assert_not(shows_more(text, length), "%s", texts[i]);
	}
}

Test(markdown_stream, the_last_code_is_between_the_fences_that_are_shown_as_such)
{
	static const struct {
		const char *text, *code; /* NULL: there is none */
	} rows[] = {
		{ "A\n```sh\none\n```\nB\n```\ntwo\n```\nC", "two\n" },
		{ "~~~~\n```\none\n~~~\n~~~~ \n", "```\none\n~~~\n" },
		{ "```\r\none\r\n```\r\nA", "one\r\n" },
		{ "```md\n1. A\n\n    ```\n    one\n    ```\n```\nB", "1. A\n\n    ```\n    one\n    ```\n" },
		{ "```c\n\t```\n```\n", "\t```\n" },
		{ "- A\n  ```\n  one\n      ```\n  ```\n\nB", "  one\n      ```\n" },
		{ "1. ```\n   one\n   ```\n", "   one\n" },
		{ "- A\n\n\t```\n\tone\n\t```\n", "\tone\n" },
		{ "```\none\n```sh\n", "one\n```sh\n" },
		{ "``` ```\none", NULL },
		{ "    ```\none\n    ```\n", NULL },
		{ "\t```\none\n\t```\n", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *code = NULL;
		size_t length = 0;
		bool found = ik_markdown_last_code(rows[i].text, strlen(rows[i].text), &code, &length);

		cr_assert_eq(found, rows[i].code != NULL, "row %zu", i);
		if (found)
			cr_assert(length == strlen(rows[i].code) && memcmp(code, rows[i].code, length) == 0,
				"row %zu: %.*s", i, (int)length, code);
	}
}
