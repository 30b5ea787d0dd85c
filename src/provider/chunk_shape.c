#include "provider/chunk_shape.h"

#include <string.h>

#include "util/limits.h"

/* Chunks with more than this around their text are rare and parsed as a whole. */
#define SHAPE_BYTES IK_KIB(4)

void ik_chunk_shape_init(struct ik_chunk_shape *shape)
{
	ik_buf_init(&shape->before, SHAPE_BYTES);
	ik_buf_init(&shape->behind, SHAPE_BYTES);
}

void ik_chunk_shape_done(struct ik_chunk_shape *shape)
{
	ik_buf_done(&shape->before);
	ik_buf_done(&shape->behind);
}

void ik_chunk_shape_learn(struct ik_chunk_shape *shape, const char *chunk, size_t length,
	struct ik_json_span string)
{
	const char *close = string.text + string.length - 1;

	ik_buf_clear(&shape->before);
	ik_buf_clear(&shape->behind);
	ik_buf_append(&shape->before, chunk, (size_t)(string.text + 1 - chunk));
	ik_buf_append(&shape->behind, close, (size_t)(chunk + length - close));
	if (ik_buf_status(&shape->before) != IK_OK || ik_buf_status(&shape->behind) != IK_OK)
		ik_buf_clear(&shape->before);
}

bool ik_chunk_shape_match(const struct ik_chunk_shape *shape, const char *chunk, size_t length,
	struct ik_json_span *ret_string)
{
	size_t before = shape->before.length, behind = shape->behind.length;
	struct ik_json_span string;

	if (!before || length <= before + behind ||
	    memcmp(chunk, shape->before.data, before) != 0 ||
	    memcmp(chunk + length - behind, shape->behind.data, behind) != 0)
		return false;
	/* One string from quote to quote: what is around it was checked before. */
	if (ik_json_check(chunk + before - 1, length - before - behind + 2, &string, NULL) != IK_OK)
		return false;
	*ret_string = string;
	return true;
}
