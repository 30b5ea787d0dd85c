#include "agent/session/exchange.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/transfer.h"
#include "net/address.h"
#include "provider/wire/address.h"
#include "provider/wire/decoder.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

struct ik_exchange {
	struct ik_exchange_options options; /* with a reference of the model */
	const struct ik_exchange_events *events;
	void *arg;
	struct ik_http_request *http;
	struct ik_stream_decoder *decoder;
	struct ik_buf body;      /* of the request */
	struct ik_buf words;     /* the beginning of a response that is not a stream */
	struct ik_script script; /* of the built-in model, */
	struct ik_timer *pace;   /* told step by step; NULL: a server answers */
	struct ik_timer *idle;
	int64_t last_delta_ms;
	int status;
	bool web_page;
	bool heard; /* something of the reply has arrived */
	bool closed;
	struct ik_error unread; /* why the stream cannot be decoded */
};

/* ---- failures ---- */

static uint32_t random_number(void)
{
	char uuid[IK_UUID_TEXT];

	/* The last 32 bits of one are random. */
	ik_uuid_new(uuid);
	return (uint32_t)strtoul(uuid + IK_UUID_TEXT - 1 - 8, NULL, 16);
}

/* Tell that the request has failed. */
static void fail(struct ik_exchange *exchange, enum ik_error_code code, bool retryable,
	int64_t retry_after_ms, const char *sentence)
{
	const struct ik_input input = {
		.kind = IK_INPUT_STREAM_FAILED,
		.request = exchange->options.number,
		.code = code,
		.text = sentence,
		.text_length = strlen(sentence),
		.retryable = retryable,
		.retry_after_ms = retry_after_ms,
		.random = random_number(),
	};

	exchange->events->input(exchange->arg, &input);
}

static const char *provider_name(const struct ik_exchange *exchange)
{
	const char *name = exchange->options.model->spec.endpoint.provider;

	return name ? name : "?";
}

/* Fail without a response, or with half of one. */
static void fail_transfer(struct ik_exchange *exchange, const struct ik_http_result *result)
{
	struct ik_buf sentence;
	bool retryable;
	enum ik_error_code code;

	ik_buf_init(&sentence, IK_KIB(16));
	ik_transfer_failed(&sentence, exchange->options.model->spec.endpoint.provider, result,
		exchange->heard, &code, &retryable);
	fail(exchange, code, retryable, result->retry_after_ms, sentence.data);
	ik_buf_done(&sentence);
}

/* A status of failure, or words where a stream should be. */
static void fail_response(struct ik_exchange *exchange, int status, int64_t retry_after_ms)
{
	enum ik_error_code code = IK_CODE_PROVIDER;
	bool retryable = false;
	struct ik_buf sentence;

	ik_buf_init(&sentence, IK_KIB(16));
	ik_provider_error(&exchange->options.model->spec.endpoint, status, exchange->words.data,
		exchange->words.length, &sentence, &code, &retryable);
	fail(exchange, code, retryable, retry_after_ms, sentence.data);
	ik_buf_done(&sentence);
}

/* The address answers, but not as a provider. */
static void fail_web_page(struct ik_exchange *exchange)
{
	const char *name = provider_name(exchange);
	char *address = ik_address_of(exchange->options.model->spec.endpoint.base_url);
	char *sentence = ik_format(_("Provider %s: %s answers with a web page instead of a model's "
								 "reply. Check the base_url of %s."),
		name, address, name);

	fail(exchange, IK_CODE_BAD_RESPONSE, false, -1, sentence);
	free(sentence);
	free(address);
}

/* Is what came first a piece of an event stream, or nothing at all? */
static bool is_stream(const struct ik_exchange *exchange)
{
	const char *words = exchange->words.data;

	return exchange->heard || exchange->words.length == 0 || words[0] == ':' ||
		ik_text_starts(words, "data:") || ik_text_starts(words, "event:") ||
		strstr(words, "\ndata:");
}

/* A stream that ended too early or is none. */
static void fail_stream(struct ik_exchange *exchange, const struct ik_http_result *result,
	enum ik_status status, const struct ik_error *error)
{
	bool early = status == IK_UNAVAILABLE;
	char *sentence;

	if (result->failure != IK_HTTP_OK) {
		fail_transfer(exchange, result);
		return;
	}
	if (!is_stream(exchange)) {
		fail_response(exchange, exchange->status, result->retry_after_ms);
		return;
	}
	sentence = ik_format(exchange->heard
			? _("Provider %s: %s What had arrived is kept; send a message to go on.")
			: _("Provider %s: %s"),
		provider_name(exchange), error->text);
	fail(exchange, early ? IK_CODE_CONNECT : IK_CODE_BAD_RESPONSE, early, -1, sentence);
	free(sentence);
}

/* ---- the response ---- */

/* The reply is complete. */
static void end_reply(struct ik_exchange *exchange)
{
	const struct ik_input input = {
		.kind = IK_INPUT_STREAM_END,
		.request = exchange->options.number,
	};

	exchange->events->input(exchange->arg, &input);
}

/* Has no event come for too long? */
static void idle_fired(void *arg)
{
	struct ik_exchange *exchange = arg;
	int64_t limit = exchange->options.idle_timeout_ms;
	int64_t left = exchange->last_delta_ms + limit - ik_clock_ms();
	char *sentence;

	if (left > 0) {
		ik_timer_start(exchange->idle, left);
		return;
	}
	sentence = ik_format(_("Provider %s has sent nothing new for %g s, so the request was ended. "
						   "Try again, or raise http.idle_timeout_s."),
		provider_name(exchange), (double)limit / 1000);
	fail(exchange, IK_CODE_TIMEOUT, false, -1, sentence);
	free(sentence);
}

static void on_headers(void *arg, int status, const char *content_type)
{
	struct ik_exchange *exchange = arg;

	exchange->status = status;
	exchange->web_page = content_type && strncasecmp(content_type, "text/html", 9) == 0;
	exchange->last_delta_ms = ik_clock_ms();
	if (status >= 200 && status < 300 && !exchange->web_page)
		exchange->decoder = ik_decoder_new(exchange->options.model->spec.format);
	/* Until here http watches the time: it knows about a long request on a slow line. */
	if (exchange->options.idle_timeout_ms > 0)
		ik_timer_start(exchange->idle, exchange->options.idle_timeout_ms);
}

/* Return the sentence for an error inside the stream, in new memory. */
static char *error_sentence(const struct ik_exchange *exchange, const struct ik_delta *delta)
{
	bool ends = delta->text_length && strchr(".!?", delta->text[delta->text_length - 1]);
	char *whole = ik_format("%s%s", delta->text, ends ? "" : ".");
	char *sentence = ik_format(exchange->heard
			? _("Provider %s: %s What had arrived is kept; send a message to go on.")
			: _("Provider %s: %s"),
		provider_name(exchange), whole);

	free(whole);
	return sentence;
}

/* Pass on what the decoder has understood. */
static void on_delta(void *arg, const struct ik_delta *delta)
{
	struct ik_exchange *exchange = arg;
	struct ik_delta named = *delta;
	struct ik_input input = {
		.kind = IK_INPUT_DELTA,
		.request = exchange->options.number,
		.delta = &named,
	};
	char *sentence = NULL;

	if (exchange->closed)
		return; /* by the delta just before it */
	exchange->heard = exchange->heard || delta->kind <= IK_DELTA_ARGUMENTS;
	exchange->last_delta_ms = ik_clock_ms();
	if (delta->kind == IK_DELTA_OPAQUE)
		named.id = provider_name(exchange);
	if (delta->kind == IK_DELTA_ERROR) {
		sentence = error_sentence(exchange, delta);
		named.text = sentence;
		named.text_length = strlen(sentence);
		input.random = random_number();
	}
	exchange->events->input(exchange->arg, &input);
	free(sentence);
}

static void on_body(void *arg, const char *bytes, size_t length)
{
	struct ik_exchange *exchange = arg;
	size_t room = IK_LIMIT_ERROR_BODY - exchange->words.length;

	if (!exchange->decoder)
		exchange->last_delta_ms = ik_clock_ms(); /* without a stream, every byte counts */
	if (!exchange->heard)
		ik_buf_append(&exchange->words, bytes, length < room ? length : room);
	if (!exchange->decoder || exchange->unread.status != IK_OK)
		return;
	/* A stream that cannot be decoded is not read further; its end says why. */
	if (ik_decoder_feed(exchange->decoder, bytes, length, on_delta, exchange, &exchange->unread) !=
			IK_OK &&
		!exchange->closed && exchange->heard)
		fail_stream(exchange, &(struct ik_http_result){ .failure = IK_HTTP_OK }, IK_INVALID,
			&exchange->unread);
}

static void on_done(void *arg, const struct ik_http_result *result)
{
	struct ik_exchange *exchange = arg;
	struct ik_error error = { 0 };
	enum ik_status status;

	ik_timer_stop(exchange->idle);
	if (!exchange->decoder) {
		if (exchange->web_page && exchange->status < 300)
			fail_web_page(exchange);
		else if (exchange->status == 0)
			fail_transfer(exchange, result);
		else
			fail_response(exchange, exchange->status, result->retry_after_ms);
		return;
	}
	status = ik_decoder_finish(exchange->decoder, on_delta, exchange, &error);
	if (exchange->closed)
		return; /* by the last delta */
	if (status != IK_OK)
		fail_stream(exchange, result, status, &error);
	else
		end_reply(exchange);
}

/* Tell the next words of the built-in model. */
static void speak(void *arg)
{
	struct ik_exchange *exchange = arg;
	bool more = ik_script_step(&exchange->script, on_delta, exchange);

	if (exchange->closed)
		return; /* by one of these words */
	if (more)
		ik_timer_start(exchange->pace, IK_SCRIPT_PACE_MS);
	else
		end_reply(exchange);
}

/* ---- the request ---- */

/* Write the request out, or have the built-in model answer it. All of it at once: a million tokens
 * are some 4 MB, and take 7 ms. */
static enum ik_status make_request(struct ik_exchange *exchange, struct ik_error *error)
{
	const struct ik_model_spec *model = &exchange->options.model->spec;
	struct ik_request request = {
		.model = model->name,
		.endpoint = &model->endpoint,
		.forbid_calls = exchange->options.forbid_calls,
		.max_output_tokens = model->max_output_tokens,
		.thinking = model->thinking,
	};
	enum ik_status status = IK_OK;

	exchange->events->request(exchange->arg, &request);
	if (model->format->answer)
		model->format->answer(&request, &exchange->script);
	else
		status = ik_request_serialize(model->format, &request, &exchange->body, error);
	free((void *)request.tools);
	return status;
}

/* Send what make_request() has written. */
static void send_over_http(struct ik_exchange *exchange)
{
	static const struct ik_http_events events = { on_headers, on_body, on_done };
	const struct ik_model_spec *model = &exchange->options.model->spec;
	char *url = ik_wire_url(model->format, &model->endpoint, model->name);
	char **headers = ik_wire_headers(model->format, &model->endpoint);
	const struct ik_http_spec spec = {
		.method = "POST",
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

/* Deferred: send the request. The turn of the loop before has enough to do with what the request
 * is about, a large result perhaps. */
static void send_request(void *arg)
{
	struct ik_exchange *exchange = arg;
	struct ik_error error = { 0 };

	if (!exchange->options.model) {
		fail(exchange, IK_CODE_CONFIG, false, -1,
			_("No model is chosen. Set provider and model in the "
			  "configuration, or choose one with -p and -m."));
	} else if (make_request(exchange, &error) != IK_OK) {
		fail(exchange, IK_CODE_CONTEXT, false, -1, error.text);
	} else if (exchange->options.model->spec.format->answer) {
		exchange->pace = ik_timer_new(exchange->options.loop, speak, exchange);
		ik_timer_start(exchange->pace, 0);
	} else {
		send_over_http(exchange);
	}
}

struct ik_exchange *ik_exchange_start(const struct ik_exchange_options *options,
	const struct ik_exchange_events *events, void *arg)
{
	struct ik_exchange *exchange = ik_alloc(sizeof(*exchange));

	exchange->options = *options;
	if (options->model)
		ik_model_ref(options->model);
	exchange->events = events;
	exchange->arg = arg;
	ik_buf_init(&exchange->body, IK_LIMIT_REQUEST);
	ik_buf_init(&exchange->words, IK_LIMIT_ERROR_BODY);
	exchange->idle = ik_timer_new(options->loop, idle_fired, exchange);
	ik_loop_defer(options->loop, send_request, exchange);
	return exchange;
}

/* Deferred after what http has deferred: it borrowed this memory. */
static void release(void *arg)
{
	struct ik_exchange *exchange = arg;

	ik_decoder_free(exchange->decoder);
	ik_model_unref(exchange->options.model);
	ik_script_done(&exchange->script);
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
	exchange->http = ik_http_close(exchange->http);
	exchange->pace = ik_timer_close(exchange->pace);
	exchange->idle = ik_timer_close(exchange->idle);
	ik_loop_defer(exchange->options.loop, release, exchange);
	return NULL;
}
