#include "tui/term/clipboard.h"

#include <string.h>

#include "util/base64.h"

#define SCREEN_PIECE 252 /* of base 64: screen's own buffer holds 768 bytes */

/* Append bytes in base 64, a separator between every so many digits. */
static void put_pieces(struct ik_buf *out, const char *bytes, size_t length, size_t piece,
	const char *separator)
{
	size_t at, most = piece / 4 * 3;

	for (at = 0; at < length; at += most) {
		if (at > 0)
			ik_buf_puts(out, separator);
		ik_base64_put(out, bytes + at, length - at < most ? length - at : most);
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
		put_pieces(out, text, length, SCREEN_PIECE, "\033\\\033P");
		ik_buf_puts(out, "\a\033\\");
	} else {
		ik_buf_puts(out, "\033]52;c;");
		ik_base64_put(out, text, length);
		ik_buf_puts(out, "\a");
	}
}
