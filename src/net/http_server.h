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

struct ik_http_server;
struct ik_http_exchange;

struct ik_http_server_events {
	/* A request has arrived, which must be answered now or later. */
	void (*request)(void *arg, struct ik_http_exchange *exchange);
	/* The client has left before the end of the answer. */
	void (*gone)(void *arg, struct ik_http_exchange *exchange);
};

enum ik_http_method { IK_HTTP_GET, IK_HTTP_POST, IK_HTTP_DELETE, IK_HTTP_OTHER };

/* Listen on a numeric address. port 0: any free one. Requests with more than that many bytes are
 * refused. events is borrowed. */
struct ik_http_server *ik_http_server_new(struct ik_loop *loop, const char *address, int port,
	size_t largest, const struct ik_http_server_events *events, void *arg, struct ik_error *error);
/* Close all connections without a further event. Takes NULL. Returns NULL. */
struct ik_http_server *ik_http_server_close(struct ik_http_server *server);
int ik_http_server_port(const struct ik_http_server *server);

/* The request; borrowed. The path is without a query; a header is NULL if it's missing. */
enum ik_http_method ik_http_exchange_method(const struct ik_http_exchange *exchange);
const char *ik_http_exchange_path(const struct ik_http_exchange *exchange);
const char *ik_http_exchange_header(const struct ik_http_exchange *exchange, const char *name);
const char *ik_http_exchange_body(const struct ik_http_exchange *exchange, size_t *ret_length);

/* What belongs to the exchange; NULL at first. */
void *ik_http_exchange_data(const struct ik_http_exchange *exchange);
void ik_http_exchange_set_data(struct ik_http_exchange *exchange, void *data);

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
