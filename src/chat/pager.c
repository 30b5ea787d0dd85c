#include "chat/pager.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "chat/chat_private.h"
#include "core/temporary_file.h"
#include "loop/foreground.h"
#include "util/alloc.h"
#include "util/text.h"

struct ik_pager {
	struct ik_foreground *foreground;
	struct ik_temporary_file file;
};

/* Remove the file. */
static void release(struct ik_chat *chat)
{
	struct ik_pager *pager = chat->pager;

	chat->pager = NULL;
	ik_temporary_file_remove(&pager->file);
	free(pager);
}

/* It has ended, and the terminal is ours again. */
static void on_done(void *arg, int status)
{
	struct ik_chat *chat = arg;

	chat->pager->foreground = NULL;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		ik_chat_complain(chat, _("The pager could not be started: set PAGER."));
	release(chat);
}

void ik_pager_open(struct ik_chat *chat, const char *text, size_t length)
{
	const char *command = getenv("PAGER");
	struct ik_temporary_file file;
	struct ik_error error;
	char *script;

	if (chat->pager || chat->editor)
		return;
	if (!command || command[strspn(command, " \t")] == '\0')
		command = "less -R";
	if (ik_temporary_file_make(&file, &chat->setup->places, "page", "page.txt", text, length,
			&error) != IK_OK) {
		ik_chat_complain(chat, error.text);
		return;
	}
	chat->pager = ik_alloc(sizeof(*chat->pager));
	chat->pager->file = file;
	/* As other programs do it: the variable may hold options, too. */
	script = ik_format("%s \"$@\"", command);
	{
		const char *argv[] = { "sh", "-c", script, command, file.path, NULL };
		const struct ik_foreground_spec spec = {
			.path = "/bin/sh",
			.argv = argv,
			.directory = chat->setup->places.directory,
		};

		chat->pager->foreground = ik_foreground_start(chat->loop, chat->tty, &spec, on_done, chat,
			&error);
	}
	free(script);
	if (!chat->pager->foreground) {
		ik_chat_complain(chat, error.text);
		release(chat);
	}
}

void ik_pager_close(struct ik_chat *chat)
{
	if (!chat->pager)
		return;
	chat->pager->foreground = ik_foreground_close(chat->pager->foreground);
	release(chat);
}
