#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>

#include "commands/action.h"
#include "commands/tool_text.h"
#include "conversation/title.h"
#include "core/export.h"
#include "core/policy_file.h"
#include "loop/orphans.h"
#include "tui/text/markdown_source.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

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
		ik_tool_text_show(registry, argument, "/tool", answer);
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
			_("/run needs the name of a tool and its arguments: /run glob {\"pattern\": \"*.c\"}"));
		return;
	}
	name = ik_strndup(argument, length);
	ik_session_run_tool(core->session, name, arguments, strlen(arguments));
	free(name);
}

/* Append the system prompt as it is sent, and the number and size of the tools sent with it. */
static void put_system(const struct ik_core *core, struct ik_buf *out)
{
	const struct ik_model *model = ik_core_model(core);
	size_t count = 0;
	struct ik_tool_definition *tools = ik_session_tools(core->session, &count);
	struct ik_buf definitions;

	ik_buf_init(&definitions, IK_LIMIT_REQUEST);
	for (size_t i = 0; i < count; i++)
		model->format->put_tool(&definitions, &model->endpoint, &tools[i]);
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
	/* The prompt is the first event of a session, so it is read last. */
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
	const char *replaced = ik_argument_after(invocation->text, "--force");
	char *file = without_quotes(replaced ? replaced : invocation->text);
	struct ik_error error;

	if (ik_export_start(core, invocation->line, file, replaced, &error) != IK_OK)
		ik_buf_puts(answer, error.text);
	free(file);
}

void ik_command_keep(const struct ik_core *core, const char *key, const char *value,
	struct ik_buf *answer)
{
	struct ik_error error;

	if (ik_setup_keep(core->setup, key, value, answer, &error) != IK_OK)
		ik_buf_printf(answer, _("It was not kept: %s\n"), error.text);
}

/* ---- /mode ---- */

static const char *const meanings[IK_MODE_COUNT] = {
	[IK_MODE_AUTO] = N_("tools run without asking, unless a rule says otherwise"),
	[IK_MODE_ASK] = N_("you are asked before a tool changes anything"),
	[IK_MODE_READ_ONLY] = N_("tools that could change anything don't run"),
};

void ik_mode_put(enum ik_mode mode, struct ik_buf *out)
{
	ik_buf_printf(out, "%s: %s", ik_mode_name(mode), _(meanings[mode]));
}

/* Append rules, numbered from first. */
static void put_rules(const struct ik_policy *policy, struct ik_buf *out, const char *heading,
	const struct ik_rules *rules, size_t first)
{
	if (rules->count == 0)
		return;
	ik_buf_printf(out, "%s\n", heading);
	for (size_t i = 0; i < rules->count; i++) {
		ik_buf_printf(out, "  %zu  %-5s  ", first + i, ik_rule_action_name(rules->items[i].action));
		ik_policy_put_rule(policy, &rules->items[i], out);
		ik_buf_putc(out, '\n');
	}
}

void ik_mode_text(struct ik_policy *policy, enum ik_mode mode, struct ik_buf *out)
{
	const struct ik_rules *kept = ik_policy_kept(policy), *session = ik_policy_session(policy);

	ik_buf_printf(out, "%s\n\n", _(meanings[mode]));
	put_rules(policy, out, _("Rules of the configuration (the first that fits decides):"),
		ik_policy_rules(policy), 1);
	put_rules(policy, out, _("Kept for good:"), kept, 1);
	put_rules(policy, out, _("Kept for this session:"), session, kept->count + 1);
	if (kept->count + session->count > 0)
		ik_buf_puts(out, _("/mode forget N takes a kept rule back."));
}

/* Delete the stored rule with that number. */
static void forget(struct ik_core *core, const char *text, struct ik_buf *out)
{
	struct ik_rules *kept = ik_policy_kept(core->policy);
	struct ik_rules *session = ik_policy_session(core->policy);
	char *end;
	unsigned long number = strtoul(text, &end, 10);
	struct ik_error error;

	if (text[0] < '0' || text[0] > '9' || *end != '\0' || number == 0 ||
		number > kept->count + session->count) {
		ik_buf_puts(out, _("There is no kept rule of that number. /mode lists them."));
		return;
	}
	if (number > kept->count) {
		ik_rules_remove(session, number - kept->count - 1);
	} else if (ik_policy_file_forget(core->policy_path, number - 1, kept, &error) != IK_OK) {
		ik_buf_puts(out, error.text);
		return;
	}
	ik_buf_puts(out, _("The rule is taken back."));
	ik_core_policy_changed(core);
}

void ik_command_mode(struct ik_core *core, const struct ik_invocation *invocation,
	struct ik_buf *answer)
{
	const char *argument = invocation->text, *forgotten = ik_argument_after(argument, "forget");
	enum ik_mode mode;

	if (forgotten) {
		forget(core, forgotten, answer);
	} else if (ik_mode_find(argument, &mode)) {
		ik_core_set_mode(core, mode);
		ik_mode_put(mode, answer);
		ik_buf_putc(answer, '\n');
		if (invocation->keep)
			ik_command_keep(core, "mode", argument, answer);
	} else {
		ik_buf_printf(answer,
			_("There is no mode \"%s\": /mode auto, /mode ask or /mode read-only."), argument);
	}
}

/* ---- /background ---- */

/* Limit on the bytes of a command or call on a line. */
#define LINE_WIDTH 200

/* Return the call with that id, or NULL. */
static const struct ik_message *find_call(const struct ik_conversation *conversation,
	const char *id)
{
	for (size_t i = ik_conversation_count(conversation); i-- > 0;) {
		const struct ik_message *message = ik_conversation_at(conversation, i);

		if (message->kind == IK_KIND_TOOL_CALL && message->call_id &&
			ik_text_equal(message->call_id, id))
			return message;
	}
	return NULL;
}

/* Append a process and what started it. */
static void put_orphan(const struct ik_conversation *conversation, const struct ik_orphan *orphan,
	struct ik_buf *out)
{
	const struct ik_message *call = orphan->call ? find_call(conversation, orphan->call) : NULL;

	ik_buf_printf(out, "  %d  ", orphan->pid);
	ik_elapsed_put(out, orphan->running_ms / 1000);
	ik_buf_printf(out, "  %.*s\n",
		(int)ik_utf8_cut(orphan->command, strlen(orphan->command), LINE_WIDTH), orphan->command);
	if (orphan->call)
		/* Translators: %s is the call of a tool. */
		ik_buf_printf(out, _("    started by %s\n"), call ? call->content : orphan->call);
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
			_("/background end PID ends one, /background end all; with ikigai they end at the "
			  "latest.\n"));
	}
	ik_orphans_free(orphans, count);
}

/* Ask one process, or all, to end. */
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
				_("No tool has left a process %ld running. /background lists them.\n"), pid);
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
	const char *ended = ik_argument_after(invocation->text, "end");

	if (invocation->length == 0)
		put_list(core->loop, ik_session_conversation(core->session), answer);
	else if (ended)
		put_end(core->loop, ended, answer);
	else
		ik_buf_puts(answer,
			_("/background lists what tools left running; /background end PID ends one, "
			  "/background end all.\n"));
}

/* ---- /copy ---- */

/* Find the text to copy: the number-th last reply, or the last code block of any reply. */
static bool find_text(const struct ik_conversation *conversation, size_t number, bool code,
	const char **ret_text, size_t *ret_length)
{
	size_t i;

	for (i = ik_conversation_count(conversation); i-- > 0;) {
		const struct ik_message *message = ik_conversation_at(conversation, i);

		if (message->kind != IK_KIND_ASSISTANT || message->content_length == 0)
			continue;
		if (code &&
			ik_markdown_last_code(message->content, message->content_length, ret_text, ret_length))
			return true;
		if (code || --number > 0)
			continue;
		*ret_text = message->content;
		*ret_length = message->content_length;
		return true;
	}
	return false;
}

enum ik_status ik_command_copy(const struct ik_core *core, const char *argument,
	const char **ret_text, size_t *ret_length, struct ik_error *error)
{
	bool code = ik_text_equal(argument, "code");
	char *end = NULL;
	long number = 1;

	if (!code && argument[0] != '\0')
		number = strtol(argument, &end, 10);
	if (number < 1 || (end && *end != '\0'))
		return ik_error_set(error, IK_INVALID, "%s",
			_("/copy copies the last reply; /copy 2 the one before it; /copy code the last block "
			  "of code."));
	if (find_text(ik_session_conversation(core->session), (size_t)number, code, ret_text,
			ret_length))
		return IK_OK;
	return ik_error_set(error, IK_NOT_FOUND, "%s",
		code ? _("There is no block of code yet.") : _("There are not so many replies."));
}
