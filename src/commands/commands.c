#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>

#include "commands/tool_text.h"
#include "conversation/title.h"
#include "core/export.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

void ik_command_tool(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	struct ik_registry *registry = ik_core_registry(core);
	const char *argument = invocation->text;

	if (!core->scanned)
		ik_buf_printf(answer, "%s\n", _("Loading tools…"));
	else if (argument[0] == '\0' || ik_text_equal(argument, "--all"))
		ik_tool_text_list(registry, argument[0] != '\0', answer);
	else
		(void)ik_tool_text_show(registry, argument, "/tool", answer);
}

void ik_command_refreshed(struct ik_session *session, const char *line,
	const struct ik_registry *registry)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(16));
	ik_buf_printf(&out, "%s\n", _("Refreshing tools…"));
	ik_tool_text_refreshed(registry, &out);
	ik_command_answer(session, line, &out);
}

void ik_command_run(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	const char *argument = invocation->text;
	size_t length = strcspn(argument, " \t\n");
	const char *arguments = argument + length + strspn(argument + length, " \t\n");
	char *name;

	if (length == 0) {
		ik_buf_puts(answer,
			_("/run needs the name of a tool and its arguments: "
			  "/run glob {\"pattern\": \"*.c\"}"));
		return;
	}
	name = ik_strndup(argument, length);
	ik_session_run_tool(core->session, name, arguments, strlen(arguments));
	free(name);
}

/* Append the system prompt as it is sent, and the number and size of the tools that go along. */
static void put_system(const struct ik_core *core, struct ik_buf *out)
{
	struct ik_model_spec spec = ik_model_choice_spec(ik_core_choice(core));
	size_t count = 0;
	struct ik_tool_definition *tools = ik_session_tools(core->session, &count);
	struct ik_buf definitions;

	ik_buf_init(&definitions, IK_LIMIT_REQUEST);
	for (size_t i = 0; i < count; i++)
		spec.format->put_tool(&definitions, &spec.endpoint, &tools[i]);
	ik_buf_puts(out, ik_session_system_prompt(core->session));
	ik_buf_puts(out, "\n\n");
	ik_buf_printf(out,
		ngettext("%zu tool is described besides, in %zu bytes.",
			"%zu tools are described besides, in %zu bytes.", count),
		count, definitions.length);
	ik_buf_putc(out, '\n');
	ik_buf_done(&definitions);
	free(tools);
}

void ik_command_system(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	/* The prompt is the first event of a session, and read last. */
	if (ik_session_loading(core->session))
		ik_buf_puts(answer, _("This session is still being read. Type /system again in a moment."));
	else
		put_system(core, answer);
}

void ik_command_compact(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	ik_session_compact(core->session, invocation->line, invocation->text);
}

void ik_command_title(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	char *title = invocation->length > 0
		? ik_session_title(invocation->text, invocation->length)
		: ik_conversation_title(ik_session_conversation(core->session));

	if (title[0] == '\0')
		ik_buf_puts(answer, _("The session has no title yet: /title TEXT gives it one."));
	else
		ik_buf_printf(answer, _("Title: %s"), title);
	free(title);
}

/* Return a name without the quotes that a shell would remove; the caller frees it. */
static char *without_quotes(const char *name)
{
	size_t length = strlen(name);
	bool quoted = length > 2 && strchr("\"'", name[0]) &&
		strchr(name + 1, name[0]) == name + length - 1;

	return quoted ? ik_strndup(name + 1, length - 2) : ik_strdup(name);
}

void ik_command_export(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	static const char force[] = "--force";
	const char *argument = invocation->text;
	struct ik_error error;
	bool replace = strncmp(argument, force, strlen(force)) == 0 &&
		strchr(" ", argument[strlen(force)]);

	if (replace) {
		argument += strlen(force);
		argument += strspn(argument, " ");
	}
	char *file = without_quotes(argument);

	if (ik_export_start(core, invocation->line, file, replace, &error) != IK_OK)
		ik_buf_puts(answer, error.text);
	free(file);
}
