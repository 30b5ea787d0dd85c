#include "provider/anthropic/anthropic.h"

#include <string.h>

#include "provider/wire/thinking.h"
#include "provider/wire/wire.h"
#include "util/text.h"

/* The smallest thinking budget that is accepted. */
#define BUDGET_LEAST 1024

/*
 * The member max_tokens is mandatory, and a value above the model's maximum is refused. The first
 * row whose text begins the model's name applies. Source: the table of models in the API
 * documentation.
 */
static const struct {
	const char *model;
	int64_t tokens;
} output_limits[] = {
	{ "claude-2", 4096 },
	{ "claude-instant", 4096 },
	{ "claude-3-haiku", 4096 },
	{ "claude-3-opus", 4096 },
	{ "claude-3-sonnet", 4096 },
	{ "claude-3-5", 8192 },
	{ "claude-opus-4-0", 32000 },
	{ "claude-opus-4-1", 32000 },
	{ "claude-opus-4-2", 32000 }, /* followed by its date */
	{ "claude", 64000 },
	{ "", 8192 },
};

/*
 * Allows the provider to cache everything up to and including the block that contains it. Four are
 * allowed: two go to tools and system, IK_WIRE_MARKS to the user's last messages, so that one is
 * still found after the conversation has grown.
 */
#define CACHE_MARK "'cache_control':{'type':'ephemeral'}"
static const char later_mark[] = ",\"cache_control\":{\"type\":\"ephemeral\"}";

static int64_t output_limit(const struct ik_request *request)
{
	size_t index = 0;

	if (request->max_output_tokens > 0)
		return request->max_output_tokens;
	while (!ik_text_starts(request->model, output_limits[index].model))
		index++;
	return output_limits[index].tokens;
}

/* Write a tool, marked if it is the last. */
static void put_tool(struct ik_buf *out, const struct ik_tool_definition *tool, bool last)
{
	ik_json_printf(out, "{");
	ik_wire_put_name(out, tool);
	ik_json_printf(out, "'input_schema':%.*s", IK_WIRE_SPAN(ik_wire_parameters(tool)));
	ik_json_printf(out, last ? CACHE_MARK "}" : "}");
}

static void put_tool_alone(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	(void)endpoint;
	put_tool(out, tool, false);
}

/* Does the history contain calls although there are no tools now? */
static bool lacks_tools(const struct ik_request *request)
{
	size_t index = ik_conversation_count(request->conversation);

	while (!request->tool_count && index-- > 0) {
		if (ik_conversation_at(request->conversation, index)->kind == IK_KIND_TOOL_CALL)
			return true;
	}
	return false;
}

/* Write the tools. A request with calls in its history must define one, even if none may be called. */
static void put_tools(struct ik_buf *out, const struct ik_request *request)
{
	static const struct ik_tool_definition none = {
		.name = "none",
		.description = "There are no tools now.",
	};

	if (!request->tool_count && !lacks_tools(request))
		return;
	ik_json_printf(out, "'tools':[");
	if (!request->tool_count)
		put_tool(out, &none, false);
	for (size_t index = 0; index < request->tool_count; index++)
		put_tool(out, &request->tools[index], index + 1 == request->tool_count);
	ik_json_printf(out, "]");
}

/* Open a message of the user, or continue the open one. */
static void open_user(struct ik_wire_writer *writer)
{
	if (!ik_wire_open_message(writer, "user", "content"))
		return;
	memmove(writer->marks + 1, writer->marks, sizeof(writer->marks) - sizeof(*writer->marks));
	writer->marks[0] = 0;
}

/* Close a block of the user; a mark could be inserted here. */
static void close_user_block(struct ik_wire_writer *writer)
{
	writer->marks[0] = writer->out->length;
	ik_json_printf(writer->out, "}");
}

static void put_user(struct ik_wire_writer *writer, const char *text, size_t length)
{
	static const char blank[] = "(blank)";

	/* A text of only blanks would be refused. */
	if (ik_wire_is_blank(text, length)) {
		text = blank;
		length = sizeof(blank) - 1;
	}
	open_user(writer);
	ik_json_printf(writer->out, "{'type':'text','text':'%.*s'", (int)length, text);
	close_user_block(writer);
}

static void put_result(struct ik_wire_writer *writer, const struct ik_message *call,
	const struct ik_message *result)
{
	char made[IK_WIRE_MADE_ID];
	bool success = true;

	open_user(writer);
	ik_json_printf(writer->out, "{'type':'tool_result','tool_use_id':'%s','content':",
		ik_wire_call_id(call->call_id, IK_WIRE_CALL_ID, made));
	ik_wire_put_envelope(writer->out, result);
	if (!result ||
		(ik_json_bool(ik_json_member(ik_message_data(result), "success"), &success) && !success))
		ik_json_printf(writer->out, "'is_error':true");
	close_user_block(writer);
}

/* Thinking is only sent back with its signature. */
static void put_thinking(struct ik_wire_writer *writer, const struct ik_message *message)
{
	struct ik_json_span opaque = ik_wire_opaque(writer->request, message, IK_ANTHROPIC);
	struct ik_json_span signature = ik_json_member(opaque, "signature");
	struct ik_json_span redacted = ik_json_member(opaque, "redacted");

	if (signature.text)
		ik_json_printf(writer->out, "{'type':'thinking','thinking':'%.*s','signature':%.*s}",
			(int)message->content_length, message->content, IK_WIRE_SPAN(signature));
	else if (redacted.text)
		ik_json_printf(writer->out, "{'type':'redacted_thinking','data':%.*s}",
			IK_WIRE_SPAN(redacted));
}

static void put_call(struct ik_wire_writer *writer, const struct ik_message *call)
{
	char made[IK_WIRE_MADE_ID];

	ik_json_printf(writer->out, "{'type':'tool_use','id':'%s','name':%.*s,'input':",
		ik_wire_call_id(call->call_id, IK_WIRE_CALL_ID, made),
		IK_WIRE_SPAN(ik_wire_call_name(call)));
	ik_wire_put_arguments_object(writer->out, call);
	ik_json_printf(writer->out, "}");
}

/* Does it contain anything besides thinking and blanks? */
static bool says_something(const struct ik_passage *passage)
{
	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *message = passage->messages[index];

		if (message->kind == IK_KIND_TOOL_CALL ||
			(message->kind == IK_KIND_ASSISTANT &&
				!ik_wire_is_blank(message->content, message->content_length)))
			return true;
	}
	return false;
}

static void put_assistant(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	if (!says_something(passage))
		return;
	if (!*writer->role)
		put_user(writer, IK_WIRE_BEGINNING, strlen(IK_WIRE_BEGINNING));
	ik_wire_open_message(writer, "assistant", "content");
	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *message = passage->messages[index];

		if (message->kind == IK_KIND_THINKING)
			put_thinking(writer, message);
		else if (message->kind == IK_KIND_TOOL_CALL)
			put_call(writer, message);
		else if (!ik_wire_is_blank(message->content, message->content_length))
			ik_json_printf(writer->out, "{'type':'text','text':'%.*s'}",
				(int)message->content_length, message->content);
	}
}

/*
 * Thinking cannot be requested in the middle of a turn whose calls began without it (with another
 * provider, or before it was switched on).
 */
static bool may_think(const struct ik_request *request)
{
	size_t index = ik_conversation_count(request->conversation);
	bool called = false, thought = false;

	while (index-- > 0) {
		const struct ik_message *message = ik_conversation_at(request->conversation, index);

		if (message->kind == IK_KIND_USER)
			break;
		called = called || message->kind == IK_KIND_TOOL_CALL;
		thought = thought ||
			(message->kind == IK_KIND_THINKING &&
				ik_wire_opaque(request, message, IK_ANTHROPIC).text);
	}
	return !called || thought;
}

static void put_thinking_wish(struct ik_buf *out, const struct ik_request *request)
{
	struct ik_thinking_words words = ik_thinking_words(request, IK_ANTHROPIC);
	/* The budget is part of the output limit, which must leave room for the answer. */
	int64_t room = output_limit(request) - BUDGET_LEAST;
	int64_t budget = words.tokens < room ? words.tokens : room;

	/* The model thinks as much as it decides to, guided by an effort. Newer models only show it on
	 * request; some think even if not asked to. */
	if (words.form == IK_THINKING_ADAPTIVE && words.level)
		ik_json_printf(out,
			"'thinking':{'type':'adaptive','display':'summarized'},"
			"'output_config':{'effort':'%s'}",
			words.level);
	else if (words.form == IK_THINKING_ADAPTIVE)
		ik_json_printf(out, "'thinking':{'type':'disabled'}");
	else if (words.form == IK_THINKING_BUDGET && budget >= BUDGET_LEAST && may_think(request))
		ik_json_printf(out, "'thinking':{'type':'enabled','budget_tokens':%lld}",
			(long long)budget);
}

/* Insert the marks at the ends of the user's last messages. */
static void put_marks(struct ik_wire_writer *writer)
{
	for (size_t index = 0; index < IK_WIRE_MARKS; index++) {
		if (writer->marks[index] && ik_buf_status(writer->out) == IK_OK)
			ik_buf_insert(writer->out, writer->marks[index], later_mark, sizeof(later_mark) - 1);
	}
}

static void put_request(struct ik_wire_writer *writer)
{
	static const struct ik_wire_messages messages = { put_user, put_assistant, put_result };
	const struct ik_request *request = writer->request;
	const char *prompt = request->system_prompt;
	struct ik_buf *out = writer->out;

	ik_json_printf(out, "{'model':'%s','max_tokens':%lld", request->model,
		(long long)output_limit(request));
	put_tools(out, request);
	if (prompt && !ik_wire_is_blank(prompt, strlen(prompt)))
		ik_json_printf(out, "'system':[{'type':'text','text':'%s'," CACHE_MARK "}]", prompt);
	ik_json_printf(out, "'messages':[");
	ik_wire_put_messages(writer, &messages);
	ik_wire_close_message(writer);
	ik_json_printf(out, "],'stream':true");
	if ((request->forbid_calls && request->tool_count) || lacks_tools(request))
		ik_json_printf(out, "'tool_choice':{'type':'none'}");
	put_thinking_wish(out, request);
	ik_json_printf(out, "}");
	put_marks(writer);
}

const struct ik_wire_format ik_anthropic_format = {
	.type = IK_ANTHROPIC,
	.path = "/v1/messages",
	.models_path = "/v1/models?limit=1000",
	.key_header = "x-api-key: ",
	.header = "anthropic-version: 2023-06-01",
	.put_tool = put_tool_alone,
	.put_request = put_request,
	.rules = &ik_anthropic_rules,
};
