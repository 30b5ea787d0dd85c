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
