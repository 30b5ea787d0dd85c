/*
 * fuzz_stream: whatever comes as a model's reply, in whichever wire format (the
 * first byte's last two bits) and however it is split, the same deltas come of
 * it, with the promises of provider/wire/delta.h, and then an end or an error.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#include "util/limits.h"
#include "util/utf8.h"

#include "json/scan.h"

#include "provider/formats.h"
#include "provider/wire/decoder.h"

/* What was told so far. */
struct told {
	struct ik_buf log;
	int calls;
	bool over;
};

static void demand(bool truth)
{
	if (!truth)
		abort();
}

static void take(void *arg, const struct ik_delta *delta)
{
	struct told *told = arg;

	demand(!told->over);
	switch (delta->kind) {
	case IK_DELTA_CALL:
		demand(delta->slot == told->calls && delta->name);
		told->calls++;
		break;
	case IK_DELTA_ARGUMENTS:
		demand(delta->slot >= 0 && delta->slot < told->calls);
		break;
	case IK_DELTA_OPAQUE:
		demand(ik_json_check(delta->text, delta->text_length, NULL, NULL) == IK_OK);
		demand(delta->of != IK_DELTA_CALL || (delta->slot >= 0 && delta->slot < told->calls));
		break;
	case IK_DELTA_ERROR:
		demand(delta->code && delta->text_length);
		told->over = true;
		break;
	case IK_DELTA_STOP:
		demand((delta->stop == IK_STOP_TOOL_CALLS) <= (told->calls > 0));
		told->over = true;
		break;
	case IK_DELTA_USAGE:
	case IK_DELTA_SEARCH:
		break;
	case IK_DELTA_SOURCE:
	case IK_DELTA_NOTICE:
	case IK_DELTA_TEXT:
	case IK_DELTA_THINKING:
		demand(delta->text_length > 0);
		break;
	}
	ik_buf_printf(&told->log, "%d %d %s %s %s %d %lld %lld %zu ", (int)delta->kind, delta->slot,
		delta->id ? delta->id : "-", delta->name ? delta->name : "-",
		ik_error_code_word(delta->code), (int)delta->stop, (long long)delta->input_tokens,
		(long long)delta->output_tokens, delta->text_length);
	ik_buf_append(&told->log, delta->text ? delta->text : "", delta->text_length);
	demand(ik_utf8_valid_prefix(delta->text ? delta->text : "", delta->text_length) ==
		delta->text_length);
}

/* Read with a first piece of first bytes, then pieces of step. */
static void read_split(const struct ik_wire_format *format, const char *bytes, size_t length,
	size_t first, size_t step, struct told *told)
{
	struct ik_stream_decoder *decoder = ik_decoder_new(format);
	struct ik_error error = { .status = IK_OK };
	enum ik_status status = IK_OK;

	told->calls = 0;
	told->over = false;
	ik_buf_clear(&told->log);
	for (size_t at = 0, piece = first; at < length && status == IK_OK; at += piece, piece = step) {
		if (piece > length - at)
			piece = length - at;
		char *copy = malloc(piece ? piece : 1);
		memcpy(copy, bytes + at, piece);
		status = ik_decoder_feed(decoder, copy, piece, take, told, &error);
		free(copy);
	}
	if (status == IK_OK)
		status = ik_decoder_finish(decoder, take, told, &error);
	demand(status != IK_OK || told->over);
	if (status != IK_OK)
		ik_buf_printf(&told->log, "failed %d %s", (int)status, error.text);
	ik_decoder_free(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ik_wire_format *format = size ? ik_wire_format_at(*data & 3) : NULL;
	const char *bytes = (const char *)data + 1;
	struct told whole = { .calls = 0 }, split = { .calls = 0 };

	if (!format)
		return 0;
	size--;
	/* All splits of what is short, some of what is long. */
	size_t stride = size / 64 + 1;
	ik_buf_init(&whole.log, SIZE_MAX / 2);
	ik_buf_init(&split.log, SIZE_MAX / 2);
	read_split(format, bytes, size, size, 1, &whole);
	for (size_t first = 0; first < size; first += stride) {
		read_split(format, bytes, size, first, first == 0 ? 1 : size, &split);
		demand(split.log.length == whole.log.length &&
			memcmp(split.log.data, whole.log.data, whole.log.length) == 0);
	}
	ik_buf_done(&whole.log);
	ik_buf_done(&split.log);
	return 0;
}
