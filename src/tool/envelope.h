/*
 * envelope: the form in which a model gets the result of a tool call.
 *
 * {"tool_success":true,"result":<the tool's JSON, unchanged>} or
 * {"tool_success":false,"error","error_code","exit_code","stdout","stderr"}; in both, "hint" may
 * follow tool_success.
 *
 * Pure.  May include: util, json.
 */
#ifndef IK_TOOL_ENVELOPE_H
#define IK_TOOL_ENVELOPE_H

#include "json/scan.h"

enum ik_tool_failure {
	IK_TOOL_TIMEOUT,
	IK_TOOL_CRASHED,
	IK_TOOL_INVALID_OUTPUT,
	IK_TOOL_NOT_FOUND,
	IK_TOOL_INVALID_PARAMS,
	IK_TOOL_CANCELLED,
	IK_TOOL_DENIED,
	IK_TOOL_SPAWN_FAILED
};

/* "TOOL_TIMEOUT", "TOOL_CRASHED", "INVALID_OUTPUT", ... */
const char *ik_tool_failure_code(enum ik_tool_failure failure);

/* Begin and end the envelope of a success around its result, which is checked JSON (written by
 * tool/answer.h). cut: a part of the result is missing. */
void ik_envelope_open(struct ik_buf *out);
void ik_envelope_close(struct ik_buf *out, bool cut);

/* The output on one stream, and the file that has all of it if it is cut (NULL: none). */
struct ik_envelope_stream {
	const char *bytes;
	size_t length;
	const char *path;
};

/* Append the envelope of a success whose output is text; its result is {"output": TEXT}. Above
 * limit bytes the text is cut. */
void ik_envelope_text(struct ik_buf *out, const struct ik_envelope_stream *output, size_t limit);

/* Append the envelope of a failure. exit_code < 0 becomes null. The streams (stdout and stderr;
 * NULL: both empty) together are cut to limit bytes, with marks; stderr keeps its end. */
void ik_envelope_failure(struct ik_buf *out, enum ik_tool_failure failure, const char *message,
	int exit_code, const struct ik_envelope_stream streams[2], size_t limit);

/* Which of the streams will be cut? */
void ik_envelope_cuts(const struct ik_envelope_stream streams[2], size_t limit, bool ret_cut[2]);

/* Append a copy of envelope with "limit_reached" and "limit_message", which tell the model that the
 * tool loop ends. */
void ik_envelope_limit(struct ik_buf *out, struct ik_json_span envelope, int max_tool_turns);

/* Insert "hint" right after the success of an envelope. */
void ik_envelope_hint(struct ik_buf *envelope, const char *sentence);

bool ik_envelope_succeeded(struct ik_json_span envelope);

#endif
