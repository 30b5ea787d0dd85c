#include "tui/term/colour.h"

#include <limits.h>

#define CUBE_FIRST 16
#define CUBE_SIDE 6
#define GREY_FIRST 232
#define GREYS 24

int32_t ik_colour_of_palette(int index)
{
	static const int levels[CUBE_SIDE] = { 0, 95, 135, 175, 215, 255 };

	if (index >= GREY_FIRST)
		return (8 + 10 * (index - GREY_FIRST)) * 0x010101;
	index -= CUBE_FIRST;
	return levels[index / (CUBE_SIDE * CUBE_SIDE)] << 16 |
		levels[index / CUBE_SIDE % CUBE_SIDE] << 8 | levels[index % CUBE_SIDE];
}

/* Return the squared distance of two colours. */
static int distance(int32_t one, int32_t other)
{
	int sum = 0;

	for (int shift = 0; shift < 24; shift += 8) {
		int step = (one >> shift & 0xFF) - (other >> shift & 0xFF);

		sum += step * step;
	}
	return sum;
}

int ik_colour_nearest(int32_t rgb)
{
	int best = CUBE_FIRST, least = INT_MAX;

	if (rgb < 0)
		return IK_COLOUR_OWN;
	for (int index = CUBE_FIRST; index < GREY_FIRST + GREYS; index++) {
		int far = distance(rgb, ik_colour_of_palette(index));

		if (far < least) {
			least = far;
			best = index;
		}
	}
	return best;
}
