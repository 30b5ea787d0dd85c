#include "util/sanitize.h"
#include "util/cluster.h"
#include "util/utf8.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#define ESC_PICTURE "\xe2\x90\x9b"
#define BEL_PICTURE "\xe2\x90\x87"
#define CR_PICTURE "\xe2\x90\x8d"
#define BAD "\xef\xbf\xbd"

struct sample {
	const char *from;
	const char *to;
};

static const struct sample samples[] = {
	{ "", "" },
	{ "plain text\twith tab\nand line", "plain text\twith tab\nand line" },
	{ "\x1b[31mred\x1b[0m", ESC_PICTURE "[31mred" ESC_PICTURE "[0m" },
	{ "\x1b]52;c;ZXZpbA==\x07", ESC_PICTURE "]52;c;ZXZpbA==" BEL_PICTURE },
	{ "\x1b]8;;http://x\x1b\\link", ESC_PICTURE "]8;;http://x" ESC_PICTURE "\\link" },
	{ "\x1bP$q\"p\x1b\\", ESC_PICTURE "P$q\"p" ESC_PICTURE "\\" },
	{ "\x1b_Gi=1\x1b\\", ESC_PICTURE "_Gi=1" ESC_PICTURE "\\" },
	{ "\xc2\x9b" "31m", "<U+009B>31m" },
	{ "\xc2\x9d" "52;c;x\xc2\x9c", "<U+009D>52;c;x<U+009C>" },
	{ "\xc2\x80\xc2\x9f\xc2\xa0", "<U+0080><U+009F>\xc2\xa0" },
	{ "\x9b" "31m", BAD "31m" },
	{ "a\bb\x7f\x0e\x0f", "a\xe2\x90\x88" "b\xe2\x90\xa1\xe2\x90\x8e\xe2\x90\x8f" },
	{ "one\r\ntwo\rthree\r", "one\ntwo" CR_PICTURE "three" CR_PICTURE },
	{ "\r\r\n", CR_PICTURE "\n" },
	{ "\xe2\x80\xae" "gpj.exe", "<U+202E>gpj.exe" },
	{ "\xe2\x81\xa6x\xe2\x81\xa9", "<U+2066>x<U+2069>" },
	{ "\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "<U+061C><U+200E><U+200F>" },
	{ "a\xe2\x80\xa8z\xe2\x80\xa9", "a<U+2028>z<U+2029>" },
	{ "a\xe2\x80\x8bz\xc2\xadz\xef\xbb\xbf", "a<U+200B>z<U+00AD>z<U+FEFF>" },
	{ "x\xf3\xa0\x81\xa1", "x<U+E0061>" },
	{ "\xef\xbf\xb9\xef\xbf\xbb", "<U+FFF9><U+FFFB>" },
	{ "\xef\xbf\xbf\xef\xb7\x90\xf0\x9f\xbf\xbe", BAD BAD BAD },
	{ "\xcd\xb8", "<U+0378>" },                         /* no character yet */
	{ "\xee\x80\x80\xf3\xb0\x80\x81", "\xee\x80\x80\xf3\xb0\x80\x81" }, /* private use */
	{ "\xed\xa0\x80", BAD BAD BAD },                    /* surrogate */
	{ "\xc0\xaf", BAD BAD },                            /* overlong */
	{ "\xf0\x9f\x98", BAD },                            /* cut off: one subpart */
	{ "\xe2\x82" "A", BAD "A" },
	{ "\xf4\x90\x80\x80", BAD BAD BAD BAD },
	/* joiners and selectors where they belong, and where they hide something */
	{ "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb" },
	{ "\xe2\x9d\xa4\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x94\xa5", "\xe2\x9d\xa4\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x94\xa5" },
	{ "\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d", "\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d" },
	{ "\xe2\x80\x8dx", "<U+200D>x" },
	{ "a \xe2\x80\x8d", "a <U+200D>" },
	{ "a\xe2\x80\x8d\xe2\x80\x8d", "a\xe2\x80\x8d<U+200D>" },
	{ "a\xef\xb8\x8f\xef\xb8\x8f", "a\xef\xb8\x8f<U+FE0F>" },
	{ "\xef\xb8\x8f", "<U+FE0F>" },
	{ "a\xf3\xa0\x84\x80\xf3\xa0\x84\x81", "a\xf3\xa0\x84\x80<U+E0101>" },
};

Test(sanitize, samples_in_one_piece)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct ik_buf out;

		ik_buf_init(&out, 10000);
		ik_sanitize(&out, samples[i].from, strlen(samples[i].from));
		cr_assert_str_eq(out.data, samples[i].to, "sample %zu: %s", i, out.data);
		ik_buf_done(&out);
	}
}

Test(sanitize, samples_in_two_pieces_at_every_place_and_byte_by_byte)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		size_t length = strlen(samples[i].from);
		struct ik_sanitize_state state = { 0 };
		struct ik_buf out;

		ik_buf_init(&out, 10000);
		for (size_t cut = 0; cut <= length; cut++) {
			ik_buf_clear(&out);
			ik_sanitize_piece(&state, &out, samples[i].from, cut);
			ik_sanitize_piece(&state, &out, samples[i].from + cut, length - cut);
			ik_sanitize_end(&state, &out);
			cr_assert_str_eq(out.data, samples[i].to, "sample %zu cut at %zu: %s", i, cut, out.data);
		}
		ik_buf_clear(&out);
		for (size_t at = 0; at < length; at++)
			ik_sanitize_piece(&state, &out, samples[i].from + at, 1);
		ik_sanitize_end(&state, &out);
		cr_assert_str_eq(out.data, samples[i].to, "sample %zu by bytes: %s", i, out.data);
		ik_buf_done(&out);
	}
}

/* Letters that are let through without the tables are all assigned. */
Test(sanitize, letters_are_left_as_they_are)
{
	for (uint32_t letter = 0xa1; letter < 0xa000; letter++) {
		char text[4];
		size_t length = (size_t)ik_utf8_encode(letter, text);

		if (length > 0 && ik_sanitize_is_clean(text, length))
			cr_assert(ik_utf8_assigned(letter), "U+%04X", letter);
	}
}

Test(sanitize, keeps_nul_visible)
{
	struct ik_buf out;

	ik_buf_init(&out, 100);
	ik_sanitize(&out, "a\0b", 3);
	cr_assert_str_eq(out.data, "a\xe2\x90\x80" "b");
	ik_buf_done(&out);
}

Test(sanitize, one_line)
{
	struct ik_buf out;

	ik_buf_init(&out, 100);
	ik_sanitize_line(&out, "a\nb\tc\r\nd\re\x1b", 11);
	cr_assert_str_eq(out.data, "a b c d" CR_PICTURE "e" ESC_PICTURE);
	ik_buf_done(&out);
}

/* Is a text what the header promises? */
static bool is_harmless(const char *text, size_t length)
{
	for (size_t at = 0; at < length;) {
		uint32_t codepoint;
		int count = ik_utf8_decode(text + at, length - at, &codepoint);

		if (count <= 0 || (codepoint < 0x20 && codepoint != '\n' && codepoint != '\t')
				|| (codepoint >= 0x7f && codepoint < 0xa0)
				|| (codepoint >= 0x202a && codepoint <= 0x202e)
				|| (codepoint >= 0x2066 && codepoint <= 0x2069))
			return false;
		at += (size_t)count;
	}
	return true;
}

Test(sanitize, any_bytes_come_out_harmless_whole_and_in_pieces_alike)
{
	/* Bytes that make trouble, in random order: leads, continuations, controls, joiners. */
	static const char *const parts[] = { "\x1b", "[", "\r", "\n", "\xc2", "\x9b", "\xe2", "\x80",
		"\xae", "\x8d", "\xf0", "\x9f", "\x98", "a", " ", "\xef\xb8\x8f", "\xed", "\xa0", "\xff" };
	unsigned seed = 12345;

	for (int round = 0; round < 20000; round++) {
		struct ik_sanitize_state state = { 0 };
		struct ik_buf in, whole, pieces;

		ik_buf_init(&in, 1000);
		ik_buf_init(&whole, 10000);
		ik_buf_init(&pieces, 10000);
		for (int i = 0; i < 12; i++)
			ik_buf_puts(&in, parts[rand_r(&seed) % (sizeof(parts) / sizeof(parts[0]))]);
		ik_sanitize(&whole, in.data, in.length);
		cr_assert(is_harmless(whole.data, whole.length));
		for (size_t at = 0; at < in.length;) {
			size_t piece = (size_t)(rand_r(&seed) % 5);

			if (piece > in.length - at)
				piece = in.length - at;
			ik_sanitize_piece(&state, &pieces, in.data + at, piece);
			at += piece;
		}
		ik_sanitize_end(&state, &pieces);
		cr_assert_str_eq(pieces.data, whole.data);
		ik_buf_done(&in);
		ik_buf_done(&whole);
		ik_buf_done(&pieces);
	}
}
