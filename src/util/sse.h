/*
 * sse: server-sent events, parsed exactly as the WHATWG HTML standard specifies (section 9.2.6,
 * "Interpreting an event stream").
 *
 * Accepts bytes split anywhere; CR LF, CR, LF; a BOM; comments; data in several lines. Who reads the
 * stream reconnects, if that makes sense: with last_id, after retry_ms.
 *
 * Pure. May include: util.
 */
#ifndef IK_UTIL_SSE_H
#define IK_UTIL_SSE_H

#include "util/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct ik_sse {
	struct ik_buf line;    /* the beginning of an incomplete line */
	struct ik_buf data;    /* of the incomplete event */
	struct ik_buf event;   /* its type */
	struct ik_buf last_id; /* the newest id, for Last-Event-ID */
	int64_t retry_ms;      /* as the stream asks; -1: it doesn't */
	size_t limit;          /* of an event */
	bool has_data;
	bool after_cr;
	bool started;   /* the BOM, if any, has been skipped */
	bool any_field; /* a field or a comment was found */
	size_t unread;  /* bytes since the last event: blank lines and comments have no end, either */
};

typedef void ik_sse_sink(void *arg, const char *event, const char *data, size_t length);

/* Begin a stream whose events have at most limit bytes. */
void ik_sse_init(struct ik_sse *sse, size_t limit);
void ik_sse_done(struct ik_sse *sse);

/* Call the sink with each event that bytes complete. event is its type ("message" if not given);
 * data has length bytes, which are not checked to be UTF-8. Return IK_TOO_LARGE if an event exceeds
 * the limit, or twice as many bytes have none, also in all later calls. An event without
 * an empty line after it at the end of the stream is dropped. */
enum ik_status ik_sse_feed(struct ik_sse *sse, const char *bytes, size_t length, ik_sse_sink *sink,
	void *arg) IK_MUST_USE;

/* Did the bytes so far begin like an event stream, even if no event is complete? */
bool ik_sse_is_begun(const struct ik_sse *sse);

#endif
