/*
 * envelope: the form in which a model receives the result of a tool call.
 *
 * {"tool_success":true,"result":<the tool's JSON, unchanged>} or
 * {"tool_success":false,"error","error_code","exit_code","stdout","stderr"}; in both, "hook" and
 * "hint" may follow tool_success.
 *
 * Text longer than a limit is cut. The part left out is replaced by
 *     [… 123456 bytes left out …]
 * or, where the caller gives files (tool/output_files.h), of which one then has the whole text,
 *     [… 123456 bytes left out: file_read has them in PATH, byte_offset 49152 …]
 * always in English, since a model reads it.  Counts are bytes of decoded UTF-8; byte_offset is the
 * position of the first of them in the file.
 *
 * May include: util, json, tool/output_files.h.
 */
#ifndef IK_TOOL_ENVELOPE_H
#define IK_TOOL_ENVELOPE_H

#include "json/scan.h"
#include "tool/output_files.h"

enum ik_tool_failure {
	IK_TOOL_TIMEOUT,
	IK_TOOL_CRASHED,
	IK_TOOL_INVALID_OUTPUT,
	IK_TOOL_NOT_FOUND,
	IK_TOOL_INVALID_PARAMS,
	IK_TOOL_CANCELLED,
	IK_TOOL_DENIED,
	IK_TOOL_SPAWN_FAILED,
	IK_TOOL_MCP_ERROR
};

/* "TOOL_TIMEOUT", "TOOL_CRASHED", "INVALID_OUTPUT", ... */
const char *ik_tool_failure_code(enum ik_tool_failure failure);

/* Begin and end the envelope of a success around its result, which is checked JSON. cut: a part of
 * the result is missing. */
void ik_envelope_open(struct ik_buf *out);
void ik_envelope_close(struct ik_buf *out, bool cut);

/*
 * Append the envelope of a success, with the value unchanged. Above limit bytes its long strings
 * are cut at a character boundary, with a mark that says how many bytes were left out, and
 * "truncated":true is set after result; without a long string the JSON text of the result becomes
 * one cut string. Return whether anything was cut. Check the buffer's status.
 */
bool ik_envelope_value(struct ik_buf *out, struct ik_json_span value, size_t limit,
	struct ik_output_files *files);

/* The same for a success whose output is text; its result is {"output": TEXT}. */
bool ik_envelope_text(struct ik_buf *out, const char *bytes, size_t length, size_t limit,
	struct ik_output_files *files);

/* Append the envelope of a failure. exit_code < 0 becomes null. The streams (the bytes of stdout
 * and stderr) together are cut to limit bytes, with marks; stderr keeps its end. Return whether
 * anything was cut. */
bool ik_envelope_failure(struct ik_buf *out, enum ik_tool_failure failure, const char *message,
	int exit_code, const struct ik_json_span streams[2], size_t limit,
	struct ik_output_files *files);

/* Append the envelope of a failure without output. */
void ik_envelope_refusal(struct ik_buf *out, enum ik_tool_failure failure, const char *message);

/* Append a copy of envelope with "limit_reached" and "limit_message", which tell the model that the
 * tool loop ends. */
void ik_envelope_limit(struct ik_buf *out, struct ik_json_span envelope, int max_tool_turns);

/* Insert a member ("hint", "hook") with a text right after the success of an envelope. */
void ik_envelope_add(struct ik_buf *envelope, const char *name, const char *text);

bool ik_envelope_succeeded(struct ik_json_span envelope);

/* Append what an envelope says, as text: of a success the result, as it is if it is or has only one
 * string, else as JSON; of a failure the sentence, and the end of what the tool wrote. */
void ik_envelope_put_text(struct ik_json_span envelope, struct ik_buf *out);

#endif
