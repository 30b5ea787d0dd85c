/*
 * formats: the table of wire formats; the configuration says which provider uses which.
 *
 * May include: util, provider.
 */
#ifndef IK_PROVIDER_FORMATS_H
#define IK_PROVIDER_FORMATS_H

#include "provider/wire/format.h"

extern const struct ik_wire_format ik_openai_chat_format, ik_openai_responses_format,
	ik_anthropic_format, ik_google_format;

/* The built-in practice model, which calls real tools by fixed rules. Not in the table, because no
 * server uses it. */
extern const struct ik_wire_format ik_practice_format;
#define IK_PRACTICE_MODEL "practice"

/* Return the format with that type, or NULL. */
const struct ik_wire_format *ik_wire_format_find(const char *type);
/* Return the format at index, for help and checks; NULL past the end of the table. */
const struct ik_wire_format *ik_wire_format_at(size_t index);

#endif
