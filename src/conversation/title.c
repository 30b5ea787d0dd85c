#include "conversation/title.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/fork_link.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/text.h"
#include "util/utf8.h"

/* Maximum length of a title in bytes. */
#define TITLE 60

char *ik_session_title_of(const struct ik_message *message, bool *ret_named)
{
	static const char command[] = "/title ";
	size_t skip = sizeof(command) - 1;
	char parent[IK_UUID_TEXT];

	/* A fork is about its prompt, not about its parent's first words. */
	*ret_named = ik_fork_link_session(message, IK_FORK_PARENT, parent);
	if (*ret_named) {
		skip = strcspn(message->content, " \t\n");
		return ik_session_title(message->content + skip, message->content_length - skip);
	}
	*ret_named = message->kind == IK_KIND_COMMAND && message->content_length > skip &&
		memcmp(message->content, command, skip) == 0;
	if (*ret_named)
		return ik_session_title(message->content + skip, message->content_length - skip);
	if (message->kind != IK_KIND_USER)
		return ik_strdup("");
	return ik_message_title(message);
}

char *ik_message_title(const struct ik_message *message)
{
	return ik_session_title(message->content, ik_message_typed(message));
}

char *ik_session_title(const char *text, size_t length)
{
	struct ik_buf title;
	bool gap = false;
	size_t i;

	ik_buf_init(&title, 2 * TITLE + 8);
	for (i = 0; i < length && title.length <= TITLE; i++) {
		unsigned char byte = (unsigned char)text[i];

		/* What is after a blank line is material, such as what exec read from standard input. */
		if (title.length > 0 && byte == '\n' && i + 1 < length && text[i + 1] == '\n')
			break;
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

char *ik_conversation_title(const struct ik_conversation *conversation)
{
	size_t count = ik_conversation_count(conversation), i;
	char *title = ik_strdup("");

	for (i = 0; i < count; i++) {
		bool named;
		char *other = ik_session_title_of(ik_conversation_at(conversation, i), &named);

		if (other[0] != '\0' && (named || title[0] == '\0')) {
			free(title);
			title = other;
		} else {
			free(other);
		}
	}
	return title;
}
