/*
 * http_server: answers HTTP on one address, by libevent's evhttp.
 *
 * An exchange is a request and its answer: all at once, or as a stream. It belongs to the server and
 * is gone after its answer, or after the event gone.
 *
 * Owns the socket, the connections and the exchanges. May include: util, loop.
 */
#ifndef IK_NET_HTTP_SERVER_H
#define IK_NET_HTTP_SERVER_H

#include "loop/loop.h"

#include <stddef.h>

struct evhttp_request;
struct ik_http_server;

enum ik_http_method { IK_HTTP_GET, IK_HTTP_POST, IK_HTTP_DELETE, IK_HTTP_OTHER };

struct ik_http_exchange {
	enum ik_http_method method;
	const char *path; /* without a query */
	const char *body;
	size_t length;
	void *data; /* whatever belongs to it; NULL at first */

	/* private to http_server.c: */
	struct ik_http_exchange *next;
	struct ik_http_server *server;
	struct evhttp_request *request;
	struct ik_watch *watch; /* of the connection, for its end */
};

struct ik_http_server_events {
	/* A request has arrived, which must be answered now or later. */
	void (*request)(void *arg, struct ik_http_exchange *exchange);
	/* The client has left before the end of the answer. */
	void (*gone)(void *arg, struct ik_http_exchange *exchange);
};

/* Listen on a numeric address. port 0: any free one. Requests with more than that many bytes are
 * refused. events is borrowed. */
struct ik_http_server *ik_http_server_new(struct ik_loop *loop, const char *address, int port,
	size_t largest, const struct ik_http_server_events *events, void *arg, struct ik_error *error);
/* Close all connections without a further event. Takes NULL. Returns NULL. */
struct ik_http_server *ik_http_server_close(struct ik_http_server *server);
int ik_http_server_port(const struct ik_http_server *server);

/* Return a header of the request, borrowed; NULL if it's missing. */
const char *ik_http_exchange_header(const struct ik_http_exchange *exchange, const char *name);

/* Add a header to the answer, before it begins. */
void ik_http_exchange_add(struct ik_http_exchange *exchange, const char *name, const char *value);
/* Answer at once, with a text or (NULL) nothing. */
void ik_http_exchange_answer(struct ik_http_exchange *exchange, int status, const char *text,
	size_t length);
/* Answer with status 200 and a stream. */
void ik_http_exchange_begin(struct ik_http_exchange *exchange);
void ik_http_exchange_write(struct ik_http_exchange *exchange, const char *text, size_t length);
void ik_http_exchange_end(struct ik_http_exchange *exchange);

#endif
