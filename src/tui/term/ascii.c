#include "tui/term/ascii.h"

#include <stdint.h>
#include <string.h>

#include "util/utf8.h"

/* Ranges of characters and their ASCII look-alikes, one each; the last one is for the rest of
 * the range. */
static const struct {
	uint32_t first, last;
	const char *similar;
} ranges[] = {
	{ 0x20, 0x20, " " },
	{ 0xA0, 0xA0, " " },
	{ 0xA6, 0xA6, "|" },
	{ 0xAB, 0xAB, "<" },
	{ 0xAD, 0xAD, "-" },
	{ 0xB4, 0xB4, "'" },
	{ 0xB7, 0xB7, "-" },
	{ 0xBB, 0xBB, ">" },
	{ 0xD7, 0xD7, "x" },
	{ 0x2000, 0x200A, " " },
	{ 0x2010, 0x2015, "-" },
	{ 0x2018, 0x201F, "''''\"" },
	{ 0x2022, 0x2023, "*" },
	{ 0x2026, 0x2026, "~" },
	{ 0x2039, 0x203A, "<>" },
	{ 0x2190, 0x2193, "<^>v" },
	{ 0x21A9, 0x21A9, "\\" },
	{ 0x21B5, 0x21B5, "<" },
	{ 0x2205, 0x2205, "0" },
	{ 0x2212, 0x2212, "-" },
	{ 0x2219, 0x2219, "." },
	{ 0x2298, 0x2298, "/" },
	{ 0x2500, 0x2593,
		"--||--||--||++++++++++++++++++++"
		"++++++++++++++++++++++++++++++++"
		"++++++++++++--||=|++++++++++++++"
		"+++++++++++++++++/\\X-|-|-|-|-|-|"
		"#########||||||||#" },
	{ 0x25A0, 0x25A1, "#" },
	{ 0x25AA, 0x25AB, "*" },
	{ 0x25B2, 0x25B3, "!" },
	{ 0x25B6, 0x25C5, ">>>>>>vvvv<" },
	{ 0x25C6, 0x25C7, "+" },
	{ 0x25CB, 0x25D7, "o-oo*~~--o" },
	{ 0x25E6, 0x25E6, "o" },
	{ 0x2610, 0x2612, "_xx" },
	{ 0x26A0, 0x26A0, "!" },
	{ 0x2713, 0x2714, "+" },
	{ 0x2717, 0x2718, "x" },
	{ 0x276E, 0x276F, "<>" },
	{ 0x2800, 0x2800, " " },
	{ 0x2801, 0x28FF, "*" },
};

char ik_ascii_for(const char *cluster, size_t length)
{
	uint32_t codepoint;

	if (ik_utf8_decode(cluster, length, &codepoint) <= 0)
		return '?';
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		size_t last = strlen(ranges[i].similar) - 1, place = codepoint - ranges[i].first;

		if (codepoint >= ranges[i].first && codepoint <= ranges[i].last)
			return ranges[i].similar[place < last ? place : last];
	}
	return '?';
}
