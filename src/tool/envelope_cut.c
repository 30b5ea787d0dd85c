#include "tool/envelope_cut.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/utf8.h"

/* Room for the longest mark: 30 bytes of words and 20 digits; and with a path, less that. */
enum { MARK_ROOM = 64, MARK_ROOM_OF_PATH = 64 };

/* Room for the longest mark with that path as it is written. */
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

/* How a number of bytes is shared between the beginning and the end of a text. */
static size_t head_share(size_t room, enum ik_cut part)
{
	return part == IK_CUT_START ? 0 : room - room / 4;
}

/* Bytes that one byte of valid UTF-8 takes inside a JSON string. */
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
		/* A byte that is no character becomes U+FFFD; of a sequence that breaks
		 * off this counts each byte, which is never too little. */
		written += count > 0 ? (size_t)count : 3;
		at += count > 0 ? (size_t)count : 1;
	}
	return written;
}

/* Length of the longest beginning of valid text that is written in room bytes. */
static size_t fit_head(const char *text, size_t length, size_t room)
{
	size_t used = 0, at = 0;

	while (at < length && used + written_cost(text[at]) <= room)
		used += written_cost(text[at++]);
	while (at > 0 && at < length && ik_utf8_is_continuation(text[at]))
		at--;
	return at;
}

/* Where the longest end of valid text begins that is written in room bytes. */
static size_t fit_tail(const char *text, size_t length, size_t room)
{
	size_t used = 0, at = length;

	while (at > 0 && used + written_cost(text[at - 1]) <= room)
		used += written_cost(text[--at]);
	while (at < length && ik_utf8_is_continuation(text[at]))
		at++;
	return at;
}

/* The text to cut: all of it repaired, or, when it is far too long, what the
 * cut can possibly keep of its two ends. Returns the bytes that were between. */
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

/* How many of the bytes became that many when they were repaired. */
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
	enum ik_cut part, const char *path)
{
	size_t mark = mark_room(path) + 2;
	struct ik_buf text;
	size_t between, room, head, tail;

	if (ik_cut_written_length(bytes, length, limit) <= limit) {
		ik_json_put_string(out, bytes, length);
		return false;
	}
	/* Two ends, of which repair makes three bytes for one at worst. */
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

/* Bytes that strings take when those that are longer are cut to length. */
static size_t cut_total(const struct ik_json_seen *strings, size_t count, size_t length)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += strings[i].length < length ? strings[i].length : length;
	return total;
}

size_t ik_cut_length(size_t value_length, const struct ik_json_seen *strings, size_t count,
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

/* Bytes of the escape or plain byte at raw text of a string; a pair of
 * surrogates is one. */
static size_t unit_length(const char *at)
{
	if (at[0] != '\\')
		return 1;
	if (at[1] != 'u')
		return 2;
	if ((at[2] == 'd' || at[2] == 'D') && strchr("89abAB", at[3]))
		return 12;
	return 6;
}

/* Bytes of UTF-8 that an escape stands for. */
static size_t decoded_length(const char *at)
{
	char digits[5];
	unsigned long codepoint;

	if (at[1] != 'u')
		return 1;
	if (unit_length(at) == 12)
		return 4;
	memcpy(digits, at + 2, 4);
	digits[4] = '\0';
	codepoint = strtoul(digits, NULL, 16);
	return codepoint < 0x80 ? 1 : codepoint < 0x800 ? 2 : 3;
}

/*
 * Go forward over the raw inside of a string until the last boundary of a
 * character that is not after target (or, with over, the first that is not
 * before it). Adds the decoded bytes gone over to *decoded.
 */
static const char *advance(const char *at, const char *end, const char *target, bool over,
	size_t *decoded)
{
	while (at < target) {
		const char *escape = memchr(at, '\\', (size_t)(target - at));
		const char *plain_end = escape ? escape : target;

		/* Plain bytes: only a character that target splits is in the way. */
		if (!escape) {
			if (over) {
				while (plain_end < end && ik_utf8_is_continuation(*plain_end))
					plain_end++;
			} else {
				while (plain_end > at && plain_end < end && ik_utf8_is_continuation(*plain_end))
					plain_end--;
			}
			*decoded += (size_t)(plain_end - at);
			return plain_end;
		}
		*decoded += (size_t)(plain_end - at);
		at = plain_end;
		if (!over && at + unit_length(at) > target)
			return at;
		*decoded += decoded_length(at);
		at += unit_length(at);
	}
	return at;
}

/* A place before at (not before start) behind which, within the inside of a string, each
 * escape that ends after at is met at its beginning. */
static const char *before_escapes(const char *start, const char *at)
{
	static const char backslashes[8] = "\\\\\\\\\\\\\\\\";

	/* An escape, or a pair of surrogates, has twelve bytes at most... */
	if ((size_t)(at - start) < 12)
		return start;
	at -= 12;
	/* ... and a run of backslashes begins with the beginning of one. */
	while ((size_t)(at - start) >= sizeof(backslashes) &&
		memcmp(at - sizeof(backslashes), backslashes, sizeof(backslashes)) == 0)
		at -= sizeof(backslashes);
	while (at > start && at[-1] == '\\')
		at--;
	return at;
}

/* Append a string of checked text cut to length bytes. */
static void put_cut_string(struct ik_buf *out, const char *text, const struct ik_json_seen *string,
	size_t length, const char *path)
{
	const char *begin = text + string->start + 1;
	const char *end = begin + string->length - 2;
	size_t room = length - mark_room(path) - 2;
	size_t head_room = head_share(room, IK_CUT_MIDDLE);
	size_t kept = 0, passed = 0, offset;
	const char *head, *tail;

	head = advance(begin, end, begin + head_room, false, &kept);
	offset = kept;
	tail = end - (room - head_room);
	tail = advance(before_escapes(head, tail), end, tail, true, &passed);
	advance(tail, end, end, false, &kept);
	ik_buf_append(out, begin - 1, (size_t)(head - begin) + 1);
	put_mark(out, string->decoded - kept, path, offset);
	ik_buf_append(out, tail, (size_t)(end + 1 - tail));
}

void ik_cut_json(struct ik_buf *out, const char *text, struct ik_json_span value,
	const struct ik_json_seen *strings, size_t count, size_t length, size_t limit,
	const char *const *paths)
{
	const char *copied = value.text;

	if (length == 0) {
		ik_cut_text(out, value.text, value.length, limit, IK_CUT_MIDDLE, paths[0]);
		return;
	}
	for (; count > 0; count--, strings++) {
		if (strings->length <= length)
			continue;
		ik_buf_append(out, copied, (size_t)(text + strings->start - copied));
		put_cut_string(out, text, strings, length, *paths++);
		copied = text + strings->start + strings->length;
	}
	ik_buf_append(out, copied, (size_t)(value.text + value.length - copied));
}
