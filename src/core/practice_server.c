#include "core/practice_server.h"

#include <stdlib.h>
#include <string.h>

#include "net/http_server.h"
#include "provider/practice.h"
#include "util/alloc.h"
#include "util/text.h"

/* Words come at a reader's pace, but no reply takes longer than this. */
#define CHUNK_PACE_MS 12
#define REPLY_MS 900

struct ik_practice_server {
	struct ik_loop *loop;
	struct ik_http_server *http;
	char *url;
	struct reply *replies;
};

/* One answer on its way. */
struct reply {
	struct reply *next;
	struct ik_practice_server *server;
	struct ik_http_exchange *exchange;
	struct ik_practice_answer answer;
	struct ik_timer *timer;
	size_t sent;
	size_t burst; /* chunks a tick */
};

/* Take a reply out of the list and release it; its exchange is not touched. */
static void drop_reply(struct reply *reply)
{
	struct reply **link = &reply->server->replies;

	while (*link != reply)
		link = &(*link)->next;
	*link = reply->next;
	reply->timer = ik_timer_close(reply->timer);
	ik_practice_answer_done(&reply->answer);
	free(reply);
}

/* Send the next few chunks. */
static void send_chunks(void *arg)
{
	struct reply *reply = arg;
	size_t i;

	for (i = 0; i < reply->burst && reply->sent < reply->answer.count; i++) {
		const char *chunk = reply->answer.chunks[reply->sent++];

		ik_http_exchange_chunk(reply->exchange, chunk, strlen(chunk));
	}
	if (reply->sent < reply->answer.count) {
		ik_timer_start(reply->timer, CHUNK_PACE_MS);
		return;
	}
	ik_http_exchange_end(reply->exchange);
	drop_reply(reply);
}

static void on_request(void *arg, struct ik_http_exchange *exchange, const char *method,
	const char *path, const char *body, size_t length)
{
	struct ik_practice_server *server = arg;
	struct reply *reply = ik_alloc(sizeof *reply);
	bool listing = ik_text_equal(method, "GET");

	(void)path;
	reply->server = server;
	reply->exchange = exchange;
	reply->timer = ik_timer_new(server->loop, send_chunks, reply);
	if (listing)
		ik_practice_models(&reply->answer);
	else
		ik_practice_answer(body, length, &reply->answer);
	reply->burst = 1 + reply->answer.count / (REPLY_MS / CHUNK_PACE_MS);
	reply->next = server->replies;
	server->replies = reply;
	ik_http_exchange_set_data(exchange, reply);
	ik_http_exchange_begin(exchange, reply->answer.status,
		reply->answer.status == 200 && !listing ? "text/event-stream" : "application/json");
	ik_timer_start(reply->timer, 0);
}

static void on_gone(void *arg, struct ik_http_exchange *exchange)
{
	struct reply *reply = ik_http_exchange_data(exchange);

	(void)arg;
	if (reply != NULL)
		drop_reply(reply);
}

struct ik_practice_server *ik_practice_server_new(struct ik_loop *loop, struct ik_error *error)
{
	static const struct ik_http_server_events events = {on_request, on_gone};
	struct ik_practice_server *server = ik_alloc(sizeof *server);

	server->loop = loop;
	server->http = ik_http_server_new(loop, &events, server, error);
	if (server->http == NULL) {
		free(server);
		return NULL;
	}
	server->url = ik_format("http://127.0.0.1:%d/v1", ik_http_server_port(server->http));
	return server;
}

struct ik_practice_server *ik_practice_server_close(struct ik_practice_server *server)
{
	if (server == NULL)
		return NULL;
	while (server->replies != NULL)
		drop_reply(server->replies);
	server->http = ik_http_server_close(server->http);
	free(server->url);
	free(server);
	return NULL;
}

const char *ik_practice_server_url(const struct ik_practice_server *server)
{
	return server->url;
}
