/*
 * markdown_table: the cells of a table as lines: in columns, wrapped within the
 * cells where the window is too narrow for them; as "label: value" lines where
 * it is too narrow even for that.
 *
 * May include: util, tui/text/markdown_flow.h.
 */
#ifndef IK_TUI_TEXT_MARKDOWN_TABLE_H
#define IK_TUI_TEXT_MARKDOWN_TABLE_H

#include "tui/text/markdown_flow.h"

#define IK_TABLE_COLUMNS 64 /* a table with more is no table */
#define IK_TABLE_CELLS 8192

enum ik_table_align { IK_TABLE_LEFT, IK_TABLE_CENTRE, IK_TABLE_RIGHT };

/* Bytes [start, end) of the flow. */
struct ik_table_cell {
	uint32_t start, end;
	enum ik_table_align align;
};

/* Cells row by row; the first row is the head. */
struct ik_table {
	struct ik_table_cell *cells;
	size_t count, capacity;
	size_t columns;
	bool continues; /* the head was shown before */
};

void ik_table_clear(struct ik_table *table);
void ik_table_done(struct ik_table *table);
void ik_table_add(struct ik_table *table, size_t start, size_t end, enum ik_table_align align);

/* Lay out the table, whose text the flow holds. */
void ik_table_draw(const struct ik_table *table, struct ik_flow *flow);

#endif
