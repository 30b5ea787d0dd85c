#include "tui/term/query.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPONENT "%4[0-9a-fA-F]"
#define COMPONENTS COMPONENT "/" COMPONENT "/" COMPONENT

/* Is black text more readable than white on this colour? Uses its luminance (WCAG 2), with a
 * gamma of 2 for sRGB. */
static bool is_light(int32_t rgb)
{
	int red = rgb >> 16 & 0xFF, green = rgb >> 8 & 0xFF, blue = rgb & 0xFF;

	return 0.2126 * red * red + 0.7152 * green * green + 0.0722 * blue * blue > 0.21 * 255 * 255;
}

bool ik_background_read(const char *report, size_t length, bool *ret_light)
{
	char text[64], components[3][5];
	int32_t rgb = 0;

	(void)snprintf(text, sizeof(text), "%.*s", (int)length, report);
	if (sscanf(text, "]11;rgb:" COMPONENTS, components[0], components[1], components[2]) != 3 &&
		sscanf(text, "]11;rgba:" COMPONENTS, components[0], components[1], components[2]) != 3)
		return false;
	for (int i = 0; i < 3; i++) {
		/* One to four hex digits, scaled to 0..255 by their number. */
		long most = (1L << 4 * strlen(components[i])) - 1;

		rgb = rgb << 8 | (int32_t)(strtol(components[i], NULL, 16) * 255 / most);
	}
	*ret_light = is_light(rgb);
	return true;
}

bool ik_background_is_fence(const char *report, size_t length)
{
	return length > 2 && report[0] == '[' && report[1] == '?' && report[length - 1] == 'c';
}

bool ik_placeholders_are_known(const char *report, size_t length)
{
	static const char *const names[] = { "P>|kitty(", "P>|ghostty " };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (length > strlen(names[i]) && memcmp(report, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

bool ik_sixels_are_known(const char *report, size_t length)
{
	if (!ik_background_is_fence(report, length))
		return false;
	for (size_t i = 2; i + 2 < length; i++)
		if (report[i] == ';' && report[i + 1] == '4' && strchr(";c", report[i + 2]))
			return true;
	return false;
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
