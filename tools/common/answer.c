#include "tools/common/answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#include "json/write.h"

/* Nearly all answers are small and take one write; large ones are written in blocks. */
#define BLOCK IK_KIB(256)
/* Bytes escaped at a time; one byte may become six. */
#define PART IK_KIB(32)

void ik_answer_init(struct ik_tool_answer *answer, int fd)
{
	*answer = (struct ik_tool_answer){ .fd = fd };
	ik_buf_init(&answer->text, SIZE_MAX / 2);
}

/* Open the object before its first member. */
static void answer_start(struct ik_tool_answer *answer)
{
	if (!answer->started)
		ik_json_open(&answer->text, '{');
	answer->started = true;
}

bool ik_answer_out_of_memory(struct ik_tool_answer *answer)
{
	static const char text[] = "{\"error\":\"Out of memory\",\"error_code\":\"OUT_OF_MEMORY\"}";

	if (answer->partly_out)
		return false;
	answer->partly_out = answer->settled = true;
	answer->write_error = ik_write_all(answer->fd, text, sizeof(text) - 1);
	return answer->write_error == 0;
}

/* Write the buffer. */
static void answer_flush(struct ik_tool_answer *answer)
{
	if (answer->write_error == 0 && !answer->settled && ik_buf_status(&answer->text) != IK_OK &&
		!ik_answer_out_of_memory(answer) && answer->write_error == 0)
		answer->write_error = ENOMEM;
	if (answer->write_error == 0 && !answer->settled)
		answer->write_error = ik_write_all(answer->fd, answer->text.data, answer->text.length);
	answer->partly_out = true;
	ik_buf_clear(&answer->text);
}

void ik_answer_open(struct ik_tool_answer *answer, const char *name)
{
	answer_start(answer);
	ik_json_key(&answer->text, name);
	ik_json_quote_open(&answer->text);
	answer->held_length = 0;
}

/* Complete a held character byte by byte; return how many bytes that took. */
static size_t answer_release(struct ik_tool_answer *answer, const char *bytes, size_t length)
{
	size_t taken = 0;

	while (answer->held_length > 0 && taken < length) {
		uint32_t codepoint;

		answer->held[answer->held_length] = bytes[taken];
		int size = ik_utf8_decode(answer->held, answer->held_length + 1, &codepoint);

		if (size == 0) {
			/* The byte does not continue the character, but may begin another. */
			ik_json_escape(&answer->text, answer->held, answer->held_length);
			answer->held_length = 0;
			break;
		}
		taken++;
		answer->held_length++;
		if (size > 0) {
			ik_json_escape(&answer->text, answer->held, answer->held_length);
			answer->held_length = 0;
		}
	}
	return taken;
}

/* Return how many bytes at the end are an incomplete character. */
static size_t unfinished_tail(const char *bytes, size_t length)
{
	for (size_t back = 1; back <= 3 && back <= length; back++) {
		unsigned char byte = (unsigned char)bytes[length - back];
		uint32_t codepoint;

		if (byte < 0x80)
			return 0;
		if (byte >= 0xC0)
			return ik_utf8_decode(bytes + length - back, back, &codepoint) < 0 ? back : 0;
	}
	return 0;
}

void ik_answer_piece(struct ik_tool_answer *answer, const char *bytes, size_t length)
{
	size_t taken = answer_release(answer, bytes, length);

	while (taken < length) {
		size_t part = length - taken < PART ? length - taken : PART;
		size_t tail = unfinished_tail(bytes + taken, part);

		ik_json_escape(&answer->text, bytes + taken, part - tail);
		if (taken + part == length) {
			memcpy(answer->held, bytes + length - tail, tail);
			answer->held_length = tail;
			taken = length;
		} else {
			taken += part - tail;
		}
		if (answer->text.length >= BLOCK)
			answer_flush(answer);
	}
}

/* Write an incomplete character as invalid. */
static void answer_give_up(struct ik_tool_answer *answer)
{
	ik_json_escape(&answer->text, answer->held, answer->held_length);
	answer->held_length = 0;
}

void ik_answer_escaped(struct ik_tool_answer *answer, const char *text, size_t length)
{
	answer_give_up(answer);
	while (length > 0 && !ik_answer_lost(answer)) {
		size_t part = length < BLOCK ? length : BLOCK;

		ik_buf_append(&answer->text, text, part);
		if (answer->text.length >= BLOCK)
			answer_flush(answer);
		text += part;
		length -= part;
	}
}

void ik_answer_close(struct ik_tool_answer *answer)
{
	answer_give_up(answer);
	ik_json_quote_close(&answer->text);
}

void ik_answer_text(struct ik_tool_answer *answer, const char *name, const char *bytes,
	size_t length)
{
	ik_answer_open(answer, name);
	ik_answer_piece(answer, bytes, length);
	ik_answer_close(answer);
}

void ik_answer_integer(struct ik_tool_answer *answer, const char *name, int64_t number)
{
	answer_start(answer);
	ik_json_key(&answer->text, name);
	ik_json_put_integer(&answer->text, number);
}

void ik_answer_error(struct ik_tool_answer *answer, const char *code, const char *hint,
	const char *format, ...)
{
	struct ik_buf sentence;

	va_list arguments;

	ik_buf_init(&sentence, SIZE_MAX / 2);
	va_start(arguments, format);
	ik_buf_vprintf(&sentence, format, arguments);
	va_end(arguments);
	if (answer->partly_out) {
		fprintf(stderr, "%s\n", sentence.data);
		answer->broken = true;
	} else {
		ik_buf_clear(&answer->text);
		answer->started = false;
		ik_answer_text(answer, "error", sentence.data, sentence.length);
		ik_answer_text(answer, "error_code", code, strlen(code));
		if (hint && hint[0] != '\0')
			ik_answer_text(answer, "hint", hint, strlen(hint));
	}
	ik_buf_done(&sentence);
}

bool ik_answer_lost(const struct ik_tool_answer *answer)
{
	return answer->write_error != 0 || answer->broken || answer->settled;
}

bool ik_answer_end(struct ik_tool_answer *answer)
{
	answer_start(answer);
	if (!answer->broken) {
		ik_json_close(&answer->text, '}');
		answer_flush(answer);
	}
	ik_buf_done(&answer->text);
	return answer->write_error == 0 && !answer->broken;
}
