#include "tui/text/layout.h"

struct ik_layout ik_layout_make(int rows, int columns, bool pane, int editor_rows, int queue_rows,
	int dialog_rows)
{
	struct ik_layout layout = { .too_small = rows < IK_LEAST_ROWS || columns < IK_LEAST_COLUMNS };

	if (layout.too_small)
		return layout;
	int editor_most = rows / 3 < IK_EDITOR_ROWS ? rows / 3 : IK_EDITOR_ROWS;

	if (editor_rows > editor_most)
		editor_rows = editor_most;
	if (editor_rows < 1)
		editor_rows = 1;
	int body = rows - editor_rows - 2;
	layout.rule = (struct ik_rectangle){ body, 0, 1, columns };
	layout.editor = (struct ik_rectangle){ body + 1, 0, editor_rows, columns };
	layout.status = (struct ik_rectangle){ rows - 1, 0, 1, columns };
	body -= queue_rows;
	layout.queue = (struct ik_rectangle){ body, 0, queue_rows, columns };
	body -= dialog_rows;
	layout.dialog = (struct ik_rectangle){ body, 0, dialog_rows, columns };
	struct ik_rectangle whole = { 0, 0, body, columns };

	if (!pane) {
		layout.scrollback = whole;
	} else if (columns < IK_WIDE_COLUMNS) {
		layout.pane = whole;
	} else {
		int width = columns * 2 / 5;

		layout.scrollback = (struct ik_rectangle){ 0, 0, body, columns - width - 2 };
		layout.divider = (struct ik_rectangle){ 0, columns - width - 1, body, 1 };
		layout.pane = (struct ik_rectangle){ 0, columns - width, body, width };
	}
	return layout;
}

int ik_layout_dialog_rows(int rows)
{
	int most = rows * 3 / 4;
	int least = rows < IK_DIALOG_ROWS ? rows : IK_DIALOG_ROWS;

	return most > least ? most : least;
}
