#include "provider/openai/openai_responses.h"

#include <string.h>

#include "provider/openai/openai_chat.h"
#include "provider/wire/thinking.h"
#include "provider/wire/transcript.h"
#include "provider/wire/wire.h"
#include "util/alloc.h"
#include "util/text.h"

char *ik_openai_responses_url(const struct ik_endpoint *endpoint, const char *model)
{
	return ik_format("%s/responses", endpoint->base_url);
}

/* Is it a reasoning model? Others refuse requests for their reasoning. */
static bool reasons(const char *model)
{
	if (model[0] == 'o')
		return model[1] >= '1' && model[1] <= '9';
	if (ik_text_starts(model, "gpt-5-chat"))
		return false;
	return ik_text_starts(model, "codex") ||
		(ik_text_starts(model, "gpt-") && model[4] >= '5' && model[4] <= '9');
}

/* In this format strict mode is on unless it is switched off. */
void ik_openai_responses_put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	bool strict;

	ik_json_open(out, '{');
	ik_wire_put_member(out, "type", "function");
	strict = ik_openai_put_function(out, endpoint, tool);
	ik_json_key(out, "strict");
	ik_json_put_bool(out, strict);
	ik_json_close(out, '}');
}

/* Write a message with a role and a text; phase may be no value. */
static void put_text(struct ik_buf *out, const char *role, const struct ik_message *message,
	struct ik_json_span phase)
{
	ik_json_open(out, '{');
	ik_wire_put_member(out, "role", role);
	ik_json_key(out, "content");
	ik_json_put_string(out, message->content, message->content_length);
	if (phase.text)
		ik_wire_put_raw_member(out, "phase", phase);
	ik_json_close(out, '}');
}

static void put_call(struct ik_buf *out, const struct ik_message *call)
{
	ik_json_open(out, '{');
	ik_wire_put_member(out, "type", "function_call");
	ik_json_key(out, "call_id");
	ik_wire_put_call_id(out, call->call_id, IK_WIRE_CALL_ID);
	ik_json_key(out, "name");
	ik_wire_put_call_name(out, call);
	ik_json_key(out, "arguments");
	ik_wire_put_arguments_text(out, call);
	ik_json_close(out, '}');
}

static void put_assistant(struct ik_buf *out, const struct ik_request *request,
	const struct ik_passage *passage)
{
	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *message = passage->messages[index];
		struct ik_json_span opaque = ik_wire_opaque(request, message, IK_OPENAI_RESPONSES);

		if (message->kind == IK_KIND_TOOL_CALL)
			put_call(out, message);
		else if (message->kind == IK_KIND_ASSISTANT)
			put_text(out, "assistant", message, ik_json_member(opaque, "phase"));
		else if (opaque.text)
			ik_json_put_raw(out, opaque);
	}
}

static void put_results(struct ik_buf *out, const struct ik_passage *passage)
{
	for (size_t index = 0; index < passage->count; index++) {
		ik_json_open(out, '{');
		ik_wire_put_member(out, "type", "function_call_output");
		ik_json_key(out, "call_id");
		ik_wire_put_call_id(out, passage->calls[index]->call_id, IK_WIRE_CALL_ID);
		ik_json_key(out, "output");
		ik_wire_put_envelope(out, passage->messages[index]);
		ik_json_close(out, '}');
	}
}

static void put_passage(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	struct ik_json_span none = { NULL, 0 };

	switch (passage->kind) {
	case IK_PASSAGE_USER:
		put_text(writer->out, "user", passage->messages[0], none);
		break;
	case IK_PASSAGE_ASSISTANT:
		put_assistant(writer->out, writer->request, passage);
		break;
	case IK_PASSAGE_RESULTS:
		put_results(writer->out, passage);
		break;
	}
}

static void put_tools(struct ik_buf *out, const struct ik_request *request)
{
	ik_wire_put_tool_list(out, request, ik_openai_responses_put_tool);
}

static void put_head(struct ik_buf *out, const struct ik_request *request)
{
	ik_json_open(out, '{');
	ik_wire_put_member(out, "model", request->model);
	if (request->system_prompt && *request->system_prompt)
		ik_wire_put_member(out, "instructions", request->system_prompt);
	if (request->tool_count)
		put_tools(out, request);
	ik_json_key(out, "input");
	ik_json_open(out, '[');
}

static void put_tail(struct ik_buf *out, const struct ik_request *request)
{
	struct ik_thinking_words thinking = ik_thinking_words(request, IK_OPENAI_RESPONSES);

	ik_json_close(out, ']');
	ik_json_key(out, "stream");
	ik_json_put_bool(out, true);
	ik_json_key(out, "store");
	ik_json_put_bool(out, false);
	if (reasons(request->model)) {
		/* What is not stored on the server has to be sent back. */
		ik_json_key(out, "include");
		ik_json_open(out, '[');
		ik_json_put_text(out, "reasoning.encrypted_content");
		ik_json_close(out, ']');
	}
	if (thinking.form == IK_THINKING_EFFORT) {
		ik_json_key(out, "reasoning");
		ik_json_open(out, '{');
		ik_wire_put_member(out, "effort", thinking.level);
		ik_wire_put_member(out, "summary", "auto");
		ik_json_close(out, '}');
	}
	if (request->forbid_calls && request->tool_count)
		ik_wire_put_member(out, "tool_choice", "none");
	if (request->max_output_tokens > 0) {
		ik_json_key(out, "max_output_tokens");
		ik_json_put_integer(out, request->max_output_tokens);
	}
	ik_json_close(out, '}');
}

const struct ik_wire_spelling ik_openai_responses_spelling = {
	.put_head = put_head,
	.put_passage = put_passage,
	.put_tail = put_tail,
};
