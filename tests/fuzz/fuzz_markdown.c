/*
 * fuzz_markdown: whatever a model writes, in whatever pieces it arrives and at whatever width, is
 * laid out within its bytes and columns, and looks in the end as if it had come whole.
 *
 * The first byte is the width, the second the size of the pieces.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#include "tui/scrollback/block.h"
#include "tui/text/markdown.h"
#include "util/limits.h"

static void demand(bool truth)
{
	if (!truth)
		abort();
}

/* Check the lines of a section, and append what they show. */
static void take_lines(const struct ik_block *block, const struct ik_lines *lines, int columns,
	struct ik_buf *out)
{
	demand(lines->count > 0);
	for (uint32_t i = 0; i < lines->count; i++) {
		uint32_t count;
		const struct ik_text_run *runs = ik_lines_runs(lines, i, &count);

		demand(lines->lines[i].source <= block->length);
		for (uint32_t run = 0; run < count; run++) {
			size_t end = (size_t)runs[run].offset + runs[run].length;

			demand(end <= (runs[run].added ? lines->added_length : block->length));
			demand(runs[run].column <= columns);
			ik_buf_printf(out, "%u:%u ", runs[run].column, runs[run].style);
			ik_buf_append(out, (runs[run].added ? lines->added : block->text) + runs[run].offset,
				runs[run].length);
		}
		ik_buf_putc(out, '\n');
	}
}

/* All lines of a block, as text. */
static void take_block(struct ik_block *block, int columns, struct ik_buf *out)
{
	ik_buf_clear(out);
	ik_block_prepare(block);
	for (uint32_t i = 0; i < block->section_count; i++)
		take_lines(block, ik_block_lines(block, i, columns), columns, out);
}

/* The same of a text that arrives in pieces, looked at after each. */
static void take_pieces(const char *text, size_t length, size_t piece, int columns,
	struct ik_buf *out)
{
	struct ik_block *block = ik_block_new(IK_BLOCK_ASSISTANT);

	ik_block_set_renderer(block, &ik_renderer_markdown);
	for (size_t at = 0; at < length; at += piece) {
		ik_block_append(block, text + at, length - at < piece ? length - at : piece);
		take_block(block, columns, out);
	}
	ik_block_finish(block);
	take_block(block, columns, out);
	ik_block_free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ik_buf whole, pieces;
	int columns;

	if (size < 2 || size > IK_KIB(64))
		return 0;
	columns = 4 + data[0] % 120;
	ik_buf_init(&whole, SIZE_MAX / 2);
	ik_buf_init(&pieces, SIZE_MAX / 2);
	take_pieces((const char *)data + 2, size - 2, size, columns, &whole);
	take_pieces((const char *)data + 2, size - 2, 1 + data[1] % 64 + size / 256, columns, &pieces);
	demand(whole.length == pieces.length &&
		(whole.length == 0 || memcmp(whole.data, pieces.data, whole.length) == 0));
	ik_buf_done(&whole);
	ik_buf_done(&pieces);
	return 0;
}
