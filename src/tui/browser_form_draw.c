/* How a form looks: a field after the other, the selected one in sight. */
#include "tui/browser_form_parts.h"

#include <string.h>

#include "tui/wrap.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define MOST_ROWS 4 /* of a description, a message, a value */

/* A text from outside, wrapped into rows from row on; returns the rows it took. Without
 * cells it is only measured. */
static int put_rows(struct ik_cells *cells, struct ik_rectangle area, int row,
	enum ik_style style, const char *text)
{
	struct ik_buf out;
	int rows = 0;
	ik_buf_init(&out, IK_LIMIT_SCHEMA);
	ik_sanitize_line(&out, text, strnlen(text, IK_KIB(4)));
	for (size_t at = 0; at < out.length && rows < MOST_ROWS; rows++) {
		struct ik_row line = ik_wrap_row(out.data + at, out.length - at, area.columns);
		if (cells)
			ik_cells_text(cells, area, row + rows, area.column, style, out.data + at, line.shown);
		at += line.taken;
	}
	ik_buf_done(&out);
	return rows;
}

/* The heading of a field: name, type, what may be left out, the default. */
static void put_heading(const struct ik_form_field *field, struct ik_buf *out)
{
	ik_buf_printf(out, "%s  %s", field->name, field->type);
	if (field->required)
		ik_buf_printf(out, "  %s", _("required"));
	if (field->initial)
		ik_buf_printf(out, _("  default %s"), field->initial);
}

/* The choices with the present one marked: (none) "a" ["b"]. */
static void put_choices(const struct ik_form_field *field, struct ik_buf *out)
{
	size_t length;
	const char *text = ik_editor_text(field->editor, &length);
	ik_buf_puts(out, length == 0 ? "[" : " ");
	ik_buf_puts(out, _("left out"));
	ik_buf_puts(out, length == 0 ? "]" : " ");
	for (size_t i = 0; i < field->choice_count; i++) {
		bool now = ik_text_equal(field->choices[i], text);
		ik_buf_printf(out, now ? "[%s]" : " %s ", field->choices[i]);
	}
}

/* Draw the value; returns its rows. */
static int put_field_value(const struct ik_form *form, size_t index, struct ik_cells *cells,
	struct ik_rectangle area, int row, int *ret_row, int *ret_column)
{
	const struct ik_form_field *field = &form->fields[index];
	bool selected = index == form->selected;
	int at_row, at_column;
	if (field->kind == IK_FIELD_CHOICE) {
		struct ik_buf out;
		ik_buf_init(&out, IK_LIMIT_SCHEMA);
		put_choices(field, &out);
		int rows = put_rows(cells, area, row,
			selected ? IK_STYLE_SELECTION : IK_STYLE_NORMAL, out.data);
		ik_buf_done(&out);
		return rows;
	}
	int columns = area.columns > 3 ? area.columns - 2 : 1;
	int rows = ik_editor_height(field->editor, columns);
	rows = rows < MOST_ROWS ? rows : MOST_ROWS;
	if (!cells)
		return rows;
	struct ik_rectangle place = {row, area.column, rows, area.columns};
	if (row + rows > area.row + area.rows)
		place.rows = area.row + area.rows - row;
	if (place.rows < 1)
		return rows;
	ik_editor_draw(field->editor, cells, place, selected ? "> " : "  ", &at_row, &at_column);
	if (selected) {
		*ret_row = at_row;
		*ret_column = at_column;
	}
	return rows;
}

/* Draw (or, without cells, measure) a field from row on; returns its rows. */
static int put_field(const struct ik_form *form, size_t index, struct ik_cells *cells,
	struct ik_rectangle area, int row, int *ret_row, int *ret_column)
{
	const struct ik_form_field *field = &form->fields[index];
	struct ik_rectangle inner = {area.row, area.column + 2, area.rows, area.columns - 2};
	struct ik_buf out;
	int rows = 0;
	ik_buf_init(&out, IK_LIMIT_SCHEMA);
	put_heading(field, &out);
	rows += put_rows(cells, area, row,
		index == form->selected ? IK_STYLE_BOLD : IK_STYLE_NORMAL, out.data);
	ik_buf_done(&out);
	if (field->description)
		rows += put_rows(cells, inner, row + rows, IK_STYLE_DIM, field->description);
	rows += put_field_value(form, index, cells, area, row + rows, ret_row, ret_column);
	if (form->wrong && form->wrong_field == index)
		rows += put_rows(cells, inner, row + rows, IK_STYLE_ERROR, form->wrong);
	return rows;
}

/* Move the first field that is seen so that the selected one is seen whole. */
static void follow(struct ik_form *form, struct ik_rectangle area)
{
	int row, column;
	if (form->selected < form->top)
		form->top = form->selected;
	int rows = 0;
	for (size_t i = form->selected + 1; i-- > form->top;) {
		rows += put_field(form, i, NULL, area, 0, &row, &column);
		if (rows > area.rows && i < form->selected) {
			form->top = i + 1;
			return;
		}
	}
}

void ik_form_draw(struct ik_form *form, struct ik_cells *cells, struct ik_rectangle area,
	int *ret_cursor_row, int *ret_cursor_column)
{
	int row = area.row;
	if (area.columns < 4 || area.rows < 1)
		return;
	if (area.rows > 12 && form->description)
		row += put_rows(cells, area, row, IK_STYLE_DIM, form->description) + 1;
	if (form->count == 0) {
		put_rows(cells, area, row, IK_STYLE_NORMAL,
			_("It takes no arguments."));
		if (form->wrong)
			put_rows(cells, area, row + 1, IK_STYLE_ERROR, form->wrong);
		return;
	}
	struct ik_rectangle fields = {row, area.column, area.row + area.rows - row, area.columns};
	follow(form, fields);
	for (size_t i = form->top; i < form->count && row < area.row + area.rows; i++)
		row += put_field(form, i, cells, fields, row, ret_cursor_row, ret_cursor_column);
}
