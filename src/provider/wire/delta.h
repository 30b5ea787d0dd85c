/*
 * delta: a piece of a provider's stream, in one form for all wire formats.
 *
 * Pointers are only valid during the call. May include: util, json, conversation.
 */
#ifndef IK_PROVIDER_WIRE_DELTA_H
#define IK_PROVIDER_WIRE_DELTA_H

#include "conversation/event.h"

enum ik_delta_kind {
	IK_DELTA_TEXT,      /* text: a piece of the reply */
	IK_DELTA_THINKING,  /* text: a piece of its thinking */
	IK_DELTA_SEARCH,    /* text: what the provider searches the web for; empty: not known yet */
	IK_DELTA_SOURCE,    /* a page that the text cites; text: its address, name: its title */
	IK_DELTA_NOTICE,    /* text: a sentence about a part of the reply that cannot be shown */
	IK_DELTA_CALL,      /* a call begins: slot, id (NULL: missing, or already used in this
	                       reply), name (may be "") */
	IK_DELTA_ARGUMENTS, /* text: a piece of the arguments of the call in slot */
	IK_DELTA_OPAQUE,    /* text: a JSON value that only the provider understands and that must be
	                       sent back to it. name is the format's type. of says what it belongs to:
	                       IK_DELTA_THINKING or IK_DELTA_SEARCH (the last one reported, or one that
	                       is not shown), IK_DELTA_TEXT (the last text reported) or IK_DELTA_CALL
	                       (slot).
	                       The caller, who knows them, sets id, the provider, and bound */
	IK_DELTA_USAGE,     /* the token counts of this round so far, replacing earlier ones;
	                       input_tokens includes cached and written ones */
	IK_DELTA_STOP,      /* why the reply ended; always last, exactly once in a complete reply. text:
	                       the provider's explanation, if it gave one */
	IK_DELTA_ERROR      /* code, text: an error inside the stream; last instead of STOP */
};

enum ik_stop_reason {
	IK_STOP_END,
	IK_STOP_TOOL_CALLS,
	IK_STOP_LENGTH,
	IK_STOP_REFUSED,
	IK_STOP_PAUSED /* the next request continues the reply, with nothing added to it */
};

struct ik_delta {
	enum ik_delta_kind kind;
	int slot; /* which call of this reply, 0, 1, ... in order of appearance */
	const char *id;
	const char *name;
	const char *text;
	size_t text_length;
	enum ik_error_code code;
	bool retryable; /* ERROR: retrying the same request may help (overload, rate limit) */
	enum ik_stop_reason stop;
	enum ik_delta_kind of; /* OPAQUE: the kind it belongs to */
	const char *bound;     /* OPAQUE of THINKING: ik_request_binding() of the request; or NULL */
	int64_t input_tokens, output_tokens, cached_tokens, written_tokens, reasoning_tokens;
	int64_t searches; /* USAGE: of the web, by the provider */
};

typedef void ik_delta_sink(void *arg, const struct ik_delta *delta);

#endif
