#include "tool/mcp/transport.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "guard/sandbox.h"
#include "json/write.h"
#include "rpc/jsonrpc.h"
#include "tool/mcp/http_headers.h"
#include "tool/mcp/version.h"
#include "tool/run.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/redact.h"
#include "util/sse.h"
#include "util/text.h"

/* How often a request is sent elsewhere, and a stream that broke is taken up again. */
enum { REDIRECTS = 3, RESUMES = 5 };
/* The pause before a stream is taken up again, unless the server asks for another one. */
enum { RETRY_MS = 1000, RETRY_MOST_MS = 60000 };
/* A helper has so long, and the farewell. */
enum { HELPER_MS = 30000, FAREWELL_MS = 2000 };
/* Streams that stay open after their answer, as they should not. */
enum { OPEN_MOST = 8 };

/* What is asked of the server by one HTTP request, or several until it is answered. */
enum exchange_role {
	MESSAGE,   /* POST of a message of the client */
	RENEWAL,   /* POST of the first message again, since the session is over */
	LISTENING, /* GET: what the server says by itself */
	FAREWELL   /* DELETE */
};

struct http_exchange {
	struct http_exchange *next;
	struct mcp_http *http;
	enum exchange_role role;
	struct ik_http_request *request; /* NULL: it waits */
	char *body;
	size_t length;
	struct ik_json_span id; /* of the request in body; no value: there is none to be answered */
	struct ik_string_list mirrored;
	bool modern;
	bool initialize;  /* it begins a session */
	bool initialized; /* it says that the session has begun */
	bool subscribes;  /* to changes, for as long as it can */
	bool answered;
	bool resuming; /* a stream is taken up again, after the pause */
	bool paused;
	bool helped_again; /* the helper has been asked for new headers */
	int resumes, redirects;
	int status;
	bool streams;
	struct ik_sse events;
	struct ik_buf text;
};

struct mcp_http {
	struct ik_mcp_transport transport;
	struct ik_loop *loop;
	const struct ik_mcp_entry *entry;
	const struct ik_mcp_options *options;
	struct ik_http *client;
	char *url;
	char *session;                   /* Mcp-Session-Id; NULL: none */
	char *first;                     /* the message that began it */
	struct http_exchange *exchanges; /* in order */
	struct ik_timer *pause;
	struct ik_child *helper;
	struct ik_buf helper_out, helper_err;
	bool helped; /* the helper's headers are known */
	struct ik_string_list headers;
	bool renewing, ending, closed;
};

static void pump(struct mcp_http *http);

/* ---- exchanges ---- */

static struct http_exchange *exchange_new(struct mcp_http *http, enum exchange_role role,
	const char *body, size_t length)
{
	struct http_exchange *exchange = ik_alloc(sizeof(*exchange)), **end = &http->exchanges;

	exchange->http = http;
	exchange->role = role;
	exchange->body = body ? ik_strndup(body, length) : NULL;
	exchange->length = length;
	ik_sse_init(&exchange->events, IK_MCP_MESSAGE_LIMIT);
	ik_buf_init(&exchange->text, IK_MCP_MESSAGE_LIMIT);
	while (*end)
		end = &(*end)->next;
	*end = exchange;
	return exchange;
}

/* Deferred: its data may be at work. */
static void exchange_free(void *arg)
{
	struct http_exchange *exchange = arg;

	ik_string_list_done(&exchange->mirrored);
	ik_sse_done(&exchange->events);
	ik_buf_done(&exchange->text);
	free(exchange->body);
	free(exchange);
}

/* Be done with an exchange. What it delivers may have done that already. */
static void drop(struct http_exchange *exchange)
{
	struct http_exchange **at = &exchange->http->exchanges;

	while (*at && *at != exchange)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = exchange->next;
	exchange->request = ik_http_close(exchange->request);
	ik_loop_defer(exchange->http->loop, exchange_free, exchange);
}

/* Have it wait until it can be sent again. */
static void take_back(struct http_exchange *exchange)
{
	size_t limit = exchange->events.limit;

	exchange->request = ik_http_close(exchange->request);
	exchange->streams = false;
	exchange->status = 0;
	ik_buf_clear(&exchange->text);
	if (exchange->resuming)
		return; /* the id of the last event is still needed */
	ik_sse_done(&exchange->events);
	ik_sse_init(&exchange->events, limit);
}

static void deliver(struct mcp_http *http, const char *text, size_t length)
{
	if (!http->closed)
		http->transport.events->message(http->transport.arg, text, length);
}

/* Answer the request of an exchange by an error, and be done with it. */
static void fail(struct http_exchange *exchange, const char *sentence)
{
	struct mcp_http *http = exchange->http;
	struct ik_buf out;

	if (exchange->id.text && !exchange->answered) {
		ik_buf_init(&out, IK_MCP_MESSAGE_LIMIT);
		ik_rpc_put_error(&out, exchange->id, IK_RPC_INTERNAL_ERROR, sentence,
			(struct ik_json_span){ NULL, 0 });
		exchange->answered = true;
		deliver(http, out.data, out.length);
		ik_buf_done(&out);
	} else {
		ik_log(IK_LOG_DEBUG, "mcp: %s: %s", http->entry->name, sentence);
	}
	if (!http->closed)
		drop(exchange);
}

/* ---- a session that is over ---- */

/* Begin it anew with the message that began it; all else waits. */
static void renew(struct mcp_http *http)
{
	struct http_exchange *exchange;
	struct ik_json_span value;

	if (http->renewing)
		return;
	http->renewing = true;
	free(http->session);
	http->session = NULL;
	exchange = exchange_new(http, RENEWAL, http->first, strlen(http->first));
	exchange->initialize = true;
	if (ik_json_check(exchange->body, exchange->length, &value, NULL) == IK_OK)
		exchange->id = ik_json_member(value, "id");
}

static void finish_renewal(struct http_exchange *exchange, const struct ik_rpc_message *message)
{
	static const char begun[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
	struct mcp_http *http = exchange->http;

	exchange->answered = true;
	if (!message->result.text)
		return;
	http->renewing = false;
	exchange_new(http, MESSAGE, begun, sizeof(begun) - 1)->initialized = true;
	pump(http);
}

/* ---- answers ---- */

/* Take a message: what answers the exchange's request ends it. */
static void take_message(struct http_exchange *exchange, const char *text, size_t length)
{
	struct ik_rpc_message message = { .kind = IK_RPC_INVALID };
	struct ik_json_span value;
	bool answer;

	if (length == 0)
		return; /* an event without data has an id */
	if (ik_json_check(text, length, &value, NULL) == IK_OK)
		message = ik_rpc_read(value);
	answer = message.kind == IK_RPC_RESPONSE && exchange->id.text &&
		ik_json_equal(message.id, exchange->id);
	if (answer && exchange->role == RENEWAL) {
		finish_renewal(exchange, &message);
		return;
	}
	exchange->answered = exchange->answered || answer;
	exchange->resumes = 0;
	deliver(exchange->http, text, length);
}

static void on_event(void *arg, const char *event, const char *data, size_t length)
{
	struct http_exchange *exchange = arg;

	if (exchange->request)
		take_message(exchange, data, length);
}

static void on_headers(void *arg, int status, const char *content_type)
{
	struct http_exchange *exchange = arg;
	static const char stream[] = "text/event-stream";

	exchange->status = status;
	exchange->streams = status == 200 && content_type &&
		strncasecmp(content_type, stream, sizeof(stream) - 1) == 0;
}

static void note_session(struct http_exchange *exchange)
{
	const char *session = exchange->initialize && exchange->status == 200
		? ik_http_header(exchange->request, "Mcp-Session-Id")
		: NULL;

	if (session && !exchange->http->session)
		exchange->http->session = ik_strdup(session);
}

static void on_body(void *arg, const char *bytes, size_t length)
{
	struct http_exchange *exchange = arg;

	note_session(exchange);
	if (!exchange->streams)
		ik_buf_append(&exchange->text, bytes, length);
	else if (ik_sse_feed(&exchange->events, bytes, length, on_event, exchange) != IK_OK &&
		exchange->request)
		fail(exchange, "the server sent a message of more than 64 MiB");
}

/* ---- answers that are none ---- */

/* Return the address that a redirection of this server to itself names (new memory); NULL: it is
 * another one, which must not get our headers. */
static char *same_server(const char *url, const char *location)
{
	char *here = ik_address_of(url), *there = ik_address_of(location), *found = NULL;
	size_t scheme = strcspn(url, ":") + 1; /* with the colon */
	const char *path = strstr(url, "://");

	path = path ? path + 3 + strcspn(path + 3, "/?#") : url;
	if (location[0] == '/' && location[1] != '/')
		found = ik_format("%.*s%s", (int)(path - url), url, location);
	else if (strncasecmp(url, location, scheme) == 0 && ik_text_equal(here, there))
		found = ik_strdup(location);
	free(here);
	free(there);
	return found;
}

/* Go to where the server has moved, if it is the same one. */
static bool redirect(struct http_exchange *exchange)
{
	const char *location = ik_http_header(exchange->request, "Location");
	char *url;

	if ((exchange->status != 307 && exchange->status != 308) || !location ||
		++exchange->redirects > REDIRECTS)
		return false;
	url = same_server(exchange->http->url, location);
	if (!url)
		return false;
	free(exchange->http->url);
	exchange->http->url = url;
	take_back(exchange);
	return true;
}

static const char *file_of(const struct mcp_http *http)
{
	return http->entry->file ? http->entry->file : "mcp.json";
}

/* Append why the server refuses, in words that say what to do. */
static void put_refusal(const struct http_exchange *exchange, struct ik_buf *out)
{
	const struct mcp_http *http = exchange->http;
	const char *location = ik_http_header(exchange->request, "Location");
	char *shown = ik_redact(location);

	if (exchange->status == 401 || exchange->status == 403)
		ik_buf_printf(out,
			_("the server refuses access (HTTP %d): it wants a valid header, such as "
			  "\"Authorization\", in \"headers\" of %s"),
			exchange->status, file_of(http));
	else if (exchange->status / 100 == 3 && location)
		ik_buf_printf(out, _("the server has moved to %s: put that address into %s"), shown,
			file_of(http));
	else
		ik_buf_printf(out, _("the server answered with HTTP status %d"), exchange->status);
	free(shown);
}

/* Handle a status that is an error: try again where that helps, else answer the request with it. */
static void take_refusal(struct http_exchange *exchange)
{
	struct mcp_http *http = exchange->http;
	struct ik_rpc_message message = { .kind = IK_RPC_INVALID };
	struct ik_buf out;
	struct ik_json_span value;
	int64_t code = 0;

	if (exchange->status == 404 && http->session && http->first && exchange->role == MESSAGE &&
		!exchange->initialize && !exchange->resuming && ++exchange->redirects <= REDIRECTS) {
		take_back(exchange);
		renew(http);
		return;
	}
	if (exchange->status == 401 && http->entry->headers_helper && !exchange->helped_again) {
		exchange->helped_again = true;
		http->helped = false;
		take_back(exchange);
		return;
	}
	if (redirect(exchange))
		return;
	if (ik_json_check(exchange->text.data, exchange->text.length, &value, NULL) == IK_OK)
		message = ik_rpc_read(value);
	ik_buf_init(&out, IK_MCP_MESSAGE_LIMIT);
	if (message.error.text && ik_json_integer(ik_json_member(message.error, "code"), &code) &&
		exchange->id.text && exchange->role == MESSAGE) {
		/* Whatever id it has: it answers this request. */
		ik_json_printf(&out, "{'jsonrpc':'2.0','id':%.*s,'error':%.*s}", (int)exchange->id.length,
			exchange->id.text, (int)message.error.length, message.error.text);
		exchange->answered = true;
		deliver(http, out.data, out.length);
		if (!http->closed)
			drop(exchange);
	} else {
		put_refusal(exchange, &out);
		fail(exchange, out.data);
	}
	ik_buf_done(&out);
}

/* ---- the end of a response ---- */

static void on_pause(void *arg)
{
	struct mcp_http *http = arg;

	for (struct http_exchange *exchange = http->exchanges; exchange; exchange = exchange->next)
		exchange->paused = false;
	pump(http);
}

/* Take up a stream where it broke, after a pause, which the older versions can, or subscribe again.
 * Return false if that can't be done. */
static bool resume(struct http_exchange *exchange)
{
	int64_t pause_ms = exchange->events.retry_ms >= 0 ? exchange->events.retry_ms
													  : (int64_t)RETRY_MS << exchange->resumes;

	if (!exchange->streams || exchange->resumes++ >= RESUMES ||
		(exchange->role == MESSAGE && !exchange->subscribes &&
			(exchange->modern || exchange->events.last_id.length == 0)))
		return false;
	exchange->resuming = !exchange->subscribes;
	exchange->paused = true;
	take_back(exchange);
	if (!ik_timer_running(exchange->http->pause))
		ik_timer_start(exchange->http->pause, pause_ms < RETRY_MOST_MS ? pause_ms : RETRY_MOST_MS);
	return true;
}

/* Listen to what a server of the older versions says by itself. */
static void listen_to(struct mcp_http *http)
{
	struct http_exchange *exchange = http->exchanges;

	while (exchange && exchange->role != LISTENING)
		exchange = exchange->next;
	if (exchange)
		drop(exchange);
	(void)exchange_new(http, LISTENING, NULL, 0);
}

/* A response has ended with a good status. */
static void take_end(struct http_exchange *exchange, const char *broken)
{
	struct mcp_http *http = exchange->http;

	if (!exchange->streams && exchange->text.length > 0 && !broken)
		take_message(exchange, exchange->text.data, exchange->text.length);
	if (http->closed)
		return;
	if (exchange->initialized)
		listen_to(http);
	if (!exchange->answered && (exchange->id.text || exchange->role == LISTENING) &&
		resume(exchange)) {
		return;
	} else if (!exchange->answered && exchange->id.text) {
		fail(exchange, broken ? broken : "the server's response had no answer in it");
	} else {
		drop(exchange);
	}
}

static void report_over(void *arg)
{
	struct mcp_http *http = arg;

	if (!http->closed)
		http->transport.events->over(http->transport.arg, _("the session has been ended"), NULL);
}

static void on_done(void *arg, const struct ik_http_result *result)
{
	struct http_exchange *exchange = arg;
	struct mcp_http *http = exchange->http;

	note_session(exchange);
	if (exchange->role == RENEWAL)
		http->renewing = false; /* also if it has failed: then so does what waits */
	if (exchange->role == FAREWELL) {
		drop(exchange);
		report_over(http);
		return;
	}
	if (result->failure != IK_HTTP_OK && exchange->status / 100 != 2)
		fail(exchange, result->message);
	else if (ik_buf_status(&exchange->text) != IK_OK)
		fail(exchange, "the server sent a message of more than 64 MiB");
	else if (exchange->status / 100 == 2)
		take_end(exchange, result->failure != IK_HTTP_OK ? result->message : NULL);
	else if (exchange->role == LISTENING)
		drop(exchange); /* it has nothing to say */
	else
		take_refusal(exchange);
	if (!http->closed)
		pump(http);
}

/* ---- requests ---- */

static void put_headers(const struct http_exchange *exchange, struct ik_string_list *headers)
{
	const struct mcp_http *http = exchange->http;
	const struct ik_string_list *const lists[] = { &http->headers, &exchange->mirrored };
	char **own = http->entry->headers;
	bool posts = exchange->body && !exchange->resuming;

	for (; own && *own; own++)
		ik_string_list_add(headers, ik_strdup(*own));
	for (size_t list = 0; list < (posts ? 2 : 1); list++)
		for (size_t i = 0; i < lists[list]->count; i++)
			ik_string_list_add(headers, ik_strdup(lists[list]->items[i]));
	if (posts)
		ik_string_list_add(headers, ik_strdup("Content-Type: application/json"));
	ik_string_list_add(headers,
		ik_strdup(posts ? "Accept: application/json, text/event-stream"
						: "Accept: text/event-stream"));
	if (exchange->modern)
		ik_mcp_header_add(headers, "MCP-Protocol-Version", IK_MCP_MODERN);
	else if (http->transport.version && !exchange->initialize)
		ik_mcp_header_add(headers, "MCP-Protocol-Version", http->transport.version);
	if (http->session && !exchange->modern && !exchange->initialize)
		ik_mcp_header_add(headers, "Mcp-Session-Id", http->session);
	if (exchange->resuming && exchange->events.last_id.length > 0)
		ik_mcp_header_add(headers, "Last-Event-ID", exchange->events.last_id.data);
}

static void start(struct http_exchange *exchange)
{
	static const struct ik_http_events events = { on_headers, on_body, on_done };
	struct mcp_http *http = exchange->http;
	struct ik_string_list headers = { NULL, 0 };
	bool posts = exchange->body && !exchange->resuming;

	put_headers(exchange, &headers);
	exchange->request = ik_http_start(http->client,
		&(struct ik_http_spec){
			.url = http->url,
			.headers = (const char *const *)headers.items,
			.body = posts ? exchange->body : NULL,
			.body_length = posts ? exchange->length : 0,
			.method = exchange->role == FAREWELL ? "DELETE" : NULL,
			.idle_timeout_ms = exchange->role == FAREWELL ? FAREWELL_MS : 0,
		},
		&events, exchange);
	ik_string_list_done(&headers);
}

/* ---- the helper ---- */

static void on_helper_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct mcp_http *http = arg;
	struct ik_buf *out = stream == IK_STDOUT ? &http->helper_out : &http->helper_err;

	ik_buf_append(out, bytes, length);
}

/* Without its headers nothing can be asked: answer all that wait. */
static void fail_waiting(struct mcp_http *http, const char *sentence)
{
	struct http_exchange *exchange = http->exchanges, *next;

	for (; exchange && !http->closed; exchange = next) {
		next = exchange->next;
		if (!exchange->request)
			fail(exchange, sentence);
	}
}

static void on_helper_done(void *arg, const struct ik_child_result *result)
{
	struct mcp_http *http = arg;
	struct ik_buf *out = &http->helper_out, *err = &http->helper_err;
	struct ik_json_span value;
	char *sentence;

	http->helper = ik_child_close(http->helper);
	ik_string_list_done(&http->headers);
	http->helped = result->exited && result->exit_code == 0 && ik_buf_status(out) == IK_OK &&
		ik_json_check(out->data, out->length, &value, NULL) == IK_OK &&
		ik_mcp_headers_read(&http->headers, value);
	if (!http->helped) {
		ik_buf_trim(err, 0, "\r\n ");
		sentence = ik_format(_("\"headersHelper\" of %s printed no JSON object of headers%s%s"),
			file_of(http), err->length > 0 ? ": " : "", err->data);
		fail_waiting(http, sentence);
		free(sentence);
	}
	if (!http->closed)
		pump(http);
}

/* Start the command that prints headers, in the sandbox. */
static enum ik_status start_helper(struct mcp_http *http, struct ik_error *error)
{
	static const struct ik_child_events events = { on_helper_output, on_helper_done };
	const struct ik_mcp_options *options = http->options;
	const char *const argv[] = { "sh", "-c", http->entry->headers_helper, NULL };
	const char *const sandbox[] = { ik_sandbox_variable(options->sandbox, http->entry->name),
		NULL };
	const char **environment = ik_environment_with(options->environment, sandbox);
	struct ik_child_spec spec = {
		.path = "/bin/sh",
		.argv = argv,
		.environment = environment,
		.directory = options->directory,
		.timeout_ms = HELPER_MS,
	};
	enum ik_status status;

	ik_buf_clear(&http->helper_out);
	ik_buf_clear(&http->helper_err);
	status = ik_sandbox_start(options->sandbox, http->entry->name, IK_SANDBOX_CALL, http->loop,
		&spec, &events, http, &http->helper, error);
	free(environment);
	return status;
}

/* Deferred: never from inside send. */
static void run_helper(void *arg)
{
	struct mcp_http *http = arg;
	struct ik_error error;

	if (!http->closed && !http->helper && !http->helped && start_helper(http, &error) != IK_OK)
		fail_waiting(http, error.text);
}

/* Start all that waits for nothing. */
static void pump(struct mcp_http *http)
{
	if (http->entry->headers_helper && !http->helped) {
		ik_loop_cancel_deferred(http->loop, run_helper, http);
		if (http->exchanges && !http->helper)
			ik_loop_defer(http->loop, run_helper, http);
		return;
	}
	for (struct http_exchange *exchange = http->exchanges; exchange; exchange = exchange->next)
		if (!exchange->request && !exchange->paused &&
			(!http->renewing || exchange->role == RENEWAL))
			start(exchange);
}

/* ---- the transport ---- */

/* Return the exchange of a request; NULL: it is over. */
static struct http_exchange *find(const struct mcp_http *http, struct ik_json_span id)
{
	struct http_exchange *exchange = http->exchanges;

	while (exchange && !(exchange->id.text && ik_json_equal(exchange->id, id)))
		exchange = exchange->next;
	return exchange;
}

/* Close the oldest of the streams that stay open for nothing. */
static void close_open(struct mcp_http *http)
{
	struct http_exchange *oldest = NULL;
	int count = 0;

	for (struct http_exchange *exchange = http->exchanges; exchange; exchange = exchange->next)
		if (exchange->answered && count++ == 0)
			oldest = exchange;
	if (count > OPEN_MOST)
		drop(oldest);
}

static bool http_send(struct ik_mcp_transport *transport, struct ik_json_span text,
	struct ik_json_span schema)
{
	struct mcp_http *http = (struct mcp_http *)transport;
	struct ik_rpc_message message = ik_rpc_read(text);
	struct ik_json_span meta = ik_json_member(message.params, "_meta");
	struct http_exchange *exchange;

	if (http->ending)
		return false;
	close_open(http);
	if (ik_json_string_is(message.method, "notifications/cancelled")) {
		exchange = find(http, ik_json_member(message.params, "requestId"));
		if (exchange)
			drop(exchange);
		/* For a modern server, the end of the stream says it. */
		if (ik_text_equal(transport->version, IK_MCP_MODERN))
			return true;
	}
	exchange = exchange_new(http, MESSAGE, text.text, text.length);
	exchange->modern = ik_json_member(meta, IK_MCP_META "protocolVersion").text;
	exchange->initialize = ik_json_string_is(message.method, "initialize");
	exchange->initialized = ik_json_string_is(message.method, "notifications/initialized");
	exchange->subscribes = ik_json_string_is(message.method, "subscriptions/listen");
	if (message.kind == IK_RPC_REQUEST)
		exchange->id = (struct ik_json_span){ exchange->body + (message.id.text - text.text),
			message.id.length };
	if (exchange->modern)
		ik_mcp_headers_mirror(&exchange->mirrored, message.method, message.params, schema);
	if (exchange->initialize) {
		free(http->first);
		http->first = ik_strdup(exchange->body);
	}
	pump(http);
	return true;
}

static void http_end(struct ik_mcp_transport *transport)
{
	struct mcp_http *http = (struct mcp_http *)transport;

	if (http->ending)
		return;
	http->ending = true;
	while (http->exchanges)
		drop(http->exchanges);
	if (http->session)
		start(exchange_new(http, FAREWELL, NULL, 0));
	else
		ik_loop_defer(http->loop, report_over, http);
}

/* Deferred: a message may be at work. */
static void release(void *arg)
{
	struct mcp_http *http = arg;

	ik_string_list_done(&http->headers);
	ik_buf_done(&http->helper_out);
	ik_buf_done(&http->helper_err);
	free(http->url);
	free(http->session);
	free(http->first);
	free(http);
}

static void http_close(struct ik_mcp_transport *transport)
{
	struct mcp_http *http = (struct mcp_http *)transport;

	http->closed = true;
	while (http->exchanges)
		drop(http->exchanges);
	ik_loop_cancel_deferred(http->loop, report_over, http);
	ik_loop_cancel_deferred(http->loop, run_helper, http);
	http->pause = ik_timer_close(http->pause);
	http->helper = ik_child_close(http->helper);
	http->client = ik_http_free(http->client);
	ik_loop_defer(http->loop, release, http);
}

struct ik_mcp_transport *ik_mcp_http_new(struct ik_loop *loop, const struct ik_mcp_entry *entry,
	const struct ik_mcp_options *options, const struct ik_mcp_transport_events *events, void *arg)
{
	static const struct ik_mcp_transport_ops ops = { http_send, http_end, http_close };
	struct mcp_http *http = ik_alloc(sizeof(*http));

	http->transport = (struct ik_mcp_transport){ &ops, events, arg, NULL };
	http->loop = loop;
	http->entry = entry;
	http->options = options;
	http->client = ik_http_new(loop, &options->http);
	http->url = ik_strdup(entry->url);
	http->pause = ik_timer_new(loop, on_pause, http);
	ik_buf_init(&http->helper_out, IK_KIB(64));
	ik_buf_init(&http->helper_err, IK_KIB(4));
	return &http->transport;
}
