/* What is copied goes to the terminal, and it is said how much went. */
#include "chat/chat.h"

#include <stdlib.h>

#include "tui/term/clipboard.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* Characters of a text. */
static size_t characters(const char *text, size_t length)
{
	size_t count = 0, i;

	for (i = 0; i < length; i++)
		count += !ik_utf8_is_continuation(text[i]);
	return count;
}

/* Say what was copied. */
static void tell(struct ik_chat *chat, const char *text, size_t length, size_t copied, bool cut)
{
	size_t count = characters(text, copied);
	char *sentence;

	if (cut)
		sentence = ik_format(_("Copied the first %'zu characters: terminals take no more; "
							   "/export writes all"),
			count);
	else if (copied < length)
		sentence = ik_format(_("Copied the first %'zu of %'zu characters: terminals take no more; "
							   "/export writes all"),
			count, characters(text, length));
	else
		sentence = ik_format(ngettext("Copied %'zu character", "Copied %'zu characters", count),
			count);
	ik_screen_flash(chat->screen, sentence);
	free(sentence);
}

void ik_chat_copy(struct ik_chat *chat, const char *text, size_t length, bool cut)
{
	const char *type = getenv("TERM");
	size_t copied = length;
	struct ik_buf out;

	if (length == 0) {
		ik_screen_flash(chat->screen, _("There is nothing to copy here"));
		return;
	}
	if (!ik_clipboard_there(type)) {
		ik_screen_flash(chat->screen, _("This terminal has no clipboard; /export writes a file"));
		return;
	}
	if (copied > IK_CLIPBOARD_BYTES)
		copied = ik_utf8_cut(text, length, IK_CLIPBOARD_BYTES);
	ik_buf_init(&out, IK_MIB(1));
	ik_clipboard_put(&out, text, copied, type, getenv("TMUX"));
	ik_tty_write(chat->tty, out.data, out.length);
	ik_buf_done(&out);
	tell(chat, text, length, copied, cut);
}
