#include "tui/text/markdown_table.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

#define BETWEEN 3      /* columns between two cells: a bar with a blank on each side */
#define COLUMN_LEAST 6 /* narrower cells would be letters under each other */

void ik_table_clear(struct ik_table *table)
{
	table->count = 0;
	table->columns = 0;
	table->continues = false;
}

void ik_table_done(struct ik_table *table)
{
	free(table->cells);
}

void ik_table_add(struct ik_table *table, size_t start, size_t end, enum ik_table_align align)
{
	if (table->count == table->capacity) {
		table->capacity = table->capacity ? table->capacity * 2 : 32;
		table->cells = ik_alloc_array(table->cells, table->capacity, sizeof(*table->cells));
	}
	table->cells[table->count++] = (struct ik_table_cell){
		.start = (uint32_t)start, .end = (uint32_t)end, .align = align
	};
}

static const struct ik_table_cell *cell_at(const struct ik_table *table, size_t row, size_t column)
{
	return &table->cells[row * table->columns + column];
}

/* Give each column its width; false: there is no room for columns. */
static bool make_widths(const struct ik_table *table, const struct ik_flow *flow, int *widths)
{
	int room = ik_flow_room(flow) - BETWEEN * ((int)table->columns - 1);
	int natural[IK_TABLE_COLUMNS] = { 0 };
	int total = 0;

	for (size_t i = 0; i < table->count; i++) {
		int width = ik_flow_width(flow, table->cells[i].start, table->cells[i].end);

		if (width > natural[i % table->columns])
			natural[i % table->columns] = width;
	}
	for (size_t i = 0; i < table->columns; i++) {
		if (natural[i] == 0)
			natural[i] = 1;
		total += natural[i];
		widths[i] = total <= room ? natural[i] : 0;
	}
	if (total <= room) {
		memcpy(widths, natural, table->columns * sizeof(*widths));
		return true;
	}
	if (room < (int)table->columns * COLUMN_LEAST)
		return false;
	/* Columns that need less than their share keep it; the others share the rest. */
	memset(widths, 0, table->columns * sizeof(*widths));
	int left = (int)table->columns;

	for (bool found = true; found && left > 0;) {
		found = false;
		int share = room / left;

		for (size_t i = 0; i < table->columns; i++)
			if (widths[i] == 0 && natural[i] <= share) {
				widths[i] = natural[i];
				room -= natural[i];
				left--;
				found = true;
			}
	}
	for (size_t i = 0; i < table->columns; i++)
		if (widths[i] == 0) {
			widths[i] = room / left;
			room -= widths[i];
			left--;
		}
	return true;
}

/* Draw bars, or the rule's crossings, between the columns of the line begun last. */
static void draw_bars(const struct ik_table *table, struct ik_flow *flow, const int *widths,
	int column)
{
	const char *bar = flow->utf8 ? "│" : "|";
	uint32_t kept = ik_lines_keep(flow->lines, bar, strlen(bar));

	for (size_t i = 0; i + 1 < table->columns; i++) {
		column += widths[i];
		ik_lines_add_kept(flow->lines, kept, strlen(bar), column + 1, IK_STYLE_FRAME);
		column += BETWEEN;
	}
}

/* The rule under the head. */
static void draw_rule(const struct ik_table *table, struct ik_flow *flow, const int *widths)
{
	int column = ik_flow_line(flow, flow->source);
	const char *line = flow->utf8 ? "─" : "-";
	const char *cross = flow->utf8 ? "─┼─" : "-+-";
	struct ik_buf rule;

	ik_buf_init(&rule, SIZE_MAX / 2);
	for (size_t i = 0; i < table->columns; i++) {
		for (int j = 0; j < widths[i]; j++)
			ik_buf_puts(&rule, line);
		if (i + 1 < table->columns)
			ik_buf_puts(&rule, cross);
	}
	ik_lines_add_kept(flow->lines, ik_lines_keep(flow->lines, rule.data, rule.length), rule.length,
		column, IK_STYLE_FRAME);
	ik_buf_done(&rule);
}

/* Draw a row: as many lines as its highest cell takes. */
static void draw_row(const struct ik_table *table, struct ik_flow *flow, const int *widths,
	size_t row)
{
	size_t at[IK_TABLE_COLUMNS];
	bool more = true;

	for (size_t i = 0; i < table->columns; i++)
		at[i] = cell_at(table, row, i)->start;
	while (more) {
		int column = ik_flow_line(flow, ik_flow_source(flow, at[0]));

		draw_bars(table, flow, widths, column);
		more = false;
		for (size_t i = 0; i < table->columns; i++) {
			const struct ik_table_cell *cell = cell_at(table, row, i);
			struct ik_row taken = ik_wrap_row(flow->text.data + at[i], cell->end - at[i],
				widths[i]);
			int spare = widths[i] - ik_flow_width(flow, at[i], at[i] + taken.shown);
			int indent = cell->align == IK_TABLE_RIGHT ? spare
				: cell->align == IK_TABLE_CENTRE       ? spare / 2
													   : 0;

			ik_flow_runs(flow, at[i], at[i] + taken.shown, column + (indent > 0 ? indent : 0));
			at[i] += taken.taken;
			more |= at[i] < cell->end;
			column += widths[i] + BETWEEN;
		}
	}
}

/* One cell as "label: value". */
static void draw_pair(const struct ik_table *table, struct ik_flow *flow, size_t row, size_t i)
{
	const struct ik_table_cell *label = cell_at(table, 0, i);
	const struct ik_table_cell *value = cell_at(table, row, i);

	if (label->start == label->end) {
		ik_flow_wrap(flow, value->start, value->end);
		return;
	}
	int room = ik_flow_room(flow);
	int width = ik_flow_width(flow, label->start, label->end) + 2;

	if (width + ik_flow_width(flow, value->start, value->end) > room ||
		memchr(flow->text.data + value->start, '\n', value->end - value->start)) {
		ik_flow_wrap(flow, label->start, label->end);
		ik_flow_wrap(flow, value->start, value->end);
		return;
	}
	int column = ik_flow_line(flow, ik_flow_source(flow, value->start));
	ik_flow_runs(flow, label->start, label->end, column);
	ik_lines_add_kept(flow->lines, ik_lines_keep(flow->lines, ":", 1), 1, column + width - 2,
		IK_STYLE_DIM);
	ik_flow_runs(flow, value->start, value->end, column + width);
}

/* The rows as lists, a short rule between two. */
static void draw_list(const struct ik_table *table, struct ik_flow *flow)
{
	size_t rows = table->count / table->columns;

	if (rows == 1)
		for (size_t i = 0; i < table->columns; i++)
			ik_flow_wrap(flow, cell_at(table, 0, i)->start, cell_at(table, 0, i)->end);
	for (size_t row = 1; row < rows; row++) {
		if (row > 1 || table->continues)
			ik_flow_rule(flow, flow->utf8 ? "─" : "-", 3, NULL, 0, IK_STYLE_FRAME);
		for (size_t i = 0; i < table->columns; i++)
			draw_pair(table, flow, row, i);
	}
}

void ik_table_draw(const struct ik_table *table, struct ik_flow *flow)
{
	int widths[IK_TABLE_COLUMNS];

	if (table->columns == 0 || table->count < table->columns)
		return;
	if (!make_widths(table, flow, widths)) {
		draw_list(table, flow);
		return;
	}
	if (!table->continues) {
		draw_row(table, flow, widths, 0);
		draw_rule(table, flow, widths);
	}
	for (size_t row = 1; row < table->count / table->columns; row++)
		draw_row(table, flow, widths, row);
}
