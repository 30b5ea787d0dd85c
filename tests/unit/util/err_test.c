#include "util/err.h"
#include "util/utf8.h"

#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>

Test(err, fills_and_returns)
{
	struct ik_error error;

	cr_assert_eq(ik_error_set(&error, IK_INVALID, "%s: %d", "line", 7), IK_INVALID);
	cr_assert_eq(error.status, IK_INVALID);
	cr_assert_str_eq(error.text, "line: 7");
	cr_assert_eq(ik_error_set(NULL, IK_DENIED, "nobody reads this"), IK_DENIED);
}

Test(err, adds_the_reason_of_errno)
{
	struct ik_error error;

	cr_assert_eq(ik_error_set_errno(&error, ENOENT, "cannot open %s", "x"), IK_NOT_FOUND);
	cr_assert_str_eq(error.text, "cannot open x: No such file or directory");
	cr_assert_eq(ik_error_set_errno(NULL, EACCES, "x"), IK_DENIED);
}

Test(err, cuts_at_a_character)
{
	static const char *const characters[] = { "x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };

	for (size_t kind = 0; kind < 4; kind++) {
		for (size_t offset = 0; offset < 4; offset++) {
			char text[2000] = "";
			struct ik_error error;
			size_t length;

			memset(text, '-', offset);
			for (int i = 0; i < 400; i++)
				memcpy(text + strlen(text), characters[kind], strlen(characters[kind]) + 1);
			ik_error_set(&error, IK_FAILED, "%.*s", 1500, text);
			length = strlen(error.text);
			cr_assert_leq(length, sizeof(error.text) - 1);
			if (strlen(text) > sizeof(error.text))
				cr_assert_geq(length, sizeof(error.text) - 4);
			cr_assert_eq(ik_utf8_valid_prefix(error.text, length), length);
			cr_assert_eq(memcmp(error.text, text, length), 0);
		}
	}
}

Test(err, errno_has_a_status)
{
	cr_assert_eq(ik_error_set_errno(NULL, 0, "x"), IK_OK);
	cr_assert_eq(ik_error_set_errno(NULL, ENOMEM, "x"), IK_NO_MEMORY);
	cr_assert_eq(ik_error_set_errno(NULL, EPERM, "x"), IK_DENIED);
	cr_assert_eq(ik_error_set_errno(NULL, ECONNREFUSED, "x"), IK_UNAVAILABLE);
	cr_assert_eq(ik_error_set_errno(NULL, EIO, "x"), IK_IO);
	cr_assert_eq(ik_error_set_errno(NULL, 99999, "x"), IK_IO);
}
