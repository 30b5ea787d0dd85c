#include "tui/edit/editor.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tui/edit/history.h"
#include "util/limits.h"
#include "util/utf8.h"

static void type(struct ik_editor *editor, const char *text)
{
	/* key by key, as it comes from a keyboard */
	for (size_t length = strlen(text); length > 0;) {
		uint32_t codepoint;
		int count = ik_utf8_decode(text, length, &codepoint);
		ik_editor_insert(editor, text, count > 0 ? (size_t)count : 1);
		text += count > 0 ? count : 1;
		length -= count > 0 ? (size_t)count : 1;
	}
}

static void paste(struct ik_editor *editor, const char *text)
{
	cr_assert(ik_editor_paste(editor, text, strlen(text)));
}

static void act(struct ik_editor *editor, enum ik_action action, int times)
{
	while (times-- > 0)
		cr_assert(ik_editor_act(editor, action));
}

/* The text with a '|' where the cursor is. */
static const char *state(const struct ik_editor *editor)
{
	static char out[4][10000];
	static unsigned turn;
	size_t length, cursor = ik_editor_cursor(editor);
	const char *text = ik_editor_text(editor, &length);
	cr_assert_eq(text[length], '\0');
	cr_assert(cursor <= length);
	turn++;
	snprintf(out[turn % 4], sizeof *out, "%.*s|%s", (int)cursor, text, text + cursor);
	return out[turn % 4];
}

#define IS(editor, expected) cr_assert_str_eq(state(editor), expected)

/* What a drawing shows, rows ended by '/', the cursor's cell marked by '[' before it. */
static const char *drawing(struct ik_editor *editor, int rows, int columns, const char *prompt)
{
	static char out[10000];
	struct ik_cells cells;
	size_t used = 0;
	ik_cells_init(&cells);
	ik_cells_resize(&cells, rows, columns);
	ik_editor_draw(editor, &cells, (struct ik_rectangle){ 0, 0, rows, columns }, prompt);
	int row = cells.cursor_row, column = cells.cursor_column;
	cr_assert(row >= 0 && row < rows && column >= 0 && column < columns);
	for (int y = 0; y < rows; y++) {
		size_t kept = used;
		for (int x = 0; x < columns; x++) {
			const struct ik_cell *cell = ik_cells_at(&cells, y, x);
			if (y == row && x == column) {
				out[used++] = '[';
				kept = used;
			}
			memcpy(out + used, cell->text, cell->length);
			used += cell->length;
			if (cell->length && strcmp(cell->text, " ") != 0)
				kept = used;
		}
		used = kept;
		out[used++] = '/';
	}
	out[used] = '\0';
	ik_cells_done(&cells);
	return out;
}

Test(editor, typing_and_moving)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	cr_assert(ik_editor_is_empty(editor));
	type(editor, "hello");
	IS(editor, "hello|");
	act(editor, IK_ACTION_LEFT, 2);
	type(editor, "X");
	IS(editor, "helX|lo");
	act(editor, IK_ACTION_RIGHT, 5);
	IS(editor, "helXlo|");
	act(editor, IK_ACTION_LINE_START, 1);
	act(editor, IK_ACTION_DELETE_LEFT, 1);
	act(editor, IK_ACTION_DELETE_RIGHT, 1);
	IS(editor, "|elXlo");
	act(editor, IK_ACTION_NEW_LINE, 1);
	IS(editor, "\n|elXlo");
	act(editor, IK_ACTION_LINE_END, 1);
	IS(editor, "\nelXlo|");
	cr_assert_not(ik_editor_act(editor, IK_ACTION_SEND));
	cr_assert_not(ik_editor_act(editor, IK_ACTION_HELP));
	cr_assert_not(ik_editor_act(editor, IK_ACTION_COMPLETE));
	ik_editor_free(editor);
	cr_assert_null(ik_editor_free(NULL));
}

Test(editor, end_of_input_deletes_where_there_is_text)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	cr_assert_not(ik_editor_act(editor, IK_ACTION_END_OF_INPUT));
	type(editor, "ab");
	act(editor, IK_ACTION_LEFT, 1);
	act(editor, IK_ACTION_END_OF_INPUT, 2);
	IS(editor, "a|");
	ik_editor_free(editor);
}

Test(editor, clusters_are_one)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	/* e with accent, a family, a flag, CJK */
	type(editor, "e\u0301\U0001F468\u200D\U0001F469\u200D\U0001F467\U0001F1E9\U0001F1EA日");
	act(editor, IK_ACTION_LEFT, 4);
	cr_assert_eq(ik_editor_cursor(editor), 0);
	act(editor, IK_ACTION_RIGHT, 2);
	cr_assert_eq(ik_editor_cursor(editor), 3 + 18);
	act(editor, IK_ACTION_DELETE_LEFT, 1);
	IS(editor, "e\u0301|\U0001F1E9\U0001F1EA日");
	act(editor, IK_ACTION_DELETE_RIGHT, 1);
	IS(editor, "e\u0301|日");
	act(editor, IK_ACTION_DELETE_LEFT, 1);
	IS(editor, "|日");
	ik_editor_free(editor);
}

Test(editor, what_comes_in_is_repaired)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	ik_editor_insert(editor, "a\xff" "b", 3);
	IS(editor, "a\uFFFDb|");
	ik_editor_set(editor, "", 0);
	ik_editor_paste(editor, "1\r\n2\r3\n\r\n4\r", 11);
	IS(editor, "1\n2\n3\n\n4\n|");
	ik_editor_set(editor, "", 0);
	ik_editor_paste(editor, "a\0\033b", 4);
	size_t length;
	cr_assert_arr_eq(ik_editor_text(editor, &length), "a\0\033b", 4);
	cr_assert_eq(length, 4);
	ik_editor_free(editor);
}

Test(editor, words)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	type(editor, "one two-three  größe 日本, end");
	act(editor, IK_ACTION_WORD_LEFT, 1);
	IS(editor, "one two-three  größe 日本, |end");
	act(editor, IK_ACTION_WORD_LEFT, 2);
	IS(editor, "one two-three  |größe 日本, end");
	act(editor, IK_ACTION_WORD_LEFT, 2);
	IS(editor, "one |two-three  größe 日本, end");
	act(editor, IK_ACTION_WORD_RIGHT, 2);
	IS(editor, "one two-three|  größe 日本, end");
	act(editor, IK_ACTION_DELETE_WORD_RIGHT, 1);
	IS(editor, "one two-three| 日本, end");
	act(editor, IK_ACTION_DELETE_WORD_LEFT, 1);
	IS(editor, "one two-| 日本, end");
	act(editor, IK_ACTION_WORD_LEFT, 9);
	IS(editor, "|one two- 日本, end");
	act(editor, IK_ACTION_DELETE_WORD_LEFT, 1);
	act(editor, IK_ACTION_WORD_RIGHT, 9);
	IS(editor, "one two- 日本, end|");
	ik_editor_free(editor);
}

Test(editor, kill_and_yank)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	type(editor, "first\nsecond\nthird");
	act(editor, IK_ACTION_UP, 1);
	act(editor, IK_ACTION_LINE_START, 1);
	act(editor, IK_ACTION_KILL_TO_END, 1);
	IS(editor, "first\n|\nthird");
	act(editor, IK_ACTION_KILL_TO_END, 1);
	IS(editor, "first\n|third");
	/* one after the other they are one */
	act(editor, IK_ACTION_LINE_END, 1);
	act(editor, IK_ACTION_YANK, 1);
	IS(editor, "first\nthirdsecond\n|");
	act(editor, IK_ACTION_UP, 1);
	act(editor, IK_ACTION_LINE_END, 1);
	act(editor, IK_ACTION_KILL_TO_START, 1);
	IS(editor, "first\n|\n");
	act(editor, IK_ACTION_YANK, 1);
	act(editor, IK_ACTION_YANK_OLDER, 1);
	IS(editor, "first\nsecond\n|\n");
	act(editor, IK_ACTION_YANK_OLDER, 1);
	IS(editor, "first\nthirdsecond|\n");
	act(editor, IK_ACTION_LEFT, 1);
	act(editor, IK_ACTION_YANK_OLDER, 1);
	IS(editor, "first\nthirdsecon|d\n");
	ik_editor_set(editor, "a b c", 5);
	act(editor, IK_ACTION_DELETE_WORD_LEFT, 2);
	IS(editor, "a |");
	act(editor, IK_ACTION_YANK, 1);
	IS(editor, "a b c|");
	ik_editor_free(editor);
}

Test(editor, kill_ring_turns)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	for (int i = 0; i < 40; i++) {
		char text[16];
		snprintf(text, sizeof text, "%d", i);
		type(editor, text);
		act(editor, IK_ACTION_KILL_TO_START, 1);
	}
	act(editor, IK_ACTION_YANK, 1);
	IS(editor, "39|");
	act(editor, IK_ACTION_YANK_OLDER, 15);
	IS(editor, "24|");
	act(editor, IK_ACTION_YANK_OLDER, 1);
	IS(editor, "39|");
	ik_editor_free(editor);
}

Test(editor, undo_in_groups)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	act(editor, IK_ACTION_UNDO, 1);
	type(editor, "one two three");
	act(editor, IK_ACTION_UNDO, 1);
	IS(editor, "one two |");
	act(editor, IK_ACTION_UNDO, 2);
	IS(editor, "|");
	type(editor, "abcdef");
	act(editor, IK_ACTION_DELETE_LEFT, 2);
	act(editor, IK_ACTION_LINE_START, 1);
	act(editor, IK_ACTION_DELETE_RIGHT, 2);
	IS(editor, "|cd");
	act(editor, IK_ACTION_UNDO, 1);
	IS(editor, "|abcd");
	act(editor, IK_ACTION_UNDO, 1);
	IS(editor, "abcdef|");
	act(editor, IK_ACTION_KILL_TO_START, 1);
	act(editor, IK_ACTION_YANK, 2);
	IS(editor, "abcdefabcdef|");
	act(editor, IK_ACTION_UNDO, 3);
	IS(editor, "abcdef|");
	ik_editor_clear(editor, false);
	IS(editor, "|");
	act(editor, IK_ACTION_UNDO, 1);
	IS(editor, "abcdef|");
	ik_editor_clear(editor, true);
	act(editor, IK_ACTION_UNDO, 1);
	IS(editor, "|");
	ik_editor_free(editor);
}

/* Whatever was done, undoing it all leads back through the same texts. */
Test(editor, random_edits_undone)
{
	static const enum ik_action actions[] = { IK_ACTION_LEFT, IK_ACTION_RIGHT, IK_ACTION_UP,
		IK_ACTION_DOWN, IK_ACTION_LINE_START, IK_ACTION_LINE_END, IK_ACTION_WORD_LEFT,
		IK_ACTION_WORD_RIGHT, IK_ACTION_DELETE_LEFT, IK_ACTION_DELETE_RIGHT,
		IK_ACTION_DELETE_WORD_LEFT, IK_ACTION_DELETE_WORD_RIGHT, IK_ACTION_KILL_TO_END,
		IK_ACTION_KILL_TO_START, IK_ACTION_YANK, IK_ACTION_YANK_OLDER, IK_ACTION_NEW_LINE,
		IK_ACTION_COMPLETE };
	static const char *const pieces[] = { "a", " ", "日", "\t", "e\u0301", "\U0001F600", "\033" };
	static const char folded[] = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
	for (unsigned round = 0; round < 20; round++) {
		struct ik_history *history = ik_history_new(NULL, 0);
		struct ik_editor *editor = ik_editor_new(history);
		unsigned seed = round;
		size_t length;
		ik_history_add(history, "sent before", 11);
		ik_history_add(history, folded, sizeof folded - 1);
		for (int i = 0; i < 400; i++) {
			seed = seed * 1103515245u + 12345u;
			unsigned dice = seed >> 16;
			if (dice % 3 == 0)
				ik_editor_act(editor, actions[dice / 3 % 18]);
			else if (dice % 29 == 0)
				ik_editor_paste(editor, folded, sizeof folded - 1);
			else
				type(editor, pieces[dice / 3 % 7]);
			const char *text = ik_editor_text(editor, &length);
			cr_assert_eq(ik_utf8_valid_prefix(text, length), length);
			cr_assert(ik_editor_cursor(editor) <= length);
			if (i % 5 == 0)
				drawing(editor, 1 + (int)(dice % 6), 1 + (int)(dice / 7 % 40), "> ");
			ik_editor_height(editor, (int)(dice % 50));
		}
		act(editor, IK_ACTION_UNDO, 500);
		IS(editor, "|");
		ik_editor_free(editor);
		ik_history_free(history);
	}
}

Test(editor, many_steps_stay_bounded)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	for (int i = 0; i < 5000; i++) {
		type(editor, "ab");
		act(editor, IK_ACTION_LEFT, 1);
	}
	act(editor, IK_ACTION_UNDO, 300);
	size_t length;
	ik_editor_text(editor, &length);
	cr_assert_eq(length, 10000 - 600);
	ik_editor_free(editor);
}

Test(editor, history_with_prefix_keeps_the_draft)
{
	struct ik_history *history = ik_history_new(NULL, 0);
	struct ik_editor *editor = ik_editor_new(history);
	static const char *const sent[] = { "list files", "show me", "list *.c", "two\nlines" };
	for (size_t i = 0; i < 4; i++) {
		type(editor, sent[i]);
		ik_editor_clear(editor, true);
	}
	act(editor, IK_ACTION_DOWN, 1);
	IS(editor, "|");
	act(editor, IK_ACTION_UP, 1);
	IS(editor, "two|\nlines");
	act(editor, IK_ACTION_UP, 1);
	IS(editor, "list *.c|");
	act(editor, IK_ACTION_DOWN, 1);
	IS(editor, "two\nlines|");
	act(editor, IK_ACTION_DOWN, 2);
	IS(editor, "|");
	type(editor, "list");
	act(editor, IK_ACTION_UP, 1);
	IS(editor, "list *.c|");
	act(editor, IK_ACTION_UP, 1);
	IS(editor, "list files|");
	act(editor, IK_ACTION_UP, 3);
	IS(editor, "list files|");
	act(editor, IK_ACTION_DOWN, 2);
	IS(editor, "list|");
	/* an edit makes the entry the text; undo leads back to the draft */
	act(editor, IK_ACTION_UP, 1);
	type(editor, "!");
	act(editor, IK_ACTION_DOWN, 1);
	IS(editor, "list *.c!|");
	act(editor, IK_ACTION_UNDO, 2);
	IS(editor, "list|");
	ik_editor_set(editor, "nobody ever", 11);
	act(editor, IK_ACTION_UP, 1);
	IS(editor, "nobody ever|");
	ik_editor_free(editor);
	ik_history_free(history);
}

Test(editor, a_draft_with_a_fold_comes_back_folded)
{
	struct ik_history *history = ik_history_new(NULL, 0);
	struct ik_editor *editor = ik_editor_new(history);
	ik_history_add(history, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12, and more", 36);
	paste(editor, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12");
	act(editor, IK_ACTION_UP, 1);
	IS(editor, "1|\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12, and more");
	act(editor, IK_ACTION_DOWN, 12);
	cr_assert_str_eq(drawing(editor, 2, 40, "> "), "> [pasted 12 lines, 26 bytes][//");
	act(editor, IK_ACTION_UP, 1);
	act(editor, IK_ACTION_UNDO, 1);
	cr_assert_str_eq(drawing(editor, 2, 40, "> "), "> [pasted 12 lines, 26 bytes][//");
	ik_editor_free(editor);
	ik_history_free(history);
}

/* As the search in the history does with what it found. */
Test(editor, a_place_inside_a_fold_opens_it)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	size_t length = IK_KIB(100);
	char *text = calloc(1, length + 1);
	memset(text, 'x', length);
	ik_editor_set(editor, text, length);
	ik_editor_select(editor, 50000, 50000);
	act(editor, IK_ACTION_LEFT, 1);
	cr_assert_eq(ik_editor_cursor(editor), 49999);
	act(editor, IK_ACTION_LINE_START, 1);
	cr_assert_eq(ik_editor_cursor(editor), 0);
	act(editor, IK_ACTION_RIGHT, 1);
	cr_assert_eq(ik_editor_cursor(editor), 1);
	free(text);
	ik_editor_free(editor);
}

Test(editor, folded_pastes)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	const char *ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", *eleven = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11";
	paste(editor, ten);
	cr_assert_eq(ik_editor_height(editor, 40), 11);
	ik_editor_set(editor, "", 0);
	type(editor, "a");
	paste(editor, eleven);
	type(editor, "b");
	cr_assert_str_eq(drawing(editor, 1, 40, "> "), "> a[pasted 11 lines, 23 bytes]b[/");
	cr_assert_eq(ik_editor_height(editor, 40), 1);
	act(editor, IK_ACTION_LEFT, 1);
	act(editor, IK_ACTION_LEFT, 1);
	cr_assert_eq(ik_editor_cursor(editor), 1);
	cr_assert_str_eq(drawing(editor, 1, 40, "> "), "> a[[pasted 11 lines, 23 bytes]b/");
	act(editor, IK_ACTION_LINE_END, 1);
	cr_assert_eq(ik_editor_cursor(editor), 1 + 23 + 1);
	act(editor, IK_ACTION_WORD_LEFT, 2);
	cr_assert_eq(ik_editor_cursor(editor), 1);
	act(editor, IK_ACTION_DELETE_RIGHT, 1);
	IS(editor, "a|b");
	act(editor, IK_ACTION_UNDO, 1);
	cr_assert_str_eq(drawing(editor, 1, 40, "> "), "> a[[pasted 11 lines, 23 bytes]b/");
	act(editor, IK_ACTION_COMPLETE, 1);
	cr_assert_eq(ik_editor_height(editor, 40), 11);
	cr_assert_not(ik_editor_act(editor, IK_ACTION_COMPLETE));
	/* two side by side, and what moves them */
	ik_editor_set(editor, "", 0);
	paste(editor, eleven);
	paste(editor, eleven);
	act(editor, IK_ACTION_LINE_START, 1);
	type(editor, "x");
	act(editor, IK_ACTION_RIGHT, 1);
	type(editor, "y");
	cr_assert_str_eq(drawing(editor, 1, 70, ""),
		"x[pasted 11 lines, 23 bytes]y[[pasted 11 lines, 23 bytes]/");
	/* narrower than a mark */
	cr_assert_str_eq(drawing(editor, 4, 13, ""), "x/[pasted 11 …/y/[[pasted 11 …/");
	ik_editor_free(editor);
}

Test(editor, marks_name_their_size)
{
	static const struct { size_t length; const char *mark; } rows[] = {
		{ 2000, "x" }, { 2001, "[pasted 1 line, 1 KB]" }, { 57344, "[pasted 1 line, 56 KB]" },
		{ 1572864, "[pasted 1 line, 1.5 MB]" },
	};
	for (size_t i = 0; i < 4; i++) {
		struct ik_editor *editor = ik_editor_new(NULL);
		char *text = malloc(rows[i].length);
		memset(text, 'x', rows[i].length);
		ik_editor_paste(editor, text, rows[i].length);
		const char *drawn = drawing(editor, 1, 60, "> ");
		cr_assert_eq(strstr(drawn, rows[i].mark) != NULL, 1, "%s", drawn);
		free(text);
		ik_editor_free(editor);
	}
	struct ik_editor *editor = ik_editor_new(NULL);
	char lines[1234 * 2];
	for (size_t i = 0; i < sizeof lines; i++)
		lines[i] = i % 2 ? '\n' : 'x';
	ik_editor_paste(editor, lines, sizeof lines);
	cr_assert_str_eq(drawing(editor, 1, 60, "> "), "> [pasted 1,234 lines, 2 KB][/");
	ik_editor_free(editor);
}

Test(editor, drawing_wraps_and_scrolls)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	cr_assert_str_eq(drawing(editor, 2, 10, "> "), "> [//");
	type(editor, "abcdefg");
	cr_assert_str_eq(drawing(editor, 2, 10, "> "), "> abcdefg[//");
	type(editor, "h");
	cr_assert_str_eq(drawing(editor, 2, 10, "> "), "> abcdefg/  h[/");
	cr_assert_eq(ik_editor_height(editor, 8), 2);
	act(editor, IK_ACTION_LEFT, 1);
	cr_assert_str_eq(drawing(editor, 2, 10, "> "), "> abcdefg/  [h/");
	act(editor, IK_ACTION_LEFT, 1);
	cr_assert_str_eq(drawing(editor, 2, 10, "> "), "> abcdef[g/  h/");
	ik_editor_set(editor, "1\n2\n3\n4\n5", 9);
	cr_assert_str_eq(drawing(editor, 3, 10, "> "), "  3/  4/  5[/");
	act(editor, IK_ACTION_UP, 2);
	cr_assert_str_eq(drawing(editor, 3, 10, "> "), "  3[/  4/  5/");
	act(editor, IK_ACTION_UP, 1);
	cr_assert_str_eq(drawing(editor, 3, 10, "> "), "  2[/  3/  4/");
	act(editor, IK_ACTION_UP, 1);
	cr_assert_str_eq(drawing(editor, 3, 10, "> "), "> 1[/  2/  3/");
	act(editor, IK_ACTION_DOWN, 2);
	cr_assert_str_eq(drawing(editor, 3, 10, "> "), "> 1/  2/  3[/");
	/* fewer lines: nothing stays empty above them */
	act(editor, IK_ACTION_DOWN, 2);
	drawing(editor, 3, 10, "> ");
	act(editor, IK_ACTION_DELETE_LEFT, 4);
	cr_assert_str_eq(drawing(editor, 3, 10, "> "), "> 1/  2/  3[/");
	cr_assert_str_eq(drawing(editor, 9, 10, "> "), "> 1/  2/  3[///////");
	ik_editor_free(editor);
}

Test(editor, rows_end_between_words)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	type(editor, "one two  three");
	cr_assert_str_eq(drawing(editor, 3, 10, "> "), "> one two/  three[//");
	/* Blanks stay at the end of their row, where the last of them have no room. */
	type(editor, " x    ");
	cr_assert_str_eq(drawing(editor, 3, 10, "> "), "> one two/  three x[//");
	type(editor, "y");
	cr_assert_str_eq(drawing(editor, 3, 10, "> "), "> one two/  three x/  y[/");
	act(editor, IK_ACTION_LEFT, 2);
	cr_assert_str_eq(drawing(editor, 3, 10, "> "), "> one two/  three x[/  y/");
	act(editor, IK_ACTION_UP, 1);
	IS(editor, "one two | three x    y");
	act(editor, IK_ACTION_DOWN, 2);
	IS(editor, "one two  three x    y|");
	ik_editor_click(editor, 1, 2);
	IS(editor, "one two  |three x    y");
	ik_editor_click(editor, 0, 9);
	IS(editor, "one two | three x    y");
	/* A word that fills a row is cut; so is what follows wide letters. */
	ik_editor_set(editor, "a bcdefghij", 11);
	cr_assert_str_eq(drawing(editor, 3, 9, "> "), "> a/  bcdefg/  hij[/");
	ik_editor_set(editor, "日本語abcdef", 15);
	cr_assert_str_eq(drawing(editor, 2, 11, "> "), "> 日本語/  abcdef[/");
	/* A tab is a blank. */
	ik_editor_set(editor, "abcdefg\tx", 9);
	cr_assert_str_eq(drawing(editor, 2, 10, "> "), "> abcdefg/  x[/");
	cr_assert_eq(ik_editor_height(editor, 8), 2);
	ik_editor_free(editor);
}

Test(editor, drawing_wide_clusters)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	type(editor, "日本語");
	cr_assert_str_eq(drawing(editor, 2, 7, ""), "日本語[//");
	cr_assert_str_eq(drawing(editor, 2, 6, ""), "日本/語[/");
	type(editor, "e\u0301x");
	cr_assert_str_eq(drawing(editor, 2, 6, ""), "日本/語e\u0301x[/");
	act(editor, IK_ACTION_LEFT, 3);
	cr_assert_str_eq(drawing(editor, 2, 6, ""), "日本/[語e\u0301x/");
	/* what does not fit at all is clipped and endless loops there are none */
	drawing(editor, 3, 1, "> ");
	drawing(editor, 1, 2, "> ");
	ik_editor_free(editor);
}

Test(editor, controls_and_tabs_are_visible)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	ik_editor_paste(editor, "\ta\tb\033[2J\x01\u202e\xc2\x9b", 14);
	cr_assert_str_eq(drawing(editor, 1, 40, ""), "→   a→  b␛[2J␁<U+202E><U+009B>[/");
	IS(editor, "\ta\tb\033[2J\x01\u202e\xc2\x9b|");
	ik_editor_free(editor);
}

Test(editor, up_and_down_follow_the_rows_on_screen)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	type(editor, "abcdefghij\n日本x\nklmnop");
	drawing(editor, 5, 9, "> ");
	act(editor, IK_ACTION_LEFT, 1);
	cr_assert_str_eq(drawing(editor, 4, 9, "> "), "> abcdef/  ghij/  日本x/  klmno[p/");
	act(editor, IK_ACTION_UP, 1);
	cr_assert_str_eq(drawing(editor, 4, 9, "> "), "> abcdef/  ghij/  日本x[/  klmnop/");
	act(editor, IK_ACTION_UP, 2);
	cr_assert_str_eq(drawing(editor, 4, 9, "> "), "> abcde[f/  ghij/  日本x/  klmnop/");
	act(editor, IK_ACTION_LEFT, 2);
	act(editor, IK_ACTION_DOWN, 2);
	cr_assert_str_eq(drawing(editor, 4, 9, "> "), "> abcdef/  ghij/  日[本x/  klmnop/");
	act(editor, IK_ACTION_DOWN, 1);
	cr_assert_str_eq(drawing(editor, 4, 9, "> "), "> abcdef/  ghij/  日本x/  klm[nop/");
	ik_editor_free(editor);
}

/* A line of a megabyte is laid out around the cursor only. */
Test(editor, a_line_of_a_megabyte_is_no_burden)
{
	static const char character[] = "\u65E5";
	struct ik_editor *editor = ik_editor_new(NULL);
	struct ik_buf text;
	struct timespec before, after;
	ik_buf_init(&text, IK_MIB(2));
	while (text.length < IK_MIB(1))
		ik_buf_puts(&text, character);
	cr_assert(ik_editor_paste(editor, text.data, text.length));
	act(editor, IK_ACTION_COMPLETE, 1); /* opens it */
	drawing(editor, 10, 80, "> ");
	type(editor, "end");
	size_t cursor = ik_editor_cursor(editor);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	for (int i = 0; i < 300; i++) {
		act(editor, IK_ACTION_UP, 1);
		drawing(editor, 10, 80, "> ");
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	long ms = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
	cr_log_info("300 rows up, drawn each, in %ld ms of CPU\n", ms);
	cr_assert_lt(ms, 5000);
	cr_assert_lt(ik_editor_cursor(editor), cursor - 30000);
	act(editor, IK_ACTION_DOWN, 300);
	cr_assert_eq(ik_editor_cursor(editor), cursor);
	ik_editor_free(editor);
	ik_buf_done(&text);
}

Test(editor, megabytes_are_instant)
{
	struct ik_editor *editor = ik_editor_new(NULL);
	size_t length = IK_MIB(10), kept;
	char *text = malloc(length);
	struct timespec before, after;
	for (size_t i = 0; i < length; i++)
		text[i] = i % 60 == 59 ? '\r' : 'x';
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	type(editor, "see: ");
	cr_assert(ik_editor_paste(editor, text, length));
	type(editor, " and so on");
	drawing(editor, 10, 80, "> ");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	long ms = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
	cr_log_info("10 MB pasted and drawn in %ld ms of CPU\n", ms);
	cr_assert_lt(ms, 1000);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	for (int i = 0; i < 1000; i++) {
		type(editor, "k");
		cr_assert_leq(ik_editor_height(editor, 80), 2 + (i + 60) / 79);
		drawing(editor, 10, 80, "> ");
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	ms = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
	cr_log_info("1,000 keys behind it, drawn each, in %ld ms of CPU\n", ms);
	ik_editor_text(editor, &kept);
	cr_assert_eq(kept, length + 5 + 10 + 1000);
	/* opened, it is drawn no slower than what is seen of it */
	act(editor, IK_ACTION_LINE_START, 1);
	act(editor, IK_ACTION_WORD_RIGHT, 2);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	act(editor, IK_ACTION_COMPLETE, 1);
	cr_assert_eq(ik_editor_height(editor, 80), IK_EDITOR_HEIGHT_MAX);
	drawing(editor, 10, 80, "> ");
	act(editor, IK_ACTION_UP, 100);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	ms = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
	cr_log_info("opened, and 100 lines up, in %ld ms of CPU\n", ms);
	cr_assert_lt(ms, 1000);
	/* no room for so much: refused, nothing changed */
	for (int i = 0; i < 5; i++)
		cr_assert(ik_editor_paste(editor, text, length));
	cr_assert_not(ik_editor_paste(editor, text, length));
	ik_editor_text(editor, &kept);
	cr_assert_eq(kept, length * 6 + 5 + 10 + 1000);
	type(editor, "!");
	/* what was cut is bounded too, the newest is kept */
	for (int i = 0; i < 3; i++) {
		ik_editor_clear(editor, true);
		for (int k = 0; k < 4; k++)
			ik_editor_paste(editor, text, length);
		act(editor, IK_ACTION_KILL_TO_START, 1);
	}
	act(editor, IK_ACTION_YANK, 1);
	ik_editor_text(editor, &kept);
	cr_assert_eq(kept, length * 4);
	act(editor, IK_ACTION_YANK_OLDER, 1);
	ik_editor_text(editor, &kept);
	cr_assert_eq(kept, length * 4);
	ik_editor_free(editor);
	free(text);
}
