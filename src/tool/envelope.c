#include "tool/envelope.h"

#include <string.h>

#include "json/write.h"
#include "tool/envelope_cut.h"

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
	ik_buf_puts(out, cut ? ",\"truncated\":true}" : "}");
}

void ik_envelope_text(struct ik_buf *out, const struct ik_envelope_stream *output, size_t limit)
{
	bool cut;

	ik_envelope_open(out);
	ik_buf_puts(out, "{\"output\":");
	cut = ik_cut_text(out, output->bytes, output->length, limit, IK_CUT_MIDDLE, output->path);
	ik_buf_putc(out, '}');
	ik_envelope_close(out, cut);
}

/* Share the limit between the streams of a failure: half for each, plus what the other does not
 * need. */
static void share(const struct ik_envelope_stream streams[2], size_t limit, size_t ret_needed[2],
	size_t ret_limits[2])
{
	size_t half = limit / 2;

	for (int i = 0; i < 2; i++) {
		ret_needed[i] = ik_cut_written_length(streams[i].bytes, streams[i].length, limit);
		ret_limits[i] = limit;
	}
	if (ret_needed[0] + ret_needed[1] <= limit)
		return;
	if (ret_needed[0] <= half)
		ret_limits[1] = limit - ret_needed[0];
	else if (ret_needed[1] <= half)
		ret_limits[0] = limit - ret_needed[1];
	else
		ret_limits[0] = ret_limits[1] = half;
}

void ik_envelope_cuts(const struct ik_envelope_stream streams[2], size_t limit, bool ret_cut[2])
{
	size_t needed[2], limits[2];

	share(streams, limit, needed, limits);
	for (int i = 0; i < 2; i++)
		ret_cut[i] = needed[i] > limits[i];
}

void ik_envelope_failure(struct ik_buf *out, enum ik_tool_failure failure, const char *message,
	int exit_code, const struct ik_envelope_stream streams[2], size_t limit)
{
	static const struct ik_envelope_stream nothing[2] = { { "", 0, NULL }, { "", 0, NULL } };
	size_t needed[2], limits[2];

	if (!streams)
		streams = nothing;
	share(streams, limit, needed, limits);
	ik_buf_puts(out, "{\"tool_success\":false,\"error\":");
	ik_json_put_text(out, message);
	ik_buf_printf(out, ",\"error_code\":\"%s\",\"exit_code\":", ik_tool_failure_code(failure));
	if (exit_code < 0)
		ik_buf_puts(out, "null");
	else
		ik_buf_printf(out, "%d", exit_code);
	ik_buf_puts(out, ",\"stdout\":");
	ik_cut_text(out, streams[0].bytes, streams[0].length, limits[0], IK_CUT_MIDDLE,
		streams[0].path);
	ik_buf_puts(out, ",\"stderr\":");
	ik_cut_text(out, streams[1].bytes, streams[1].length, limits[1], IK_CUT_START, streams[1].path);
	ik_buf_putc(out, '}');
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
	ik_buf_printf(out,
		"%s\"limit_reached\":true,\"limit_message\":"
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
