#include "tool/envelope_cut.h"

#include <stdint.h>
#include <string.h>

#include "json/write.h"
#include "util/utf8.h"

/* Room for the longest mark, 30 bytes of words and 20 digits; and the room that a path adds. */
enum { MARK_ROOM = 64, MARK_ROOM_OF_PATH = 64 };

/* Return the room for the longest mark with that path in JSON. */
static size_t mark_room(const char *path)
{
	return !path
		? MARK_ROOM
		: MARK_ROOM + MARK_ROOM_OF_PATH + ik_cut_written_length(path, strlen(path), SIZE_MAX) - 2;
}

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
static size_t head_share(size_t room, enum ik_cut part)
{
	return part == IK_CUT_START ? 0 : room - room / 4;
}

/* Return the length of a byte of valid UTF-8 in a JSON string. */
static size_t written_cost(char byte)
{
	if (byte == '"' || byte == '\\' || (byte >= '\b' && byte <= '\r' && byte != '\v'))
		return 2;
	return (unsigned char)byte < 0x20 ? 6 : 1;
}

size_t ik_cut_written_length(const char *bytes, size_t length, size_t stop)
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

bool ik_cut_text(struct ik_buf *out, const char *bytes, size_t length, size_t limit,
	enum ik_cut part, struct ik_output_files *files)
{
	struct ik_buf text;
	const char *path;
	size_t between, mark, room, head, tail;

	if (ik_cut_written_length(bytes, length, limit) <= limit) {
		ik_json_put_string(out, bytes, length);
		return false;
	}
	path = ik_output_files_add(files, bytes, length);
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

size_t ik_cut_length(size_t value_length, const struct ik_json_span *strings, size_t count,
	size_t limit, size_t path_length)
{
	size_t rest = value_length - cut_total(strings, count, SIZE_MAX);
	size_t low = IK_CUT_SHORTEST + path_length, high = limit;

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
