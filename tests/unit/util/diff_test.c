#include "util/diff.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "util/limits.h"

static const struct {
	const char *before, *after, *wanted;
} rows[] = {
	{ "", "", "" },
	{ "a\nb\n", "a\nb\n", "" },
	{ "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n" },
	{ "a\n", "", "@@ -1,1 +0,0 @@\n-a\n" },
	{ "a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n" },
	{ "a\nb\nc\n", "a\nc\n", "@@ -1,3 +1,2 @@\n a\n-b\n c\n" },
	{ "a\nc\n", "a\nb\nc\n", "@@ -1,2 +1,3 @@\n a\n+b\n c\n" },
	{ "a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n",
	  "@@ -1,7 +1,6 @@\n-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c\n" },
	{ "a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ no line end at the end of the file\n+a\n" },
	{ "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n", "1\n2\n3\nX\n5\n6\n7\n8\n9\n10\n11\nY\n13\n14\n",
	  "@@ -1,7 +1,7 @@\n 1\n 2\n 3\n-4\n+X\n 5\n 6\n 7\n"
	  "@@ -9,6 +9,6 @@\n 9\n 10\n 11\n-12\n+Y\n 13\n 14\n" },
	{ "1\n2\n3\n4\n5\n6\n7\n8\n", "X\n2\n3\n4\n5\n6\n7\nY\n",
	  "@@ -1,8 +1,8 @@\n-1\n+X\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+Y\n" },
};

Test(diff, table)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ik_buf out;

		ik_buf_init(&out, IK_KIB(64));
		cr_assert_eq(ik_diff_lines(&out, rows[i].before, strlen(rows[i].before), rows[i].after,
			strlen(rows[i].after), 1000), 0);
		cr_assert_str_eq(out.data, rows[i].wanted, "row %zu: %s", i, out.data);
		ik_buf_done(&out);
	}
}

/* What a diff says, applied to the old text, gives the new one. */
static void apply(const char *diff, const char *old_text, struct ik_buf *out)
{
	const char *at = old_text;

	while (*diff) {
		size_t length = strcspn(diff, "\n") + 1;

		if (diff[0] == '@') {
			size_t line = strtoul(diff + 4, NULL, 10);
			const char *place = old_text;

			for (size_t i = 1; i < line; i++)
				place = strchr(place, '\n') + 1;
			ik_buf_append(out, at, (size_t)(place - at));
			at = place;
		} else {
			if (diff[0] != '-')
				ik_buf_append(out, diff + 1, length - 1);
			if (diff[0] != '+') {
				cr_assert_eq(strncmp(at, diff + 1, length - 1), 0);
				at += length - 1;
			}
		}
		diff += length;
	}
	ik_buf_puts(out, at);
}

Test(diff, any_texts)
{
	uint32_t random = 88172645u;

	for (int round = 0; round < 3000; round++) {
		struct ik_buf texts[2], diff, made;

		for (int k = 0; k < 2; k++) {
			ik_buf_init(&texts[k], IK_KIB(64));
			for (uint32_t i = 0, lines = 1 + (uint32_t)(round % 30); i < lines; i++) {
				random ^= random << 13;
				random ^= random >> 17;
				random ^= random << 5;
				ik_buf_printf(&texts[k], "%c\n", 'a' + (int)(random % 4));
			}
		}
		ik_buf_init(&diff, IK_KIB(64));
		ik_buf_init(&made, IK_KIB(64));
		cr_assert_eq(ik_diff_lines(&diff, texts[0].data, texts[0].length, texts[1].data,
			texts[1].length, 1000), 0);
		apply(diff.data, texts[0].data, &made);
		cr_assert_str_eq(made.data, texts[1].data);
		ik_buf_done(&texts[0]);
		ik_buf_done(&texts[1]);
		ik_buf_done(&diff);
		ik_buf_done(&made);
	}
}

Test(diff, what_differs_everywhere_is_replaced_and_cut)
{
	struct ik_buf one, other, out;

	ik_buf_init(&one, IK_MIB(16));
	ik_buf_init(&other, IK_MIB(16));
	ik_buf_init(&out, IK_MIB(16));
	for (int i = 0; i < 100000; i++) {
		ik_buf_printf(&one, "old %d\n", i);
		ik_buf_printf(&other, "%s %d\n", i == 50000 ? "old" : "new", i);
	}
	cr_assert_eq(ik_diff_lines(&out, one.data, one.length, other.data, other.length, 10), 199990);
	cr_assert_eq(strncmp(out.data, "@@ -1,100000 +1,100000 @@\n-old 0\n", 33), 0, "%.80s", out.data);
	ik_buf_done(&one);
	ik_buf_done(&other);
	ik_buf_done(&out);
}
