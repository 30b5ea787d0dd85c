#include "util/bytes.h"

#include <stdlib.h>

#include "util/alloc.h"

struct ik_bytes *ik_bytes_take(struct ik_buf *buf)
{
	struct ik_bytes *bytes;

	if (buf->length == 0)
		return NULL;
	bytes = ik_alloc(sizeof(*bytes));
	bytes->references = 1;
	bytes->data = ik_buf_take(buf, &bytes->length);
	return bytes;
}

struct ik_bytes *ik_bytes_ref(struct ik_bytes *bytes)
{
	if (bytes)
		bytes->references++;
	return bytes;
}

struct ik_bytes *ik_bytes_unref(struct ik_bytes *bytes)
{
	if (bytes && --bytes->references == 0) {
		free(bytes->data);
		free(bytes);
	}
	return NULL;
}

size_t ik_bytes_length(const struct ik_bytes *bytes)
{
	return bytes ? bytes->length : 0;
}
