#include "provider/formats.h"

#include "provider/anthropic/anthropic.h"
#include "provider/google/google.h"
#include "provider/openai/openai_chat.h"
#include "provider/openai/openai_responses.h"
#include "provider/wire/decoder.h"
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
		.type = IK_OPENAI_RESPONSES,
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
		.type = IK_ANTHROPIC,
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
		.type = IK_GOOGLE,
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
	for (size_t index = 0; index < sizeof(formats) / sizeof(*formats); index++) {
		if (ik_text_equal(formats[index].type, type))
			return &formats[index];
	}
	return NULL;
}

const struct ik_wire_format *ik_wire_format_at(size_t index)
{
	return index < sizeof(formats) / sizeof(*formats) ? &formats[index] : NULL;
}
