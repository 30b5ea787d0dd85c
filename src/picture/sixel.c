#include "picture/sixel.h"

#include <stdbool.h>

/* Six rows of pixels are written at once, a bit for each. */
#define BAND_ROWS 6

/* Return which of the six pixels at x, from y down to before end, have this colour. */
static unsigned sixel_at(gdImagePtr picture, int x, int y, int end, int colour)
{
	unsigned bits = 0;
	int row;

	for (row = 0; row < BAND_ROWS && y + row < end; row++)
		if (gdImagePalettePixel(picture, x, y + row) == colour)
			bits |= 1u << row;
	return bits;
}

static void put_run(struct ik_buf *out, unsigned bits, int count)
{
	if (count > 3) {
		ik_buf_printf(out, "!%d", count);
		count = 1;
	}
	while (count-- > 0)
		ik_buf_putc(out, (char)('?' + bits));
}

/* Write what a band has of one colour. */
static void put_colour(gdImagePtr picture, int y, int end, int colour, struct ik_buf *out)
{
	unsigned bits, last = 0;
	int x, count = 0;

	ik_buf_printf(out, "#%d", colour);
	for (x = 0; x < gdImageSX(picture); x++) {
		bits = sixel_at(picture, x, y, end, colour);
		if (bits != last) {
			put_run(out, last, count);
			count = 0;
		}
		last = bits;
		count++;
	}
	if (last != 0)
		put_run(out, last, count);
	ik_buf_putc(out, '$');
}

/* Note which colours the rows from y to before end have. */
static void find_colours(gdImagePtr picture, int y, int end, bool ret_used[gdMaxColors])
{
	for (int i = 0; i < gdMaxColors; i++)
		ret_used[i] = false;
	for (; y < end; y++)
		for (int x = 0; x < gdImageSX(picture); x++)
			ret_used[gdImagePalettePixel(picture, x, y)] = true;
}

static void put_band(gdImagePtr picture, int y, int end, struct ik_buf *out)
{
	bool used[gdMaxColors];

	find_colours(picture, y, end, used);
	for (int colour = 0; colour < gdMaxColors; colour++)
		if (used[colour])
			put_colour(picture, y, end, colour, out);
	ik_buf_putc(out, '-');
}

void ik_sixel_write(gdImagePtr picture, int top, int end, struct ik_buf *out)
{
	bool used[gdMaxColors];

	find_colours(picture, top, end, used);
	ik_buf_printf(out, "\033P0;1q\"1;1;%d;%d", gdImageSX(picture), end - top);
	for (int i = 0; i < gdMaxColors; i++)
		if (used[i])
			ik_buf_printf(out, "#%d;2;%d;%d;%d", i, gdImageRed(picture, i) * 100 / 255,
				gdImageGreen(picture, i) * 100 / 255, gdImageBlue(picture, i) * 100 / 255);
	for (int y = top; y < end; y += BAND_ROWS)
		put_band(picture, y, y + BAND_ROWS < end ? y + BAND_ROWS : end, out);
	ik_buf_puts(out, "\033\\");
}
