/* Rescanning tools, and the actions of side panes: switch a tool on or off, show how providers
 * describe it, repeat or undo a call. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "core/skills.h"
#include "core/undo_command.h"
#include "provider/formats.h"
#include "tool/command_line.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

void ik_chat_refresh(struct ik_chat *chat, const char *line)
{
	if (line) {
		free(chat->refresh_line);
		chat->refresh_line = ik_strdup(line);
		chat->refresh_agent = chat->agent->number;
	}
	ik_screen_set_scan(chat->screen, IK_SCAN_IN_PROGRESS, 0, 0);
	if (line || chat->refresh_key)
		ik_screen_flash(chat->screen, _("Refreshing tools…"));
	ik_discovery_scan(chat->core.discovery, IK_CACHE_NOTHING);
}

/* A tool to be switched on or off. */
struct tool_switch {
	char *name;
	bool on;
};

enum { ANSWER_SESSION, ANSWER_ALWAYS, ANSWER_NO };

static void on_answer(struct ik_chat *chat, void *arg, const struct ik_invocation *answer)
{
	struct tool_switch *wish = arg;
	struct ik_error error;

	if (answer && answer->value != ANSWER_NO) {
		if (ik_core_switch_tool(&chat->core, wish->name, wish->on, answer->value == ANSWER_ALWAYS,
				&error) != IK_OK)
			ik_session_add_problem(chat->core.session, error.text);
		else
			ik_screen_set_scan(chat->screen, IK_SCAN_IN_PROGRESS, 0, 0);
	}
	free(wish->name);
	free(wish);
}

void ik_chat_switch_tool(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	const char *name = invocation->text;
	const struct ik_choice choices[] = {
		{ .key = 's', .label = _("This session"), .value = ANSWER_SESSION },
		{ .key = 'a', .label = _("Always"), .value = ANSWER_ALWAYS },
		{ .key = 'n', .label = _("No"), .value = ANSWER_NO },
	};
	struct ik_question question = {
		.choices = choices,
		.choice_count = 3,
		.escape = 2,
		.wanted = true,
		.guarded = true,
	};
	struct tool_switch *wish;
	char *title;

	wish = ik_alloc(sizeof(*wish));
	wish->name = ik_strdup(name);
	wish->on = !ik_registry_find(ik_core_registry(&chat->core), name) &&
		!ik_registry_skill(ik_core_registry(&chat->core), name);
	title = ik_format(wish->on ? _("Switch %s on?") : _("Switch %s off?"), name);
	question.title = title;
	ik_question_add_sentence(&question, IK_QUESTION_HINT,
		_("From the next round on. What holds for all sessions is "
		  "kept in ~/.ikigai/tools.json; config.json stays as it is."));
	(void)ik_agent_ask(chat->agent, &question, on_answer, wish);
	free(title);
}

/* Append a tool as described to the current provider (form 0), or in each wire format in turn,
 * always in the form with the strictest schema. Return false after the last. */
bool ik_chat_put_form(void *arg, const struct ik_tool *tool, size_t form, struct ik_buf *out,
	const char **ret_name)
{
	const struct ik_chat *chat = arg;
	const struct ik_model *now = ik_core_model(&chat->core);
	const struct ik_endpoint strict = { .strict_tools = true };
	const struct ik_wire_format *format = form > 0 ? ik_wire_format_at(form - 1) : now->format;
	const struct ik_tool_definition definition = ik_session_tool(tool);

	if (tool->state == IK_TOOL_SKILL) {
		*ret_name = now->endpoint.provider;
		ik_skill_put_line(tool, out);
		return form == 0 && out->length > 0;
	}
	if (!format)
		return false;
	if (form == 0 && ik_session_names(chat->core.session, tool)) {
		*ret_name = now->endpoint.provider;
		ik_command_line_put_name(tool, out);
		return true;
	}
	format->put_tool(out, form > 0 ? &strict : &now->endpoint, &definition);
	*ret_name = form > 0 ? format->type : now->endpoint.provider;
	return true;
}

/* ---- repeating a call ---- */

static void on_rerun(struct ik_chat *chat, void *arg)
{
	const char *line = arg;

	ik_chat_submit(chat, line, strlen(line));
}

/* Ask whether to run a line again. A single letter runs nothing. */
static void ask_to_rerun(struct ik_chat *chat, const char *title, struct ik_question shown,
	const char *line)
{
	const struct ik_confirmation about = {
		.title = title,
		.shown = shown,
		.yes_key = 'y',
		.yes = _("Yes"),
		.no_key = 'n',
		.no = _("No"),
		.guarded = true,
	};

	(void)ik_chat_confirm(chat, &about, on_rerun, ik_strdup(line));
}

void ik_chat_rerun(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	const char *line = invocation->text;
	size_t length = invocation->length;
	struct ik_question question = { .title = NULL };
	const char *arguments;
	char *name, *title;

	if (ik_chat_only_reads(chat))
		return;
	if (line[0] == '!') {
		ik_question_add(&question, IK_QUESTION_TEXT, line + 1, length - 1);
		ask_to_rerun(chat, _("Run this command again?"), question, line);
		return;
	}
	arguments = line + strlen("/run ");
	name = ik_strndup(arguments, strcspn(arguments, " "));
	arguments += strlen(name) + 1;
	length -= (size_t)(arguments - line);
	title = ik_format(_("Call %s again?"), name);
	ik_question_add_call(&question, chat->setup->places.directory,
		ik_registry_display(ik_core_registry(&chat->core), name), arguments, length);
	ask_to_rerun(chat, title, question, line);
	free(title);
	free(name);
}

/* ---- undoing a call ---- */

/* Run "/undo #ID". */
static void on_undo(struct ik_chat *chat, void *arg)
{
	const char *line = arg;

	ik_screen_uncover(chat->screen); /* to show the result for each file */
	ik_chat_submit(chat, line, strlen(line));
}

/* Ask, now that the changes of calls are recorded. */
static void ask_now(void *arg)
{
	struct ik_chat *chat = arg;
	char *id = chat->undo_call;

	chat->undo_call = NULL;
	if (id && !chat->ending)
		ik_chat_undo_call(chat, &(struct ik_invocation){ .text = id });
	free(id);
}

void ik_chat_undo_call(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	const char *id = invocation->text;
	struct ik_confirmation about = {
		.title = _("Undo what this call did?"),
		.yes_key = 't',
		.yes = _("Take it back"),
		.no_key = 'k',
		.no = _("Keep it"),
		.guarded = true,
	};
	struct ik_error error;
	struct ik_buf text;

	if (ik_chat_only_reads(chat))
		return;
	if (!ik_session_await_undo(chat->core.session, ask_now, chat)) {
		free(chat->undo_call);
		chat->undo_call = ik_strdup(id);
		return;
	}
	ik_buf_init(&text, IK_MIB(1));
	if (ik_undo_call_look(&chat->core, id, &text, &error) != IK_OK) {
		ik_screen_flash(chat->screen, error.text);
	} else {
		about.text = text.data;
		(void)ik_chat_confirm(chat, &about, on_undo, ik_format("/undo #%s", id));
	}
	ik_buf_done(&text);
}

void ik_chat_undo_event(struct ik_agent *agent, const struct ik_event *event)
{
	const struct ik_message *message = event->message;

	/* What the question says it would do may be done, or impossible now. */
	if (event->kind == IK_EVENT_MESSAGE && message->kind == IK_KIND_COMMAND &&
		(ik_text_starts(message->content, "/undo") || ik_text_starts(message->content, "/redo")))
		ik_agent_withdraw_all(agent, on_undo);
}
