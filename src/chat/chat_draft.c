/* What was typed and not sent: the draft in its file, and queued messages. */
#include "chat/chat.h"

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
#include "util/text.h"
#include "util/utf8.h"

/* Each directory has its own drafts; simultaneous chats have one each. */
#define DRAFT_DIRECTORY "drafts"
#define LOCK_FILE "lock"
#define CHATS_MAX 64

/* Delay before saving, which is how much typing a crash can lose. */
#define SAVE_MS 1000

/* Larger drafts are only saved when the program stops or ends, not while typing. */
#define SAVE_SOON_BYTES IK_MIB(1)

/* Lock the draft with this number for the life of this process. The lock is on a byte of the
 * lock file, so the kernel releases it however the process ends. */
static bool take_place(int fd, uint64_t directory, int number)
{
	struct flock lock = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)((directory >> 2) / CHATS_MAX * CHATS_MAX) + number,
		.l_len = 1,
	};

	return fd < 0 || fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* Choose an agent's draft: the first unlocked one that has text (unless an empty one is wanted),
 * else the first unlocked one. Return NULL if drafts can't be stored. */
static char *choose_draft(struct ik_agent *agent, bool empty)
{
	const struct ik_places *places = &agent->chat->setup->places;
	char *folder = ik_places_file(places, DRAFT_DIRECTORY), *lock, *found = NULL;
	uint64_t directory = ik_text_hash(places->directory);

	if (!folder || ik_path_make(folder, 0700, NULL) != IK_OK) {
		free(folder);
		return NULL;
	}
	lock = ik_path_join(folder, LOCK_FILE);
	agent->draft_lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	/* Existing drafts first, then free places. */
	for (int i = empty ? CHATS_MAX : 0; i < 2 * CHATS_MAX && !found; i++) {
		int number = i % CHATS_MAX;
		char *path = ik_format("%s/%016llx-%d", folder, (unsigned long long)directory, number);

		if ((access(path, F_OK) == 0) == (i < CHATS_MAX) &&
			take_place(agent->draft_lock, directory, number))
			found = path;
		else
			free(path);
	}
	free(lock);
	free(folder);
	return found;
}

/* Return the text at index of those that were typed and not sent, or NULL past the last: the queued
 * messages, the one whose files are being read, and the editor's. Allocates no memory. */
static const char *unsent_at(const struct ik_agent *agent, size_t index, size_t *ret_length)
{
	size_t queued = 0;
	const char *text;

	for (; agent->session && (text = ik_session_queued(agent->session, queued, ret_length));
		 queued++)
		if (queued == index)
			return text;
	if (agent->sending_draft && queued++ == index) {
		*ret_length = strlen(agent->sending_draft);
		return agent->sending_draft;
	}
	text = ik_screen_draft(agent->screen, ret_length);
	return queued == index && *ret_length > 0 ? text : NULL;
}

/* Write the new file next to the old one. It is not synced: a draft must survive the program,
 * not a power failure, and a slow disk must not delay typing. */
static int write_new(const struct ik_agent *agent)
{
	int fd = open(agent->draft_new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	size_t length, index;
	const char *text;
	int number = 0;

	if (fd < 0)
		return errno;
	for (index = 0; number == 0 && (text = unsent_at(agent, index, &length)); index++) {
		if (index > 0)
			number = ik_write_all(fd, "\n\n", 2);
		if (number == 0)
			number = ik_write_all(fd, text, length);
	}
	if (close(fd) != 0 && number == 0)
		number = errno;
	return number;
}

/* Replace the old file with the new one. ext4 flushes a file renamed over another at once, which
 * would delay the next key, but not two files that are exchanged. */
static int replace(const struct ik_agent *agent)
{
#ifdef RENAME_EXCHANGE
	if (renameat2(AT_FDCWD, agent->draft_new, AT_FDCWD, agent->draft_path, RENAME_EXCHANGE) == 0) {
		(void)unlink(agent->draft_new);
		return 0;
	}
#endif
	return rename(agent->draft_new, agent->draft_path) == 0 ? 0 : errno;
}

/* Save an agent's draft; return 0 or errno. */
static int save(const struct ik_agent *agent)
{
	size_t length;
	bool any = unsent_at(agent, 0, &length);
	int number;

	if (!agent->draft_path)
		return any ? ENOENT : 0;
	if (!any)
		return unlink(agent->draft_path) == 0 || errno == ENOENT ? 0 : errno;
	number = write_new(agent);
	if (number == 0)
		number = replace(agent);
	if (number != 0)
		(void)unlink(agent->draft_new);
	return number;
}

void ik_chat_draft_begin(struct ik_agent *agent, bool empty)
{
	agent->draft_path = choose_draft(agent, empty);
	if (agent->draft_path)
		agent->draft_new = ik_format("%s.%ld", agent->draft_path, (long)getpid());
}

void ik_chat_draft_end(struct ik_agent *agent)
{
	free(agent->draft_path);
	free(agent->draft_new);
	agent->draft_path = agent->draft_new = NULL;
	if (agent->draft_lock >= 0)
		(void)close(agent->draft_lock);
	agent->draft_lock = -1;
}

void ik_chat_draft_load(struct ik_agent *agent)
{
	struct ik_buf raw, text;
	struct ik_error error;
	enum ik_status status;

	ik_chat_draft_begin(agent, false);
	if (!agent->draft_path)
		return;
	ik_buf_init(&raw, IK_LIMIT_USER_TEXT);
	ik_buf_init(&text, 3 * IK_LIMIT_USER_TEXT);
	status = ik_file_read(agent->draft_path, &raw, &error);
	if (status != IK_OK && status != IK_NOT_FOUND)
		ik_agent_say(agent, IK_EVENT_ERROR,
			_("%s. What you wrote here before and did not send stays in that file."), error.text);
	if (status == IK_OK && raw.length > 0) {
		ik_utf8_repair(&text, raw.data, raw.length);
		if (ik_buf_status(&text) == IK_OK)
			ik_screen_set_draft(agent->screen, text.data, text.length);
	}
	ik_buf_done(&raw);
	ik_buf_done(&text);
}

int ik_chat_draft_save(const struct ik_chat *chat)
{
	const struct ik_agent *agent;
	int number = 0, other;

	for (agent = chat->agents; agent; agent = agent->next) {
		other = save(agent);
		number = number != 0 ? number : other;
	}
	return number;
}

void ik_chat_draft_changed(struct ik_chat *chat)
{
	if (!ik_timer_running(chat->draft_timer))
		ik_timer_start(chat->draft_timer, SAVE_MS);
}

void ik_chat_draft_event(struct ik_agent *agent, const struct ik_event *event)
{
	if (event->kind == IK_EVENT_QUEUED)
		ik_chat_draft_changed(agent->chat);
	/* A sent message is now in the session's journal. */
	if (event->kind == IK_EVENT_MESSAGE && event->message->kind == IK_KIND_USER)
		ik_timer_start(agent->chat->draft_timer, 0);
}

/* Report once that a draft can't be saved. */
static void tell_failure(struct ik_agent *agent, int number)
{
	ik_log(IK_LOG_ERROR, "draft: %s", strerror(number));
	if (agent->chat->draft_told)
		return;
	agent->chat->draft_told = true;
	ik_agent_say(agent, IK_EVENT_ERROR,
		_("%s cannot be written: %s. What you write and do not send is lost if the program ends."),
		agent->draft_path, strerror(number));
}

void ik_chat_draft_due(void *arg)
{
	struct ik_chat *chat = arg;
	struct ik_agent *agent;
	size_t length;
	int number;

	for (agent = chat->agents; agent; agent = agent->next) {
		(void)ik_screen_draft(agent->screen, &length);
		if (length > SAVE_SOON_BYTES || !agent->draft_path)
			continue;
		number = save(agent);
		if (number != 0)
			tell_failure(agent, number);
	}
}

/* ---- queued messages, back in the editor ---- */

void ik_chat_take_back(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	struct ik_session *session = chat->core.session;
	size_t length, index = 0;
	const char *text;

	while (ik_session_queued(session, index, &length))
		index++;
	if (index == 0)
		return;
	text = ik_session_queued(session, index - 1, &length);
	if (ik_agent_put_back(chat->agent, text, length))
		ik_session_unqueue(session);
	/* The command output that went with it will go with the next message. */
	chat->agent->shared_command[0] = '\0';
}

bool ik_agent_put_back(struct ik_agent *agent, const char *message, size_t length)
{
	size_t draft_length;
	const char *draft = ik_screen_draft(agent->screen, &draft_length);
	struct ik_buf text;
	bool fits;

	if (length == 0)
		return true;
	ik_buf_init(&text, IK_LIMIT_USER_TEXT);
	ik_buf_append(&text, message, length);
	if (draft_length > 0)
		ik_buf_putc(&text, '\n');
	ik_buf_append(&text, draft, draft_length);
	fits = ik_buf_status(&text) == IK_OK;
	if (fits)
		ik_screen_set_draft(agent->screen, text.data, text.length);
	ik_buf_done(&text);
	return fits;
}

void ik_chat_take_queue_back(struct ik_chat *chat)
{
	struct ik_session *session = chat->core.session;
	struct ik_buf text;
	size_t length;
	const char *queued;

	ik_buf_init(&text, IK_LIMIT_USER_TEXT);
	for (size_t i = 0; (queued = ik_session_queued(session, i, &length)); i++) {
		if (i > 0)
			ik_buf_putc(&text, '\n');
		ik_buf_append(&text, queued, length);
	}
	while (ik_session_queued(session, 0, &length))
		ik_session_unqueue(session);
	ik_agent_put_back(chat->agent, text.data, text.length);
	ik_buf_done(&text);
}
