#include "provider/openai/openai_responses.h"

#include "provider/openai/openai_chat.h"
#include "provider/wire/thinking.h"
#include "provider/wire/wire.h"
#include "util/text.h"

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
static void put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	bool strict;

	ik_json_printf(out, "{'type':'function'");
	strict = ik_openai_put_function(out, endpoint, tool);
	ik_json_printf(out, "'strict':%s}", ik_json_word(strict));
}

static void put_user(struct ik_wire_writer *writer, const char *text, size_t length)
{
	ik_json_printf(writer->out, "{'role':'user','content':'%.*s'}", (int)length, text);
}

static void put_text(struct ik_wire_writer *writer, const struct ik_message *message)
{
	struct ik_json_span phase = ik_wire_opaque_member(writer->request, message, IK_OPENAI_RESPONSES,
		"phase");

	ik_json_printf(writer->out, "{'role':'assistant','content':'%.*s'",
		(int)message->content_length, message->content);
	if (phase.text)
		ik_json_printf(writer->out, "'phase':%.*s", IK_WIRE_SPAN(phase));
	ik_json_printf(writer->out, "}");
}

static void put_call(struct ik_wire_writer *writer, const struct ik_message *call)
{
	char made[IK_WIRE_MADE_ID];

	ik_json_printf(writer->out, "{'type':'function_call','call_id':'%s','name':%.*s,'arguments':",
		ik_wire_call_id(call->call_id, IK_WIRE_CALL_ID, made),
		IK_WIRE_SPAN(ik_wire_call_name(call)));
	ik_wire_put_arguments_text(writer->out, call);
	ik_json_printf(writer->out, "}");
}

static void put_assistant(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *message = passage->messages[index];
		struct ik_json_span opaque = ik_wire_opaque(writer->request, message, IK_OPENAI_RESPONSES);

		if (message->kind == IK_KIND_TOOL_CALL)
			put_call(writer, message);
		else if (message->kind == IK_KIND_ASSISTANT)
			put_text(writer, message);
		else if (opaque.text)
			ik_json_put_raw(writer->out, opaque);
	}
}

static void put_result(struct ik_wire_writer *writer, const struct ik_message *call,
	const struct ik_message *result)
{
	char made[IK_WIRE_MADE_ID];

	ik_json_printf(writer->out, "{'type':'function_call_output','call_id':'%s','output':",
		ik_wire_call_id(call->call_id, IK_WIRE_CALL_ID, made));
	ik_wire_put_envelope(writer->out, result);
	ik_json_printf(writer->out, "}");
}

static void put_request(struct ik_wire_writer *writer)
{
	static const struct ik_wire_messages messages = { put_user, put_assistant, put_result };
	const struct ik_request *request = writer->request;
	struct ik_thinking_words thinking = ik_thinking_words(request, IK_OPENAI_RESPONSES);
	struct ik_buf *out = writer->out;

	ik_json_printf(out, "{'model':'%s'", request->model);
	if (request->system_prompt && *request->system_prompt)
		ik_json_printf(out, "'instructions':'%s'", request->system_prompt);
	ik_wire_put_tools(out, request, put_tool);
	ik_json_printf(out, "'input':[");
	ik_wire_put_messages(writer, &messages);
	ik_json_printf(out, "],'stream':true,'store':false");
	/* What is not stored on the server has to be sent back. */
	if (reasons(request->model))
		ik_json_printf(out, "'include':['reasoning.encrypted_content']");
	if (thinking.form == IK_THINKING_EFFORT)
		ik_json_printf(out, "'reasoning':{'effort':'%s','summary':'auto'}", thinking.level);
	if (request->forbid_calls && request->tool_count)
		ik_json_printf(out, "'tool_choice':'none'");
	if (request->max_output_tokens > 0)
		ik_json_printf(out, "'max_output_tokens':%lld", (long long)request->max_output_tokens);
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
	.rules = &ik_openai_responses_rules,
};
