/*
 * google: the GenerateContent format of Google's Gemini API.
 *
 * Source: API reference, "models.streamGenerateContent", "Function calling" (schemas are JSON
 * Schema, unchanged: parametersJsonSchema), "Multimodal function responses", "Thought signatures".
 *
 * Opaque data of a text or a call: {"thoughtSignature":"...","id":"..."}, as far as given.
 */
#include "provider/formats.h"

#include <string.h>

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

static void take_part(struct ik_stream_decoder *decoder, struct ik_json_span part)
{
	struct ik_json_span call = ik_json_member(part, "functionCall");
	struct ik_json_span text = ik_json_member(part, "text");
	/* What must be sent back with a text or a call. */
	struct ik_opaque_member opaque[] = {
		{ "thoughtSignature", text_or_none(ik_json_member(part, "thoughtSignature")) },
		{ "id", text_or_none(ik_json_member(call, "id")) },
		{ 0 },
	};
	bool thought = false;

	if (ik_json_span_type(call) == IK_JSON_OBJECT) {
		/* A call is always complete, and has no index. */
		struct ik_call_piece piece = {
			.index = decoder->call_count,
			.id = opaque[1].value,
			.name = ik_json_member(call, "name"),
			.arguments = ik_json_member(call, "args"),
		};

		ik_decoder_call(decoder, &piece);
		ik_decoder_end_calls(decoder);
		ik_decoder_opaque_object(decoder, IK_DELTA_CALL, opaque);
		return;
	}
	ik_json_bool(ik_json_member(part, "thought"), &thought);
	ik_decoder_text(decoder, thought ? IK_DELTA_THINKING : IK_DELTA_TEXT, text);
	/* Code that Google ran itself needs nothing sent back. */
	if (!thought && text.text)
		ik_decoder_opaque_object(decoder, IK_DELTA_TEXT, opaque);
}

/* Handle one chunk. It has one candidate, since only one was requested. */
static void take(struct ik_stream_decoder *decoder, struct ik_json_span chunk)
{
	struct ik_json_span candidate = ik_json_at(chunk, "candidates.0");
	struct ik_json_span usage = ik_json_member(chunk, "usageMetadata");
	struct ik_json_span blocked = ik_json_at(chunk, "promptFeedback.blockReason");

	ik_decoder_each(decoder, ik_json_at(candidate, "content.parts"), take_part);
	ik_decoder_usage(decoder, usage);
	if (ik_decoder_has_text(blocked))
		ik_decoder_refuse(decoder, blocked, ik_json_at(chunk, "promptFeedback.blockReasonMessage"));
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
		ik_json_printf(out, "'parametersJsonSchema':%.*s", IK_WIRE_SPAN(tool->parameters));
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
	ik_json_printf(out, "'name':%.*s,'args':", IK_WIRE_SPAN(ik_wire_call_name(call)));
	ik_wire_put_arguments_object(out, call);
	ik_json_printf(out, "}");
	if (!put_opaque(writer, call, "thoughtSignature") && first &&
		writer->request->facts->signatures)
		ik_json_printf(out, "'thoughtSignature':'" NO_SIGNATURE "'");
	ik_json_printf(out, "}");
}

/* Write what the assistant said. Thoughts are not sent back, only the signatures with the rest. */
static void put_assistant(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	bool first = true;

	if (!writer->any)
		put_user(writer, IK_WIRE_BEGINNING, strlen(IK_WIRE_BEGINNING), NULL);
	ik_wire_open_message(writer, "model", "parts");
	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *message = passage->messages[index];

		if (message->kind == IK_KIND_TOOL_CALL) {
			put_call(writer, message, first);
			first = false;
		} else if (message->kind == IK_KIND_ASSISTANT) {
			ik_json_printf(writer->out, "{'text':'%.*s'", (int)message->content_length,
				message->content);
			put_opaque(writer, message, "thoughtSignature");
			ik_json_printf(writer->out, "}");
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
		"'name':%.*s,'response':{'output':", IK_WIRE_SPAN(ik_wire_call_name(call)));
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
			IK_WIRE_SPAN(request->output_schema));
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

static void put_request(struct ik_wire_writer *writer)
{
	static const struct ik_wire_messages messages = { put_user, put_assistant, put_result,
		put_outer_files };
	const struct ik_request *request = writer->request;
	struct ik_buf *out = writer->out;

	ik_json_printf(out, "{");
	if (request->tool_count) {
		ik_json_printf(out, "'tools':[{");
		ik_wire_put_tools(writer, "functionDeclarations");
		ik_json_printf(out, "}]");
	}
	if (request->system_prompt && *request->system_prompt)
		ik_json_printf(out, "'systemInstruction':{'parts':[{'text':'%s'}]}",
			request->system_prompt);
	ik_json_printf(out, "'contents':[");
	ik_wire_put_messages(writer, &messages);
	ik_wire_close_message(writer);
	ik_json_printf(out, "]");
	if (request->forbid_calls && request->tool_count)
		ik_json_printf(out, "'toolConfig':{'functionCallingConfig':{'mode':'NONE'}}");
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
	.take = take,
	.counts = counts,
	.stops = stops,
};
