#include "tui/term/clipboard.h"

#include <string.h>

#include "util/base64.h"

#define SCREEN_PIECE 189 /* 252 digits of base 64, as GNU screen reads 768 bytes at most */

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
	size_t piece = screen ? SCREEN_PIECE : IK_CLIPBOARD_BYTES;

	ik_buf_puts(out, screen ? "\033P\033]52;c;" : "\033]52;c;");
	for (size_t at = 0; at < length; at += piece) {
		if (at > 0)
			ik_buf_puts(out, "\033\\\033P");
		ik_base64_put(out, text + at, length - at < piece ? length - at : piece);
	}
	ik_buf_puts(out, screen ? "\a\033\\" : "\a");
}
