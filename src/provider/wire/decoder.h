/*
 * decoder: what the decoders of all wire formats share: the form of a body, its events, errors in
 * it, and when a reply is complete.
 *
 * A format supplies rules: what one JSON text of its stream means. A body that is a single JSON
 * text instead of a stream goes through the same rules.
 *
 * Private to src/provider. Owns everything kept of one response. May include: util, json, provider.
 */
#ifndef IK_PROVIDER_WIRE_DECODER_H
#define IK_PROVIDER_WIRE_DECODER_H

#include "provider/wire/call_list.h"
#include "provider/wire/format.h"
#include "provider/wire/sse.h"

enum ik_body_form {
	IK_FORM_UNKNOWN, /* only blanks so far */
	IK_FORM_EVENTS,
	IK_FORM_OBJECT, /* one JSON text: not streamed, or an error with status 200 */
	IK_FORM_PAGE    /* HTML */
};

struct ik_decoder_rules {
	const char *type;                /* the format's, for opaque data */
	size_t state_size;               /* size of the format's own state, zeroed at first */
	void (*state_done)(void *state); /* may be NULL */
	/* Handle one JSON text: an event's data, or a complete body. */
	void (*take)(struct ik_stream_decoder *decoder, struct ik_json_span value);
};

struct ik_stream_decoder {
	const struct ik_decoder_rules *rules;
	void *state; /* the format's own */
	enum ik_body_form form;
	struct ik_sse sse;
	struct ik_buf body;    /* all of it for IK_FORM_OBJECT; else its beginning */
	struct ik_buf scratch; /* for strings that have to be decoded */
	struct ik_buf repaired;
	struct ik_buf marks; /* one byte for each block or item of the reply */
	struct ik_call_list calls;
	bool any_event;
	bool stopped; /* the stop reason is known: stop */
	bool refused; /* the text of a refusal arrived */
	bool over;    /* STOP or ERROR was reported: nothing more follows */
	enum ik_stop_reason stop;
	struct ik_error error; /* status: not IK_OK after the first failure */
	ik_delta_sink *sink;   /* of the current call */
	void *arg;
};

/* For the table of formats. */
struct ik_stream_decoder *ik_decoder_new(const struct ik_decoder_rules *rules);
struct ik_stream_decoder *ik_decoder_free(struct ik_stream_decoder *decoder);
enum ik_status ik_decoder_feed(struct ik_stream_decoder *decoder, const char *bytes, size_t length,
	ik_delta_sink *sink, void *arg, struct ik_error *error) IK_MUST_USE;
enum ik_status ik_decoder_finish(struct ik_stream_decoder *decoder, ik_delta_sink *sink, void *arg,
	struct ik_error *error) IK_MUST_USE;

/* ---- for the rules ---- */

void ik_decoder_tell(struct ik_stream_decoder *decoder, const struct ik_delta *delta);

/* Report a piece of text or thinking; return whether there was one. */
bool ik_decoder_text(struct ik_stream_decoder *decoder, enum ik_delta_kind kind,
	struct ik_json_span value);

/* Add a piece of a call, with its arguments as in the stream: a string with a part of their text,
 * or an object or array that is all of them. */
void ik_decoder_call(struct ik_stream_decoder *decoder, struct ik_call_piece *piece,
	struct ik_json_span arguments);

/* Return the byte that the format keeps for a block or item of the reply, 0 at first. A missing or
 * absurd index has none: 0. */
char ik_decoder_mark(const struct ik_stream_decoder *decoder, int64_t index);
void ik_decoder_set_mark(struct ik_stream_decoder *decoder, int64_t index, char mark);

/* Report a JSON value that belongs to thinking, text, or the call in slot. */
void ik_decoder_opaque(struct ik_stream_decoder *decoder, enum ik_delta_kind of, int slot,
	struct ik_json_span value);

/* Report an error inside the stream, which ends it. Do nothing if value is not an error. */
void ik_decoder_error(struct ik_stream_decoder *decoder, struct ik_json_span value);

/* Set the stop reason; the reply is complete when the stream ends, or at ik_decoder_complete(). */
void ik_decoder_stop(struct ik_stream_decoder *decoder, enum ik_stop_reason stop);

/* The reply is complete: report what was held back, and the stop reason. */
void ik_decoder_complete(struct ik_stream_decoder *decoder);

#endif
