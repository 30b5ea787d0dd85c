#include "chat/external_editor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/temporary_file.h"
#include "loop/foreground.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#define NOT_FOUND 127 /* what a shell ends with when there is no such command */
#define SIGNALLED 128 /* ... and beyond: when a signal ended it */

struct ik_external_editor {
	struct ik_foreground *foreground;
	struct ik_temporary_file file;
	char *command;
};

/* Which editor. */
static const char *choose(void)
{
	static const char *const variables[] = { "VISUAL", "EDITOR" };
	size_t i;

	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value && value[strspn(value, " \t")] != '\0')
			return value;
	}
	return "vi";
}

/* Remove the file, unless what is in it is nowhere else. */
static void release(struct ik_chat *chat, bool taken)
{
	struct ik_external_editor *editor = chat->editor;

	chat->editor = NULL;
	if (taken)
		ik_temporary_file_remove(&editor->file);
	else
		ik_temporary_file_leave(&editor->file);
	free(editor->command);
	free(editor);
}

/* Take what the editor saved as the draft; false: it cannot be read, or is too large. */
static bool take_text(struct ik_chat *chat)
{
	struct ik_buf raw, text;
	struct ik_error error;
	const char *draft;
	char *sentence;
	size_t length;
	bool taken;

	ik_buf_init(&raw, IK_LIMIT_USER_TEXT);
	ik_buf_init(&text, 3 * IK_LIMIT_USER_TEXT);
	taken = ik_file_read(chat->editor->file.path, &raw, &error) == IK_OK;
	if (taken) {
		ik_utf8_repair(&text, raw.data, raw.length);
		draft = ik_screen_draft(chat->screen, &length);
		/* Editors end the last line. */
		if (text.length > 0 && text.data[text.length - 1] == '\n' &&
			(length == 0 || draft[length - 1] != '\n'))
			ik_buf_truncate(&text, text.length - 1);
		if (text.length != length || memcmp(text.data, draft, length) != 0)
			ik_screen_set_draft(chat->screen, text.data, text.length);
	} else {
		sentence = ik_format(_("%s. What you wrote in the editor stays in %s."), error.text,
			chat->editor->file.path);
		ik_chat_complain(chat, sentence);
		free(sentence);
	}
	ik_buf_done(&raw);
	ik_buf_done(&text);
	return taken;
}

/* It has ended, and the terminal is ours again. */
static void on_done(void *arg, int status)
{
	struct ik_chat *chat = arg;
	const char *command = chat->editor->command;
	/* Of its own or, from the shell that started it, of the editor. */
	int signal_number = WIFSIGNALED(status) ? WTERMSIG(status)
		: WEXITSTATUS(status) > SIGNALLED   ? WEXITSTATUS(status) - SIGNALLED
											: 0;
	char *sentence = NULL;
	bool taken = true;

	chat->editor->foreground = NULL;
	if (signal_number == 0 && WEXITSTATUS(status) == NOT_FOUND)
		sentence = ik_format(_("The editor \"%s\" could not be started: set VISUAL or EDITOR."),
			command);
	else if (signal_number == 0 && WEXITSTATUS(status) != 0)
		sentence = ik_format(_("\"%s\" ended with status %d: the text stays as it was."), command,
			WEXITSTATUS(status));
	else
		taken = take_text(chat);
	if (signal_number != 0)
		sentence = ik_format(_("\"%s\" was ended by signal %d: the text is what it saved last."),
			command, signal_number);
	if (sentence)
		ik_chat_complain(chat, sentence);
	free(sentence);
	release(chat, taken);
	(void)ik_chat_draft_save(chat);
}

/* Start the editor on the file. */
static bool start(struct ik_chat *chat, struct ik_error *error)
{
	struct ik_external_editor *editor = chat->editor;
	/* As other programs do it: the variable may hold options, too. */
	char *script = ik_format("%s \"$@\"", editor->command);
	const char *argv[] = { "sh", "-c", script, editor->command, editor->file.path, NULL };
	const struct ik_foreground_spec spec = {
		.path = "/bin/sh",
		.argv = argv,
		.directory = chat->setup->places.directory,
	};

	editor->foreground = ik_foreground_start(chat->loop, chat->tty, &spec, on_done, chat, error);
	free(script);
	return editor->foreground;
}

void ik_external_editor_open(struct ik_chat *chat)
{
	const char *command = choose(), *draft;
	struct ik_external_editor *editor;
	struct ik_error error;
	struct ik_temporary_file file;
	size_t length;

	if (chat->editor)
		return;
	draft = ik_screen_draft(chat->screen, &length);
	if (ik_temporary_file_make(&file, &chat->setup->places, "edit", "message.md", draft, length,
			&error) != IK_OK) {
		ik_chat_complain(chat, error.text);
		return;
	}
	editor = chat->editor = ik_alloc(sizeof(*editor));
	editor->file = file;
	editor->command = ik_strdup(command);
	if (!start(chat, &error)) {
		ik_chat_complain(chat, error.text);
		release(chat, true);
	}
}

void ik_external_editor_close(struct ik_chat *chat)
{
	if (!chat->editor)
		return;
	chat->editor->foreground = ik_foreground_close(chat->editor->foreground);
	release(chat, take_text(chat));
}
