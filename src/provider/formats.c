#include "provider/formats.h"

#include "util/text.h"

static const struct ik_wire_format *const formats[] = {
	&ik_openai_chat_format,
	&ik_openai_responses_format,
	&ik_anthropic_format,
	&ik_google_format,
};

const struct ik_wire_format *ik_wire_format_find(const char *type)
{
	for (size_t index = 0; index < sizeof(formats) / sizeof(*formats); index++)
		if (ik_text_equal(formats[index]->type, type))
			return formats[index];
	return NULL;
}

const struct ik_wire_format *ik_wire_format_at(size_t index)
{
	return index < sizeof(formats) / sizeof(*formats) ? formats[index] : NULL;
}
