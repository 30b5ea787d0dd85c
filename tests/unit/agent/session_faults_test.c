#include "agent/session/exchange.h"
#include "provider/formats.h"
#include "stage.h"

#include <string.h>

#include <criterion/criterion.h>

/* What a provider does wrong, and what the person is told of it. */
TestSuite(session_faults, .init = stage_set_up, .fini = stage_tear_down, .timeout = 60);

Test(session_faults, a_refused_key)
{
	static const struct stage_reply replies[] = {
		{ .status = 401, .content_type = "application/json",
		  .chunks = { "{\"error\":{\"message\":\"Incorrect API key provided: sk-secret\","
			"\"type\":\"invalid_request_error\",\"code\":\"invalid_api_key\"}}" } },
	};

	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.log.data, "error AUTH ");
	expect_in(stage.log.data, "TEST_API_KEY");
	expect_in(stage.log.data, "done error");
	cr_assert_null(strstr(stage.log.data, "sk-secret"));
	cr_assert_eq(stage.request_count, 1);
}

Test(session_faults, nobody_there)
{
	stage_open(NULL);
	stage_set_model(raw_server_port(stage.server));
	stage.server = raw_server_close(stage.server);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.log.data, "error CONNECT ");
	expect_in(stage.log.data, "127.0.0.1:");
	expect_in(stage.log.data, "base_url");
	cr_assert_null(strstr(stage.log.data, "retry"));
}

Test(session_faults, no_such_host_and_no_address)
{
	struct ik_endpoint endpoint = { .provider = "test", .base_url = "htp:/x" };

	stage_open(NULL);
	stage_use_model(&(struct ik_model){
		.format = ik_wire_format_find("openai-chat"), .endpoint = endpoint, .name = "m",
		.facts.price = IK_PRICE_UNKNOWN,
	});
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.log.data, "error CONNECT ");
}

Test(session_faults, a_server_that_dies_in_mid_reply)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("half a"), STAGE_BREAK } },
	};

	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.log.data, "+assistant half a\n");
	expect_in(stage.log.data, "error CONNECT ");
	expect_in(stage.log.data, "done error");
	cr_assert_str_eq(ik_conversation_at(ik_session_conversation(stage.session), 2)->data,
		"{\"interrupted\":true}");
}

Test(session_faults, a_stream_without_its_end)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("half a") } },
		{ .chunks = { TEXT("more"), STOP("stop") } },
	};

	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.log.data, "error CONNECT ");
	stage_submit("go on");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.log.data, "+assistant more");
	expect_in(stage.requests[1], "half a");
}

Test(session_faults, a_web_page)
{
	static const struct stage_reply replies[] = {
		{ .content_type = "text/html; charset=utf-8", .chunks = { "<html><body>Hello</body></html>" } },
	};

	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.log.data, "error BAD_RESPONSE ");
	expect_in(stage.log.data, "web page");
	expect_in(stage.log.data, "127.0.0.1");
}

Test(session_faults, an_error_with_a_status_of_success)
{
	static const struct stage_reply replies[] = {
		{ .content_type = "application/json",
		  .chunks = { "{\"error\":{\"message\":\"no such model\",\"type\":\"invalid_api_key\"}}" } },
		{ .chunks = { "garbage\n\n" } },
		{ .chunks = { NULL } },
		{ .chunks = { ": hello\n\n" } },
		{ .chunks = { TEXT("ok"), STOP("stop") } },
	};

	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_order(stage.log.data, (const char *const[]){ "error AUTH Provider ", ": no such model.", NULL });
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_order(stage.log.data, (const char *const[]){ "error BAD_RESPONSE", "garbage",
		NULL });
	/* A server that says nothing may say something the next time. */
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_order(stage.log.data, (const char *const[]){ "retry CONNECT", "retry CONNECT",
		"done end", NULL });
}

Test(session_faults, tries_again)
{
	static const struct stage_reply replies[] = {
		{ .status = 503, .content_type = "text/plain", .chunks = { "busy" } },
		{ .status = 429, .content_type = "application/json", .chunks = { "{}" } },
		{ .chunks = { TEXT("ok"), STOP("stop") } },
	};

	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	cr_assert_eq(stage.request_count, 3);
	expect_order(stage.log.data, (const char *const[]){ "retry PROVIDER", "retry RATE_LIMIT",
		"+assistant ok", "done end", NULL });
	cr_assert_str_eq(stage.requests[0], stage.requests[2]);
}

/* Before anything was seen of the reply; then after that. */
Test(session_faults, an_error_within_the_stream)
{
	static const char overloaded[] =
		"data: {\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}\n\n";
	static const struct stage_reply replies[] = {
		{ .chunks = { overloaded } },
		{ .chunks = { TEXT("half"), overloaded } },
		{ .chunks = { TEXT("not asked for"), STOP("stop") } },
	};

	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	cr_assert_eq(stage.request_count, 2);
	expect_order(stage.log.data, (const char *const[]){ "retry PROVIDER", "+assistant half",
		"error PROVIDER", "done error", NULL });
}

Test(session_faults, waits_grow_to_the_cap_and_heed_the_server)
{
	const struct ik_retry_options options = { .max = 2, .base_ms = 1000, .cap_ms = 1500 };

	for (uint32_t random = 0; random < UINT32_MAX - 12345678; random += 12345678) {
		int64_t first = ik_retry_wait(&options, 1, -1, random);
		int64_t second = ik_retry_wait(&options, 2, -1, random);

		cr_assert(first >= 500 && first <= 1000, "%lld", (long long)first);
		cr_assert(second >= 750 && second <= 1500, "%lld", (long long)second);
		cr_assert_eq(ik_retry_wait(&options, 1, 30000, random), 30000);
		cr_assert_eq(ik_retry_wait(&options, 3, -1, random), -1);
		cr_assert_eq(ik_retry_wait(&options, 1, 3600000, random), -1, "an hour is not waited");
	}
}

Test(session_faults, gives_up_trying)
{
	static const struct stage_reply replies[] = {
		{ .status = 500, .content_type = "text/plain", .chunks = { "no" } },
		{ .status = 500, .content_type = "text/plain", .chunks = { "no" } },
		{ .status = 500, .content_type = "text/plain", .chunks = { "no" } },
	};

	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.log.data, "error PROVIDER");
	cr_assert_eq(stage.request_count, 3);
}

Test(session_faults, silence_is_ended)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("one"), STAGE_HOLD } },
		{ .chunks = { ": a comment\n\n", STAGE_HOLD } },
	};

	stage.idle_timeout_ms = 1500;
	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_order(stage.log.data, (const char *const[]){ "+assistant one", "error TIMEOUT",
		"done error", NULL });
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_order(stage.log.data, (const char *const[]){ "error TIMEOUT", "error TIMEOUT", NULL });
}

Test(session_faults, without_a_model)
{
	struct ik_session_options options = {
		.loop = stage.loop, .http = stage.http, .store = stage.store, .directory = "/",
		.concurrency = 1, .max_tool_turns = 1,
	};

	stage_open(NULL);
	options.sink = stage.sink;
	ik_session_close(stage.session);
	stage.session = ik_session_new(&options);
	ik_session_set_registry(stage.session, ik_discovery_registry(stage.discovery), true);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.log.data, "error CONFIG ");
	expect_in(stage.log.data, "done error");
}

/* Close the session when it tells what is queued. */
static void close_when_queued(const struct ik_event *event)
{
	if (event->kind == IK_EVENT_QUEUED && event->round == 0)
		stage.session = ik_session_close(stage.session);
}

/* Whoever is told that a message is held since the summary failed may close the session. */
Test(session_faults, closed_while_a_summary_is_cancelled)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("Hello"), STOP("stop") } },
		{ .chunks = { STAGE_HOLD } },
	};

	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	ik_session_compact(stage.session, "/compact", "");
	stage_submit("meanwhile");
	stage.on_event = close_when_queued;
	ik_session_cancel(stage.session);
	cr_assert_null(stage.session);
	expect_in(stage.log.data, "+command /compact");
}
