#include "util/utf8.h"

/*
 * Decode by table 3-7 of Unicode 15: only the range of the second byte depends on the first.
 * *ret_seen gets the number of bytes that belong together.
 */
static int decode(const char *bytes, size_t length, uint32_t *ret_codepoint, size_t *ret_seen)
{
	unsigned char lead = (unsigned char)bytes[0];
	unsigned char low = 0x80, high = 0xbf;
	uint32_t codepoint;
	size_t wanted;

	*ret_seen = 1;
	if (lead < 0x80) {
		*ret_codepoint = lead;
		return 1;
	}
	if (lead < 0xc2 || lead > 0xf4)
		return 0;
	if (lead < 0xe0) {
		wanted = 2;
		codepoint = lead & 0x1f;
	} else if (lead < 0xf0) {
		wanted = 3;
		codepoint = lead & 0x0f;
		if (lead == 0xe0)
			low = 0xa0; /* lower is overlong */
		else if (lead == 0xed)
			high = 0x9f; /* higher is a surrogate */
	} else {
		wanted = 4;
		codepoint = lead & 0x07;
		if (lead == 0xf0)
			low = 0x90; /* lower is overlong */
		else if (lead == 0xf4)
			high = 0x8f; /* higher is beyond U+10FFFF */
	}
	for (size_t i = 1; i < wanted; i++) {
		unsigned char byte;

		if (i == length)
			return -1;
		byte = (unsigned char)bytes[i];
		if (byte < low || byte > high)
			return 0;
		codepoint = codepoint << 6 | (byte & 0x3f);
		low = 0x80;
		high = 0xbf;
		*ret_seen = i + 1;
	}
	*ret_codepoint = codepoint;
	return (int)wanted;
}

int ik_utf8_decode(const char *bytes, size_t length, uint32_t *ret_codepoint)
{
	size_t seen;

	return decode(bytes, length, ret_codepoint, &seen);
}

size_t ik_utf8_bad(const char *bytes, size_t length)
{
	uint32_t codepoint;
	size_t seen;

	decode(bytes, length, &codepoint, &seen);
	return seen;
}

int ik_utf8_encode(uint32_t codepoint, char out[4])
{
	if (codepoint < 0x80) {
		out[0] = (char)codepoint;
		return 1;
	}
	if (codepoint < 0x800) {
		out[0] = (char)(0xc0 | codepoint >> 6);
		out[1] = (char)(0x80 | (codepoint & 0x3f));
		return 2;
	}
	if ((codepoint >= 0xd800 && codepoint <= 0xdfff) || codepoint > IK_UTF8_MAX)
		return 0;
	if (codepoint < 0x10000) {
		out[0] = (char)(0xe0 | codepoint >> 12);
		out[1] = (char)(0x80 | (codepoint >> 6 & 0x3f));
		out[2] = (char)(0x80 | (codepoint & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | codepoint >> 18);
	out[1] = (char)(0x80 | (codepoint >> 12 & 0x3f));
	out[2] = (char)(0x80 | (codepoint >> 6 & 0x3f));
	out[3] = (char)(0x80 | (codepoint & 0x3f));
	return 4;
}

size_t ik_utf8_valid_prefix(const char *bytes, size_t length)
{
	size_t at = 0;
	uint32_t codepoint;

	while (at < length) {
		int count = 1;

		if ((unsigned char)bytes[at] >= 0x80)
			count = ik_utf8_decode(bytes + at, length - at, &codepoint);
		if (count <= 0)
			break;
		at += (size_t)count;
	}
	return at;
}

void ik_utf8_repair(struct ik_buf *out, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t valid = ik_utf8_valid_prefix(bytes, length);
		size_t bad;

		ik_buf_append(out, bytes, valid);
		bytes += valid;
		length -= valid;
		if (length == 0)
			return;
		bad = ik_utf8_bad(bytes, length);
		ik_buf_puts(out, IK_UTF8_REPLACEMENT);
		bytes += bad;
		length -= bad;
	}
}

size_t ik_utf8_count(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += !ik_utf8_is_continuation(text[i]);
	return count;
}

size_t ik_utf8_cut(const char *text, size_t length, size_t limit)
{
	if (limit >= length)
		return length;
	while (limit > 0 && ik_utf8_is_continuation(text[limit]))
		limit--;
	return limit;
}
