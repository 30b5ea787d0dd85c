#include "util/text.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

Test(text, compares)
{
	cr_assert(ik_text_equal("a", "a"));
	cr_assert(!ik_text_equal("a", "ab"));
	cr_assert(ik_text_starts("abc", "ab"));
	cr_assert(ik_text_starts("abc", ""));
	cr_assert(!ik_text_starts("a", "ab"));
	cr_assert(ik_text_ends("abc", "bc"));
	cr_assert(!ik_text_ends("c", "bc"));
}

Test(text, finds_lines)
{
	const char *text = "one\n\nthree";
	const struct {
		uint32_t at, other;
	} items[] = { { 2, 0 }, { 4, 0 }, { 4, 0 }, { 9, 0 } };

	cr_assert_eq(ik_line_end(text, 0, 10), 3);
	cr_assert_eq(ik_line_end(text, 3, 10), 3);
	cr_assert_eq(ik_line_end(text, 5, 10), 10, "without a line feed: the text's end");
	cr_assert_eq(ik_line_end(text, 10, 10), 10);
	cr_assert_eq(ik_line_end(NULL, 0, 0), 0);
	cr_assert_eq(ik_line_begin(text, 0, 3), 0);
	cr_assert_eq(ik_line_begin(text, 0, 4), 4);
	cr_assert_eq(ik_line_begin(text, 0, 10), 5);
	cr_assert_eq(ik_line_begin(text, 7, 10), 7);
	cr_assert_eq(ik_line_feeds(text, 10), 2);
	cr_assert_eq(ik_line_feeds(text, 3), 0);
	for (size_t i = 0; i < 12; i++)
		cr_assert_eq(ik_text_item_at(items, 4, sizeof(*items), i), i < 4 ? 0 : i < 9 ? 2 : 3);
	cr_assert_eq(ik_text_item_at(NULL, 0, sizeof(*items), 1), 0);
}

Test(text, distance)
{
	cr_assert_eq(ik_text_distance("", ""), 0);
	cr_assert_eq(ik_text_distance("", "abc"), 3);
	cr_assert_eq(ik_text_distance("kitten", "sitting"), 3);
	cr_assert_eq(ik_text_distance("model", "mdoel"), 1, "a swap is one edit");
	cr_assert_eq(ik_text_distance("ca", "abc"), 3, "optimal string alignment");
	cr_assert_eq(ik_text_distance("theme", "theme"), 0);
}

Test(text, nearest)
{
	static const char *const words[] = { "model", "provider", "database", "ui" };
	char long_word[1000];

	cr_assert_str_eq(ik_text_nearest("modle", words, 4), "model");
	cr_assert_str_eq(ik_text_nearest("databse", words, 4), "database");
	cr_assert_str_eq(ik_text_nearest("provider", words, 4), "provider");
	cr_assert_null(ik_text_nearest("temperature", words, 4));
	cr_assert_null(ik_text_nearest("xy", words, 4));
	cr_assert_null(ik_text_nearest("", words, 4));
	cr_assert_null(ik_text_nearest("x", NULL, 0));
	memset(long_word, 'x', sizeof(long_word) - 1);
	long_word[sizeof(long_word) - 1] = '\0';
	cr_assert_null(ik_text_nearest(long_word, words, 4));
}

Test(text, hash_is_fnv_1a)
{
	/* The vectors of its authors. */
	cr_assert_eq(ik_text_hash(""), UINT64_C(0xcbf29ce484222325));
	cr_assert_eq(ik_text_hash("a"), UINT64_C(0xaf63dc4c8601ec8c));
	cr_assert_eq(ik_text_hash("foobar"), UINT64_C(0x85944171f73967e8));
	cr_assert_eq(ik_text_hash("\xff"), UINT64_C(0xaf64724c8602eb6e));
}
