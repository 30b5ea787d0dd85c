#include "tui/term/term_paint.h"

#include "tui/term/colour.h"
#include "util/utf8.h"

/* So many blanks are written rather than jumped over. */
#define BLANKS_WRITTEN 8

/* So many columns the cursor goes back one by one. */
#define STEPS_BACK 4

/* Where painting is. */
struct brush {
	const struct ik_paint *paint;
	struct ik_buf *out;
	int look;        /* style, twice, plus 1 where it is underlined; -1: normal */
	bool normal;     /* that look is the terminal's own */
	int row, column; /* of the cursor */
};

/* The attributes of a style here. */
static uint8_t attributes_of(const struct ik_paint *paint, int style)
{
	const struct ik_look *look =
		&paint->theme->looks[style < IK_STYLE_COUNT ? style : IK_STYLE_NORMAL];

	return paint->attributes &
		(paint->colours == IK_COLOURS_NONE ? look->mono_attributes : look->attributes);
}

/* Is a colour the terminal's own? */
static bool is_own(const struct ik_paint *paint, int32_t rgb, int of16, int of8)
{
	return paint->colours == IK_COLOURS_NONE ||
		(paint->colours == IK_COLOURS_8           ? of8 < 0
				: paint->colours == IK_COLOURS_16 ? of16 < 0
												  : rgb < 0);
}

/* Append a colour to a sequence; base is 30 or 40. */
static void put_colour(const struct brush *brush, int base, int32_t rgb, int of16, int of8)
{
	enum ik_colour_depth colours = brush->paint->colours;

	if (is_own(brush->paint, rgb, of16, of8))
		return;
	if (colours == IK_COLOURS_TRUE) {
		ik_buf_printf(brush->out, ";%d;2;%d;%d;%d", base + 8, (int)(rgb >> 16 & 0xFF),
			(int)(rgb >> 8 & 0xFF), (int)(rgb & 0xFF));
		return;
	}
	int number = colours == IK_COLOURS_8 ? of8
		: colours == IK_COLOURS_16       ? of16
										 : ik_colour_nearest(rgb);
	if (number < 8)
		ik_buf_printf(brush->out, ";%d", base + number);
	else if (number < 16)
		ik_buf_printf(brush->out, ";%d", base + 60 + number - 8);
	else
		ik_buf_printf(brush->out, ";%d;5;%d", base + 8, number);
}

/* Go on in the look of a cell. */
static void take_look(struct brush *brush, const struct ik_cell *cell)
{
	static const struct {
		uint8_t ours;
		const char *number;
	} numbers[] = {
		{ IK_ATTRIBUTE_BOLD, ";1" },
		{ IK_ATTRIBUTE_DIM, ";2" },
		{ IK_ATTRIBUTE_ITALIC, ";3" },
		{ IK_ATTRIBUTE_UNDERLINE, ";4" },
		{ IK_ATTRIBUTE_REVERSE, ";7" },
	};
	int style = cell->style < IK_STYLE_COUNT ? cell->style : IK_STYLE_NORMAL;
	const struct ik_look *look = &brush->paint->theme->looks[style];
	uint8_t attributes = attributes_of(brush->paint, style);

	if (brush->look == style * 2 + cell->underline)
		return;
	brush->look = style * 2 + cell->underline;
	if (cell->underline)
		attributes |= IK_ATTRIBUTE_UNDERLINE & brush->paint->attributes;
	bool was_normal = brush->normal;
	brush->normal = attributes == 0 &&
		is_own(brush->paint, look->foreground, look->foreground16, look->foreground8) &&
		is_own(brush->paint, look->background, look->background16, look->background8);
	if (was_normal && brush->normal)
		return;
	ik_buf_puts(brush->out, "\033[0");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (attributes & numbers[i].ours)
			ik_buf_puts(brush->out, numbers[i].number);
	put_colour(brush, 30, look->foreground, look->foreground16, look->foreground8);
	put_colour(brush, 40, look->background, look->background16, look->background8);
	ik_buf_puts(brush->out, "m");
}

/* Does a blank of a style look like a cell of the cleared screen? */
static bool is_bare(const struct ik_paint *paint, int style)
{
	const struct ik_look *look =
		&paint->theme->looks[style < IK_STYLE_COUNT ? style : IK_STYLE_NORMAL];

	return (attributes_of(paint, style) & (IK_ATTRIBUTE_REVERSE | IK_ATTRIBUTE_UNDERLINE)) == 0 &&
		is_own(paint, look->background, look->background16, look->background8);
}

/* Is there nothing to draw where the screen was cleared? */
static bool is_blank(const struct ik_paint *paint, const struct ik_cell *cell)
{
	return cell->length == 1 && cell->text[0] == ' ' && !cell->underline &&
		is_bare(paint, cell->style);
}

/* Do blanks that are written as of now look like the cleared screen? */
static bool draws_bare(const struct brush *brush)
{
	return brush->look < 0 || (brush->look % 2 == 0 && is_bare(brush->paint, brush->look / 2));
}

/* Put the cursor somewhere. */
static void move_to(struct brush *brush, int row, int column)
{
	ik_buf_printf(brush->out, "\033[%d;%dH", row + 1, column + 1);
	brush->row = row;
	brush->column = column;
}

/* Write a cell at a place; blanks are all that lies between it and the last one. */
static void put_cell(struct brush *brush, const struct ik_cell *cell, int row, int column)
{
	struct ik_shape shapes[2];
	int gap = column - brush->column, count = ik_shape_of(cell, brush->paint->utf8, shapes);

	if (brush->row != row || gap > BLANKS_WRITTEN || (gap > 0 && !draws_bare(brush)))
		move_to(brush, row, column);
	for (; brush->column < column; brush->column++)
		ik_buf_puts(brush->out, " ");
	take_look(brush, cell);
	for (int i = 0; i < count; i++) {
		for (const wchar_t *at = shapes[i].text; *at != L'\0'; at++) {
			char bytes[4];
			int length = ik_utf8_encode((uint32_t)*at, bytes);

			ik_buf_append(brush->out, bytes, (size_t)length);
		}
		brush->column += shapes[i].width;
	}
}

void ik_paint_frame(const struct ik_paint *paint, const struct ik_shape_grid *grid, int cursor_row,
	int cursor_column, struct ik_buf *out)
{
	struct brush brush = { .paint = paint, .out = out, .look = -1, .normal = true };
	int rows = grid->rows < grid->cells->rows ? grid->rows : grid->cells->rows;
	int columns = grid->columns < grid->cells->columns ? grid->columns : grid->cells->columns;

	ik_buf_puts(out, paint->normal);
	ik_buf_puts(out, "\033[H\033[2J");
	for (int row = 0; row < rows; row++)
		for (int column = 0; column < columns; column++) {
			struct ik_cell cell;
			int times = ik_shape_place(grid, row, column, &cell);

			for (int i = 0; i < times; i++)
				if (!is_blank(paint, &cell))
					put_cell(&brush, &cell, row, column + i);
		}
	ik_buf_puts(out, paint->normal);
	move_to(&brush, cursor_row, cursor_column);
}

/* Bring the cursor to a place, by the shortest way to what is beside it. */
static void go_to(struct brush *brush, int columns, int row, int column)
{
	int back = brush->column - column;

	/* Behind the last column it is neither there nor in the next row. */
	if (brush->row != row || brush->column >= columns || back > STEPS_BACK || back < 0) {
		move_to(brush, row, column);
		return;
	}
	for (; brush->column > column; brush->column--)
		ik_buf_putc(brush->out, '\b');
}

void ik_paint_runs(const struct ik_paint *paint, const struct ik_shape_grid *grid,
	const struct ik_changed_run *runs, int count, struct ik_paint_cursor from,
	struct ik_paint_cursor to, struct ik_buf *out)
{
	struct brush brush = { .paint = paint,
		.out = out,
		.look = -1,
		.normal = true,
		.row = from.row,
		.column = from.column };

	for (const struct ik_changed_run *run = runs; run < runs + count; run++) {
		go_to(&brush, grid->columns, run->row, run->first);
		for (int column = run->first; column < run->end; column++) {
			struct ik_cell cell;
			int times = ik_shape_place(grid, run->row, column, &cell);

			for (int i = 0; i < times; i++)
				put_cell(&brush, &cell, run->row, column + i);
		}
	}
	if (!brush.normal)
		ik_buf_puts(out, paint->normal);
	go_to(&brush, grid->columns, to.row, to.column);
}
