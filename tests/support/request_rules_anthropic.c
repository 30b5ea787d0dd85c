#include "request_rules_private.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_NAME 128
#define CACHE_MARKS 4
#define BUDGET_LEAST 1024

struct messages {
	struct judged *judged;
	struct seen calls;    /* all of them */
	struct seen due;      /* those of the message before */
	size_t number, block; /* where it is */
	size_t marks;
	bool thinking;        /* it is asked to think, with a budget */
	bool called;          /* there are calls somewhere */
	struct seen searches; /* calls of the service's own tools, without an answer */
	bool searched;        /* there are such calls somewhere, */
	bool searched_here;   /* and in this message */
	/* Since the last word of the user's own: */
	bool turn_answered, turn_called, turn_unthought;
	const char *role;
};

static bool refuse_block(struct messages *messages, const char *what)
{
	return refuse(messages->judged, "messages.%zu.content.%zu: %s", messages->number,
		messages->block, what);
}

/* Count a mark, and say whether it may stand there. */
static bool check_mark(struct messages *messages, struct ik_json_span block, bool may)
{
	struct ik_json_span mark = ik_json_member(block, "cache_control");

	if (!mark.text)
		return true;
	if (!may)
		return refuse_block(messages, "cache_control cannot be set here");
	if (!type_is(mark, "ephemeral"))
		return refuse_block(messages, "cache_control must be ephemeral");
	if (++messages->marks > CACHE_MARKS)
		return refuse(messages->judged, "A maximum of 4 blocks with cache_control may be provided");
	return true;
}

static bool check_thinking(struct messages *messages, struct ik_json_span block)
{
	if (strcmp(messages->role, "assistant") != 0)
		return refuse_block(messages, "thinking blocks are the assistant's");
	if (type_is(block, "redacted_thinking"))
		return is_text(ik_json_member(block, "data")) ||
			refuse_block(messages, "redacted_thinking.data: field required");
	if (ik_json_span_type(ik_json_member(block, "thinking")) != IK_JSON_STRING)
		return refuse_block(messages, "thinking.thinking: field required");
	if (!is_text(ik_json_member(block, "signature")))
		return refuse_block(messages, "thinking.signature: field required");
	return true;
}

static bool check_use(struct messages *messages, struct ik_json_span block)
{
	struct ik_json_span id = ik_json_member(block, "id");

	if (strcmp(messages->role, "assistant") != 0)
		return refuse_block(messages, "tool_use blocks are the assistant's");
	if (!is_name(id, 0, ""))
		return refuse_block(messages, "tool_use.id: does not match the pattern");
	if (!seen_add(&messages->calls, ik_json_string_new(id, NULL)))
		return refuse_block(messages, "tool_use ids must be unique");
	seen_add(&messages->due, ik_json_string_new(id, NULL));
	if (!is_name(ik_json_member(block, "name"), LONGEST_NAME, ""))
		return refuse_block(messages, "tool_use.name: does not match the pattern");
	if (ik_json_span_type(ik_json_member(block, "input")) != IK_JSON_OBJECT)
		return refuse_block(messages, "tool_use.input: must be an object");
	messages->called = messages->turn_called = true;
	return true;
}

/* A picture or a document. */
static bool check_file(struct messages *messages, struct ik_json_span block)
{
	struct ik_json_span source = ik_json_member(block, "source");
	struct ik_json_span type = ik_json_member(source, "media_type");
	bool right = type_is(block, "image") ? is_picture_type(type) :
		ik_json_string_is(type, "application/pdf");

	if (strcmp(messages->role, "user") != 0)
		return refuse_block(messages, "images are the user's");
	if (!type_is(source, "base64") || !right || !is_base64(ik_json_member(source, "data"), ""))
		return refuse_block(messages, "source: a type that is supported, and base64");
	return true;
}

static bool is_file_block(struct ik_json_span block)
{
	return type_is(block, "image") || type_is(block, "document");
}

/* What a result holds: a text, or blocks, without marks. */
static bool check_result_content(struct messages *messages, struct ik_json_span block)
{
	struct ik_json_span content = ik_json_member(block, "content");
	bool error = false;

	if (is_text(content))
		return true;
	if (ik_json_span_type(content) != IK_JSON_ARRAY || !ik_json_count(content))
		return refuse_block(messages, "content cannot be empty");
	(void)ik_json_bool(ik_json_member(block, "is_error"), &error);
	for (struct ik_json_walk walk = ik_json_walk(content); ik_json_next(&walk);) {
		if (is_file_block(walk.value) && error)
			return refuse_block(messages, "all content must be type text if is_error is true");
		if (is_file_block(walk.value) ? !check_file(messages, walk.value) :
		    !type_is(walk.value, "text") || !is_text(ik_json_member(walk.value, "text")))
			return refuse_block(messages, "content: text, image or document");
	}
	return true;
}

static bool check_result(struct messages *messages, struct ik_json_span block)
{
	char *id = ik_json_string_new(ik_json_member(block, "tool_use_id"), NULL);
	bool answers = id && strcmp(messages->role, "user") == 0 && seen_remove(&messages->due, id);

	free(id);
	if (!answers)
		return refuse_block(messages, "each tool_result block must have a corresponding tool_use "
			"block in the previous message, and a single one");
	return check_result_content(messages, block);
}

/* A call of the service's own tool, or its answer, both in a message of the assistant's. */
static bool check_search(struct messages *messages, struct ik_json_span block)
{
	bool call = type_is(block, "server_tool_use");
	struct ik_json_span id = ik_json_member(block, call ? "id" : "tool_use_id");
	char *text = ik_json_string_new(id, NULL);
	bool good;

	messages->searched = messages->searched_here = true;
	if (strcmp(messages->role, "assistant") != 0 || !is_name(id, 0, "")) {
		free(text);
		return refuse_block(messages, "server_tool_use and its result are the assistant's");
	}
	if (call)
		return (seen_add(&messages->searches, text) &&
			ik_json_span_type(ik_json_member(block, "input")) == IK_JSON_OBJECT) ||
			refuse_block(messages, "server_tool_use: unique ids, and an input");
	good = seen_remove(&messages->searches, text);
	free(text);
	return good || refuse_block(messages, "web_search_tool_result without its server_tool_use");
}

static bool check_block(struct messages *messages, struct ik_json_span block)
{
	bool thinks = type_is(block, "thinking") || type_is(block, "redacted_thinking");

	if (!check_mark(messages, block, !thinks))
		return false;
	if (type_is(block, "tool_result"))
		return check_result(messages, block);
	if (messages->due.count && strcmp(messages->role, "user") == 0)
		return refuse_block(messages, "tool_use ids were found without tool_result blocks "
			"immediately after, before all else");
	if (thinks)
		return check_thinking(messages, block);
	if (type_is(block, "tool_use"))
		return check_use(messages, block);
	if (is_file_block(block))
		return check_file(messages, block);
	if (type_is(block, "server_tool_use") || type_is(block, "web_search_tool_result"))
		return check_search(messages, block);
	if (!type_is(block, "text"))
		return refuse_block(messages, "there is no such block");
	if (!says_something(ik_json_member(block, "text")))
		return refuse_block(messages, "text content blocks must contain non-whitespace text");
	if (strcmp(messages->role, "user") == 0)
		messages->turn_answered = messages->turn_called = messages->turn_unthought = false;
	return true;
}

static bool check_message(struct messages *messages, struct ik_json_span message)
{
	const char *role = member_is(message, "role", "user") ? "user" : "assistant";
	struct ik_json_span content = ik_json_member(message, "content");
	struct ik_json_walk walk = ik_json_walk(content);
	bool thinks = false;

	if (*role == 'a' && !member_is(message, "role", "assistant"))
		return refuse(messages->judged, "messages.%zu.role: user or assistant", messages->number);
	if (*role == *messages->role)
		return refuse(messages->judged, "messages.%zu: roles must alternate", messages->number);
	if (!messages->number && *role != 'u')
		return refuse(messages->judged, "messages: first message must use the user role");
	if (ik_json_span_type(content) != IK_JSON_ARRAY || !ik_json_count(content))
		return refuse(messages->judged, "messages.%zu: must have non-empty content",
			messages->number);
	messages->role = role;
	if (*role == 'u' && messages->searches.count)
		return refuse(messages->judged, "messages.%zu: server_tool_use without its result",
			messages->number);
	messages->searched_here = false;
	for (messages->block = 0; ik_json_next(&walk); messages->block++) {
		if (!check_block(messages, walk.value))
			return false;
		thinks = type_is(walk.value, "thinking") || type_is(walk.value, "redacted_thinking");
		/* The later ones of a turn may do without: the model may not think after each result. */
		if (*role == 'a' && !messages->turn_answered)
			messages->turn_unthought = !thinks;
		messages->turn_answered = messages->turn_answered || *role == 'a';
	}
	if (thinks)
		return refuse(messages->judged, "messages.%zu: the final block in an assistant message "
			"cannot be thinking", messages->number);
	if (*role == 'u' && messages->due.count)
		return refuse(messages->judged, "messages.%zu: tool_use ids were found without tool_result "
			"blocks immediately after: %s", messages->number, messages->due.items[0]);
	return true;
}

/* The system prompt: a text, or blocks of it. */
static bool check_system(struct messages *messages)
{
	struct ik_json_span system = ik_json_member(messages->judged->body, "system");

	if (!system.text || is_text(system))
		return true;
	if (ik_json_span_type(system) != IK_JSON_ARRAY || !ik_json_count(system))
		return refuse(messages->judged, "system: must be text");
	for (struct ik_json_walk walk = ik_json_walk(system); ik_json_next(&walk);) {
		if (!type_is(walk.value, "text") || !says_something(ik_json_member(walk.value, "text")))
			return refuse(messages->judged, "system: text content blocks must contain "
				"non-whitespace text");
		if (!check_mark(messages, walk.value, true))
			return false;
	}
	return true;
}

/* Is the schema one that a reply can be held to: objects closed, and no limits? */
static bool is_output_schema(struct ik_json_span value)
{
	static const char *const refused[] = { "minimum", "maximum", "exclusiveMinimum",
		"exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems", "oneOf", "not",
		"patternProperties" };

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		if (ik_json_member(value, refused[i]).text)
			return false;
	}
	if (type_is(value, "object") &&
	    !ik_json_equal(ik_json_member(value, "additionalProperties"), IK_JSON_SPAN("false")))
		return false;
	for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next(&walk);) {
		if (!is_output_schema(walk.value))
			return false;
	}
	return true;
}

static bool check_output(struct judged *judged)
{
	struct ik_json_span config = ik_json_member(judged->body, "output_config");
	struct ik_json_span format = ik_json_member(config, "format");

	if (config.text && !ik_json_count(config))
		return refuse(judged, "output_config: must not be empty");
	if (format.text && !type_is(format, "json_schema"))
		return refuse(judged, "output_config.format.type: must be json_schema");
	if (format.text && (ik_json_span_type(ik_json_member(format, "schema")) != IK_JSON_OBJECT ||
	    !is_output_schema(ik_json_member(format, "schema"))))
		return refuse(judged, "output_config.format.schema: for 'object' type, "
			"'additionalProperties' must be explicitly set to false, and limits are not permitted");
	return true;
}

static bool check_wishes(struct messages *messages)
{
	struct judged *judged = messages->judged;
	struct ik_json_span thinking = ik_json_member(judged->body, "thinking");
	struct ik_json_span choice = ik_json_member(judged->body, "tool_choice");
	int64_t most, budget;

	if (!ik_json_integer(ik_json_member(judged->body, "max_tokens"), &most) || most < 1)
		return refuse(judged, "max_tokens: field required");
	messages->thinking = type_is(thinking, "enabled");
	if (messages->thinking && (!ik_json_integer(ik_json_member(thinking, "budget_tokens"), &budget) ||
	    budget < BUDGET_LEAST))
		return refuse(judged, "thinking.enabled.budget_tokens: must be at least 1024");
	if (messages->thinking && budget >= most)
		return refuse(judged, "max_tokens must be greater than thinking.budget_tokens");
	if (choice.text && !ik_json_member(judged->body, "tools").text)
		return refuse(judged, "tool_choice may only be specified while providing tools");
	if (messages->thinking && (type_is(choice, "any") || type_is(choice, "tool")))
		return refuse(judged, "thinking may not be enabled when tool_choice forces tool use");
	return check_output(judged);
}

static bool check_end(struct messages *messages)
{
	struct judged *judged = messages->judged;
	struct ik_json_span tools = ik_json_member(judged->body, "tools");
	bool hosted = false;

	if (!messages->number)
		return refuse(judged, "messages: at least one message is required");
	if (*messages->role != 'u' && !messages->searched_here)
		return refuse(judged, "messages: the conversation must end with a user message");
	if (messages->thinking && messages->turn_called && messages->turn_unthought)
		return refuse(judged, "messages: expected thinking or redacted_thinking first: when thinking "
			"is enabled, a turn with tool use must begin with it");
	if (messages->called && !tools.text)
		return refuse(judged, "requests which include tool_use or tool_result blocks must define "
			"tools");
	for (struct ik_json_walk walk = ik_json_walk(tools); ik_json_next(&walk);) {
		hosted = hosted || is_hosted(walk.value);
		if (!check_mark(messages, walk.value, true))
			return false;
	}
	if (messages->searched && !hosted)
		return refuse(judged, "tools: server_tool_use blocks need their tool");
	return check_tools(judged, tools, NULL, "input_schema", LONGEST_NAME);
}

bool check_anthropic(struct judged *judged)
{
	struct messages messages = { .judged = judged, .role = "" };
	struct ik_json_span list = ik_json_member(judged->body, "messages");
	bool good = check_wishes(&messages) && check_system(&messages);

	if (ik_json_span_type(list) != IK_JSON_ARRAY)
		return refuse(judged, "messages: field required");
	for (struct ik_json_walk walk = ik_json_walk(list); good && ik_json_next(&walk); messages.number++)
		good = check_message(&messages, walk.value);
	good = good && check_end(&messages);
	seen_done(&messages.calls);
	seen_done(&messages.due);
	seen_done(&messages.searches);
	return good;
}
