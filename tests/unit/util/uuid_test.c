#include "util/uuid.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <criterion/criterion.h>

Test(uuid, has_the_form_of_version_7)
{
	char id[IK_UUID_TEXT];

	ik_uuid_new(id);
	cr_assert_eq(strlen(id), 36);
	for (int i = 0; i < 36; i++) {
		if (i == 8 || i == 13 || i == 18 || i == 23)
			cr_assert_eq(id[i], '-');
		else
			cr_assert_not_null(strchr("0123456789abcdef", id[i]));
	}
	cr_assert_eq(id[14], '7');
	cr_assert_not_null(strchr("89ab", id[19]));
}

Test(uuid, tells_the_time)
{
	char id[IK_UUID_TEXT], digits[13] = "";
	long long milliseconds;

	ik_uuid_new(id);
	memcpy(digits, id, 8);
	memcpy(digits + 8, id + 9, 4);
	milliseconds = strtoll(digits, NULL, 16);
	cr_assert_leq(llabs(milliseconds / 1000 - (long long)time(NULL)), 1);
}

Test(uuid, each_is_above_the_last)
{
	char last[IK_UUID_TEXT] = "", id[IK_UUID_TEXT];

	for (int i = 0; i < 100000; i++) {
		ik_uuid_new(id);
		cr_assert_gt(strcmp(id, last), 0);
		memcpy(last, id, sizeof(id));
	}
}
