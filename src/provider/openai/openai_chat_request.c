#include "provider/openai/openai_chat.h"

#include <string.h>

#include "provider/openai/chat_dialect.h"
#include "provider/openai/openai_strict.h"
#include "provider/wire/thinking.h"
#include "provider/wire/wire.h"
#include "util/text.h"

/* Inserted between results and the user's next message, for servers that require an answer. */
#define INTERRUPTED "(interrupted)"

bool ik_openai_put_function(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	struct ik_json_span parameters = ik_wire_parameters(tool);
	bool strict;

	ik_wire_put_name(out, tool);
	ik_json_printf(out, "'parameters':");
	strict = endpoint && endpoint->strict_tools && ik_openai_put_strict_schema(out, parameters);
	if (!strict)
		ik_json_put_raw(out, parameters);
	return strict;
}

bool ik_openai_put_arguments(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool, struct ik_json_span arguments)
{
	return endpoint && endpoint->strict_tools &&
		ik_openai_put_without_nulls(out, ik_wire_parameters(tool), arguments);
}

void ik_openai_chat_put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	ik_json_printf(out, "{'type':'function','function':{");
	if (ik_openai_put_function(out, endpoint, tool))
		ik_json_printf(out, "'strict':true");
	ik_json_printf(out, "}}");
}

static void put_call(struct ik_buf *out, const struct ik_request *request,
	const struct ik_message *call)
{
	char made[IK_WIRE_MADE_ID];

	ik_json_printf(out, "{'id':'%s','type':'function','function':{'name':%.*s,'arguments':",
		ik_chat_call_id(request, call->call_id, made), IK_WIRE_SPAN(ik_wire_call_name(call)));
	ik_wire_put_arguments_text(out, call);
	ik_json_printf(out, "}");
	ik_chat_put_call_extra(out, request, call);
	ik_json_printf(out, "}");
}

/* The content of a text message stays open, so that an adjacent message of the same role can be
 * joined to it: many servers refuse two in a row. */
static void close_message(struct ik_wire_writer *writer)
{
	if (*writer->role && !ik_text_equal(writer->role, "tool"))
		ik_buf_puts(writer->out, "\"}");
	writer->role = "";
}

/* Can the open message take what this role says next? */
static bool goes_on(const struct ik_wire_writer *writer, const char *role)
{
	return ik_text_equal(writer->role, role) && ik_chat_dialect(writer->request).alternates;
}

static void put_user(struct ik_wire_writer *writer, const char *text, size_t length)
{
	if (goes_on(writer, "user")) {
		ik_buf_puts(writer->out, "\\n\\n");
	} else {
		if (ik_text_equal(writer->role, "tool") && ik_chat_dialect(writer->request).answers_results)
			ik_json_printf(writer->out, "{'role':'assistant','content':'" INTERRUPTED "'}");
		close_message(writer);
		ik_json_printf(writer->out, "{'role':'user','content':");
		ik_json_quote_open(writer->out);
	}
	ik_json_escape(writer->out, text, length);
	writer->role = "user";
	writer->any = true;
}

static void put_calls(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	ik_json_printf(writer->out, "'tool_calls':[");
	for (size_t index = 0; index < passage->count; index++) {
		if (passage->messages[index]->kind == IK_KIND_TOOL_CALL)
			put_call(writer->out, writer->request, passage->messages[index]);
	}
	ik_json_printf(writer->out, "]}");
}

static void put_assistant(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	struct ik_buf *out = writer->out;
	const struct ik_message *text = NULL;
	size_t calls = 0;

	if (!writer->any)
		put_user(writer, IK_WIRE_BEGINNING, strlen(IK_WIRE_BEGINNING));
	for (size_t index = 0; index < passage->count; index++) {
		if (passage->messages[index]->kind == IK_KIND_ASSISTANT)
			text = passage->messages[index];
		else if (passage->messages[index]->kind == IK_KIND_TOOL_CALL)
			calls++;
	}
	bool joined = goes_on(writer, "assistant");

	if (joined) {
		ik_buf_puts(out, text ? "\\n\\n" : "");
	} else {
		close_message(writer);
		ik_json_printf(out, "{'role':'assistant'");
		ik_chat_put_reasoning(out, writer->request, passage);
		ik_json_printf(out, text ? "'content':" : "'content':null");
		if (text)
			ik_json_quote_open(out);
	}
	if (text)
		ik_json_escape(out, text->content, text->content_length);
	writer->role = "assistant";
	if (!calls)
		return;
	if (joined || text)
		ik_buf_putc(out, '"');
	put_calls(writer, passage);
	writer->role = "";
}

static void put_result(struct ik_wire_writer *writer, const struct ik_message *call,
	const struct ik_message *result)
{
	char made[IK_WIRE_MADE_ID];

	ik_json_printf(writer->out, "{'role':'tool','tool_call_id':'%s','content':",
		ik_chat_call_id(writer->request, call->call_id, made));
	ik_wire_put_envelope(writer->out, result);
	ik_json_printf(writer->out, "}");
	writer->role = "tool";
}

static void put_request(struct ik_wire_writer *writer)
{
	static const struct ik_wire_messages messages = { put_user, put_assistant, put_result };
	const struct ik_request *request = writer->request;
	struct ik_thinking_words thinking = ik_thinking_words(request, IK_OPENAI_CHAT);
	struct ik_buf *out = writer->out;

	ik_json_printf(out, "{'model':'%s'", request->model);
	ik_wire_put_tools(out, request, ik_openai_chat_put_tool);
	ik_json_printf(out, "'messages':[");
	if (request->system_prompt && *request->system_prompt)
		ik_json_printf(out, "{'role':'system','content':'%s'}", request->system_prompt);
	ik_wire_put_messages(writer, &messages);
	close_message(writer);
	ik_json_printf(out, "],'stream':true");
	if (!ik_chat_dialect(request).counts_unasked)
		ik_json_printf(out, "'stream_options':{'include_usage':true}");
	if (request->forbid_calls && request->tool_count)
		ik_json_printf(out, "'tool_choice':'none'");
	if (request->max_output_tokens > 0)
		ik_json_printf(out,
			ik_endpoint_is_openai(request->endpoint) ? "'max_completion_tokens':%lld"
													 : "'max_tokens':%lld",
			(long long)request->max_output_tokens);
	if (thinking.form == IK_THINKING_EFFORT)
		ik_chat_put_effort(out, request, thinking.level);
	ik_json_printf(out, "}");
}

const struct ik_wire_format ik_openai_chat_format = {
	.type = IK_OPENAI_CHAT,
	.path = "/chat/completions",
	.models_path = "/models",
	.key_header = "Authorization: Bearer ",
	.put_tool = ik_openai_chat_put_tool,
	.put_arguments = ik_openai_put_arguments,
	.put_request = put_request,
	.rules = &ik_openai_chat_rules,
};
