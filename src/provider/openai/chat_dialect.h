/*
 * chat_dialect: what servers that speak OpenAI's chat format want otherwise than OpenAI.
 *
 * Told by the host, and where a model is served elsewhere too, by its name: such rules come
 * with the templates that its makers publish.
 *
 * Private to src/provider.  May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_OPENAI_CHAT_DIALECT_H
#define IK_PROVIDER_OPENAI_CHAT_DIALECT_H

#include "json/write.h"
#include "provider/wire/format.h"
#include "provider/wire/transcript.h"

struct ik_chat_dialect {
	bool openai;            /* OpenAI's own */
	bool alternates;        /* user and assistant take turns: neighbours are joined */
	bool answers_results;   /* behind results the assistant speaks, never the user */
	bool short_ids;         /* the id of a call is nine letters and digits */
	bool counts_unasked;    /* tells the usage unasked, and refuses to be asked */
	bool wants_thoughts;    /* refuses a call without the thinking before it */
	bool switches_thinking; /* has a member that switches it on and off */
	bool knows_efforts;     /* takes an effort beside it */
};

struct ik_chat_dialect ik_chat_dialect(const struct ik_request *request);

/* The id of a call: as it came where that is allowed, since some servers keep data in it. */
void ik_chat_put_call_id(struct ik_buf *out, const struct ik_request *request, const char *call_id);

/* Members of a call that the server wants back with it, as they came. */
void ik_chat_put_call_extra(struct ik_buf *out, const struct ik_request *request,
	const struct ik_message *call);

/* How much the model is to think: the name of an effort, as OpenAI and most take it. */
void ik_chat_put_effort(struct ik_buf *out, const struct ik_request *request, const char *effort);

/*
 * The member with what the assistant thought in that passage, if it came in one from this
 * server (or the server cannot do without): its models go on from it behind their calls.
 */
void ik_chat_put_reasoning(struct ik_buf *out, const struct ik_request *request,
	const struct ik_passage *passage);

/* The opaque data by which the decoder remembers: the name of that member, a string; or, of a
 * call, an object with further members. */
#define IK_CHAT_REASONING_CONTENT "reasoning_content"
#define IK_CHAT_REASONING "reasoning"
#define IK_CHAT_EXTRA "extra_content"

#endif
