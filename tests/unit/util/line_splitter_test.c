#include <criterion/criterion.h>

#include "util/limits.h"
#include "util/line_splitter.h"

/* Append a line and "|" to the buffer arg, or "!|" for one that was too long. */
static void on_line(void *arg, const char *text, size_t length)
{
	ik_buf_append(arg, text ? text : "!", text ? length : 1);
	ik_buf_putc(arg, '|');
}

Test(line_splitter, splits_a_stream)
{
	static const char stream[] = "one\n\n \t\r\ntwo\r\n0123456789\n01234567890\nthree\nrest";

	for (size_t piece = 1; piece < sizeof(stream); piece++) {
		struct ik_line_splitter lines = { .too_long = false };
		struct ik_buf out;

		ik_buf_init(&out, IK_KIB(4));
		for (size_t at = 0; at < sizeof(stream) - 1; at += piece) {
			size_t left = sizeof(stream) - 1 - at;

			ik_line_splitter_add(&lines, 10, stream + at, left < piece ? left : piece, on_line, &out);
		}
		cr_assert_str_eq(out.data, "one|two\r|0123456789|!|three|", "%zu bytes at a time", piece);
		ik_line_splitter_done(&lines);
		ik_buf_done(&out);
	}
}
