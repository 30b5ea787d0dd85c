#include "app/chat_private.h"

#include <stdlib.h>
#include <unistd.h>

#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/utf8.h"

#define DRAFT_FILE "draft"

void ik_chat_draft_load(struct ik_chat *chat)
{
	char *path = ik_places_file(&chat->setup->places, DRAFT_FILE);
	struct ik_buf raw, text;

	if (path == NULL)
		return;
	ik_buf_init(&raw, IK_LIMIT_USER_TEXT);
	ik_buf_init(&text, 3 * IK_LIMIT_USER_TEXT);
	if (ik_file_read(path, &raw, NULL) == IK_OK && raw.length > 0) {
		ik_utf8_repair(&text, raw.data, raw.length);
		if (ik_buf_status(&text) == IK_OK)
			ik_screen_set_draft(chat->screen, text.data, text.length);
	}
	ik_buf_done(&raw);
	ik_buf_done(&text);
	free(path);
}

void ik_chat_draft_save(const struct ik_chat *chat)
{
	char *path = ik_places_file(&chat->setup->places, DRAFT_FILE);
	struct ik_error error;
	const char *text;
	size_t length;

	if (path == NULL)
		return;
	text = ik_screen_draft(chat->screen, &length);
	if (length == 0)
		(void)unlink(path);
	else if (ik_file_write(path, text, length, 0600, &error) != IK_OK)
		ik_log(IK_LOG_ERROR, "draft: %s", error.text);
	free(path);
}
