#include "util/cluster.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "util/buf.h"
#include "util/utf8.h"

#define FAMILY "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7"
#define FLAG "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa"

struct cluster_case {
	const char *text;
	size_t length, drawn;
	int width;
};

static const struct cluster_case clusters[] = {
	{ "ab", 1, 1, 1 },
	{ "a", 1, 1, 1 },
	{ "\n", 1, 1, 0 },
	{ "\r\nx", 2, 2, 0 },
	{ "e\xcc\x81x", 3, 3, 1 },
	{ "\xcc\x81x", 2, 2, 0 },                               /* a mark without a base */
	{ "\xe6\xbc\xa2x", 3, 3, 2 },                           /* CJK */
	{ "\xef\xbc\xa1", 3, 3, 2 },                            /* fullwidth A */
	{ "\xf0\x9f\x98\x80x", 4, 4, 2 },                       /* emoji */
	{ "\xe2\x9d\xa4\xef\xb8\x8fx", 6, 3, 1 },               /* heart with VS16 */
	{ "1\xef\xb8\x8f\xe2\x83\xa3x", 7, 1, 1 },              /* keycap */
	{ "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbdx", 8, 4, 2 },       /* skin tone */
	{ FAMILY "x", 18, 4, 2 },
	{ FLAG FLAG, 8, 8, 2 },
	{ "\xf0\x9f\x87\xa9x", 4, 4, 1 },                       /* half a flag */
	{ "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xabx", 9, 9, 2 },   /* Hangul letters */
	{ "\xe0\xa4\x95\xe0\xa4\xbf", 3, 3, 1 },                /* a spacing mark is its own */
	{ "\xe0\xa4\xbfx", 3, 3, 1 },
	{ "\xe0\xb8\x81\xe0\xb8\xb3", 3, 3, 1 },                /* Thai sara am is its own */
	{ "\xd8\x80" "1", 2, 2, 1 },                            /* a prepended mark is its own */
	{ "\xff\xfe", 1, 1, 1 },
	{ "\xe2\x82", 1, 1, 1 },
	{ "a\xcc\x81\xcc\x81\xcc\x81\xcc\x81x", 9, 9, 1 },      /* five characters */
	{ "a\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81x", 11, 1, 1 }, /* six */
};

Test(cluster, lengths_and_widths)
{
	for (size_t i = 0; i < sizeof(clusters) / sizeof(clusters[0]); i++) {
		const struct cluster_case *expected = &clusters[i];
		struct ik_cluster cluster = ik_cluster_next(expected->text, strlen(expected->text));

		cr_assert_eq(cluster.length, expected->length, "case %zu: length %zu", i, cluster.length);
		cr_assert_eq(cluster.drawn_length, expected->drawn, "case %zu: drawn %zu", i,
			cluster.drawn_length);
		cr_assert_eq(cluster.width, expected->width, "case %zu: width %d", i, cluster.width);
		cr_assert_eq(ik_cluster_previous(expected->text, expected->length), 0, "case %zu", i);
	}
}

/* What is known of a letter without the tables is what they say: behind it stands a character
 * for which they are asked. */
Test(cluster, letters_are_as_the_tables_have_them)
{
	char text[8];

	for (uint32_t letter = 0xa0; letter < 0xa000; letter++) {
		size_t bytes = (size_t)ik_utf8_encode(letter, text);
		struct ik_cluster asked, known;

		if (bytes == 0)
			continue;
		memcpy(text + bytes, "\xe2\x94\x80", 4);
		asked = ik_cluster_next(text, bytes + 3);
		text[bytes] = 'a';
		known = ik_cluster_next(text, bytes + 1);
		cr_assert_eq(known.length, asked.length, "U+%04X", letter);
		cr_assert_eq(known.width, asked.width, "U+%04X: %d, %d", letter, known.width, asked.width);
		known = ik_cluster_next(text, bytes);
		cr_assert_eq(known.width, asked.width, "U+%04X at the end", letter);
		memcpy(text + bytes, "\xcc\x81", 3);
		asked = ik_cluster_next(text, bytes + 2);
		if ((letter >= 0xc0 && letter < 0x300) || (letter >= 0x400 && letter < 0x480) ||
		    letter >= 0x5000)
			cr_assert_eq(asked.length, bytes + 2, "U+%04X and an accent", letter);
	}
}

Test(cluster, an_endless_cluster_is_drawn_by_its_base)
{
	size_t length = 1 + 2 * 100000;
	char *text = malloc(length);
	struct ik_cluster cluster;

	text[0] = 'a';
	for (size_t at = 1; at < length; at += 2)
		memcpy(text + at, "\xcc\x81", 2);
	cluster = ik_cluster_next(text, length);
	cr_assert_eq(cluster.length, length);
	cr_assert_eq(cluster.drawn_length, 1);
	cr_assert_eq(ik_cluster_previous(text, length), 0);
	free(text);
}

Test(cluster, backwards_finds_the_boundaries_of_forwards)
{
	static const char *const parts[] = { "a", " ", "\r", "\n", "\xcc\x81", "\xe2\x80\x8d",
		"\xef\xb8\x8f", "\xf0\x9f\x91\xa9", "\xf0\x9f\x87\xa9", "\xf0\x9f\x8f\xbd", "\xe6\xbc\xa2",
		"\xff", "\xe2\x82", "\xe0\xa4\xbf", "\xe1\x84\x92", "\xe1\x85\xa1", "\xd8\x80" };
	unsigned seed = 99;

	for (int round = 0; round < 20000; round++) {
		size_t starts[64];
		size_t count = 0, position;
		struct ik_buf text;

		ik_buf_init(&text, 1000);
		for (int i = 0; i < 10; i++)
			ik_buf_puts(&text, parts[rand_r(&seed) % (sizeof(parts) / sizeof(parts[0]))]);
		for (size_t at = 0; at < text.length;
				at += ik_cluster_next(text.data + at, text.length - at).length)
			starts[count++] = at;
		for (position = text.length; position > 0;) {
			position = ik_cluster_previous(text.data, position);
			cr_assert_gt(count, 0);
			cr_assert_eq(position, starts[--count], "round %d", round);
		}
		cr_assert_eq(count, 0);
		ik_buf_done(&text);
	}
}

Test(cluster, widths_and_fitting)
{
	const char *text = "a\xe6\xbc\xa2" FLAG "e\xcc\x81"; /* 1 + 2 + 2 + 1 columns */
	size_t length = strlen(text);
	size_t width;

	cr_assert_eq(ik_utf8_width(text, length), 6);
	cr_assert_eq(ik_utf8_width("", 0), 0);
	cr_assert_eq(ik_utf8_fit(text, length, 0, &width), 0);
	cr_assert_eq(width, 0);
	cr_assert_eq(ik_utf8_fit(text, length, 2, &width), 1);
	cr_assert_eq(width, 1);
	cr_assert_eq(ik_utf8_fit(text, length, 3, &width), 4);
	cr_assert_eq(ik_utf8_fit(text, length, 5, &width), 12);
	cr_assert_eq(width, 5);
	cr_assert_eq(ik_utf8_fit(text, length, 6, NULL), length);
	cr_assert_eq(ik_utf8_fit(text, length, 60, &width), length);
	cr_assert_eq(width, 6);
}

Test(cluster, knows_what_is_assigned)
{
	cr_assert(ik_utf8_assigned('a'));
	cr_assert(ik_utf8_assigned(0xe000));
	cr_assert(!ik_utf8_assigned(0x378));
	cr_assert(!ik_utf8_assigned(0xffff));
	cr_assert(!ik_utf8_assigned(0x110000));
}
