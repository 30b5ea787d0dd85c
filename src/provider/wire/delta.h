/*
 * delta: what a provider's stream says, in one vocabulary for all wire formats.
 *
 * Pointers are valid during the call only.
 * May include: util, json, conversation.
 */
#ifndef IK_PROVIDER_WIRE_DELTA_H
#define IK_PROVIDER_WIRE_DELTA_H

#include "conversation/event.h"

enum ik_delta_kind {
	IK_DELTA_TEXT,      /* text: a piece of the reply */
	IK_DELTA_THINKING,  /* text: a piece of what it thought */
	IK_DELTA_CALL,      /* a call begins: slot, id (NULL: none, or one of this reply had
	                       it already), name (may be "") */
	IK_DELTA_ARGUMENTS, /* text: a piece of the arguments of the call in slot */
	IK_DELTA_OPAQUE,    /* text: a JSON value that only the provider understands and wants
	                       back with what it belongs to: name is the format's type, of says
	                       what: IK_DELTA_THINKING (the piece told last, or thinking that it
	                       does not show), IK_DELTA_TEXT (told last), IK_DELTA_CALL (slot);
	                       id is the provider, set by whoever knows it */
	IK_DELTA_USAGE,     /* the numbers of this round so far (a later one replaces);
	                       input_tokens counts the cached ones too */
	IK_DELTA_STOP,      /* why the reply ended; the last one, exactly once in a whole reply */
	IK_DELTA_ERROR      /* code, text: an error inside the stream; the last one instead */
};

enum ik_stop_reason { IK_STOP_END, IK_STOP_TOOL_CALLS, IK_STOP_LENGTH, IK_STOP_REFUSED };

struct ik_delta {
	enum ik_delta_kind kind;
	int slot; /* which call of this reply, 0, 1, ... in order of appearance */
	const char *id;
	const char *name;
	const char *text;
	size_t text_length;
	enum ik_error_code code;
	bool retryable; /* ERROR: the same request may do later (overloaded, a limit) */
	enum ik_stop_reason stop;
	enum ik_delta_kind of; /* OPAQUE: what it belongs to */
	int64_t input_tokens, output_tokens, cached_tokens, reasoning_tokens;
};

typedef void ik_delta_sink(void *arg, const struct ik_delta *delta);

#endif
