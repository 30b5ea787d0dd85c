#include "tool/envelope.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "tool/envelope_cut.h"
#include "util/alloc.h"
#include "util/limits.h"

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

/* Return the strings of a value that are long enough to be cut, in an array that free() releases. */
static struct ik_json_span *long_strings(struct ik_json_span value, size_t *ret_count)
{
	struct ik_json_walk walk = { NULL };
	struct ik_json_span *strings = NULL, string;

	*ret_count = 0;
	while (ik_json_next_string(value, &walk, &string)) {
		if (string.length <= IK_CUT_SHORTEST)
			continue;
		strings = ik_alloc_more(strings, *ret_count, sizeof(*strings));
		strings[(*ret_count)++] = string;
	}
	return strings;
}

/* Append a string cut to that length. */
static void put_cut_string(struct ik_buf *out, struct ik_json_span string, size_t cut_length,
	struct ik_output_files *files)
{
	size_t length;
	char *text = ik_json_string_new(string, &length);

	if (text)
		ik_cut_text(out, text, length, cut_length, IK_CUT_MIDDLE, files);
	else
		out->status = IK_NO_MEMORY;
	free(text);
}

/* Append the value with its long strings cut. */
static void put_cut_value(struct ik_buf *out, struct ik_json_span value, size_t limit,
	struct ik_output_files *files)
{
	size_t count, cut_length;
	struct ik_json_span *strings = long_strings(value, &count);
	const char *copied = value.text, *end = value.text + value.length;

	cut_length = ik_cut_length(value.length, strings, count, limit,
		ik_output_files_path_length(files));
	if (cut_length == 0)
		ik_cut_text(out, value.text, value.length, limit, IK_CUT_MIDDLE, files);
	for (size_t i = 0; cut_length > 0 && i < count; i++) {
		if (strings[i].length <= cut_length)
			continue;
		ik_buf_append(out, copied, (size_t)(strings[i].text - copied));
		put_cut_string(out, strings[i], cut_length, files);
		copied = strings[i].text + strings[i].length;
	}
	if (cut_length > 0)
		ik_buf_append(out, copied, (size_t)(end - copied));
	free(strings);
}

bool ik_envelope_value(struct ik_buf *out, struct ik_json_span value, size_t limit,
	struct ik_output_files *files)
{
	bool cut = value.length > limit;

	ik_envelope_open(out);
	if (cut)
		put_cut_value(out, value, limit, files);
	else
		ik_buf_append(out, value.text, value.length);
	ik_envelope_close(out, cut);
	return cut;
}

bool ik_envelope_text(struct ik_buf *out, const char *bytes, size_t length, size_t limit,
	struct ik_output_files *files)
{
	bool cut;

	ik_envelope_open(out);
	ik_buf_puts(out, "{\"output\":");
	cut = ik_cut_text(out, bytes, length, limit, IK_CUT_MIDDLE, files);
	ik_buf_putc(out, '}');
	ik_envelope_close(out, cut);
	return cut;
}

/* Share the limit between the streams of a failure: half for each, plus what the other does not
 * need. */
static void share(const struct ik_json_span streams[2], size_t limit, size_t ret_limits[2])
{
	size_t half = limit / 2, needed[2];

	for (int i = 0; i < 2; i++) {
		needed[i] = ik_cut_written_length(streams[i].text, streams[i].length, limit);
		ret_limits[i] = limit;
	}
	if (needed[0] + needed[1] <= limit)
		return;
	if (needed[0] <= half)
		ret_limits[1] = limit - needed[0];
	else if (needed[1] <= half)
		ret_limits[0] = limit - needed[1];
	else
		ret_limits[0] = ret_limits[1] = half;
}

bool ik_envelope_failure(struct ik_buf *out, enum ik_tool_failure failure, const char *message,
	int exit_code, const struct ik_json_span streams[2], size_t limit,
	struct ik_output_files *files)
{
	size_t limits[2];
	bool cut;

	share(streams, limit, limits);
	ik_buf_puts(out, "{\"tool_success\":false,\"error\":");
	ik_json_put_text(out, message);
	ik_buf_printf(out, ",\"error_code\":\"%s\",\"exit_code\":", ik_tool_failure_code(failure));
	if (exit_code < 0)
		ik_buf_puts(out, "null");
	else
		ik_buf_printf(out, "%d", exit_code);
	ik_buf_puts(out, ",\"stdout\":");
	cut = ik_cut_text(out, streams[0].text, streams[0].length, limits[0], IK_CUT_MIDDLE, files);
	ik_buf_puts(out, ",\"stderr\":");
	cut = ik_cut_text(out, streams[1].text, streams[1].length, limits[1], IK_CUT_START, files) ||
		cut;
	ik_buf_putc(out, '}');
	return cut;
}

void ik_envelope_refusal(struct ik_buf *out, enum ik_tool_failure failure, const char *message)
{
	static const struct ik_json_span nothing[2] = { { "", 0 }, { "", 0 } };

	ik_envelope_failure(out, failure, message, -1, nothing, IK_KIB(1), NULL);
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
	struct ik_buf hint;

	if (!comma)
		return;
	ik_buf_init(&hint, envelope->ceiling);
	ik_buf_puts(&hint, ",\"hint\":");
	ik_json_put_text(&hint, sentence);
	if (ik_buf_status(&hint) == IK_OK)
		ik_buf_insert(envelope, (size_t)(comma - envelope->data), hint.data, hint.length);
	ik_buf_done(&hint);
}

bool ik_envelope_succeeded(struct ik_json_span envelope)
{
	bool success;

	return ik_json_bool(ik_json_member(envelope, "tool_success"), &success) && success;
}
