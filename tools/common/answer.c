#include "tools/common/answer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/alloc.h"
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
	ik_buf_init(&answer->held, SIZE_MAX / 2);
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
	struct ik_buf *held = &answer->held;

	while (length > 0) {
		size_t part = length < PART ? length : PART, whole;

		ik_buf_append(held, bytes, part);
		if (ik_buf_status(held) != IK_OK)
			ik_alloc_fail();
		whole = held->length - unfinished_tail(held->data, held->length);
		ik_json_escape(&answer->text, held->data, whole);
		ik_buf_consume(held, whole);
		if (answer->text.length >= BLOCK)
			answer_flush(answer);
		bytes += part;
		length -= part;
	}
}

void ik_answer_escaped(struct ik_tool_answer *answer, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t part = length < BLOCK ? length : BLOCK;

		ik_buf_append(&answer->text, bytes, part);
		if (answer->text.length >= BLOCK)
			answer_flush(answer);
		bytes += part;
		length -= part;
	}
}

void ik_answer_close(struct ik_tool_answer *answer)
{
	/* The pending bytes are an incomplete character. */
	ik_json_escape(&answer->text, answer->held.data, answer->held.length);
	ik_buf_clear(&answer->held);
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
		ik_buf_clear(&answer->held);
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
	ik_buf_done(&answer->held);
	return answer->write_error == 0 && !answer->broken;
}
