#include "util/buf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

Test(buf, empty_is_a_string_and_allocates_nothing)
{
	struct ik_buf buf;

	ik_buf_init(&buf, 10);
	cr_assert_str_eq(buf.data, "");
	cr_assert_eq(buf.capacity, 0);
	ik_buf_append(&buf, NULL, 0);
	ik_buf_clear(&buf);
	ik_buf_truncate(&buf, 0);
	ik_buf_consume(&buf, 3);
	cr_assert_eq(buf.length, 0);
	ik_buf_done(&buf);
}

Test(buf, appends_and_stays_terminated)
{
	struct ik_buf buf;

	ik_buf_init(&buf, 1000000);
	for (int i = 0; i < 1000; i++) {
		ik_buf_printf(&buf, "%d,", i);
		cr_assert_eq(buf.data[buf.length], '\0');
		cr_assert_eq(strlen(buf.data), buf.length);
	}
	ik_buf_putc(&buf, '\0');
	ik_buf_puts(&buf, "end");
	cr_assert_eq(memcmp(buf.data + buf.length - 5, ",\0end", 6), 0);
	ik_buf_done(&buf);
}

Test(buf, ceiling_is_exact_and_failure_stays)
{
	struct ik_buf buf;
	struct ik_error error;

	ik_buf_init(&buf, 5);
	ik_buf_puts(&buf, "12345");
	cr_assert_eq(ik_buf_status(&buf), IK_OK);
	ik_buf_putc(&buf, '6');
	cr_assert_eq(ik_buf_status(&buf), IK_TOO_LARGE);
	cr_assert_str_eq(buf.data, "12345");
	ik_buf_truncate(&buf, 1);
	ik_buf_putc(&buf, 'x');
	cr_assert_str_eq(buf.data, "1", "after a failure nothing is appended");
	cr_assert_eq(ik_buf_check(&buf, "the test", &error), IK_TOO_LARGE);
	cr_assert_not_null(strstr(error.text, "the test"));
	cr_assert_not_null(strstr(error.text, " 5 "));
	ik_buf_clear(&buf);
	ik_buf_puts(&buf, "again");
	cr_assert_eq(ik_buf_check(&buf, "the test", &error), IK_OK);
	ik_buf_done(&buf);
}

Test(buf, absurd_sizes_are_refused)
{
	struct ik_buf buf;

	ik_buf_init(&buf, SIZE_MAX);
	ik_buf_puts(&buf, "x");
	cr_assert_null(ik_buf_reserve(&buf, SIZE_MAX));
	cr_assert_neq(ik_buf_status(&buf), IK_OK);
	cr_assert_str_eq(buf.data, "x");
	ik_buf_done(&buf);
}

Test(buf, inserts_and_erases)
{
	struct ik_buf buf;

	ik_buf_init(&buf, 100);
	ik_buf_insert(&buf, 0, "ad", 2);
	ik_buf_insert(&buf, 1, "bc", 2);
	ik_buf_insert(&buf, 4, "e", 1);
	cr_assert_str_eq(buf.data, "abcde");
	ik_buf_erase(&buf, 1, 2);
	cr_assert_str_eq(buf.data, "ade");
	ik_buf_erase(&buf, 2, 100);
	cr_assert_str_eq(buf.data, "ad");
	ik_buf_consume(&buf, 1);
	cr_assert_str_eq(buf.data, "d");
	ik_buf_erase(&buf, 9, 1);
	cr_assert_str_eq(buf.data, "d");
	ik_buf_done(&buf);
}

Test(buf, trims_its_end)
{
	struct ik_buf buf;

	ik_buf_init(&buf, 64);
	ik_buf_trim(&buf, 0, "\n ");
	ik_buf_puts(&buf, " a \n \n");
	ik_buf_trim(&buf, 4, "\n ");
	cr_assert_str_eq(buf.data, " a \n");
	ik_buf_trim(&buf, 0, "\n ");
	cr_assert_str_eq(buf.data, " a");
	ik_buf_append(&buf, "\0", 1);
	ik_buf_trim(&buf, 0, " ");
	cr_assert_eq(buf.length, 3, "NUL is in no set");
	ik_buf_done(&buf);
}

Test(buf, reserve_and_commit)
{
	struct ik_buf buf;
	char *place;

	ik_buf_init(&buf, 200);
	place = ik_buf_reserve(&buf, 200);
	cr_assert_not_null(place);
	memset(place, 'z', 150);
	ik_buf_commit(&buf, 150);
	cr_assert_eq(buf.length, 150);
	cr_assert_eq(buf.data[150], '\0');
	cr_assert_null(ik_buf_reserve(&buf, 51));
	ik_buf_done(&buf);
}

Test(buf, take_hands_over)
{
	struct ik_buf buf;
	size_t length;
	char *data;

	ik_buf_init(&buf, 1000);
	data = ik_buf_take(&buf, &length);
	cr_assert_str_eq(data, "");
	cr_assert_eq(length, 0);
	free(data);
	ik_buf_puts(&buf, "text");
	data = ik_buf_take(&buf, NULL);
	cr_assert_str_eq(data, "text");
	cr_assert_eq(buf.length, 0);
	ik_buf_puts(&buf, "more");
	cr_assert_str_eq(buf.data, "more");
	cr_assert_str_eq(data, "text");
	free(data);
	ik_buf_done(&buf);
	ik_buf_done(&buf);
}
