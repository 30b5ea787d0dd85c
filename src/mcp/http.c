#include "mcp/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "core/print.h"
#include "net/http_server.h"
#include "rpc/jsonrpc.h"
#include "tool/mcp/version.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/uuid.h"

/* MCP's own error code. */
enum { HEADER_MISMATCH = -32020 };

#define LARGEST IK_MIB(64)
/* Sessions that may be open at a time. Clients forget to close theirs, so the one that was used
 * longest ago ends when another begins. */
enum { SESSIONS = 1000 };

enum {
	STATUS_OK = 200,
	STATUS_ACCEPTED = 202,
	STATUS_BAD_REQUEST = 400,
	STATUS_UNAUTHORIZED = 401,
	STATUS_FORBIDDEN = 403,
	STATUS_NOT_FOUND = 404,
	STATUS_METHOD = 405,
	STATUS_CONFLICT = 409,
	STATUS_MEDIA_TYPE = 415
};

/* A session with an id. */
struct http_session {
	struct http_session *next;
	char id[IK_UUID_TEXT];
	struct ik_mcp_session *session;
	struct http_answer *events; /* its stream; NULL: none */
};

/* An exchange that isn't finished. */
struct http_answer {
	struct ik_mcp_channel channel;
	struct http_answer *next;
	struct http *http;
	struct ik_http_exchange *exchange;
	struct http_session *owner;     /* NULL: a request by itself */
	struct ik_mcp_session *session; /* the owner's, or one for this request */
	struct ik_buf held;             /* the first answer, until it is known whether more follows */
	bool streams;                   /* the stream has begun */
	bool takes_streams;
};

struct http {
	struct ik_cli *cli;
	struct ik_mcp_server *server;
	struct ik_http_server *listener;
	char *address, *token;
	struct http_session *sessions; /* the last used one first */
	size_t session_count;
	struct http_answer *answers;
};

/* ---- answers ---- */

static void answer_empty(struct ik_http_exchange *exchange, int status)
{
	ik_http_exchange_answer(exchange, status, NULL, 0);
}

static void answer_json(struct ik_http_exchange *exchange, int status, const struct ik_buf *text)
{
	ik_http_exchange_add(exchange, "Content-Type", "application/json");
	ik_http_exchange_answer(exchange, status, text->data, text->length);
}

/* Begin the stream, if it hasn't begun. */
static void begin_stream(struct http_answer *answer)
{
	if (answer->streams)
		return;
	answer->streams = true;
	ik_http_exchange_add(answer->exchange, "Content-Type", "text/event-stream");
	ik_http_exchange_add(answer->exchange, "Cache-Control", "no-cache");
	ik_http_exchange_add(answer->exchange, "X-Accel-Buffering", "no");
	ik_http_exchange_begin(answer->exchange);
}

static void stream(struct http_answer *answer, const char *text, size_t length)
{
	struct ik_buf event;

	begin_stream(answer);
	ik_buf_init(&event, IK_LIMIT_ENVELOPE);
	ik_buf_puts(&event, "event: message\ndata: ");
	ik_buf_append(&event, text, length);
	ik_buf_puts(&event, "\n\n");
	if (ik_buf_status(&event) == IK_OK)
		ik_http_exchange_write(answer->exchange, event.data, event.length);
	ik_buf_done(&event);
}

/* Hold the first answer, and stream it only if something else follows or came before. */
static void on_send(struct ik_mcp_channel *channel, const char *text, size_t length)
{
	struct http_answer *answer = (struct http_answer *)channel;
	bool notification = ik_text_starts(text, "{\"jsonrpc\":\"2.0\",\"method\":");

	if (!answer->exchange || (notification && !answer->takes_streams))
		return;
	if (!notification && !answer->streams && answer->held.length == 0) {
		ik_buf_append(&answer->held, text, length);
		return;
	}
	if (answer->held.length > 0)
		stream(answer, answer->held.data, answer->held.length);
	ik_buf_clear(&answer->held);
	stream(answer, text, length);
}

/* Return the status for an answer: of an error, unless it belongs to a session, whose client finds it
 * in the body. */
static int status_of(const struct http_answer *answer)
{
	struct ik_json_span message;
	int64_t code = 0;

	if (ik_json_check(answer->held.data, answer->held.length, &message, NULL) == IK_OK)
		(void)ik_json_integer(ik_json_at(message, "error.code"), &code);
	if (code == IK_RPC_PARSE_ERROR || code == IK_RPC_INVALID_REQUEST)
		return STATUS_BAD_REQUEST;
	if (code == 0 || answer->owner)
		return STATUS_OK;
	return code == IK_RPC_UNKNOWN_METHOD ? STATUS_NOT_FOUND : STATUS_BAD_REQUEST;
}

/* Forget an answer; its exchange is over. */
static void release(struct http_answer *answer)
{
	struct http_answer **at = &answer->http->answers;

	while (*at != answer)
		at = &(*at)->next;
	*at = answer->next;
	if (answer->owner && answer->owner->events == answer)
		answer->owner->events = NULL;
	if (answer->session)
		ik_mcp_session_leave(answer->session, &answer->channel, !answer->owner);
	if (!answer->owner)
		(void)ik_mcp_session_close(answer->session);
	ik_buf_done(&answer->held);
	free(answer);
}

/* Deferred: finish the exchange, since no request of it is unanswered. */
static void finish(void *arg)
{
	struct http_answer *answer = arg;

	if (answer->streams)
		ik_http_exchange_end(answer->exchange);
	else if (answer->held.length > 0)
		answer_json(answer->exchange, status_of(answer), &answer->held);
	else
		answer_empty(answer->exchange, answer->session ? STATUS_ACCEPTED : STATUS_NOT_FOUND);
	release(answer);
}

static void on_settled(struct ik_mcp_channel *channel)
{
	struct http_answer *answer = (struct http_answer *)channel;

	ik_loop_defer(answer->http->cli->loop, finish, answer);
}

static struct http_answer *new_answer(struct http *http, struct ik_http_exchange *exchange,
	struct http_session *owner)
{
	struct http_answer *answer = ik_alloc(sizeof(*answer));
	const char *accepts = ik_http_exchange_header(exchange, "Accept");

	answer->channel.send = on_send;
	answer->http = http;
	answer->exchange = exchange;
	answer->owner = owner;
	answer->session = owner ? owner->session : ik_mcp_session_new(http->server);
	answer->takes_streams = accepts && strstr(accepts, "text/event-stream");
	answer->next = http->answers;
	http->answers = answer;
	ik_buf_init(&answer->held, IK_LIMIT_ENVELOPE);
	exchange->data = answer;
	return answer;
}

/* The client has left: it is no longer interested in a request by itself, but a session may be. */
static void on_gone(void *arg, struct ik_http_exchange *exchange)
{
	struct http *http = arg;
	struct http_answer *answer = exchange->data;

	if (!answer)
		return;
	ik_loop_cancel_deferred(http->cli->loop, finish, answer);
	release(answer);
}

/* ---- sessions ---- */

/* Return the session that a request uses; NULL: none. */
static struct http_session *find_session(struct http *http, const struct ik_http_exchange *exchange)
{
	const char *id = ik_http_exchange_header(exchange, "Mcp-Session-Id");
	struct http_session **at = &http->sessions, *session;

	while (*at && (!id || !ik_text_equal((*at)->id, id)))
		at = &(*at)->next;
	session = *at;
	if (session) {
		*at = session->next;
		session->next = http->sessions;
		http->sessions = session;
	}
	return session;
}

/* End a session with all that it has to answer. */
static void end_session(struct http *http, struct http_session *session)
{
	struct http_session **at = &http->sessions;
	struct http_answer *answer = http->answers, *next;

	session->session = ik_mcp_session_close(session->session);
	for (; answer; answer = next) {
		next = answer->next;
		if (answer->owner != session)
			continue;
		answer->session = NULL;
		ik_loop_cancel_deferred(http->cli->loop, finish, answer);
		finish(answer);
	}
	while (*at != session)
		at = &(*at)->next;
	*at = session->next;
	http->session_count--;
	free(session);
}

/* Make the session that an exchange begins. */
static struct http_session *open_session(struct http *http, struct ik_http_exchange *exchange)
{
	struct http_session *session = ik_alloc(sizeof(*session)), *last = http->sessions;

	while (last && last->next)
		last = last->next;
	if (http->session_count == SESSIONS)
		end_session(http, last);
	ik_uuid_new(session->id);
	session->session = ik_mcp_session_new(http->server);
	session->next = http->sessions;
	http->sessions = session;
	http->session_count++;
	ik_http_exchange_add(exchange, "Mcp-Session-Id", session->id);
	return session;
}

/* ---- requests ---- */

/* Answer with an error that concerns the headers. */
static void refuse_headers(struct ik_http_exchange *exchange, struct ik_json_span id,
	const char *sentence)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_rpc_put_error(&out, id, HEADER_MISMATCH, sentence, (struct ik_json_span){ NULL, 0 });
	answer_json(exchange, STATUS_BAD_REQUEST, &out);
	ik_buf_done(&out);
}

/* Is a header the same as a string of the message? */
static bool header_is(const struct ik_http_exchange *exchange, const char *name,
	struct ik_json_span value)
{
	const char *header = ik_http_exchange_header(exchange, name);

	return header && ik_json_string_is(value, header);
}

/* Return what is wrong with the headers of a request that names its version, or NULL. */
static const char *wrong_header(const struct ik_http_exchange *exchange,
	const struct ik_rpc_message *message, struct ik_json_span version)
{
	struct ik_json_span name = ik_json_member(message->params, "name");

	if (!header_is(exchange, "MCP-Protocol-Version", version))
		return "The header MCP-Protocol-Version is missing or differs from _meta";
	if (!header_is(exchange, "Mcp-Method", message->method))
		return "The header Mcp-Method is missing or differs from the method";
	if (ik_json_string_is(message->method, "tools/call") && name.text &&
		!header_is(exchange, "Mcp-Name", name))
		return "The header Mcp-Name is missing or differs from the tool's name";
	return NULL;
}

static void take_post(struct http *http, struct ik_http_exchange *exchange)
{
	const char *id = ik_http_exchange_header(exchange, "Mcp-Session-Id"), *wrong = NULL;
	const char *type = ik_http_exchange_header(exchange, "Content-Type");
	struct http_session *owner = find_session(http, exchange);
	struct ik_json_span value = { NULL, 0 }, version;
	struct ik_rpc_message message;
	struct http_answer *answer;

	if (!type || strncasecmp(type, "application/json", strlen("application/json")) != 0) {
		answer_empty(exchange, STATUS_MEDIA_TYPE);
		return;
	}
	if (id && !owner) {
		answer_empty(exchange, STATUS_NOT_FOUND);
		return;
	}
	if (ik_json_check(exchange->body, exchange->length, &value, NULL) != IK_OK)
		value = (struct ik_json_span){ NULL, 0 };
	message = ik_rpc_read(value);
	version = ik_json_member(ik_json_member(message.params, "_meta"),
		IK_MCP_META "protocolVersion");
	if (version.text)
		wrong = wrong_header(exchange, &message, version);
	if (wrong) {
		refuse_headers(exchange, message.id, wrong);
		return;
	}
	if (!id && !version.text && message.kind == IK_RPC_REQUEST &&
		ik_json_string_is(message.method, "initialize"))
		owner = open_session(http, exchange);
	answer = new_answer(http, exchange, version.text ? NULL : owner);
	answer->channel.settled = on_settled;
	ik_mcp_session_take(answer->session, &answer->channel, exchange->body, exchange->length);
}

/* Open the stream of a session. */
static void take_get(struct http *http, struct ik_http_exchange *exchange)
{
	const char *id = ik_http_exchange_header(exchange, "Mcp-Session-Id");
	struct http_session *owner = find_session(http, exchange);
	struct http_answer *answer;

	if (!owner || owner->events) {
		answer_empty(exchange, !id ? STATUS_METHOD : owner ? STATUS_CONFLICT : STATUS_NOT_FOUND);
		return;
	}
	answer = new_answer(http, exchange, owner);
	owner->events = answer;
	ik_mcp_session_listen(owner->session, &answer->channel);
	begin_stream(answer);
}

static void take_delete(struct http *http, struct ik_http_exchange *exchange)
{
	const char *id = ik_http_exchange_header(exchange, "Mcp-Session-Id");
	struct http_session *session = find_session(http, exchange);

	if (session)
		end_session(http, session);
	answer_empty(exchange, session ? STATUS_OK : !id ? STATUS_METHOD : STATUS_NOT_FOUND);
}

/* ---- who may ask ---- */

/* Is it a name of this machine, with or without a port? */
static bool is_local(const struct http *http, const char *host)
{
	const char *const names[] = { "localhost", "127.0.0.1", "[::1]", http->address };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = strlen(names[i]);

		if (strncasecmp(host, names[i], length) == 0 &&
			(host[length] == '\0' || host[length] == ':'))
			return true;
	}
	return false;
}

/* Do the headers come from this machine? A page of a foreign site has its own Origin, or, if its name
 * was made to lead here, its own Host. */
static bool is_from_here(const struct http *http, const struct ik_http_exchange *exchange)
{
	const char *origin = ik_http_exchange_header(exchange, "Origin");
	const char *host = ik_http_exchange_header(exchange, "Host");
	const char *name = origin ? strstr(origin, "://") : NULL;

	return (!origin || (name && is_local(http, name + 3))) && (!host || is_local(http, host));
}

/* Does the request have the token? Takes as long for every wrong one. */
static bool has_token(const struct http *http, const struct ik_http_exchange *exchange)
{
	static const char scheme[] = "Bearer ";
	const char *header = ik_http_exchange_header(exchange, "Authorization");
	unsigned char different = 0;

	if (!header || strncasecmp(header, scheme, strlen(scheme)) != 0)
		return false;
	header += strlen(scheme);
	if (strlen(header) != strlen(http->token))
		return false;
	for (size_t i = 0; http->token[i]; i++)
		different |= (unsigned char)(header[i] ^ http->token[i]);
	return different == 0;
}

static void on_request(void *arg, struct ik_http_exchange *exchange)
{
	struct http *http = arg;

	if (!is_from_here(http, exchange)) {
		answer_empty(exchange, STATUS_FORBIDDEN);
	} else if (!ik_text_equal(exchange->path, "/mcp")) {
		answer_empty(exchange, STATUS_NOT_FOUND);
	} else if (!has_token(http, exchange)) {
		ik_http_exchange_add(exchange, "WWW-Authenticate", "Bearer");
		answer_empty(exchange, STATUS_UNAUTHORIZED);
	} else if (exchange->method == IK_HTTP_POST) {
		take_post(http, exchange);
	} else if (exchange->method == IK_HTTP_GET) {
		take_get(http, exchange);
	} else if (exchange->method == IK_HTTP_DELETE) {
		take_delete(http, exchange);
	} else {
		answer_empty(exchange, STATUS_METHOD);
	}
}

/* ---- serving ---- */

/* Split "ADDRESS:PORT" and return the address (new memory), which must be of this machine; NULL: it
 * is not. */
static char *read_address(const char *where, int *ret_port, struct ik_error *error)
{
	const char *colon = strrchr(where, ':');
	bool bracketed = colon && colon > where + 1 && where[0] == '[' && colon[-1] == ']';
	char *end = NULL, *address;
	struct in6_addr six;
	struct in_addr four;
	long port = colon && colon[1] >= '0' && colon[1] <= '9' ? strtol(colon + 1, &end, 10) : -1;

	if (port < 0 || port > 65535 || *end != '\0') {
		(void)ik_error_set(error, IK_INVALID,
			_("--http needs an address with a port, such as 127.0.0.1:8000, not \"%s\""), where);
		return NULL;
	}
	address = bracketed ? ik_strndup(where + 1, (size_t)(colon - where) - 2)
						: ik_strndup(where, (size_t)(colon - where));
	*ret_port = (int)port;
	if (ik_text_equal(address, "localhost")) {
		free(address);
		return ik_strdup("127.0.0.1");
	}
	if ((inet_pton(AF_INET, address, &four) == 1 && ntohl(four.s_addr) >> 24 == 127) ||
		(inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six)))
		return address;
	free(address);
	(void)ik_error_set(error, IK_INVALID,
		_("--http serves this machine only: \"%s\" is not an address like 127.0.0.1:8000"), where);
	return NULL;
}

/* Return the token from the environment, or a new one (new memory). */
static char *make_token(struct ik_error *error)
{
	const char *given = getenv(IK_MCP_TOKEN_VARIABLE);
	unsigned char bytes[24];
	struct ik_buf token;

	if (given && given[0] != '\0')
		return ik_strdup(given);
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		(void)ik_error_set_errno(error, errno, _("cannot make a token"));
		return NULL;
	}
	ik_buf_init(&token, IK_KIB(4));
	for (size_t i = 0; i < sizeof(bytes); i++)
		ik_buf_printf(&token, "%02x", bytes[i]);
	return ik_buf_take(&token, NULL);
}

/* Say where the server is and what opens it. */
static void announce(const struct http *http)
{
	const char *given = getenv(IK_MCP_TOKEN_VARIABLE);
	bool six = strchr(http->address, ':');

	ik_complainf(_("serving at http://%s%s%s:%d/mcp"), six ? "[" : "", http->address,
		six ? "]" : "", ik_http_server_port(http->listener));
	if (!given || given[0] == '\0')
		ik_complainf(_("clients need the header Authorization: Bearer %s"), http->token);
}

int ik_mcp_http_serve(struct ik_cli *cli, struct ik_mcp_server *server, const char *where)
{
	static const struct ik_http_server_events events = { on_request, on_gone };
	struct http http = { .cli = cli, .server = server };
	struct ik_error error = { .text = "" };
	int port = 0;

	http.address = read_address(where, &port, &error);
	if (http.address)
		http.token = make_token(&error);
	if (http.token)
		http.listener = ik_http_server_new(cli->loop, http.address, port, LARGEST, &events, &http,
			&error);
	if (http.listener) {
		announce(&http);
		(void)!ik_cli_wait(cli);
	} else {
		ik_complain(error.text);
	}
	while (http.answers) {
		ik_loop_cancel_deferred(cli->loop, finish, http.answers);
		release(http.answers);
	}
	while (http.sessions)
		end_session(&http, http.sessions);
	http.listener = ik_http_server_close(http.listener);
	free(http.token);
	free(http.address);
	return error.status == IK_INVALID ? 2 : error.status != IK_OK;
}
