/*
 * google: the GenerateContent format of Google's Gemini API.
 *
 * Source: API reference, "models.streamGenerateContent", "Function calling" (schemas are JSON
 * Schema, unchanged: parametersJsonSchema), "Multimodal function responses", "Thought signatures",
 * "Grounding with Google Search", "Combine built-in tools and function calling".
 *
 * Opaque data of a text or a call: {"thoughtSignature":"...","id":"..."}, as far as given, and of a
 * text that cites pages, IK_WIRE_SOURCES; of a search of the web, {"parts":[...]}: what Google's tool
 * was asked and answered.
 */
#include "provider/formats.h"

#include <stdlib.h>
#include <string.h>

#include "provider/joined.h"
#include "provider/models.h"
#include "provider/wire/decoder.h"
#include "provider/wire/wire.h"
#include "util/limits.h"
#include "util/text.h"

/* Return value if it is a non-empty string, else no value. */
static struct ik_json_span text_or_none(struct ik_json_span value)
{
	struct ik_json_span none = { NULL, 0 };

	return ik_decoder_has_text(value) ? value : none;
}

struct google_stream_state {
	struct ik_buf signature; /* of the text, as JSON */
	struct ik_buf parts; /* calls of Google's tools, and answers, that were not reported: a list,
	                            not yet closed */
	int waiting;         /* number of calls in it without an answer */
	struct ik_joined arguments; /* of a call that goes on */
	bool goes_on;               /* there is such a call */
};

static void state_done(void *arg)
{
	struct google_stream_state *state = arg;

	ik_buf_done(&state->signature);
	ik_buf_done(&state->parts);
	ik_joined_done(&state->arguments);
}

/* Handle a call of Google's own tool, or its answer. Several calls may wait for theirs. */
static void take_server_part(struct ik_stream_decoder *decoder, struct ik_json_span part)
{
	struct google_stream_state *state = decoder->state;
	struct ik_json_span call = ik_json_member(part, "toolCall");
	struct ik_json_span query = ik_json_at(call, "args.queries.0");

	ik_decoder_list_add(&state->parts, part);
	state->waiting += call.text ? 1 : -1;
	if (call.text)
		ik_decoder_search(decoder, query.text ? query : ik_json_member(call, "toolType"));
	if (state->waiting > 0)
		return;
	ik_decoder_opaque_object(decoder, IK_DELTA_SEARCH,
		(struct ik_opaque_member[]){ { "parts", ik_decoder_list_end(&state->parts) }, { 0 } });
	ik_buf_done(&state->parts);
	state->waiting = 0;
}

/* Report what is unknown in a part without text or call. */
static void take_other_part(struct ik_stream_decoder *decoder, struct ik_json_span part)
{
	static const char *const known[] = { "text", "thought", "thoughtSignature", "partMetadata",
		"speechMetadata", "mediaResolution", "mediaProcessing", "videoMetadata" };

	for (struct ik_json_walk walk = ik_json_walk(part); ik_json_next(&walk);) {
		size_t index = 0;

		while (index < sizeof(known) / sizeof(*known) && !ik_json_string_is(walk.key, known[index]))
			index++;
		if (index == sizeof(known) / sizeof(*known))
			ik_decoder_unshown(decoder, walk.key);
	}
}

/* Handle a part with text, or with a signature that belongs to the text before it. */
static void take_text(struct ik_stream_decoder *decoder, struct ik_json_span part)
{
	struct google_stream_state *state = decoder->state;
	struct ik_json_span text = ik_json_member(part, "text");
	struct ik_json_span signature = text_or_none(ik_json_member(part, "thoughtSignature"));
	bool thought = false;

	ik_json_bool(ik_json_member(part, "thought"), &thought);
	ik_decoder_text(decoder, thought ? IK_DELTA_THINKING : IK_DELTA_TEXT, text);
	if (thought || !text.text || !signature.text)
		return;
	ik_buf_done(&state->signature);
	ik_buf_init(&state->signature, IK_LIMIT_REPLY);
	ik_buf_append(&state->signature, signature.text, signature.length);
	ik_decoder_opaque_object(decoder, IK_DELTA_TEXT,
		(struct ik_opaque_member[]){ { "thoughtSignature", signature }, { 0 } });
}

/* Limit on the depth of arguments that come in pieces. */
#define DEEPEST 64

/* Read the first step of a path (RFC 9535): .NAME, ['NAME'], ["NAME"] or [NUMBER]. Return what
 * follows it, or NULL if there is no such step. */
static const char *read_step(const char *path, struct ik_joined_step *ret_step)
{
	const char quote = path[0] == '[' && path[1] && strchr("'\"", path[1]) ? path[1] : '\0';
	const char *begin = path + (quote ? 2 : 1), *end = begin;
	bool is_name = quote || path[0] == '.';

	if (path[0] == '.')
		end += strcspn(begin, ".[");
	else if (quote)
		end += strcspn(begin, quote == '\'' ? "'" : "\"");
	else if (path[0] == '[')
		end += strspn(begin, "0123456789");
	if (end == begin)
		return NULL;
	*ret_step = (struct ik_joined_step){ is_name ? begin : NULL, (size_t)(end - begin),
		is_name ? 0 : strtoul(begin, NULL, 10) };
	if (path[0] == '.')
		return end;
	end += quote && *end == quote;
	return *end == ']' ? end + 1 : NULL;
}

/* Return the value in a piece. */
static struct ik_json_span value_of(struct ik_json_span piece)
{
	static const char *const names[] = { "stringValue", "numberValue", "boolValue" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct ik_json_span value = ik_json_member(piece, names[i]);

		if (value.text && ik_json_span_type(value) != IK_JSON_NULL)
			return value;
	}
	return IK_JSON_SPAN("null");
}

/* Take an argument, or a part of a string, with the path to it. Source: Vertex AI API reference,
 * "FunctionCall", "PartialArg". */
static void take_piece(struct ik_stream_decoder *decoder, struct ik_json_span piece)
{
	struct ik_joined *arguments = &((struct google_stream_state *)decoder->state)->arguments;
	char *path = ik_json_text_new(ik_json_member(piece, "jsonPath"));
	struct ik_joined_step steps[DEEPEST];
	const char *rest = path ? path + (*path == '$') : NULL;
	size_t count = 0;

	while (rest && *rest && count < DEEPEST)
		rest = read_step(rest, &steps[count++]);
	if (!rest || *rest || !count)
		arguments->broken = true;
	else
		ik_joined_add(arguments, steps, count, value_of(piece), true);
	free(path);
}

/* Report the arguments of a call that came in pieces. If they are not complete, or make no object, they
 * are no JSON, so that the tool doesn't run. */
static void end_pieces(struct ik_stream_decoder *decoder, bool complete)
{
	struct google_stream_state *state = decoder->state;
	struct ik_call_piece piece = { .index = decoder->call_count - 1,
		.arguments = IK_JSON_SPAN("\"{\"") };
	struct ik_buf whole;

	ik_buf_init(&whole, IK_LIMIT_REPLY);
	if (state->arguments.root.count)
		ik_joined_put(&whole, &state->arguments);
	else
		ik_json_printf(&whole, "{}");
	if (complete && !state->arguments.broken && ik_buf_status(&whole) == IK_OK)
		piece.arguments = (struct ik_json_span){ whole.data, whole.length };
	ik_decoder_call(decoder, &piece);
	ik_buf_done(&whole);
	ik_joined_done(&state->arguments);
	state->goes_on = false;
}

/* Handle a call, which has no index, and is complete unless it says that it goes on. */
static void take_call(struct ik_stream_decoder *decoder, struct ik_json_span part)
{
	struct google_stream_state *state = decoder->state;
	struct ik_json_span call = ik_json_member(part, "functionCall");
	struct ik_json_span pieces = ik_json_member(call, "partialArgs"), none = { NULL, 0 };
	/* What must be sent back with it. */
	const struct ik_opaque_member opaque[] = {
		{ "thoughtSignature", text_or_none(ik_json_member(part, "thoughtSignature")) },
		{ "id", text_or_none(ik_json_member(call, "id")) },
		{ 0 },
	};
	bool began = state->goes_on, whole;

	state->goes_on = false;
	ik_json_bool(ik_json_member(call, "willContinue"), &state->goes_on);
	whole = !began && !state->goes_on && !ik_json_count(pieces);
	if (!began)
		ik_decoder_call(decoder,
			&(struct ik_call_piece){
				.index = decoder->call_count,
				.id = opaque[1].value,
				.name = ik_json_member(call, "name"),
				.arguments = whole ? ik_json_member(call, "args") : none,
			});
	ik_decoder_each(decoder, pieces, take_piece);
	if (!whole && !state->goes_on)
		end_pieces(decoder, true);
	if (!state->goes_on)
		ik_decoder_end_calls(decoder);
	ik_decoder_opaque_object(decoder, IK_DELTA_CALL, opaque);
}

static void take_part(struct ik_stream_decoder *decoder, struct ik_json_span part)
{
	if (ik_json_member(part, "toolCall").text || ik_json_member(part, "toolResponse").text) {
		take_server_part(decoder, part);
	} else if (ik_json_span_type(ik_json_member(part, "functionCall")) == IK_JSON_OBJECT) {
		take_call(decoder, part);
	} else {
		take_text(decoder, part);
		take_other_part(decoder, part);
	}
}

/* Handle what the reply is based on. */
static void take_grounding(struct ik_stream_decoder *decoder, struct ik_json_span candidate)
{
	struct ik_json_span metadata = ik_json_member(candidate, "groundingMetadata");
	int64_t queries = (int64_t)ik_json_count(ik_json_member(metadata, "webSearchQueries"));

	if (queries > decoder->searches)
		decoder->searches = queries;
	ik_decoder_cite_all(decoder, ik_json_member(metadata, "groundingChunks"), "web", "uri");
	ik_decoder_cite_all(decoder, ik_json_at(candidate, "citationMetadata.citations"), NULL, "uri");
}

/* List what the complete reply is based on. */
static void end_text(struct ik_stream_decoder *decoder)
{
	struct google_stream_state *state = decoder->state;
	struct ik_json_span signature = { state->signature.data, state->signature.length };
	struct ik_json_span none = { NULL, 0 }, sources = ik_decoder_list_sources(decoder);

	if (sources.text)
		ik_decoder_opaque_object(decoder, IK_DELTA_TEXT,
			(struct ik_opaque_member[]){
				{ "thoughtSignature", signature.length ? signature : none },
				{ IK_WIRE_SOURCES, sources }, { 0 } });
}

/* Handle one chunk. It has one candidate, since only one was requested. */
static void take(struct ik_stream_decoder *decoder, struct ik_json_span chunk)
{
	struct ik_json_span candidate = ik_json_at(chunk, "candidates.0");
	struct ik_json_span usage = ik_json_member(chunk, "usageMetadata");
	struct ik_json_span blocked = ik_json_at(chunk, "promptFeedback.blockReason");

	ik_decoder_each(decoder, ik_json_at(candidate, "content.parts"), take_part);
	take_grounding(decoder, candidate);
	ik_decoder_usage(decoder, usage);
	if (ik_decoder_has_text(blocked))
		ik_decoder_refuse(decoder, blocked, ik_json_at(chunk, "promptFeedback.blockReasonMessage"));
	if (ik_decoder_has_text(ik_json_member(candidate, "finishReason"))) {
		if (((struct google_stream_state *)decoder->state)->goes_on)
			end_pieces(decoder, false);
		end_text(decoder);
	}
	ik_decoder_stop_name(decoder, ik_json_member(candidate, "finishReason"),
		ik_json_member(candidate, "finishMessage"));
	if (!candidate.text && !usage.text && !blocked.text)
		ik_decoder_error(decoder, chunk);
}

static const struct ik_count_name counts[] = {
	{ "promptTokenCount", IK_COUNT_INPUT },
	{ "toolUsePromptTokenCount", IK_COUNT_INPUT },
	{ "candidatesTokenCount", IK_COUNT_OUTPUT },
	{ "thoughtsTokenCount", IK_COUNT_OUTPUT },
	{ "thoughtsTokenCount", IK_COUNT_REASONING },
	{ "cachedContentTokenCount", IK_COUNT_CACHED },
	{ 0 },
};

static const struct ik_stop_name stops[] = {
	{ "STOP", IK_STOP_END },
	{ "FINISH_REASON_UNSPECIFIED", IK_STOP_END },
	{ "MAX_TOKENS", IK_STOP_LENGTH },
	{ "SAFETY", IK_STOP_REFUSED },
	{ "RECITATION", IK_STOP_REFUSED },
	{ "LANGUAGE", IK_STOP_REFUSED },
	{ "BLOCKLIST", IK_STOP_REFUSED },
	{ "PROHIBITED_CONTENT", IK_STOP_REFUSED },
	{ "SPII", IK_STOP_REFUSED },
	{ "MODEL_ARMOR", IK_STOP_REFUSED },
	{ "ESCALATION", IK_STOP_REFUSED },
	{ "PUP_LIMITED_DISABLED", IK_STOP_REFUSED },
	{ "IMAGE_SAFETY", IK_STOP_REFUSED },
	{ "IMAGE_PROHIBITED_CONTENT", IK_STOP_REFUSED },
	{ "IMAGE_RECITATION", IK_STOP_REFUSED },
	{ 0 },
};

/* Replaces the signature for calls that Gemini did not make: newer models refuse calls without one.
 * Source: "Thought signatures", FAQ. */
#define NO_SIGNATURE "skip_thought_signature_validator"

static void put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	(void)endpoint;
	ik_json_printf(out, "{");
	ik_wire_put_name(out, tool);
	/* An object without properties is refused. */
	if (ik_json_count(ik_json_member(tool->parameters, "properties")))
		ik_json_printf(out, "'parametersJsonSchema':%.*s", IK_JSON_ARGS(tool->parameters));
	ik_json_printf(out, "}");
}

static void put_inline(struct ik_buf *out, const struct ik_wire_file *file)
{
	ik_json_printf(out, "{'inlineData':{'mimeType':'%s','data':", file->media_type);
	ik_wire_put_base64(out, "", file->bytes);
	ik_json_printf(out, "}}");
}

/* Write a part with a file, or with words in its place. */
static void put_file(struct ik_wire_writer *writer, const struct ik_wire_file *file)
{
	if (file->words)
		ik_json_printf(writer->out, "{'text':'%s'}", file->words);
	else
		put_inline(writer->out, file);
}

/* The parts of a result can only be files, which models without signatures don't accept there. */
static void put_inner_file(struct ik_wire_writer *writer, const struct ik_wire_file *file)
{
	if (!file->words && writer->request->facts->signatures)
		put_inline(writer->out, file);
}

static void put_outer_file(struct ik_wire_writer *writer, const struct ik_wire_file *file)
{
	if (file->words || !writer->request->facts->signatures)
		put_file(writer, file);
}

/* Write a user message. Roles must alternate, but a resumed session may continue with a user
 * message after the results of its last calls. */
static void put_user(struct ik_wire_writer *writer, const char *text, size_t length,
	const struct ik_message *files)
{
	ik_wire_open_message(writer, "user", "parts");
	ik_json_printf(writer->out, "{'text':'%.*s'}", (int)length, text);
	ik_wire_put_files(writer, files, put_file);
}

/* Write a member of a message's opaque data. Return false if the message has no such member. */
static bool put_opaque(struct ik_wire_writer *writer, const struct ik_message *message,
	const char *name)
{
	struct ik_json_span value = ik_wire_opaque_member(writer, message, name);

	if (!value.text)
		return false;
	ik_json_key(writer->out, name);
	ik_json_put_raw(writer->out, value);
	return true;
}

static void put_call(struct ik_wire_writer *writer, const struct ik_message *call, bool first)
{
	struct ik_buf *out = writer->out;

	ik_json_printf(out, "{'functionCall':{");
	put_opaque(writer, call, "id");
	ik_json_printf(out, "'name':%.*s,'args':", IK_JSON_ARGS(ik_wire_call_name(call)));
	ik_wire_put_arguments_object(out, call);
	ik_json_printf(out, "}");
	if (!put_opaque(writer, call, "thoughtSignature") && first &&
		writer->request->facts->signatures)
		ik_json_printf(out, "'thoughtSignature':'" NO_SIGNATURE "'");
	ik_json_printf(out, "}");
}

/* May Google search in a reply to this request? Older models cannot if they have functions. */
static bool searches(const struct ik_request *request)
{
	const char *search = ik_request_search(request);

	return search && (!request->tool_count || !ik_text_ends(search, "alone"));
}

/* Does it report its searches as parts, which it wants back? With functions, it must. */
static bool shows_searches(const struct ik_request *request)
{
	return searches(request) && !ik_text_ends(ik_request_search(request), "alone");
}

/* Return the parts of a search to send; no value if there are none, or there is no search now. */
static struct ik_json_span parts_of(const struct ik_wire_writer *writer,
	const struct ik_message *message)
{
	return message->searches && shows_searches(writer->request)
		? ik_wire_opaque_member(writer, message, "parts")
		: (struct ik_json_span){ NULL, 0 };
}

/* Is anything of the passage sent? */
static bool is_sent(const struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	for (size_t index = 0; index < passage->count; index++) {
		if (passage->messages[index]->kind != IK_KIND_THINKING ||
			parts_of(writer, passage->messages[index]).text)
			return true;
	}
	return false;
}

/* Write what the assistant said. Thoughts are not sent back, only the signatures with the rest. */
static void put_assistant(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	bool first = true;

	if (!is_sent(writer, passage))
		return;
	if (!writer->any)
		put_user(writer, IK_WIRE_BEGINNING, strlen(IK_WIRE_BEGINNING), NULL);
	ik_wire_open_message(writer, "model", "parts");
	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *message = passage->messages[index];

		if (message->kind == IK_KIND_TOOL_CALL) {
			put_call(writer, message, first);
			first = false;
		} else if (message->kind == IK_KIND_ASSISTANT) {
			ik_json_printf(writer->out, "{'text':'%.*s'", (int)ik_wire_said_length(writer, message),
				message->content);
			put_opaque(writer, message, "thoughtSignature");
			ik_json_printf(writer->out, "}");
		} else {
			struct ik_json_span parts = parts_of(writer, message);

			for (struct ik_json_walk walk = ik_json_walk(parts); ik_json_next(&walk);)
				ik_json_put_raw(writer->out, walk.value);
		}
	}
}

/* Write a result. Google matches results with calls by number and order. */
static void put_result(struct ik_wire_writer *writer, const struct ik_message *call,
	const struct ik_message *result)
{
	ik_wire_open_message(writer, "user", "parts");
	ik_json_printf(writer->out, "{'functionResponse':{");
	put_opaque(writer, call, "id");
	/* Write it as text: Google limits the numbers and depth of objects narrowly. */
	ik_json_printf(writer->out,
		"'name':%.*s,'response':{'output':", IK_JSON_ARGS(ik_wire_call_name(call)));
	ik_wire_put_envelope(writer->out, result);
	ik_json_printf(writer->out, "}");
	if (ik_wire_has_files(result)) {
		ik_json_printf(writer->out, "'parts':[");
		ik_wire_put_files(writer, result, put_inner_file);
		ik_json_printf(writer->out, "]");
	}
	ik_json_printf(writer->out, "}}");
}

/* Write what follows the results: nothing may come between them. */
static void put_outer_files(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	for (size_t index = 0; index < passage->count; index++)
		if (passage->messages[index]->kind == IK_KIND_TOOL_CALL)
			ik_wire_put_files(writer, passage->results[index], put_outer_file);
}

/* Does the request have a schema of the reply? Before Gemini 3, whose calls have signatures, models
 * took no schema beside tools. */
static bool has_schema(const struct ik_request *request)
{
	return request->output_schema.text && (!request->tool_count || request->facts->signatures);
}

/* Write the settings of the reply, if there are any. */
static void put_generation(struct ik_buf *out, const struct ik_request *request)
{
	struct ik_thinking_words thinking = ik_thinking_words(request);

	bool thinks = thinking.form != IK_THINKING_UNSAID && (thinking.level || thinking.seen);

	if (request->max_output_tokens <= 0 && !thinks && !has_schema(request))
		return;
	ik_json_printf(out, "'generationConfig':{");
	if (request->max_output_tokens > 0)
		ik_json_printf(out, "'maxOutputTokens':%lld", (long long)request->max_output_tokens);
	if (has_schema(request))
		ik_json_printf(out, "'responseMimeType':'application/json','responseJsonSchema':%.*s",
			IK_JSON_ARGS(request->output_schema));
	if (thinks) {
		ik_json_printf(out, "'thinkingConfig':{");
		if (thinking.level && thinking.form == IK_THINKING_GOOGLE_LEVEL)
			ik_json_printf(out, "'thinkingLevel':'%s'", thinking.level);
		else if (thinking.level)
			ik_json_printf(out, "'thinkingBudget':%lld", (long long)thinking.tokens);
		if (thinking.seen)
			ik_json_printf(out, "'includeThoughts':true");
		ik_json_printf(out, "}");
	}
	ik_json_printf(out, "}");
}

static void put_tools(struct ik_wire_writer *writer)
{
	if (!writer->request->tool_count && !searches(writer->request))
		return;
	ik_json_printf(writer->out, "'tools':[{");
	ik_wire_put_tools(writer, "functionDeclarations", NULL);
	if (searches(writer->request))
		ik_json_printf(writer->out, "'googleSearch':{}");
	ik_json_printf(writer->out, "}]");
}

static void put_tool_config(struct ik_wire_writer *writer)
{
	const struct ik_request *request = writer->request;
	bool forbids = request->forbid_calls && request->tool_count;

	if (!forbids && !shows_searches(request))
		return;
	ik_json_printf(writer->out, "'toolConfig':{");
	if (forbids)
		ik_json_printf(writer->out, "'functionCallingConfig':{'mode':'NONE'}");
	if (shows_searches(request))
		ik_json_printf(writer->out, "'includeServerSideToolInvocations':true");
	ik_json_printf(writer->out, "}");
}

static void put_request(struct ik_wire_writer *writer)
{
	static const struct ik_wire_messages messages = { put_user, put_assistant, put_result,
		put_outer_files };
	const struct ik_request *request = writer->request;
	struct ik_buf *out = writer->out;

	ik_json_printf(out, "{");
	put_tools(writer);
	if (request->system_prompt && *request->system_prompt)
		ik_json_printf(out, "'systemInstruction':{'parts':[{'text':'%s'}]}",
			request->system_prompt);
	ik_json_printf(out, "'contents':[");
	ik_wire_put_messages(writer, &messages);
	ik_wire_close_message(writer);
	ik_json_printf(out, "]");
	put_tool_config(writer);
	put_generation(out, request);
	ik_json_printf(out, "}");
}

const struct ik_wire_format ik_google_format = {
	.type = IK_GOOGLE,
	.path = "/v1beta/MODEL:streamGenerateContent?alt=sse",
	.models_path = "/v1beta/models?pageSize=1000",
	.key_header = "x-goog-api-key: ",
	.put_tool = put_tool,
	.put_request = put_request,
	.state_size = sizeof(struct google_stream_state),
	.state_done = state_done,
	.take = take,
	.counts = counts,
	.stops = stops,
};
