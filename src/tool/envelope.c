#include "tool/envelope.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/utf8.h"

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
		[IK_TOOL_MCP_ERROR] = "MCP_ERROR",
	};

	return codes[failure];
}

/* ---- cutting ---- */

/* The part of a long text that is kept. */
enum cut {
	CUT_MIDDLE, /* three quarters from its beginning, one quarter from its end */
	CUT_START   /* its end */
};

/* Strings up to this length in JSON are never cut. */
enum { CUT_SHORTEST = 256 };
/* Room for the longest mark, 30 bytes of words and 20 digits; and the room that a path adds. */
enum { MARK_ROOM = 64, MARK_ROOM_OF_PATH = 64 };

/* Write the mark; offset: of the first byte left out, in the file. */
static void put_mark(struct ik_buf *out, size_t left_out, const char *path, size_t offset)
{
	ik_buf_printf(out, "[… %zu bytes left out", left_out);
	if (path) {
		ik_buf_puts(out, ": file_read has them in ");
		ik_json_escape(out, path, strlen(path));
		ik_buf_printf(out, ", byte_offset %zu", offset);
	}
	ik_buf_puts(out, " …]");
}

/* Return the share of a text's beginning in that room; the end gets the rest. */
static size_t head_share(size_t room, enum cut part)
{
	return part == CUT_START ? 0 : room - room / 4;
}

/* Return the length of a byte of valid UTF-8 in a JSON string. */
static size_t written_cost(char byte)
{
	if (byte == '"' || byte == '\\' || (byte >= '\b' && byte <= '\r' && byte != '\v'))
		return 2;
	return (unsigned char)byte < 0x20 ? 6 : 1;
}

/* Return the bytes of a text as a JSON string, invalid UTF-8 replaced; stop counting above stop. */
static size_t written_length(const char *bytes, size_t length, size_t stop)
{
	size_t written = 2;
	size_t at = 0;

	while (at < length && written <= stop) {
		uint32_t codepoint;
		int count;

		if ((unsigned char)bytes[at] < 0x80) {
			written += written_cost(bytes[at++]);
			continue;
		}
		count = ik_utf8_decode(bytes + at, length - at, &codepoint);
		/* An invalid byte becomes U+FFFD. Each byte of an incomplete sequence is counted, which is
		 * never too little. */
		written += count > 0 ? (size_t)count : 3;
		at += count > 0 ? (size_t)count : 1;
	}
	return written;
}

/* Return the room for the longest mark with that path in JSON. */
static size_t mark_room(const char *path)
{
	return !path ? MARK_ROOM
				 : MARK_ROOM + MARK_ROOM_OF_PATH + written_length(path, strlen(path), SIZE_MAX) - 2;
}

/* Return the length of the longest prefix of valid text that fits into room bytes of JSON. */
static size_t fit_head(const char *text, size_t length, size_t room)
{
	size_t used = 0, at = 0;

	while (at < length && used + written_cost(text[at]) <= room)
		used += written_cost(text[at++]);
	while (at > 0 && at < length && ik_utf8_is_continuation(text[at]))
		at--;
	return at;
}

/* Return the start of the longest suffix of valid text that fits into room bytes of JSON. */
static size_t fit_tail(const char *text, size_t length, size_t room)
{
	size_t used = 0, at = length;

	while (at > 0 && used + written_cost(text[at - 1]) <= room)
		used += written_cost(text[--at]);
	while (at < length && ik_utf8_is_continuation(text[at]))
		at++;
	return at;
}

/* Fill text with what may be kept: all of it, repaired, or, if it is far too long, its two ends.
 * Return the number of bytes between these. */
static size_t take_ends(struct ik_buf *text, const char *bytes, size_t length, size_t limit)
{
	size_t head = limit, tail;

	if (length / 2 <= limit) {
		ik_utf8_repair(text, bytes, length);
		return 0;
	}
	while (head > 0 && ik_utf8_is_continuation(bytes[head]))
		head--;
	tail = length - limit;
	while (tail < length && ik_utf8_is_continuation(bytes[tail]))
		tail++;
	ik_utf8_repair(text, bytes, head);
	ik_utf8_repair(text, bytes + tail, length - tail);
	return tail - head;
}

/* Return how many bytes before repair became the first length bytes after it. */
static size_t unrepaired_length(const char *bytes, size_t length, size_t repaired)
{
	static const size_t replaced = 3; /* U+FFFD */
	size_t at = 0, done = 0;

	while (at < length && done < repaired) {
		uint32_t codepoint;
		int count = ik_utf8_decode(bytes + at, length - at, &codepoint);

		at += count > 0 ? (size_t)count : ik_utf8_bad(bytes + at, length - at);
		done += count > 0 ? (size_t)count : replaced;
	}
	return at;
}

/*
 * Append bytes as one JSON string (with quotes) of at most limit bytes, cut if necessary; invalid
 * UTF-8 becomes U+FFFD. If the limit is too small for the mark, only the mark is written. What is
 * cut is kept in files (NULL: nowhere). Return whether the text was cut.
 *
 * Time and memory depend on the limit, not on the length of the text.
 */
static bool cut_text(struct ik_buf *out, const char *bytes, size_t length, size_t limit,
	enum cut part, struct ik_output_files *files)
{
	struct ik_buf text;
	const char *path;
	size_t between, mark, room, head, tail;

	if (written_length(bytes, length, limit) <= limit) {
		ik_json_put_string(out, bytes, length);
		return false;
	}
	path = ik_output_files_add(files, IK_OUTPUT_TEXT, bytes, length);
	mark = mark_room(path) + 2;
	/* Repairing the two ends at most triples them. */
	ik_buf_init(&text, 6 * limit + 64);
	between = take_ends(&text, bytes, length, limit);
	room = limit > mark ? limit - mark : 0;
	head = fit_head(text.data, text.length, head_share(room, part));
	tail = fit_tail(text.data + head, text.length - head, room - head_share(room, part)) + head;
	ik_json_quote_open(out);
	ik_json_escape(out, text.data, head);
	put_mark(out, tail - head + between, path, unrepaired_length(bytes, length, head));
	ik_json_escape(out, text.data + tail, text.length - tail);
	ik_json_quote_close(out);
	ik_buf_done(&text);
	return true;
}

/* Return the bytes that the strings take if longer ones are cut to length. */
static size_t cut_total(const struct ik_json_span *strings, size_t count, size_t length)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += strings[i].length < length ? strings[i].length : length;
	return total;
}

/*
 * Return the length to which the long strings of a value of value_length bytes must be cut so that
 * at most limit bytes are written; 0: that is not enough, so the value's text must become one cut
 * string. A path in a mark has at most path_length bytes.
 */
static size_t cut_length_of(size_t value_length, const struct ik_json_span *strings, size_t count,
	size_t limit, size_t path_length)
{
	size_t rest = value_length - cut_total(strings, count, SIZE_MAX);
	size_t low = CUT_SHORTEST + path_length, high = limit;

	if (count == 0 || rest >= limit || cut_total(strings, count, low) > limit - rest)
		return 0;
	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;

		if (cut_total(strings, count, middle) <= limit - rest)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* ---- envelopes ---- */

void ik_envelope_open(struct ik_buf *out)
{
	ik_buf_puts(out, "{\"tool_success\":true,\"result\":");
}

void ik_envelope_close(struct ik_buf *out, bool cut)
{
	ik_buf_puts(out, cut ? ",\"truncated\":true}" : "}");
}

/* Return the strings of a value that are long enough to be cut, in an array that free() releases.
 */
static struct ik_json_span *long_strings(struct ik_json_span value, size_t *ret_count)
{
	struct ik_json_span *strings = NULL;

	*ret_count = 0;
	for (struct ik_json_walk walk = ik_json_walk(value); ik_json_next_string(&walk);) {
		if (walk.value.length <= CUT_SHORTEST)
			continue;
		strings = ik_alloc_more(strings, *ret_count, sizeof(*strings));
		strings[(*ret_count)++] = walk.value;
	}
	return strings;
}

static void put_cut_string(struct ik_buf *out, struct ik_json_span string, size_t cut_length,
	struct ik_output_files *files)
{
	size_t length;
	char *text = ik_json_string_new(string, &length);

	if (text)
		cut_text(out, text, length, cut_length, CUT_MIDDLE, files);
	else
		out->status = IK_NO_MEMORY;
	free(text);
}

static void put_cut_value(struct ik_buf *out, struct ik_json_span value, size_t limit,
	struct ik_output_files *files)
{
	size_t count, cut_length;
	struct ik_json_span *strings = long_strings(value, &count);
	const char *copied = value.text, *end = value.text + value.length;

	cut_length = cut_length_of(value.length, strings, count, limit,
		ik_output_files_path_length(files));
	if (cut_length == 0)
		cut_text(out, value.text, value.length, limit, CUT_MIDDLE, files);
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
	cut = cut_text(out, bytes, length, limit, CUT_MIDDLE, files);
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
		needed[i] = written_length(streams[i].text, streams[i].length, limit);
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
	cut = cut_text(out, streams[0].text, streams[0].length, limits[0], CUT_MIDDLE, files);
	ik_buf_puts(out, ",\"stderr\":");
	cut = cut_text(out, streams[1].text, streams[1].length, limits[1], CUT_START, files) || cut;
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

void ik_envelope_add(struct ik_buf *envelope, const char *name, const char *text)
{
	const char *comma = memchr(envelope->data, ',', envelope->length);
	struct ik_buf hint;

	if (!comma)
		return;
	ik_buf_init(&hint, envelope->ceiling);
	ik_buf_printf(&hint, ",\"%s\":", name);
	ik_json_put_text(&hint, text);
	if (ik_buf_status(&hint) == IK_OK)
		ik_buf_insert(envelope, (size_t)(comma - envelope->data), hint.data, hint.length);
	ik_buf_done(&hint);
}

bool ik_envelope_succeeded(struct ik_json_span envelope)
{
	bool success;

	return ik_json_bool(ik_json_member(envelope, "tool_success"), &success) && success;
}

static void put_result(struct ik_json_span result, struct ik_buf *out)
{
	if (!ik_json_string(ik_json_only(result), out))
		ik_json_put_raw(out, result);
}

void ik_envelope_put_text(struct ik_json_span envelope, struct ik_buf *out)
{
	static const char *const streams[] = { "stdout", "stderr" };
	struct ik_json_span result = ik_json_member(envelope, "result");
	struct ik_buf stream;

	if (result.text) {
		put_result(result, out);
		return;
	}
	(void)ik_json_string(ik_json_member(envelope, "error"), out);
	ik_buf_init(&stream, IK_LIMIT_ENVELOPE);
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		ik_buf_clear(&stream);
		if (!ik_json_string(ik_json_member(envelope, streams[i]), &stream) || stream.length == 0)
			continue;
		ik_buf_printf(out, "\n%s:\n", streams[i]);
		ik_buf_append(out, stream.data, stream.length);
	}
	ik_buf_done(&stream);
}
