/*
 * chat_dialect: how servers that speak OpenAI's chat format differ from OpenAI.
 *
 * Recognised by the host and, for models that are also served elsewhere, by their name: those rules
 * are in the templates that their makers publish.
 *
 * Private to src/provider. May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_OPENAI_CHAT_DIALECT_H
#define IK_PROVIDER_OPENAI_CHAT_DIALECT_H

#include "provider/wire/wire.h"

struct ik_chat_dialect {
	bool openai;            /* OpenAI itself */
	bool alternates;        /* user and assistant must alternate: adjacent messages are joined */
	bool answers_results;   /* results must be followed by the assistant, never by the user */
	bool short_ids;         /* a call id is nine letters and digits */
	bool counts_unasked;    /* reports usage unasked, and refuses to be asked */
	bool wants_thoughts;    /* refuses a call without the thinking before it */
	bool switches_thinking; /* has a member to switch thinking on and off */
	bool knows_efforts;     /* accepts an effort as well */
};

struct ik_chat_dialect ik_chat_dialect(const struct ik_request *request);

/* Return the id of a call (perhaps in made): as it came where that is allowed, since some servers keep
 * data in it. */
const char *ik_chat_call_id(const struct ik_request *request, const char *call_id,
	char made[IK_WIRE_MADE_ID]);

/* Write the members of a call that the server wants back unchanged. */
void ik_chat_put_call_extra(struct ik_buf *out, const struct ik_request *request,
	const struct ik_message *call);

/* Write how much the model should think, as the name of an effort, which OpenAI and most others
 * accept. */
void ik_chat_put_effort(struct ik_buf *out, const struct ik_request *request, const char *effort);

/*
 * Write the member with the assistant's thinking of that passage, if this server sent one (or
 * requires one): its models continue from it after their calls.
 */
void ik_chat_put_reasoning(struct ik_buf *out, const struct ik_request *request,
	const struct ik_passage *passage);

/* Opaque data with which the decoder remembers the name of that member (a string) or the further
 * members of a call (an object). */
#define IK_CHAT_REASONING_CONTENT "reasoning_content"
#define IK_CHAT_REASONING "reasoning"
#define IK_CHAT_EXTRA "extra_content"
#define IK_CHAT_REASONING_DETAILS "reasoning_details"

#endif
