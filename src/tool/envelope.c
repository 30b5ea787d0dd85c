#include "tool/envelope.h"

#include <string.h>

#include "json/write.h"
#include "tool/envelope_cut.h"

static const char TRUNCATED[] = ",\"truncated\":true}";

const char *ik_tool_failure_code(enum ik_tool_failure failure)
{
	static const char *const codes[] = {
		[IK_TOOL_TIMEOUT] = "TOOL_TIMEOUT",
		[IK_TOOL_CRASHED] = "TOOL_CRASHED",
		[IK_TOOL_INVALID_OUTPUT] = "INVALID_OUTPUT",
		[IK_TOOL_NOT_FOUND] = "TOOL_NOT_FOUND",
		[IK_TOOL_INVALID_PARAMS] = "INVALID_PARAMS",
		[IK_TOOL_CANCELLED] = "TOOL_CANCELLED",
		[IK_TOOL_DENIED] = "TOOL_DENIED",
		[IK_TOOL_SPAWN_FAILED] = "SPAWN_FAILED",
	};
	return codes[failure];
}

void ik_envelope_open(struct ik_buf *out)
{
	ik_buf_puts(out, "{\"tool_success\":true,\"result\":");
}

void ik_envelope_close(struct ik_buf *out, bool cut)
{
	ik_buf_puts(out, cut ? TRUNCATED : "}");
}

bool ik_envelope_text(struct ik_buf *out, const char *output, size_t length, size_t limit)
{
	bool cut;

	ik_buf_puts(out, "{\"tool_success\":true,\"result\":{\"output\":");
	cut = ik_cut_text(out, output, length, limit, IK_CUT_MIDDLE);
	ik_buf_puts(out, cut ? "}" : "}}");
	if (cut)
		ik_buf_puts(out, TRUNCATED);
	return cut;
}

void ik_envelope_failure(struct ik_buf *out, enum ik_tool_failure failure,
	const char *message, int exit_code, const char *stdout_bytes, size_t stdout_length,
	const char *stderr_bytes, size_t stderr_length, size_t limit)
{
	size_t stdout_written = ik_cut_written_length(stdout_bytes, stdout_length, limit);
	size_t stderr_written = ik_cut_written_length(stderr_bytes, stderr_length, limit);
	size_t half = limit / 2;
	size_t stdout_limit = limit, stderr_limit = limit;

	/* Half for each, and what one does not need for the other. */
	if (stdout_written + stderr_written > limit) {
		if (stdout_written <= half)
			stderr_limit = limit - stdout_written;
		else if (stderr_written <= half)
			stdout_limit = limit - stderr_written;
		else
			stdout_limit = stderr_limit = half;
	}
	ik_buf_puts(out, "{\"tool_success\":false,\"error\":");
	ik_json_put_text(out, message);
	ik_buf_printf(out, ",\"error_code\":\"%s\",\"exit_code\":", ik_tool_failure_code(failure));
	if (exit_code < 0)
		ik_buf_puts(out, "null");
	else
		ik_buf_printf(out, "%d", exit_code);
	ik_buf_puts(out, ",\"stdout\":");
	ik_cut_text(out, stdout_bytes, stdout_length, stdout_limit, IK_CUT_MIDDLE);
	ik_buf_puts(out, ",\"stderr\":");
	ik_cut_text(out, stderr_bytes, stderr_length, stderr_limit, IK_CUT_START);
	ik_buf_putc(out, '}');
}

bool ik_envelope_truncated(struct ik_json_span envelope)
{
	size_t length = sizeof TRUNCATED - 1;

	/* A result cannot end in these bytes: no JSON value ends in `,"truncated":true`. */
	return envelope.length >= length
		&& memcmp(envelope.text + envelope.length - length, TRUNCATED, length) == 0;
}

void ik_envelope_limit(struct ik_buf *out, struct ik_json_span envelope, int max_tool_turns)
{
	size_t length = envelope.length;

	if (ik_json_span_type(envelope) != IK_JSON_OBJECT) {
		ik_buf_append(out, envelope.text, envelope.length);
		return;
	}
	while (length > 0 && envelope.text[length - 1] != '}')
		length--;
	ik_buf_append(out, envelope.text, length - 1);
	ik_buf_printf(out, "%s\"limit_reached\":true,\"limit_message\":"
		"\"Tool call limit reached (%d). Stopping tool loop.\"}",
		ik_json_count(envelope) > 0 ? "," : "", max_tool_turns);
}

void ik_envelope_hint(struct ik_buf *envelope, const char *sentence)
{
	const char *comma = memchr(envelope->data, ',', envelope->length);
	struct ik_buf rest;

	if (!comma)
		return;
	ik_buf_init(&rest, envelope->ceiling);
	ik_buf_append(&rest, comma, envelope->length - (size_t)(comma - envelope->data));
	if (ik_buf_status(&rest) == IK_OK) {
		ik_buf_truncate(envelope, (size_t)(comma - envelope->data));
		ik_buf_puts(envelope, ",\"hint\":");
		ik_json_put_text(envelope, sentence);
		ik_buf_append(envelope, rest.data, rest.length);
	}
	ik_buf_done(&rest);
}

bool ik_envelope_succeeded(struct ik_json_span envelope)
{
	bool success;

	return ik_json_bool(ik_json_member(envelope, "tool_success"), &success) && success;
}
