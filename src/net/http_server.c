#include "net/http_server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/listener.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* A connection that neither sends nor takes anything for so long is closed, except while an answer
 * is awaited, or more of a stream. */
#define TIMEOUT_S 60
/* How long no connection is accepted when there are too many. */
#define PAUSE_MS 1000

struct ik_http_server {
	struct ik_loop *loop;
	struct evhttp *http;
	struct evhttp_bound_socket *bound;
	struct ik_timer *pause; /* of accepting connections */
	const struct ik_http_server_events *events;
	void *arg;
	struct ik_http_exchange *exchanges;
};

/* Forget an exchange, whose request libevent or the caller releases. */
static void release(struct ik_http_exchange *exchange)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(exchange->request);
	struct ik_http_exchange **at = &exchange->server->exchanges;

	if (connection)
		evhttp_connection_set_closecb(connection, NULL, NULL);
	while (*at != exchange)
		at = &(*at)->next;
	*at = exchange->next;
	exchange->watch = ik_watch_close(exchange->watch);
	ik_loop_defer(exchange->server->loop, free, exchange);
}

/* Deferred: free a request whose connection is gone. */
static void free_request(void *request)
{
	evhttp_request_free(request);
}

/* libevent closes the connection, since it can't be written to. */
static void on_close(struct evhttp_connection *connection, void *arg)
{
	struct ik_http_exchange *exchange = arg;
	struct ik_http_server *server = exchange->server;

	(void)connection;
	server->events->gone(server->arg, exchange);
	/* A request that is without its connection by now is ours. */
	if (!evhttp_request_get_connection(exchange->request))
		ik_loop_defer(server->loop, free_request, exchange->request);
	release(exchange);
}

/* Something arrives while the answer is awaited: the end of the connection, or a request too early,
 * which libevent reads later. (It doesn't watch the connection meanwhile.) */
static void on_readable(void *arg, int what)
{
	struct ik_http_exchange *exchange = arg;
	struct ik_http_server *server = exchange->server;
	struct evhttp_connection *connection = evhttp_request_get_connection(exchange->request);
	int fd = (int)bufferevent_getfd(evhttp_connection_get_bufferevent(connection));
	char byte;
	ssize_t count = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	(void)what;
	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	exchange->watch = ik_watch_close(exchange->watch);
	if (count > 0)
		return;
	server->events->gone(server->arg, exchange);
	release(exchange);
	evhttp_connection_free(connection);
}

static enum ik_http_method method_of(const struct evhttp_request *request)
{
	switch (evhttp_request_get_command(request)) {
	case EVHTTP_REQ_GET:
		return IK_HTTP_GET;
	case EVHTTP_REQ_POST:
		return IK_HTTP_POST;
	case EVHTTP_REQ_DELETE:
		return IK_HTTP_DELETE;
	default:
		return IK_HTTP_OTHER;
	}
}

static void on_request(struct evhttp_request *request, void *arg)
{
	struct ik_http_server *server = arg;
	struct ik_http_exchange *exchange = ik_alloc(sizeof(*exchange));
	struct evhttp_connection *connection = evhttp_request_get_connection(request);
	int fd = (int)bufferevent_getfd(evhttp_connection_get_bufferevent(connection));
	const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
	struct evbuffer *body = evhttp_request_get_input_buffer(request);

	exchange->method = method_of(request);
	exchange->path = uri && evhttp_uri_get_path(uri) ? evhttp_uri_get_path(uri) : "";
	exchange->length = evbuffer_get_length(body);
	exchange->body = exchange->length > 0 ? (const char *)evbuffer_pullup(body, -1) : "";
	exchange->server = server;
	exchange->request = request;
	exchange->next = server->exchanges;
	server->exchanges = exchange;
	evhttp_connection_set_closecb(connection, on_close, exchange);
	exchange->watch = ik_watch_new(server->loop, fd, on_readable, exchange);
	(void)!ik_watch_set(exchange->watch, IK_READABLE, NULL);
	server->events->request(server->arg, exchange);
}

/* Are three quarters of all descriptors in use? Anybody on this machine can open connections; the
 * rest is for other uses. */
static bool is_crowded(void)
{
	struct rlimit limit = { .rlim_cur = 0 };
	int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)getrlimit(RLIMIT_NOFILE, &limit);
	if (lowest >= 0)
		(void)close(lowest);
	return lowest < 0 || (rlim_t)lowest >= limit.rlim_cur / 4 * 3;
}

/* Accept connections as long as there are descriptors: without any, libevent would try again all
 * the time. */
static void accept_or_pause(void *arg)
{
	struct ik_http_server *server = arg;
	struct evconnlistener *listener = evhttp_bound_socket_get_listener(server->bound);

	if (!is_crowded()) {
		(void)evconnlistener_enable(listener);
	} else {
		(void)evconnlistener_disable(listener);
		ik_timer_start(server->pause, PAUSE_MS);
	}
}

/* A connection was accepted; libevent makes the bufferevent. */
static struct bufferevent *on_accepted(struct event_base *base, void *arg)
{
	(void)base;
	accept_or_pause(arg);
	return NULL;
}

struct ik_http_server *ik_http_server_new(struct ik_loop *loop, const char *address, int port,
	size_t largest, const struct ik_http_server_events *events, void *arg, struct ik_error *error)
{
	struct ik_http_server *server = ik_alloc(sizeof(*server));

	server->loop = loop;
	server->events = events;
	server->arg = arg;
	server->http = evhttp_new(ik_loop_base(loop));
	if (!server->http)
		ik_alloc_fail();
	evhttp_set_gencb(server->http, on_request, server);
	evhttp_set_allowed_methods(server->http,
		EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS);
	evhttp_set_max_headers_size(server->http, (ev_ssize_t)IK_KIB(64));
	evhttp_set_max_body_size(server->http, (ev_ssize_t)largest);
	evhttp_set_timeout(server->http, TIMEOUT_S);
	errno = 0;
	server->bound = evhttp_bind_socket_with_handle(server->http, address, (ev_uint16_t)port);
	if (server->bound) {
		server->pause = ik_timer_new(loop, accept_or_pause, server);
		evhttp_set_bevcb(server->http, on_accepted, server);
		return server;
	}
	ik_error_set_errno(error, errno != 0 ? errno : EADDRNOTAVAIL, _("cannot listen on %s, port %d"),
		address, port);
	return ik_http_server_close(server);
}

struct ik_http_server *ik_http_server_close(struct ik_http_server *server)
{
	if (!server)
		return NULL;
	while (server->exchanges)
		release(server->exchanges);
	server->pause = ik_timer_close(server->pause);
	evhttp_free(server->http);
	free(server);
	return NULL;
}

int ik_http_server_port(const struct ik_http_server *server)
{
	struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
	socklen_t length = sizeof(address);

	if (getsockname(evhttp_bound_socket_get_fd(server->bound), (struct sockaddr *)&address,
			&length) != 0)
		return 0;
	return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
											   : ((struct sockaddr_in *)&address)->sin_port);
}

const char *ik_http_exchange_header(const struct ik_http_exchange *exchange, const char *name)
{
	return evhttp_find_header(evhttp_request_get_input_headers(exchange->request), name);
}

void ik_http_exchange_add(struct ik_http_exchange *exchange, const char *name, const char *value)
{
	(void)evhttp_add_header(evhttp_request_get_output_headers(exchange->request), name, value);
}

/* Return a buffer with a text, which the caller frees. */
static struct evbuffer *buffer_of(const char *text, size_t length)
{
	struct evbuffer *buffer = evbuffer_new();

	if (!buffer || (length > 0 && evbuffer_add(buffer, text, length) != 0))
		ik_alloc_fail();
	return buffer;
}

void ik_http_exchange_answer(struct ik_http_exchange *exchange, int status, const char *text,
	size_t length)
{
	struct evhttp_request *request = exchange->request;
	struct evbuffer *buffer = buffer_of(text, length);

	release(exchange);
	evhttp_send_reply(request, status, NULL, buffer);
	evbuffer_free(buffer);
}

void ik_http_exchange_begin(struct ik_http_exchange *exchange)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(exchange->request);
	const struct timeval taking = { .tv_sec = TIMEOUT_S };

	/* libevent reads while it writes, but the client may have nothing to send for hours. */
	(void)bufferevent_set_timeouts(evhttp_connection_get_bufferevent(connection), NULL, &taking);
	evhttp_send_reply_start(exchange->request, 200, NULL);
}

void ik_http_exchange_write(struct ik_http_exchange *exchange, const char *text, size_t length)
{
	struct evbuffer *buffer = buffer_of(text, length);

	evhttp_send_reply_chunk(exchange->request, buffer);
	evbuffer_free(buffer);
}

void ik_http_exchange_end(struct ik_http_exchange *exchange)
{
	struct evhttp_request *request = exchange->request;

	release(exchange);
	evhttp_connection_set_timeout(evhttp_request_get_connection(request), TIMEOUT_S);
	evhttp_send_reply_end(request);
}
