#include "util/base64.h"

#include <string.h>

#include <nettle/base64.h>

void ik_base64_put(struct ik_buf *out, const char *bytes, size_t length)
{
	char *to = ik_buf_reserve(out, BASE64_ENCODE_RAW_LENGTH(length));

	if (!to || length == 0)
		return;
	base64_encode_raw(to, length, (const uint8_t *)bytes);
	ik_buf_commit(out, BASE64_ENCODE_RAW_LENGTH(length));
}

/* Do the last bytes encode to the last four characters of the text? */
static bool ends_so(const char *bytes, size_t length, const char *text, size_t text_length)
{
	size_t last = (length - 1) % 3 + 1;
	char written[4];

	base64_encode_raw(written, last, (const uint8_t *)bytes + length - last);
	return memcmp(written, text + text_length - sizeof(written), sizeof(written)) == 0;
}

bool ik_base64_read(struct ik_buf *out, const char *text, size_t length)
{
	struct base64_decode_ctx context;
	size_t whole = length / 4 * 3, read;

	if (length % 4 != 0)
		return false;
	/* Reserve no more than needed, because the buffer's limit may be exactly that. */
	if (length > 0 && text[length - 1] == '=')
		whole -= text[length - 2] == '=' ? 2 : 1;
	char *to = ik_buf_reserve(out, whole);

	if (!to || length == 0)
		return true;
	base64_decode_init(&context);
	read = whole;
	/* nettle accepts blanks, which give fewer bytes, and leftover bits in the last one. */
	if (!base64_decode_update(&context, &read, (uint8_t *)to, length, text) || read != whole ||
		!ends_so(to, whole, text, length))
		return false;
	ik_buf_commit(out, whole);
	return true;
}
