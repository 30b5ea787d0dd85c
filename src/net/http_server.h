/*
 * http_server: a loopback HTTP server on the loop, for the practice model.
 *
 * A listening socket on 127.0.0.1 with a port of the system's choice; each
 * request is handed over whole and answered in chunks at the handler's pace.
 * Kept by libevent's evhttp.
 *
 * May include: util, loop.
 */
#ifndef IK_NET_HTTP_SERVER_H
#define IK_NET_HTTP_SERVER_H

#include "loop/loop.h"

#include <stddef.h>

struct ik_http_server;
struct ik_http_exchange; /* one request being answered */

struct ik_http_server_events {
	/* A request is in. Answer it with the functions below, now or later.
	 * path and body are valid until ik_http_exchange_end(). */
	void (*request)(void *arg, struct ik_http_exchange *exchange, const char *method,
		const char *path, const char *body, size_t body_length);
	/* The client went away; the exchange is gone after this call. Noticed
	 * from the first chunk on (an exchange is never gone before). */
	void (*gone)(void *arg, struct ik_http_exchange *exchange);
};

struct ik_http_server *ik_http_server_new(struct ik_loop *loop,
	const struct ik_http_server_events *events, void *arg, struct ik_error *error);
int ik_http_server_port(const struct ik_http_server *server);
struct ik_http_server *ik_http_server_close(struct ik_http_server *server);

/* Answer: begin, any number of chunks, end. */
void ik_http_exchange_begin(struct ik_http_exchange *exchange, int status, const char *content_type);
void ik_http_exchange_chunk(struct ik_http_exchange *exchange, const char *bytes, size_t length);
void ik_http_exchange_end(struct ik_http_exchange *exchange);

/* A pointer of the handler's own. */
void ik_http_exchange_set_data(struct ik_http_exchange *exchange, void *data);
void *ik_http_exchange_data(struct ik_http_exchange *exchange);

#endif
