#include "tui/term/colour.h"

#include <string.h>

#define CUBE_FIRST 16
#define CUBE_SIDE 6
#define GREY_FIRST 232
#define GREYS 24

static const int levels[CUBE_SIDE] = { 0, 95, 135, 175, 215, 255 };

/* One of the three parts: 0 is blue, 2 is red. */
static int part_of(int32_t rgb, int part)
{
	return (int)(rgb >> 8 * part & 0xFF);
}

int32_t ik_colour_of_palette(int index)
{
	if (index >= GREY_FIRST)
		return (8 + 10 * (index - GREY_FIRST)) * 0x010101;
	index -= CUBE_FIRST;
	return levels[index / (CUBE_SIDE * CUBE_SIDE)] << 16 |
		levels[index / CUBE_SIDE % CUBE_SIDE] << 8 | levels[index % CUBE_SIDE];
}

/* Squared distance. */
static int distance(int32_t one, int32_t other)
{
	int sum = 0;

	for (int part = 0; part < 3; part++) {
		int step = part_of(one, part) - part_of(other, part);

		sum += step * step;
	}
	return sum;
}

int ik_colour_nearest(int32_t rgb)
{
	int best = CUBE_FIRST;

	if (rgb < 0)
		return IK_COLOUR_OWN;
	for (int index = CUBE_FIRST; index < GREY_FIRST + GREYS; index++)
		if (distance(rgb, ik_colour_of_palette(index)) < distance(rgb, ik_colour_of_palette(best)))
			best = index;
	return best;
}

/* x to the power of 2.4, 0 to 1, without the mathematical library: x^2 times the
 * fifth root of x^2, by Newton. */
static double power_2_4(double x)
{
	double square = x * x, root = 1;

	if (square <= 0)
		return 0;
	for (int i = 0; i < 40; i++)
		root -= (root * root * root * root * root - square) / (5 * root * root * root * root);
	return square * root;
}

double ik_colour_luminance(int32_t rgb)
{
	static const double weights[3] = { 0.0722, 0.7152, 0.2126 };
	double sum = 0;

	for (int part = 0; part < 3; part++) {
		double value = part_of(rgb, part) / 255.0;

		sum += weights[part] *
			(value <= 0.04045 ? value / 12.92 : power_2_4((value + 0.055) / 1.055));
	}
	return sum;
}

double ik_colour_contrast(int32_t one, int32_t other)
{
	double first = ik_colour_luminance(one) + 0.05, second = ik_colour_luminance(other) + 0.05;

	return first > second ? first / second : second / first;
}

bool ik_colour_is_light(int32_t rgb)
{
	return ik_colour_contrast(rgb, 0x000000) > ik_colour_contrast(rgb, 0xFFFFFF);
}

/* Read "8;5;N" at the front; the length of it, 0 when something else stands there. */
static size_t read_number(const char *bytes, size_t length, int *ret_number)
{
	static const char before[] = "8;5;";
	size_t at = sizeof(before) - 1;
	int number = 0;

	if (length < at || memcmp(bytes, before, at) != 0)
		return 0;
	while (at < length && bytes[at] >= '0' && bytes[at] <= '9' && number < 1000)
		number = number * 10 + (bytes[at++] - '0');
	*ret_number = number;
	return at;
}

void ik_colour_put_direct(struct ik_buf *out, const char *bytes, size_t length,
	const int32_t *slots, int first, int count)
{
	size_t copied = 0;
	bool sequence = false;

	for (size_t at = 0; at < length; at++) {
		char byte = bytes[at];
		int number;
		size_t taken;

		if (byte == '[' && at > 0 && bytes[at - 1] == '\033') {
			sequence = true;
			continue;
		}
		if (!sequence || (byte >= '@' && byte <= '~')) {
			sequence = false;
			continue;
		}
		if ((byte != '3' && byte != '4') || (bytes[at - 1] != '[' && bytes[at - 1] != ';'))
			continue;
		taken = read_number(bytes + at + 1, length - at - 1, &number);
		if (taken == 0 || number < first || number >= first + count)
			continue;
		int32_t rgb = slots[number - first];
		ik_buf_append(out, bytes + copied, at + 1 - copied);
		ik_buf_printf(out, "8;2;%d;%d;%d", part_of(rgb, 2), part_of(rgb, 1), part_of(rgb, 0));
		at += taken;
		copied = at + 1;
	}
	ik_buf_append(out, bytes + copied, length - copied);
}
