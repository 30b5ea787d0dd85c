#include <criterion/criterion.h>
#include <string.h>

#include "tui/edit/editor.h"
#include "util/alloc.h"

#define LINE "one two "
#define LINES LINE "\n" LINE "\n" LINE "\n" LINE "\n" LINE "\n" LINE "\n"

static const char *const pieces[] = { "a", " ", "日", "\t", "e", "\u0301", "\U0001F600", "\033", "\n",
	"\U0001F1E6", "\u200D", "some words", "\u00AD" };

/* What the editor shows, and where its cursor is. */
struct picture {
	struct ik_cells cells;
	int height, row, column;
};

static struct picture draw(struct ik_editor *editor, int rows, int columns)
{
	struct picture picture;
	struct ik_rectangle area = { 0, 0, rows, columns };
	ik_cells_init(&picture.cells);
	ik_cells_resize(&picture.cells, rows, columns);
	picture.height = ik_editor_height(editor, columns > 2 ? columns - 2 : 1);
	ik_editor_draw(editor, &picture.cells, area, "> ", &picture.row, &picture.column);
	return picture;
}

/* Drawing with rows from the last frame and without them makes no difference. */
static void compare(struct ik_editor *editor, int rows, int columns)
{
	struct picture known = draw(editor, rows, columns);
	(void)ik_editor_height(editor, columns + 100); /* of another width: all rows are forgotten */
	struct picture anew = draw(editor, rows, columns);
	cr_assert_eq(known.height, anew.height);
	cr_assert_eq(known.row, anew.row);
	cr_assert_eq(known.column, anew.column);
	cr_assert_eq(memcmp(known.cells.cells, anew.cells.cells,
		(size_t)rows * (size_t)columns * sizeof *known.cells.cells), 0);
	ik_cells_done(&known.cells);
	ik_cells_done(&anew.cells);
}

/* Rows of the last frame are kept until the text before their end has changed. */
Test(editor_rows, known_and_found_anew_are_the_same)
{
	static const enum ik_action actions[] = { IK_ACTION_LEFT, IK_ACTION_RIGHT, IK_ACTION_UP,
		IK_ACTION_DOWN, IK_ACTION_LINE_START, IK_ACTION_LINE_END, IK_ACTION_WORD_LEFT,
		IK_ACTION_DELETE_LEFT, IK_ACTION_DELETE_RIGHT, IK_ACTION_KILL_TO_START, IK_ACTION_YANK,
		IK_ACTION_UNDO, IK_ACTION_REDO, IK_ACTION_NEW_LINE, IK_ACTION_COMPLETE,
		IK_ACTION_DELETE_WORD_LEFT };
	const unsigned action_count = sizeof actions / sizeof *actions;
	const unsigned piece_count = sizeof pieces / sizeof *pieces;
	for (unsigned round = 0; round < 20; round++) {
		struct ik_editor *editor = ik_editor_new(NULL);
		unsigned seed = round;
		int columns = 3 + (int)round * 2;
		for (int i = 0; i < 300; i++) {
			seed = seed * 1103515245u + 12345u;
			unsigned dice = seed >> 16;
			const char *piece = pieces[dice / 3 % piece_count];
			if (dice % 3 == 0)
				ik_editor_act(editor, actions[dice / 3 % action_count]);
			else if (dice % 31 == 0)
				ik_editor_paste(editor, LINES LINES, strlen(LINES LINES));
			else
				ik_editor_insert(editor, piece, strlen(piece));
			/* Now and then several changes between two frames. */
			if (dice % 7 < 5)
				compare(editor, 1 + (int)(round % 6), dice % 64 == 0 ? columns + 1 : columns);
		}
		ik_editor_free(editor);
	}
}
