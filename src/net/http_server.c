#include "net/http_server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/buffer.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>

#include "loop/event_extra.h"
#include "loop/internal.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/text.h"

/* So long the server leaves clients waiting when there is no descriptor for one. */
#define PAUSE_MS 100

struct ik_http_server {
	struct ik_loop *loop;
	struct evhttp *http;
	struct evconnlistener *listener; /* http's */
	struct ik_watch *watch; /* of the same descriptor */
	struct ik_timer *pause; /* running: no connection is taken */
	int port;
	struct ik_http_server_events events;
	void *arg;
	struct ik_http_exchange *first;
	bool closed;
};

struct ik_http_exchange {
	struct ik_http_exchange *next;
	struct ik_http_exchange *previous;
	struct ik_http_server *server;
	struct evhttp_request *request;
	void *data;
};

/* Take an exchange out of the list; its memory goes between turns. */
static void drop(struct ik_http_exchange *exchange)
{
	struct ik_http_server *server = exchange->server;
	struct evhttp_connection *connection = evhttp_request_get_connection(exchange->request);

	if (connection != NULL)
		evhttp_connection_set_closecb(connection, NULL, NULL);
	if (exchange->previous != NULL)
		exchange->previous->next = exchange->next;
	else
		server->first = exchange->next;
	if (exchange->next != NULL)
		exchange->next->previous = exchange->previous;
	ik_loop_defer(server->loop, free, exchange);
}

/* The client went away before the end of its answer. */
static void client_gone(struct evhttp_connection *connection, void *arg)
{
	struct ik_http_exchange *exchange = arg;
	struct evhttp_request *request = exchange->request;
	struct ik_http_server *server = exchange->server;

	if (server->events.gone != NULL)
		server->events.gone(server->arg, exchange);
	drop(exchange);
	/* evhttp has let go of the request; without a connection this frees it. */
	if (evhttp_request_get_connection(request) == NULL)
		evhttp_send_reply_end(request);
}

/* The method as in the request line; of those that the server lets through. */
static const char *method_name(enum evhttp_cmd_type method)
{
	return method == EVHTTP_REQ_POST ? "POST" : method == EVHTTP_REQ_HEAD ? "HEAD" : "GET";
}

/* evhttp's callback: a whole request is in. */
static void request_came(struct evhttp_request *request, void *arg)
{
	struct ik_http_server *server = arg;
	struct evbuffer *input = evhttp_request_get_input_buffer(request);
	size_t length = evbuffer_get_length(input);
	const char *body = (const char *)evbuffer_pullup(input, -1);
	struct ik_http_exchange *exchange;

	if (server->closed || (body == NULL && length > 0)) {
		evhttp_send_error(request, HTTP_SERVUNAVAIL, NULL);
		return;
	}
	exchange = ik_alloc(sizeof(*exchange));
	exchange->server = server;
	exchange->request = request;
	exchange->next = server->first;
	if (exchange->next != NULL)
		exchange->next->previous = exchange;
	server->first = exchange;
	evhttp_connection_set_closecb(evhttp_request_get_connection(request),
		client_gone, exchange);
	server->events.request(server->arg, exchange,
		method_name(evhttp_request_get_command(request)), evhttp_request_get_uri(request),
		body != NULL ? body : "", length);
}

/* evhttp's listener could not take a connection. It does not say whose listener it is. */
static void accept_failed(struct evconnlistener *listener, void *http)
{
	ik_log(IK_LOG_ERROR, "accept: %s", strerror(errno));
}

/* After evhttp's turn with the same descriptor: a client that it could not take, because this
 * process has no descriptor left, would wake the loop again at once. */
static void client_came(void *arg, int what)
{
	struct ik_http_server *server = arg;
	int fd = fcntl(evconnlistener_get_fd(server->listener), F_DUPFD_CLOEXEC, 0);

	if (fd >= 0) {
		close(fd);
		return;
	}
	evconnlistener_disable(server->listener);
	ik_watch_set(server->watch, 0, NULL);
	ik_timer_start(server->pause, PAUSE_MS);
}

static void pause_over(void *arg)
{
	struct ik_http_server *server = arg;

	evconnlistener_enable(server->listener);
	ik_watch_set(server->watch, IK_READABLE, NULL);
}

/* Bind to a free port of 127.0.0.1. Returns 0 or an errno value. */
static int bind_loopback(struct ik_http_server *server)
{
	struct evhttp_bound_socket *bound;
	struct sockaddr_in address = { 0 };
	socklen_t length = sizeof(address);

	errno = 0;
	bound = evhttp_bind_socket_with_handle(server->http, "127.0.0.1", 0);
	if (bound == NULL)
		return errno != 0 ? errno : ENOMEM;
	if (getsockname(evhttp_bound_socket_get_fd(bound),
		(struct sockaddr *)&address, &length) != 0)
		return errno;
	server->port = ntohs(address.sin_port);
	server->listener = evhttp_bound_socket_get_listener(bound);
	evconnlistener_set_error_cb(server->listener, accept_failed);
	server->pause = ik_timer_new(server->loop, pause_over, server);
	server->watch = ik_watch_new(server->loop, evhttp_bound_socket_get_fd(bound), client_came,
		server);
	if (ik_watch_set(server->watch, IK_READABLE, NULL) != IK_OK)
		return ENOMEM;
	return 0;
}

struct ik_http_server *ik_http_server_new(struct ik_loop *loop,
	const struct ik_http_server_events *events, void *arg, struct ik_error *error)
{
	struct ik_http_server *server;
	int number = ENOMEM;

	if (ik_event_extra_load(error) != IK_OK)
		return NULL;
	server = ik_alloc(sizeof(*server));
	server->loop = loop;
	server->events = *events;
	server->arg = arg;
	server->http = evhttp_new(ik_loop_base(loop));
	if (server->http != NULL) {
		evhttp_set_allowed_methods(server->http,
			EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST);
		evhttp_set_max_headers_size(server->http, (ev_ssize_t)IK_KIB(64));
		evhttp_set_max_body_size(server->http, (ev_ssize_t)IK_LIMIT_REQUEST);
		evhttp_set_gencb(server->http, request_came, server);
		number = bind_loopback(server);
	}
	if (number != 0) {
		ik_error_set_errno(error, number, _("cannot open a server on 127.0.0.1"));
		return ik_http_server_close(server);
	}
	return server;
}

int ik_http_server_port(const struct ik_http_server *server)
{
	return server->port;
}

/* Deferred: evhttp may be at work on this very connection. */
static void release_server(void *arg)
{
	struct ik_http_server *server = arg;

	if (server->http != NULL)
		evhttp_free(server->http); /* and what is unanswered */
	free(server);
}

struct ik_http_server *ik_http_server_close(struct ik_http_server *server)
{
	if (server != NULL && !server->closed) {
		server->closed = true;
		server->watch = ik_watch_close(server->watch);
		server->pause = ik_timer_close(server->pause);
		while (server->first != NULL)
			drop(server->first);
		ik_loop_defer(server->loop, release_server, server);
	}
	return NULL;
}

void ik_http_exchange_begin(struct ik_http_exchange *exchange, int status, const char *content_type)
{
	evhttp_add_header(evhttp_request_get_output_headers(exchange->request),
		"Content-Type", content_type);
	evhttp_send_reply_start(exchange->request, status, NULL);
}

void ik_http_exchange_chunk(struct ik_http_exchange *exchange, const char *bytes, size_t length)
{
	struct evbuffer *piece = evbuffer_new();

	if (piece == NULL || evbuffer_add(piece, bytes, length) != 0)
		ik_loop_no_memory();
	evhttp_send_reply_chunk(exchange->request, piece);
	evbuffer_free(piece);
}

void ik_http_exchange_end(struct ik_http_exchange *exchange)
{
	struct evhttp_request *request = exchange->request;

	drop(exchange);
	evhttp_send_reply_end(request);
}

void ik_http_exchange_set_data(struct ik_http_exchange *exchange, void *data)
{
	exchange->data = data;
}

void *ik_http_exchange_data(struct ik_http_exchange *exchange)
{
	return exchange->data;
}
