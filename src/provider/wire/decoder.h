/*
 * decoder: turn the body of a response into deltas.
 *
 * Handles what all wire formats share: the form of a body, its events, errors in it, token counts,
 * stop reasons, and the end of a reply. A format only interprets the JSON texts of its stream. A
 * body that is a single JSON text instead of a stream is handled in the same way.
 *
 * Owns all state of one response. May include: util, json, provider.
 */
#ifndef IK_PROVIDER_WIRE_DECODER_H
#define IK_PROVIDER_WIRE_DECODER_H

#include "provider/wire/format.h"
#include "util/sse.h"

/* Return a decoder for the body of one response with a successful status. It accepts bytes split
 * anywhere. Call finish when the body has ended for any reason: if the connection broke after the
 * stop reason, the reply is complete. Both return IK_INVALID if the bytes are not in this format
 * (BAD_RESPONSE), also in all later calls; finish returns IK_UNAVAILABLE if the body ended too
 * early. No delta follows IK_DELTA_STOP or IK_DELTA_ERROR, and finish then returns IK_OK. */
struct ik_stream_decoder *ik_decoder_new(const struct ik_wire_format *format);
struct ik_stream_decoder *ik_decoder_free(struct ik_stream_decoder *decoder);
enum ik_status ik_decoder_feed(struct ik_stream_decoder *decoder, const char *bytes, size_t length,
	ik_delta_sink *sink, void *arg, struct ik_error *error) IK_MUST_USE;
enum ik_status ik_decoder_finish(struct ik_stream_decoder *decoder, ik_delta_sink *sink, void *arg,
	struct ik_error *error) IK_MUST_USE;

/* ---- for the formats; private to src/provider ---- */

enum ik_body_form {
	IK_FORM_UNKNOWN, /* only blanks so far */
	IK_FORM_EVENTS,
	IK_FORM_OBJECT /* one JSON text: not streamed, or an error with status 200 */
};

/* The token counts of a usage. */
enum ik_count {
	IK_COUNT_INPUT,
	IK_COUNT_OUTPUT,
	IK_COUNT_CACHED,
	IK_COUNT_WRITTEN,
	IK_COUNT_REASONING,
	IK_COUNT_SEARCHES,
	IK_COUNTS
};

/* A provider's name for a count. */
struct ik_count_name {
	const char *path;    /* of the member */
	enum ik_count count; /* the count it is added to; CACHED is the largest value instead */
};
#define IK_COUNT_NAMES 8 /* limit on the rows of a table */

/* Rows for names that mean failures, which are reported as errors. */
#define IK_STOP_FAILED ((enum ik_stop_reason) - 1)  /* a retry may help */
#define IK_STOP_CONTEXT ((enum ik_stop_reason) - 2) /* the context window is full */

struct ik_stop_name {
	const char *name; /* the provider's name */
	enum ik_stop_reason stop;
};

/* A handler for the JSON texts (events or complete bodies) with this type. */
struct ik_event_name {
	const char *name;
	void (*take)(struct ik_stream_decoder *decoder, struct ik_json_span value);
};

/* A piece of a call in one event; a span that is not a string counts as missing. */
struct ik_call_piece {
	int64_t index; /* negative: missing */
	struct ik_json_span id;
	struct ik_json_span name;
	struct ik_json_span arguments; /* as in the stream: a string with a part of the text, or the
	                                  complete object or array */
};

struct ik_pending_call;

struct ik_stream_decoder {
	const struct ik_wire_format *format;
	void *state; /* the format's own */
	enum ik_body_form form;
	struct ik_sse sse;
	struct ik_buf body;    /* for IK_FORM_OBJECT */
	struct ik_buf scratch; /* for decoding strings */
	struct ik_buf repaired;
	struct ik_buf marks; /* one byte for each block or item of the reply */
	struct ik_pending_call *calls;
	int call_count;
	int64_t given[IK_COUNT_NAMES]; /* the last value for each row of the table of counts */
	int64_t counts[IK_COUNTS];     /* the sums of these */
	int64_t searches;              /* those that the format has counted itself */
	bool plain;                    /* the owner's wish: add nothing to the text, such as sources */
	char **sources;                /* pages that the reply cites, as lines of a Markdown list */
	size_t source_count;
	size_t listed; /* number of those that were reported */
	char list_bytes[24];
	size_t notices; /* number of those about parts that cannot be shown and searches that failed */
	char *unshown;  /* type of the last part that was reported as such, or NULL */
	bool any_event;
	bool stopped; /* the stop reason is known: stop */
	bool refused; /* the text of a refusal arrived */
	bool over;    /* STOP or ERROR was reported: nothing more follows */
	enum ik_stop_reason stop;
	struct ik_buf why;     /* the provider's explanation of the stop reason */
	struct ik_error error; /* status: not IK_OK after the first failure */
	ik_delta_sink *sink;   /* of the current call */
	void *arg;
};

/* Call the handler for an event's member "type" in the table rows. Return false if there is
 * none. */
bool ik_decoder_dispatch(struct ik_stream_decoder *decoder, struct ik_json_span event,
	const struct ik_event_name *rows);

/* Call take with each element of an array. */
void ik_decoder_each(struct ik_stream_decoder *decoder, struct ik_json_span array,
	void (*take)(struct ik_stream_decoder *decoder, struct ik_json_span element));

/* Report a piece of text or thinking. Return whether there was one. */
bool ik_decoder_text(struct ik_stream_decoder *decoder, enum ik_delta_kind kind,
	struct ik_json_span value);

/* Report that the provider searches the web for a text; if value isn't one, it is not known yet. */
void ik_decoder_search(struct ik_stream_decoder *decoder, struct ik_json_span value);

/* Report that such a search failed, if value is a non-empty string: why. */
void ik_decoder_failed_search(struct ik_stream_decoder *decoder, struct ik_json_span value);

/* Report that parts of the reply of that type, if it is a string, cannot be shown. */
void ik_decoder_unshown(struct ik_stream_decoder *decoder, struct ik_json_span type);

/* Report a page that the text cites, an object with the address in the member url and a "title", and
 * remember it for the list. Return its number, from 1; 0 if it isn't one of the web. */
size_t ik_decoder_cite(struct ik_stream_decoder *decoder, struct ik_json_span page,
	const char *url);

/* Do the same for the pages in an array, each of which is the member inner of its element, or
 * (NULL) the element itself. */
void ik_decoder_cite_all(struct ik_stream_decoder *decoder, struct ik_json_span pages,
	const char *inner, const char *url);

/* Report the list of the pages cited since the last list as a piece of the text. Return its length in
 * bytes as JSON, to be stored with the text in the member IK_WIRE_SOURCES; no value without a list.
 * After a call, where a text would be another message, report it as a notice. */
struct ik_json_span ik_decoder_list_sources(struct ik_stream_decoder *decoder);

/* Report such a piece that was decoded before. */
void ik_decoder_bytes(struct ik_stream_decoder *decoder, enum ik_delta_kind kind, const char *text,
	size_t length);

/*
 * Add a piece of a call. Which call it belongs to is not always obvious: servers omit the index,
 * give every call the same one, send the id only once, or repeat the name in every piece. A call is
 * reported (IK_DELTA_CALL) when its name is known to be complete: when its arguments begin, when
 * the next call begins, or at the end of the reply.
 */
void ik_decoder_call(struct ik_stream_decoder *decoder, const struct ik_call_piece *piece);

/* Report all calls so far, since no more pieces of them follow. */
void ik_decoder_end_calls(struct ik_stream_decoder *decoder);

/* Return the index in an event's member, or -1 if there is none. */
int64_t ik_decoder_index(struct ik_json_span event, const char *member);

/* Return the byte that the format keeps for a block or item of the reply, initially 0. For a
 * missing or absurd index, return 0. */
char ik_decoder_mark(const struct ik_stream_decoder *decoder, int64_t index);
void ik_decoder_set_mark(struct ik_stream_decoder *decoder, int64_t index, char mark);

/* Report a JSON value that belongs to the thinking, the search, the text, or the newest call. */
void ik_decoder_opaque(struct ik_stream_decoder *decoder, enum ik_delta_kind of,
	struct ik_json_span value);

/* Like ik_decoder_opaque(), for an object of those members that have a value; does nothing if none
 * has, or if it isn't JSON: a part of it was too large. */
struct ik_opaque_member {
	const char *name; /* NULL ends the list */
	struct ik_json_span value;
};
void ik_decoder_opaque_object(struct ik_stream_decoder *decoder, enum ik_delta_kind of,
	const struct ik_opaque_member *members);

/* Report the counts of a usage if they have changed; counts that are not given keep their value. */
void ik_decoder_usage(struct ik_stream_decoder *decoder, struct ik_json_span usage);

/* Report an error inside the stream, which ends it. Does nothing if value is not an error. */
void ik_decoder_error(struct ik_stream_decoder *decoder, struct ik_json_span value);

/* Report that the provider failed, with its words (empty: none), and that a retry may help. */
void ik_decoder_fail(struct ik_stream_decoder *decoder, const char *words);

/* Set the stop reason. The reply is complete when the stream ends, or at ik_decoder_complete(). */
void ik_decoder_stop(struct ik_stream_decoder *decoder, enum ik_stop_reason stop);

/* Like ik_decoder_stop(), by the provider's name, if value is a non-empty string, with its message
 * (which may be no value). A name that isn't in the format's table means that the reply was cut, and
 * is reported as an error. */
void ik_decoder_stop_name(struct ik_stream_decoder *decoder, struct ik_json_span value,
	struct ik_json_span message);

/* Set the stop reason to REFUSED, with the provider's category and explanation, each of which may be
 * no value. */
void ik_decoder_refuse(struct ik_stream_decoder *decoder, struct ik_json_span category,
	struct ik_json_span explanation);

/* Complete the reply: report what was held back, and the stop reason. */
void ik_decoder_complete(struct ik_stream_decoder *decoder);

/* Add an element to a list that a stream brings piece by piece; the buffer is zeroed, or done, at
 * first. End the list, and return it; no value if it has no element or became too large. */
void ik_decoder_list_add(struct ik_buf *list, struct ik_json_span element);
struct ik_json_span ik_decoder_list_end(struct ik_buf *list);

/* Return the JSON in a buffer; no value if there is none or not all of it. */
struct ik_json_span ik_decoder_kept(const struct ik_buf *kept);

/* Is value a non-empty string? */
bool ik_decoder_has_text(struct ik_json_span value);

#endif
