#include "provider/anthropic/anthropic.h"

#include <string.h>

#include "provider/wire/headers.h"
#include "provider/wire/thinking.h"
#include "provider/wire/transcript.h"
#include "provider/wire/wire.h"
#include "util/alloc.h"
#include "util/text.h"

#define VERSION "2023-06-01"
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
#define CACHE_MARK ",\"cache_control\":{\"type\":\"ephemeral\"}"

char *ik_anthropic_url(const struct ik_endpoint *endpoint, const char *model)
{
	return ik_format("%s/v1/messages", endpoint->base_url);
}

char *ik_anthropic_models_url(const struct ik_endpoint *endpoint)
{
	return ik_format("%s/v1/models?limit=1000", endpoint->base_url);
}

char **ik_anthropic_headers(const struct ik_endpoint *endpoint)
{
	char **headers = ik_wire_headers_new(endpoint);

	ik_wire_headers_add_key(&headers, "anthropic-version", "", VERSION);
	ik_wire_headers_add_key(&headers, "x-api-key", "", endpoint->api_key);
	return headers;
}

static int64_t output_limit(const struct ik_request *request)
{
	size_t index = 0;

	if (request->max_output_tokens > 0)
		return request->max_output_tokens;
	while (!ik_text_starts(request->model, output_limits[index].model))
		index++;
	return output_limits[index].tokens;
}

static void put_cache_mark(struct ik_buf *out)
{
	ik_buf_puts(out, CACHE_MARK);
}

/* The object stays open, so that the last one can be marked. */
static void open_tool(struct ik_buf *out, const struct ik_tool_definition *tool)
{
	ik_json_open(out, '{');
	ik_wire_put_member(out, "name", tool->name);
	ik_wire_put_member(out, "description", tool->description ? tool->description : "");
	ik_wire_put_raw_member(out, "input_schema", ik_wire_parameters(tool));
}

void ik_anthropic_put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool)
{
	(void)endpoint;
	open_tool(out, tool);
	ik_json_close(out, '}');
}

static void put_tools(struct ik_buf *out, const struct ik_request *request)
{
	ik_json_key(out, "tools");
	ik_json_open(out, '[');
	for (size_t index = 0; index < request->tool_count; index++) {
		open_tool(out, &request->tools[index]);
		if (index + 1 == request->tool_count)
			put_cache_mark(out);
		ik_json_close(out, '}');
	}
	ik_json_close(out, ']');
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

/* A request with calls in its history must define a tool, even if none may be called. */
static void put_stand_in(struct ik_buf *out)
{
	static const struct ik_tool_definition none = {
		.name = "none",
		.description = "There are no tools now.",
	};

	ik_json_key(out, "tools");
	ik_json_open(out, '[');
	open_tool(out, &none);
	ik_json_close(out, '}');
	ik_json_close(out, ']');
}

/* Open a text block; the caller closes it. */
static void open_text(struct ik_buf *out, const char *text, size_t length)
{
	ik_json_open(out, '{');
	ik_wire_put_member(out, "type", "text");
	ik_json_key(out, "text");
	ik_json_put_string(out, text, length);
}

static void put_system(struct ik_buf *out, const char *prompt)
{
	if (!prompt || ik_wire_is_blank(prompt, strlen(prompt)))
		return;
	ik_json_key(out, "system");
	ik_json_open(out, '[');
	open_text(out, prompt, strlen(prompt));
	put_cache_mark(out);
	ik_json_close(out, '}');
	ik_json_close(out, ']');
}

/* Adjacent messages of one role become one, which stays open. */
static void put_end(struct ik_wire_writer *writer)
{
	if (!*writer->role)
		return;
	ik_json_close(writer->out, ']');
	ik_json_close(writer->out, '}');
	writer->role = "";
}

static void open_message(struct ik_wire_writer *writer, const char *role)
{
	bool user = ik_text_equal(role, "user");

	if (ik_text_equal(writer->role, role))
		return;
	put_end(writer);
	ik_json_open(writer->out, '{');
	ik_wire_put_member(writer->out, "role", role);
	ik_json_key(writer->out, "content");
	ik_json_open(writer->out, '[');
	writer->role = role;
	if (user) {
		memmove(writer->marks + 1, writer->marks, sizeof(writer->marks) - sizeof(*writer->marks));
		writer->marks[0] = 0;
	}
}

/* Close a block of the user; a mark could be inserted here. */
static void close_user_block(struct ik_wire_writer *writer)
{
	writer->marks[0] = writer->out->length;
	ik_json_close(writer->out, '}');
}

static void put_user(struct ik_wire_writer *writer, const struct ik_message *message)
{
	/* A text of only blanks would be refused. */
	bool blank = ik_wire_is_blank(message->content, message->content_length);

	open_message(writer, "user");
	open_text(writer->out, blank ? "(blank)" : message->content,
		blank ? strlen("(blank)") : message->content_length);
	close_user_block(writer);
}

static void put_results(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	open_message(writer, "user");
	for (size_t index = 0; index < passage->count; index++) {
		bool success = true;
		const struct ik_message *result = passage->messages[index];

		ik_json_open(writer->out, '{');
		ik_wire_put_member(writer->out, "type", "tool_result");
		ik_json_key(writer->out, "tool_use_id");
		ik_wire_put_call_id(writer->out, passage->calls[index]->call_id, IK_WIRE_CALL_ID);
		ik_json_key(writer->out, "content");
		ik_wire_put_envelope(writer->out, result);
		if (!result ||
			(ik_json_bool(ik_json_member(ik_message_data(result), "success"), &success) &&
				!success)) {
			ik_json_key(writer->out, "is_error");
			ik_json_put_bool(writer->out, true);
		}
		close_user_block(writer);
	}
}

/* Thinking is only sent back with its signature. */
static void put_thinking(struct ik_wire_writer *writer, const struct ik_message *message)
{
	struct ik_json_span opaque = ik_wire_opaque(writer->request, message, IK_ANTHROPIC);
	struct ik_json_span signature = ik_json_member(opaque, "signature");
	struct ik_json_span redacted = ik_json_member(opaque, "redacted");

	if (signature.text) {
		ik_json_open(writer->out, '{');
		ik_wire_put_member(writer->out, "type", "thinking");
		ik_json_key(writer->out, "thinking");
		ik_json_put_string(writer->out, message->content, message->content_length);
		ik_wire_put_raw_member(writer->out, "signature", signature);
		ik_json_close(writer->out, '}');
	} else if (redacted.text) {
		ik_json_open(writer->out, '{');
		ik_wire_put_member(writer->out, "type", "redacted_thinking");
		ik_wire_put_raw_member(writer->out, "data", redacted);
		ik_json_close(writer->out, '}');
	}
}

static void put_call(struct ik_wire_writer *writer, const struct ik_message *call)
{
	ik_json_open(writer->out, '{');
	ik_wire_put_member(writer->out, "type", "tool_use");
	ik_json_key(writer->out, "id");
	ik_wire_put_call_id(writer->out, call->call_id, IK_WIRE_CALL_ID);
	ik_json_key(writer->out, "name");
	ik_wire_put_call_name(writer->out, call);
	ik_json_key(writer->out, "input");
	ik_wire_put_arguments_object(writer->out, call);
	ik_json_close(writer->out, '}');
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
	if (!*writer->role) {
		open_message(writer, "user");
		open_text(writer->out, IK_WIRE_BEGINNING, strlen(IK_WIRE_BEGINNING));
		close_user_block(writer);
	}
	open_message(writer, "assistant");
	for (size_t index = 0; index < passage->count; index++) {
		const struct ik_message *message = passage->messages[index];

		if (message->kind == IK_KIND_THINKING) {
			put_thinking(writer, message);
		} else if (message->kind == IK_KIND_TOOL_CALL) {
			put_call(writer, message);
		} else if (!ik_wire_is_blank(message->content, message->content_length)) {
			open_text(writer->out, message->content, message->content_length);
			ik_json_close(writer->out, '}');
		}
	}
}

static void put_passage(struct ik_wire_writer *writer, const struct ik_passage *passage)
{
	switch (passage->kind) {
	case IK_PASSAGE_USER:
		put_user(writer, passage->messages[0]);
		break;
	case IK_PASSAGE_ASSISTANT:
		put_assistant(writer, passage);
		break;
	case IK_PASSAGE_RESULTS:
		put_results(writer, passage);
		break;
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

/* The model thinks as much as it decides to, guided by an effort. Newer models only show it on
 * request; some think even if not asked to. */
static void put_adaptive(struct ik_buf *out, const char *effort)
{
	ik_json_key(out, "thinking");
	ik_json_open(out, '{');
	ik_wire_put_member(out, "type", effort ? "adaptive" : "disabled");
	if (effort)
		ik_wire_put_member(out, "display", "summarized");
	ik_json_close(out, '}');
	if (!effort)
		return;
	ik_json_key(out, "output_config");
	ik_json_open(out, '{');
	ik_wire_put_member(out, "effort", effort);
	ik_json_close(out, '}');
}

static void put_thinking_wish(struct ik_buf *out, const struct ik_request *request)
{
	struct ik_thinking_words words = ik_thinking_words(request, IK_ANTHROPIC);
	/* The budget is part of the output limit, which must leave room for the answer. */
	int64_t room = output_limit(request) - BUDGET_LEAST;
	int64_t budget = words.tokens < room ? words.tokens : room;

	if (words.form == IK_THINKING_ADAPTIVE) {
		put_adaptive(out, words.level);
	} else if (words.form == IK_THINKING_BUDGET && budget >= BUDGET_LEAST && may_think(request)) {
		ik_json_key(out, "thinking");
		ik_json_open(out, '{');
		ik_wire_put_member(out, "type", "enabled");
		ik_json_key(out, "budget_tokens");
		ik_json_put_integer(out, budget);
		ik_json_close(out, '}');
	}
}

static void put_head(struct ik_buf *out, const struct ik_request *request)
{
	ik_json_open(out, '{');
	ik_wire_put_member(out, "model", request->model);
	ik_json_key(out, "max_tokens");
	ik_json_put_integer(out, output_limit(request));
	if (request->tool_count)
		put_tools(out, request);
	if (lacks_tools(request))
		put_stand_in(out);
	put_system(out, request->system_prompt);
	ik_json_key(out, "messages");
	ik_json_open(out, '[');
}

static void put_tail(struct ik_buf *out, const struct ik_request *request)
{
	ik_json_close(out, ']');
	ik_json_key(out, "stream");
	ik_json_put_bool(out, true);
	if ((request->forbid_calls && request->tool_count) || lacks_tools(request)) {
		ik_json_key(out, "tool_choice");
		ik_json_open(out, '{');
		ik_wire_put_member(out, "type", "none");
		ik_json_close(out, '}');
	}
	put_thinking_wish(out, request);
	ik_json_close(out, '}');
}

const struct ik_wire_spelling ik_anthropic_spelling = {
	.put_head = put_head,
	.put_passage = put_passage,
	.put_end = put_end,
	.put_tail = put_tail,
	.mark = CACHE_MARK,
};
