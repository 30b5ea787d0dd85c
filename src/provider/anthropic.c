/*
 * anthropic: Anthropic's Messages format.
 *
 * Source: API reference, "Create a Message", "Streaming messages", "Extended thinking", "Prompt
 * caching", "Web search tool".
 *
 * Opaque data of thinking: {"signature":"..."}, or {"redacted":"..."} for a block that is not
 * shown; of a search of the web, {"blocks":[...]}: what Anthropic's tool was asked and answered, with
 * "pending":true if it has not answered yet; of a text that cites pages, {"blocks":[...]}: the text
 * as it came.
 */
#include "provider/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provider/models.h"
#include "provider/wire/decoder.h"
#include "provider/wire/wire.h"
#include "util/limits.h"
#include "util/text.h"

/* Kinds of content blocks. */
enum { BLOCK_OTHER, BLOCK_TEXT, BLOCK_THINKING, BLOCK_CALL, BLOCK_SERVER_CALL };

struct anthropic_stream_state {
	/* Of the current block: */
	struct ik_buf signature; /* of thinking, as JSON */
	struct ik_buf input; /* of a call whose arguments arrived complete at its start, or of a call of
	                        Anthropic's own tool */
	struct ik_buf call;  /* such a call, as it began */
	struct ik_buf text;  /* a text without its quotes, as JSON */
	struct ik_buf citations; /* of the text: a list, not yet closed */
	struct ik_buf marks;     /* numbers of the pages that it cites */

	struct ik_buf texts; /* the blocks of the current text: a list, not yet closed */
	bool cites;          /* one of them cites a page */
	struct ik_buf calls; /* blocks of Anthropic's own tools that were not reported: likewise */
	int waiting;         /* number of calls in it without an answer */
	bool begun;          /* a block has begun */
};

/* Return a buffer that is ready to be appended to. */
static struct ik_buf *opened(struct ik_buf *buf)
{
	if (!buf->length)
		ik_buf_init(buf, IK_LIMIT_REPLY);
	return buf;
}

/* Replace what is in kept by value, until its block ends. */
static void keep(struct ik_buf *kept, struct ik_json_span value)
{
	ik_buf_done(kept);
	ik_buf_append(opened(kept), value.text, value.length);
}

/* Forget what belongs to a block. */
static void clear_block(struct anthropic_stream_state *state)
{
	ik_buf_done(&state->signature);
	ik_buf_done(&state->input);
	ik_buf_done(&state->call);
	ik_buf_done(&state->text);
	ik_buf_done(&state->citations);
	ik_buf_done(&state->marks);
}

static void state_done(void *arg)
{
	struct anthropic_stream_state *state = arg;

	clear_block(state);
	ik_buf_done(&state->texts);
	ik_buf_done(&state->calls);
}

/* Remember a signature that is not empty; a later one replaces it. */
static void keep_signature(struct ik_stream_decoder *decoder, struct ik_json_span signature)
{
	if (ik_decoder_has_text(signature))
		keep(&((struct anthropic_stream_state *)decoder->state)->signature, signature);
}

/* Report a list of blocks that must be sent back, and begin another. */
static void report_blocks(struct ik_stream_decoder *decoder, enum ik_delta_kind of,
	struct ik_buf *list, bool pending)
{
	struct ik_json_span blocks = list->length ? ik_decoder_list_end(list) : IK_JSON_SPAN("[]");

	if (blocks.text)
		ik_decoder_opaque_object(decoder, of,
			(struct ik_opaque_member[]){
				{ "pending", pending ? IK_JSON_SPAN("true") : (struct ik_json_span){ NULL, 0 } },
				{ "blocks", blocks }, { 0 } });
	ik_buf_done(list);
}

/* ---- text that cites pages ---- */

static void take_text(struct ik_stream_decoder *decoder, struct ik_json_span value)
{
	struct anthropic_stream_state *state = decoder->state;

	if (ik_decoder_text(decoder, IK_DELTA_TEXT, value))
		ik_buf_append(opened(&state->text), value.text + 1, value.length - 2);
}

/* Remember what the current text cites. */
static void take_citation(struct ik_stream_decoder *decoder, struct ik_json_span citation)
{
	struct anthropic_stream_state *state = decoder->state;
	size_t number = ik_decoder_cite(decoder, citation, "url");
	char mark[32];

	ik_decoder_list_add(&state->citations, citation);
	(void)snprintf(mark, sizeof(mark), " [%zu]", number);
	if (number && !(state->marks.length && strstr(state->marks.data, mark)))
		ik_buf_puts(opened(&state->marks), mark);
}

/* Report the numbers of the pages that a block of text cites, and remember it as it came. */
static void end_text_block(struct ik_stream_decoder *decoder)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_buf block;

	if (!state->text.length && !state->citations.length)
		return;
	ik_buf_init(&block, IK_LIMIT_REPLY);
	ik_json_printf(&block, "{'type':'text','text':");
	ik_json_quote_open(&block);
	ik_buf_append(&block, state->text.length ? state->text.data : "", state->text.length);
	ik_json_quote_close(&block);
	if (state->citations.length) {
		ik_json_key(&block, "citations");
		ik_json_put_raw(&block, ik_decoder_list_end(&state->citations));
		state->cites = true;
	}
	ik_json_printf(&block, "}");
	ik_decoder_list_add(&state->texts, ik_decoder_kept(&block));
	ik_buf_done(&block);
	if (state->marks.length)
		ik_decoder_bytes(decoder, IK_DELTA_TEXT, state->marks.data, state->marks.length);
}

/* End a text, after which something else comes, or (last) the reply or its calls. */
static void end_text(struct ik_stream_decoder *decoder, bool last)
{
	struct anthropic_stream_state *state = decoder->state;
	bool lists = last && ik_decoder_list_sources(decoder).text;

	if (state->cites || lists)
		report_blocks(decoder, IK_DELTA_TEXT, &state->texts, false);
	ik_buf_done(&state->texts);
	state->cites = false;
}

/* ---- Anthropic's own tools ---- */

/* Report a call of such a tool, which is complete. */
static void end_server_call(struct ik_stream_decoder *decoder)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_json_span call = ik_decoder_kept(&state->call), input = { NULL, 0 }, query;
	struct ik_buf block;

	if (!state->input.length ||
		ik_json_check(state->input.data, state->input.length, &input, NULL) != IK_OK)
		input = ik_json_member(call, "input");
	ik_buf_init(&block, IK_LIMIT_REPLY);
	ik_json_open(&block, '{');
	for (struct ik_json_walk walk = ik_json_walk(call); ik_json_next(&walk);) {
		ik_json_printf(&block, "%.*s:", IK_JSON_ARGS(walk.key));
		ik_json_put_raw(&block, ik_json_string_is(walk.key, "input") ? input : walk.value);
	}
	ik_json_close(&block, '}');
	ik_decoder_list_add(&state->calls, ik_decoder_kept(&block));
	state->waiting++;
	query = ik_json_member(input, "query");
	ik_decoder_search(decoder, query.text ? query : ik_json_member(input, "url"));
	ik_buf_done(&block);
}

/* Handle the answer of such a tool. Several calls may wait for theirs. */
static void take_server_result(struct ik_stream_decoder *decoder, struct ik_json_span block)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_json_span type = ik_json_member(block, "type");

	if (ik_json_string_is(type, "web_search_tool_result"))
		ik_decoder_failed_search(decoder, ik_json_at(block, "content.error_code"));
	else
		ik_decoder_unshown(decoder, type);
	ik_decoder_list_add(&state->calls, block);
	if (--state->waiting <= 0) {
		report_blocks(decoder, IK_DELTA_SEARCH, &state->calls, false);
		state->waiting = 0;
	}
}

static bool is_server_result(struct ik_json_span type)
{
	char *name = ik_json_text_new(type);
	bool is = name && ik_text_ends(name, "_tool_result");

	free(name);
	return is;
}

/* ---- blocks ---- */

static void begin_call(struct ik_stream_decoder *decoder, int64_t index, struct ik_json_span block)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_json_span input = ik_json_member(block, "input");
	struct ik_call_piece piece = {
		.index = index, .id = ik_json_member(block, "id"), .name = ik_json_member(block, "name")
	};

	end_text(decoder, true);
	ik_decoder_set_mark(decoder, index, BLOCK_CALL);
	ik_decoder_call(decoder, &piece);
	/* It is usually {}, and the arguments follow in pieces. */
	if (ik_json_count(input))
		keep(&state->input, input);
}

/* Handle a block that is complete at its start, or of a kind that nobody has asked for. */
static void take_other_block(struct ik_stream_decoder *decoder, struct ik_json_span block)
{
	struct ik_json_span type = ik_json_member(block, "type");

	if (ik_json_string_is(type, "redacted_thinking"))
		ik_decoder_opaque_object(decoder, IK_DELTA_THINKING,
			(struct ik_opaque_member[]){ { "redacted", ik_json_member(block, "data") }, { 0 } });
	else if (is_server_result(type))
		take_server_result(decoder, block);
	else
		ik_decoder_unshown(decoder, type);
}

static void begin_block(struct ik_stream_decoder *decoder, int64_t index, struct ik_json_span block)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_json_span type = ik_json_member(block, "type");

	clear_block(state);
	state->begun = true;
	ik_decoder_set_mark(decoder, index, BLOCK_OTHER);
	if (ik_json_string_is(type, "text")) {
		ik_decoder_set_mark(decoder, index, BLOCK_TEXT);
		take_text(decoder, ik_json_member(block, "text"));
		ik_decoder_each(decoder, ik_json_member(block, "citations"), take_citation);
		return;
	}
	if (ik_json_string_is(type, "tool_use")) {
		begin_call(decoder, index, block);
		return;
	}
	end_text(decoder, false);
	if (ik_json_string_is(type, "thinking")) {
		ik_decoder_set_mark(decoder, index, BLOCK_THINKING);
		ik_decoder_text(decoder, IK_DELTA_THINKING, ik_json_member(block, "thinking"));
		keep_signature(decoder, ik_json_member(block, "signature"));
	} else if (ik_json_string_is(type, "server_tool_use")) {
		ik_decoder_set_mark(decoder, index, BLOCK_SERVER_CALL);
		keep(&state->call, block);
		ik_decoder_search(decoder, (struct ik_json_span){ NULL, 0 });
	} else {
		take_other_block(decoder, block);
	}
}

static void end_block(struct ik_stream_decoder *decoder, int64_t index)
{
	struct anthropic_stream_state *state = decoder->state;
	char kind = ik_decoder_mark(decoder, index);

	if (kind == BLOCK_TEXT) {
		end_text_block(decoder);
		clear_block(state);
	} else if (kind == BLOCK_SERVER_CALL) {
		end_server_call(decoder);
		clear_block(state);
	} else if (kind == BLOCK_THINKING) {
		ik_decoder_opaque_object(decoder, IK_DELTA_THINKING,
			(struct ik_opaque_member[]){
				{ "signature", ik_decoder_kept(&state->signature) }, { 0 } });
		ik_buf_done(&state->signature);
	} else if (kind == BLOCK_CALL) {
		ik_decoder_call(decoder,
			&(struct ik_call_piece){ .index = index, .arguments = ik_decoder_kept(&state->input) });
		ik_buf_done(&state->input);
		ik_decoder_end_calls(decoder);
	}
}

/* ---- events ---- */

static void take_start(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	begin_block(decoder, ik_decoder_index(event, "index"), ik_json_member(event, "content_block"));
}

static void take_stop(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	end_block(decoder, ik_decoder_index(event, "index"));
}

static void take_delta(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_json_span delta = ik_json_member(event, "delta");
	struct ik_json_span type = ik_json_member(delta, "type");
	struct ik_json_span arguments = ik_json_member(delta, "partial_json");
	int64_t index = ik_decoder_index(event, "index");

	if (ik_json_string_is(type, "text_delta")) {
		take_text(decoder, ik_json_member(delta, "text"));
	} else if (ik_json_string_is(type, "citations_delta")) {
		take_citation(decoder, ik_json_member(delta, "citation"));
	} else if (ik_json_string_is(type, "thinking_delta")) {
		ik_decoder_text(decoder, IK_DELTA_THINKING, ik_json_member(delta, "thinking"));
	} else if (ik_json_string_is(type, "signature_delta")) {
		keep_signature(decoder, ik_json_member(delta, "signature"));
	} else if (ik_json_string_is(type, "input_json_delta") &&
		ik_decoder_mark(decoder, index) == BLOCK_CALL && ik_decoder_has_text(arguments)) {
		ik_buf_done(&state->input);
		ik_decoder_call(decoder, &(struct ik_call_piece){ .index = index, .arguments = arguments });
	} else if (ik_json_string_is(type, "input_json_delta") && state->call.length) {
		(void)ik_json_string(arguments, opened(&state->input));
	}
}

static void take_message_start(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	struct anthropic_stream_state *state = decoder->state;

	/* A gateway that tries again sends another reply after half of one. */
	if (state->begun)
		ik_decoder_fail(decoder, _("The reply began a second time."));
	ik_decoder_usage(decoder, ik_json_at(event, "message.usage"));
}

/* Handle the stop reason in a message or in its last delta. Anthropic's own tools answer in the next
 * reply after a pause; otherwise calls without an answer cannot be sent back. */
static void take_stop_reason(struct ik_stream_decoder *decoder, struct ik_json_span message)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_json_span reason = ik_json_member(message, "stop_reason");
	struct ik_json_span details = ik_json_member(message, "stop_details");

	if (state->calls.length && ik_json_string_is(reason, "pause_turn"))
		report_blocks(decoder, IK_DELTA_SEARCH, &state->calls, state->waiting > 0);
	if (ik_decoder_has_text(reason))
		end_text(decoder, true);
	if (ik_json_string_is(reason, "refusal"))
		ik_decoder_refuse(decoder, ik_json_member(details, "category"),
			ik_json_member(details, "explanation"));
	else
		ik_decoder_stop_name(decoder, reason, (struct ik_json_span){ NULL, 0 });
}

static void take_message_delta(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	ik_decoder_usage(decoder, ik_json_member(event, "usage"));
	take_stop_reason(decoder, ik_json_member(event, "delta"));
}

/* The reply is complete even without a stop reason. */
static void take_message_stop(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	(void)event;
	end_text(decoder, true);
	ik_decoder_complete(decoder);
}

/* Handle a reply that was not streamed. */
static void take_message(struct ik_stream_decoder *decoder, struct ik_json_span message)
{
	int64_t index = 0;

	for (struct ik_json_walk walk = ik_json_walk(ik_json_member(message, "content"));
		 ik_json_next(&walk);) {
		begin_block(decoder, index, walk.value);
		end_block(decoder, index++);
	}
	ik_decoder_usage(decoder, ik_json_member(message, "usage"));
	take_stop_reason(decoder, message);
}

static void pass_over(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	(void)decoder;
	(void)event;
}

static void take(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	static const struct ik_event_name events[] = {
		{ "content_block_delta", take_delta },
		{ "content_block_start", take_start },
		{ "content_block_stop", take_stop },
		{ "message_start", take_message_start },
		{ "message_delta", take_message_delta },
		{ "message_stop", take_message_stop },
		{ "message", take_message },
		{ "ping", pass_over },
		{ 0 },
	};
	struct ik_json_span type = ik_json_member(event, "type");

	/* Other types may be added at any time, and are passed over ("Versioning"). */
	if (!ik_decoder_dispatch(decoder, event, events) &&
		(ik_json_span_type(type) != IK_JSON_STRING || ik_json_string_is(type, "error")))
		ik_decoder_error(decoder, event);
}

/* input_tokens does not include tokens read from or written to the cache. */
static const struct ik_count_name counts[] = {
	{ "input_tokens", IK_COUNT_INPUT },
	{ "cache_read_input_tokens", IK_COUNT_INPUT },
	{ "cache_creation_input_tokens", IK_COUNT_INPUT },
	{ "cache_read_input_tokens", IK_COUNT_CACHED },
	{ "cache_creation_input_tokens", IK_COUNT_WRITTEN },
	{ "output_tokens", IK_COUNT_OUTPUT },
	{ "output_tokens_details.thinking_tokens", IK_COUNT_REASONING },
	{ "server_tool_use.web_search_requests", IK_COUNT_SEARCHES },
	{ 0 },
};

static const struct ik_stop_name stops[] = {
	{ "end_turn", IK_STOP_END },
	{ "stop_sequence", IK_STOP_END },
	{ "pause_turn", IK_STOP_PAUSED },
	{ "tool_use", IK_STOP_TOOL_CALLS },
	{ "max_tokens", IK_STOP_LENGTH },
	{ "model_context_window_exceeded", IK_STOP_CONTEXT },
	{ 0 },
};

/* The smallest thinking budget accepted, in tokens. */
#define BUDGET_LEAST 1024

/* Value for max_tokens, which is mandatory, if nothing is known about the model. */
#define OUTPUT_UNKNOWN 8192

/* Let the provider cache everything up to and including the block that is open, which has another
 * member. Four marks are allowed: two are for tools and system, IK_WIRE_MARKS for the user's last
 * messages. The one before the last was the last in the request before, so it is found even if the
 * round has more than the 20 blocks that the provider looks back. */
static void put_mark(struct ik_buf *out, const struct ik_request *request)
{
	const char *value = ik_wire_cache_control(request);

	if (value)
		ik_buf_printf(out, ",\"cache_control\":%s", value);
}

/* Return a value for max_tokens, which is mandatory; one above the model's maximum is refused. */
static int64_t output_limit(const struct ik_request *request)
{
	if (request->max_output_tokens > 0)
		return request->max_output_tokens;
	return request->facts->max_output > 0 ? request->facts->max_output : OUTPUT_UNKNOWN;
}

/* Write a tool, with a cache mark if it is the last. */
static void put_tool(struct ik_buf *out, const struct ik_request *request,
	const struct ik_tool_definition *tool, bool last)
{
	ik_json_printf(out, "{");
	ik_wire_put_name(out, tool);
	ik_json_printf(out, "'input_schema':%.*s", IK_JSON_ARGS(ik_wire_parameters(tool)));
	if (last)
		put_mark(out, request);
	ik_json_printf(out, "}");
}

static void put_tool_alone(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	(void)endpoint;
	put_tool(out, NULL, tool, false);
}

/* Does the history contain calls although there are no tools now? */
static bool lacks_tools(const struct ik_request *request)
{
	size_t index = ik_conversation_count(request->conversation);

	while (!request->tool_count && !ik_request_search(request) && index-- > 0)
		if (ik_conversation_at(request->conversation, index)->kind == IK_KIND_TOOL_CALL)
			return true;
	return false;
}

/* Write the tools. A request with calls in its history must define a tool, even if none may be
 * called. */
static void put_tools(struct ik_buf *out, const struct ik_request *request)
{
	static const struct ik_tool_definition none = {
		.name = "none",
		.description = "There are no tools now.",
	};

	const char *search = ik_request_search(request);

	if (!request->tool_count && !search && !lacks_tools(request))
		return;
	ik_json_printf(out, "'tools':[");
	/* Without programs that search on behalf of the model, which would keep a container. */
	if (search)
		ik_json_printf(out, "{'type':'%s','name':'web_search','allowed_callers':['direct']}",
			search);
	else if (!request->tool_count)
		put_tool(out, request, &none, false);
	for (size_t index = 0; index < request->tool_count; index++)
		put_tool(out, request, &request->tools[index], index + 1 == request->tool_count);
	ik_json_printf(out, "]");
}

/* Open a user message, unless one is open. */
static void open_user(struct ik_wire_writer *writer)
{
	if (!ik_wire_open_message(writer, "user", "content"))
		return;
	memmove(writer->marks + 1, writer->marks, sizeof(writer->marks) - sizeof(*writer->marks));
	writer->marks[0] = 0;
}

/* Close a block of a user message; a cache mark could be inserted here. */
static void close_user_block(struct ik_wire_writer *writer)
{
	writer->marks[0] = writer->out->length;
	ik_json_printf(writer->out, "}");
}

/* Write a content block with a file, or with words in its place, except for its closing brace. */
static void begin_file(struct ik_buf *out, const struct ik_wire_file *file)
{
	if (file->words) {
		ik_json_printf(out, "{'type':'text','text':'%s'", file->words);
		return;
	}
	ik_json_printf(out, "{'type':'%s','source':{'type':'base64','media_type':'%s','data':",
		file->is_picture ? "image" : "document", file->media_type);
	ik_wire_put_base64(out, "", file->bytes);
	ik_json_printf(out, "}");
	if (!file->is_picture)
		ik_json_printf(out, "'title':%.*s", IK_JSON_ARGS(file->name));
}

static void put_user_file(struct ik_wire_writer *writer, const struct ik_wire_file *file)
{
	begin_file(writer->out, file);
	close_user_block(writer);
}

static void put_result_file(struct ik_wire_writer *writer, const struct ik_wire_file *file)
{
	begin_file(writer->out, file);
	ik_json_printf(writer->out, "}");
}

static void put_user(struct ik_wire_writer *writer, const char *text, size_t length,
	const struct ik_message *files)
{
	static const char blank[] = "(blank)";

	/* A text that is only white space would be refused. */
	if (ik_wire_is_blank(text, length)) {
		text = blank;
		length = sizeof(blank) - 1;
	}
	open_user(writer);
	ik_json_printf(writer->out, "{'type':'text','text':'%.*s'", (int)length, text);
	close_user_block(writer);
	ik_wire_put_files(writer, files, put_user_file);
}

static void put_result(struct ik_wire_writer *writer, const struct ik_message *call,
	const struct ik_message *result)
{
	char made[IK_WIRE_MADE_ID];
	bool success = true, files = ik_wire_has_files(result);

	open_user(writer);
	ik_json_printf(writer->out, "{'type':'tool_result','tool_use_id':'%s','content':",
		ik_wire_call_id(call->call_id, IK_WIRE_CALL_ID, made));
	if (files)
		ik_json_printf(writer->out, "[{'type':'text','text':");
	ik_wire_put_envelope(writer->out, result);
	if (files) {
		ik_json_printf(writer->out, "}");
		ik_wire_put_files(writer, result, put_result_file);
		ik_json_printf(writer->out, "]");
	}
	if (!result ||
		(ik_json_bool(ik_json_member(ik_message_data(result), "success"), &success) && !success))
		ik_json_printf(writer->out, "'is_error':true");
	close_user_block(writer);
}

/* Thinking is only sent back with its signature, and not at all when it is switched off. */
static void put_thinking(struct ik_wire_writer *writer, const struct ik_message *message)
{
	struct ik_thinking_words words = ik_thinking_words(writer->request);
	struct ik_json_span opaque = ik_wire_opaque(writer, message);
	struct ik_json_span signature = ik_json_member(opaque, "signature");
	struct ik_json_span redacted = ik_json_member(opaque, "redacted");

	if (words.off && ik_text_equal(words.level, "disabled"))
		return;
	if (signature.text)
		ik_json_printf(writer->out, "{'type':'thinking','thinking':'%.*s','signature':%.*s}",
			(int)message->content_length, message->content, IK_JSON_ARGS(signature));
	else if (redacted.text)
		ik_json_printf(writer->out, "{'type':'redacted_thinking','data':%.*s}",
			IK_JSON_ARGS(redacted));
}

static void put_call(struct ik_wire_writer *writer, const struct ik_message *call)
{
	char made[IK_WIRE_MADE_ID];

	ik_json_printf(writer->out, "{'type':'tool_use','id':'%s','name':%.*s,'input':",
		ik_wire_call_id(call->call_id, IK_WIRE_CALL_ID, made),
		IK_JSON_ARGS(ik_wire_call_name(call)));
	ik_wire_put_arguments_object(writer->out, call);
	ik_json_printf(writer->out, "}");
}

/* Append blocks, except for blank texts, which would be refused. */
static void put_blocks(struct ik_buf *out, struct ik_json_span blocks)
{
	for (struct ik_json_walk walk = ik_json_walk(blocks); ik_json_next(&walk);) {
		size_t length = 0;
		char *text = ik_json_string_new(ik_json_member(walk.value, "text"), &length);

		if (!text || ik_json_member(walk.value, "citations").text ||
			!ik_wire_is_blank(text, length))
			ik_json_put_raw(out, walk.value);
		free(text);
	}
}

/* Return the blocks to send for a search or for a text that cites pages; no value if there are none, or
 * there is no search now. */
static struct ik_json_span blocks_of(const struct ik_wire_writer *writer,
	const struct ik_message *message)
{
	return ik_request_search(writer->request) ? ik_wire_opaque_member(writer, message, "blocks")
											  : (struct ik_json_span){ NULL, 0 };
}

/* Is it the last message of the conversation that is sent? */
static bool is_last(const struct ik_wire_writer *writer, const struct ik_message *message)
{
	const struct ik_conversation *conversation = writer->request->conversation;
	size_t index = ik_conversation_count(conversation);
	const struct ik_message *last = NULL;

	while (index-- > 0 &&
		(!last || last->kind == IK_KIND_USAGE || last->kind == IK_KIND_NOTICE ||
			last->kind == IK_KIND_COMMAND))
		last = ik_conversation_at(conversation, index);
	return last == message;
}

/* Is a message of the passage, other than thinking, sent? A search without an answer is only sent if
 * the answer follows or is to follow. */
static bool is_sent(const struct ik_wire_writer *writer, const struct ik_passage *passage,
	size_t index)
{
	const struct ik_message *message = passage->messages[index];

	if (message->kind == IK_KIND_TOOL_CALL)
		return true;
	struct ik_json_span blocks = blocks_of(writer, message);

	if (message->kind == IK_KIND_ASSISTANT)
		return blocks.text ? ik_json_count(blocks) > 0
						   : !ik_wire_is_blank(message->content, message->content_length);
	return message->searches && blocks.text &&
		(!ik_wire_opaque_member(writer, message, "pending").text || index + 1 < passage->count ||
			is_last(writer, message));
}

static void put_text(struct ik_wire_writer *writer, const struct ik_message *message)
{
	struct ik_json_span blocks = blocks_of(writer, message);

	if (blocks.text)
		put_blocks(writer->out, blocks);
	else
		ik_json_printf(writer->out, "{'type':'text','text':'%.*s'}", (int)message->content_length,
			message->content);
}

static void put_assistant(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	size_t count = passage->count;

	/* Thinking cannot be the last. */
	while (count > 0 && !is_sent(writer, passage, count - 1))
		count--;
	if (!count)
		return;
	if (!*writer->role)
		put_user(writer, IK_WIRE_BEGINNING, strlen(IK_WIRE_BEGINNING), NULL);
	ik_wire_open_message(writer, "assistant", "content");
	for (size_t index = 0; index < count; index++) {
		const struct ik_message *message = passage->messages[index];

		if (message->kind == IK_KIND_THINKING && !message->searches)
			put_thinking(writer, message);
		else if (!is_sent(writer, passage, index))
			continue;
		else if (message->kind == IK_KIND_TOOL_CALL)
			put_call(writer, message);
		else if (message->kind == IK_KIND_THINKING)
			put_blocks(writer->out, blocks_of(writer, message));
		else
			put_text(writer, message);
	}
}

/* Thinking cannot be requested in the middle of a turn that began with calls but without it (with
 * another provider, or before it was switched on). */
static bool may_think(const struct ik_wire_writer *writer)
{
	const struct ik_conversation *conversation = writer->request->conversation;
	size_t index = ik_conversation_count(conversation);
	size_t beginning = ik_conversation_first(conversation);
	bool called = false, thought = false;

	while (index-- > beginning) {
		const struct ik_message *message = ik_conversation_at(conversation, index);

		if (message->kind == IK_KIND_USER)
			break;
		called = called || message->kind == IK_KIND_TOOL_CALL;
		if (message->kind == IK_KIND_THINKING)
			thought = !message->searches && (thought || ik_wire_opaque(writer, message).text);
		else if (message->kind == IK_KIND_TOOL_CALL ||
			(message->kind == IK_KIND_ASSISTANT &&
				!ik_wire_is_blank(message->content, message->content_length)))
			thought = false;
	}
	return !called || thought;
}

static void put_thinking_wish(struct ik_wire_writer *writer)
{
	const struct ik_request *request = writer->request;
	struct ik_thinking_words words = ik_thinking_words(request);
	/* The budget is part of the output limit, which must leave room for the answer. */
	int64_t room = output_limit(request) - BUDGET_LEAST;
	int64_t budget = words.tokens < room ? words.tokens : room;
	struct ik_buf *out = writer->out;

	/* The model decides how much to think, guided by an effort. Newer models show thinking only on
	 * request; some think even if not asked to. */
	if (words.form == IK_THINKING_ADAPTIVE && words.off)
		ik_json_printf(out, "'thinking':{'type':'%s'}", words.level);
	else if (words.form == IK_THINKING_ADAPTIVE && words.seen)
		ik_json_printf(out, "'thinking':{'type':'adaptive','display':'summarized'}");
	else if (words.form == IK_THINKING_ADAPTIVE && words.level)
		ik_json_printf(out, "'thinking':{'type':'adaptive'}");
	else if (words.form == IK_THINKING_BUDGET && budget >= BUDGET_LEAST && may_think(writer))
		ik_json_printf(out, "'thinking':{'type':'enabled','budget_tokens':%lld}",
			(long long)budget);
}

/* What to do with a keyword of a reply's schema, which has to be of a form that a grammar is made of;
 * the system prompt has what is left out. */
/* clang-format off */
static const struct output_keyword {
	const char *name;
	enum { KEPT, A_SCHEMA, SCHEMAS, SCHEMAS_BY_NAME } holds;
} output_keywords[] = {
	{ "type", KEPT }, { "enum", KEPT }, { "const", KEPT }, { "description", KEPT }, { "title", KEPT },
	{ "required", KEPT }, { "$ref", KEPT }, { "items", A_SCHEMA }, { "anyOf", SCHEMAS },
	{ "oneOf", SCHEMAS }, { "allOf", SCHEMAS }, { "properties", SCHEMAS_BY_NAME },
	{ "$defs", SCHEMAS_BY_NAME }, { "definitions", SCHEMAS_BY_NAME },
};
/* clang-format on */

static bool put_output_schema(struct ik_buf *out, struct ik_json_span schema);

/* Write the schemas in a list or an object. */
static bool put_output_schemas(struct ik_buf *out, struct ik_json_span schemas)
{
	bool named = ik_json_span_type(schemas) == IK_JSON_OBJECT, good = true;

	ik_json_open(out, named ? '{' : '[');
	for (struct ik_json_walk walk = ik_json_walk(schemas); good && ik_json_next(&walk);) {
		if (named)
			ik_json_printf(out, "%.*s:", IK_JSON_ARGS(walk.key));
		good = put_output_schema(out, walk.value);
	}
	ik_json_close(out, named ? '}' : ']');
	return good;
}

/* Write a keyword, if it is supported. */
static bool put_output_keyword(struct ik_buf *out, struct ik_json_span name,
	struct ik_json_span value)
{
	size_t index = 0, count = sizeof(output_keywords) / sizeof(*output_keywords);

	while (index < count && !ik_json_string_is(name, output_keywords[index].name))
		index++;
	if (index == count)
		return true;
	/* The service knows no oneOf. */
	ik_json_printf(out,
		"%.*s:", IK_JSON_ARGS(ik_json_string_is(name, "oneOf") ? IK_JSON_SPAN("\"anyOf\"") : name));
	if (output_keywords[index].holds == A_SCHEMA)
		return put_output_schema(out, value);
	if (output_keywords[index].holds != KEPT)
		return put_output_schemas(out, value);
	ik_json_put_raw(out, value);
	return true;
}

/* Write a schema in the form that the service takes: every object closed, and only some keywords.
 * Return false if that is not possible: it has objects with any names, or is not an object. Source:
 * "Structured outputs", "JSON Schema limitations", and Anthropic's SDK (transformJSONSchema). */
static bool put_output_schema(struct ik_buf *out, struct ik_json_span schema)
{
	struct ik_json_span properties = ik_json_member(schema, "properties");
	struct ik_json_span type = ik_json_member(schema, "type");
	bool object = properties.text || ik_json_string_is(type, "object") ||
		ik_json_holds(type, IK_JSON_SPAN("\"object\""));
	bool good = ik_json_span_type(schema) == IK_JSON_OBJECT &&
		!ik_json_member(schema, "patternProperties").text &&
		(!object || ik_json_count(properties) > 0 ||
			ik_json_equal(ik_json_member(schema, "additionalProperties"), IK_JSON_SPAN("false")));

	ik_json_open(out, '{');
	for (struct ik_json_walk walk = ik_json_walk(schema); good && ik_json_next(&walk);)
		good = put_output_keyword(out, walk.key, walk.value);
	if (object)
		ik_json_printf(out, "'additionalProperties':false");
	ik_json_close(out, '}');
	return good;
}

/* Write the effort of thinking, and the schema of the reply. */
static void put_output_config(struct ik_wire_writer *writer)
{
	const struct ik_request *request = writer->request;
	struct ik_thinking_words words = ik_thinking_words(request);
	bool effort = words.form == IK_THINKING_ADAPTIVE && words.level && !words.off;
	struct ik_buf schema;
	bool format;

	ik_buf_init(&schema, 4 * IK_LIMIT_SCHEMA);
	format = request->output_schema.text && put_output_schema(&schema, request->output_schema) &&
		ik_buf_status(&schema) == IK_OK;
	if (effort || format)
		ik_json_printf(writer->out, "'output_config':{");
	if (effort)
		ik_json_printf(writer->out, "'effort':'%s'", words.level);
	if (format)
		ik_json_printf(writer->out, "'format':{'type':'json_schema','schema':%.*s}",
			(int)schema.length, schema.data);
	if (effort || format)
		ik_json_printf(writer->out, "}");
	ik_buf_done(&schema);
}

/* Insert the cache marks at the ends of the user's last messages. */
static void put_marks(struct ik_wire_writer *writer)
{
	struct ik_buf mark;

	ik_buf_init(&mark, IK_KIB(1));
	put_mark(&mark, writer->request);
	for (size_t index = 0; index < IK_WIRE_MARKS; index++)
		if (writer->marks[index] && ik_buf_status(writer->out) == IK_OK)
			ik_buf_insert(writer->out, writer->marks[index], mark.data, mark.length);
	ik_buf_done(&mark);
}

static void put_request(struct ik_wire_writer *writer)
{
	static const struct ik_wire_messages messages = { put_user, put_assistant, put_result, NULL };
	const struct ik_request *request = writer->request;
	const char *prompt = request->system_prompt;
	struct ik_buf *out = writer->out;

	ik_json_printf(out, "{'model':'%s','max_tokens':%lld", request->model,
		(long long)output_limit(request));
	put_tools(out, request);
	if (prompt && !ik_wire_is_blank(prompt, strlen(prompt))) {
		ik_json_printf(out, "'system':[{'type':'text','text':'%s'", prompt);
		put_mark(out, request);
		ik_json_printf(out, "}]");
	}
	ik_json_printf(out, "'messages':[");
	ik_wire_put_messages(writer, &messages);
	ik_wire_close_message(writer);
	ik_json_printf(out, "],'stream':true");
	if ((request->forbid_calls && request->tool_count) || lacks_tools(request))
		ik_json_printf(out, "'tool_choice':{'type':'none'}");
	put_thinking_wish(writer);
	put_output_config(writer);
	ik_json_printf(out, "}");
	put_marks(writer);
}

const struct ik_wire_format ik_anthropic_format = {
	.type = IK_ANTHROPIC,
	.path = "/v1/messages",
	.models_path = "/v1/models?limit=1000",
	.key_header = "x-api-key: ",
	.header = "anthropic-version: 2023-06-01",
	.binds = true,
	.put_tool = put_tool_alone,
	.put_request = put_request,
	.state_size = sizeof(struct anthropic_stream_state),
	.state_done = state_done,
	.take = take,
	.counts = counts,
	.stops = stops,
};
