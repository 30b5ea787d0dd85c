#include "store/title.h"

#include <string.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/text.h"
#include "util/utf8.h"

/* Bytes of a title. */
#define TITLE 60

char *ik_session_title(const char *text, size_t length)
{
	struct ik_buf title;
	bool gap = false;
	size_t i;

	ik_buf_init(&title, 2 * TITLE + 8);
	for (i = 0; i < length && title.length <= TITLE; i++) {
		unsigned char byte = (unsigned char)text[i];

		if (byte <= ' ' || byte == 0x7f) {
			gap = title.length > 0;
			continue;
		}
		if (gap)
			ik_buf_putc(&title, ' ');
		gap = false;
		ik_buf_putc(&title, (char)byte);
	}
	if (title.length > TITLE) {
		const char *blank;

		ik_buf_truncate(&title, ik_utf8_cut(title.data, title.length, TITLE));
		blank = memrchr(title.data, ' ', title.length);
		if (blank && blank > title.data + TITLE / 2)
			ik_buf_truncate(&title, (size_t)(blank - title.data));
		ik_buf_puts(&title, "…");
	}
	return ik_buf_take(&title, NULL);
}
