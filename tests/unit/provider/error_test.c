#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "util/redact.h"

#include "provider/wire/format.h"
#include "util/clock.h"
#include "util/limits.h"

static const struct ik_endpoint openai = { .provider = "openai",
	.base_url = "https://api.openai.com/v1", .api_key = "sk-secret-0123456789",
	.key_variable = "OPENAI_API_KEY" };
static const struct ik_endpoint keyless = { .provider = "openai",
	.base_url = "https://api.openai.com/v1", .key_variable = "OPENAI_API_KEY" };
static const struct ik_endpoint local = { .provider = "local", .base_url = "http://localhost:1/v1" };

/* What the program knows of a failure besides the response. */
static const char *near;
static bool unattended;

/* Assert the sentence, the code and whether it may be tried again. */
static void assert_error(const struct ik_endpoint *endpoint, int status, const char *body,
	const char *sentence, const char *code, bool retryable)
{
	struct ik_buf out;
	struct ik_failure failure;
	ik_buf_init(&out, IK_KIB(64));

	/* Memory of just its size: a read beyond it is seen. */
	size_t length = strlen(body);
	char *copy = malloc(length ? length : 1);
	memcpy(copy, body, length);
	ik_provider_error(endpoint, status, copy, length, &out, &failure);
	free(copy);
	failure.near = near;
	failure.unattended = unattended;
	ik_provider_advise(endpoint, &failure, &out);
	cr_assert_str_eq(out.data, sentence);
	cr_assert_str_eq(ik_error_code_word(failure.code), code);
	cr_assert_eq(failure.retryable, retryable);
	ik_buf_done(&out);
}

Test(error, names_the_variable_of_the_key)
{
	const char *body = "{\"error\":{\"message\":\"Incorrect API key provided: sk-secret-0123456789.\","
		"\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"invalid_api_key\"}}";

	ik_secret_know(openai.api_key);
	assert_error(&openai, 401, body, "openai refused access (status 401): Incorrect API key "
		"provided: ***. Check the key in the environment variable OPENAI_API_KEY.", "AUTH", false);
	assert_error(&keyless, 401, "", "openai refused access (status 401). Put a key in the "
		"environment variable OPENAI_API_KEY.", "AUTH", false);
	assert_error(&local, 403, "forbidden", "local refused access (status 403): forbidden. "
		"Check the key for this server.", "AUTH", false);
	/* Google says it with another status. */
	assert_error(&openai, 400, "{\"error\":{\"code\":400,\"message\":\"API key not valid.\","
		"\"status\":\"INVALID_ARGUMENT\",\"details\":[{\"reason\":\"API_KEY_INVALID\"}]}}",
		"openai refused access (status 400): API key not valid. Check the key in the environment "
		"variable OPENAI_API_KEY.", "AUTH", false);
}

Test(error, reads_the_shapes_of_all_providers)
{
	assert_error(&openai, 404, "{\"type\":\"error\",\"error\":{\"type\":\"not_found_error\","
		"\"message\":\"model: x-9\"},\"request_id\":\"r\"}",
		"openai answered with status 404: model: x-9. Check the model's name and the base URL "
		"https://api.openai.com/v1.", "PROVIDER", false);

	near = "x-8, x-7";
	assert_error(&local, 404, "", "local answered with status 404 and no explanation. local has "
		"x-8, x-7; /model shows all.", "PROVIDER", false);
	unattended = true;
	assert_error(&local, 404, "", "local answered with status 404 and no explanation. local has "
		"x-8, x-7; 'ikigai model list' shows all.", "PROVIDER", false);
	near = NULL;
	unattended = false;
	assert_error(&local, 400, "{\"error\":{\"message\":\"Unsupported value\",\"code\":null}}",
		"local answered with status 400: Unsupported value.", "PROVIDER", false);
	assert_error(&local, 404, "{\"error\":\"model 'x' not found\"}",
		"local answered with status 404: model 'x' not found. Check the model's name and the "
		"base URL http://localhost:1/v1.", "PROVIDER", false);
	assert_error(&local, 400, "{\"object\":\"error\",\"message\":\"Bad.\",\"code\":40001}",
		"local answered with status 400: Bad.", "PROVIDER", false);
	assert_error(&local, 422, "{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"field required\"}]}",
		"local answered with status 422: field required.", "PROVIDER", false);
	assert_error(&local, 400, "[{\"error\":{\"code\":400,\"message\":\"In a list!\"}}]",
		"local answered with status 400: In a list!", "PROVIDER", false);
	assert_error(&local, 502, "{\"error\":{\"message\":\"Provider returned error\",\"code\":502,"
		"\"metadata\":{\"raw\":\"upstream is down\"}}}",
		"local answered with status 502: Provider returned error: upstream is down. The trouble "
		"is on the provider's side: try again later.", "PROVIDER", true);
}

Test(error, tells_limits_apart)
{
	assert_error(&openai, 429, "{\"error\":{\"message\":\"Slow.\",\"type\":\"tokens\","
		"\"code\":\"rate_limit_exceeded\"}}", "openai answered with status 429: Slow. That is the "
		"rate limit of your account: wait a moment.", "RATE_LIMIT", true);
	assert_error(&openai, 429, "{\"error\":{\"message\":\"No money.\",\"type\":\"insufficient_quota\","
		"\"code\":\"insufficient_quota\"}}", "openai answered with status 429: No money. Check "
		"your plan and billing with the provider.", "RATE_LIMIT", false);
	static const char advice[] = " The conversation is too long for this model: /compact "
		"replaces it by a summary, /new begins another, /model takes one with a larger context.";
	char sentence[400];
	snprintf(sentence, sizeof sentence, "openai answered with status 400: Your input exceeds the "
		"limit.%s", advice);
	assert_error(&openai, 400, "{\"error\":{\"message\":\"Your input exceeds the limit.\","
		"\"code\":\"context_length_exceeded\"}}", sentence, "CONTEXT", false);
	snprintf(sentence, sizeof sentence, "openai answered with status 400: Prompt is too long: "
		"3 > 2.%s", advice);
	assert_error(&openai, 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
		"\"message\":\"Prompt is too long: 3 > 2\"}}", sentence, "CONTEXT", false);
	snprintf(sentence, sizeof sentence, "openai answered with status 413 and no explanation.%s",
		advice);
	assert_error(&openai, 413, "", sentence, "CONTEXT", false);

	unattended = true;
	assert_error(&openai, 413, "", "openai answered with status 413 and no explanation. The "
		"conversation is too long for this model: without --resume another begins, --model takes "
		"one with a larger context, and in the chat /compact replaces it by a summary.",
		"CONTEXT", false);
}

Test(error, knows_what_may_be_tried_again)
{
	static const int again[] = { 408, 409, 429, 500, 502, 503, 504, 529 };
	static const int never[] = { 301, 400, 401, 403, 404, 405, 413, 422 };
	struct ik_buf out;
	struct ik_failure failure;
	ik_buf_init(&out, IK_KIB(64));

	for (size_t index = 0; index < sizeof again / sizeof *again; index++) {
		ik_provider_error(&local, again[index], "", 0, &out, &failure);
		cr_assert(failure.retryable, "%d", again[index]);
	}
	for (size_t index = 0; index < sizeof never / sizeof *never; index++) {
		ik_provider_error(&local, never[index], "", 0, &out, &failure);
		cr_assert_not(failure.retryable, "%d", never[index]);
	}
	ik_buf_done(&out);
}

Test(error, shows_pages_and_plain_text_in_words)
{
	assert_error(&local, 502, "\n<html><head><title>502 Bad Gateway</title></head><body>x</body>",
		"local answered with status 502 and a web page: 502 Bad Gateway. The trouble is on the "
		"provider's side: try again later.", "PROVIDER", true);
	assert_error(&local, 404, "<h1>Not\nFound</h1><p>here",
		"local answered with status 404 and no explanation. Is "
		"http://localhost:1/v1 the right base URL?", "PROVIDER", false);
	assert_error(&local, 405, "Method Not Allowed\n", "local answered with status 405: Method Not "
		"Allowed. Is http://localhost:1/v1 the right base URL?", "PROVIDER", false);
	assert_error(&local, 302, "", "local answered with status 302 and no explanation. Is "
		"http://localhost:1/v1 the right base URL?", "BAD_RESPONSE", false);
	assert_error(&local, 500, "", "local answered with status 500 and no explanation. The trouble "
		"is on the provider's side: try again later.", "PROVIDER", true);
	assert_error(&local, 400, "a\xff\x1b[31m\n\n b", "local answered with status 400: "
		"a\xef\xbf\xbd [31m b.", "PROVIDER", false);
	assert_error(&local, 400, "{\"error\":", "local answered with status 400: {\"error\":.",
		"PROVIDER", false);
}

Test(error, cuts_what_is_long)
{
	char *body = malloc(100001);
	struct ik_buf out;
	struct ik_failure failure;
	memset(body, 'x', 100000);
	body[100000] = '\0';

	ik_buf_init(&out, IK_KIB(64));
	ik_provider_error(&local, 400, body, 100000, &out, &failure);
	cr_assert_lt(out.length, 1000);
	cr_assert_not_null(strstr(out.data, "x\xe2\x80\xa6"));
	ik_buf_done(&out);
	free(body);
}

static int64_t retry_ms(const char *body)
{
	struct ik_failure failure;
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	ik_provider_error(&local, 429, body, strlen(body), &out, &failure);
	ik_buf_done(&out);
	return failure.retry_after_ms;
}

/* Google sends no Retry-After, and OpenAI says it in words. */
Test(error, knows_when_to_try_again)
{
	cr_assert_eq(retry_ms("{\"error\":{\"code\":429,\"message\":\"Quota.\",\"details\":[{\"@type\":"
		"\"type.googleapis.com/google.rpc.QuotaFailure\"},{\"@type\":\"type.googleapis.com/"
		"google.rpc.RetryInfo\",\"retryDelay\":\"47s\"}]}}"), 47000);
	cr_assert_eq(retry_ms("[{\"error\":{\"details\":[{\"retryDelay\":\"3.5s\"}]}}]"), 3500);
	cr_assert_eq(retry_ms("{\"error\":{\"message\":\"Rate limit reached. Please try again in "
		"1m12.5s. Visit\"}}"), 72500);
	cr_assert_eq(retry_ms("{\"error\":{\"message\":\"Please try again in 6ms.\"}}"), 6);
	cr_assert_eq(retry_ms("Please retry in 44.5s."), 44500);
	cr_assert_eq(retry_ms("Please retry in a while."), -1);
	cr_assert_eq(retry_ms("{\"error\":{\"message\":\"Slow.\"}}"), -1);
	cr_assert_eq(retry_ms(""), -1);
}

/* A time that is near the wait, whatever the clock did meanwhile. */
static void assert_wait(int64_t wait_ms)
{
	cr_assert_gt(wait_ms, 80000);
	cr_assert_leq(wait_ms, 90000);
}

Test(error, reads_when_a_limit_is_reset)
{
	int64_t later_ms = ik_clock_wall_ms() + 90000;
	char text[IK_CLOCK_TEXT];

	cr_assert_eq(ik_provider_reset_ms("0", "1s"), 1000);
	cr_assert_eq(ik_provider_reset_ms("0", "6m0s"), 360000);
	cr_assert_eq(ik_provider_reset_ms("0", "120ms"), 120);
	cr_assert_eq(ik_provider_reset_ms("0", "12"), 12000);
	cr_assert_eq(ik_provider_reset_ms("0", "0.5"), 500);
	snprintf(text, sizeof(text), "%lld", (long long)later_ms);
	assert_wait(ik_provider_reset_ms("0", text));
	snprintf(text, sizeof(text), "%lld", (long long)(later_ms / 1000));
	assert_wait(ik_provider_reset_ms("0", text));
	ik_clock_text(later_ms, text);
	assert_wait(ik_provider_reset_ms("0", text));

	cr_assert_eq(ik_provider_reset_ms("0", "2026-01-31T12:00:00Z"), -1);
	cr_assert_eq(ik_provider_reset_ms("0", "1769860800"), -1);
	cr_assert_eq(ik_provider_reset_ms("0", "1e300"), -1);
	cr_assert_eq(ik_provider_reset_ms("0", "nan"), -1);
	cr_assert_eq(ik_provider_reset_ms("0", "-1"), -1);
	cr_assert_eq(ik_provider_reset_ms("0", "soon"), -1);
	cr_assert_eq(ik_provider_reset_ms("0", NULL), -1);
	cr_assert_eq(ik_provider_reset_ms("1", "1s"), -1);
	cr_assert_eq(ik_provider_reset_ms("", "1s"), -1);
	cr_assert_eq(ik_provider_reset_ms(NULL, "1s"), -1);
}

Test(error, knows_money_from_speed)
{
	assert_error(&openai, 429, "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":"
		"\"Spent.\",\"details\":{\"error_code\":\"enforced_spend_limit_reached\"}}}",
		"openai answered with status 429: Spent. Check your plan and billing with the provider.",
		"RATE_LIMIT", false);
	assert_error(&openai, 400, "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Your credit "
		"balance is too low to access the API.\"}}", "openai answered with status 400: Your credit "
		"balance is too low to access the API. Check your plan and billing with the provider.",
		"RATE_LIMIT", false);
	assert_error(&openai, 402, "{\"error\":{\"message\":\"Pay.\"}}", "openai answered with status 402: "
		"Pay. Check your plan and billing with the provider.", "RATE_LIMIT", false);
	assert_error(&local, 422, "{\"message\":{\"detail\":[{\"msg\":\"Field required\"}]}}",
		"local answered with status 422: Field required.", "PROVIDER", false);
	assert_error(&local, 400, "{\"Message\":\"Malformed input request\"}",
		"local answered with status 400: Malformed input request.", "PROVIDER", false);
}
