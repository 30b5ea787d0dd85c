/* markdown_page: a text laid out as Markdown and drawn, for tests. */
#ifndef IK_TEST_MARKDOWN_PAGE_H
#define IK_TEST_MARKDOWN_PAGE_H

#include "picture.h"
#include "tui/scrollback/block.h"

/* A growing reply of that text. */
struct ik_block *markdown_block(const char *text);

/* All its rows, drawn; to be freed. */
struct ik_cells *markdown_block_cells(struct ik_block *block, int columns);

/* The same of a whole reply. */
struct ik_cells *markdown_cells(const char *text, int columns);
void markdown_cells_free(struct ik_cells *cells);

#endif
