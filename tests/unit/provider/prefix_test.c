#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"

TestSuite(prefix, .init = asking_begin, .fini = asking_end);

/* One round of a long conversation: a user's word, or thinking, text, calls. */
static void say_round(int round)
{
	char id[32];

	if (round % 4 == 0) {
		say(IK_KIND_USER, "go on");
		return;
	}
	say(IK_KIND_THINKING, "hm");
	say(IK_KIND_ASSISTANT, round % 2 ? "Text." : "");
	for (int at = 0; round % 4 < 3 && at < 2; at++) {
		snprintf(id, sizeof id, "c%d_%d", round, at);
		call(id, "one", "{\"n\":1}");
	}
	for (int at = 1; round % 4 < 3 && at >= 0; at--) {
		snprintf(id, sizeof id, "c%d_%d", round, at);
		result(id, "{}");
	}
	say(IK_KIND_USAGE, "");
}

/* Providers recognise by its first bytes what they have read before. */
static void assert_prefixes(const char *type, const char *messages)
{
	struct ik_tool_definition tool = { "one", "First", { NULL, 0 } };
	struct ik_request request = { .model = "m", .system_prompt = "s", .conversation = conversation,
		.tools = &tool, .tool_count = 1 };
	char *before = NULL;

	for (int round = 0; round < 20; round++) {
		say_round(round);
		request.forbid_calls = round == 11;
		char *body = body_of(type, &request);
		if (before) {
			struct ik_json_span value;
			cr_assert_eq(ik_json_check(before, strlen(before), &value, NULL), IK_OK);
			value = ik_json_member(value, messages);
			/* All but the brackets that end the list, and the message in it. */
			size_t same = (size_t)(value.text + value.length - before);
			while (before[same - 1] == ']' || before[same - 1] == '}')
				same--;
			cr_assert(same > 100);
			cr_assert_eq(strncmp(before, body, same), 0, "%s\n%s", before, body);
		}
		free(before);
		before = body;
	}
	free(before);
}

Test(prefix, chat_requests_begin_like_the_one_before)
{
	assert_prefixes("openai-chat", "messages");
}

Test(prefix, responses_requests_begin_like_the_one_before)
{
	assert_prefixes("openai-responses", "input");
}

Test(prefix, google_requests_begin_like_the_one_before)
{
	assert_prefixes("google", "contents");
}

/* After a summary nothing of what came before it is sent, whatever it was. */
static void assert_summarised(const char *type, const char *messages)
{
	struct ik_request request = { .model = "m", .conversation = conversation };

	say(IK_KIND_USER, "long ago");
	call("old", "one", "{}");
	say(IK_KIND_ASSISTANT, "so it was");
	give(ik_message_summary(ik_message_command("/compact", "told"), NULL, "In \"short\".", 11));
	result("old", "{}");
	say(IK_KIND_USER, "now");
	call("new", "one", "{}");
	result("new", "{}");
	char *body = body_of(type, &request);
	cr_assert_not_null(strstr(body, "In \\\"short\\\"."), "%s", body);
	cr_assert_not_null(strstr(body, "now"));
	cr_assert_null(strstr(body, "long ago"), "%s", body);
	cr_assert_null(strstr(body, "\"old\""), "%s", body);
	free(body);
	assert_prefixes(type, messages);
}

Test(prefix, of_a_summary)
{
	static const char *const wires[][2] = { { "openai-chat", "messages" },
		{ "openai-responses", "input" }, { "google", "contents" } };

	for (size_t i = 0; i < sizeof wires / sizeof *wires; i++) {
		asking_end();
		asking_begin();
		assert_summarised(wires[i][0], wires[i][1]);
	}
}

/* In the middle of a turn the summary leaves what was asked, and the newest rounds, whose thinking is
 * bound to what came before it. */
Test(prefix, of_a_summary_within_a_turn)
{
	static const char *const types[] = { "openai-chat", "openai-responses", "google", "anthropic" };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct ik_endpoint endpoint = { .provider = "far", .base_url = "http://x" };
		struct ik_request request = { .model = "claude-opus-5-5", .endpoint = &endpoint };
		char *body;

		asking_end();
		asking_begin();
		tell("uearlier|ugoal|Khm|ca:{}|ra:first|Kmore|Rmore|cb:{}|rb:second|~5short|Knew|cd:{}|rd:third");
		for (size_t at = 0; at < ik_conversation_count(conversation); at++)
			ik_conversation_at(conversation, at)->time_ms = 1000 + (int64_t)at;
		request.conversation = conversation;
		body = body_of(types[i], &request);
		const char *summary = strstr(body, "short"), *goal = strstr(body, "goal"),
			*second = strstr(body, "second"), *third = strstr(body, "third");
		cr_assert(summary && summary < goal && goal < second && second < third, "%s", body);
		cr_assert_null(strstr(goal + 1, "goal"));
		cr_assert_null(strstr(body, "earlier"), "%s", body);
		cr_assert_null(strstr(body, "first"), "%s", body);
		cr_assert_null(strstr(body, "more"), "%s", body);
		/* It was undone: all of it is sent. */
		give(ik_message_with(ik_message_command("/undo compact", "told"), "summary", "null", 4));
		free(body);
		body = body_of(types[i], &request);
		cr_assert_null(strstr(body, "short"), "%s", body);
		cr_assert(strstr(body, "earlier") && strstr(body, "first") && strstr(body, "third"));
		free(body);
	}
}

Test(prefix, of_a_summary_for_anthropic)
{
	struct ik_request request = { .model = "m", .conversation = conversation };

	say(IK_KIND_USER, "long ago");
	say(IK_KIND_ASSISTANT, "so it was");
	give(ik_message_summary(ik_message_command("/compact", "told"), NULL, "short", 5));
	say(IK_KIND_USER, "now");
	assert_member("anthropic", &request, "messages.0.role", "\"user\"");
	char *body = body_of("anthropic", &request);
	cr_assert_not_null(strstr(body, "short"), "%s", body);
	cr_assert_null(strstr(body, "long ago"), "%s", body);
	free(body);
}
