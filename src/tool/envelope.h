/*
 * envelope: the one form in which a model gets the outcome of a tool call.
 *
 * {"tool_success":true,"result":<the tool's JSON as it came>} or
 * {"tool_success":false,"error","error_code","exit_code","stdout","stderr"}; in either
 * "hint" may stand behind tool_success.
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

/* Begin and end the envelope of a success around its result, which is checked JSON
 * (tool/answer.h writes it). cut: the result lacks something. */
void ik_envelope_open(struct ik_buf *out);
void ik_envelope_close(struct ik_buf *out, bool cut);

/* What a tool printed on a stream, and the file that has it where it is cut (NULL: none). */
struct ik_envelope_stream {
	const char *bytes;
	size_t length;
	const char *path;
};

/* Append the envelope of a success whose output is text: {"output": TEXT} is its
 * result. Above limit bytes the text is cut as above; returns whether it was. */
bool ik_envelope_text(struct ik_buf *out, const struct ik_envelope_stream *output, size_t limit);

/* Append the envelope of a failure. exit_code < 0: null. The streams (stdout and stderr; NULL:
 * both are empty) are cut to limit bytes together (stderr keeps its end), marked where they
 * were. */
void ik_envelope_failure(struct ik_buf *out, enum ik_tool_failure failure, const char *message,
	int exit_code, const struct ik_envelope_stream streams[2], size_t limit);

/* Which of the streams that cuts. */
void ik_envelope_cuts(const struct ik_envelope_stream streams[2], size_t limit, bool ret_cut[2]);

/* A copy of envelope with the mark that the tool loop ends: "limit_reached" and
 * "limit_message" beside the rest. */
void ik_envelope_limit(struct ik_buf *out, struct ik_json_span envelope, int max_tool_turns);

/* Put a hint before all but the success of an envelope: "hint". */
void ik_envelope_hint(struct ik_buf *envelope, const char *sentence);

/* Was the result of this success cut? (As ik_envelope_close() wrote it.) */
bool ik_envelope_truncated(struct ik_json_span envelope);

bool ik_envelope_succeeded(struct ik_json_span envelope);

#endif
