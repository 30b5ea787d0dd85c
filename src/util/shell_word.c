#include "util/shell_word.h"

#include <string.h>

void ik_shell_word_put(struct ik_buf *out, const char *text)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./,:@%";

	if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
		ik_buf_puts(out, text);
		return;
	}
	ik_buf_putc(out, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			ik_buf_puts(out, "'\\''");
		else
			ik_buf_putc(out, *text);
	}
	ik_buf_putc(out, '\'');
}
