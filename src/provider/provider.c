#include "provider/provider.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "provider/anthropic.h"
#include "provider/decoder.h"
#include "provider/google.h"
#include "provider/headers.h"
#include "provider/openai_chat.h"
#include "provider/openai_responses.h"
#include "util/alloc.h"
#include "util/text.h"

static const struct ik_wire_format formats[] = {
	{
		.type = IK_OPENAI_CHAT,
		.url = ik_openai_chat_url,
		.headers = ik_openai_chat_headers,
		.models_url = ik_openai_models_url,
		.put_tool = ik_openai_chat_put_tool,
		.put_arguments = ik_openai_put_arguments,
		.spelling = &ik_openai_chat_spelling,
		.decoder_new = ik_openai_chat_decoder_new,
		.decoder_free = ik_decoder_free,
		.feed = ik_decoder_feed,
		.finish = ik_decoder_finish,
	},
	{
		.type = "openai-responses",
		.url = ik_openai_responses_url,
		.headers = ik_openai_chat_headers,
		.models_url = ik_openai_models_url,
		.put_tool = ik_openai_responses_put_tool,
		.put_arguments = ik_openai_put_arguments,
		.spelling = &ik_openai_responses_spelling,
		.decoder_new = ik_openai_responses_decoder_new,
		.decoder_free = ik_decoder_free,
		.feed = ik_decoder_feed,
		.finish = ik_decoder_finish,
	},
	{
		.type = "anthropic",
		.url = ik_anthropic_url,
		.headers = ik_anthropic_headers,
		.models_url = ik_anthropic_models_url,
		.put_tool = ik_anthropic_put_tool,
		.spelling = &ik_anthropic_spelling,
		.decoder_new = ik_anthropic_decoder_new,
		.decoder_free = ik_decoder_free,
		.feed = ik_decoder_feed,
		.finish = ik_decoder_finish,
	},
	{
		.type = "google",
		.url = ik_google_url,
		.headers = ik_google_headers,
		.models_url = ik_google_models_url,
		.put_tool = ik_google_put_tool,
		.spelling = &ik_google_spelling,
		.decoder_new = ik_google_decoder_new,
		.decoder_free = ik_decoder_free,
		.feed = ik_decoder_feed,
		.finish = ik_decoder_finish,
	},
};

const struct ik_wire_format *ik_wire_format_find(const char *type)
{
	for (size_t index = 0; index < sizeof formats / sizeof *formats; index++) {
		if (ik_text_equal(formats[index].type, type))
			return &formats[index];
	}
	return NULL;
}

const struct ik_wire_format *ik_wire_format_at(size_t index)
{
	return index < sizeof formats / sizeof *formats ? &formats[index] : NULL;
}

/* Add a line in new memory to the array. */
static void add_line(char ***headers, char *line)
{
	size_t count = 0;

	while (*headers && (*headers)[count])
		count++;
	*headers = ik_alloc_array(*headers, count + 2, sizeof **headers);
	(*headers)[count] = line;
	(*headers)[count + 1] = NULL;
}

char **ik_wire_headers_new(const struct ik_endpoint *endpoint)
{
	char **headers = NULL;

	add_line(&headers, ik_strdup("Content-Type: application/json"));
	add_line(&headers, ik_strdup("Accept: text/event-stream"));
	for (size_t index = 0; endpoint->headers && endpoint->headers[index]; index++)
		add_line(&headers, ik_strdup(endpoint->headers[index]));
	return headers;
}

void ik_wire_headers_add_key(char ***headers, const char *name, const char *prefix,
	const char *value)
{
	if (!value)
		return;
	while (isspace((unsigned char)*value))
		value++;
	size_t length = strlen(value);
	while (length && isspace((unsigned char)value[length - 1]))
		length--;
	if (length)
		add_line(headers, ik_format("%s: %s%.*s", name, prefix, (int)length, value));
}

void ik_wire_headers_free(char **headers)
{
	for (size_t index = 0; headers && headers[index]; index++) {
		/* One of them holds a key. */
		explicit_bzero(headers[index], strlen(headers[index]));
		free(headers[index]);
	}
	free(headers);
}

const char *ik_envelope_paragraph(void)
{
	/* For the model, hence not translated. */
	return "Each tool call is answered with a JSON envelope. "
		"{\"tool_success\": true, \"result\": ...} means that the tool ran; its result may "
		"still report a problem in a member \"error\". "
		"{\"tool_success\": false, \"error\": ..., \"error_code\": ..., \"exit_code\": ..., "
		"\"stdout\": ..., \"stderr\": ...} means that it could not run or did not end "
		"properly. \"truncated\": true says that a part of the output was left out; a mark "
		"in the text says where and how much. \"limit_reached\": true says that no further "
		"tool call is possible in this turn: answer with what you have.";
}
