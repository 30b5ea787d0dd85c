/* A picture on the clipboard: a program reads it, and it becomes a file that the message mentions,
 * so that it goes the way of any other file. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "loop/child.h"
#include "tool/output_files.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

#define PROGRAM_MS 10000
#define NOT_FOUND 127 /* a shell's exit status for an unknown command */

static const char standard[] =
	"[ \"$WAYLAND_DISPLAY\" ] && command -v wl-paste >/dev/null && exec wl-paste -t image/png; "
	"command -v xclip >/dev/null && exec xclip -selection clipboard -t image/png -o; exit 127";

struct ik_chat_paste {
	struct ik_child *child;
	struct ik_buf bytes;
	int agent; /* where the key was pressed */
};

/* Return how the name of a picture's file ends, by its first bytes; NULL: it is none. */
static const char *end_for(const struct ik_buf *bytes)
{
	static const struct {
		const char *end, *bytes;
	} formats[] = {
		{ ".png", "\x89PNG" },
		{ ".jpg", "\xff\xd8\xff" },
		{ ".gif", "GIF8" },
		{ ".webp", "RIFF" },
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (bytes->length >= 8 && ik_text_starts(bytes->data, formats[i].bytes))
			return formats[i].end;
	return NULL;
}

/* Put the mention of a file into the agent's message. */
static void mention(const struct ik_agent *agent, const char *path)
{
	const char *home = agent->chat->setup->places.user_home;
	bool at_home = home && ik_text_starts(path, home) && path[strlen(home)] == '/';
	bool quoted = strpbrk(path, " \t");
	char *text = ik_format("@%s%s%s%s ", quoted ? "\"" : "", at_home ? "~" : "",
		path + (at_home ? strlen(home) : 0), quoted ? "\"" : "");

	ik_screen_insert(agent->screen, text);
	free(text);
}

/* Keep the picture as a file that goes in time, like what was cut of results. */
static void keep(struct ik_chat *chat, const struct ik_agent *agent, const struct ik_buf *bytes,
	const char *end)
{
	char *root = ik_places_file(&chat->setup->places, "outputs");
	struct ik_output_files *files = !root
		? NULL
		: ik_output_files_new(root, "picture",
			  chat->setup->config->keep_outputs_mb * (int64_t)IK_MIB(1));
	const char *path = ik_output_files_add(files, end, bytes->data, bytes->length);

	while (!ik_output_files_write(files))
		;
	if (path)
		mention(agent, path);
	else
		ik_chat_flash(chat, _("The picture could not be kept as a file"));
	(void)ik_output_files_free(files);
	free(root);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct ik_chat *chat = arg;

	ik_buf_append(&chat->paste->bytes, bytes, length);
}

static void on_done(void *arg, const struct ik_child_result *result)
{
	struct ik_chat *chat = arg;
	const struct ik_agent *agent = ik_agent_find(chat, chat->paste->agent);
	const struct ik_buf *bytes = &chat->paste->bytes;
	const char *end = result->exited && ik_buf_status(bytes) == IK_OK ? end_for(bytes) : NULL;

	if (result->exited && result->exit_code == NOT_FOUND)
		/* A notice, as it can be wider than the line of the others. */
		ik_core_tell(&chat->core,
			_("Nothing here reads the clipboard: install wl-clipboard (Wayland) or "
			  "xclip (X11), or set ui.paste_image."));
	else if (ik_buf_status(bytes) != IK_OK)
		ik_chat_flash(chat, _("The picture on the clipboard is too large"));
	else if (!end)
		ik_chat_flash(chat, _("There is no picture on the clipboard"));
	else if (agent)
		keep(chat, agent, bytes, end);
	ik_chat_paste_done(chat);
}

void ik_chat_paste_image(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	static const struct ik_child_events events = { .output = on_output, .done = on_done };
	const char *own = chat->setup->config->ui_paste_image;
	const char *argv[] = { "sh", "-c", own ? own : standard, NULL };
	const struct ik_child_spec spec = {
		.path = "/bin/sh",
		.argv = argv,
		.directory = chat->setup->places.directory,
		.timeout_ms = PROGRAM_MS,
		.discard_stderr = true,
	};
	struct ik_error error;

	if (chat->paste)
		return;
	chat->paste = ik_alloc(sizeof(*chat->paste));
	chat->paste->agent = chat->agent->number;
	ik_buf_init(&chat->paste->bytes, IK_LIMIT_PICTURE);
	if (ik_child_start(chat->loop, &spec, &events, chat, &chat->paste->child, &error) == IK_OK)
		return;
	ik_chat_flash(chat, "%s", error.text);
	ik_chat_paste_done(chat);
}

void ik_chat_paste_done(struct ik_chat *chat)
{
	if (!chat->paste)
		return;
	(void)ik_child_close(chat->paste->child);
	ik_buf_done(&chat->paste->bytes);
	free(chat->paste);
	chat->paste = NULL;
}
