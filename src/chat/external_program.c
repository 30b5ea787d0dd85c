#include "chat/chat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop/foreground.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#define NOT_FOUND 127 /* a shell's exit status for an unknown command */
#define SIGNALLED 128 /* ... and above: a signal ended it */

/* A file in a directory of its own that only this user can read: in ikigai's home, or in TMPDIR
 * or /tmp if that can't be written (a full or read-only disk). */
struct temporary_file {
	char *directory, *path;
};

/* Remove the file and its directory, or leave them to the user. */
static void file_done(struct temporary_file *file, bool remove)
{
	if (remove) {
		(void)unlink(file->path);
		(void)rmdir(file->directory);
	}
	free(file->path);
	free(file->directory);
}

/* Create the file in a new directory named by template, which we own from then on. */
static enum ik_status make_in(struct temporary_file *file, char *template, const char *name,
	const char *text, size_t length, struct ik_error *error)
{
	*file = (struct temporary_file){ .directory = template };
	if (!mkdtemp(template)) {
		enum ik_status status = ik_error_set_errno(error, errno, _("cannot make %s"), template);

		free(template);
		return status;
	}
	file->path = ik_path_join(template, name);
	enum ik_status status = ik_file_write_unsynced(file->path, text, length, 0600, error);

	if (status != IK_OK)
		file_done(file, true);
	return status;
}

/* Create a file with a text; the directory's name starts with kind. */
static enum ik_status make_file(struct temporary_file *file, const struct ik_places *places,
	const char *kind, const char *name, const char *text, size_t length, struct ik_error *error)
{
	char *relative = ik_format("%s-XXXXXX", kind);
	char *template = ik_places_file(places, relative);

	free(relative);
	if (template && make_in(file, template, name, text, length, error) == IK_OK)
		return IK_OK;
	return make_in(file, ik_format("%s/ikigai-%s-XXXXXX", ik_path_temporary(), kind), name, text,
		length, error);
}

/* ---- the program ---- */

struct ik_external_program {
	struct ik_foreground *foreground;
	struct temporary_file file;
	char *command;
	bool edits; /* its file becomes the draft */
};

/* Return the first of two variables that names a program, else a default. */
static const char *choose(const char *first, const char *second, const char *standard)
{
	const char *const values[] = { getenv(first), getenv(second) };

	for (size_t i = 0; i < 2; i++)
		if (values[i] && values[i][strspn(values[i], " \t")] != '\0')
			return values[i];
	return standard;
}

/* Release the program. remove: also remove its file; false if it has the only copy of a text. */
static void release(struct ik_chat *chat, bool remove)
{
	struct ik_external_program *program = chat->program;

	chat->program = NULL;
	file_done(&program->file, remove);
	free(program->command);
	free(program);
}

/* Use what the editor saved as the draft; return false if it can't be read or is too large. */
static bool take_text(struct ik_chat *chat)
{
	struct ik_buf raw, text;
	struct ik_error error;
	const char *draft;
	size_t length;
	bool taken;

	ik_buf_init(&raw, IK_LIMIT_USER_TEXT);
	ik_buf_init(&text, 3 * IK_LIMIT_USER_TEXT);
	taken = ik_file_read(chat->program->file.path, &raw, &error) == IK_OK;
	if (taken) {
		ik_utf8_repair(&text, raw.data, raw.length);
		draft = ik_screen_draft(chat->screen, &length);
		/* Editors add a final line end. */
		if (text.length > 0 && text.data[text.length - 1] == '\n' &&
			(length == 0 || draft[length - 1] != '\n'))
			ik_buf_truncate(&text, text.length - 1);
		if (text.length != length || memcmp(text.data, draft, length) != 0)
			ik_screen_set_draft(chat->screen, text.data, text.length);
	} else {
		ik_agent_say(chat->agent, IK_EVENT_ERROR,
			_("%s. What you wrote in the editor stays in %s."), error.text,
			chat->program->file.path);
	}
	ik_buf_done(&raw);
	ik_buf_done(&text);
	return taken;
}

/* Report why the editor's text may not be what the user meant, and return whether to use it. */
static bool judge_editor(struct ik_chat *chat, int status)
{
	const char *command = chat->program->command;
	/* The shell was killed, or it reports that the editor was. */
	int signal_number = WIFSIGNALED(status) ? WTERMSIG(status)
		: WEXITSTATUS(status) > SIGNALLED   ? WEXITSTATUS(status) - SIGNALLED
											: 0;
	int code = signal_number == 0 ? WEXITSTATUS(status) : 0;

	if (code == NOT_FOUND)
		ik_agent_say(chat->agent, IK_EVENT_ERROR,
			_("The editor \"%s\" could not be started: set VISUAL or EDITOR."), command);
	else if (code != 0)
		ik_agent_say(chat->agent, IK_EVENT_ERROR,
			_("\"%s\" ended with status %d: the text stays as it was."), command, code);
	else if (signal_number != 0)
		ik_agent_say(chat->agent, IK_EVENT_ERROR,
			_("\"%s\" was ended by signal %d: the text is what it saved last."), command,
			signal_number);
	return code == 0;
}

/* Handle the end of the program: the terminal is ours again. */
static void on_done(void *arg, int status)
{
	struct ik_chat *chat = arg;

	chat->program->foreground = NULL;
	if (!chat->program->edits) {
		if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
			ik_agent_say(chat->agent, IK_EVENT_ERROR,
				_("The pager could not be started: set PAGER."));
		release(chat, true);
		return;
	}
	release(chat, !judge_editor(chat, status) || take_text(chat));
	(void)ik_chat_draft_save(chat);
}

static bool start(struct ik_chat *chat, struct ik_error *error)
{
	struct ik_external_program *program = chat->program;
	/* As in other programs, the variable may contain options. */
	char *script = ik_format("%s \"$@\"", program->command);
	const char *argv[] = { "sh", "-c", script, program->command, program->file.path, NULL };
	const struct ik_foreground_spec spec = {
		.path = "/bin/sh",
		.argv = argv,
		.directory = chat->setup->places.directory,
	};

	program->foreground = ik_foreground_start(chat->loop, chat->tty, &spec, on_done, chat, error);
	free(script);
	return program->foreground;
}

/* Write the text to a file, and give the terminal to the program. */
static void open_program(struct ik_chat *chat, const char *command, bool edits, const char *text,
	size_t length)
{
	struct temporary_file file;
	struct ik_error error;

	if (chat->program)
		return;
	if (make_file(&file, &chat->setup->places, edits ? "edit" : "page",
			edits ? "message.md" : "page.txt", text, length, &error) != IK_OK) {
		ik_agent_say(chat->agent, IK_EVENT_ERROR, "%s", error.text);
		return;
	}
	chat->program = ik_alloc(sizeof(*chat->program));
	*chat->program = (struct ik_external_program){
		.file = file,
		.command = ik_strdup(command),
		.edits = edits,
	};
	if (!start(chat, &error)) {
		ik_agent_say(chat->agent, IK_EVENT_ERROR, "%s", error.text);
		release(chat, true);
	}
}

void ik_external_editor_open(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	size_t length;
	const char *draft = ik_screen_draft(chat->screen, &length);

	open_program(chat, choose("VISUAL", "EDITOR", "vi"), true, draft, length);
}

void ik_external_pager_open(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	open_program(chat, choose("PAGER", "PAGER", "less -R"), false, invocation->text,
		invocation->length);
}

void ik_external_program_close(struct ik_chat *chat)
{
	if (!chat->program)
		return;
	chat->program->foreground = ik_foreground_close(chat->program->foreground);
	release(chat, !chat->program->edits || take_text(chat));
}
