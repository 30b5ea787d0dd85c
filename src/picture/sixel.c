#include "picture/sixel.h"

#include <stdbool.h>

/* Six rows of pixels are written at once, a bit for each. */
#define BAND_ROWS 6

/* Return which of the six pixels at x, from y down, have this colour. */
static unsigned sixel_at(gdImagePtr picture, int x, int y, int colour)
{
	unsigned bits = 0;
	int row;

	for (row = 0; row < BAND_ROWS && y + row < gdImageSY(picture); row++)
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
static void put_colour(gdImagePtr picture, int y, int colour, struct ik_buf *out)
{
	unsigned bits, last = 0;
	int x, count = 0;

	ik_buf_printf(out, "#%d", colour);
	for (x = 0; x < gdImageSX(picture); x++) {
		bits = sixel_at(picture, x, y, colour);
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

static void put_band(gdImagePtr picture, int y, struct ik_buf *out)
{
	bool used[gdMaxColors] = { false };
	int x, row, colour;

	for (row = y; row < y + BAND_ROWS && row < gdImageSY(picture); row++)
		for (x = 0; x < gdImageSX(picture); x++)
			used[gdImagePalettePixel(picture, x, row)] = true;
	for (colour = 0; colour < gdMaxColors; colour++)
		if (used[colour])
			put_colour(picture, y, colour, out);
	ik_buf_putc(out, '-');
}

void ik_sixel_write(gdImagePtr picture, struct ik_buf *out)
{
	int i, y;

	ik_buf_printf(out, "\033P0;1q\"1;1;%d;%d", gdImageSX(picture), gdImageSY(picture));
	for (i = 0; i < gdImageColorsTotal(picture); i++)
		ik_buf_printf(out, "#%d;2;%d;%d;%d", i, gdImageRed(picture, i) * 100 / 255,
			gdImageGreen(picture, i) * 100 / 255, gdImageBlue(picture, i) * 100 / 255);
	for (y = 0; y < gdImageSY(picture); y += BAND_ROWS)
		put_band(picture, y, out);
	ik_buf_puts(out, "\033\\");
}
