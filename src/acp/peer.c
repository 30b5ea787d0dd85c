#include "acp/peer.h"

#include <stdlib.h>

#include "cli/stdio.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"

/* A request of ours. */
struct question {
	struct question *next;
	int64_t number;
	ik_peer_answered *answered;
	void *arg;
};

struct ik_peer {
	const struct ik_peer_events *events;
	void *arg;
	struct ik_stdio *stdio;
	struct question *questions;
	int64_t count; /* of requests so far */
};

void ik_peer_open(struct ik_buf *out)
{
	ik_buf_init(out, IK_LIMIT_ENVELOPE);
	ik_json_open(out, '{');
}

/* End an object, and return it. */
static struct ik_json_span close_object(struct ik_buf *object)
{
	ik_json_close(object, '}');
	return (struct ik_json_span){ object->data, object->length };
}

/* Write a message, and release it. */
static void send(struct ik_peer *peer, struct ik_buf *out)
{
	if (ik_buf_status(out) == IK_OK)
		ik_stdio_write(peer->stdio, out->data, out->length);
	else
		ik_log(IK_LOG_ERROR, "acp: a message does not fit into memory");
	ik_buf_done(out);
}

void ik_peer_answer(struct ik_peer *peer, struct ik_json_span id, struct ik_buf *result)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_rpc_put_result(&out, id, close_object(result));
	ik_buf_done(result);
	send(peer, &out);
}

void ik_peer_refuse(struct ik_peer *peer, struct ik_json_span id, int code, const char *sentence)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_rpc_put_error(&out, id, code, sentence, (struct ik_json_span){ NULL, 0 });
	send(peer, &out);
}

void ik_peer_notify(struct ik_peer *peer, const char *method, struct ik_buf *params)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_rpc_put_notification(&out, method, close_object(params));
	ik_buf_done(params);
	send(peer, &out);
}

int64_t ik_peer_ask(struct ik_peer *peer, const char *method, struct ik_buf *params,
	ik_peer_answered *answered, void *arg)
{
	struct question *question = ik_alloc(sizeof(*question));
	struct ik_buf out;

	*question = (struct question){ peer->questions, ++peer->count, answered, arg };
	peer->questions = question;
	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_rpc_put_request(&out, question->number, method, close_object(params));
	ik_buf_done(params);
	send(peer, &out);
	return question->number;
}

/* Forget a request. Return false if there is none of that number. */
static bool take(struct ik_peer *peer, int64_t number, struct question *ret_question)
{
	struct question **at = &peer->questions, *found;

	while (*at && (*at)->number != number)
		at = &(*at)->next;
	found = *at;
	if (!found)
		return false;
	*ret_question = *found;
	*at = found->next;
	free(found);
	return true;
}

void ik_peer_take_back(struct ik_peer *peer, int64_t number)
{
	struct question question;
	struct ik_buf params;

	if (!take(peer, number, &question))
		return;
	ik_peer_open(&params);
	ik_json_printf(&params, "'requestId':%lld", (long long)number);
	ik_peer_notify(peer, "$/cancel_request", &params);
}

/* Pass on the answer to a request. */
static void take_answer(struct ik_peer *peer, const struct ik_rpc_message *message)
{
	struct question question;
	int64_t number;
	char *error = NULL;

	if (!ik_json_integer(message->id, &number) || !take(peer, number, &question))
		return;
	if (message->error.text) {
		error = ik_json_string_new(ik_json_member(message->error, "message"), NULL);
		if (!error)
			error = ik_strdup("?");
	}
	question.answered(question.arg, message->result, error);
	free(error);
}

static void on_line(void *arg, const char *text, size_t length)
{
	struct ik_peer *peer = arg;
	struct ik_error error = { .text = "the message is too long" };
	struct ik_rpc_message message;
	struct ik_json_span value;

	if (!text || ik_json_check(text, length, &value, &error) != IK_OK) {
		ik_peer_refuse(peer, (struct ik_json_span){ NULL, 0 }, IK_RPC_PARSE_ERROR, error.text);
		return;
	}
	message = ik_rpc_read(value);
	if (message.kind == IK_RPC_INVALID)
		ik_peer_refuse(peer, message.id, IK_RPC_INVALID_REQUEST, "Invalid request");
	else if (message.kind == IK_RPC_RESPONSE)
		take_answer(peer, &message);
	else
		peer->events->message(peer->arg, &message);
}

static void on_ended(void *arg)
{
	struct ik_peer *peer = arg;

	peer->events->ended(peer->arg);
}

struct ik_peer *ik_peer_new(struct ik_loop *loop, const struct ik_peer_events *events, void *arg)
{
	static const struct ik_stdio_events lines = { on_line, on_ended };
	struct ik_peer *peer = ik_alloc(sizeof(*peer));

	*peer = (struct ik_peer){ .events = events, .arg = arg };
	peer->stdio = ik_stdio_new(loop, &lines, peer);
	return peer;
}

bool ik_peer_close(struct ik_peer *peer)
{
	bool written = ik_stdio_close(peer->stdio);

	while (peer->questions) {
		struct question *next = peer->questions->next;

		free(peer->questions);
		peer->questions = next;
	}
	free(peer);
	return written;
}
