#include "provider/wire/wire.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/limits.h"
#include "util/redact.h"
#include "util/text.h"
#include "util/utf8.h"

/* Limit on the part of a provider's message that is shown; some echo the whole request. */
#define MESSAGE_BYTES 800
#define WORDS_BYTES 160

/* From these numbers on, the time of a reset is one since 1970: in seconds, in milliseconds. */
#define LEAST_EPOCH_S 1000000000
#define LEAST_EPOCH_MS 1000000000000

/* Names of error kinds that providers use in `type`, `code`, `status` or `reason`. Sources: the
 * error pages of the OpenAI, Anthropic and Gemini APIs. */
static const struct {
	const char *word;
	enum ik_error_code code;
	bool retryable;
} kinds[] = {
	{ "invalid_api_key", IK_CODE_AUTH, false },
	{ "authentication_error", IK_CODE_AUTH, false },
	{ "permission_error", IK_CODE_AUTH, false },
	{ "API_KEY_INVALID", IK_CODE_AUTH, false },
	{ "UNAUTHENTICATED", IK_CODE_AUTH, false },
	{ "PERMISSION_DENIED", IK_CODE_AUTH, false },
	{ "context_length_exceeded", IK_CODE_CONTEXT, false },
	{ "request_too_large", IK_CODE_CONTEXT, false },
	{ "exceed_context_size_error", IK_CODE_CONTEXT, false },
	{ "insufficient_quota", IK_CODE_RATE_LIMIT, false },
	{ "billing_error", IK_CODE_RATE_LIMIT, false },
	{ "enforced_spend_limit_reached", IK_CODE_RATE_LIMIT, false },
	{ "contract_spend_limit_reached", IK_CODE_RATE_LIMIT, false },
	{ "rate_limit_exceeded", IK_CODE_RATE_LIMIT, true },
	{ "rate_limit_error", IK_CODE_RATE_LIMIT, true },
	{ "RESOURCE_EXHAUSTED", IK_CODE_RATE_LIMIT, true },
	{ "overloaded_error", IK_CODE_PROVIDER, true },
	{ "server_error", IK_CODE_PROVIDER, true },
	{ "api_error", IK_CODE_PROVIDER, true },
	{ "timeout_error", IK_CODE_PROVIDER, true },
	{ "UNAVAILABLE", IK_CODE_PROVIDER, true },
	{ "INTERNAL", IK_CODE_PROVIDER, true },
	{ "DEADLINE_EXCEEDED", IK_CODE_PROVIDER, true },
};

/* Phrases in error messages about conversations that are too long, for servers without an error
 * kind for that. */
/* clang-format off */
static const char *const context_phrases[] = {
	"context length", "context window", "context size", "prompt is too long",
	"maximum context", "input token count", "too many tokens", "input is too long",
};
/* clang-format on */
/* Phrases in messages with status 403 that are not about the key: OpenRouter's moderation, rights at
 * Bedrock, places that OpenAI does not serve. */
static const char *const other_refusals[] = { "moderation", "flagged", "not authorized to",
	"country", "region" };
/* A phrase in the message of Anthropic's error for an account without money, which has no kind. */
static const char no_credit[] = "credit balance is too low";

/* Set code and retryable from the status alone. */
static void read_status(int status, enum ik_error_code *ret_code, bool *ret_retryable)
{
	*ret_retryable = status == 408 || status == 409 || status == 425 || status == 429 ||
		status >= 500;
	if (status == 401 || status == 403)
		*ret_code = IK_CODE_AUTH;
	else if (status == 429 || status == 402)
		*ret_code = IK_CODE_RATE_LIMIT;
	else if (status == 413)
		*ret_code = IK_CODE_CONTEXT;
	else if (status && status < 400)
		*ret_code = IK_CODE_BAD_RESPONSE;
	else
		*ret_code = IK_CODE_PROVIDER;
}

/* Look up a word in the table of kinds. */
static bool read_kind(struct ik_json_span word, enum ik_error_code *ret_code, bool *ret_retryable)
{
	if (ik_json_span_type(word) != IK_JSON_STRING)
		return false;
	for (size_t index = 0; index < sizeof(kinds) / sizeof(*kinds); index++) {
		if (ik_json_string_is(word, kinds[index].word)) {
			*ret_code = kinds[index].code;
			*ret_retryable = kinds[index].retryable;
			return true;
		}
	}
	return false;
}

/* Does text have one of the phrases, in any case? */
static bool has_phrase(const char *text, const char *const *phrases, size_t count)
{
	while (count > 0)
		if (strcasestr(text, phrases[--count]))
			return true;
	return false;
}
#define HAS_PHRASE(text, phrases) has_phrase(text, phrases, sizeof(phrases) / sizeof(*(phrases)))

/* Append the message of an error object, or of FastAPI's list of errors. */
static void append_message(struct ik_json_span error, struct ik_buf *out)
{
	if (ik_json_string(error, out))
		return;
	if (ik_json_string(ik_json_member(error, "message"), out)) {
		/* A router's own message is "Provider returned error"; the provider's message is inside. */
		struct ik_json_span raw = ik_json_at(error, "metadata.raw");

		if (ik_json_span_type(raw) == IK_JSON_STRING) {
			ik_buf_puts(out, ": ");
			ik_json_string(raw, out);
		}
		return;
	}
	struct ik_json_span nested = ik_json_member(error, "message");
	struct ik_json_span detail = ik_json_member(ik_json_span_type(nested) == IK_JSON_OBJECT ? nested
																							: error,
		"detail");

	if (ik_json_string(ik_json_member(error, "Message"), out))
		return;

	if (ik_json_string(detail, out) || ik_json_string(ik_json_at(detail, "0.msg"), out))
		return;
	ik_json_string(ik_json_member(error, "error"), out);
}

bool ik_error_read(struct ik_json_span value, int status, struct ik_buf *out_message,
	enum ik_error_code *ret_code, bool *ret_retryable)
{
	/* Google answers a streamed request with an array of one element. */
	if (ik_json_span_type(value) == IK_JSON_ARRAY)
		value = ik_json_at(value, "0");
	if (ik_json_span_type(value) != IK_JSON_OBJECT)
		return false;
	struct ik_json_span error = ik_json_member(value, "error");

	if (ik_json_span_type(error) != IK_JSON_OBJECT && ik_json_span_type(error) != IK_JSON_STRING) {
		if (ik_json_span_type(ik_json_member(value, "message")) != IK_JSON_STRING &&
			ik_json_span_type(ik_json_at(value, "message.detail")) == IK_JSON_NONE &&
			ik_json_span_type(ik_json_member(value, "Message")) != IK_JSON_STRING &&
			ik_json_span_type(ik_json_member(value, "detail")) == IK_JSON_NONE)
			return false;
		error = value;
	}
	size_t before = out_message->length;
	append_message(error, out_message);

	int64_t number = 0;

	if (!status && ik_json_integer(ik_json_member(error, "code"), &number) && number >= 100 &&
		number < 600)
		status = (int)number;
	read_status(status, ret_code, ret_retryable);
	if (read_kind(ik_json_at(error, "details.0.reason"), ret_code, ret_retryable) ||
		read_kind(ik_json_at(error, "details.error_code"), ret_code, ret_retryable) ||
		read_kind(ik_json_member(error, "code"), ret_code, ret_retryable) ||
		read_kind(ik_json_member(error, "type"), ret_code, ret_retryable) ||
		read_kind(ik_json_member(error, "status"), ret_code, ret_retryable)) {
		/* The status is more precise than a generic word. */
		if (*ret_code == IK_CODE_PROVIDER && status)
			read_status(status, ret_code, ret_retryable);
	}
	if (*ret_code == IK_CODE_PROVIDER && (!status || (status >= 400 && status < 500)) &&
		HAS_PHRASE(out_message->data + before, context_phrases)) {
		*ret_code = IK_CODE_CONTEXT;
		*ret_retryable = false;
	}
	if (strcasestr(out_message->data + before, no_credit)) {
		*ret_code = IK_CODE_RATE_LIMIT;
		*ret_retryable = false;
	}
	return true;
}

void ik_error_first_words(const char *text, size_t length, size_t limit, struct ik_buf *out)
{
	struct ik_buf line;
	size_t cut = 0;
	bool blank = false;

	ik_buf_init(&line, IK_LIMIT_ERROR_BODY * 3);
	ik_utf8_repair(&line, text, length < IK_LIMIT_ERROR_BODY ? length : IK_LIMIT_ERROR_BODY);
	for (size_t at = 0; at < line.length; at++) {
		unsigned char byte = (unsigned char)line.data[at];

		if (byte <= 0x20 || byte == 0x7f) {
			blank = cut > 0;
			continue;
		}
		if (blank)
			line.data[cut++] = ' ';
		blank = false;
		line.data[cut++] = (char)byte;
	}
	ik_buf_truncate(&line, cut);
	if (cut > limit) {
		ik_buf_truncate(&line, ik_utf8_cut(line.data, cut, limit));
		ik_buf_puts(&line, "\xe2\x80\xa6");
	}
	ik_buf_append(out, line.data, line.length);
	ik_buf_done(&line);
}

/* Append the title of a web page, if it has one. */
static void put_title(const char *page, size_t length, struct ik_buf *out)
{
	struct ik_buf copy;

	ik_buf_init(&copy, IK_LIMIT_ERROR_BODY);
	ik_buf_append(&copy, page, length < IK_LIMIT_ERROR_BODY ? length : IK_LIMIT_ERROR_BODY);
	const char *title = strcasestr(copy.data, "<title");
	const char *begin = title ? strchr(title, '>') : NULL;
	const char *end = begin ? strcasestr(begin, "</title") : NULL;

	if (end)
		ik_error_first_words(begin + 1, (size_t)(end - begin - 1), WORDS_BYTES, out);
	ik_buf_done(&copy);
}

static const char *provider_name(const struct ik_endpoint *endpoint)
{
	return endpoint->provider ? endpoint->provider : _("The provider");
}

void ik_provider_advise(const struct ik_endpoint *endpoint, const struct ik_failure *failure,
	struct ik_buf *out)
{
	enum ik_error_code code = failure->code;
	int status = failure->status;
	char *url = ik_redact(endpoint->base_url ? endpoint->base_url : "");

	ik_buf_putc(out, ' ');
	if (failure->wrong_address) {
		ik_buf_printf(out, _("Is %s the right base URL?"), url);
	} else if (failure->other_format) {
		ik_buf_printf(out, _("Set providers.%s.type to \"openai-responses\"."),
			provider_name(endpoint));
	} else if (code == IK_CODE_AUTH) {
		if (!endpoint->key_variable)
			ik_buf_puts(out, _("Check the key for this server."));
		else if (endpoint->api_key)
			ik_buf_printf(out, _("Check the key in the environment variable %s."),
				endpoint->key_variable);
		else
			ik_buf_printf(out, _("Put a key in the environment variable %s."),
				endpoint->key_variable);
	} else if (code == IK_CODE_CONTEXT && failure->unattended) {
		ik_buf_puts(out,
			_("The conversation is too long for this model: without --resume another "
			  "begins, --model takes one with a larger context, and in the chat /compact "
			  "replaces it by a summary."));
	} else if (code == IK_CODE_CONTEXT) {
		ik_buf_puts(out,
			_("The conversation is too long for this model: /compact replaces "
			  "it by a summary, /new begins another, /model takes one with a larger "
			  "context."));
	} else if (code == IK_CODE_RATE_LIMIT) {
		ik_buf_puts(out,
			failure->retryable ? _("That is the rate limit of your account: wait a moment.")
							   : _("Check your plan and billing with the provider."));
	} else if (status == 404 && failure->near) {
		ik_buf_printf(out,
			failure->unattended ? _("%s has %s; 'ikigai model list' shows all.")
								: _("%s has %s; /model shows all."),
			provider_name(endpoint), failure->near);
	} else if (status == 404) {
		ik_buf_printf(out, _("Check the model's name and the base URL %s."), url);
	} else if (status >= 500) {
		ik_buf_puts(out, _("The trouble is on the provider's side: try again later."));
	} else {
		ik_buf_truncate(out, out->length - 1);
	}
	free(url);
}

enum ik_refusal ik_provider_refusal(int status, const char *body, size_t length)
{
	static const struct {
		const char *phrase;
		enum ik_refusal refusal;
	} rows[] = {
		/* Anthropic: "Invalid `signature` in `thinking` block"; OpenAI: invalid_encrypted_content,
		 * "Reasoning input items can only be provided to a reasoning ... model"; Google. */
		{ "`thinking` block", IK_REFUSES_OPAQUE },
		{ "thinking blocks", IK_REFUSES_OPAQUE },
		{ "encrypted_content", IK_REFUSES_OPAQUE },
		{ "encrypted content", IK_REFUSES_OPAQUE },
		{ "Reasoning input items", IK_REFUSES_OPAQUE },
		{ "thought_signature", IK_REFUSES_OPAQUE },
		{ "thought signature", IK_REFUSES_OPAQUE },
		/* OpenAI: "must be verified to generate reasoning summaries", "'reasoning.summary' is not
		 * supported"; Anthropic: "adaptive thinking is not supported on this model"; Google:
		 * "thinking is not enabled for this model", "include_thoughts is only enabled when". */
		{ "reasoning summar", IK_REFUSES_THOUGHTS },
		{ "reasoning.summary", IK_REFUSES_THOUGHTS },
		{ "'adaptive'", IK_REFUSES_THOUGHTS },
		{ "thinking is not", IK_REFUSES_THOUGHTS },
		{ "include_thoughts", IK_REFUSES_THOUGHTS },
		{ "includeThoughts", IK_REFUSES_THOUGHTS },
		/* OpenAI and compatible servers; Anthropic; Google: "Function calling with a response mime
		 * type: 'application/json' is unsupported". */
		{ "response_format", IK_REFUSES_SCHEMA },
		{ "response format", IK_REFUSES_SCHEMA },
		{ "text.format", IK_REFUSES_SCHEMA },
		{ "json_schema", IK_REFUSES_SCHEMA },
		{ "json schema", IK_REFUSES_SCHEMA },
		{ "json mode", IK_REFUSES_SCHEMA },
		{ "grammar", IK_REFUSES_SCHEMA },
		{ "structured output", IK_REFUSES_SCHEMA },
		{ "output_config", IK_REFUSES_SCHEMA },
		{ "output_format", IK_REFUSES_SCHEMA },
		{ "response mime type", IK_REFUSES_SCHEMA },
		{ "response_mime_type", IK_REFUSES_SCHEMA },
		{ "responseMimeType", IK_REFUSES_SCHEMA },
		{ "responseJsonSchema", IK_REFUSES_SCHEMA },
		{ "response_json_schema", IK_REFUSES_SCHEMA },
		{ "response_schema", IK_REFUSES_SCHEMA },
	};
	enum ik_refusal refusal = IK_REFUSES_OTHER;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ERROR_BODY);
	ik_buf_append(&text, body, length < IK_LIMIT_ERROR_BODY ? length : IK_LIMIT_ERROR_BODY - 1);
	for (size_t index = 0; !refusal && index < sizeof(rows) / sizeof(*rows); index++)
		if (strcasestr(text.data, rows[index].phrase))
			refusal = rows[index].refusal;
	ik_buf_done(&text);
	return status == 400 || status == 422 ? refusal : IK_REFUSES_OTHER;
}

/* Read a time such as "47s", "1m12.5s" or "6ms" at *text, in milliseconds; -1 if there is none. */
static int64_t read_duration(const char *text)
{
	static const struct {
		const char *unit;
		double milliseconds;
	} units[] = { { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 } };
	double sum = 0, number;
	bool any = false, known = true;
	char *end;

	while (known && isdigit((unsigned char)*text) && (number = strtod(text, &end)) >= 0) {
		known = false;
		for (size_t index = 0; !known && index < sizeof(units) / sizeof(*units); index++) {
			size_t length = strlen(units[index].unit);

			known = strncmp(end, units[index].unit, length) == 0;
			sum += known ? number * units[index].milliseconds : 0;
			text = known ? end + length : text;
		}
		any = any || known;
	}
	return any && sum < (double)INT64_MAX / 2 ? (int64_t)sum : -1;
}

int64_t ik_provider_reset_ms(const char *remaining, const char *reset)
{
	int64_t now_ms = ik_clock_wall_ms(), time_ms;
	double number;
	char *end;

	if (!remaining || !reset || strtod(remaining, &end) > 0 || end == remaining)
		return -1;
	number = strtod(reset, &end);
	if (end == reset || *end != '\0') {
		if (!ik_clock_read(reset, &time_ms))
			return read_duration(reset);
	} else if (!(number >= 0 && number < LEAST_EPOCH_MS * 1000.0)) {
		return -1;
	} else if (number < LEAST_EPOCH_S) {
		return (int64_t)(number * 1000);
	} else {
		time_ms = (int64_t)(number < LEAST_EPOCH_MS ? number * 1000 : number);
	}
	return time_ms > now_ms ? time_ms - now_ms : -1;
}

/* Return the delay of Google's RetryInfo among the details of an error; -1 if there is none. */
static int64_t retry_info(struct ik_json_span value)
{
	struct ik_json_span details;
	int64_t delay_ms = -1;

	if (ik_json_span_type(value) == IK_JSON_ARRAY)
		value = ik_json_at(value, "0");
	details = ik_json_at(value, "error.details");
	for (struct ik_json_walk walk = ik_json_walk(details); delay_ms < 0 && ik_json_next(&walk);) {
		char *delay = ik_json_text_new(ik_json_member(walk.value, "retryDelay"));

		delay_ms = delay ? read_duration(delay) : -1;
		free(delay);
	}
	return delay_ms;
}

/* Return how long to wait before a retry, in milliseconds, if the body of a failed response says so:
 * Google's RetryInfo, or a sentence such as "try again in 1m12.5s"; else -1. */
static int64_t read_retry_ms(const char *body, size_t length)
{
	static const char *const phrases[] = { "try again in ", "retry in ", "retry after " };
	struct ik_json_span value;
	int64_t delay_ms = -1;
	struct ik_buf text;

	if (ik_json_check(body, length, &value, NULL) == IK_OK)
		delay_ms = retry_info(value);
	ik_buf_init(&text, IK_LIMIT_ERROR_BODY);
	ik_buf_append(&text, body, length < IK_LIMIT_ERROR_BODY ? length : IK_LIMIT_ERROR_BODY - 1);
	for (size_t index = 0; delay_ms < 0 && index < sizeof(phrases) / sizeof(*phrases); index++) {
		const char *found = strcasestr(text.data, phrases[index]);

		if (found)
			delay_ms = read_duration(found + strlen(phrases[index]));
	}
	ik_buf_done(&text);
	return delay_ms;
}

/* End text with a full stop unless it already ends like a sentence. */
static void end_sentence(struct ik_buf *text)
{
	if (text->length && !strchr(".!?", text->data[text->length - 1]))
		ik_buf_putc(text, '.');
}

/* Does a message say that the model, or its tools, need OpenAI's other format? "Please use
 * /v1/responses instead", "only supported in v1/responses and not in v1/chat/completions". */
static bool is_for_responses(const char *message)
{
	return strstr(message, "v1/responses") && strstr(message, "v1/chat/completions");
}

void ik_provider_error(const struct ik_endpoint *endpoint, int status, const char *body,
	size_t length, struct ik_buf *out_sentence, struct ik_failure *ret_failure)
{
	struct ik_failure failure = { .status = status };
	const char *provider = provider_name(endpoint);
	struct ik_buf raw, message;
	struct ik_json_span value;
	bool is_page = false;

	ik_buf_init(&raw, IK_LIMIT_ERROR_BODY * 4);
	ik_buf_init(&message, IK_LIMIT_ERROR_BODY * 4);

	read_status(status, &failure.code, &failure.retryable);
	size_t lead = 0;

	while (lead < length && isspace((unsigned char)body[lead]))
		lead++;
	if (lead < length && body[lead] == '<') {
		is_page = true;
		put_title(body, length, &raw);
	} else if (ik_json_check(body, length, &value, NULL) != IK_OK ||
		!ik_error_read(value, status, &raw, &failure.code, &failure.retryable)) {
		ik_buf_append(&raw, body, length < IK_LIMIT_ERROR_BODY ? length : IK_LIMIT_ERROR_BODY);
	}
	if (status == 403 && (is_page || HAS_PHRASE(raw.data, other_refusals)))
		failure.code = IK_CODE_PROVIDER;
	ik_secrets_hide(&raw);
	ik_error_first_words(raw.data, raw.length, MESSAGE_BYTES, &message);
	end_sentence(&message);

	bool refused = failure.code == IK_CODE_AUTH;

	if (refused && !message.length)
		ik_buf_printf(out_sentence, _("%s refused access (status %d)."), provider, status);
	else if (refused)
		ik_buf_printf(out_sentence, _("%s refused access (status %d): %s"), provider, status,
			message.data);
	else if (!message.length)
		ik_buf_printf(out_sentence, _("%s answered with status %d and no explanation."), provider,
			status);
	else if (is_page)
		ik_buf_printf(out_sentence, _("%s answered with status %d and a web page: %s"), provider,
			status, message.data);
	else
		ik_buf_printf(out_sentence, _("%s answered with status %d: %s"), provider, status,
			message.data);
	failure.wrong_address = (is_page && !refused && status < 500) || status == 405 ||
		failure.code == IK_CODE_BAD_RESPONSE;
	failure.other_format = is_for_responses(raw.data);
	failure.retry_after_ms = read_retry_ms(body, length);
	*ret_failure = failure;
	ik_buf_done(&raw);
	ik_buf_done(&message);
}
