#include "provider/google/google.h"

#include <string.h>

#include "provider/wire/headers.h"
#include "provider/wire/thinking.h"
#include "provider/wire/transcript.h"
#include "provider/wire/wire.h"
#include "util/alloc.h"
#include "util/text.h"

/* Replaces the signature of a call that Gemini did not make: newer models refuse calls without one.
 * Source: "Thought signatures", FAQ. */
#define NO_SIGNATURE "skip_thought_signature_validator"

char *ik_google_url(const struct ik_endpoint *endpoint, const char *model)
{
	/* A full name ("models/...", "tunedModels/...") needs no prefix. */
	return ik_format("%s/v1beta/%s%s:streamGenerateContent?alt=sse", endpoint->base_url,
		strchr(model, '/') ? "" : "models/", model);
}

char *ik_google_models_url(const struct ik_endpoint *endpoint)
{
	return ik_format("%s/v1beta/models?pageSize=1000", endpoint->base_url);
}

char **ik_google_headers(const struct ik_endpoint *endpoint)
{
	char **headers = ik_wire_headers_new(endpoint);

	ik_wire_headers_add_key(&headers, "x-goog-api-key", "", endpoint->api_key);
	return headers;
}

void ik_google_put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	(void)endpoint;
	ik_json_open(out, '{');
	ik_wire_put_member(out, "name", tool->name);
	ik_wire_put_member(out, "description", tool->description ? tool->description : "");
	/* An object without properties is refused. */
	if (ik_json_count(ik_json_member(tool->parameters, "properties"))) {
		ik_json_key(out, "parameters");
		ik_google_put_schema(out, tool->parameters);
	}
	ik_json_close(out, '}');
}

static void put_tools(struct ik_buf *out, const struct ik_request *request)
{
	ik_json_key(out, "tools");
	ik_json_open(out, '[');
	ik_json_open(out, '{');
	ik_json_key(out, "functionDeclarations");
	ik_json_open(out, '[');
	for (size_t index = 0; index < request->tool_count; index++)
		ik_google_put_tool(out, request->endpoint, &request->tools[index]);
	ik_json_close(out, ']');
	ik_json_close(out, '}');
	ik_json_close(out, ']');
}

/* Write {"text":...}, left open. */
static void open_text(struct ik_buf *out, const char *text, size_t length)
{
	ik_json_open(out, '{');
	ik_json_key(out, "text");
	ik_json_put_string(out, text, length);
}

static void put_text(struct ik_buf *out, const char *text, size_t length)
{
	open_text(out, text, length);
	ik_json_close(out, '}');
}

static void put_system(struct ik_buf *out, const char *prompt)
{
	if (!prompt || *prompt == '\0')
		return;
	ik_json_key(out, "systemInstruction");
	ik_json_open(out, '{');
	ik_json_key(out, "parts");
	ik_json_open(out, '[');
	put_text(out, prompt, strlen(prompt));
	ik_json_close(out, ']');
	ik_json_close(out, '}');
}

static void close_content(struct ik_buf *out)
{
	ik_json_close(out, ']');
	ik_json_close(out, '}');
}

/* Adjacent messages of one role become one content, which stays open: roles must alternate, and a
 * resumed session may continue with a message after the results of its last calls. */
static void put_end(struct ik_wire_writer *writer)
{
	if (*writer->role)
		close_content(writer->out);
	writer->role = "";
}

static void open_content(struct ik_wire_writer *writer, const char *role)
{
	if (ik_text_equal(writer->role, role))
		return;
	put_end(writer);
	writer->any = true;
	writer->role = role;
	ik_json_open(writer->out, '{');
	ik_wire_put_member(writer->out, "role", role);
	ik_json_key(writer->out, "parts");
	ik_json_open(writer->out, '[');
}

static void put_user(struct ik_wire_writer *writer, const char *text, size_t length)
{
	open_content(writer, "user");
	put_text(writer->out, text, length);
}

/* Does the model require signatures for its calls? Those before version 3 do not. */
static bool demands_signature(const char *model)
{
	const char *name = strrchr(model, '/');

	name = name ? name + 1 : model;

	return ik_text_starts(name, "gemini-") && !ik_text_starts(name, "gemini-1") &&
		!ik_text_starts(name, "gemini-2");
}

static void put_call(struct ik_wire_writer *writer, const struct ik_message *call, bool first)
{
	struct ik_buf *out = writer->out;
	struct ik_json_span opaque = ik_wire_opaque(writer->request, call, IK_GOOGLE);
	struct ik_json_span signature = ik_json_member(opaque, "thoughtSignature");
	struct ik_json_span id = ik_json_member(opaque, "id");

	ik_json_open(out, '{');
	ik_json_key(out, "functionCall");
	ik_json_open(out, '{');
	if (id.text)
		ik_wire_put_raw_member(out, "id", id);
	ik_json_key(out, "name");
	ik_wire_put_call_name(out, call);
	ik_json_key(out, "args");
	ik_wire_put_arguments_object(out, call);
	ik_json_close(out, '}');
	if (signature.text)
		ik_wire_put_raw_member(out, "thoughtSignature", signature);
	else if (first && demands_signature(writer->request->model))
		ik_wire_put_member(out, "thoughtSignature", NO_SIGNATURE);
	ik_json_close(out, '}');
}

/* Thoughts are not sent back, only their signatures with the rest. */
static void put_assistant(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	bool first = true;

	if (!writer->any)
		put_user(writer, IK_WIRE_BEGINNING, strlen(IK_WIRE_BEGINNING));
	open_content(writer, "model");
	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *message = passage->messages[index];

		if (message->kind == IK_KIND_TOOL_CALL) {
			put_call(writer, message, first);
			first = false;
		} else if (message->kind == IK_KIND_ASSISTANT) {
			struct ik_json_span signature = ik_json_member(ik_wire_opaque(writer->request, message,
															   IK_GOOGLE),
				"thoughtSignature");

			open_text(writer->out, message->content, message->content_length);
			if (signature.text)
				ik_wire_put_raw_member(writer->out, "thoughtSignature", signature);
			ik_json_close(writer->out, '}');
		}
	}
}

/* Results are matched with calls by number and order. */
static void put_results(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	struct ik_buf *out = writer->out;

	open_content(writer, "user");
	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *call = passage->calls[index];
		struct ik_json_span id = ik_json_member(ik_wire_opaque(writer->request, call, IK_GOOGLE),
			"id");

		ik_json_open(out, '{');
		ik_json_key(out, "functionResponse");
		ik_json_open(out, '{');
		if (id.text)
			ik_wire_put_raw_member(out, "id", id);
		ik_json_key(out, "name");
		ik_wire_put_call_name(out, call);
		/* As text: for an object, numbers and depth are narrowly limited. */
		ik_json_key(out, "response");
		ik_json_open(out, '{');
		ik_json_key(out, "output");
		ik_wire_put_envelope(out, passage->messages[index]);
		ik_json_close(out, '}');
		ik_json_close(out, '}');
		ik_json_close(out, '}');
	}
}

static void put_passage(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	switch (passage->kind) {
	case IK_PASSAGE_USER:
		put_user(writer, passage->messages[0]->content, passage->messages[0]->content_length);
		break;
	case IK_PASSAGE_ASSISTANT:
		put_assistant(writer, passage);
		break;
	case IK_PASSAGE_RESULTS:
		put_results(writer, passage);
		break;
	}
}

/* Write the settings of the reply; nothing if there are none. */
static void put_generation(struct ik_buf *out, const struct ik_request *request)
{
	struct ik_thinking_words thinking = ik_thinking_words(request, IK_GOOGLE);

	if (request->max_output_tokens <= 0 && thinking.form == IK_THINKING_UNSAID)
		return;
	ik_json_key(out, "generationConfig");
	ik_json_open(out, '{');
	if (request->max_output_tokens > 0) {
		ik_json_key(out, "maxOutputTokens");
		ik_json_put_integer(out, request->max_output_tokens);
	}
	if (thinking.form != IK_THINKING_UNSAID) {
		ik_json_key(out, "thinkingConfig");
		ik_json_open(out, '{');
		if (thinking.form == IK_THINKING_GOOGLE_LEVEL) {
			ik_wire_put_member(out, "thinkingLevel", thinking.level);
		} else {
			ik_json_key(out, "thinkingBudget");
			ik_json_put_integer(out, thinking.tokens);
		}
		if (request->thinking != IK_THINKING_OFF) {
			ik_json_key(out, "includeThoughts");
			ik_json_put_bool(out, true);
		}
		ik_json_close(out, '}');
	}
	ik_json_close(out, '}');
}

static void put_head(struct ik_buf *out, const struct ik_request *request)
{
	ik_json_open(out, '{');
	if (request->tool_count)
		put_tools(out, request);
	put_system(out, request->system_prompt);
	ik_json_key(out, "contents");
	ik_json_open(out, '[');
}

static void put_tail(struct ik_buf *out, const struct ik_request *request)
{
	ik_json_close(out, ']');
	if (request->forbid_calls && request->tool_count) {
		ik_json_key(out, "toolConfig");
		ik_json_open(out, '{');
		ik_json_key(out, "functionCallingConfig");
		ik_json_open(out, '{');
		ik_wire_put_member(out, "mode", "NONE");
		ik_json_close(out, '}');
		ik_json_close(out, '}');
	}
	put_generation(out, request);
	ik_json_close(out, '}');
}

const struct ik_wire_spelling ik_google_spelling = {
	.put_head = put_head,
	.put_passage = put_passage,
	.put_end = put_end,
	.put_tail = put_tail,
};
