#include "agent/session/exchange.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/model_cache.h"
#include "agent/session/file_reader.h"
#include "net/http.h"
#include "provider/wire/decoder.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/redact.h"
#include "util/text.h"

/* Limit on the wait that a server asks for; a longer one counts as a refusal. */
#define LONGEST_RETRY_AFTER_MS (10 * 60 * 1000)
/* Limit on the id of a request; a longer one is not shown. */
#define LONGEST_REQUEST_ID 128

struct ik_exchange {
	struct ik_exchange_options options;
	const struct ik_exchange_events *events;
	void *arg;
	int attempts;                 /* retries so far */
	struct ik_timer *next;        /* fires when the next retry is due */
	struct ik_timer *pace;        /* for the built-in model */
	struct ik_file_reader *files; /* reads what the request needs; or NULL */
	bool files_read;              /* once is enough for all tries */
	bool closed;
	unsigned spared; /* a bit for each refusal after which the request was sent again */

	/* This try's: */
	bool failed;            /* ignore what may still arrive */
	struct ik_model *model; /* a reference */
	struct ik_http_request *http;
	struct ik_stream_decoder *decoder;
	struct ik_buf body;      /* request body */
	char bound[IK_BINDING];  /* what the thinking in the reply will be bound to */
	struct ik_buf words;     /* the beginning of a response that is not a stream */
	struct ik_script script; /* reply of the built-in model, emitted step by step */
	int status;
	bool web_page;
	bool value_only;        /* of struct ik_request */
	bool heard;             /* a part of the reply has arrived */
	struct ik_error unread; /* why the stream cannot be decoded */
};

/* ---- failures ---- */

int64_t ik_retry_wait(const struct ik_retry_options *options, int attempt, int64_t retry_after_ms,
	uint32_t random)
{
	int64_t delay = options->base_ms;

	if (attempt > options->max || retry_after_ms > LONGEST_RETRY_AFTER_MS)
		return -1;
	for (int i = 1; i < attempt && delay < options->cap_ms; i++)
		delay *= 2;
	if (delay > options->cap_ms)
		delay = options->cap_ms;
	delay = delay / 2 + (int64_t)(random % ((uint64_t)(delay / 2) + 1));
	return delay > retry_after_ms ? delay : retry_after_ms;
}

static uint32_t random_number(void)
{
	char uuid[IK_UUID_TEXT];

	/* The last 32 bits of a UUID are random. */
	ik_uuid_new(uuid);
	return (uint32_t)strtoul(uuid + IK_UUID_TEXT - 1 - 8, NULL, 16);
}

/* Is the exchange closed, or has this try failed? */
static bool is_over(const struct ik_exchange *exchange)
{
	return exchange->closed || exchange->failed;
}

/* End the try without reporting it. */
static void stop(struct ik_exchange *exchange)
{
	exchange->http = ik_http_close(exchange->http);
	ik_timer_stop(exchange->pace);
}

/* Return the model that is to answer instead, if the server was too busy or broken, and nothing was
 * seen of its reply; else NULL. */
static struct ik_model *fallback_of(const struct ik_exchange *exchange,
	const struct ik_failure *failure)
{
	/* A stream may begin with what would otherwise be the status. */
	bool within = exchange->decoder && failure->retryable &&
		(failure->code == IK_CODE_RATE_LIMIT || failure->code == IK_CODE_PROVIDER);

	if (exchange->heard || !(within || exchange->status == 429 || exchange->status >= 500))
		return NULL;
	return exchange->model->fallback;
}

/* Send the request to another model, or by another format. */
static void stand_in(struct ik_exchange *exchange, struct ik_model *model)
{
	struct ik_exchange_memory *memory = exchange->options.memory;

	ik_model_ref(model);
	ik_model_unref(memory->stand_in);
	memory->stand_in = model;
	memory->refused.thoughts = memory->refused.schema = false;
	exchange->spared = 0;
	exchange->attempts = 0;
}

/* Let model answer from now on. */
static void fall_back(struct ik_exchange *exchange, struct ik_model *model, struct ik_input *input,
	struct ik_buf *text)
{
	ik_buf_printf(text, _(" Until the turn ends, %s/%s answers."), model->endpoint.provider,
		model->name);
	stand_in(exchange, model);
	ik_timer_start(exchange->next, 0);
	input->kind = IK_INPUT_FALLBACK;
}

/* Append the id that the server gave the request, which the provider's support asks for. */
static void put_request_id(const struct ik_exchange *exchange, struct ik_buf *text)
{
	static const char *const names[] = { "request-id", "x-request-id", "x-amzn-requestid",
		"apim-request-id", "cf-ray" };
	const char *id = NULL;

	for (size_t i = 0; exchange->http && !id && i < sizeof(names) / sizeof(*names); i++)
		id = ik_http_header(exchange->http, names[i]);
	if (id && strlen(id) <= LONGEST_REQUEST_ID)
		ik_buf_printf(text, _(" Request ID: %s."), id);
}

/* Append what to do about a failure. */
static void put_advice(const struct ik_exchange *exchange, const struct ik_failure *failure,
	struct ik_buf *text)
{
	struct ik_failure known = *failure;
	size_t before = text->length;
	struct ik_buf near;

	ik_buf_init(&near, IK_KIB(4));
	if (failure->status == 404)
		ik_model_cache_near(exchange->model, &near);
	known.near = near.length > 0 ? near.data : NULL;
	known.unattended = exchange->options.unattended;
	ik_provider_advise(&exchange->model->endpoint, &known, text);
	if (exchange->heard && text->length == before)
		ik_buf_puts(text, _(" What had arrived is kept; send a message to go on."));
	ik_buf_done(&near);
}

/* Report that the try has failed and whether there will be another. */
static void fail(struct ik_exchange *exchange, const struct ik_failure *failure,
	const char *sentence)
{
	struct ik_input input = {
		.kind = IK_INPUT_STREAM_FAILED,
		.request = exchange->options.number,
		.code = failure->code,
		.delay_ms = -1,
	};
	struct ik_model *fallback = fallback_of(exchange, failure);
	struct ik_buf text;

	ik_buf_init(&text, IK_KIB(64));
	ik_buf_puts(&text, sentence);
	exchange->failed = true;
	/* Nobody waits long for a server where another one can answer. */
	if (failure->retryable && !exchange->heard &&
		!(fallback && failure->retry_after_ms > exchange->options.retry.cap_ms))
		input.delay_ms = ik_retry_wait(&exchange->options.retry, exchange->attempts + 1,
			failure->retry_after_ms, random_number());
	if (exchange->model && (input.delay_ms >= 0 || !fallback))
		put_advice(exchange, failure, &text);
	if (input.delay_ms >= 0) {
		input.kind = IK_INPUT_RETRY;
		input.attempt = ++exchange->attempts + 1;
		input.attempts = exchange->options.retry.max + 1;
		ik_timer_start(exchange->next, input.delay_ms);
	} else if (fallback) {
		fall_back(exchange, fallback, &input, &text);
	} else {
		put_request_id(exchange, &text);
	}
	stop(exchange);
	/* A server may echo the key. */
	ik_secrets_hide(&text);
	input.text = text.data;
	input.text_length = text.length;
	exchange->events->input(exchange->arg, &input);
	ik_buf_done(&text);
}

/* Fail for a reason that another try does not change. */
static void fail_for_good(struct ik_exchange *exchange, enum ik_error_code code,
	const char *sentence)
{
	fail(exchange, &(struct ik_failure){ .code = code, .retry_after_ms = -1 }, sentence);
}

/* Fail without a response, or with an incomplete one. */
static void fail_transfer(struct ik_exchange *exchange, const struct ik_http_result *result)
{
	struct ik_failure failure;
	struct ik_buf sentence;

	ik_buf_init(&sentence, IK_KIB(16));
	ik_model_transfer_failed(exchange->model, result, exchange->heard, &sentence, &failure);
	fail(exchange, &failure, sentence.data);
	ik_buf_done(&sentence);
}

/* Send the request again at once; sentence says why. */
static void send_again(struct ik_exchange *exchange, enum ik_input_kind kind,
	enum ik_error_code code, const char *sentence)
{
	const struct ik_input input = {
		.kind = kind,
		.request = exchange->options.number,
		.code = code,
		.text = sentence,
		.text_length = strlen(sentence),
	};

	exchange->failed = true;
	stop(exchange);
	ik_timer_start(exchange->next, 0);
	exchange->events->input(exchange->arg, &input);
}

/* Send the request once more, without what the provider has refused. */
static void retry_without(struct ik_exchange *exchange, enum ik_refusal refusal)
{
	static const char *const sentences[] = {
		[IK_REFUSES_OPAQUE] = N_("The provider no longer accepts the thinking of earlier replies, "
								 "so it is left out."),
		[IK_REFUSES_THOUGHTS] = N_("The provider doesn't show you this model's thinking."),
		[IK_REFUSES_SCHEMA] =
			N_("The provider does not take the schema, so only the instructions have it."),
	};
	struct ik_refused *refused = &exchange->options.memory->refused;

	if (refusal == IK_REFUSES_OPAQUE)
		refused->opaque_ms = ik_clock_wall_ms();
	refused->thoughts = refused->thoughts || refusal == IK_REFUSES_THOUGHTS;
	refused->schema = refused->schema || refusal == IK_REFUSES_SCHEMA;
	exchange->spared |= 1u << refusal;
	send_again(exchange, IK_INPUT_RETRY, IK_CODE_PROVIDER, _(sentences[refusal]));
}

/* Does the server lack the format, by the status of its failure? It may lack the model as well. */
static bool lacks_format(const struct ik_exchange *exchange, int status)
{
	const char *words = exchange->words.data;

	return exchange->model->older && (status == 404 || status == 405) &&
		!(words && (strcasestr(words, "model") || strcasestr(words, "deployment")));
}

/* Send the request by Chat Completions, and stay with that. */
static void use_older(struct ik_exchange *exchange)
{
	struct ik_model *older = exchange->model->older;
	char *sentence = ik_format(_("Provider %s does not have OpenAI's Responses here, so Chat "
								 "Completions is used; \"type\": \"%s\" says so in the "
								 "configuration."),
		older->endpoint.provider, older->format->type);

	stand_in(exchange, older);
	send_again(exchange, IK_INPUT_FALLBACK, IK_CODE_NONE, sentence);
	free(sentence);
}

/* Return how long it takes until the last of the limits that are used up is reset; -1 if none is known
 * to be. OpenAI and others, OpenRouter; Anthropic. */
static int64_t limits_reset_ms(const struct ik_http_request *http)
{
	static const char *const names[][2] = {
		{ "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests" },
		{ "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens" },
		{ "x-ratelimit-remaining", "x-ratelimit-reset" },
		{ "anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset" },
		{ "anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset" },
		{ "anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset" },
		{ "anthropic-ratelimit-output-tokens-remaining",
			"anthropic-ratelimit-output-tokens-reset" },
	};
	int64_t longest_ms = -1;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int64_t wait_ms = ik_provider_reset_ms(ik_http_header(http, names[i][0]),
			ik_http_header(http, names[i][1]));

		longest_ms = wait_ms > longest_ms ? wait_ms : longest_ms;
	}
	return longest_ms;
}

/* Fail on an error status, or a response that is not a stream. The server may say whether, and when,
 * to retry. */
static void fail_response(struct ik_exchange *exchange, int status,
	const struct ik_http_result *result)
{
	const struct ik_buf *words = &exchange->words;
	enum ik_refusal refusal = ik_provider_refusal(status, words->data, words->length);
	struct ik_failure failure;
	struct ik_buf sentence;

	if (refusal != IK_REFUSES_OTHER && !(exchange->spared & 1u << refusal)) {
		retry_without(exchange, refusal);
		return;
	}
	if (lacks_format(exchange, status)) {
		use_older(exchange);
		return;
	}
	ik_buf_init(&sentence, IK_KIB(16));
	ik_provider_error(&exchange->model->endpoint, status, words->data, words->length, &sentence,
		&failure);
	if (result->should_retry)
		failure.retryable = ik_text_equal(result->should_retry, "true");
	if (result->retry_after_ms >= 0)
		failure.retry_after_ms = result->retry_after_ms;
	if (failure.retry_after_ms < 0 && (status == 429 || status == 503))
		failure.retry_after_ms = limits_reset_ms(exchange->http);
	fail(exchange, &failure, sentence.data);
	ik_buf_done(&sentence);
}

/* Fail because the address responds, but not as a provider. */
static void fail_web_page(struct ik_exchange *exchange)
{
	const char *name = exchange->model->endpoint.provider;
	char *address = ik_address_of(exchange->model->endpoint.base_url);
	char *setting = ik_model_address_setting(exchange->model);
	char *sentence = ik_format(_("Provider %s: %s answers with a web page instead of a model's "
								 "reply. Check %s."),
		name, address, setting);

	fail_for_good(exchange, IK_CODE_BAD_RESPONSE, sentence);
	free(sentence);
	free(setting);
	free(address);
}

/* Did the response begin like an event stream, or not at all? */
static bool is_stream(const struct ik_exchange *exchange)
{
	const char *words = exchange->words.data;

	return exchange->heard || exchange->words.length == 0 || words[0] == ':' ||
		ik_text_starts(words, "data:") || ik_text_starts(words, "event:") ||
		strstr(words, "\ndata:");
}

/* Fail with text after a part of the stream (but maybe not of the reply) has arrived. */
static void fail_within(struct ik_exchange *exchange, enum ik_error_code code, bool retryable,
	const char *text)
{
	const struct ik_failure failure = {
		.code = code,
		.retryable = retryable,
		.retry_after_ms = -1,
	};
	char *sentence = ik_format(_("Provider %s: %s"), exchange->model->endpoint.provider, text);

	fail(exchange, &failure, sentence);
	free(sentence);
}

/* Fail because the stream ended too early or is not an event stream. */
static void fail_stream(struct ik_exchange *exchange, const struct ik_http_result *result,
	enum ik_status status, const struct ik_error *error)
{
	bool early = status == IK_UNAVAILABLE;

	if (result->failure != IK_HTTP_OK)
		fail_transfer(exchange, result);
	else if (!is_stream(exchange))
		fail_response(exchange, exchange->status, result);
	else
		fail_within(exchange, early ? IK_CODE_CONNECT : IK_CODE_BAD_RESPONSE, early, error->text);
}

/* Fail with an error that the stream itself reports. */
static void fail_as_reported(struct ik_exchange *exchange, const struct ik_delta *delta)
{
	bool ends = delta->text_length && strchr(".!?", delta->text[delta->text_length - 1]);
	char *text = ik_format("%s%s", delta->text, ends ? "" : ".");

	fail_within(exchange, delta->code, delta->retryable, text);
	free(text);
}

/* ---- the response ---- */

static void end_reply(struct ik_exchange *exchange)
{
	const struct ik_input input = {
		.kind = IK_INPUT_STREAM_END,
		.request = exchange->options.number,
	};

	exchange->events->input(exchange->arg, &input);
}

static void on_headers(void *arg, int status, const char *content_type)
{
	struct ik_exchange *exchange = arg;

	exchange->status = status;
	exchange->web_page = content_type && strncasecmp(content_type, "text/html", 9) == 0;
	if (status >= 200 && status < 300 && !exchange->web_page)
		exchange->decoder = ik_decoder_new(exchange->model->format);
	if (exchange->decoder)
		exchange->decoder->plain = exchange->value_only;
}

/* Does the user see this, or does it belong to a call? */
static bool is_seen(const struct ik_delta *delta)
{
	if (delta->kind == IK_DELTA_TEXT || delta->kind == IK_DELTA_THINKING)
		return delta->text_length > 0;
	return delta->kind == IK_DELTA_SEARCH || delta->kind == IK_DELTA_NOTICE ||
		delta->kind == IK_DELTA_CALL || delta->kind == IK_DELTA_ARGUMENTS;
}

static void on_delta(void *arg, const struct ik_delta *delta)
{
	struct ik_exchange *exchange = arg;
	struct ik_delta named = *delta;
	const struct ik_input input = {
		.kind = IK_INPUT_DELTA,
		.request = exchange->options.number,
		.delta = &named,
	};

	if (is_over(exchange))
		return; /* in the previous delta */
	exchange->heard = exchange->heard || is_seen(delta);
	if (delta->kind == IK_DELTA_ERROR) {
		fail_as_reported(exchange, delta);
		return;
	}
	if (delta->kind == IK_DELTA_OPAQUE) {
		named.id = exchange->model->endpoint.provider;
		named.bound = delta->of == IK_DELTA_THINKING ? exchange->bound : NULL;
	}
	exchange->events->input(exchange->arg, &input);
}

static void on_done(void *arg, const struct ik_http_result *result)
{
	struct ik_exchange *exchange = arg;
	struct ik_error error = { 0 };
	enum ik_status status;

	if (!exchange->decoder) {
		if (exchange->web_page && exchange->status < 300)
			fail_web_page(exchange);
		else if (exchange->status == 0)
			fail_transfer(exchange, result);
		else
			fail_response(exchange, exchange->status, result);
		return;
	}
	status = ik_decoder_finish(exchange->decoder, on_delta, exchange, &error);
	if (is_over(exchange))
		return; /* in the last delta */
	if (status != IK_OK)
		fail_stream(exchange, result, status, &error);
	else
		end_reply(exchange);
}

static void on_body(void *arg, const char *bytes, size_t length)
{
	struct ik_exchange *exchange = arg;
	static const struct ik_http_result enough = { .failure = IK_HTTP_OK, .retry_after_ms = -1 };
	size_t room = IK_LIMIT_ERROR_BODY - exchange->words.length;

	if (!exchange->heard)
		ik_buf_append(&exchange->words, bytes, length < room ? length : room);
	if (exchange->decoder && exchange->unread.status == IK_OK)
		(void)!ik_decoder_feed(exchange->decoder, bytes, length, on_delta, exchange,
			&exchange->unread);
	/* Stop reading what can't be decoded, once there is enough of it to say why. */
	if (!is_over(exchange) && (exchange->heard || length >= room) &&
		(!exchange->decoder || exchange->unread.status != IK_OK))
		on_done(exchange, &enough);
}

/* Emit the next words of the built-in model. */
static void speak(void *arg)
{
	struct ik_exchange *exchange = arg;
	bool more = ik_script_step(&exchange->script, on_delta, exchange);

	if (is_over(exchange))
		return; /* in one of these deltas */
	if (more)
		ik_timer_start(exchange->pace, IK_SCRIPT_PACE_MS);
	else
		end_reply(exchange);
}

/* ---- the request ---- */

/* Reset the state of the previous try. */
static void clear_try(struct ik_exchange *exchange)
{
	exchange->decoder = ik_decoder_free(exchange->decoder);
	exchange->model = ik_model_unref(exchange->model);
	ik_script_done(&exchange->script);
	ik_buf_clear(&exchange->body);
	ik_buf_clear(&exchange->words);
	exchange->status = 0;
	exchange->failed = exchange->web_page = exchange->heard = false;
	exchange->unread = (struct ik_error){ 0 };
}

/* Write the request, or let the built-in model answer it. All at once: a million tokens are about 4
 * MB and take 7 ms. */
static enum ik_status make_request(struct ik_exchange *exchange, struct ik_request *request,
	struct ik_error *error)
{
	const struct ik_model *model = exchange->model;

	request->model = model->name;
	request->facts = &model->facts;
	request->endpoint = &model->endpoint;
	request->forbid_calls = exchange->options.forbid_calls;
	request->max_output_tokens = model->max_output_tokens;
	request->thinking = model->thinking;
	request->refused = exchange->options.memory->refused;
	exchange->value_only = request->value_only;
	if (request->refused.schema)
		request->output_schema = (struct ik_json_span){ NULL, 0 };
	if (!request->output_schema.text)
		exchange->spared |= 1u << IK_REFUSES_SCHEMA; /* there is none to leave out */
	ik_request_binding(model->format, request, exchange->bound);
	if (!model->format->answer)
		return ik_request_serialize(model->format, request, &exchange->body, error);
	model->format->answer(request, &exchange->script);
	return IK_OK;
}

/* Send what make_request() has written. */
static void send_over_http(struct ik_exchange *exchange)
{
	static const struct ik_http_events events = { on_headers, on_body, on_done };
	const struct ik_model *model = exchange->model;
	char *url = ik_wire_url(model->format, &model->endpoint, model->name);
	char **headers = ik_wire_headers(model->format, &model->endpoint);
	const struct ik_http_spec spec = {
		.url = url,
		.body = exchange->body.data,
		.body_length = exchange->body.length,
		.headers = (const char *const *)headers,
		.idle_timeout_ms = exchange->options.idle_timeout_ms,
	};

	exchange->http = ik_http_start(exchange->options.http, &spec, &events, exchange);
	ik_wire_headers_free(headers);
	free(url);
}

static void send_request(void *arg);

/* Send the request, now that its files have been read. */
static void on_files_read(void *arg)
{
	struct ik_exchange *exchange = arg;

	exchange->files = ik_file_reader_close(exchange->files);
	send_request(exchange);
}

/* Start reading the files that the conversation needs. Return false if all are in memory. */
static bool await_files(struct ik_exchange *exchange, const struct ik_conversation *conversation)
{
	if (!exchange->options.store || exchange->files_read)
		return false;
	exchange->files_read = true;
	exchange->files = ik_file_reader_start(exchange->options.store, conversation, on_files_read,
		exchange);
	return exchange->files;
}

/* Send the request. Deferred, or called when the next retry is due: the previous turn of the loop
 * is busy with what caused the request, perhaps a large result. */
static void send_request(void *arg)
{
	struct ik_exchange *exchange = arg;
	struct ik_request request = { .model = NULL };
	struct ik_error error = { 0 };
	struct ik_model *model;

	clear_try(exchange);
	model = exchange->events->request(exchange->arg, &request);
	exchange->model = model ? ik_model_ref(model) : NULL;
	if (exchange->closed) {
		free((void *)request.tools);
		return; /* in the call above */
	}
	if (!model)
		fail_for_good(exchange, IK_CODE_CONFIG,
			_("No model is chosen. Set provider and model in the "
			  "configuration, or choose one with -p and -m."));
	else if (await_files(exchange, request.conversation))
		; /* it is sent later */
	else if (make_request(exchange, &request, &error) != IK_OK)
		fail_for_good(exchange, IK_CODE_CONTEXT, error.text);
	else if (model->format->answer)
		ik_timer_start(exchange->pace, 0);
	else
		send_over_http(exchange);
	free((void *)request.tools);
}

struct ik_exchange *ik_exchange_start(const struct ik_exchange_options *options,
	const struct ik_exchange_events *events, void *arg)
{
	struct ik_exchange *exchange = ik_alloc(sizeof(*exchange));

	exchange->options = *options;
	exchange->events = events;
	exchange->arg = arg;
	ik_buf_init(&exchange->body, IK_LIMIT_REQUEST);
	ik_buf_init(&exchange->words, IK_LIMIT_ERROR_BODY);
	exchange->next = ik_timer_new(options->loop, send_request, exchange);
	exchange->pace = ik_timer_new(options->loop, speak, exchange);
	ik_loop_defer(options->loop, send_request, exchange);
	return exchange;
}

/* Free the exchange. Deferred after what http has deferred, since http borrowed this memory. */
static void release(void *arg)
{
	struct ik_exchange *exchange = arg;

	clear_try(exchange);
	ik_buf_done(&exchange->body);
	ik_buf_done(&exchange->words);
	free(exchange);
}

struct ik_exchange *ik_exchange_close(struct ik_exchange *exchange)
{
	if (!exchange)
		return NULL;
	exchange->closed = true;
	ik_loop_cancel_deferred(exchange->options.loop, send_request, exchange);
	exchange->files = ik_file_reader_close(exchange->files);
	stop(exchange);
	exchange->next = ik_timer_close(exchange->next);
	exchange->pace = ik_timer_close(exchange->pace);
	ik_loop_defer(exchange->options.loop, release, exchange);
	return NULL;
}
