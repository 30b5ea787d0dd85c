#include "provider/wire/body.h"

#include <stdlib.h>
#include <string.h>

#include "provider/wire/wire.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* A block is closed once it has as many bytes. */
#define BLOCK IK_KIB(64)
/* Head, tail, marks, and what of the list is between them. */
#define PIECES (2 * IK_WIRE_MARKS + 3)

/*
 * A part of the list of messages: whole passages.  Places in the list count from 1: 0
 * is "no mark".  bytes begins with the byte before the block, by which a writer knows
 * whether a comma is due.
 */
struct block {
	size_t from;         /* its place in the list */
	size_t length;
	size_t passages;
	size_t message;      /* where a walk over them begins */
	struct ik_wire_writer start;
	char lead;
	struct ik_buf bytes; /* empty: not kept */
};

/* A piece of the body: bytes as they are, or (NULL) a part of the list. */
struct piece {
	const char *bytes;
	size_t from;
	size_t length;
};

struct ik_body {
	size_t kept_limit;

	/* Whose list it is. */
	const struct ik_wire_format *format;
	char *model;
	char *provider, *base_url;
	const struct ik_conversation *conversation;
	struct ik_message *last;     /* the last message that is in the blocks; counted */
	struct ik_message *summary;  /* that the list begins with; borrowed */

	struct block *blocks;        /* the last one may still grow */
	size_t block_count, block_capacity;
	size_t oldest_kept;          /* blocks before it are not kept */
	size_t kept;                 /* bytes of those that are closed */
	size_t message;              /* where the next passage begins */
	struct ik_wire_writer state; /* there */

	/* The tools, as they were and as they are spelled. */
	struct ik_buf tools_said, tools;

	/* The present request. */
	struct ik_buf head, rest, tail; /* rest: what may still change of the list, and its end */
	size_t rest_from;
	struct piece pieces[PIECES];
	size_t piece_count;
	size_t length;
	bool done;
	enum ik_status status;

	struct ik_buf again;         /* a block that was spelled again, */
	size_t again_block;          /* this one; SIZE_MAX: none */
};

struct ik_body *ik_body_new(size_t kept)
{
	struct ik_body *body = ik_alloc(sizeof *body);

	body->kept_limit = kept;
	body->again_block = SIZE_MAX;
	ik_buf_init(&body->tools_said, IK_LIMIT_REQUEST);
	ik_buf_init(&body->tools, IK_LIMIT_REQUEST);
	ik_buf_init(&body->head, IK_LIMIT_REQUEST);
	ik_buf_init(&body->rest, IK_LIMIT_REQUEST);
	ik_buf_init(&body->tail, IK_LIMIT_REQUEST);
	ik_buf_init(&body->again, IK_LIMIT_REQUEST);
	return body;
}

/* Forget the list. */
static void forget(struct ik_body *body)
{
	for (size_t index = 0; index < body->block_count; index++)
		ik_buf_done(&body->blocks[index].bytes);
	body->block_count = 0;
	body->oldest_kept = 0;
	body->kept = 0;
	body->message = 0;
	body->last = ik_message_unref(body->last);
	free(body->model);
	free(body->provider);
	free(body->base_url);
	body->model = body->provider = body->base_url = NULL;
	body->conversation = NULL;
}

struct ik_body *ik_body_free(struct ik_body *body)
{
	if (!body)
		return NULL;
	forget(body);
	free(body->blocks);
	ik_buf_done(&body->tools_said);
	ik_buf_done(&body->tools);
	ik_buf_done(&body->head);
	ik_buf_done(&body->rest);
	ik_buf_done(&body->tail);
	ik_buf_done(&body->again);
	free(body);
	return NULL;
}

/* ---- tools ---- */

/* Append a text so that it cannot run into the next one. */
static void say(struct ik_buf *out, const char *text, size_t length)
{
	ik_buf_printf(out, "%zu:", text ? length : SIZE_MAX);
	ik_buf_append(out, text, text ? length : 0);
}

/* All that the spelling of the tools depends on. */
static void say_tools(struct ik_buf *out, const struct ik_wire_format *format,
	const struct ik_request *request)
{
	say(out, format->type, strlen(format->type));
	ik_buf_putc(out, request->endpoint && request->endpoint->strict_tools ? 's' : ' ');
	for (size_t index = 0; index < request->tool_count; index++) {
		const struct ik_tool_definition *tool = &request->tools[index];

		say(out, tool->name, strlen(tool->name));
		say(out, tool->description, tool->description ? strlen(tool->description) : 0);
		say(out, tool->parameters.text, tool->parameters.length);
	}
}

/* Spell the tools, unless they are those of the request before. */
static struct ik_json_span spell_tools(struct ik_body *body, const struct ik_wire_format *format,
	const struct ik_request *request)
{
	struct ik_buf said;

	if (!request->tool_count)
		return (struct ik_json_span){ NULL, 0 };
	ik_buf_init(&said, IK_LIMIT_REQUEST);
	say_tools(&said, format, request);
	if (said.length != body->tools_said.length ||
	    memcmp(said.data, body->tools_said.data, said.length) != 0) {
		ik_buf_done(&body->tools);
		format->spelling->put_tools(&body->tools, request);
		ik_buf_done(&body->tools_said);
		body->tools_said = said;
	} else {
		ik_buf_done(&said);
	}
	/* What could not be kept is spelled into the head, where its failure is seen. */
	if (ik_buf_status(&body->tools) != IK_OK || ik_buf_status(&body->tools_said) != IK_OK)
		return (struct ik_json_span){ NULL, 0 };
	return (struct ik_json_span){ body->tools.data, body->tools.length };
}

/* ---- the list of messages ---- */

/* Take note of a failure: then nothing of this request is used again. */
static void check(struct ik_body *body, const struct ik_buf *buf)
{
	if (body->status == IK_OK)
		body->status = ik_buf_status(buf);
}

/* Begin a block; the last one is closed. */
static struct block *add_block(struct ik_body *body, char lead)
{
	struct block *last = body->block_count ? &body->blocks[body->block_count - 1] : NULL;
	size_t from = last ? last->from + last->length : 1;

	if (body->block_count == body->block_capacity) {
		body->block_capacity = body->block_capacity * 2 + 8;
		body->blocks = ik_alloc_array(body->blocks, body->block_capacity,
			sizeof *body->blocks);
	}
	struct block *block = &body->blocks[body->block_count++];
	*block = (struct block){ .from = from, .message = body->message, .start = body->state,
		.lead = lead };
	ik_buf_init(&block->bytes, IK_LIMIT_REQUEST);
	ik_buf_putc(&block->bytes, lead);
	return block;
}

/* The last block is full: give back what doubling took too much, and let go of the
 * oldest that is kept, while there is too much of it. */
static void close_block(struct ik_body *body, struct block *block)
{
	ik_buf_trim(&block->bytes);
	body->kept += block->length;
	while (body->kept > body->kept_limit) {
		struct block *oldest = &body->blocks[body->oldest_kept++];

		body->kept -= oldest->length;
		ik_buf_done(&oldest->bytes);
	}
}

/* The request as the passages of a list see it: they know the model and whose it is. */
static struct ik_request request_of(const struct ik_body *body, struct ik_endpoint *endpoint)
{
	*endpoint = (struct ik_endpoint){ .provider = body->provider, .base_url = body->base_url };
	return (struct ik_request){ .model = body->model, .endpoint = endpoint,
		.conversation = body->conversation };
}

/* Walk from where the blocks end. */
static void start_walk(const struct ik_body *body, size_t message,
	struct ik_transcript *ret_transcript)
{
	if (message)
		ik_transcript_init_at(ret_transcript, body->conversation, message);
	else
		ik_transcript_init(ret_transcript, body->conversation);
}

/* End the list, and move what was written behind the last stable passage out of the block. */
static void put_rest(struct ik_body *body, struct ik_wire_writer *writer)
{
	struct block *block = &body->blocks[body->block_count - 1];
	size_t stable = block->length + 1;

	if (body->format->spelling->put_end)
		body->format->spelling->put_end(writer);
	ik_buf_clear(&body->rest);
	check(body, &block->bytes);
	if (body->status == IK_OK)
		ik_buf_append(&body->rest, block->bytes.data + stable, block->bytes.length - stable);
	check(body, &body->rest);
	ik_buf_truncate(&block->bytes, stable);
	body->rest_from = block->from + block->length;
}

static void add_piece(struct ik_body *body, const char *bytes, size_t from, size_t length)
{
	if (length)
		body->pieces[body->piece_count++] = (struct piece){ bytes, from, length };
	body->length += length;
}

/* Put the body together: the list, with the marks where the last turns end. */
static void put_together(struct ik_body *body, const struct ik_wire_writer *writer)
{
	const char *mark = body->format->spelling->mark;
	size_t from = 1;

	body->piece_count = 0;
	body->length = 0;
	add_piece(body, body->head.data, 0, body->head.length);
	for (size_t index = IK_WIRE_MARKS; index-- > 0;) {
		if (!writer->marks[index])
			continue;
		add_piece(body, NULL, from, writer->marks[index] - from);
		add_piece(body, mark, 0, strlen(mark));
		from = writer->marks[index];
	}
	add_piece(body, NULL, from, body->rest_from + body->rest.length - from);
	add_piece(body, body->tail.data, 0, body->tail.length);
	if (body->status == IK_OK && body->length > IK_LIMIT_REQUEST)
		body->status = IK_TOO_LARGE;
}

/* What was written up to here stays as it is. */
static void settle(struct ik_body *body, struct ik_wire_writer *writer, size_t passages)
{
	struct block *block = &body->blocks[body->block_count - 1];

	block->length = block->bytes.length - 1;
	block->passages += passages;
	body->state = *writer;
	if (block->length < BLOCK)
		return;
	char lead = block->bytes.data[block->length];
	close_block(body, block);
	block = add_block(body, lead);
	writer->out = &block->bytes;
	writer->before = block->from - 1;
}

/* Spell until so many more bytes stay as they are; false: the conversation ended before. */
static bool spell(struct ik_body *body, struct ik_transcript *transcript,
	struct ik_wire_writer *writer, size_t bytes)
{
	size_t end = body->blocks[body->block_count - 1].from +
		body->blocks[body->block_count - 1].length + bytes;
	struct ik_passage passage;
	size_t passages = 0;

	while (ik_transcript_next(transcript, &passage)) {
		body->format->spelling->put_passage(writer, &passage);
		passages++;
		if (ik_buf_status(writer->out) != IK_OK)
			return false;
		if (!ik_transcript_place(transcript, &body->message))
			continue;
		settle(body, writer, passages);
		passages = 0;
		if (writer->before + writer->out->length >= end)
			return true;
	}
	return false;
}

bool ik_body_go_on(struct ik_body *body, size_t bytes)
{
	struct ik_endpoint endpoint;
	struct ik_request request = request_of(body, &endpoint);
	struct block *block = &body->blocks[body->block_count - 1];
	struct ik_wire_writer writer = body->state;
	struct ik_transcript transcript;

	if (body->done)
		return true;
	writer.request = &request;
	writer.out = &block->bytes;
	writer.before = block->from - 1;
	start_walk(body, body->message, &transcript);
	body->done = !spell(body, &transcript, &writer, bytes);
	ik_transcript_done(&transcript);
	if (body->done) {
		put_rest(body, &writer);
		put_together(body, &writer);
	}
	ik_message_unref(body->last);
	body->last = body->message ? ik_message_ref(ik_conversation_at(body->conversation,
		body->message - 1)) : NULL;
	return body->done;
}

static bool is_same(const char *one, const char *other)
{
	return one && other ? ik_text_equal(one, other) : one == other;
}

/* Is the list the beginning of what the request says? */
static bool goes_on(const struct ik_body *body, const struct ik_wire_format *format,
	const struct ik_request *request, char lead)
{
	const struct ik_endpoint none = { .provider = NULL };
	const struct ik_endpoint *endpoint = request->endpoint ? request->endpoint : &none;
	size_t index;

	return body->status == IK_OK && body->last && body->conversation == request->conversation &&
		ik_conversation_count(body->conversation) >= body->message &&
		ik_conversation_at(body->conversation, body->message - 1) == body->last &&
		ik_conversation_summary(body->conversation, &index) == body->summary &&
		body->format == format && ik_text_equal(body->model, request->model) &&
		is_same(body->provider, endpoint->provider) &&
		is_same(body->base_url, endpoint->base_url) && body->blocks[0].lead == lead;
}

void ik_body_begin(struct ik_body *body, const struct ik_wire_format *format,
	const struct ik_request *request)
{
	const char *provider = request->endpoint ? request->endpoint->provider : NULL;
	const char *base_url = request->endpoint ? request->endpoint->base_url : NULL;
	struct ik_request spelled = *request;
	size_t index;

	spelled.spelled_tools = spell_tools(body, format, request);
	ik_buf_clear(&body->head);
	format->spelling->put_head(&body->head, &spelled);
	ik_buf_clear(&body->tail);
	format->spelling->put_tail(&body->tail, request);
	char lead = body->head.length ? body->head.data[body->head.length - 1] : '[';
	if (!goes_on(body, format, request, lead)) {
		forget(body);
		body->format = format;
		body->model = ik_strdup(request->model);
		body->provider = provider ? ik_strdup(provider) : NULL;
		body->base_url = base_url ? ik_strdup(base_url) : NULL;
		body->conversation = request->conversation;
		body->summary = ik_conversation_summary(request->conversation, &index);
		body->state = ik_wire_writer_new(NULL, NULL);
		add_block(body, lead);
	}
	ik_buf_done(&body->again);
	body->again_block = SIZE_MAX;
	body->done = false;
	body->status = IK_OK;
	check(body, &body->head);
	check(body, &body->tail);
}

int ik_body_percent(const struct ik_body *body)
{
	size_t count = ik_conversation_count(body->conversation);

	return count ? (int)(body->message * 100 / count) : 100;
}

enum ik_status ik_body_length(const struct ik_body *body, size_t *ret_length,
	struct ik_error *error)
{
	struct ik_buf whole;

	ik_buf_init(&whole, IK_LIMIT_REQUEST);
	whole.status = body->status;
	if (body->status == IK_OK)
		*ret_length = body->length;
	return ik_buf_check(&whole, _("the request"), error);
}

size_t ik_body_kept(const struct ik_body *body)
{
	return body->kept + (body->block_count ? body->blocks[body->block_count - 1].length : 0);
}

/* ---- reading ---- */

/* The block that has this place of the list. */
static size_t find_block(const struct ik_body *body, size_t place)
{
	size_t first = 0, behind = body->block_count;

	while (behind - first > 1) {
		size_t middle = first + (behind - first) / 2;
		if (body->blocks[middle].from <= place)
			first = middle;
		else
			behind = middle;
	}
	return first;
}

/* The bytes of a block, with the one before it: those that are kept, or spelled again. */
static const struct ik_buf *bytes_of(struct ik_body *body, size_t index)
{
	const struct block *block = &body->blocks[index];
	struct ik_endpoint endpoint;
	struct ik_request request = request_of(body, &endpoint);
	struct ik_wire_writer writer = block->start;
	struct ik_transcript transcript;
	struct ik_passage passage;
	size_t left = block->passages;

	if (block->bytes.length)
		return &block->bytes;
	if (body->again_block == index)
		return &body->again;
	ik_buf_clear(&body->again);
	body->again_block = index;
	ik_buf_putc(&body->again, block->lead);
	writer.request = &request;
	writer.out = &body->again;
	writer.before = block->from - 1;
	start_walk(body, block->message, &transcript);
	for (; left && ik_transcript_next(&transcript, &passage); left--)
		body->format->spelling->put_passage(&writer, &passage);
	ik_transcript_done(&transcript);
	return &body->again;
}

/* Copy from one place of the list on, to the end of what is together in memory. */
static size_t read_list(struct ik_body *body, size_t place, char *to, size_t room)
{
	const struct ik_buf *bytes = &body->rest;
	size_t skipped = place - body->rest_from;

	if (place < body->rest_from) {
		size_t index = find_block(body, place);
		bytes = bytes_of(body, index);
		skipped = place - body->blocks[index].from + 1;
		if (ik_buf_status(bytes) != IK_OK || bytes->length != body->blocks[index].length + 1)
			return 0;
	}
	size_t length = bytes->length - skipped;
	if (length > room)
		length = room;
	memcpy(to, bytes->data + skipped, length);
	return length;
}

size_t ik_body_read(struct ik_body *body, size_t at, char *to, size_t room)
{
	size_t copied = 0;

	for (size_t index = 0; index < body->piece_count && copied < room;) {
		const struct piece *piece = &body->pieces[index];
		size_t length = piece->length - at;
		if (at >= piece->length) {
			at -= piece->length;
			index++;
			continue;
		}
		if (length > room - copied)
			length = room - copied;
		if (piece->bytes)
			memcpy(to + copied, piece->bytes + at, length);
		else
			length = read_list(body, piece->from + at, to + copied, length);
		if (!length)
			break;
		copied += length;
		at += length;
	}
	return copied;
}
