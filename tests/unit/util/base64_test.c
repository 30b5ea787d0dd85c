#include "util/base64.h"

#include <string.h>

#include <criterion/criterion.h>

#include "util/limits.h"

Test(base64, writes_what_the_standard_shows_and_reads_it_back)
{
	/* RFC 4648, section 10. */
	static const struct {
		const char *bytes, *text;
	} cases[] = {
		{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" },
	};
	struct ik_buf text, bytes;

	ik_buf_init(&text, IK_KIB(1));
	ik_buf_init(&bytes, IK_KIB(1));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ik_buf_clear(&text);
		ik_buf_clear(&bytes);
		ik_base64_put(&text, cases[i].bytes, strlen(cases[i].bytes));
		cr_assert_eq(text.length, strlen(cases[i].text));
		cr_assert_eq(memcmp(text.data, cases[i].text, text.length), 0, "%s", cases[i].text);
		cr_assert(ik_base64_read(&bytes, text.data, text.length));
		cr_assert_eq(bytes.length, strlen(cases[i].bytes));
		cr_assert_eq(memcmp(bytes.data, cases[i].bytes, bytes.length), 0);
	}
	ik_buf_done(&text);
	ik_buf_done(&bytes);
}

Test(base64, takes_all_bytes_at_all_lengths)
{
	struct ik_buf text, bytes;
	char all[10000];

	ik_buf_init(&text, IK_KIB(64));
	ik_buf_init(&bytes, 0);
	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (char)(i * 7 + i / 256);
	for (size_t length = 0; length < sizeof(all); length += length < 20 ? 1 : 499) {
		ik_buf_clear(&text);
		ik_buf_done(&bytes);
		ik_buf_init(&bytes, length); /* with room for just these */
		ik_base64_put(&text, all, length);
		cr_assert_eq(text.length, (length + 2) / 3 * 4);
		cr_assert(ik_base64_read(&bytes, text.data, text.length));
		cr_assert_eq(bytes.length, length);
		cr_assert_eq(memcmp(bytes.data, all, length), 0);
	}
	ik_buf_done(&text);
	ik_buf_done(&bytes);
}

Test(base64, refuses_what_it_would_not_write)
{
	static const char *const wrong[] = {
		"Z", "Zg", "Zg=", "Zg===", "====", "Z===", "Zh==", "Zm9=", "Zm=v", "Zg==Zg==", "Zm9v\n",
		"Zm9v Zg=", "Zm-_", "Zm9\xc3",
	};
	struct ik_buf bytes;

	ik_buf_init(&bytes, IK_KIB(1));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect_not(ik_base64_read(&bytes, wrong[i], strlen(wrong[i])), "%s", wrong[i]);
	ik_buf_done(&bytes);
}
