#include "tui/term/ascii.h"

#include <criterion/criterion.h>
#include <string.h>

#include "util/utf8.h"

Test(ascii, likenesses)
{
	static const struct { const char *cluster; char likeness; } rows[] = {
		{ " ", ' ' }, { "│", '|' }, { "─", '-' }, { "┌", '+' }, { "┼", '+' }, { "╰", '+' },
		{ "║", '|' }, { "═", '=' }, { "…", '~' }, { "•", '*' }, { "●", '*' }, { "◌", '-' },
		{ "◐", '~' }, { "▲", '!' }, { "→", '>' }, { "❯", '>' }, { "“", '"' }, { "’", '\'' },
		{ "–", '-' }, { "\u00A0", ' ' }, { "█", '#' }, { "✓", '+' }, { "✗", 'x' },
		{ "é", '?' }, { "日", '?' }, { "\U0001F600", '?' }, { "\xff", '?' }, { "␛", '?' },
		{ "┌\u0301", '+' }, { "·", '-' }, { "∅", '0' }, { "◆", '+' }, { "↩", '\\' }, { "▌", '|' },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_assert_eq(ik_ascii_for(rows[i].cluster, strlen(rows[i].cluster)), rows[i].likeness,
			"%s", rows[i].cluster);
}

/* The search needs a sorted table: each of its ends is found. */
Test(ascii, every_character_of_a_frame)
{
	for (uint32_t codepoint = 0x2500; codepoint < 0x2580; codepoint++) {
		char bytes[4];
		int count = ik_utf8_encode(codepoint, bytes);
		cr_assert_not_null(strchr("-=|+/\\X", ik_ascii_for(bytes, (size_t)count)));
	}
	for (uint32_t codepoint = 0x80; codepoint < 0x30000; codepoint++) {
		char bytes[4];
		int count = ik_utf8_encode(codepoint, bytes);
		if (count > 0) {
			char likeness = ik_ascii_for(bytes, (size_t)count);
			cr_assert(likeness >= 0x20 && likeness < 0x7F);
		}
	}
}
