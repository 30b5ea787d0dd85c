#include "provider/openai_chat.h"

#include <string.h>
#include <strings.h>

#include "json/write.h"
#include "provider/headers.h"
#include "provider/transcript.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

char *ik_openai_chat_url(const struct ik_endpoint *endpoint, const char *model)
{
	return ik_format("%s/chat/completions", endpoint->base_url);
}

char **ik_openai_chat_headers(const struct ik_endpoint *endpoint)
{
	char **headers = ik_wire_headers_new(endpoint);

	ik_wire_headers_add_key(&headers, "Authorization", "Bearer ", endpoint->api_key);
	return headers;
}

/* Is it OpenAI's own host, which has renamed a member that others keep? */
static bool is_openai_host(const struct ik_endpoint *endpoint)
{
	const char *url = endpoint && endpoint->base_url ? endpoint->base_url : "";
	const char *host = strstr(url, "://");
	host = host ? host + 3 : url;
	size_t length = strcspn(host, ":/");
	static const char openai[] = "api.openai.com";
	static const char azure[] = ".openai.azure.com";
	size_t azure_length = sizeof azure - 1;

	return (length == sizeof openai - 1 && strncasecmp(host, openai, length) == 0) ||
	       (length > azure_length &&
		strncasecmp(host + length - azure_length, azure, azure_length) == 0);
}

/* Write a string member from a stored value: as it stands, when it is a string. */
static void put_stored_text(struct ik_buf *out, struct ik_json_span value)
{
	if (ik_json_span_type(value) == IK_JSON_STRING)
		ik_json_put_raw(out, value);
	else
		ik_json_put_string(out, value.text ? value.text : "", value.length);
}

static void put_tools(struct ik_buf *out, const struct ik_request *request)
{
	static const char no_parameters[] = "{\"type\":\"object\",\"properties\":{}}";

	if (!request->tool_count)
		return;
	ik_json_key(out, "tools");
	ik_json_open(out, '[');
	for (size_t index = 0; index < request->tool_count; index++) {
		const struct ik_tool_definition *tool = &request->tools[index];
		ik_json_open(out, '{');
		ik_json_key(out, "type");
		ik_json_put_text(out, "function");
		ik_json_key(out, "function");
		ik_json_open(out, '{');
		ik_json_key(out, "name");
		ik_json_put_text(out, tool->name);
		ik_json_key(out, "description");
		ik_json_put_text(out, tool->description ? tool->description : "");
		ik_json_key(out, "parameters");
		ik_json_put_raw(out, tool->parameters.text ? tool->parameters :
			(struct ik_json_span){ no_parameters, sizeof no_parameters - 1 });
		ik_json_close(out, '}');
		ik_json_close(out, '}');
	}
	ik_json_close(out, ']');
}

/* A message that is a role and a text. */
static void put_text_message(struct ik_buf *out, const char *role, const char *text, size_t length)
{
	ik_json_open(out, '{');
	ik_json_key(out, "role");
	ik_json_put_text(out, role);
	ik_json_key(out, "content");
	ik_json_put_string(out, text, length);
	ik_json_close(out, '}');
}

static void put_call(struct ik_buf *out, const struct ik_message *call)
{
	struct ik_json_span function = ik_json_member(ik_message_data(call), "function");
	struct ik_json_span arguments = ik_json_member(function, "arguments");

	ik_json_open(out, '{');
	ik_json_key(out, "id");
	ik_json_put_text(out, call->call_id);
	ik_json_key(out, "type");
	ik_json_put_text(out, "function");
	ik_json_key(out, "function");
	ik_json_open(out, '{');
	ik_json_key(out, "name");
	put_stored_text(out, ik_json_member(function, "name"));
	ik_json_key(out, "arguments");
	/* Malformed ones go back as they came; but none at all is no JSON, and
	 * servers that read them refuse the whole request. */
	if (!arguments.length || ik_json_string_is(arguments, ""))
		ik_json_put_text(out, "{}");
	else
		put_stored_text(out, arguments);
	ik_json_close(out, '}');
	ik_json_close(out, '}');
}

static void put_assistant(struct ik_buf *out, const struct ik_passage *passage)
{
	const struct ik_message *text = NULL;
	size_t calls = 0;

	for (size_t index = 0; index < passage->count; index++) {
		if (passage->messages[index]->kind == IK_KIND_ASSISTANT)
			text = passage->messages[index];
		else if (passage->messages[index]->kind == IK_KIND_TOOL_CALL)
			calls++;
	}
	if (!calls) {
		put_text_message(out, "assistant", text->content, text->content_length);
		return;
	}
	ik_json_open(out, '{');
	ik_json_key(out, "role");
	ik_json_put_text(out, "assistant");
	ik_json_key(out, "content");
	if (text)
		ik_json_put_string(out, text->content, text->content_length);
	else
		ik_json_put_null(out);
	ik_json_key(out, "tool_calls");
	ik_json_open(out, '[');
	for (size_t index = 0; index < passage->count; index++) {
		if (passage->messages[index]->kind == IK_KIND_TOOL_CALL)
			put_call(out, passage->messages[index]);
	}
	ik_json_close(out, ']');
	ik_json_close(out, '}');
}

static void put_results(struct ik_buf *out, const struct ik_passage *passage)
{
	for (size_t index = 0; index < passage->count; index++) {
		ik_json_open(out, '{');
		ik_json_key(out, "role");
		ik_json_put_text(out, "tool");
		ik_json_key(out, "tool_call_id");
		ik_json_put_text(out, passage->calls[index]->call_id);
		ik_json_key(out, "content");
		if (passage->messages[index]) {
			put_stored_text(out, ik_json_member(ik_message_data(passage->messages[index]),
				"output"));
		} else {
			struct ik_buf envelope;
			ik_buf_init(&envelope, IK_KIB(4));
			ik_conversation_lost_envelope(&envelope);
			ik_json_put_string(out, envelope.data, envelope.length);
			ik_buf_done(&envelope);
		}
		ik_json_close(out, '}');
	}
}

static void put_messages(struct ik_buf *out, const struct ik_request *request)
{
	struct ik_transcript transcript;
	struct ik_passage passage;

	ik_json_key(out, "messages");
	ik_json_open(out, '[');
	if (request->system_prompt && *request->system_prompt)
		put_text_message(out, "system", request->system_prompt,
			strlen(request->system_prompt));
	ik_transcript_init(&transcript, request->conversation);
	while (ik_transcript_next(&transcript, &passage)) {
		switch (passage.kind) {
		case IK_PASSAGE_SYSTEM:
			put_text_message(out, "system", passage.messages[0]->content,
				passage.messages[0]->content_length);
			break;
		case IK_PASSAGE_USER:
			put_text_message(out, "user", passage.messages[0]->content,
				passage.messages[0]->content_length);
			break;
		case IK_PASSAGE_ASSISTANT:
			put_assistant(out, &passage);
			break;
		case IK_PASSAGE_RESULTS:
			put_results(out, &passage);
			break;
		}
	}
	ik_transcript_done(&transcript);
	ik_json_close(out, ']');
}

/*
 * What stays the same from round to round comes first, what a round may say
 * otherwise last: up to the end of its messages, each request is the beginning
 * of the next.
 */
enum ik_status ik_openai_chat_serialize(const struct ik_request *request, struct ik_buf *out,
	struct ik_error *error)
{
	ik_json_open(out, '{');
	ik_json_key(out, "model");
	ik_json_put_text(out, request->model);
	put_tools(out, request);
	put_messages(out, request);
	ik_json_key(out, "stream");
	ik_json_put_bool(out, true);
	ik_json_key(out, "stream_options");
	ik_json_open(out, '{');
	ik_json_key(out, "include_usage");
	ik_json_put_bool(out, true);
	ik_json_close(out, '}');
	if (request->forbid_calls && request->tool_count) {
		ik_json_key(out, "tool_choice");
		ik_json_put_text(out, "none");
	}
	if (request->max_output_tokens > 0) {
		ik_json_key(out, is_openai_host(request->endpoint) ? "max_completion_tokens" :
			"max_tokens");
		ik_json_put_integer(out, request->max_output_tokens);
	}
	ik_json_close(out, '}');
	return ik_buf_check(out, _("the request"), error);
}
