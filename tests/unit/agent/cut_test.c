/*
 * A long turn, in each wire format, that is cut at each of its events (by a cancel, or
 * by the death of the program), and what is asked next: of the same provider, and of
 * each other one.  What any service would refuse is a failure.
 */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "stage.h"
#include "tests/net/speech.h"
#include "tests/support/request_rules.h"
#include "util/alloc.h"
#include "provider/formats.h"
#include "provider/models.h"
#include "util/limits.h"

TestSuite(cut, .init = stage_set_up, .fini = stage_tear_down);

static const char *const types[] = { "openai-chat", "openai-responses", "anthropic", "google" };
#define TYPE_COUNT (sizeof types / sizeof *types)

#define ROUNDS 3
/* What is said after a cut. */
#define OK ROUNDS
#define REPLY_CHUNKS (sizeof ((struct stage_reply *)NULL)->chunks / sizeof(char *))

/* The answers of a provider: the rounds of the turn, then one that is good for anything. */
static struct stage_reply replies[TYPE_COUNT][ROUNDS + 1];
/* How many of the stage's requests were held to the rules. */
static size_t judged;

/* ---- what the providers say ---- */

/* What out holds is the next chunk. */
static void add_chunk(struct stage_reply *reply, struct ik_buf *out)
{
	size_t count = 0;

	if (!out->length)
		return;
	while (reply->chunks[count])
		count++;
	cr_assert_lt(count + 1, REPLY_CHUNKS);
	reply->chunks[count] = ik_buf_take(out, NULL);
}

/* A reply word by word: "k" thinks, "t" says, "cN" begins call N, "aN" goes on with its
 * arguments, "." ends it. */
static void make_reply(struct stage_reply *reply, const char *type, const char *ids,
	const char *const *words)
{
	struct speech speech;
	struct ik_buf out;
	enum wire wire;

	cr_assert(speech_wire(type, &wire));
	speech_init(&speech, wire);
	ik_buf_init(&out, IK_LIMIT_REPLY);
	for (; *words; words++) {
		const char *text = *words + 2;
		int64_t number = (*words)[1] - '0';
		char *id = ik_format("%s%d", ids, (int)number);

		switch ((*words)[0]) {
		case 'k':
		case 't':
			speech_text(&speech, (*words)[0], text, strlen(text), &out);
			break;
		case 'c':
			speech_call(&speech, number, id, text, "", &out);
			break;
		case 'a':
			speech_arguments(&speech, number, text, &out);
			break;
		default:
			speech_finish(&speech, text, &out);
			add_chunk(reply, &out);
			speech_usage(&speech, 10, 5, &out);
			add_chunk(reply, &out);
			speech_end(&speech, &out);
			break;
		}
		add_chunk(reply, &out);
		free(id);
	}
	ik_buf_done(&out);
}

static void make_replies(void)
{
	static const char *const first[] = { "k:I should ", "k:look.", "t:Let me ", "t:look.", "c0one",
		"a0{\"te", "c1two", "a1{\"text\":", "a0xt\":\"a\"}", "a1\"b\"}", ".:tool_calls", NULL };
	/* Google has no pieces of calls. */
	static const char *const whole[] = { "k:I should ", "k:look.", "t:Let me ", "t:look.", "c0one",
		"a0{\"text\":\"a\"}", "c1two", "a1{\"text\":\"b\"}", ".:tool_calls", NULL };
	static const char *const second[] = { "k:Once more.", "c0one", "a0{\"text\":\"c\"}",
		".:tool_calls", NULL };
	static const char *const third[] = { "k:Now I ", "k:know.", "t:It is ", "t:done.", ".:stop",
		NULL };
	static const char *const ok[] = { "t:Yes.", ".:stop", NULL };

	for (size_t at = 0; at < TYPE_COUNT; at++) {
		make_reply(&replies[at][0], types[at], "one.", at == 3 ? whole : first);
		make_reply(&replies[at][1], types[at], "two.", second);
		make_reply(&replies[at][2], types[at], "three.", third);
		make_reply(&replies[at][OK], types[at], "four.", ok);
	}
}

static void free_replies(void)
{
	for (size_t at = 0; at < TYPE_COUNT; at++) {
		for (size_t round = 0; round <= OK; round++) {
			for (size_t chunk = 0; replies[at][round].chunks[chunk]; chunk++)
				free((char *)replies[at][round].chunks[chunk]);
		}
	}
}

/* ---- asking ---- */

static void set_model(size_t type)
{
	char *url = ik_format("http://127.0.0.1:%d/v1", raw_server_port(stage.server));
	char *name = ik_format("far-%s", types[type]);
	const struct ik_model_rules no_rules = { NULL, NULL };
	const char *model = type == 3 ? "gemini-3-pro" : type == 2 ? "claude-sonnet-4-5" : "gpt-5";

	stage_use_model(&(struct ik_model){
		.format = ik_wire_format_find(types[type]),
		.endpoint = { .provider = name, .base_url = url, .api_key = "k", .key_variable = "K" },
		.name = model, .thinking = IK_THINKING_HIGH,
		.facts = ik_model_facts(&no_rules, model, types[type]),
	});
	free(url);
	free(name);
}

/* Hold what was requested since the last time to the rules of the format that is asked now. */
static void judge(size_t type, const char *when, int cut)
{
	for (; judged < stage.request_count; judged++) {
		const char *body = stage.requests[judged];
		char *violation = request_violation(types[type], type == 3 ? "gemini-3-pro" : NULL, body,
			strlen(body));

		cr_expect_null(violation, "%s, %s at %d: %s\n%s", types[type], when, cut, violation, body);
		free(violation);
	}
}

static void forget_requests(void)
{
	while (stage.request_count > 0)
		free(stage.requests[--stage.request_count]);
	judged = 0;
}

/* Ask one of them something, and get an answer. */
static const char *ask(size_t type, const char *when, int cut)
{
	set_model(type);
	stage.replies = &replies[type][OK];
	stage_submit("go on");
	stage_run_until(IK_EVENT_TURN_DONE);
	judge(type, when, cut);
	return stage.requests[stage.request_count - 1];
}

/* Go on with the same provider, then with each other, then with the first again. What only
 * that one understands is for none of the others. Returns whether it has been sent something. */
static bool ask_all(size_t first, const char *when, int cut)
{
	bool sealed = strstr(ask(first, when, cut), "sealed") != NULL, again;

	for (size_t step = 1; step < TYPE_COUNT; step++) {
		const char *body = ask((first + step) % TYPE_COUNT, when, cut);

		cr_expect_null(strstr(body, "sealed"), "%s, after %s, %s at %d\n%s",
			types[(first + step) % TYPE_COUNT], types[first], when, cut, body);
	}
	again = strstr(ask(first, when, cut), "sealed") != NULL;
	cr_expect_eq(again, sealed, "%s, %s at %d", types[first], when, cut);
	return sealed;
}

/* ---- cuts ---- */

static int events_left;

static void cancel_in_time(const struct ik_event *event)
{
	if (--events_left == 0)
		ik_session_cancel(stage.session);
}

static void begin_session(size_t type)
{
	stage.session = ik_session_close(stage.session);
	forget_requests();
	stage_make_session();
	ik_session_set_registry(stage.session, ik_discovery_registry(stage.discovery), true);
	ik_buf_clear(&stage.log);
	set_model(type);
	stage.replies = replies[type];
}

static void open_stage(void)
{
	stage_tool("one", "cat >/dev/null\necho '{\"n\":1}'");
	stage_tool("two", "cat >/dev/null\necho two");
	make_replies();
	stage_open(replies[0]);
}

/* The whole turn, or up to its event number cut. False: it has fewer. */
static bool run_turn(size_t type, int cut)
{
	begin_session(type);
	events_left = cut;
	stage.on_event = cancel_in_time;
	stage_submit("first");
	if (ik_session_busy(stage.session)) /* not cancelled at the first events */
		stage_run_until(IK_EVENT_TURN_DONE);
	stage.on_event = NULL;
	judge(type, "in the turn", cut);
	return events_left <= 0;
}

static void cancel_at_each_event(size_t type)
{
	bool sealed = false;
	int cut = 1;

	open_stage();
	for (;; cut++) {
		bool over = !run_turn(type, cut);

		sealed = ask_all(type, "cancelled", cut);
		if (over)
			break;
	}
	/* As many cuts as the turn has to say, and in the end all of it was sent back. */
	cr_expect_gt(cut, 40);
	cr_expect_eq(sealed, type != 0);
	free_replies();
}

Test(cut, cancel_after_each_event_of_chat) { cancel_at_each_event(0); }
Test(cut, cancel_after_each_event_of_responses) { cancel_at_each_event(1); }
Test(cut, cancel_after_each_event_of_anthropic) { cancel_at_each_event(2); }
Test(cut, cancel_after_each_event_of_google) { cancel_at_each_event(3); }

/* Another session that has only the first count of these events, as a kill leaves them. */
static void restore(struct ik_message **messages, size_t count)
{
	char id[IK_UUID_TEXT];

	ik_uuid_new(id);
	ik_store_begin(stage.store, id, stage.directory);
	for (size_t at = 0; at < count; at++) {
		struct ik_message *message = ik_message_new(messages[at]->kind, messages[at]->content,
			messages[at]->content_length, messages[at]->data, messages[at]->data_length);

		ik_store_append(stage.store, id, message);
		ik_message_unref(message);
	}
	ik_session_restore(stage.session, &(struct ik_restoring){ .id = id });
}

/* Have it summarised. */
static void compact(size_t type, int cut)
{
	set_model(type);
	stage.replies = &replies[type][OK];
	ik_session_compact(stage.session, "/compact", "");
	cr_assert(ik_session_busy(stage.session));
	stage_run_until(IK_EVENT_MESSAGE);
	cr_assert_not(ik_session_busy(stage.session));
	judge(type, "a summary", cut);
}

static void kill_at_each_event(size_t type)
{
	const struct ik_conversation *whole;
	struct ik_message *messages[40];
	size_t count;

	open_stage();
	run_turn(type, 0);
	whole = ik_session_conversation(stage.session);
	count = ik_conversation_count(whole);
	cr_assert(count > 12 && count <= sizeof messages / sizeof *messages);
	for (size_t at = 0; at < count; at++)
		messages[at] = ik_message_ref(ik_conversation_at(whole, at));
	for (size_t cut = 1; cut <= count; cut++) {
		begin_session(type);
		restore(messages, cut);
		ask_all(type, "killed", (int)cut);
		compact(type, (int)cut);
		ask_all(type, "killed and summarised", (int)cut);
	}
	for (size_t at = 0; at < count; at++)
		ik_message_unref(messages[at]);
	free_replies();
}

Test(cut, kill_after_each_event_of_chat) { kill_at_each_event(0); }
Test(cut, kill_after_each_event_of_responses) { kill_at_each_event(1); }
Test(cut, kill_after_each_event_of_anthropic) { kill_at_each_event(2); }
Test(cut, kill_after_each_event_of_google) { kill_at_each_event(3); }
