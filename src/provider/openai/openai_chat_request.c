#include "provider/openai/openai_chat.h"

#include <string.h>

#include "provider/openai/chat_dialect.h"
#include "provider/openai/openai_strict.h"
#include "provider/wire/headers.h"
#include "provider/wire/thinking.h"
#include "provider/wire/transcript.h"
#include "provider/wire/wire.h"
#include "util/alloc.h"
#include "util/text.h"

/* Inserted between results and the user's next message, for servers that require an answer. */
#define INTERRUPTED "(interrupted)"

char *ik_openai_chat_url(const struct ik_endpoint *endpoint, const char *model)
{
	return ik_format("%s/chat/completions", endpoint->base_url);
}

char *ik_openai_models_url(const struct ik_endpoint *endpoint)
{
	return ik_format("%s/models", endpoint->base_url);
}

char **ik_openai_chat_headers(const struct ik_endpoint *endpoint)
{
	char **headers = ik_wire_headers_new(endpoint);

	ik_wire_headers_add_key(&headers, "Authorization", "Bearer ", endpoint->api_key);
	return headers;
}

bool ik_openai_put_function(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	struct ik_json_span parameters = ik_wire_parameters(tool);
	bool strict;

	ik_wire_put_member(out, "name", tool->name);
	ik_wire_put_member(out, "description", tool->description ? tool->description : "");
	ik_json_key(out, "parameters");
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
	ik_json_open(out, '{');
	ik_wire_put_member(out, "type", "function");
	ik_json_key(out, "function");
	ik_json_open(out, '{');
	if (ik_openai_put_function(out, endpoint, tool)) {
		ik_json_key(out, "strict");
		ik_json_put_bool(out, true);
	}
	ik_json_close(out, '}');
	ik_json_close(out, '}');
}

/* Write a message with a role and a text. */
static void put_text_message(struct ik_buf *out, const char *role, const char *text, size_t length)
{
	ik_json_open(out, '{');
	ik_json_key(out, "role");
	ik_json_put_text(out, role);
	ik_json_key(out, "content");
	ik_json_put_string(out, text, length);
	ik_json_close(out, '}');
}

static void put_call(struct ik_buf *out, const struct ik_request *request,
	const struct ik_message *call)
{
	ik_json_open(out, '{');
	ik_json_key(out, "id");
	ik_chat_put_call_id(out, request, call->call_id);
	ik_json_key(out, "type");
	ik_json_put_text(out, "function");
	ik_json_key(out, "function");
	ik_json_open(out, '{');
	ik_json_key(out, "name");
	ik_wire_put_call_name(out, call);
	ik_json_key(out, "arguments");
	ik_wire_put_arguments_text(out, call);
	ik_json_close(out, '}');
	ik_chat_put_call_extra(out, request, call);
	ik_json_close(out, '}');
}

/* The content of a text message stays open, so that an adjacent message of the same role can be
 * joined to it: many servers refuse two in a row. */
static void put_end(struct ik_wire_writer *writer)
{
	if (*writer->role && !ik_text_equal(writer->role, "tool")) {
		ik_buf_putc(writer->out, '"');
		ik_json_close(writer->out, '}');
	}
	writer->role = "";
}

/* Can the open message take what this role says next? */
static bool goes_on(const struct ik_wire_writer *writer, const char *role)
{
	return ik_text_equal(writer->role, role) && ik_chat_dialect(writer->request).alternates;
}

static void put_user(struct ik_wire_writer *writer, const char *text, size_t length)
{
	bool joined = goes_on(writer, "user");

	if (joined) {
		ik_buf_puts(writer->out, "\\n\\n");
	} else {
		if (ik_text_equal(writer->role, "tool") && ik_chat_dialect(writer->request).answers_results)
			put_text_message(writer->out, "assistant", INTERRUPTED, strlen(INTERRUPTED));
		put_end(writer);
		ik_json_open(writer->out, '{');
		ik_wire_put_member(writer->out, "role", "user");
		ik_json_key(writer->out, "content");
		ik_buf_putc(writer->out, '"');
	}
	ik_json_escape(writer->out, text, length);
	writer->role = "user";
	writer->any = true;
}

static void put_calls(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	ik_json_key(writer->out, "tool_calls");
	ik_json_open(writer->out, '[');
	for (size_t index = 0; index < passage->count; index++) {
		if (passage->messages[index]->kind == IK_KIND_TOOL_CALL)
			put_call(writer->out, writer->request, passage->messages[index]);
	}
	ik_json_close(writer->out, ']');
	ik_json_close(writer->out, '}');
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
		put_end(writer);
		ik_json_open(out, '{');
		ik_wire_put_member(out, "role", "assistant");
		ik_chat_put_reasoning(out, writer->request, passage);
		ik_json_key(out, "content");
		if (text)
			ik_buf_putc(out, '"');
		else
			ik_json_put_null(out);
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

static void put_results(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	struct ik_buf *out = writer->out;

	for (size_t index = 0; index < passage->count; index++) {
		ik_json_open(out, '{');
		ik_wire_put_member(out, "role", "tool");
		ik_json_key(out, "tool_call_id");
		ik_chat_put_call_id(out, writer->request, passage->calls[index]->call_id);
		ik_json_key(out, "content");
		ik_wire_put_envelope(out, passage->messages[index]);
		ik_json_close(out, '}');
	}
	writer->role = "tool";
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

static void put_tools(struct ik_buf *out, const struct ik_request *request)
{
	ik_wire_put_tool_list(out, request, ik_openai_chat_put_tool);
}

static void put_head(struct ik_buf *out, const struct ik_request *request)
{
	ik_json_open(out, '{');
	ik_json_key(out, "model");
	ik_json_put_text(out, request->model);
	if (request->tool_count)
		put_tools(out, request);
	ik_json_key(out, "messages");
	ik_json_open(out, '[');
	if (request->system_prompt && *request->system_prompt)
		put_text_message(out, "system", request->system_prompt, strlen(request->system_prompt));
}

static void put_tail(struct ik_buf *out, const struct ik_request *request)
{
	struct ik_thinking_words thinking = ik_thinking_words(request, IK_OPENAI_CHAT);

	ik_json_close(out, ']');
	ik_json_key(out, "stream");
	ik_json_put_bool(out, true);
	if (!ik_chat_dialect(request).counts_unasked) {
		ik_json_key(out, "stream_options");
		ik_json_open(out, '{');
		ik_json_key(out, "include_usage");
		ik_json_put_bool(out, true);
		ik_json_close(out, '}');
	}
	if (request->forbid_calls && request->tool_count) {
		ik_json_key(out, "tool_choice");
		ik_json_put_text(out, "none");
	}
	if (request->max_output_tokens > 0) {
		ik_json_key(out,
			ik_endpoint_is_openai(request->endpoint) ? "max_completion_tokens" : "max_tokens");
		ik_json_put_integer(out, request->max_output_tokens);
	}
	if (thinking.form == IK_THINKING_EFFORT)
		ik_chat_put_effort(out, request, thinking.level);
	ik_json_close(out, '}');
}

const struct ik_wire_spelling ik_openai_chat_spelling = {
	.put_head = put_head,
	.put_passage = put_passage,
	.put_end = put_end,
	.put_tail = put_tail,
};
