#include "reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "provider/formats.h"
#include "provider/wire/decoder.h"
#include "util/limits.h"

struct reader {
	struct ik_buf lines;
	int kind; /* of the line that is open, with its slot; -1: none */
	int slot;
	bool over;
};

/* Begin a line, unless one of this kind (not -1) is open. */
static void begin(struct reader *reader, int kind, int slot, const char *head)
{
	if (kind >= 0 && reader->kind == kind && reader->slot == slot)
		return;
	if (reader->lines.length)
		ik_buf_putc(&reader->lines, '\n');
	ik_buf_puts(&reader->lines, head);
	reader->kind = kind;
	reader->slot = slot;
}

static void take(void *arg, const struct ik_delta *delta)
{
	static const char *const stops[] = { "end", "tool_calls", "length", "refused", "paused" };
	struct reader *reader = arg;
	char head[64];

	cr_assert_not(reader->over, "a delta after the last: %s", reader->lines.data);
	switch (delta->kind) {
	case IK_DELTA_TEXT:
	case IK_DELTA_THINKING:
		begin(reader, delta->kind, 0, delta->kind == IK_DELTA_TEXT ? "text: " : "thinking: ");
		ik_buf_append(&reader->lines, delta->text, delta->text_length);
		break;
	case IK_DELTA_SOURCE:
		begin(reader, -1, 0, "source: ");
		ik_buf_printf(&reader->lines, "%.*s %s", (int)delta->text_length, delta->text, delta->name);
		break;
	case IK_DELTA_SEARCH:
	case IK_DELTA_NOTICE:
		begin(reader, -1, 0, delta->kind == IK_DELTA_SEARCH ? "search: " : "notice: ");
		ik_buf_append(&reader->lines, delta->text, delta->text_length);
		break;
	case IK_DELTA_CALL:
		snprintf(head, sizeof head, "call %d: ", delta->slot);
		begin(reader, -1, 0, head);
		ik_buf_printf(&reader->lines, "id=%s name=%s", delta->id ? delta->id : "-", delta->name);
		break;
	case IK_DELTA_ARGUMENTS:
		snprintf(head, sizeof head, "arguments %d: ", delta->slot);
		begin(reader, delta->kind, delta->slot, head);
		ik_buf_append(&reader->lines, delta->text, delta->text_length);
		break;
	case IK_DELTA_OPAQUE:
		snprintf(head, sizeof head, "opaque %s of %s %d: ", delta->name,
			delta->of == IK_DELTA_CALL ? "call" : delta->of == IK_DELTA_TEXT ? "text" :
			delta->of == IK_DELTA_THINKING ? "thinking" :
			delta->of == IK_DELTA_SEARCH ? "search" : "?", delta->slot);
		begin(reader, -1, 0, head);
		cr_assert_eq(ik_json_check(delta->text, delta->text_length, NULL, NULL), IK_OK);
		ik_buf_append(&reader->lines, delta->text, delta->text_length);
		break;
	case IK_DELTA_USAGE:
		begin(reader, -1, 0, "usage: ");
		ik_buf_printf(&reader->lines, "%d %d %d %d", (int)delta->input_tokens,
			(int)delta->output_tokens, (int)delta->cached_tokens,
			(int)delta->reasoning_tokens);
		if (delta->written_tokens > 0)
			ik_buf_printf(&reader->lines, " written %d", (int)delta->written_tokens);
		if (delta->searches > 0)
			ik_buf_printf(&reader->lines, " searches %d", (int)delta->searches);
		break;
	case IK_DELTA_STOP:
		begin(reader, -1, 0, "stop: ");
		ik_buf_puts(&reader->lines, stops[delta->stop]);
		reader->over = true;
		break;
	case IK_DELTA_ERROR:
		begin(reader, -1, 0, "error ");
		ik_buf_printf(&reader->lines, "%s%s: ", ik_error_code_word(delta->code), delta->retryable ? " again" : "");
		ik_buf_append(&reader->lines, delta->text, delta->text_length);
		reader->over = true;
		break;
	}
}

/* Feed one piece, from memory of just its size so that a read beyond it is seen. */
static enum ik_status feed(struct ik_stream_decoder *decoder,
	const char *bytes, size_t length, struct reader *reader, struct ik_error *error)
{
	char *piece = malloc(length ? length : 1);
	memcpy(piece, bytes, length);
	enum ik_status status = ik_decoder_feed(decoder, piece, length, take, reader, error);
	free(piece);
	return status;
}

/* Read with the first piece of first bytes, the others of step. */
static char *read_split(const char *type, const char *body, size_t length, size_t first,
	size_t step)
{
	const struct ik_wire_format *format = ik_wire_format_find(type);
	struct ik_stream_decoder *decoder = ik_decoder_new(format);
	struct reader reader = { .kind = -1 };
	struct ik_error error = { .status = IK_OK };
	ik_buf_init(&reader.lines, IK_LIMIT_REPLY);

	enum ik_status status = feed(decoder, body, first, &reader, &error);
	for (size_t at = first; at < length && status == IK_OK; at += step) {
		size_t piece = length - at < step ? length - at : step;
		status = feed(decoder, body + at, piece, &reader, &error);
	}
	if (status == IK_OK)
		status = ik_decoder_finish(decoder, take, &reader, &error);
	if (status != IK_OK) {
		/* What failed stays failed. */
		cr_assert_eq(ik_decoder_finish(decoder, take, &reader, NULL), status);
		cr_assert_eq(feed(decoder, "\n\n", 2, &reader, NULL), status);
		begin(&reader, -1, 0, "");
		ik_buf_printf(&reader.lines, "failed %d: %s", status, error.text);
	} else {
		cr_assert(reader.over, "neither an end nor an error: %s", reader.lines.data);
		cr_assert_eq(ik_decoder_finish(decoder, take, &reader, &error), IK_OK);
	}
	cr_assert_null(ik_decoder_free(decoder));
	cr_assert_null(ik_decoder_free(NULL));
	return ik_buf_take(&reader.lines, NULL);
}

char *read_body(const char *type, const char *body, size_t length, size_t step)
{
	size_t first = step && step < length ? step : length;
	return read_split(type, body, length, first, step ? step : 1);
}

char *read_answer(const struct ik_wire_format *format, const struct ik_request *request,
	size_t *ret_steps)
{
	struct reader reader = { .kind = -1 };
	struct ik_script script = { .count = 0 };

	ik_buf_init(&reader.lines, IK_LIMIT_REPLY);
	format->answer(request, &script);
	for (*ret_steps = 1; ik_script_step(&script, take, &reader);)
		++*ret_steps;
	cr_assert(reader.over, "no end: %s", reader.lines.data);
	ik_script_done(&script);
	cr_assert_eq(script.count, 0);
	return ik_buf_take(&reader.lines, NULL);
}

void assert_reads(const char *type, const char *body, const char *lines)
{
	size_t length = strlen(body);

	for (size_t first = 0; first <= length; first++) {
		char *got = read_split(type, body, length, first, length + 1);
		cr_assert_str_eq(got, lines, "split at %zu of %zu:\n%s\nwanted:\n%s", first, length,
			got, lines);
		free(got);
	}
	for (size_t step = 1; step <= 40; step++) {
		char *got = read_body(type, body, length, step);
		cr_assert_str_eq(got, lines, "in steps of %zu:\n%s\nwanted:\n%s", step, got, lines);
		free(got);
	}
}
