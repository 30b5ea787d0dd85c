#include "tui/pane/pane.h"

#include <string.h>

#include "json/scan.h"
#include "json/write.h"
#include "util/cluster.h"
#include "util/limits.h"

void ik_pane_init(struct ik_pane *pane, const struct ik_pane_ops *ops,
	const struct ik_keymap *keymap, bool utf8)
{
	*pane = (struct ik_pane){
		.ops = ops, .utf8 = utf8, .keymap = keymap, .text = ik_scrollback_new()
	};
}

void ik_pane_done(struct ik_pane *pane)
{
	pane->text = ik_scrollback_free(pane->text);
}

/* Select another item; its text is shown from its start. */
static void select_item(struct ik_pane *pane, size_t index)
{
	if (pane->selected == index)
		return;
	pane->selected = index;
	pane->text_moved = false;
}

bool ik_pane_scroll_by(struct ik_scrollback *text, enum ik_action action)
{
	switch (action) {
	case IK_ACTION_PAGE_UP:
	case IK_ACTION_PAGE_DOWN:
		ik_scrollback_page(text, action == IK_ACTION_PAGE_UP ? -1 : 1);
		return true;
	case IK_ACTION_HALF_UP:
	case IK_ACTION_HALF_DOWN:
		ik_scrollback_half(text, action == IK_ACTION_HALF_UP ? -1 : 1);
		return true;
	case IK_ACTION_TOP:
		ik_scrollback_top(text);
		return true;
	case IK_ACTION_BOTTOM:
		ik_scrollback_bottom(text);
		return true;
	default:
		return false;
	}
}

bool ik_pane_act(struct ik_pane *pane, enum ik_action action)
{
	size_t last = pane->count > 0 ? pane->count - 1 : 0;

	switch (action) {
	case IK_ACTION_UP:
		select_item(pane, pane->selected > 0 ? pane->selected - 1 : 0);
		return true;
	case IK_ACTION_DOWN:
		select_item(pane, pane->selected < last ? pane->selected + 1 : pane->selected);
		return true;
	case IK_ACTION_LINE_START:
		select_item(pane, 0);
		return true;
	case IK_ACTION_LINE_END:
		select_item(pane, last);
		return true;
	default:
		if (!ik_pane_scroll_by(pane->text, action))
			return false;
		pane->text_moved = true;
		return true;
	}
}

bool ik_pane_click(struct ik_pane *pane, int row)
{
	if (row < pane->list_row || row >= pane->list_row + pane->list_rows)
		return false;
	size_t index = pane->list_top + (size_t)(row - pane->list_row);

	if (index >= pane->count)
		return false;
	select_item(pane, index);
	return true;
}

void ik_pane_scroll(struct ik_pane *pane, int rows)
{
	ik_scrollback_scroll(pane->text, rows);
	pane->text_moved = true;
}

struct ik_scroll_place ik_pane_text_begin(struct ik_pane *pane)
{
	struct ik_scroll_place place = { 0 };

	if (pane->text_moved)
		place = ik_scrollback_place(pane->text);
	ik_scrollback_clear(pane->text);
	return place;
}

struct ik_block *ik_pane_text(struct ik_pane *pane, enum ik_block_kind kind, const char *text,
	size_t length)
{
	struct ik_block *block = ik_block_new(kind, pane->utf8);

	ik_block_append(block, text, length);
	ik_scrollback_add(pane->text, block);
	return block;
}

void ik_pane_say(struct ik_pane *pane, enum ik_block_kind kind, const char *sentence)
{
	ik_block_finish(ik_pane_text(pane, kind, sentence, strlen(sentence)));
}

void ik_pane_json(struct ik_pane *pane, const char *text, size_t length)
{
	struct ik_json_span value;
	struct ik_buf pretty;

	ik_buf_init(&pretty, IK_LIMIT_ENVELOPE);
	if (ik_json_check(text, length, &value, NULL) == IK_OK)
		ik_json_pretty(&pretty, value);
	if (pretty.length > 0 && ik_buf_status(&pretty) == IK_OK) {
		text = pretty.data;
		length = pretty.length;
	}
	ik_block_finish(ik_pane_text(pane, IK_BLOCK_TEXT, text, length));
	ik_buf_done(&pretty);
}

void ik_pane_text_end(struct ik_pane *pane, struct ik_scroll_place place, bool follow)
{
	pane->text_follows = follow;
	ik_scrollback_go(pane->text, place);
}

void ik_pane_rule(struct ik_cells *cells, struct ik_rectangle row, enum ik_style style, bool utf8)
{
	const char *dash = utf8 ? "─" : "-";

	ik_cells_fill_with(cells, row, style, dash);
}

struct ik_rectangle ik_pane_right(struct ik_cells *cells, struct ik_rectangle row, int columns,
	enum ik_style style, const char *text)
{
	int width = (int)ik_utf8_width(text, strlen(text));
	int left = width < columns ? columns - width : 0;

	ik_cells_label(cells, row, row.row, row.column + row.columns - columns + left, style, text);
	row.columns -= columns;
	return row;
}

/* Rows of a wrapped text. */
static int count_rows(const char *text, size_t length, int columns)
{
	int rows = 0;

	for (size_t at = 0; at < length; rows++)
		at += ik_wrap_row(text + at, length - at, columns).taken;
	return rows;
}

void ik_pane_sentence(struct ik_cells *cells, struct ik_rectangle area, const char *text)
{
	size_t length = strlen(text);
	int columns = area.columns > 4 ? area.columns - 4 : area.columns;

	if (columns < 1 || area.rows < 1)
		return;
	int rows = count_rows(text, length, columns);
	int row = area.row + (rows < area.rows ? (area.rows - rows) / 2 : 0);

	for (size_t at = 0; at < length && row < area.row + area.rows; row++) {
		struct ik_row line = ik_wrap_row(text + at, length - at, columns);
		int width = (int)ik_utf8_width(text + at, line.shown);
		int column = area.column + (width < area.columns ? (area.columns - width) / 2 : 0);

		ik_cells_text(cells, area, row, column, IK_STYLE_DIM, text + at, line.shown);
		at += line.taken;
	}
}

/* How many rows the list gets: what it needs, at most two fifths, or all. */
static int list_rows(const struct ik_pane *pane, const struct ik_pane_view *view, int rows)
{
	int most = view->list_first ? rows : rows * 2 / 5 > 1 ? rows * 2 / 5 : 1;

	return pane->count < (size_t)most ? (int)pane->count : most;
}

/* Draw the items around the selected one. */
static void draw_list(struct ik_pane *pane, const struct ik_pane_view *view, struct ik_cells *cells,
	struct ik_rectangle area)
{
	size_t rows = (size_t)area.rows;

	pane->list_row = area.row;
	pane->list_rows = area.rows;
	if (pane->selected < pane->list_top)
		pane->list_top = pane->selected;
	if (pane->selected >= pane->list_top + rows)
		pane->list_top = pane->selected - rows + 1;
	if (pane->list_top + rows > pane->count)
		pane->list_top = pane->count > rows ? pane->count - rows : 0;
	for (size_t i = 0; i < rows && pane->list_top + i < pane->count; i++) {
		size_t index = pane->list_top + i;
		struct ik_rectangle row = { area.row + (int)i, area.column, 1, area.columns };
		enum ik_style style = index == pane->selected ? IK_STYLE_SELECTION : IK_STYLE_NORMAL;

		ik_cells_fill(cells, row, style);
		view->item(view->arg, index, cells, row, style);
	}
}

/* Say which keys mean something here. */
static void draw_keys(const struct ik_pane *pane, const struct ik_pane_view *view,
	struct ik_cells *cells, struct ik_rectangle row)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	ik_keymap_put_hints(pane->keymap, view->context, view->hints, row.columns, &out);
	if (out.length > 0)
		ik_cells_text(cells, row, row.row, row.column, IK_STYLE_DIM, out.data, out.length);
	ik_buf_done(&out);
}

void ik_pane_draw_frame(struct ik_pane *pane, const struct ik_pane_view *view,
	struct ik_cells *cells, struct ik_rectangle area)
{
	ik_scrollback_hide(pane->text);
	if (area.rows < 1 || area.columns < 1)
		return;
	enum ik_style frame = view->focus ? IK_STYLE_FRAME_FOCUS : IK_STYLE_FRAME;
	struct ik_rectangle title = { area.row, area.column, 1, area.columns };
	struct ik_rectangle keys = { area.row + area.rows - 1, area.column, 1, area.columns };
	ik_pane_rule(cells, title, frame, pane->utf8);
	ik_cells_label(cells, title, title.row, title.column + 1, frame, view->title);
	if (area.rows > 1)
		draw_keys(pane, view, cells, keys);
}

void ik_pane_draw(struct ik_pane *pane, const struct ik_pane_view *view, struct ik_cells *cells,
	struct ik_rectangle area)
{
	ik_pane_draw_frame(pane, view, cells, area);
	struct ik_rectangle body = { area.row + 1, area.column, area.rows - 2, area.columns };
	pane->list_rows = 0;
	body.row += view->reserved;
	body.rows -= view->reserved;
	if (body.rows < 1 || body.columns < 1)
		return;
	if (view->empty) {
		ik_pane_sentence(cells, body, view->empty);
		return;
	}
	if (view->item) {
		struct ik_rectangle list = body;

		list.rows = view->text_focus ? 1 : list_rows(pane, view, body.rows);
		draw_list(pane, view, cells, list);
		if (list.rows == body.rows)
			return; /* the list has all the room */
		struct ik_rectangle rule = { list.row + list.rows, area.column, 1, area.columns };
		ik_pane_rule(cells, rule,
			view->focus && view->text_focus ? IK_STYLE_FRAME_FOCUS : IK_STYLE_FRAME, pane->utf8);
		body.row += list.rows + 1;
		body.rows -= list.rows + 1;
	}
	pane->text_row = body.row;
	ik_scrollback_resize(pane->text, body.rows, body.columns);
	if (!pane->text_moved)
		ik_scrollback_go(pane->text, (struct ik_scroll_place){ .at_end = pane->text_follows });
	ik_scrollback_draw(pane->text, cells, body);
}
