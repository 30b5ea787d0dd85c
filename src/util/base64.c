#include "util/base64.h"

#include <stdlib.h>
#include <string.h>

#include <nettle/base64.h>

#include "util/alloc.h"

void ik_base64_put(struct ik_buf *out, const char *bytes, size_t length)
{
	char *to = ik_buf_reserve(out, BASE64_ENCODE_RAW_LENGTH(length));

	if (!to || length == 0)
		return;
	base64_encode_raw(to, length, (const uint8_t *)bytes);
	ik_buf_commit(out, BASE64_ENCODE_RAW_LENGTH(length));
}

/* Are the bytes written as this text, as long as theirs is? */
static bool is_written(const char *bytes, size_t length, const char *text)
{
	size_t text_length = BASE64_ENCODE_RAW_LENGTH(length);
	char *written = ik_alloc(text_length);

	base64_encode_raw(written, length, (const uint8_t *)bytes);
	bool same = memcmp(written, text, text_length) == 0;

	free(written);
	return same;
}

bool ik_base64_read(struct ik_buf *out, const char *text, size_t length)
{
	struct base64_decode_ctx context;
	size_t whole = length / 4 * 3, read;

	if (length % 4 != 0)
		return false;
	/* No more than there are: the buffer may have room for just these. */
	if (length > 0 && text[length - 1] == '=')
		whole -= text[length - 2] == '=' ? 2 : 1;
	char *to = ik_buf_reserve(out, whole);

	if (!to || length == 0)
		return true;
	base64_decode_init(&context);
	read = whole;
	/* nettle takes blanks, and leftover bits. */
	if (!base64_decode_update(&context, &read, (uint8_t *)to, length, text) || read != whole ||
		!is_written(to, whole, text))
		return false;
	ik_buf_commit(out, whole);
	return true;
}
