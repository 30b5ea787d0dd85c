/*
 * openai_responses: OpenAI's Responses format, without storing anything on the server.
 *
 * Source: API reference, "Create a model response" and "Streaming events"; guide "Web search".
 *
 * Opaque data of thinking: the reasoning item with its encrypted content, to be sent back; of a search
 * of the web: its item; of text: {"phase":"..."}, or {"item":...} if it cites pages.
 */
#include "provider/formats.h"

#include <string.h>

#include "provider/models.h"
#include "provider/openai.h"
#include "provider/wire/decoder.h"
#include "provider/wire/wire.h"
#include "util/text.h"

/* Marks for an item that is being reported piece by piece, and for one that was reported whole. */
#define REPORTED 1
#define COMPLETE 2

/* Between parts of thinking. */
#define PARAGRAPH "\n\n"

/* Report a string value as a piece of the item's text. */
static void report_text(struct ik_stream_decoder *decoder, enum ik_delta_kind kind, int64_t index,
	struct ik_json_span value)
{
	if (ik_decoder_text(decoder, kind, value))
		ik_decoder_set_mark(decoder, index, REPORTED);
}

static void report_refusal(struct ik_stream_decoder *decoder, int64_t index,
	struct ik_json_span value)
{
	decoder->refused = true;
	report_text(decoder, IK_DELTA_TEXT, index, value);
}

/* Report a piece of a call's arguments; the last event repeats all of them. */
static void report_arguments(struct ik_stream_decoder *decoder, int64_t index,
	struct ik_json_span value)
{
	if (!ik_decoder_has_text(value))
		return;
	ik_decoder_set_mark(decoder, index, REPORTED);
	ik_decoder_call(decoder, &(struct ik_call_piece){ .index = index, .arguments = value });
}

/* Handle a call's item, at its start and at its end. */
static void take_call(struct ik_stream_decoder *decoder, int64_t index, struct ik_json_span item)
{
	struct ik_call_piece piece = {
		.index = index, .id = ik_json_member(item, "call_id"), .name = ik_json_member(item, "name")
	};

	ik_decoder_call(decoder, &piece);
	if (ik_decoder_mark(decoder, index) != REPORTED)
		report_arguments(decoder, index, ik_json_member(item, "arguments"));
}

/* Report what is still unreported of a complete message, and what must be sent back with it. */
static void end_message(struct ik_stream_decoder *decoder, int64_t index, struct ik_json_span item)
{
	struct ik_json_span content = ik_json_member(item, "content"), none = { NULL, 0 };
	struct ik_json_span phase = ik_json_member(item, "phase");
	bool reported = ik_decoder_mark(decoder, index) == REPORTED;

	for (struct ik_json_walk walk = ik_json_elements(content); !reported && ik_json_next(&walk);) {
		report_text(decoder, IK_DELTA_TEXT, index, ik_json_member(walk.value, "text"));
		if (ik_json_member(walk.value, "refusal").text)
			report_refusal(decoder, index, ik_json_member(walk.value, "refusal"));
	}
	for (struct ik_json_walk walk = ik_json_elements(content); ik_json_next(&walk);)
		ik_decoder_cite_all(decoder, ik_json_member(walk.value, "annotations"), NULL, "url");
	if (ik_decoder_list_sources(decoder).text)
		ik_decoder_opaque_object(decoder, IK_DELTA_TEXT,
			(struct ik_opaque_member[]){ { "item", item }, { 0 } });
	else
		ik_decoder_opaque_object(decoder, IK_DELTA_TEXT,
			(struct ik_opaque_member[]){
				{ "phase", ik_json_span_type(phase) == IK_JSON_STRING ? phase : none }, { 0 } });
}

/* Report complete reasoning, which can only be sent back with its encrypted content. */
static void end_reasoning(struct ik_stream_decoder *decoder, int64_t index,
	struct ik_json_span item)
{
	struct ik_json_span summary = ik_json_member(item, "summary");
	struct ik_json_span encrypted = ik_json_member(item, "encrypted_content");
	bool reported = ik_decoder_mark(decoder, index) == REPORTED;

	for (struct ik_json_walk walk = ik_json_elements(summary); !reported && ik_json_next(&walk);) {
		if (ik_decoder_mark(decoder, index) == REPORTED)
			ik_decoder_bytes(decoder, IK_DELTA_THINKING, PARAGRAPH, strlen(PARAGRAPH));
		report_text(decoder, IK_DELTA_THINKING, index, ik_json_member(walk.value, "text"));
	}
	if (ik_json_span_type(encrypted) == IK_JSON_STRING)
		ik_decoder_opaque_object(decoder, IK_DELTA_THINKING,
			(struct ik_opaque_member[]){ { "type", IK_JSON_SPAN("\"reasoning\"") },
				{ "id", ik_json_member(item, "id") }, { "summary", summary },
				{ "encrypted_content", encrypted }, { 0 } });
}

/* Report a complete search, or a page that was opened. */
static void end_search(struct ik_stream_decoder *decoder, struct ik_json_span item)
{
	struct ik_json_span action = ik_json_member(item, "action");
	struct ik_json_span query = ik_json_at(action, "queries.0");

	query = query.text ? query : ik_json_member(action, "query");
	query = query.text ? query : ik_json_member(action, "url");
	ik_decoder_search(decoder, query);
	if (ik_json_string_is(ik_json_member(item, "status"), "failed"))
		ik_decoder_failed_search(decoder, ik_json_member(item, "status"));
	decoder->searches += ik_json_string_is(ik_json_member(action, "type"), "search");
	ik_decoder_opaque(decoder, IK_DELTA_SEARCH, item);
}

/* Handle a complete item. */
static void end_item(struct ik_stream_decoder *decoder, int64_t index, struct ik_json_span item)
{
	struct ik_json_span type = ik_json_member(item, "type");

	if (ik_decoder_mark(decoder, index) == COMPLETE)
		return;
	if (ik_json_string_is(type, "function_call")) {
		take_call(decoder, index, item);
		ik_decoder_end_calls(decoder);
	} else if (ik_json_string_is(type, "message")) {
		end_message(decoder, index, item);
	} else if (ik_json_string_is(type, "reasoning")) {
		end_reasoning(decoder, index, item);
	} else if (ik_json_string_is(type, "web_search_call")) {
		end_search(decoder, item);
	} else {
		ik_decoder_unshown(decoder, type); /* nobody has asked for it */
	}
	ik_decoder_set_mark(decoder, index, COMPLETE);
}

/* ---- events ---- */

static int64_t index_of(struct ik_json_span event)
{
	return ik_decoder_index(event, "output_index");
}

static void take_text(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	report_text(decoder, IK_DELTA_TEXT, index_of(event), ik_json_member(event, "delta"));
}

static void take_thinking(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	report_text(decoder, IK_DELTA_THINKING, index_of(event), ik_json_member(event, "delta"));
}

/* Put an empty line between the parts of a summary, each of which has a heading. */
static void take_summary_part(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	if (ik_decoder_index(event, "summary_index") > 0)
		ik_decoder_bytes(decoder, IK_DELTA_THINKING, PARAGRAPH, strlen(PARAGRAPH));
}

static void take_refusal(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	report_refusal(decoder, index_of(event), ik_json_member(event, "delta"));
}

static void take_arguments(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	report_arguments(decoder, index_of(event), ik_json_member(event, "delta"));
}

static void take_item(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	struct ik_json_span item = ik_json_member(event, "item");

	if (ik_json_string_is(ik_json_member(item, "type"), "function_call"))
		take_call(decoder, index_of(event), item);
	else if (ik_json_string_is(ik_json_member(item, "type"), "web_search_call"))
		ik_decoder_search(decoder, (struct ik_json_span){ NULL, 0 });
}

static void take_item_end(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	end_item(decoder, index_of(event), ik_json_member(event, "item"));
}

/* Report that the response failed or was cancelled, or is an error. */
static void take_failure(struct ik_stream_decoder *decoder, struct ik_json_span value)
{
	ik_decoder_error(decoder, value);
	if (!decoder->over)
		ik_decoder_fail(decoder, "");
}

/* Handle the end of the response, by its status. */
static void end_response(struct ik_stream_decoder *decoder, struct ik_json_span response)
{
	struct ik_json_span status = ik_json_member(response, "status");
	struct ik_json_span why = ik_json_at(response, "incomplete_details.reason");

	ik_decoder_usage(decoder, ik_json_member(response, "usage"));
	if (ik_json_string_is(status, "failed") || ik_json_string_is(status, "cancelled")) {
		take_failure(decoder, response);
		return;
	}
	if (!ik_json_string_is(status, "incomplete"))
		ik_decoder_stop(decoder, IK_STOP_END);
	else if (ik_json_string_is(why, "content_filter"))
		ik_decoder_stop(decoder, IK_STOP_REFUSED);
	else
		ik_decoder_stop(decoder, IK_STOP_LENGTH);
	ik_decoder_complete(decoder);
}

/* Handle a complete response: report those of its items that no event has reported. */
static void take_response(struct ik_stream_decoder *decoder, struct ik_json_span response)
{
	struct ik_json_walk walk = ik_json_elements(ik_json_member(response, "output"));

	for (int64_t index = 0; ik_json_next(&walk); index++)
		end_item(decoder, index, walk.value);
	end_response(decoder, response);
}

static void take_end(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	take_response(decoder, ik_json_member(event, "response"));
}

static void take_annotation(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	(void)ik_decoder_cite(decoder, ik_json_member(event, "annotation"), "url");
}

static void take(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	static const struct ik_event_name events[] = {
		{ "response.output_text.delta", take_text },
		{ "response.output_text.annotation.added", take_annotation },
		{ "response.audio.transcript.delta", take_text },
		{ "response.reasoning_summary_part.added", take_summary_part },
		{ "response.reasoning_summary_text.delta", take_thinking },
		{ "response.reasoning_text.delta", take_thinking },
		{ "response.function_call_arguments.delta", take_arguments },
		{ "response.refusal.delta", take_refusal },
		{ "response.output_item.added", take_item },
		{ "response.output_item.done", take_item_end },
		{ "response.completed", take_end },
		{ "response.incomplete", take_end },
		{ "response.failed", take_end },
		{ "response.cancelled", take_end },
		{ "error", take_failure },
		{ 0 },
	};

	if (ik_decoder_dispatch(decoder, event, events))
		return;
	if (ik_json_string_is(ik_json_member(event, "object"), "response"))
		take_response(decoder, event);
	else if (ik_json_span_type(ik_json_member(event, "type")) != IK_JSON_STRING)
		ik_decoder_error(decoder, event);
}

static const struct ik_count_name counts[] = {
	{ "input_tokens", IK_COUNT_INPUT },
	{ "output_tokens", IK_COUNT_OUTPUT },
	{ "input_tokens_details.cached_tokens", IK_COUNT_CACHED },
	{ "input_tokens_details.cache_write_tokens", IK_COUNT_WRITTEN },
	{ "output_tokens_details.reasoning_tokens", IK_COUNT_REASONING },
	{ 0 },
};

/* Write a tool. In this format strict mode is on unless it is switched off. */
static void put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	bool strict;

	ik_json_printf(out, "{'type':'function'");
	strict = ik_openai_put_function(out, endpoint, tool);
	ik_json_printf(out, "'strict':%s}", ik_json_word(strict));
}

/* Write a part with a file, or with words in its place. */
static void put_file(struct ik_wire_writer *writer, const struct ik_wire_file *file)
{
	struct ik_buf *out = writer->out;

	if (file->words) {
		ik_json_printf(out, "{'type':'input_text','text':'%s'}", file->words);
		return;
	}
	if (file->is_picture)
		ik_json_printf(out, "{'type':'input_image','detail':'auto','image_url':");
	else
		ik_json_printf(out,
			"{'type':'input_file','filename':%.*s,'file_data':", IK_JSON_ARGS(file->name));
	ik_wire_put_data_url(out, file);
	ik_json_printf(out, "}");
}

static void put_user(struct ik_wire_writer *writer, const char *text, size_t length,
	const struct ik_message *files)
{
	if (!ik_wire_has_files(files)) {
		ik_json_printf(writer->out, "{'role':'user','content':'%.*s'}", (int)length, text);
		return;
	}
	ik_json_printf(writer->out, "{'role':'user','content':[{'type':'input_text','text':'%.*s'}",
		(int)length, text);
	ik_wire_put_files(writer, files, put_file);
	ik_json_printf(writer->out, "]}");
}

static void put_text(struct ik_wire_writer *writer, const struct ik_message *message)
{
	struct ik_json_span phase = ik_wire_opaque_member(writer, message, "phase");
	struct ik_json_span item = ik_wire_opaque_member(writer, message, "item");

	if (writer->request->facts->form == IK_THINKING_UNSAID)
		item.text = NULL;
	if (item.text) {
		ik_json_put_raw(writer->out, item);
		return;
	}
	ik_json_printf(writer->out, "{'role':'assistant','content':'%.*s'",
		(int)message->content_length, message->content);
	if (phase.text)
		ik_json_printf(writer->out, "'phase':%.*s", IK_JSON_ARGS(phase));
	ik_json_printf(writer->out, "}");
}

static void put_call(struct ik_wire_writer *writer, const struct ik_message *call)
{
	char made[IK_WIRE_MADE_ID];

	ik_json_printf(writer->out, "{'type':'function_call','call_id':'%s','name':%.*s,'arguments':",
		ik_wire_call_id(call->call_id, IK_WIRE_CALL_ID, made),
		IK_JSON_ARGS(ik_wire_call_name(call)));
	ik_wire_put_arguments_text(writer->out, call);
	ik_json_printf(writer->out, "}");
}

static void put_assistant(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *message = passage->messages[index];
		struct ik_json_span opaque = ik_wire_opaque(writer, message);

		if (message->kind == IK_KIND_TOOL_CALL)
			put_call(writer, message);
		else if (message->kind == IK_KIND_ASSISTANT)
			put_text(writer, message);
		/* Without the reasoning before it, a search is refused, and what cites it, too. */
		else if (opaque.text && writer->request->facts->form != IK_THINKING_UNSAID)
			ik_json_put_raw(writer->out, opaque);
	}
}

static void put_result(struct ik_wire_writer *writer, const struct ik_message *call,
	const struct ik_message *result)
{
	bool files = ik_wire_has_files(result);
	char made[IK_WIRE_MADE_ID];

	ik_json_printf(writer->out, "{'type':'function_call_output','call_id':'%s','output':",
		ik_wire_call_id(call->call_id, IK_WIRE_CALL_ID, made));
	if (files)
		ik_json_printf(writer->out, "[{'type':'input_text','text':");
	ik_wire_put_envelope(writer->out, result);
	if (files) {
		ik_json_printf(writer->out, "}");
		ik_wire_put_files(writer, result, put_file);
		ik_json_printf(writer->out, "]");
	}
	ik_json_printf(writer->out, "}");
}

/* Write how much to reason, and that its summary is wanted; the reasoning itself is never shown. */
static void put_reasoning(struct ik_buf *out, struct ik_thinking_words words)
{
	if (words.form == IK_THINKING_UNSAID || !(words.level || words.seen))
		return;
	ik_json_printf(out, "'reasoning':{");
	if (words.level)
		ik_json_printf(out, "'effort':'%s'", words.level);
	if (words.seen)
		ik_json_printf(out, "'summary':'auto'");
	ik_json_printf(out, "}");
}

static void put_request(struct ik_wire_writer *writer)
{
	static const struct ik_wire_messages messages = { put_user, put_assistant, put_result, NULL };
	const struct ik_request *request = writer->request;
	struct ik_thinking_words thinking = ik_thinking_words(request);
	struct ik_buf *out = writer->out;

	ik_json_printf(out, "{'model':'%s'", request->model);
	if (request->system_prompt && *request->system_prompt)
		ik_json_printf(out, "'instructions':'%s'", request->system_prompt);
	/* A search is refused with this effort. */
	ik_wire_put_tools(writer, "tools",
		thinking.form == IK_THINKING_EFFORT && thinking.level &&
				ik_text_equal(thinking.level, "minimal")
			? NULL
			: ik_request_search(request));
	ik_json_printf(out, "'input':[");
	ik_wire_put_messages(writer, &messages);
	ik_json_printf(out, "],'stream':true,'store':false");
	/* The server stores nothing, so reasoning must be sent back. Other models refuse the request for
	 * it. */
	if (request->facts->form != IK_THINKING_UNSAID)
		ik_json_printf(out, "'include':['reasoning.encrypted_content']");
	put_reasoning(out, thinking);
	if (request->forbid_calls && request->tool_count)
		ik_json_printf(out, "'tool_choice':'none'");
	if (request->max_output_tokens > 0)
		ik_json_printf(out, "'max_output_tokens':%lld", (long long)request->max_output_tokens);
	if (request->output_schema.text) {
		ik_json_printf(out, "'text':{'format':{'type':'json_schema'");
		ik_openai_put_output_schema(out, request);
		ik_json_printf(out, "}}");
	}
	ik_openai_put_caching(out, request);
	ik_json_printf(out, "}");
}

const struct ik_wire_format ik_openai_responses_format = {
	.type = IK_OPENAI_RESPONSES,
	.path = "/responses",
	.models_path = "/models",
	.key_header = "Authorization: Bearer ",
	.put_tool = put_tool,
	.put_arguments = ik_openai_put_arguments,
	.put_request = put_request,
	.take = take,
	.counts = counts,
};
