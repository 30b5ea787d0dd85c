#include "tui/scrollback/scrollback.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "tui/scrollback/scrollback_search.h"
#include "tui/text/markdown.h"

struct window {
	struct ik_scrollback *scrollback;
	struct ik_cells cells;
};

static struct window window_new(int rows, int columns)
{
	struct window window = {.scrollback = ik_scrollback_new()};
	ik_cells_init(&window.cells);
	ik_cells_resize(&window.cells, rows, columns);
	ik_scrollback_resize(window.scrollback, rows, columns);
	return window;
}

static void window_done(struct window *window)
{
	ik_scrollback_free(window->scrollback);
	ik_cells_done(&window->cells);
}

static const struct ik_cells *draw(struct window *window)
{
	ik_cells_resize(&window->cells, window->cells.rows, window->cells.columns);
	ik_scrollback_draw(window->scrollback, &window->cells, (struct ik_rectangle){
		0, 0, window->cells.rows, window->cells.columns});
	return &window->cells;
}

static const struct ik_cells *resize(struct window *window, int rows, int columns)
{
	ik_cells_resize(&window->cells, rows, columns);
	ik_scrollback_resize(window->scrollback, rows, columns);
	return draw(window);
}

static struct ik_block *add(struct window *window, enum ik_block_kind kind, const char *text)
{
	struct ik_block *block = ik_block_new(kind);
	ik_block_append(block, text, strlen(text));
	ik_scrollback_add(window->scrollback, block);
	return block;
}

/* A block of "line 1\n" ... "line count". */
static struct ik_block *add_lines(struct window *window, int count)
{
	struct ik_block *block = add(window, IK_BLOCK_ASSISTANT, "");
	for (int i = 1; i <= count; i++) {
		char line[40];
		int length = snprintf(line, sizeof line, "%sline %d", i > 1 ? "\n" : "", i);
		ik_block_append(block, line, (size_t)length);
	}
	return block;
}

Test(scrollback, shows_blocks_with_marks_and_a_blank_row_between)
{
	struct window window = window_new(8, 20);
	add(&window, IK_BLOCK_USER, "list the C files please");
	add(&window, IK_BLOCK_ASSISTANT, "There are two.");
	add(&window, IK_BLOCK_NOTICE, "one");
	add(&window, IK_BLOCK_ERROR, "two");
	PICTURE_IS(draw(&window),
		"> list the C files\n"
		"  please\n"
		"\n"
		"  There are two.\n"
		"\n"
		"· one\n"
		"! two\n"
		"\n");
	window_done(&window);
}

/* So many rows are new; more: and further ones that are not counted. */
static size_t count_new(struct window *window, bool more)
{
	bool is_more;
	size_t rows = ik_scrollback_new_rows(window->scrollback, &is_more);
	cr_assert_eq(is_more, more);
	return rows;
}

static size_t new_rows(struct window *window)
{
	return count_new(window, false);
}

Test(scrollback, what_is_new_is_counted_or_said_to_be_more)
{
	struct window window = window_new(3, 20);
	struct ik_block *block = add_lines(&window, 5);
	draw(&window);
	ik_scrollback_scroll(window.scrollback, -2);
	/* Rows of a few bytes, of wide characters, of words that wrap. */
	for (int i = 0; i < 1000; i++)
		ik_block_append(block, "\nx\n\xe6\x97\xa5\xe6\x9c\xac\none two three four five six", 37);
	draw(&window);
	cr_assert_eq(new_rows(&window), 4000);
	for (int i = 0; i < 20000; i++)
		ik_block_append(block, "\nx", 2);
	cr_assert_eq(new_rows(&window), 24000);
	for (int i = 0; i < 200000; i++)
		ik_block_append(block, "\nx", 2);
	size_t rows = count_new(&window, true);
	cr_assert_gt(rows, 24000);
	cr_assert_lt(rows, 224000);
	/* The number does not waver. */
	draw(&window);
	cr_assert_eq(count_new(&window, true), rows);
	window_done(&window);
}

Test(scrollback, follows_the_end_until_scrolled_and_counts_what_is_new)
{
	struct window window = window_new(3, 20);
	struct ik_block *block = add_lines(&window, 5);
	PICTURE_IS(draw(&window), "  line 3\n  line 4\n  line 5\n");
	ik_block_append(block, "\nline 6", 7);
	PICTURE_IS(draw(&window), "  line 4\n  line 5\n  line 6\n");
	ik_scrollback_scroll(window.scrollback, -2);
	PICTURE_IS(draw(&window), "  line 2\n  line 3\n  line 4\n");
	cr_assert_not(ik_scrollback_at_end(window.scrollback));
	cr_assert_eq(new_rows(&window), 0);
	ik_block_append(block, "\nline 7\nline 8", 14);
	PICTURE_IS(draw(&window), "  line 2\n  line 3\n  line 4\n");
	cr_assert_eq(new_rows(&window), 2);
	add(&window, IK_BLOCK_NOTICE, "more");
	cr_assert_eq(new_rows(&window), 3);
	ik_scrollback_bottom(window.scrollback);
	PICTURE_IS(draw(&window), "  line 8\n\n· more\n");
	cr_assert(ik_scrollback_at_end(window.scrollback));
	cr_assert_eq(new_rows(&window), 0);
	window_done(&window);
}

Test(scrollback, scrolling_down_to_the_end_follows_again)
{
	struct window window = window_new(3, 20);
	add_lines(&window, 9);
	ik_scrollback_page(window.scrollback, -1);
	PICTURE_IS(draw(&window), "  line 5\n  line 6\n  line 7\n");
	ik_scrollback_top(window.scrollback);
	PICTURE_IS(draw(&window), "  line 1\n  line 2\n  line 3\n");
	ik_scrollback_scroll(window.scrollback, -1);
	PICTURE_IS(draw(&window), "  line 1\n  line 2\n  line 3\n");
	ik_scrollback_page(window.scrollback, 9);
	PICTURE_IS(draw(&window), "  line 7\n  line 8\n  line 9\n");
	cr_assert(ik_scrollback_at_end(window.scrollback));
	window_done(&window);
}

Test(scrollback, what_fits_is_never_scrolled)
{
	struct window window = window_new(4, 20);
	add_lines(&window, 4);
	ik_scrollback_page(window.scrollback, -1);
	ik_scrollback_top(window.scrollback);
	cr_assert(ik_scrollback_at_end(window.scrollback));
	PICTURE_IS(draw(&window), "  line 1\n  line 2\n  line 3\n  line 4\n");
	window_done(&window);
}

Test(scrollback, a_resize_keeps_the_first_row_s_text)
{
	struct window window = window_new(2, 22);
	add_lines(&window, 3);
	add(&window, IK_BLOCK_ASSISTANT, "alpha beta gamma delta epsilon zeta eta theta iota kappa");
	add_lines(&window, 3);
	ik_scrollback_scroll(window.scrollback, -3);
	PICTURE_IS(draw(&window), "  eta theta iota kappa\n\n");
	for (int columns = 13; columns < 80; columns++) {
		const struct ik_cells *cells = resize(&window, 2, columns);
		char *first = strdup(picture_of(cells));
		*strchr(first, '\n') = '\0';
		cr_assert(strstr(first, "eta"), "%d: %s", columns, first);
		free(first);
	}
	PICTURE_IS(resize(&window, 2, 22), "  eta theta iota kappa\n\n");
	window_done(&window);
}

Test(scrollback, older_blocks_come_above_what_is_seen)
{
	struct window window = window_new(2, 20);
	add_lines(&window, 6);
	ik_scrollback_scroll(window.scrollback, -3);
	PICTURE_IS(draw(&window), "  line 2\n  line 3\n");
	struct ik_block *older[40];
	for (int i = 0; i < 40; i++) {
		char text[20];
		(void)snprintf(text, sizeof text, "older %d", i);
		older[i] = ik_block_new(IK_BLOCK_NOTICE);
		ik_block_append(older[i], text, strlen(text));
	}
	ik_scrollback_prepend(window.scrollback, older, 40);
	PICTURE_IS(draw(&window), "  line 2\n  line 3\n");
	ik_scrollback_scroll(window.scrollback, -3);
	PICTURE_IS(draw(&window), "· older 39\n\n");
	ik_scrollback_top(window.scrollback);
	PICTURE_IS(draw(&window), "· older 0\n· older 1\n");
	window_done(&window);
}

Test(scrollback, prose_may_be_narrower_than_code)
{
	struct window window = window_new(6, 40);
	struct ik_block *block = add(&window, IK_BLOCK_ASSISTANT,
		"words and more words\n```\nwords and more words\n```\n");
	block->prose = 12;
	ik_block_set_renderer(block, &ik_renderer_markdown);
	add(&window, IK_BLOCK_USER, "words and more words")->prose = 10;
	PICTURE_IS(draw(&window), "  words and\n  more words\n  ▎ words and more words\n\n"
		"> words and\n  more words\n");
	window_done(&window);
}

Test(scrollback, what_is_opened_comes_into_the_window)
{
	struct window window = window_new(5, 20);
	add(&window, IK_BLOCK_NOTICE, "one\ntwo\nthree");
	struct ik_block *block = add(&window, IK_BLOCK_THINKING, "a\nb\nc");
	ik_block_finish(block);
	ik_block_finish(add(&window, IK_BLOCK_ASSISTANT, "end\nend"));
	ik_scrollback_top(window.scrollback);
	PICTURE_IS(draw(&window), "· one\n  two\n  three\n\n~ Thought · 3 lines\n");
	ik_scrollback_fold(window.scrollback, 1, false);
	PICTURE_IS(draw(&window), "  three\n\n~ a\n  b\n  c\n");
	ik_scrollback_fold(window.scrollback, 1, true);
	PICTURE_IS(draw(&window), "  three\n\n~ Thought · 3 lines\n\n  end\n");
	/* Of what is larger than the window the beginning is shown. */
	resize(&window, 2, 20);
	ik_scrollback_fold(window.scrollback, 1, false);
	PICTURE_IS(draw(&window), "~ a\n  b\n");
	window_done(&window);
}

Test(scrollback, many_blocks_scroll_row_by_row_to_the_top_and_back)
{
	struct window window = window_new(5, 20);
	for (int i = 0; i < 300; i++)
		add_lines(&window, 1 + i % 4);
	draw(&window);
	const int total = 75 * (1 + 2 + 3 + 4) + 299;
	for (int i = 0; i < total - 6; i++)
		ik_scrollback_scroll(window.scrollback, -1);
	PICTURE_IS(draw(&window), "\n  line 1\n  line 2\n\n  line 1\n");
	ik_scrollback_scroll(window.scrollback, -1);
	PICTURE_IS(draw(&window), "  line 1\n\n  line 1\n  line 2\n\n");
	int rows;
	ik_scrollback_top(window.scrollback);
	for (rows = 0; rows < 5000 && !ik_scrollback_at_end(window.scrollback); rows++)
		ik_scrollback_scroll(window.scrollback, 1);
	cr_assert_eq(rows, total - 5);
	window_done(&window);
}

Test(scrollback, one_huge_line_is_laid_out_only_where_it_is_seen)
{
	struct window window = window_new(4, 40);
	struct ik_block *block = add(&window, IK_BLOCK_ASSISTANT, "");
	size_t length = 10u << 20;
	char *text = malloc(length);
	memset(text, 'x', length);
	ik_block_append(block, text, length);
	draw(&window);
	ik_scrollback_page(window.scrollback, -3);
	draw(&window);
	ik_scrollback_top(window.scrollback);
	draw(&window);
	uint32_t made = 0;
	for (uint32_t i = 0; i < block->section_count; i++)
		made += block->sections[i].columns == 38;
	cr_assert_geq(block->section_count, length / IK_LINE_MAX);
	cr_assert_leq(made, 4);
	free(text);
	window_done(&window);
}

Test(scrollback, a_growing_reply_lays_out_only_its_end)
{
	struct window window = window_new(4, 40);
	struct ik_block *block = add(&window, IK_BLOCK_ASSISTANT, "");
	for (int i = 0; i < 20000; i++) {
		ik_block_append(block, "words and ", 10);
		if (i % 100 == 0)
			draw(&window);
	}
	draw(&window);
	struct ik_lines whole = {0};
	uint32_t last = block->section_count - 1;
	const struct ik_lines *grown = ik_block_lines(block, last, 38);
	struct ik_render request = {.text = block->text, .start = block->sections[last].start,
		.end = block->length, .columns = 38, .prose = 38, .tail = SIZE_MAX};
	ik_renderer_plain.render(&request, &whole);
	cr_assert_eq(grown->count, whole.count);
	ik_lines_done(&whole);
	window_done(&window);
}

Test(scrollback, escapes_split_over_pieces_stay_harmless)
{
	struct window window = window_new(2, 40);
	struct ik_block *block = add(&window, IK_BLOCK_ASSISTANT, "\n\n");
	ik_block_append(block, "red\033", 4);
	ik_block_append(block, "[31m \xE6\x97", 7);
	ik_block_append(block, "\xA5\xE2\x80\xAE!", 5);
	ik_block_finish(block);
	PICTURE_IS(draw(&window), "  red␛[31m 日<U+202E>!\n\n");
	window_done(&window);
}

Test(scrollback, a_stored_message_takes_the_place_of_what_was_streamed)
{
	struct window window = window_new(3, 40);
	struct ik_block *block = add(&window, IK_BLOCK_ASSISTANT, "Hello the");
	draw(&window);
	struct ik_message *message = ik_message_new(IK_KIND_ASSISTANT, "Hello there\n", 12,
		"{\"interrupted\":true}", 20);
	ik_block_finish_with(block, message);
	ik_message_unref(message);
	PICTURE_IS(draw(&window), "  Hello there\n  [interrupted]\n\n");
	ik_block_remark(block, "[again]");
	PICTURE_IS(draw(&window), "  Hello there\n  [interrupted]\n\n");
	cr_assert_eq(picture_style(&window.cells, "[interrupted]"), IK_STYLE_DIM);
	window_done(&window);
}

Test(scrollback, a_clean_message_is_not_copied)
{
	struct ik_message *clean = ik_message_new(IK_KIND_ASSISTANT, "plain\ntext", 10, NULL, 0);
	struct ik_message *dirty = ik_message_new(IK_KIND_ASSISTANT, "bell\a", 5, NULL, 0);
	struct ik_block *one = ik_block_of_message(clean);
	struct ik_block *other = ik_block_of_message(dirty);
	ik_block_prepare(one);
	ik_block_prepare(other);
	cr_assert(one->text == clean->content);
	cr_assert_str_eq(other->text, "bell␇");
	ik_block_free(one);
	ik_block_free(other);
	ik_message_unref(clean);
	ik_message_unref(dirty);
}

Test(scrollback, draws_into_every_size)
{
	struct window window = window_new(1, 1);
	add(&window, IK_BLOCK_USER, "日本語 and more");
	add_lines(&window, 3);
	for (int rows = 0; rows < 6; rows++)
		for (int columns = 0; columns < 16; columns++) {
			resize(&window, rows, columns);
			ik_scrollback_scroll(window.scrollback, columns % 2 ? 1 : -1);
		}
	window_done(&window);
}

/* Is any section of the block laid out? */
static bool is_laid_out(const struct ik_block *block)
{
	for (uint32_t section = 0; section < block->section_count; section++) {
		if (block->sections[section].lines.lines)
			return true;
	}
	return false;
}

static int count_laid_out(const struct window *window)
{
	int count = 0;
	for (size_t i = 0; i < ik_scrollback_count(window->scrollback); i++)
		count += is_laid_out(ik_scrollback_at(window->scrollback, i));
	return count;
}

Test(scrollback, keeps_no_lines_far_from_the_window)
{
	struct window window = window_new(6, 20);
	struct ik_block *first = add_lines(&window, 3);

	cr_expect_not(is_laid_out(first));
	draw(&window);
	cr_expect(is_laid_out(first));
	for (int i = 0; i < 300; i++) {
		add_lines(&window, 3);
		draw(&window);
	}
	cr_expect_not(is_laid_out(first));
	cr_expect_leq(count_laid_out(&window), 40);

	/* Up by pages, to the top at once, and back: what is shown is there, and little else. */
	for (int i = 0; i < 100; i++) {
		ik_scrollback_page(window.scrollback, -1);
		draw(&window);
		cr_expect_leq(count_laid_out(&window), 40);
	}
	ik_scrollback_top(window.scrollback);
	PICTURE_IS(draw(&window), "  line 1\n  line 2\n  line 3\n\n  line 1\n  line 2\n");
	cr_expect(is_laid_out(first));
	ik_scrollback_bottom(window.scrollback);
	draw(&window);
	cr_expect_not(is_laid_out(first));
	cr_expect_leq(count_laid_out(&window), 40);
	ik_scrollback_clear(window.scrollback);
	add_lines(&window, 3);
	draw(&window);
	cr_expect_eq(count_laid_out(&window), 1);
	window_done(&window);
}

/* A reply in Markdown, drawn. */
static struct window window_of(const char *markdown, int rows, int columns)
{
	struct window window = window_new(rows, columns);
	struct ik_block *block = ik_block_new(IK_BLOCK_ASSISTANT);
	ik_block_set_renderer(block, &ik_renderer_markdown);
	ik_block_append(block, markdown, strlen(markdown));
	ik_block_finish(block);
	ik_scrollback_add(window.scrollback, block);
	draw(&window);
	return window;
}

/* What is copied from a cell to another of a reply. */
static void copies(const char *markdown, int row, int column, int to_row, int to_column,
	const char *expected)
{
	struct window window = window_of(markdown, 24, 22);
	struct ik_buf out;
	ik_buf_init(&out, 10000);
	ik_scrollback_mark_begin(window.scrollback, row, column);
	ik_scrollback_mark_to(window.scrollback, to_row, to_column);
	(void)ik_scrollback_marked(window.scrollback, &out);
	cr_expect_str_eq(out.data, expected, "%s: %s", markdown, out.data);
	ik_buf_done(&out);
	window_done(&window);
}

Test(scrollback, what_is_marked_is_copied_as_it_was_written)
{
	const char *code = "```c\nif (x)\n\t\treturn\t1;\n\n  two;\n```\nafter";
	copies(code, 0, 0, 23, 21, "if (x)\n\t\treturn\t1;\n\n  two;\nafter");
	copies(code, 1, 0, 1, 21, "\t\treturn\t1;");
	copies(code, 1, 12, 1, 13, "re");
	copies(code, 3, 0, 3, 7, "  tw");
	copies("some **words that** are too long", 0, 0, 23, 0, "some words that are too long");
	copies("> quoted words of two rows\n>\n> - item", 0, 2, 23, 21,
		"quoted words of two rows\n\n\xE2\x80\xA2 item");
	copies("```\nabcdefghijklmnopqrstuvwxyz\n```", 0, 5, 1, 6, "bcdefghijklmnopqrst");
	copies("| a | b |\n|---|---|\n| long | c |", 0, 0, 23, 21, "a      b\nlong   c");
}

Test(scrollback, a_search_finds_words_over_markup_and_line_breaks)
{
	struct window window = window_of("some words **that are** `too` long for it", 10, 16);
	struct ik_search *search = ik_search_new(window.scrollback, false);
	ik_search_set(search, "words that are too long", 23);
	while (ik_search_working(search))
		(void)ik_search_work(search);
	cr_expect(ik_search_state(search).found);
	ik_search_free(search);
	window_done(&window);
}
