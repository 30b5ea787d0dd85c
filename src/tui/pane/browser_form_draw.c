/* How a form looks: a field after the other, the selected one in sight. */
#include "tui/pane/browser_form_parts.h"

#include <string.h>

#include "tui/text/wrap.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define MOST_ROWS 4 /* of a description, a message, a value */

/* A text from outside, wrapped into rows from row on: of its rows those behind skip, so many
 * at most; returns the rows it took. Without cells it is only measured. */
static int put_rows_from(struct ik_cells *cells, struct ik_rectangle area, int row,
	enum ik_style style, const struct ik_buf *text, int skip, int most)
{
	int rows = 0;

	for (size_t at = 0; at < text->length && rows < skip + most; rows++) {
		struct ik_row line = ik_wrap_row(text->data + at, text->length - at, area.columns);

		if (cells && rows >= skip)
			ik_cells_text(cells, area, row + rows - skip, area.column, style, text->data + at,
				line.shown);
		at += line.taken;
	}
	return rows > skip ? rows - skip : 0;
}

/* The same from its beginning. */
static int put_rows(struct ik_cells *cells, struct ik_rectangle area, int row, enum ik_style style,
	const char *text, int most)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_SCHEMA);
	ik_sanitize_line(&out, text, strnlen(text, IK_KIB(4)));
	int rows = put_rows_from(cells, area, row, style, &out, 0, most);
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

/* A choice, marked when it is the present one; *ret_end gets the end of that. */
static void put_choice(struct ik_buf *out, const char *choice, bool now, size_t *ret_end)
{
	ik_buf_puts(out, now ? "[" : " ");
	ik_sanitize_line(out, choice, strlen(choice));
	ik_buf_puts(out, now ? "]" : " ");
	if (now)
		*ret_end = out->length;
}

/* Draw the choices, the present one in sight: (none) "a" ["b"]; returns their rows. */
static int put_choices(const struct ik_form_field *field, struct ik_cells *cells,
	struct ik_rectangle area, int row, enum ik_style style, int most)
{
	size_t length, end = 0;
	const char *text = ik_editor_text(field->editor, &length);
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_SCHEMA);
	put_choice(&out, _("left out"), length == 0, &end);
	for (size_t i = 0; i < field->choice_count; i++)
		put_choice(&out, field->choices[i], ik_text_equal(field->choices[i], text), &end);
	int above = 0;

	for (size_t at = 0; at < end; above++)
		at += ik_wrap_row(out.data + at, out.length - at, area.columns).taken;
	int rows = put_rows_from(cells, area, row, style, &out, above > most ? above - most : 0, most);
	ik_buf_done(&out);
	return rows;
}

/* Draw the value; returns its rows. */
static int put_field_value(const struct ik_form *form, size_t index, struct ik_cells *cells,
	struct ik_rectangle area, int row, int most, int *ret_row, int *ret_column)
{
	const struct ik_form_field *field = &form->fields[index];
	bool selected = index == form->selected;
	int at_row, at_column;

	if (field->kind == IK_FIELD_CHOICE)
		return put_choices(field, cells, area, row, selected ? IK_STYLE_SELECTION : IK_STYLE_NORMAL,
			most);
	int columns = area.columns > 3 ? area.columns - 2 : 1;
	int rows = ik_editor_height(field->editor, columns);
	rows = rows < most ? rows : most;
	if (!cells)
		return rows;
	struct ik_rectangle place = { row, area.column, rows, area.columns };

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

/* So many rows as are left, and no more than are usual. */
static int share(int left)
{
	return left < 0 ? 0 : left < MOST_ROWS ? left : MOST_ROWS;
}

/* Draw (or, without cells, measure) a field from row on; returns its rows.  Where there is
 * no room for all of it, the value comes first, then what is wrong with it, then its name. */
static int put_field(const struct ik_form *form, size_t index, struct ik_cells *cells,
	struct ik_rectangle area, int row, int *ret_row, int *ret_column)
{
	const struct ik_form_field *field = &form->fields[index];
	struct ik_rectangle inner = { area.row, area.column + 2, area.rows, area.columns - 2 };
	const char *wrong = form->wrong && form->wrong_field == index ? form->wrong : "";
	struct ik_buf heading;
	int left = area.rows, begin = row, no_row, no_column;

	left -= put_field_value(form, index, NULL, area, 0, share(left > 3 ? left / 2 : 1), &no_row,
		&no_column);
	int value_rows = area.rows - left;
	int wrong_rows = put_rows(NULL, inner, 0, IK_STYLE_ERROR, wrong, share(left - 1));
	left -= wrong_rows;
	ik_buf_init(&heading, IK_LIMIT_SCHEMA);
	put_heading(field, &heading);
	int heading_rows = put_rows(cells, area, row,
		index == form->selected ? IK_STYLE_BOLD : IK_STYLE_NORMAL, heading.data, share(left));
	ik_buf_done(&heading);
	row += heading_rows;
	left -= heading_rows;
	if (field->description)
		row += put_rows(cells, inner, row, IK_STYLE_DIM, field->description, share(left));
	put_field_value(form, index, cells, area, row, value_rows, ret_row, ret_column);
	row += value_rows;
	put_rows(cells, inner, row, IK_STYLE_ERROR, wrong, wrong_rows);
	return row + wrong_rows - begin;
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
		row += put_rows(cells, area, row, IK_STYLE_DIM, form->description, MOST_ROWS) + 1;
	if (form->count == 0) {
		put_rows(cells, area, row, IK_STYLE_NORMAL, _("It takes no arguments."), MOST_ROWS);
		if (form->wrong)
			put_rows(cells, area, row + 1, IK_STYLE_ERROR, form->wrong, MOST_ROWS);
		return;
	}
	struct ik_rectangle fields = { row, area.column, area.row + area.rows - row, area.columns };
	follow(form, fields);
	for (size_t i = form->top; i < form->count && row < area.row + area.rows; i++)
		row += put_field(form, i, cells, fields, row, ret_cursor_row, ret_cursor_column);
}
