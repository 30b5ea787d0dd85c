#include "tui/clipboard.h"

#include <stdint.h>
#include <string.h>

#define SCREEN_PIECE 252 /* of base 64: screen's own buffer holds 768 bytes */

/* Append bytes in base 64 (RFC 4648), a separator between every so many digits. */
static void put_base64(struct ik_buf *out, const char *bytes, size_t length, size_t piece,
	const char *separator)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t written = 0;
	for (size_t i = 0; i < length; i += 3, written += 4) {
		uint32_t bits = (uint32_t)(unsigned char)bytes[i] << 16;
		if (i + 1 < length)
			bits |= (uint32_t)(unsigned char)bytes[i + 1] << 8;
		if (i + 2 < length)
			bits |= (unsigned char)bytes[i + 2];
		char four[4] = {
			digits[bits >> 18], digits[bits >> 12 & 63],
			i + 1 < length ? digits[bits >> 6 & 63] : '=',
			i + 2 < length ? digits[bits & 63] : '=',
		};
		if (written > 0 && written % piece == 0)
			ik_buf_puts(out, separator);
		ik_buf_append(out, four, sizeof four);
	}
}

bool ik_clipboard_there(const char *type)
{
	return type && strcmp(type, "linux") != 0 && strncmp(type, "vt", 2) != 0;
}

void ik_clipboard_put(struct ik_buf *out, const char *text, size_t length, const char *type,
	bool tmux)
{
	bool screen = !tmux && type && strncmp(type, "screen", 6) == 0;
	if (length > IK_CLIPBOARD_BYTES)
		length = IK_CLIPBOARD_BYTES;
	if (screen) {
		ik_buf_puts(out, "\033P\033]52;c;");
		put_base64(out, text, length, SCREEN_PIECE, "\033\\\033P");
		ik_buf_puts(out, "\a\033\\");
	} else {
		ik_buf_puts(out, "\033]52;c;");
		put_base64(out, text, length, SIZE_MAX, "");
		ik_buf_puts(out, "\a");
	}
}
