#include "app/chat_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/utf8.h"

#define DRAFT_FILE "draft"

/* What a crash can cost of what was typed. */
#define SAVE_MS 1000

/* A larger one is kept when the program stops or ends, but not while one types. */
#define SAVE_SOON_BYTES IK_MIB(1)

void ik_chat_draft_load(struct ik_chat *chat)
{
	struct ik_buf raw, text;

	chat->draft_path = ik_places_file(&chat->setup->places, DRAFT_FILE);
	if (chat->draft_path == NULL)
		return;
	chat->draft_new = ik_format("%s.%ld", chat->draft_path, (long)getpid());
	ik_buf_init(&raw, IK_LIMIT_USER_TEXT);
	ik_buf_init(&text, 3 * IK_LIMIT_USER_TEXT);
	if (ik_file_read(chat->draft_path, &raw, NULL) == IK_OK && raw.length > 0) {
		ik_utf8_repair(&text, raw.data, raw.length);
		if (ik_buf_status(&text) == IK_OK)
			ik_screen_set_draft(chat->screen, text.data, text.length);
	}
	ik_buf_done(&raw);
	ik_buf_done(&text);
}

/* Write the new file beside the old one. Not synced to the disk: a draft has to
 * outlive the program, and a disk that is slow must not be felt in typing. */
static int write_new(const struct ik_chat *chat, const char *text, size_t length)
{
	int fd = open(chat->draft_new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	int number;

	if (fd < 0)
		return errno;
	number = ik_write_all(fd, text, length);
	if (close(fd) != 0 && number == 0)
		number = errno;
	return number;
}

int ik_chat_draft_save(const struct ik_chat *chat)
{
	size_t length;
	const char *text = ik_screen_draft(chat->screen, &length);
	int number;

	if (chat->draft_path == NULL)
		return length > 0 ? ENOENT : 0;
	if (length == 0)
		return unlink(chat->draft_path) == 0 || errno == ENOENT ? 0 : errno;
	number = write_new(chat, text, length);
	if (number == 0 && rename(chat->draft_new, chat->draft_path) != 0)
		number = errno;
	if (number != 0)
		(void)unlink(chat->draft_new);
	return number;
}

void ik_chat_draft_changed(struct ik_chat *chat)
{
	if (!ik_timer_running(chat->draft_timer))
		ik_timer_start(chat->draft_timer, SAVE_MS);
}

void ik_chat_draft_due(void *arg)
{
	struct ik_chat *chat = arg;
	size_t length;
	int number;

	(void)ik_screen_draft(chat->screen, &length);
	if (length > SAVE_SOON_BYTES || chat->draft_path == NULL)
		return;
	number = ik_chat_draft_save(chat);
	if (number != 0)
		ik_log(IK_LOG_ERROR, "draft: %s", strerror(number));
}
