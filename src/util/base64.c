#include "util/base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void ik_base64_put(struct ik_buf *out, const char *bytes, size_t length)
{
	const size_t text_length = (length + 2) / 3 * 4;
	char *to = ik_buf_reserve(out, text_length);

	for (size_t i = 0; to && i < length; i += 3) {
		uint32_t bits = (uint32_t)(unsigned char)bytes[i] << 16;

		if (i + 1 < length)
			bits |= (uint32_t)(unsigned char)bytes[i + 1] << 8;
		if (i + 2 < length)
			bits |= (unsigned char)bytes[i + 2];
		*to++ = digits[bits >> 18];
		*to++ = digits[bits >> 12 & 63];
		*to++ = i + 1 < length ? digits[bits >> 6 & 63] : '=';
		*to++ = i + 2 < length ? digits[bits & 63] : '=';
	}
	if (to)
		ik_buf_commit(out, text_length);
}

/* The value of each character, plus one; 0: not a base64 character. */
static void make_values(unsigned char values[256])
{
	size_t i;

	for (i = 0; i < 256; i++)
		values[i] = 0;
	for (i = 0; i < sizeof(digits) - 1; i++)
		values[(unsigned char)digits[i]] = (unsigned char)(i + 1);
}

bool ik_base64_read(struct ik_buf *out, const char *text, size_t length)
{
	unsigned char values[256];
	size_t whole = length / 4 * 3;
	char *start, *to;

	if (length % 4 != 0)
		return false;
	/* No more than there are: the buffer may have room for just these. */
	if (length > 0 && text[length - 1] == '=')
		whole -= text[length - 2] == '=' ? 2 : 1;
	start = to = ik_buf_reserve(out, whole);
	make_values(values);
	for (size_t i = 0; to && i < length; i += 4) {
		/* Only the end may be padded. */
		size_t count = i + 4 < length || text[i + 3] != '=' ? 4 : text[i + 2] != '=' ? 3 : 2;
		uint32_t bits = 0;

		for (size_t j = 0; j < 4; j++) {
			unsigned value = j < count ? values[(unsigned char)text[i + j]] : 1;

			if (value == 0)
				return false;
			bits = bits << 6 | (value - 1);
		}
		if ((bits & (count == 2 ? 0xffff : count == 3 ? 0xff : 0)) != 0)
			return false;
		*to++ = (char)(bits >> 16);
		if (count > 2)
			*to++ = (char)(bits >> 8 & 255);
		if (count > 3)
			*to++ = (char)(bits & 255);
	}
	if (to)
		ik_buf_commit(out, (size_t)(to - start));
	return true;
}
