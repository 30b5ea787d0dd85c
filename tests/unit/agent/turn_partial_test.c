#include "turn_driver.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

/* Note what is to be kept. */
static void note(void *arg, struct ik_message *message)
{
	ik_buf_printf(arg, "%s:%s%s ", ik_kind_name(message->kind), message->content,
		message->data ? "..." : "");
}

/* What has begun of a reply behind a script, with the ids that it had when it was looked at before. */
static void expect_begun(struct driver *driver, const char *script, const char *wanted)
{
	struct ik_buf begun;

	driver_script(driver, script);
	ik_buf_init(&begun, 4096);
	ik_turn_partial_reply(driver->turn, note, &begun);
	cr_assert_str_eq(begun.data, wanted, "%s: %s", script, begun.data);
	cr_assert_eq(ik_turn_has_partial_reply(driver->turn), begun.length > 0, "%s", script);
	ik_buf_done(&begun);
}

Test(turn_partial, says_what_has_begun)
{
	struct driver *driver = driver_new(4, 50, false);

	expect_begun(driver, "T u:hi", "");
	expect_begun(driver, "k:hm", "thinking:hm ");
	expect_begun(driver, "x:a", "thinking:hm assistant:a... ");
	expect_begun(driver, "x:b c0:A:glob a0:{\"pat", "thinking:hm assistant:ab... ");
	expect_begun(driver, "C", "");
	driver_free(driver);
}

static void take_id(void *arg, struct ik_message *message)
{
	memcpy(arg, message->id, sizeof(message->id));
}

Test(turn_partial, what_has_begun_is_appended_with_the_same_id)
{
	struct driver *driver = driver_new(4, 50, false);
	char before[IK_UUID_TEXT] = "", later[IK_UUID_TEXT] = "";

	driver_script(driver, "T u:hi x:a");
	ik_turn_partial_reply(driver->turn, take_id, before);
	driver_script(driver, "x:b");
	ik_turn_partial_reply(driver->turn, take_id, later);
	cr_assert_neq(before[0], '\0');
	cr_assert_str_eq(before, later);
	driver_script(driver, ".");
	cr_assert_str_eq(driver->said, before);
	driver_free(driver);
}
