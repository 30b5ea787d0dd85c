#include "request_rules_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* The longest id of a call that each of the two takes, and the longest name. */
#define CHAT_ID 40
#define RESPONSES_ID 64
#define LONGEST_NAME 64

/* ---- Chat Completions ---- */

/* What the templates of many models that others serve say. */
#define ALTERNATE "conversation roles must alternate user/assistant"

struct chat {
	struct judged *judged;
	struct seen due;    /* calls of the message before that have no result yet */
	size_t number;      /* of the message */
	bool begun;         /* something other than system was said */
	char last;          /* u(ser), a(ssistant), t(ool); 0: none */
	bool openai;        /* asked is a model of OpenAI's own, which has other rules */
};

static bool check_chat_calls(struct chat *chat, struct ik_json_span calls)
{
	if (ik_json_span_type(calls) != IK_JSON_ARRAY || !ik_json_count(calls))
		return refuse(chat->judged, "messages.%zu.tool_calls: [] is too short", chat->number);
	for (struct ik_json_walk walk = ik_json_walk(calls); ik_json_next(&walk);) {
		struct ik_json_span id = ik_json_member(walk.value, "id");
		struct ik_json_span function = ik_json_member(walk.value, "function");

		if (!type_is(walk.value, "function"))
			return refuse(chat->judged, "messages.%zu: a call must be of type function",
				chat->number);
		if (!is_text(id) || (chat->openai && id.length > CHAT_ID + 2))
			return refuse(chat->judged, "messages.%zu: the id of a call has 1 to 40 characters",
				chat->number);
		if (!seen_add(&chat->due, ik_json_string_new(id, NULL)))
			return refuse(chat->judged, "messages.%zu: two calls with the id %.*s",
				chat->number, (int)id.length, id.text);
		if (!is_name(ik_json_member(function, "name"), LONGEST_NAME, ""))
			return refuse(chat->judged, "messages.%zu: the name of a call does not match the "
				"pattern", chat->number);
		if (!holds_object(ik_json_member(function, "arguments")))
			return refuse(chat->judged, "messages.%zu: arguments must be JSON of an object",
				chat->number);
	}
	return true;
}

static bool check_chat_assistant(struct chat *chat, struct ik_json_span message)
{
	struct ik_json_span content = ik_json_member(message, "content");
	struct ik_json_span calls = ik_json_member(message, "tool_calls");

	if (!chat->begun)
		return refuse(chat->judged, "messages.%zu: the first word is the user's", chat->number);
	if (!calls.text && !is_text(content))
		return refuse(chat->judged, "messages.%zu: an assistant's message needs content or "
			"tool_calls", chat->number);
	if (!chat->openai && chat->last == 'a')
		return refuse(chat->judged, "messages.%zu: " ALTERNATE, chat->number);
	if (calls.text && !is_text(content) && ik_json_span_type(content) != IK_JSON_NULL)
		return refuse(chat->judged, "messages.%zu: content must be a text or null", chat->number);
	chat->last = 'a';
	return !calls.text || check_chat_calls(chat, calls);
}

static bool check_chat_result(struct chat *chat, struct ik_json_span message)
{
	char *id = ik_json_string_new(ik_json_member(message, "tool_call_id"), NULL);
	bool answers = id && seen_remove(&chat->due, id);

	free(id);
	chat->last = 't';
	if (!answers)
		return refuse(chat->judged, "messages.%zu: role 'tool' must be a response to a preceding "
			"message with 'tool_calls', one for each", chat->number);
	if (!is_text(ik_json_member(message, "content")))
		return refuse(chat->judged, "messages.%zu: the content of a result must be a text",
			chat->number);
	return true;
}

/* The parts of a user's message: texts, pictures and documents. */
static bool check_chat_parts(struct chat *chat, struct ik_json_span parts)
{
	if (ik_json_span_type(parts) != IK_JSON_ARRAY || !ik_json_count(parts))
		return refuse(chat->judged, "messages.%zu: content must be a text or parts", chat->number);
	for (struct ik_json_walk walk = ik_json_walk(parts); ik_json_next(&walk);)
		if (type_is(walk.value, "text") ? !is_text(ik_json_member(walk.value, "text")) :
		    type_is(walk.value, "image_url") ? !is_picture_url(ik_json_at(walk.value, "image_url.url")) :
		    !type_is(walk.value, "file") || !is_text(ik_json_at(walk.value, "file.filename")) ||
		    !is_pdf_url(ik_json_at(walk.value, "file.file_data")))
			return refuse(chat->judged, "messages.%zu: no such part", chat->number);
	return true;
}

static bool check_chat_message(struct chat *chat, struct ik_json_span message)
{
	if (member_is(message, "role", "tool"))
		return check_chat_result(chat, message);
	if (chat->due.count)
		return refuse(chat->judged, "messages.%zu: 'tool_calls' must be followed by tool messages "
			"responding to each 'tool_call_id'; %s has none", chat->number, chat->due.items[0]);
	if (member_is(message, "role", "assistant"))
		return check_chat_assistant(chat, message);
	if (member_is(message, "role", "user")) {
		if (!chat->openai && chat->last == 'u')
			return refuse(chat->judged, "messages.%zu: " ALTERNATE, chat->number);
		chat->begun = true;
		chat->last = 'u';
		if (!is_text(ik_json_member(message, "content")))
			return check_chat_parts(chat, ik_json_member(message, "content"));
	} else if (!member_is(message, "role", "system") && !member_is(message, "role", "developer")) {
		return refuse(chat->judged, "messages.%zu: there is no such role", chat->number);
	}
	if (!is_text(ik_json_member(message, "content")))
		return refuse(chat->judged, "messages.%zu: content must be a text", chat->number);
	return true;
}

static bool check_chat_end(const struct chat *chat)
{
	if (chat->due.count)
		return refuse(chat->judged, "messages: the call %s at the end has no tool message",
			chat->due.items[0]);
	if (chat->last != 'u' && chat->last != 't')
		return refuse(chat->judged, "messages: the last role must be user or tool");
	return true;
}

/* Every member is required at every level of a schema in strict mode, and nothing more. */
static bool is_strict(struct ik_json_span schema)
{
	struct ik_json_span properties = ik_json_member(schema, "properties"), items;
	bool more = true;

	if (properties.text && (!ik_json_bool(ik_json_member(schema, "additionalProperties"), &more) ||
	    more || ik_json_count(ik_json_member(schema, "required")) != ik_json_count(properties)))
		return false;
	for (struct ik_json_walk walk = ik_json_walk(properties); ik_json_next(&walk);) {
		if (!is_strict(walk.value))
			return false;
	}
	items = ik_json_member(schema, "items");
	return ik_json_span_type(items) != IK_JSON_OBJECT || is_strict(items);
}

/* The form of the reply: format in Responses, its member json_schema in Chat Completions. */
static bool check_output(struct judged *judged, struct ik_json_span format, struct ik_json_span form)
{
	struct ik_json_span schema = ik_json_member(form, "schema");
	bool strict = false;

	if (!format.text)
		return true;
	if (!type_is(format, "json_schema") || !is_name(ik_json_member(form, "name"), LONGEST_NAME, ""))
		return refuse(judged, "response_format: json_schema needs a name");
	if (ik_json_span_type(schema) != IK_JSON_OBJECT)
		return refuse(judged, "response_format: schema must be an object");
	ik_json_bool(ik_json_member(form, "strict"), &strict);
	if (strict && !is_strict(schema))
		return refuse(judged, "response_format: in strict mode every property is required and "
			"additionalProperties must be false");
	return true;
}

static bool check_chat_rest(struct judged *judged)
{
	struct ik_json_span body = judged->body, tools = ik_json_member(body, "tools");
	bool stream;

	if (!check_tools(judged, tools, "function", "parameters", LONGEST_NAME))
		return false;
	for (struct ik_json_walk walk = ik_json_walk(tools); tools.text && ik_json_next(&walk);) {
		if (is_hosted(walk.value))
			continue;
		if (!type_is(walk.value, "function"))
			return refuse(judged, "tools: a tool must be of type function");
	}
	if (ik_json_member(body, "tool_choice").text && !tools.text)
		return refuse(judged, "tool_choice is only allowed when tools are specified");
	if (ik_json_member(body, "max_tokens").text &&
	    ik_json_member(body, "max_completion_tokens").text)
		return refuse(judged, "max_tokens and max_completion_tokens cannot both be set");
	if (ik_json_member(body, "stream_options").text &&
	    !(ik_json_bool(ik_json_member(body, "stream"), &stream) && stream))
		return refuse(judged, "stream_options is only allowed when stream is true");
	return check_output(judged, ik_json_member(body, "response_format"),
		ik_json_at(body, "response_format.json_schema"));
}

bool check_chat(struct judged *judged)
{
	struct ik_json_span messages = ik_json_member(judged->body, "messages");
	struct chat chat = { .judged = judged };
	bool good = true;

	chat.openai = matches(judged->model, "!gpt-oss* gpt-* o[1-9]* chatgpt-*");
	if (ik_json_span_type(messages) != IK_JSON_ARRAY)
		return refuse(judged, "messages: field required");
	for (struct ik_json_walk walk = ik_json_walk(messages); good && ik_json_next(&walk); chat.number++)
		good = check_chat_message(&chat, walk.value);
	good = good && check_chat_end(&chat);
	seen_done(&chat.due);
	return good && check_chat_rest(judged);
}

/* ---- Responses ---- */

struct responses {
	struct judged *judged;
	struct seen calls;     /* all of them */
	struct seen due;       /* those without an output yet */
	struct seen reasoned;  /* ids of reasoning items */
	size_t number;
	bool reasoning;        /* such an item waits for what belongs to it */
	bool stored;           /* what was said is kept there */
	bool user_is_last;
};

static bool check_function_call(struct responses *responses, struct ik_json_span item)
{
	struct ik_json_span id = ik_json_member(item, "call_id");

	if (!is_name(id, RESPONSES_ID, ""))
		return refuse(responses->judged, "input.%zu.call_id: 1 to 64 characters of names",
			responses->number);
	if (!seen_add(&responses->calls, ik_json_string_new(id, NULL)))
		return refuse(responses->judged, "input.%zu: two calls with the call_id %.*s",
			responses->number, (int)id.length, id.text);
	seen_add(&responses->due, ik_json_string_new(id, NULL));
	if (!is_name(ik_json_member(item, "name"), LONGEST_NAME, ""))
		return refuse(responses->judged, "input.%zu.name: does not match the pattern",
			responses->number);
	if (!holds_object(ik_json_member(item, "arguments")))
		return refuse(responses->judged, "input.%zu.arguments: must be JSON of an object",
			responses->number);
	return true;
}

/* Parts of a user's message or of an output: texts, pictures and documents. */
static bool check_input_parts(struct responses *responses, struct ik_json_span parts)
{
	if (ik_json_span_type(parts) != IK_JSON_ARRAY || !ik_json_count(parts))
		return refuse(responses->judged, "input.%zu: content or output must be a text or parts",
			responses->number);
	for (struct ik_json_walk walk = ik_json_walk(parts); ik_json_next(&walk);)
		if (type_is(walk.value, "input_text") ? !is_text(ik_json_member(walk.value, "text")) :
		    type_is(walk.value, "input_image") ? !is_picture_url(ik_json_member(walk.value, "image_url")) :
		    !type_is(walk.value, "input_file") || !is_text(ik_json_member(walk.value, "filename")) ||
		    !is_pdf_url(ik_json_member(walk.value, "file_data")))
			return refuse(responses->judged, "input.%zu: no such part", responses->number);
	return true;
}

static bool check_function_output(struct responses *responses, struct ik_json_span item)
{
	char *id = ik_json_string_new(ik_json_member(item, "call_id"), NULL);
	bool answers = id && seen_remove(&responses->due, id);

	free(id);
	if (!answers)
		return refuse(responses->judged, "input.%zu: No tool call found for function call output",
			responses->number);
	if (!is_text(ik_json_member(item, "output")))
		return check_input_parts(responses, ik_json_member(item, "output"));
	return true;
}

static bool check_reasoning(struct responses *responses, struct ik_json_span item)
{
	struct ik_json_span id = ik_json_member(item, "id");
	struct ik_json_span status = ik_json_member(item, "status");

	if (!is_text(id))
		return refuse(responses->judged, "input.%zu.id: field required", responses->number);
	if (!seen_add(&responses->reasoned, ik_json_string_new(id, NULL)))
		return refuse(responses->judged, "input.%zu: Duplicate item found with id %.*s",
			responses->number, (int)id.length, id.text);
	if (ik_json_span_type(ik_json_member(item, "summary")) != IK_JSON_ARRAY)
		return refuse(responses->judged, "input.%zu.summary: field required", responses->number);
	if (!responses->stored && !is_text(ik_json_member(item, "encrypted_content")))
		return refuse(responses->judged, "input.%zu: Item with id %.*s not found: items are not "
			"persisted when store is false", responses->number, (int)id.length, id.text);
	if (status.text && !ik_json_string_is(status, "completed") &&
	    !ik_json_string_is(status, "in_progress") && !ik_json_string_is(status, "incomplete"))
		return refuse(responses->judged, "input.%zu.status: no such status", responses->number);
	return true;
}

/* What the service itself said, as it came: a search, or a message with what it cites. */
static bool check_own_item(struct responses *responses, struct ik_json_span item)
{
	struct ik_json_span id = ik_json_member(item, "id");

	if (!is_text(id) || !is_text(ik_json_member(item, "status")))
		return refuse(responses->judged, "input.%zu: id and status: field required",
			responses->number);
	if (!seen_add(&responses->reasoned, ik_json_string_new(id, NULL)))
		return refuse(responses->judged, "input.%zu: Duplicate item found with id %.*s",
			responses->number, (int)id.length, id.text);
	if (type_is(item, "message") && !is_text(ik_json_at(item, "content.0.text")))
		return refuse(responses->judged, "input.%zu.content: field required", responses->number);
	return true;
}

static bool check_item(struct responses *responses, struct ik_json_span item)
{
	bool orphan = responses->reasoning, output = type_is(item, "function_call_output");

	responses->user_is_last = output;
	responses->reasoning = false;
	if (type_is(item, "reasoning")) {
		responses->reasoning = true;
		return check_reasoning(responses, item);
	}
	if (type_is(item, "function_call"))
		return check_function_call(responses, item);
	if (type_is(item, "web_search_call") ||
	    (type_is(item, "message") && member_is(item, "role", "assistant")))
		return check_own_item(responses, item);
	if (!output && ik_json_member(item, "type").text && !type_is(item, "message"))
		return refuse(responses->judged, "input.%zu.type: there is no such item",
			responses->number);
	if (!output && member_is(item, "role", "assistant")) {
		orphan = false;
	} else if (!output) {
		responses->user_is_last = member_is(item, "role", "user");
		if (!responses->user_is_last && !member_is(item, "role", "system") &&
		    !member_is(item, "role", "developer"))
			return refuse(responses->judged, "input.%zu.role: there is no such role",
				responses->number);
	}
	if (orphan)
		return refuse(responses->judged, "input.%zu: an item of type 'reasoning' was provided "
			"without its required following item", responses->number);
	if (output)
		return check_function_output(responses, item);
	if (!is_text(ik_json_member(item, "content")))
		return check_input_parts(responses, ik_json_member(item, "content"));
	return true;
}

static bool check_responses_end(const struct responses *responses)
{
	if (responses->due.count)
		return refuse(responses->judged, "No tool output found for function call %s",
			responses->due.items[0]);
	if (responses->reasoning)
		return refuse(responses->judged, "input: an item of type 'reasoning' at the end is without "
			"its required following item");
	if (!responses->user_is_last)
		return refuse(responses->judged, "input: nothing is asked at its end");
	return true;
}

static bool check_responses_tools(struct judged *judged)
{
	struct ik_json_span tools = ik_json_member(judged->body, "tools");
	bool strict;

	if (!check_tools(judged, tools, NULL, "parameters", LONGEST_NAME))
		return false;
	for (struct ik_json_walk walk = ik_json_walk(tools); tools.text && ik_json_next(&walk);) {
		if (is_hosted(walk.value))
			continue;
		if (!type_is(walk.value, "function"))
			return refuse(judged, "tools: a tool must be of type function");
		if (!ik_json_bool(ik_json_member(walk.value, "strict"), &strict))
			return refuse(judged, "tools: strict must be said, it is on by default");
		if (strict && !is_strict(ik_json_member(walk.value, "parameters")))
			return refuse(judged, "tools: in strict mode every property is required and "
				"additionalProperties must be false");
	}
	if (ik_json_member(judged->body, "tool_choice").text && !tools.text)
		return refuse(judged, "tool_choice is only allowed when tools are specified");
	return check_output(judged, ik_json_at(judged->body, "text.format"),
		ik_json_at(judged->body, "text.format"));
}

bool check_responses(struct judged *judged)
{
	struct ik_json_span input = ik_json_member(judged->body, "input");
	struct responses responses = { .judged = judged, .stored = true };
	bool good = true;

	ik_json_bool(ik_json_member(judged->body, "store"), &responses.stored);
	if (ik_json_span_type(input) != IK_JSON_ARRAY)
		return refuse(judged, "input: field required");
	for (struct ik_json_walk walk = ik_json_walk(input); good && ik_json_next(&walk); responses.number++)
		good = check_item(&responses, walk.value);
	good = good && check_responses_end(&responses);
	seen_done(&responses.calls);
	seen_done(&responses.due);
	seen_done(&responses.reasoned);
	return good && check_responses_tools(judged);
}
