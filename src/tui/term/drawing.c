#include "tui/term/drawing.h"

#include <string.h>

#include "util/base64.h"
#include "util/text.h"
#include "util/utf8.h"

#define HALF_BLOCK "▀"
#define PLACEHOLDER 0x10EEEE
#define SIXELS_BEGIN "\033P0;1q"
#define SIXELS_END "\033\\"
#define CHUNK 3072 /* bytes in a sequence: at most 4096 in base64 */

/* What says a placeholder's row and column, from 0 on. */
static const uint16_t numbers[IK_DRAWING_MOST] = { 0x0305, 0x030D, 0x030E, 0x0310, 0x0312, 0x033D,
	0x033E, 0x033F, 0x0346, 0x034A, 0x034B, 0x034C, 0x0350, 0x0351, 0x0352, 0x0357, 0x035B, 0x0363,
	0x0364, 0x0365, 0x0366, 0x0367, 0x0368, 0x0369, 0x036A, 0x036B, 0x036C, 0x036D, 0x036E, 0x036F,
	0x0483, 0x0484, 0x0485, 0x0486, 0x0487, 0x0592, 0x0593, 0x0594, 0x0595, 0x0597, 0x0598, 0x0599,
	0x059C, 0x059D, 0x059E, 0x059F, 0x05A0, 0x05A1, 0x05A8, 0x05A9, 0x05AB, 0x05AC, 0x05AF, 0x05C4,
	0x0610, 0x0611, 0x0612, 0x0613, 0x0614, 0x0615, 0x0616, 0x0617, 0x0657, 0x0658 };

static struct ik_cell half_block(const struct ik_drawing *drawing, int line, int column)
{
	struct ik_cell cell = { .text = HALF_BLOCK,
		.length = sizeof(HALF_BLOCK) - 1,
		.width = 1,
		.own = IK_CELL_FRONT | IK_CELL_BACK };
	const char *colours = drawing->bytes +
		6 * ((size_t)line * (size_t)drawing->columns + (size_t)column);

	memcpy(cell.front, colours, 3);
	memcpy(cell.back, colours + 3, 3);
	return cell;
}

/* The picture's number is the foreground. */
static struct ik_cell placeholder(const struct ik_drawing *drawing, int line, int column)
{
	struct ik_cell cell = { .width = 1, .own = IK_CELL_FRONT };
	const uint32_t characters[] = { PLACEHOLDER, numbers[line], numbers[column] };

	for (size_t i = 0; i < 3; i++)
		cell.length += (uint8_t)ik_utf8_encode(characters[i], cell.text + cell.length);
	for (size_t i = 0; i < 3; i++)
		cell.front[i] = (uint8_t)(drawing->id >> (16 - 8 * i));
	return cell;
}

/* A blank that no other cell is like. */
static struct ik_cell sixel(const struct ik_drawing *drawing, int line, int column)
{
	struct ik_cell cell = placeholder(drawing, line, column);

	cell.text[0] = ' ';
	cell.length = 1;
	cell.own = IK_CELL_SIXEL;
	cell.back[0] = (uint8_t)line;
	cell.back[1] = (uint8_t)column;
	return cell;
}

void ik_drawing_draw(const struct ik_drawing *drawing, int line, struct ik_cells *cells,
	struct ik_rectangle area, int row)
{
	static struct ik_cell (*const ways[])(const struct ik_drawing *, int, int) = {
		[IK_DRAWING_CELLS] = half_block,
		[IK_DRAWING_KITTY] = placeholder,
		[IK_DRAWING_SIXEL] = sixel,
	};

	if (line < 0 || line >= drawing->rows)
		return;
	for (int column = 0; column < drawing->columns && column < area.columns; column++) {
		struct ik_cell cell = ways[drawing->way](drawing, line, column);

		ik_cells_put(cells, row, area.column + column, &cell);
	}
	ik_cells_show(cells, drawing);
}

void ik_drawing_send(const struct ik_drawing *drawing, struct ik_buf *out)
{
	size_t at = 0;

	ik_buf_printf(out, "\033_Ga=T,U=1,q=2,f=100,i=%u,c=%d,r=%d,", (unsigned)drawing->id,
		drawing->columns, drawing->rows);
	while (at < drawing->length) {
		size_t left = drawing->length - at, size = left < CHUNK ? left : CHUNK;

		ik_buf_printf(out, "%sm=%d;", at > 0 ? "\033_Gq=2," : "", left > size);
		ik_base64_put(out, drawing->bytes + at, size);
		ik_buf_puts(out, "\033\\");
		at += size;
	}
}

void ik_drawing_forget(uint32_t id, struct ik_buf *out)
{
	ik_buf_printf(out, "\033_Ga=d,d=I,i=%u,q=2;\033\\", (unsigned)id);
}

bool ik_drawing_is_sixels(const char *text)
{
	while (ik_text_starts(text, SIXELS_BEGIN)) {
		text += strlen(SIXELS_BEGIN);
		while (*text >= ' ' && *text <= '~')
			text++;
		if (!ik_text_starts(text, SIXELS_END))
			return false;
		text += strlen(SIXELS_END);
	}
	return *text == '\0';
}

const char *ik_drawing_line(const struct ik_drawing *drawing, int line, size_t *ret_length)
{
	const char *at = drawing->bytes, *next;

	while ((next = strstr(at, SIXELS_END)) && line-- > 0)
		at = next + strlen(SIXELS_END);
	*ret_length = next ? (size_t)(next - at) + strlen(SIXELS_END) : 0;
	return at;
}
