#include "conversation/pairing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

/* Append and give the reference away. */
static struct ik_message *give(struct ik_conversation *conversation, struct ik_message *message)
{
	ik_conversation_append(conversation, message);
	ik_message_unref(message);
	return message;
}

static struct ik_message *say(const char *text)
{
	return ik_message_new(IK_KIND_USER, text, strlen(text), NULL, 0);
}

static struct ik_message *call(const char *id)
{
	return ik_message_tool_call(id, "glob", "{}", 2, "glob");
}

static struct ik_message *result(const char *id)
{
	return ik_message_tool_result(id, "glob", "{\"tool_success\":true,\"result\":1}", 32, true, 1,
		NULL);
}

Test(conversation, keeps_order_while_it_grows_on_both_sides)
{
	struct ik_conversation *conversation = ik_conversation_new();
	char text[16];

	for (int number = 500; number < 1000; number++) {
		snprintf(text, sizeof text, "%d", number);
		give(conversation, say(text));
	}
	for (int page = 9; page >= 0; page--) {
		struct ik_message *messages[50];
		for (int at = 0; at < 50; at++) {
			snprintf(text, sizeof text, "%d", page * 50 + at);
			messages[at] = say(text);
		}
		ik_conversation_prepend(conversation, messages, 50);
		for (int at = 0; at < 50; at++)
			ik_message_unref(messages[at]);
		snprintf(text, sizeof text, "%d", 1000 + 9 - page);
		give(conversation, say(text));
	}
	ik_conversation_prepend(conversation, NULL, 0);
	cr_assert_eq(ik_conversation_count(conversation), 1010);
	for (size_t index = 0; index < 1010; index++) {
		snprintf(text, sizeof text, "%zu", index);
		cr_assert_str_eq(ik_conversation_at(conversation, index)->content, text);
	}
	cr_assert_null(ik_conversation_free(conversation));
	cr_assert_null(ik_conversation_free(NULL));
}

static struct ik_message *sum_up(const char *text)
{
	return ik_message_summary(ik_message_command("/compact", "told"), NULL, text, strlen(text));
}

static struct ik_message *undo(void)
{
	return ik_message_with(ik_message_command("/undo compact", "told"), "summary", "null", 4);
}

/* Return the text of the summary that replaces something; "": there is none. */
static const char *summary_of(const struct ik_conversation *conversation)
{
	static char text[16];
	size_t index = SIZE_MAX;
	const struct ik_message *message = ik_conversation_summary(conversation, &index);

	if (!message)
		return "";
	cr_assert_eq(ik_conversation_at(conversation, index), message);
	cr_assert_eq(ik_conversation_first(conversation), index + 1);
	snprintf(text, sizeof text, "%.1s",
		ik_json_member(ik_message_data(message), "summary").text + 1);
	return text;
}

/* Each undo is of the newest summary that was not undone, in whatever pages they are read. */
Test(conversation, knows_which_summaries_were_undone)
{
	static const char order[] = "x1x-x2-x3x4--x5-x";
	static const char *const wanted[] = { "", "1", "1", "", "", "2", "", "", "3", "3", "4", "3", "",
		"", "5", "", "" };
	size_t count = strlen(order);
	struct ik_message *all[sizeof order];
	struct ik_conversation *conversation = ik_conversation_new();

	for (size_t i = 0; i < count; i++) {
		char text[2] = { order[i], '\0' };

		all[i] = order[i] == 'x' ? say(text) : order[i] == '-' ? undo() : sum_up(text);
		ik_conversation_append(conversation, all[i]);
		cr_assert_str_eq(summary_of(conversation), wanted[i], "%zu", i);
		cr_assert_eq(ik_conversation_is_restored(conversation),
			i > 0 && (order[i] == '-' || (order[i] == 'x' && order[i - 1] == '-')));
	}
	ik_conversation_free(conversation);
	/* Every beginning, its newer part first, then the older one, message by message. */
	for (size_t end = 1; end <= count; end++) {
		for (size_t from = 0; from < end; from++) {
			conversation = ik_conversation_new();
			ik_conversation_prepend(conversation, all + from, end - from);
			for (size_t i = from; i-- > 0;)
				ik_conversation_prepend(conversation, all + i, 1);
			cr_assert_str_eq(summary_of(conversation), wanted[end - 1], "%zu %zu", from, end);
			ik_conversation_free(conversation);
		}
	}
	for (size_t i = 0; i < count; i++)
		ik_message_unref(all[i]);
}

Test(conversation, pairs_by_id_not_by_place)
{
	struct ik_conversation *conversation = ik_conversation_new();
	size_t *pairs;

	give(conversation, result("a")); /* 0: before any call: nobody's */
	give(conversation, call("a"));   /* 1 */
	give(conversation, call("b"));   /* 2 */
	give(conversation, say("x"));    /* 3 */
	give(conversation, result("b")); /* 4 */
	give(conversation, call("a"));   /* 5: the id once more */
	give(conversation, result("a")); /* 6: of 1 */
	give(conversation, result("a")); /* 7: of 5 */
	give(conversation, result("a")); /* 8: one too many */
	give(conversation, call("c"));   /* 9: never answered */

	static const size_t wanted[] = { IK_UNPAIRED, 6, 4, IK_UNPAIRED, 2, 7, 1, 5, IK_UNPAIRED,
		IK_UNPAIRED };
	pairs = ik_pairing_new(conversation, 0);
	for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++)
		cr_assert_eq(pairs[index], wanted[index], "at %zu", index);
	free(pairs);

	/* Of what is before its beginning it knows nothing. */
	pairs = ik_pairing_new(conversation, 5);
	cr_assert_eq(pairs[5], 6);
	cr_assert_eq(pairs[7], IK_UNPAIRED);
	cr_assert_eq(pairs[9], IK_UNPAIRED);
	free(pairs);
	ik_conversation_free(conversation);
}

Test(conversation, mends_what_a_crash_left)
{
	struct ik_conversation *conversation = ik_conversation_new();

	cr_assert_eq(ik_pairing_complete(conversation), 0);
	give(conversation, call("a"));
	give(conversation, call("b"));
	give(conversation, call("c"));
	give(conversation, result("b"));
	cr_assert_eq(ik_pairing_complete(conversation), 2);
	cr_assert_eq(ik_conversation_count(conversation), 6);
	cr_assert_str_eq(ik_conversation_at(conversation, 4)->call_id, "a");
	cr_assert_str_eq(ik_conversation_at(conversation, 5)->call_id, "c");
	cr_assert_eq(ik_conversation_at(conversation, 4)->kind, IK_KIND_TOOL_RESULT);

	char *envelope = ik_message_envelope(ik_conversation_at(conversation, 4), NULL);
	struct ik_json_span value;
	bool success = true;
	cr_assert_eq(ik_json_check(envelope, strlen(envelope), &value, NULL), IK_OK);
	cr_assert(ik_json_bool(ik_json_member(value, "tool_success"), &success));
	cr_assert_not(success);
	cr_assert(ik_json_string_is(ik_json_member(value, "error_code"), "TOOL_CANCELLED"));
	free(envelope);

	cr_assert_eq(ik_pairing_complete(conversation), 0);
	ik_conversation_free(conversation);
}
