#include "raw_server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "util/alloc.h"
#include "util/limits.h"

#define MOST_CONNECTIONS 16

struct connection {
	struct raw_server *server;
	struct raw_script script;
	int fd;
	struct ik_watch *watch;
	struct ik_timer *timer;
	struct ik_buf request;
	size_t next_piece;
	bool answering;
};

struct raw_server {
	struct ik_loop *loop;
	struct raw_script script;
	raw_server_ask *ask;
	void *arg;
	int fd;
	int port;
	struct ik_watch *watch;
	struct ik_buf request;
	struct connection connections[MOST_CONNECTIONS];
	int count;
	int gone;
};

static void end_connection(struct connection *connection)
{
	connection->watch = ik_watch_close(connection->watch);
	connection->timer = ik_timer_close(connection->timer);
	ik_buf_done(&connection->request);
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
}

/* Send the next piece, or make the end. */
static void answer(void *arg)
{
	struct connection *connection = arg;
	const struct raw_script *script = &connection->script;
	const char *piece = script->pieces[connection->next_piece];

	if (piece != NULL) {
		connection->next_piece++;
		if (send(connection->fd, piece, strlen(piece), MSG_NOSIGNAL) < 0)
			return;
		ik_timer_start(connection->timer, script->pause_ms);
	} else if (script->end == RAW_CLOSE) {
		end_connection(connection);
	} else if (script->end == RAW_RESET) {
		const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

		setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		end_connection(connection);
	}
}

/* The body, once head and body are in; else NULL. */
static const char *whole_body(const struct ik_buf *request)
{
	const char *head_end = strstr(request->data, "\r\n\r\n");
	const char *length = strcasestr(request->data, "content-length:");
	size_t body = length != NULL ? strtoul(length + 15, NULL, 10) : 0;

	return head_end != NULL && request->length >= (size_t)(head_end + 4 - request->data) + body ?
		head_end + 4 : NULL;
}

static void request_readable(void *arg, int what)
{
	struct connection *connection = arg;
	struct raw_server *server = connection->server;
	const char *body;
	char bytes[65536];
	ssize_t length = recv(connection->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (length <= 0) {
		server->gone++;
		end_connection(connection);
		return;
	}
	ik_buf_append(&connection->request, bytes, (size_t)length);
	if (server->ask == NULL)
		ik_buf_append(&server->request, bytes, (size_t)length);
	body = whole_body(&connection->request);
	if (!connection->script.answer_at_once && body == NULL)
		return;
	if (!connection->answering) {
		connection->answering = true;
		if (server->ask != NULL)
			connection->script = server->ask(server->arg, body, connection->request.length -
				(size_t)(body - connection->request.data));
		if (connection->script.hangs_up_on_second)
			ik_buf_clear(&connection->request);
		answer(connection);
	} else if (connection->script.hangs_up_on_second) {
		end_connection(connection);
	}
}

static void client_came(void *arg, int what)
{
	struct raw_server *server = arg;
	struct connection *connection = server->connections;
	const int on = 1;

	/* The first that is over, or was never used. */
	while (connection < server->connections + server->count && connection->fd >= 0)
		connection++;
	cr_assert_lt(connection - server->connections, MOST_CONNECTIONS);
	if (connection == server->connections + server->count)
		server->count++;
	*connection = (struct connection){ .server = server, .script = server->script };
	connection->fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC);
	cr_assert_geq(connection->fd, 0);
	setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	ik_buf_init(&connection->request, IK_MIB(64));
	connection->timer = ik_timer_new(server->loop, answer, connection);
	connection->watch = ik_watch_new(server->loop, connection->fd, request_readable, connection);
	cr_assert_eq(ik_watch_set(connection->watch, IK_READABLE, NULL), IK_OK);
}

struct raw_server *raw_server_new(struct ik_loop *loop, const struct raw_script *script)
{
	struct raw_server *server = ik_alloc(sizeof(*server));
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);

	server->loop = loop;
	if (script != NULL)
		server->script = *script;
	ik_buf_init(&server->request, IK_MIB(64));
	server->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_geq(server->fd, 0);
	cr_assert_eq(bind(server->fd, (struct sockaddr *)&address, length), 0);
	cr_assert_eq(listen(server->fd, MOST_CONNECTIONS), 0);
	cr_assert_eq(getsockname(server->fd, (struct sockaddr *)&address, &length), 0);
	server->port = ntohs(address.sin_port);
	server->watch = ik_watch_new(loop, server->fd, client_came, server);
	cr_assert_eq(ik_watch_set(server->watch, IK_READABLE, NULL), IK_OK);
	return server;
}

struct raw_server *raw_server_new_asking(struct ik_loop *loop, raw_server_ask *ask, void *arg)
{
	struct raw_server *server = raw_server_new(loop, NULL);

	server->ask = ask;
	server->arg = arg;
	return server;
}

struct raw_server *raw_server_close(struct raw_server *server)
{
	if (server == NULL)
		return NULL;
	for (int i = 0; i < server->count; i++)
		end_connection(&server->connections[i]);
	ik_watch_close(server->watch);
	close(server->fd);
	ik_buf_done(&server->request);
	ik_loop_defer(server->loop, free, server);
	return NULL;
}

int raw_server_port(const struct raw_server *server)
{
	return server->port;
}

const struct ik_buf *raw_server_request(const struct raw_server *server)
{
	return &server->request;
}

int raw_server_clients_gone(const struct raw_server *server)
{
	return server->gone;
}
