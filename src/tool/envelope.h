/*
 * envelope: the one form in which a model gets the outcome of a tool call.
 *
 * {"tool_success":true,"result":<the tool's JSON as it came>} or
 * {"tool_success":false,"error","error_code","exit_code","stdout","stderr"}.
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

/*
 * Append the envelope of a success. output is the tool's stdout: repaired
 * (invalid UTF-8, lone surrogates become U+FFFD), then checked to be one JSON
 * value and embedded as it stands. Above limit bytes its long strings are cut
 * at a character boundary with a mark that says how many bytes were left out,
 * and "truncated":true is set beside result; without a long string the result
 * becomes one cut string of its JSON (tool/envelope_cut.h). IK_INVALID (nothing appended) when
 * output is no JSON value.
 */
enum ik_status ik_envelope_success(struct ik_buf *out, const char *output, size_t length,
	size_t limit, struct ik_error *error) IK_MUST_USE;

/* Append the envelope of a success whose output is text: {"output": TEXT} is its
 * result. Above limit bytes the text is cut as above; returns whether it was. */
bool ik_envelope_text(struct ik_buf *out, const char *output, size_t length, size_t limit);

/* Append the envelope of a failure. exit_code < 0: null. The streams are cut
 * to limit bytes together (stderr keeps its end), marked where they were. */
void ik_envelope_failure(struct ik_buf *out, enum ik_tool_failure failure,
	const char *message, int exit_code, const char *stdout_bytes, size_t stdout_length,
	const char *stderr_bytes, size_t stderr_length, size_t limit);

/* A copy of envelope with the mark that the tool loop ends: "limit_reached" and
 * "limit_message" beside the rest. */
void ik_envelope_limit(struct ik_buf *out, struct ik_json_span envelope, int max_tool_turns);

/* Was the result of this success cut? (As ik_envelope_success() wrote it.) */
bool ik_envelope_truncated(struct ik_json_span envelope);

bool ik_envelope_succeeded(struct ik_json_span envelope);

#endif
