#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>

#include "loop/orphans.h"
#include "tui/text/quantity.h"
#include "util/limits.h"
#include "util/text.h"

/* Bytes that a command, or a call, takes at most in a line. */
#define LINE_WIDTH 200

/* "bash(command=\"sleep 300 &\")" of the call with that id, or NULL. New memory. */
static char *call_line(const struct ik_conversation *conversation, const char *id)
{
	char *name, *arguments, *line = NULL;
	size_t length;

	for (size_t i = ik_conversation_count(conversation); i-- > 0 && !line;) {
		const struct ik_message *message = ik_conversation_at(conversation, i);

		if (message->kind != IK_KIND_TOOL_CALL || !ik_text_equal(message->call_id, id))
			continue;
		name = ik_message_tool_name(message);
		arguments = ik_message_arguments(message, &length);
		if (name && arguments)
			line = ik_call_summary(name, arguments, length, LINE_WIDTH);
		free(name);
		free(arguments);
	}
	return line;
}

/* A process and where it comes from. */
static void put_orphan(const struct ik_conversation *conversation, const struct ik_orphan *orphan,
	struct ik_buf *out)
{
	char *line = orphan->call ? call_line(conversation, orphan->call) : NULL;

	ik_buf_printf(out, "  %d  ", orphan->pid);
	ik_elapsed_put(out, orphan->running_ms / 1000);
	ik_buf_printf(out, "  %.*s\n", LINE_WIDTH, orphan->command);
	if (line || orphan->call)
		/* Translators: %s is the call of a tool. */
		ik_buf_printf(out, _("    started by %s\n"), line ? line : orphan->call);
	free(line);
}

static void put_list(struct ik_loop *loop, const struct ik_conversation *conversation,
	struct ik_buf *out)
{
	size_t count;
	struct ik_orphan *orphans = ik_orphans_list(loop, &count);

	if (count == 0) {
		ik_buf_puts(out, _("No tool has left anything running.\n"));
	} else {
		ik_buf_printf(out,
			ngettext("%zu process that a tool left running:\n",
				"%zu processes that tools left running:\n", (unsigned long)count),
			count);
		for (size_t i = 0; i < count; i++)
			put_orphan(conversation, &orphans[i], out);
		ik_buf_puts(out,
			_("/background end PID ends one, /background end all; with ikigai they "
			  "end at the latest.\n"));
	}
	ik_orphans_free(orphans, count);
}

/* Tell one, or all, to end. */
static void put_end(struct ik_loop *loop, const char *word, struct ik_buf *out)
{
	char *end;
	long pid = strtol(word, &end, 10);
	struct ik_orphan *orphans;
	size_t count = 0, told = 0;

	if (word[0] != '\0' && (*end != '\0' || pid <= 0 || pid > INT32_MAX)) {
		ik_buf_printf(out, _("%s is no number of a process. /background lists them.\n"), word);
		return;
	}
	if (word[0] != '\0') {
		told = ik_orphan_end(loop, (int)pid);
		if (told == 0)
			ik_buf_printf(out,
				_("No tool has left a process %ld running. "
				  "/background lists them.\n"),
				pid);
	} else {
		orphans = ik_orphans_list(loop, &count);
		for (size_t i = 0; i < count; i++)
			told += ik_orphan_end(loop, orphans[i].pid);
		ik_orphans_free(orphans, count);
		if (told == 0)
			ik_buf_puts(out, _("No tool has left anything running.\n"));
	}
	if (told > 0)
		ik_buf_printf(out,
			ngettext("%zu process was told to end.\n", "%zu processes were told to end.\n",
				(unsigned long)told),
			told);
}

void ik_command_background(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	const char *argument = invocation->text;

	if (argument[0] == '\0')
		put_list(core->loop, ik_session_conversation(core->session), answer);
	else if (ik_text_equal(argument, "end"))
		put_end(core->loop, "", answer);
	else if (ik_text_starts(argument, "end "))
		put_end(core->loop, argument + 4 + strspn(argument + 4, " "), answer);
	else
		ik_buf_puts(answer,
			_("/background lists what tools left running; /background end PID ends "
			  "one, /background end all.\n"));
}
