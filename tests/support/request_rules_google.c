#include "request_rules_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/text.h"

#define LONGEST_NAME 64
/* What a part may hold; exactly one of them. */
static const char *const contents_of_parts[] = {
	"text", "inlineData", "functionCall", "functionResponse", "fileData", "toolCall",
	"toolResponse",
};

struct contents {
	struct judged *judged;
	size_t number, part;
	struct ik_json_span calls; /* the parts of a content with calls whose results are due */
	size_t call_count;
	char last;                 /* u(ser), m(odel); 0: none */
	size_t texts, these_calls, results; /* of this content */
	struct ik_json_span search;         /* id of a call of Google's own tool without an answer */
};

static bool refuse_part(struct contents *contents, const char *what)
{
	return refuse(contents->judged, "contents.%zu.parts.%zu: %s", contents->number, contents->part,
		what);
}

/* A name begins with a letter or an underscore. */
static bool is_function_name(struct ik_json_span name)
{
	return is_name(name, LONGEST_NAME, ".") && !strchr("0123456789-.", name.text[1]);
}

/* The call of number index among those that wait for their results. */
static struct ik_json_span waiting_call(const struct contents *contents, size_t index)
{
	struct ik_json_span call = { .text = NULL };

	for (struct ik_json_walk walk = ik_json_walk(contents->calls); ik_json_next(&walk);) {
		call = ik_json_member(walk.value, "functionCall");
		if (call.text && index-- == 0)
			return call;
	}
	return (struct ik_json_span){ .text = NULL };
}

static bool check_call(struct contents *contents, struct ik_json_span part)
{
	struct ik_json_span call = ik_json_member(part, "functionCall");
	struct ik_json_span arguments = ik_json_member(call, "args");

	if (!is_function_name(ik_json_member(call, "name")))
		return refuse_part(contents, "invalid function name");
	if (arguments.text && ik_json_span_type(arguments) != IK_JSON_OBJECT)
		return refuse_part(contents, "args must be an object");
	if (contents->these_calls++ == 0 && ik_text_starts(contents->judged->model, "gemini-3") &&
	    !is_text(ik_json_member(part, "thoughtSignature")))
		return refuse_part(contents, "function call is missing a thought_signature");
	return true;
}

/* A picture or a document. */
static bool check_inline(struct contents *contents, struct ik_json_span data)
{
	struct ik_json_span type = ik_json_member(data, "mimeType");

	if (!is_picture_type(type) && !ik_json_string_is(type, "application/pdf"))
		return refuse_part(contents, "unsupported MIME type");
	return is_base64(ik_json_member(data, "data"), "") ||
		refuse_part(contents, "inlineData: base64 decoding failed");
}

/* The parts of a function response can only be such files, of newer models. */
static bool check_response_parts(struct contents *contents, struct ik_json_span parts)
{
	if (ik_json_count(parts) && !ik_text_starts(contents->judged->model, "gemini-3"))
		return refuse_part(contents, "multimodal function responses are not supported");
	for (struct ik_json_walk walk = ik_json_walk(parts); ik_json_next(&walk);)
		if (!check_inline(contents, ik_json_member(walk.value, "inlineData")))
			return false;
	return true;
}

static bool check_response(struct contents *contents, struct ik_json_span part)
{
	struct ik_json_span response = ik_json_member(part, "functionResponse");
	struct ik_json_span call = waiting_call(contents, contents->results++);
	struct ik_json_span name = ik_json_member(call, "name"), id = ik_json_member(call, "id");
	struct ik_json_span given = ik_json_member(response, "name");
	struct ik_json_span given_id = ik_json_member(response, "id");

	if (contents->texts)
		return refuse_part(contents, "function responses come before the user's text");
	if (!call.text)
		return refuse_part(contents, "function response turn comes immediately after a function "
			"call turn, with as many parts");
	if (given.length != name.length || memcmp(given.text, name.text, name.length) != 0)
		return refuse_part(contents, "the function response has another name than its call");
	if (id.length != given_id.length || (id.text && memcmp(id.text, given_id.text, id.length) != 0))
		return refuse_part(contents, "the function response has another id than its call");
	if (ik_json_span_type(ik_json_member(response, "response")) != IK_JSON_OBJECT)
		return refuse_part(contents, "response must be an object");
	return check_response_parts(contents, ik_json_member(response, "parts"));
}

/* A call of Google's own tool, or its answer. */
static bool check_search(struct contents *contents, struct ik_json_span part, bool model)
{
	struct ik_json_span body = contents->judged->body, id;
	bool included = false;

	ik_json_bool(ik_json_at(body, "toolConfig.includeServerSideToolInvocations"), &included);
	if (!model || !included)
		return refuse_part(contents, "server-side tool invocations are the model's, and not included");
	id = ik_json_at(part, "toolCall.id");
	if (ik_json_member(part, "toolCall").text) {
		contents->search = id;
		return is_text(id) || refuse_part(contents, "toolCall.id: field required");
	}
	id = ik_json_at(part, "toolResponse.id");
	if (!contents->search.text || !ik_json_equal(id, contents->search))
		return refuse_part(contents, "a tool response has another id than its call");
	contents->search.text = NULL;
	return true;
}

static bool check_part(struct contents *contents, struct ik_json_span part, bool model)
{
	struct ik_json_span text = ik_json_member(part, "text");
	size_t count = 0;

	for (size_t at = 0; at < sizeof contents_of_parts / sizeof *contents_of_parts; at++)
		count += ik_json_member(part, contents_of_parts[at]).text != NULL;
	if (count != 1)
		return refuse_part(contents, "required oneof field 'data' must have one initialized field");
	if (ik_json_member(part, "thoughtSignature").text && !model)
		return refuse_part(contents, "only the model's parts have a thoughtSignature");
	if (ik_json_member(part, "toolCall").text || ik_json_member(part, "toolResponse").text)
		return check_search(contents, part, model);
	if (ik_json_member(part, "functionCall").text)
		return model ? check_call(contents, part) :
			refuse_part(contents, "function calls are the model's");
	if (ik_json_member(part, "functionResponse").text)
		return !model ? check_response(contents, part) :
			refuse_part(contents, "function responses are the user's");
	contents->texts++;
	if (ik_json_member(part, "inlineData").text)
		return model ? refuse_part(contents, "inlineData is the user's") :
			check_inline(contents, ik_json_member(part, "inlineData"));
	if (text.text && !is_text(text) && !is_text(ik_json_member(part, "thoughtSignature")))
		return refuse_part(contents, "it has an empty text parameter");
	return true;
}

/* What was in the content, against what came before it. */
static bool check_turn(struct contents *contents, bool model, struct ik_json_span parts)
{
	if (contents->search.text)
		return refuse(contents->judged, "contents.%zu: a toolCall without its toolResponse",
			contents->number);
	if (contents->call_count != contents->results)
		return refuse(contents->judged, "contents.%zu: the number of function response parts must "
			"be equal to the number of function call parts of the function call turn",
			contents->number);
	if (contents->last == 'm' && model)
		return refuse(contents->judged, "contents.%zu: multiturn requests alternate between user "
			"and model; a function call turn comes immediately after a user turn or after a "
			"function response turn", contents->number);
	if (contents->last == 'u' && !model)
		return refuse(contents->judged, "contents.%zu: multiturn requests alternate between user "
			"and model", contents->number);
	if (!contents->last && model)
		return refuse(contents->judged, "contents: the first content must be the user's");
	contents->last = model ? 'm' : 'u';
	contents->calls = parts;
	contents->call_count = contents->these_calls;
	return true;
}

static bool check_content(struct contents *contents, struct ik_json_span content)
{
	struct ik_json_span parts = ik_json_member(content, "parts");
	bool model = member_is(content, "role", "model");

	if (!model && !member_is(content, "role", "user"))
		return refuse(contents->judged, "contents.%zu: please use a valid role: user, model",
			contents->number);
	if (ik_json_span_type(parts) != IK_JSON_ARRAY || !ik_json_count(parts))
		return refuse(contents->judged, "contents.%zu.parts must not be empty", contents->number);
	contents->texts = contents->these_calls = contents->results = contents->part = 0;
	for (struct ik_json_walk walk = ik_json_walk(parts); ik_json_next(&walk); contents->part++) {
		if (!check_part(contents, walk.value, model))
			return false;
	}
	return check_turn(contents, model, parts);
}

static bool check_functions(struct judged *judged)
{
	struct ik_json_span tools = ik_json_member(judged->body, "tools"), schema;
	struct seen names = { .count = 0 };
	bool good = true, included = false;

	if (tools.text && !ik_json_count(tools))
		return refuse(judged, "tools: an empty list is too short");
	ik_json_bool(ik_json_at(judged->body, "toolConfig.includeServerSideToolInvocations"), &included);
	for (struct ik_json_walk walk = ik_json_walk(tools); good && ik_json_next(&walk);) {
		struct ik_json_span tool = walk.value;

		if (ik_json_member(tool, "googleSearch").text &&
		    ik_json_member(tool, "functionDeclarations").text && !included)
			return refuse(judged, "Please enable tool_config.include_server_side_tool_invocations to "
				"use built-in tools with function calling");
		tool = ik_json_member(tool, "functionDeclarations");
		for (struct ik_json_walk inner = ik_json_walk(tool); good && ik_json_next(&inner);) {
			struct ik_json_span name = ik_json_member(inner.value, "name"), function = inner.value;

			schema = ik_json_member(function, "parametersJsonSchema");
			if (!is_function_name(name))
				good = refuse(judged, "tools: invalid function name");
			else if (!seen_add(&names, ik_json_string_new(name, NULL)))
				good = refuse(judged, "tools: duplicate function declaration found: %.*s",
					(int)name.length, name.text);
			else if (ik_json_member(function, "parameters").text)
				good = refuse(judged, "tools: parameters are not JSON Schema");
			else if (schema.text && !ik_json_count(ik_json_member(schema, "properties")))
				good = refuse(judged, "tools: properties should be non-empty for OBJECT type");
		}
	}
	seen_done(&names);
	if (good && ik_json_member(judged->body, "toolConfig").text && !tools.text)
		return refuse(judged, "toolConfig: function calling config is set without functions");
	return good;
}

static bool check_instruction(struct judged *judged)
{
	struct ik_json_span instruction = ik_json_member(judged->body, "systemInstruction");

	if (!instruction.text)
		return true;
	instruction = ik_json_member(instruction, "parts");
	if (!ik_json_count(instruction))
		return refuse(judged, "systemInstruction.parts must not be empty");
	for (struct ik_json_walk walk = ik_json_walk(instruction); ik_json_next(&walk);) {
		if (!is_text(ik_json_member(walk.value, "text")))
			return refuse(judged, "systemInstruction: it has an empty text parameter");
	}
	return true;
}

static bool check_output(struct judged *judged)
{
	struct ik_json_span config = ik_json_member(judged->body, "generationConfig");
	bool schema = ik_json_member(config, "responseJsonSchema").text;

	if (schema && !member_is(config, "responseMimeType", "application/json"))
		return refuse(judged, "responseJsonSchema: only with the response mime type "
			"'application/json'");
	if (schema && ik_json_member(judged->body, "tools").text &&
	    (strncmp(judged->model, "gemini-1", 8) == 0 || strncmp(judged->model, "gemini-2", 8) == 0))
		return refuse(judged, "Function calling with a response mime type: 'application/json' is "
			"unsupported");
	return true;
}

bool check_google(struct judged *judged)
{
	struct ik_json_span list = ik_json_member(judged->body, "contents");
	struct contents contents = { .judged = judged };

	if (ik_json_span_type(list) != IK_JSON_ARRAY || !ik_json_count(list))
		return refuse(judged, "contents are not specified");
	for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk); contents.number++) {
		if (!check_content(&contents, walk.value))
			return false;
	}
	if (contents.last == 'm')
		return refuse(judged, "contents: multiturn requests end with a user role or a function "
			"response");
	return check_instruction(judged) && check_functions(judged) && check_output(judged);
}
