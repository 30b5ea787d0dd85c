#include "tui/term/query.h"

#include <stdint.h>
#include <string.h>

#define PARTS 3
#define MOST_DIGITS 4

/* Return the value of a hexadecimal digit; -1 where it is not one. */
static int digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Do black letters stand out more on a colour than white ones? Goes by its luminance (WCAG 2), with
 * a gamma of 2 for sRGB's. */
static bool is_light(int32_t rgb)
{
	int red = rgb >> 16 & 0xFF, green = rgb >> 8 & 0xFF, blue = rgb & 0xFF;

	return 0.2126 * red * red + 0.7152 * green * green + 0.0722 * blue * blue > 0.21 * 255 * 255;
}

/* Read a number of one to four digits, scaled to 0 to 255 by their count; returns the count. */
static size_t read_part(const char *text, size_t length, int *ret_value)
{
	size_t count = 0;
	int value = 0, most = 0;

	while (count < length && count < MOST_DIGITS && digit(text[count]) >= 0) {
		value = value * 16 + digit(text[count++]);
		most = most * 16 + 15;
	}
	if (count > 0)
		*ret_value = value * 255 / most;
	return count;
}

bool ik_background_read(const char *report, size_t length, bool *ret_light)
{
	static const char opaque[] = "]11;rgb:", with_alpha[] = "]11;rgba:";
	int32_t rgb = 0;
	size_t at;

	if (length > strlen(opaque) && memcmp(report, opaque, strlen(opaque)) == 0)
		at = strlen(opaque);
	else if (length > strlen(with_alpha) && memcmp(report, with_alpha, strlen(with_alpha)) == 0)
		at = strlen(with_alpha);
	else
		return false;
	for (int part = 0; part < PARTS; part++) {
		int value;

		if (part > 0 && (at >= length || report[at++] != '/'))
			return false;
		size_t taken = read_part(report + at, length - at, &value);

		if (taken == 0)
			return false;
		at += taken;
		rgb = rgb << 8 | value;
	}
	*ret_light = is_light(rgb);
	return true;
}

bool ik_background_is_fence(const char *report, size_t length)
{
	return length > 2 && report[0] == '[' && report[1] == '?' && report[length - 1] == 'c';
}

bool ik_background_of_variable(const char *colorfgbg, bool *ret_light)
{
	const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;

	if (!last || last[1] < '0' || last[1] > '9')
		return false;
	int number = last[1] - '0';

	if (last[2] >= '0' && last[2] <= '9' && last[3] == '\0')
		number = number * 10 + (last[2] - '0');
	else if (last[2] != '\0')
		return false;
	if (number > 15)
		return false;
	*ret_light = number == 7 || number > 8;
	return true;
}

bool ik_keyboard_is_offered(const char *report, size_t length)
{
	/* CSI ? flags u */
	return length > 2 && report[0] == '[' && report[1] == '?' && report[length - 1] == 'u';
}
