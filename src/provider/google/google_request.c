#include "provider/google/google.h"

#include <string.h>

#include "provider/wire/thinking.h"
#include "provider/wire/wire.h"
#include "util/text.h"

/* Replaces the signature of a call that Gemini did not make: newer models refuse calls without one.
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

static void put_tools(struct ik_buf *out, const struct ik_request *request)
{
	if (!request->tool_count)
		return;
	ik_json_printf(out, "'tools':[{'functionDeclarations':[");
	for (size_t index = 0; index < request->tool_count; index++)
		put_tool(out, request->endpoint, &request->tools[index]);
	ik_json_printf(out, "]}]");
}

/* Roles must alternate, and a resumed session may continue with a message after the results of its
 * last calls. */
static void put_user(struct ik_wire_writer *writer, const char *text, size_t length)
{
	ik_wire_open_message(writer, "user", "parts");
	ik_json_printf(writer->out, "{'text':'%.*s'}", (int)length, text);
}

/* Does the model require signatures for its calls? Those before version 3 do not. */
static bool demands_signature(const char *model)
{
	const char *name = strrchr(model, '/');

	name = name ? name + 1 : model;

	return ik_text_starts(name, "gemini-") && !ik_text_starts(name, "gemini-1") &&
		!ik_text_starts(name, "gemini-2");
}

/* Write a member of a message's opaque data; false: there is none. */
static bool put_opaque(struct ik_wire_writer *writer, const struct ik_message *message,
	const char *name)
{
	struct ik_json_span value = ik_wire_opaque_member(writer->request, message, IK_GOOGLE, name);

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
		demands_signature(writer->request->model))
		ik_json_printf(out, "'thoughtSignature':'" NO_SIGNATURE "'");
	ik_json_printf(out, "}");
}

/* Thoughts are not sent back, only their signatures with the rest. */
static void put_assistant(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	bool first = true;

	if (!writer->any)
		put_user(writer, IK_WIRE_BEGINNING, strlen(IK_WIRE_BEGINNING));
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

/* Results are matched with calls by number and order. */
static void put_result(struct ik_wire_writer *writer, const struct ik_message *call,
	const struct ik_message *result)
{
	ik_wire_open_message(writer, "user", "parts");
	ik_json_printf(writer->out, "{'functionResponse':{");
	put_opaque(writer, call, "id");
	/* As text: for an object, numbers and depth are narrowly limited. */
	ik_json_printf(writer->out,
		"'name':%.*s,'response':{'output':", IK_WIRE_SPAN(ik_wire_call_name(call)));
	ik_wire_put_envelope(writer->out, result);
	ik_json_printf(writer->out, "}}}");
}

/* Write the settings of the reply; nothing if there are none. */
static void put_generation(struct ik_buf *out, const struct ik_request *request)
{
	struct ik_thinking_words thinking = ik_thinking_words(request, IK_GOOGLE);

	if (request->max_output_tokens <= 0 && thinking.form == IK_THINKING_UNSAID)
		return;
	ik_json_printf(out, "'generationConfig':{");
	if (request->max_output_tokens > 0)
		ik_json_printf(out, "'maxOutputTokens':%lld", (long long)request->max_output_tokens);
	if (thinking.form != IK_THINKING_UNSAID) {
		ik_json_printf(out, "'thinkingConfig':{");
		if (thinking.form == IK_THINKING_GOOGLE_LEVEL)
			ik_json_printf(out, "'thinkingLevel':'%s'", thinking.level);
		else
			ik_json_printf(out, "'thinkingBudget':%lld", (long long)thinking.tokens);
		if (request->thinking != IK_THINKING_OFF)
			ik_json_printf(out, "'includeThoughts':true");
		ik_json_printf(out, "}");
	}
	ik_json_printf(out, "}");
}

static void put_request(struct ik_wire_writer *writer)
{
	static const struct ik_wire_messages messages = { put_user, put_assistant, put_result };
	const struct ik_request *request = writer->request;
	struct ik_buf *out = writer->out;

	ik_json_printf(out, "{");
	put_tools(out, request);
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
	.rules = &ik_google_rules,
};
