#include "markdown_page.h"

#include <stdlib.h>
#include <string.h>

#include "tui/text/markdown.h"
#include "util/alloc.h"

struct ik_block *markdown_block(const char *text)
{
	struct ik_block *block = ik_block_new(IK_BLOCK_ASSISTANT);
	ik_block_set_renderer(block, &ik_renderer_markdown);
	ik_block_append(block, text, strlen(text));
	return block;
}

struct ik_cells *markdown_block_cells(struct ik_block *block, int columns)
{
	struct ik_cells *cells = ik_alloc(sizeof *cells);
	int rows = 0;
	ik_cells_init(cells);
	ik_block_prepare(block);
	for (uint32_t i = 0; i < block->section_count; i++)
		rows += (int)ik_block_lines(block, i, columns)->count;
	ik_cells_resize(cells, rows, columns);
	struct ik_rectangle area = {0, 0, rows, columns};
	int row = 0;
	for (uint32_t i = 0; i < block->section_count; i++) {
		const struct ik_lines *lines = ik_block_lines(block, i, columns);
		for (uint32_t line = 0; line < lines->count; line++)
			ik_lines_draw(lines, line, block->text, cells, area, row++);
	}
	return cells;
}

struct ik_cells *markdown_cells(const char *text, int columns)
{
	struct ik_block *block = markdown_block(text);
	ik_block_finish(block);
	struct ik_cells *cells = markdown_block_cells(block, columns);
	ik_block_free(block);
	return cells;
}

void markdown_cells_free(struct ik_cells *cells)
{
	ik_cells_done(cells);
	free(cells);
}
