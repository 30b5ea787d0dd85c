/* Whatever is done to it in whatever order, an editor stays whole: what it shows is what a new
 * one with its text shows, and all that was done can be undone. */
#include "tui/edit/editor.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "tui/edit/history.h"
#include "util/cluster.h"
#include "util/utf8.h"

#define COLUMNS 23
#define ROWS 60
#define FEW_ROWS 4 /* of which most texts need more, so that they scroll */

static unsigned state;

static unsigned draw_lots(unsigned count)
{
	state = state * 1103515245u + 12345u;
	return (state >> 16) % count;
}

static const char *const texts[] = {
	"a", "b ", " ", "\n", "\t", "日本", "e", "\u0301", "👨‍👩‍👧", "❤️", "🇩🇪", "word and word ",
	"\u05e9\u05dc", "two\nlines", "xxxxxxxxxxxxxxxxxxxxxxxxx", "漢漢漢漢漢漢漢漢漢漢漢漢漢漢", "\r\n", "\xff", "\u200d",
};

static const enum ik_action actions[] = {
	IK_ACTION_LEFT, IK_ACTION_RIGHT, IK_ACTION_UP, IK_ACTION_DOWN, IK_ACTION_WORD_LEFT,
	IK_ACTION_WORD_RIGHT, IK_ACTION_LINE_START, IK_ACTION_LINE_END, IK_ACTION_DELETE_LEFT,
	IK_ACTION_DELETE_RIGHT, IK_ACTION_DELETE_WORD_LEFT, IK_ACTION_DELETE_WORD_RIGHT,
	IK_ACTION_KILL_TO_END, IK_ACTION_KILL_TO_START, IK_ACTION_YANK, IK_ACTION_UNDO,
	IK_ACTION_REDO, IK_ACTION_HISTORY_OLDER, IK_ACTION_HISTORY_NEWER, IK_ACTION_SELECT_LEFT,
	IK_ACTION_SELECT_RIGHT, IK_ACTION_SELECT_UP, IK_ACTION_SELECT_DOWN,
	IK_ACTION_SELECT_WORD_LEFT, IK_ACTION_SELECT_WORD_RIGHT, IK_ACTION_SELECT_LINE_START,
	IK_ACTION_SELECT_LINE_END, IK_ACTION_SELECT_ALL, IK_ACTION_COPY_SELECTION,
	IK_ACTION_YANK_OLDER, IK_ACTION_NEW_LINE,
};

/* Paste so much that it is folded. */
static void paste_much(struct ik_editor *editor)
{
	char much[3000];
	for (size_t i = 0; i < sizeof much; i++)
		much[i] = i % 40 == 39 ? '\n' : 'm';
	(void)ik_editor_paste(editor, much, sizeof much);
}

/* One thing that may be done to it; folds: some may be folds. */
static void do_something(struct ik_editor *editor, bool folds)
{
	const char *text = texts[draw_lots(sizeof texts / sizeof *texts)];
	switch (draw_lots(40)) {
	case 0:
		ik_editor_clear(editor, draw_lots(2));
		break;
	case 1:
		ik_editor_set(editor, text, strlen(text));
		break;
	case 2:
		ik_editor_click(editor, (int)draw_lots(ROWS), (int)draw_lots(COLUMNS));
		break;
	case 3:
	case 4:
		(void)ik_editor_paste(editor, text, strlen(text));
		break;
	case 5:
		if (!folds) /* nobody selects into one */
			ik_editor_select(editor, draw_lots(60), ik_editor_cursor(editor));
		break;
	case 6:
		if (folds)
			paste_much(editor);
		break;
	default:
		if (draw_lots(5) < 2)
			(void)ik_editor_insert(editor, text, strlen(text));
		else
			(void)ik_editor_act(editor, actions[draw_lots(sizeof actions / sizeof *actions)]);
	}
}

static void draw(struct ik_editor *editor, struct ik_cells *cells, int rows, int *ret_row,
	int *ret_column)
{
	ik_cells_resize(cells, rows, COLUMNS);
	ik_editor_draw(editor, cells, (struct ik_rectangle){0, 0, rows, COLUMNS}, "> ");
	*ret_row = cells->cursor_row;
	*ret_column = cells->cursor_column;
}

/* It shows its text as a new editor does (but for folds, which are no more in a new one). */
static void shows_its_text(struct ik_editor *editor, unsigned seed, bool folds)
{
	struct ik_cells cells, fresh_cells;
	int row, column, fresh_row, fresh_column;
	size_t length, start = 0, end = 0;
	const char *text = ik_editor_text(editor, &length);
	size_t cursor = ik_editor_cursor(editor);
	cr_assert_eq(ik_utf8_valid_prefix(text, length), length, "seed %u", seed);
	cr_assert_leq(cursor, length, "seed %u", seed);
	if (ik_editor_selection(editor, &start, &end))
		cr_assert(start < end && end <= length && (cursor == start || cursor == end),
			"seed %u: %zu to %zu of %zu", seed, start, end, length);
	if (folds || ik_editor_height(editor, COLUMNS - 2) > ROWS)
		return;
	struct ik_editor *fresh = ik_editor_new(NULL);
	ik_editor_set(fresh, text, length);
	ik_editor_select(fresh, end > start && cursor == start ? end : start, cursor);
	if (end == start)
		ik_editor_select(fresh, cursor, cursor);
	ik_cells_init(&cells);
	ik_cells_init(&fresh_cells);
	bool scrolls = seed % 2 == 1;
	draw(editor, &cells, scrolls ? FEW_ROWS : ROWS, &row, &column);
	draw(fresh, &fresh_cells, ROWS, &fresh_row, &fresh_column);
	char *expected = strdup(picture_of(&fresh_cells));
	const char *picture = picture_of(&cells);
	if (scrolls) {
		cr_assert(strstr(expected, picture), "seed %u: %s\nis no part of\n%s", seed, picture,
			expected);
		cr_assert_eq(column, fresh_column, "seed %u: cursor %d, not %d", seed, column,
			fresh_column);
	} else {
		cr_assert_str_eq(picture, expected, "seed %u: %s\nnot\n%s", seed, picture, expected);
		cr_assert(row == fresh_row && column == fresh_column, "seed %u: cursor %d %d, not %d %d",
			seed, row, column, fresh_row, fresh_column);
	}
	free(expected);
	ik_cells_done(&cells);
	ik_cells_done(&fresh_cells);
	ik_editor_free(fresh);
}

Test(editor_random, stays_whole)
{
	for (unsigned seed = 1; seed <= 60; seed++) {
		struct ik_history *history = ik_history_new(NULL, 0);
		struct ik_editor *editor = ik_editor_new(history);
		state = seed;
		for (int i = 0; i < 60; i++) {
			do_something(editor, seed % 3 == 0);
			shows_its_text(editor, seed, seed % 3 == 0);
		}
		size_t length;
		ik_editor_clear(editor, true);
		for (int i = 0; i < 5; i++)
			(void)ik_editor_insert(editor, texts[draw_lots(13)], 1);
		for (int i = 0; i < 50; i++)
			(void)ik_editor_act(editor, IK_ACTION_UNDO);
		ik_editor_text(editor, &length);
		cr_assert_eq(length, 0, "seed %u", seed);
		ik_editor_free(editor);
		ik_history_free(history);
	}
}
