/*
 * fuzz_sse: whatever the bytes, and however they are split, the same events come.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#include "util/limits.h"

#include "util/sse.h"

/* Note an event, with its lengths, so that two lists are the same only when all is. */
static void note(void *arg, const char *event, const char *data, size_t length)
{
	struct ik_buf *events = arg;

	ik_buf_printf(events, "%zu %s %zu ", strlen(event), event, length);
	ik_buf_append(events, data, length);
}

/* Read with a first piece of first bytes, then pieces of step. */
static void read_split(const char *bytes, size_t length, size_t first, size_t step,
	struct ik_buf *events)
{
	struct ik_sse sse;

	ik_sse_init(&sse, IK_LIMIT_SSE_EVENT);
	for (size_t at = 0, piece = first; at < length; at += piece, piece = step) {
		if (piece > length - at)
			piece = length - at;
		/* Of just its size, so that a read beyond it is seen. */
		char *copy = malloc(piece ? piece : 1);
		memcpy(copy, bytes + at, piece);
		if (ik_sse_feed(&sse, copy, piece, note, events) != IK_OK)
			abort();
		free(copy);
	}
	ik_sse_done(&sse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	struct ik_buf whole, split;
	/* All splits of what is short, some of what is long. */
	size_t stride = size / 64 + 1;

	ik_buf_init(&whole, SIZE_MAX / 2);
	ik_buf_init(&split, SIZE_MAX / 2);
	read_split(bytes, size, size, 1, &whole);
	for (size_t first = 0; first < size; first += stride) {
		ik_buf_clear(&split);
		read_split(bytes, size, first, first == 0 ? 1 : size, &split);
		if (split.length != whole.length ||
		    memcmp(split.data ? split.data : "", whole.data ? whole.data : "", whole.length) != 0)
			abort();
	}
	ik_buf_done(&whole);
	ik_buf_done(&split);
	return 0;
}
