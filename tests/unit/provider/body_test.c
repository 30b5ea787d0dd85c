#include "provider/wire/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "provider/formats.h"
#include "util/limits.h"

TestSuite(body, .init = asking_begin, .fini = asking_end);

#define KEPT IK_MIB(1)

static const char *const wires[] = { "openai-chat", "openai-responses", "anthropic", "google" };
#define WIRES (sizeof wires / sizeof *wires)

/* The same numbers in every run. */
static unsigned state;

static unsigned any(unsigned below)
{
	state = state * 1103515245u + 12345u;
	return (state >> 16) % below;
}

/* Spell the body, so much at a time, and read it in pieces of any size. */
static char *read_body(struct ik_body *body, const char *type, const struct ik_request *request,
	size_t step, size_t *ret_length)
{
	struct ik_error error;
	size_t length = 0, at = 0;

	ik_body_begin(body, ik_wire_format_find(type), request);
	while (!ik_body_go_on(body, step))
		cr_assert(ik_body_percent(body) <= 100);
	cr_assert_eq(ik_body_length(body, &length, &error), IK_OK);
	char *all = malloc(length + 1);
	while (at < length) {
		size_t got = ik_body_read(body, at, all + at, 1 + any(5000));
		cr_assert_gt(got, 0);
		at += got;
	}
	cr_assert_eq(ik_body_read(body, at, all, 1), 0, "it goes on behind its end");
	all[at] = '\0';
	*ret_length = at;
	return all;
}

/* The body is what is made all at once, also when it is read a second time. */
static void assert_same(struct ik_body *body, const char *type, const struct ik_request *request,
	size_t step)
{
	struct ik_buf whole;
	struct ik_error error;
	size_t length;
	char *got = read_body(body, type, request, step, &length);
	char again[200];

	ik_buf_init(&whole, IK_LIMIT_REQUEST);
	cr_assert_eq(ik_request_serialize(ik_wire_format_find(type), request, &whole, &error), IK_OK);
	cr_assert_eq(length, whole.length, "%s: %zu bytes for %zu:\n%.2000s\n%.2000s", type, length,
		whole.length, got, whole.data);
	cr_assert_eq(memcmp(got, whole.data, length), 0, "%s:\n%.2000s\n%.2000s", type, got,
		whole.data);
	size_t at = any((unsigned)length), some = ik_body_read(body, at, again, sizeof again);
	cr_assert_eq(memcmp(again, got + at, some), 0);
	free(got);
	ik_buf_done(&whole);
}

/* Append a text of that many words. */
static void say_words(enum ik_kind kind, unsigned words)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_MIB(4));
	for (unsigned index = 0; index < words; index++)
		ik_buf_puts(&text, any(4) ? "words " : "\"q\"\n\xc3\xa4 ");
	give(ik_message_new(kind, text.data, text.length, NULL, 0));
	ik_buf_done(&text);
}

/* Append anything that can be in a conversation, in any order. */
static void say_anything(const char *type, unsigned words)
{
	char id[16];

	snprintf(id, sizeof id, "c%u", any(6));
	switch (any(14)) {
	case 0:
	case 1:
		say_words(IK_KIND_USER, any(words));
		break;
	case 2:
	case 3:
		say_words(IK_KIND_ASSISTANT, any(words));
		break;
	case 4:
	case 5:
		call(id, "one", any(2) ? "{\"n\":1}" : "{");
		break;
	case 6:
	case 7:
	case 8:
		result(id, "{\"a\":1}");
		break;
	case 9:
		say(IK_KIND_THINKING, "hm");
		break;
	case 10:
		give_opaque(ik_message_new(IK_KIND_THINKING, "h", 1, NULL, 0), "p", type,
			"{\"signature\":\"s\"}");
		break;
	case 11:
		say(any(2) ? IK_KIND_USAGE : IK_KIND_NOTICE, "x");
		break;
	case 12:
		say(any(8) ? IK_KIND_COMMAND : IK_KIND_SYSTEM, any(2) ? "y" : "");
		break;
	default:
		if (any(8) == 0)
			give(ik_message_summary("/compact", "told", 4, "In short.", 9));
	}
}

/* A round as it happens: a word, thinking, a text, calls and their results. */
static void say_round(const char *type, unsigned round, unsigned words)
{
	char id[32];
	unsigned calls = any(4);

	if (any(2))
		say_words(IK_KIND_USER, any(words) + 1);
	give_opaque(ik_message_new(IK_KIND_THINKING, "h", 1, NULL, 0), "p", type,
		"{\"signature\":\"s\",\"thoughtSignature\":\"t\"}");
	if (any(2))
		say_words(IK_KIND_ASSISTANT, any(words));
	for (unsigned index = 0; index < calls; index++) {
		snprintf(id, sizeof id, "r%u_%u", round, index);
		call(id, "one", "{}");
	}
	for (unsigned index = 0; index < calls; index++) {
		snprintf(id, sizeof id, "r%u_%u", round, index);
		result(id, "{\"tool_success\":true,\"result\":1}");
	}
	say(IK_KIND_USAGE, "");
}

#define SCHEMA "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}"

static struct ik_tool_definition tools[] = {
	{ .name = "one", .description = "First", .parameters = { SCHEMA, sizeof SCHEMA - 1 } },
	{ .name = "two" },
};

Test(body, is_what_is_made_at_once_whatever_is_said)
{
	struct ik_endpoint endpoint = { .provider = "p", .strict_tools = true };

	for (size_t wire = 0; wire < WIRES; wire++) {
		for (unsigned seed = 1; seed <= 60; seed++) {
			struct ik_request request = { .model = "gemini-3", .endpoint = &endpoint,
				.system_prompt = "s", .tools = tools, .tool_count = 2 };
			struct ik_body *body = ik_body_new(KEPT);
			asking_end();
			asking_begin();
			request.conversation = conversation;
			state = seed;
			for (unsigned step = 0; step < 30; step++) {
				for (unsigned left = any(5); left; left--)
					say_anything(wires[wire], 8);
				assert_same(body, wires[wire], &request, any(300));
			}
			ik_body_free(body);
		}
	}
}

Test(body, goes_on_through_blocks_that_are_not_kept)
{
	struct ik_request request = { .model = "m", .system_prompt = "s", .tools = tools,
		.tool_count = 2 };

	for (size_t wire = 0; wire < WIRES; wire++) {
		/* None at all, some, all. */
		for (size_t kept = 0; kept <= IK_MIB(8); kept = kept * 4 + IK_KIB(500)) {
			struct ik_body *body = ik_body_new(kept);
			asking_end();
			asking_begin();
			request.conversation = conversation;
			state = 7;
			for (unsigned round = 0; round < 40; round++) {
				say_round(wires[wire], round, 20000);
				if (round % 8 == 0)
					assert_same(body, wires[wire], &request, IK_KIB(300));
				cr_assert_leq(ik_body_kept(body), kept + IK_KIB(600));
			}
			ik_body_free(body);
		}
	}
}

/* What a request says otherwise than the one before it. */
Test(body, follows_every_change)
{
	struct ik_endpoint endpoint = { .provider = "p" }, other = { .provider = "q" };
	struct ik_conversation *first = conversation;
	struct ik_body *body = ik_body_new(KEPT);

	for (unsigned round = 0; round < 200; round++) {
		struct ik_request request = { .model = any(4) ? "claude-sonnet-4-5" : "gemini-3-pro",
			.endpoint = any(4) ? &endpoint : any(2) ? &other : NULL,
			.system_prompt = any(4) ? "s" : any(2) ? "" : NULL, .tools = tools,
			.tool_count = any(3), .forbid_calls = any(2), .max_output_tokens = any(2) * 4000,
			.thinking = (enum ik_thinking)any(5) };
		struct ik_conversation *another = ik_conversation_new();

		endpoint.strict_tools = any(2);
		conversation = any(8) ? first : another;
		if (any(20) == 0)
			give(ik_message_summary("/compact", "told", 4, "In short.", 9));
		say_round(wires[round % 3], round, 20);
		request.conversation = conversation;
		assert_same(body, wires[any(3) ? 2 : any(WIRES)], &request, 1000);
		if (conversation == another) {
			/* What follows is another one, perhaps in the same place. */
			conversation = first;
		}
		ik_conversation_free(another);
	}
	conversation = first;
	ik_body_free(body);
}

Test(body, begins_anew_when_older_messages_come_in_front)
{
	struct ik_request request = { .model = "m", .conversation = conversation };
	struct ik_message *older = ik_message_new(IK_KIND_USER, "older", 5, NULL, 0);
	struct ik_body *body = ik_body_new(KEPT);

	say_round("openai-chat", 1, 20);
	assert_same(body, "openai-chat", &request, 10);
	ik_conversation_prepend(conversation, &older, 1);
	assert_same(body, "openai-chat", &request, 10);
	ik_message_unref(older);
	ik_body_free(body);
}

Test(body, does_not_spell_again_what_it_has)
{
	struct ik_request request = { .model = "m", .conversation = conversation };
	struct ik_body *body = ik_body_new(KEPT);
	size_t length;

	for (unsigned round = 0; round < 50; round++)
		say_round("anthropic", round, 20);
	free(read_body(body, "anthropic", &request, SIZE_MAX / 2, &length));
	for (unsigned round = 50; round < 60; round++) {
		say(IK_KIND_USER, "short");
		ik_body_begin(body, ik_wire_format_find("anthropic"), &request);
		/* All but the new one is there: one step of a byte is enough. */
		cr_assert(!ik_body_go_on(body, 1) || ik_body_percent(body) == 100);
		cr_assert_eq(ik_body_percent(body), 100);
		cr_assert(ik_body_go_on(body, 1));
	}
	ik_body_free(body);
}

Test(body, says_when_it_is_too_large)
{
	struct ik_request request = { .model = "m", .conversation = conversation };
	struct ik_body *body = ik_body_new(KEPT);
	size_t size = IK_MIB(8), length;
	struct ik_error error;
	char *text = malloc(size);

	memset(text, 'x', size);
	struct ik_message *message = ik_message_new(IK_KIND_USER, text, size, NULL, 0);
	for (int index = 0; index < 64; index++)
		give(ik_message_ref(message));
	ik_message_unref(message);
	free(text);
	ik_body_begin(body, ik_wire_format_find("google"), &request);
	while (!ik_body_go_on(body, 1))
		continue;
	cr_assert_eq(ik_body_length(body, &length, &error), IK_TOO_LARGE);
	cr_assert_not_null(strstr(error.text, "the request is larger than"), "%s", error.text);
	ik_body_free(body);
}
