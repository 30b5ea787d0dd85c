#include "agent/session/session_private.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/transfer.h"
#include "net/address.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* One request and its answer. */
struct ik_exchange {
	struct ik_session *session;
	int number; /* the turn's */
	bool forbid_calls;
	struct ik_model *model; /* as it was when the request left */
	struct ik_http_request *http;
	struct ik_stream_decoder *decoder;
	struct ik_buf body;      /* of the request */
	struct ik_buf words;     /* the beginning of an answer that is no stream */
	struct ik_script script; /* of the model that is built in, */
	struct ik_timer *pace;   /* told step by step; NULL: a server answers */
	struct ik_timer *idle;
	int64_t last_delta_ms;
	int status;
	bool web_page;
	bool heard; /* something of the reply has come */
	bool closed;
	struct ik_error unread; /* why the stream cannot be decoded */
};

/* ---- what goes wrong, in words ---- */

static uint32_t random_number(void)
{
	char uuid[IK_UUID_TEXT];

	/* The last 32 bits of one are random. */
	ik_uuid_new(uuid);
	return (uint32_t)strtoul(uuid + IK_UUID_TEXT - 1 - 8, NULL, 16);
}

/* Tell whoever asked. */
static void tell(struct ik_session *session, const struct ik_input *input)
{
	if (input->request == IK_SUMMARY_REQUEST)
		ik_compaction_take(session, input);
	else
		ik_session_post(session, input);
}

/* Tell that the request has failed. */
static void fail(struct ik_exchange *exchange, enum ik_error_code code, bool retryable,
	int64_t retry_after_ms, const char *sentence)
{
	struct ik_session *session = exchange->session;
	struct ik_input input = {
		.kind = IK_INPUT_STREAM_FAILED,
		.request = exchange->number,
		.code = code,
		.text = sentence,
		.text_length = strlen(sentence),
		.retryable = retryable,
		.retry_after_ms = retry_after_ms,
		.random = random_number(),
	};

	session->exchange = ik_exchange_close(exchange);
	tell(session, &input);
}

static const char *provider_name(const struct ik_exchange *exchange)
{
	const char *name = exchange->model->spec.endpoint.provider;

	return name ? name : "?";
}

/* No answer, or half of one. */
static void fail_transfer(struct ik_exchange *exchange, const struct ik_http_result *result)
{
	struct ik_buf sentence;
	bool retryable;
	enum ik_error_code code;

	ik_buf_init(&sentence, IK_KIB(16));
	ik_transfer_failed(&sentence, exchange->model->spec.endpoint.provider, result, exchange->heard,
		&code, &retryable);
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
	ik_provider_error(&exchange->model->spec.endpoint, status, exchange->words.data,
		exchange->words.length, &sentence, &code, &retryable);
	fail(exchange, code, retryable, retry_after_ms, sentence.data);
	ik_buf_done(&sentence);
}

/* The address answers, but not as a provider. */
static void fail_web_page(struct ik_exchange *exchange)
{
	const char *name = provider_name(exchange);
	char *address = ik_address_of(exchange->model->spec.endpoint.base_url);
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

/* ---- the answer ---- */

/* The reply is whole. */
static void end_reply(struct ik_exchange *exchange)
{
	struct ik_session *session = exchange->session;
	struct ik_input input = { .kind = IK_INPUT_STREAM_END, .request = exchange->number };

	session->exchange = ik_exchange_close(exchange);
	tell(session, &input);
}

/* No event for too long. */
static void idle_fired(void *arg)
{
	struct ik_exchange *exchange = arg;
	int64_t limit = exchange->session->options.idle_timeout_ms;
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
		exchange->decoder = exchange->model->spec.format->decoder_new();
	/* The time until here is http's: it knows of a long request on a slow line. */
	if (exchange->session->options.idle_timeout_ms > 0)
		ik_timer_start(exchange->idle, exchange->session->options.idle_timeout_ms);
}

/* An error inside the stream, as a sentence in new memory. */
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

/* The decoder understood something. */
static void on_delta(void *arg, const struct ik_delta *delta)
{
	struct ik_exchange *exchange = arg;
	struct ik_delta named = *delta;
	struct ik_input input = {
		.kind = IK_INPUT_DELTA,
		.request = exchange->number,
		.delta = &named,
	};
	char *sentence = NULL;

	if (exchange->closed)
		return; /* by what came just before it */
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
	tell(exchange->session, &input);
	free(sentence);
}

static void on_body(void *arg, const char *bytes, size_t length)
{
	struct ik_exchange *exchange = arg;
	size_t room = IK_LIMIT_ERROR_BODY - exchange->words.length;

	if (!exchange->decoder)
		exchange->last_delta_ms = ik_clock_ms(); /* of words, every byte counts */
	if (!exchange->heard)
		ik_buf_append(&exchange->words, bytes, length < room ? length : room);
	if (!exchange->decoder || exchange->unread.status != IK_OK)
		return;
	/* What cannot be read is not read further; its end says why. */
	if (exchange->model->spec.format->feed(exchange->decoder, bytes, length, on_delta, exchange,
			&exchange->unread) != IK_OK &&
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
	status = exchange->model->spec.format->finish(exchange->decoder, on_delta, exchange, &error);
	if (exchange->closed)
		return; /* by a delta that came at last */
	if (status != IK_OK)
		fail_stream(exchange, result, status, &error);
	else
		end_reply(exchange);
}

/* The model that is built in says its next words. */
static void speak(void *arg)
{
	struct ik_exchange *exchange = arg;
	bool more = ik_script_step(&exchange->script, on_delta, exchange);

	if (exchange->closed)
		return; /* by one of them */
	if (more)
		ik_timer_start(exchange->pace, IK_SCRIPT_PACE_MS);
	else
		end_reply(exchange);
}

/* ---- the request ---- */

struct ik_tool_definition ik_session_tool_definition(const struct ik_tool *tool)
{
	return (struct ik_tool_definition){
		.name = tool->name,
		.description = tool->description,
		.parameters = { tool->parameters, tool->parameters_length },
	};
}

struct ik_tool_definition *ik_session_tools(const struct ik_session *session, size_t *ret_count)
{
	size_t all = session->options.no_tools ? 0 : ik_registry_count(session->registry);
	struct ik_tool_definition *tools = ik_alloc((all + 1) * sizeof(*tools));
	size_t count = 0, i;

	for (i = 0; i < all; i++) {
		const struct ik_tool *tool = ik_registry_at(session->registry, i);

		if (tool->state != IK_TOOL_OK)
			continue;
		tools[count++] = ik_session_tool_definition(tool);
	}
	*ret_count = count;
	return tools;
}

void ik_session_tools_free(struct ik_tool_definition *tools)
{
	free(tools);
}

/* Write the request out, or have the model that is built in answer it. All of it at once: a million
 * tokens are some 4 MB, and take 7 ms. */
static enum ik_status make_request(struct ik_exchange *exchange, struct ik_error *error)
{
	const struct ik_wire_format *format = exchange->model->spec.format;
	struct ik_session *session = exchange->session;
	struct ik_request request = {
		.model = exchange->model->spec.name,
		.endpoint = &exchange->model->spec.endpoint,
		.system_prompt = session->system_prompt,
		.conversation = exchange->number == IK_SUMMARY_REQUEST ? ik_compaction_asked(session)
															   : session->conversation,
		.forbid_calls = exchange->forbid_calls,
		.max_output_tokens = exchange->model->spec.max_output_tokens,
		.thinking = exchange->model->spec.thinking,
	};
	struct ik_tool_definition *tools = ik_session_tools(session, &request.tool_count);
	enum ik_status status = IK_OK;

	request.tools = tools;
	if (format->answer)
		format->answer(&request, &exchange->script);
	else
		status = ik_request_serialize(format, &request, &exchange->body, error);
	ik_session_tools_free(tools);
	return status;
}

/* Without a request: say why, once the present step is over. */
static void refuse(struct ik_session *session, int number, enum ik_error_code code,
	const char *sentence)
{
	struct ik_input input = {
		.kind = IK_INPUT_STREAM_FAILED,
		.request = number,
		.code = code,
		.text = sentence,
		.text_length = strlen(sentence),
		.retry_after_ms = -1,
	};

	tell(session, &input);
}

/* Deferred: write the request and let it go. The turn of the loop before has enough to do with what
 * it is about, a large result perhaps. */
static void send_request(void *arg)
{
	static const struct ik_http_events events = { on_headers, on_body, on_done };
	struct ik_exchange *exchange = arg;
	struct ik_session *session = exchange->session;
	struct ik_http_spec spec = { .method = "POST" };
	struct ik_error error = { 0 };
	char **headers, *url;

	if (make_request(exchange, &error) != IK_OK) {
		int number = exchange->number;

		session->exchange = ik_exchange_close(exchange);
		refuse(session, number, IK_CODE_CONTEXT, error.text);
		return;
	}
	if (exchange->model->spec.format->answer) {
		exchange->pace = ik_timer_new(session->options.loop, speak, exchange);
		ik_timer_start(exchange->pace, 0);
		return;
	}
	url = exchange->model->spec.format->url(&exchange->model->spec.endpoint,
		exchange->model->spec.name);
	headers = exchange->model->spec.format->headers(&exchange->model->spec.endpoint);
	spec.url = url;
	spec.body = exchange->body.data;
	spec.body_length = exchange->body.length;
	spec.headers = (const char *const *)headers;
	spec.idle_timeout_ms = session->options.idle_timeout_ms;
	exchange->http = ik_http_start(session->options.http, &spec, &events, exchange);
	ik_wire_headers_free(headers);
	free(url);
}

void ik_exchange_start(struct ik_session *session, int number, bool forbid_calls)
{
	struct ik_exchange *exchange;

	if (!session->model) {
		refuse(session, number, IK_CODE_CONFIG,
			_("No model is chosen. Set provider and model in the "
			  "configuration, or choose one with -p and -m."));
		return;
	}
	exchange = ik_alloc(sizeof(*exchange));
	exchange->session = session;
	exchange->number = number;
	exchange->model = ik_model_ref(session->model);
	ik_buf_init(&exchange->body, IK_LIMIT_REQUEST);
	ik_buf_init(&exchange->words, IK_LIMIT_ERROR_BODY);
	exchange->idle = ik_timer_new(session->options.loop, idle_fired, exchange);
	exchange->forbid_calls = forbid_calls;
	session->exchange = exchange;
	ik_loop_defer(session->options.loop, send_request, exchange);
}

/* Deferred, behind what http has deferred: the memory that it borrowed too. */
static void release(void *arg)
{
	struct ik_exchange *exchange = arg;

	if (exchange->decoder)
		exchange->model->spec.format->decoder_free(exchange->decoder);
	ik_model_unref(exchange->model);
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
	ik_loop_cancel_deferred(exchange->session->options.loop, send_request, exchange);
	exchange->http = ik_http_close(exchange->http);
	exchange->pace = ik_timer_close(exchange->pace);
	exchange->idle = ik_timer_close(exchange->idle);
	ik_loop_defer(exchange->session->options.loop, release, exchange);
	return NULL;
}
