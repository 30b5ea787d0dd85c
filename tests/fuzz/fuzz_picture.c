/*
 * fuzz_picture: whatever a file says, its header is read within its bytes, and each job either
 * fails or makes a picture as small as it was told to.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

#include "picture/header.h"
#include "picture/picture.h"
#include "util/limits.h"

/* Larger ones are refused before, or take too long to try many of. */
#define PIXELS_MAX 1000000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const jobs[] = {"fit", "cells", "png", "sixel"};
	struct ik_picture_header header;
	size_t i;

	if (!ik_picture_header_read(data, size, &header) || header.width > PIXELS_MAX / header.height)
		return 0;
	for (i = 0; i < 4; i++) {
		struct ik_buf out;
		struct ik_error error;

		ik_buf_init(&out, IK_LIMIT_PICTURE);
		if (ik_picture_make(jobs[i], 40, 4000, 20, (const char *)data, size, &out, &error) == IK_OK) {
			if (out.length == 0 || (i == 0 && out.length > 4200))
				abort();
		} else if (out.length > 0) {
			abort();
		}
		ik_buf_done(&out);
	}
	return 0;
}
