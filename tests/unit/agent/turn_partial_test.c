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
	ik_turn_forget_effects(driver->turn);
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
	struct ik_input end = { .kind = IK_INPUT_STREAM_END };
	char before[IK_UUID_TEXT] = "", later[IK_UUID_TEXT] = "";
	const struct ik_effect *effects;
	size_t count, found = 0;

	driver_script(driver, "T u:hi x:a");
	ik_turn_forget_effects(driver->turn);
	ik_turn_partial_reply(driver->turn, take_id, before);
	driver_script(driver, "x:b");
	ik_turn_forget_effects(driver->turn);
	ik_turn_partial_reply(driver->turn, take_id, later);
	cr_assert_neq(before[0], '\0');
	cr_assert_str_eq(before, later);
	end.request = driver->request;
	count = ik_turn_step(driver->turn, &end, &effects);
	for (size_t i = 0; i < count; i++) {
		if (effects[i].kind != IK_EFFECT_APPEND || effects[i].message->kind != IK_KIND_ASSISTANT)
			continue;
		cr_assert_str_eq(effects[i].message->id, before);
		found++;
	}
	cr_assert_eq(found, 1);
	driver_free(driver);
}

Test(turn_partial, the_messages_of_a_step_that_is_being_performed_are_known)
{
	struct driver *driver = driver_new(4, 50, false);
	struct ik_input end = { .kind = IK_INPUT_STREAM_END };
	const struct ik_effect *effects;
	struct ik_buf pending;

	driver_script(driver, "T u:hi k:hm x:a");
	end.request = driver->request;
	cr_assert_geq(ik_turn_step(driver->turn, &end, &effects), 2);
	ik_buf_init(&pending, 4096);
	ik_turn_pending(driver->turn, note, &pending);
	cr_assert_str_eq(pending.data, "thinking:hm assistant:a ", "%s", pending.data);
	ik_turn_forget_effects(driver->turn);
	ik_buf_clear(&pending);
	ik_turn_pending(driver->turn, note, &pending);
	cr_assert_str_eq(pending.data, "", "%s", pending.data);
	ik_buf_done(&pending);
	driver_free(driver);
}
