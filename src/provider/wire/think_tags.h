/*
 * think_tags: thinking that a server left in the text of a reply: <think>...</think> at its start.
 *
 * llama.cpp, vLLM and LM Studio send it so when no parser is set up for the model.
 *
 * Owns the bytes that may be part of a tag.  May include: util, provider/wire/delta.h.
 */
#ifndef IK_PROVIDER_WIRE_THINK_TAGS_H
#define IK_PROVIDER_WIRE_THINK_TAGS_H

#include "provider/wire/delta.h"
#include "util/buf.h"

/* Empty when zeroed. */
struct ik_think_tags {
	enum { IK_TAGS_BEGIN, IK_TAGS_OPENED, IK_TAGS_INSIDE, IK_TAGS_AFTER, IK_TAGS_NONE } state;
	struct ik_buf held;
};

/* Receives a piece of the text or of the thinking, which is not empty. */
typedef void ik_think_tags_sink(void *arg, enum ik_delta_kind kind, const char *text,
	size_t length);

/* Process a piece of the text. Once there can be no tag (IK_TAGS_NONE), it need not be called. */
void ik_think_tags_take(struct ik_think_tags *tags, const char *text, size_t length,
	ik_think_tags_sink *sink, void *arg);
/* The text is complete: pass on what was held back, and become empty. */
void ik_think_tags_end(struct ik_think_tags *tags, ik_think_tags_sink *sink, void *arg);

#endif
