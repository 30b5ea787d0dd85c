/*
 * The table of actions: what commands and keys do.
 *
 * To add a command, add a row and its function; completion, /help and the check
 * of ikigai(1) use the table.  To bind a key to it, set .key to its action.
 */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "core/undo_command.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* Limit of clipboard text: xterm and others accept sequences of up to 100,000 bytes, GNU screen
 * of 768, in base64. */
#define CLIPBOARD_BYTES 74994
#define SCREEN_PIECE 189

/* /help [COMMAND] */
static void help(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	ik_command_help(&chat->core, ik_actions_rows(chat->actions), invocation->text, &out);
	ik_command_answer(chat->core.session, invocation->line, &out);
}

/* ---- tools and rules ---- */

/* Rescan the tools. Only the command reads the project's instructions again. */
static void refresh(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	if (invocation->line)
		ik_core_read_instructions(&chat->core);
	ik_chat_trust_again(chat);
	chat->refresh_key = chat->refresh_key || !invocation->line;
	ik_chat_refresh(chat, invocation->line);
}

/* ---- the model ---- */

/* /model NAME: the provider may take a while to answer. */
static void use_model(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(16));
	ik_command_model(&chat->core, invocation, &out);
	if (out.length > 0) {
		ik_command_answer(chat->core.session, invocation->line, &out);
		return;
	}
	ik_buf_done(&out);
	ik_chat_flash(chat, _("Asking %s what it offers…"),
		ik_core_model(&chat->core)->endpoint.provider);
}

static void tell_copied(struct ik_chat *chat, const char *text, size_t length, size_t copied,
	bool cut)
{
	size_t count = ik_utf8_count(text, copied);

	if (cut)
		ik_chat_flash(chat,
			_("Copied the first %'zu characters: terminals take no more; /export writes all"),
			count);
	else if (copied < length)
		ik_chat_flash(chat,
			_("Copied the first %'zu of %'zu characters: terminals take no more; "
			  "/export writes all"),
			count, ik_utf8_count(text, length));
	else
		ik_chat_flash(chat, ngettext("Copied %'zu character", "Copied %'zu characters", count),
			count);
}

/* Can a terminal of this type have a clipboard at all? */
static bool has_clipboard(const char *type)
{
	return type && strcmp(type, "linux") != 0 && strncmp(type, "vt", 2) != 0;
}

/* Append the sequence that copies a text to the clipboard (OSC 52). GNU screen, known by its
 * type outside tmux, only passes on short pieces. tmux handles it according to its
  * set-clipboard. */
static void put_on_clipboard(struct ik_buf *out, const char *text, size_t length, const char *type)
{
	bool screen = !getenv("TMUX") && strncmp(type, "screen", 6) == 0;
	size_t piece = screen ? SCREEN_PIECE : CLIPBOARD_BYTES;

	ik_buf_puts(out, screen ? "\033P\033]52;c;" : "\033]52;c;");
	for (size_t at = 0; at < length; at += piece) {
		if (at > 0)
			ik_buf_puts(out, "\033\\\033P");
		ik_base64_put(out, text + at, length - at < piece ? length - at : piece);
	}
	ik_buf_puts(out, screen ? "\a\033\\" : "\a");
}

/* Copy a text to the terminal's clipboard, and say so. cut: it is the beginning of a larger
 * text. */
static void copy(struct ik_chat *chat, const char *text, size_t length, bool cut)
{
	const char *type = getenv("TERM");
	size_t copied = length;
	struct ik_buf out;

	if (length == 0) {
		ik_screen_flash(chat->screen, _("There is nothing to copy here"));
		return;
	}
	if (!has_clipboard(type)) {
		ik_screen_flash(chat->screen, _("This terminal has no clipboard; /export writes a file"));
		return;
	}
	if (copied > CLIPBOARD_BYTES)
		copied = ik_utf8_cut(text, length, CLIPBOARD_BYTES);
	ik_buf_init(&out, IK_MIB(1));
	put_on_clipboard(&out, text, copied, type);
	ik_tty_write(chat->tty, out.data, out.length);
	ik_buf_done(&out);
	tell_copied(chat, text, length, copied, cut);
}

/* /copy [N | code] */
static void copy_reply(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	struct ik_error error;
	const char *text;
	size_t length;

	if (ik_command_copy(&chat->core, invocation->text, &text, &length, &error) == IK_OK)
		copy(chat, text, length, false);
	else
		ik_session_add_command(chat->core.session, invocation->line, error.text);
}

/* ---- sessions ---- */

/* Store a command that has no output, once the session has begun. */
static void note(struct ik_chat *chat, const char *line)
{
	struct ik_session *session = chat->core.session;

	if (line && ik_conversation_count(ik_session_conversation(session)) > 0)
		ik_session_add_command(session, line, "");
}

/* /new: start another session on an empty screen, and say how to return. */
static void new_session(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	struct ik_session *session = chat->core.session;
	bool said;
	char *sentence;

	if (ik_session_busy(session)) {
		ik_session_add_command(session, invocation->line,
			_("Something is under way: wait for its end, or cancel it."));
		return;
	}
	note(chat, invocation->line);
	said = ik_resume_is_possible(session);
	sentence = ik_format(_("A new session. The one before: /resume %s"), ik_session_id(session));
	ik_chat_take_queue_back(chat); /* the held messages */
	ik_agent_session_changed(chat->agent);
	if (ik_agent_begin_session(chat->agent) && said)
		ik_session_add_notice(chat->core.session, sentence);
	ik_core_tell_store_again(&chat->core);
	free(sentence);
}

/* /sessions [WORDS] */
static void show_sessions(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	ik_sessions_open(ik_screen_open_sessions(chat->screen), invocation->text);
}

/* /search [WORDS] */
static void search_sessions(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	ik_sessions_search(ik_screen_open_sessions(chat->screen), invocation->text);
}

/* /resume [N | ID | WORDS] */
static void resume_session(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	if (invocation->text[0] != '\0')
		ik_chat_resume_named(chat, invocation->text);
	else
		ik_sessions_pick(ik_screen_open_sessions(chat->screen), "");
}

/* ---- the screen ---- */

/* /mouse [on | off]: only an error is worth storing. */
static void set_mouse(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	const char *text = invocation->text;

	if (text[0] == '\0')
		ik_chat_set_mouse(chat, !chat->modes.mouse);
	else if (ik_text_equal(text, "on") || ik_text_equal(text, "off"))
		ik_chat_set_mouse(chat, ik_text_equal(text, "on"));
	else
		ik_session_add_command(chat->core.session, invocation->line,
			_("/mouse takes on or off; alone it switches."));
}

/* /theme NAME */
static void set_theme(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	struct ik_buf out;
	struct ik_config *config = chat->setup->config;
	const char *name = invocation->text;
	struct ik_error error;

	ik_buf_init(&out, IK_KIB(64));
	if ((!ik_text_equal(name, "auto") && !ik_theme_find(&chat->setup->themes, name)) ||
		ik_config_set(config, "ui.theme", name, ik_config_origin(config, "ui.theme"), "/theme",
			&error) != IK_OK) {
		ik_buf_printf(&out, _("There is no theme \"%s\": /theme lists them."), name);
	} else {
		ik_buf_printf(&out, _("The theme is %s now."), name);
		ik_buf_putc(&out, '\n');
		if (invocation->keep)
			ik_command_keep(&chat->core, "ui.theme", name, &out);
		ik_chat_terminal_ask(chat);
	}
	ik_command_answer(chat->core.session, invocation->line, &out);
}

/* /clear */
static void clear_screen(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	note(chat, invocation->line);
	ik_screen_clear(chat->screen);
}

/* /quit */
static void quit(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	note(chat, invocation->line);
	ik_chat_quit(chat);
}

/* ---- keys alone ---- */

static void submit(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	ik_chat_submit(chat, invocation->text, invocation->length);
}

static void go_on(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	ik_session_go_on(chat->core.session);
}

static void cancel(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	if (chat->agent->sending)
		ik_chat_stop_sending(chat->agent);
	else
		ik_session_cancel(chat->core.session);
}

static void suspend(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	(void)ik_chat_draft_save(chat);
	ik_agents_pause(chat, true);
	ik_tty_suspend(chat->tty);
}

static void redraw(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	ik_chat_redraw(chat);
}

static void next_mode(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	enum ik_mode mode = (ik_policy_mode(chat->core.policy) + 1) % IK_MODE_COUNT;
	struct ik_buf out;

	ik_core_set_mode(&chat->core, mode);
	ik_buf_init(&out, IK_KIB(4));
	ik_mode_put(mode, &out);
	ik_screen_flash(chat->screen, out.data);
	ik_buf_done(&out);
}

static void show_agent(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	ik_agent_show_number(chat, invocation->number);
}

static void copy_text(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	copy(chat, invocation->text, invocation->length, invocation->cut);
}

static void resume_selected(struct ik_chat *chat, const struct ik_invocation *invocation)
{
	ik_chat_resume(chat, invocation->text);
}

/* ---- the table ---- */

/* clang-format off */
/* Commands first, in the order of /help within their groups; then actions that only have keys. */
static const struct ik_action_row rows[] = {
	{.name = "/help", .usage = "[COMMAND]", .run = help,
		.group = IK_GROUP_SCREEN, .description = N_("list the commands, or explain one")},
	{.name = "/tool", .usage = "[NAME | --all]", .argument = IK_ARGUMENT_TOOL,
		.core = ik_command_tool,
		.group = IK_GROUP_TOOLS, .description = N_("list the tools, or show one"),
		.details = N_("Without a name: all tools that the model is offered. With one: what it "
			"takes and what it returns. --all: also those that failed, and why. {browser} shows "
			"the same, and more, in a pane.")},
	{.name = "/refresh", .key = IK_ACTION_REFRESH, .run = refresh,
		.group = IK_GROUP_TOOLS, .description = N_("look for tools again"),
		.details = N_("All tools are asked for their schemas again, and the project's instructions "
			"are read again. Tools that are saved, changed or removed are noticed by themselves.")},
	{.name = "/mode", .usage = "[NAME | forget N]", .argument = IK_ARGUMENT_MODE,
		.core = ik_command_mode,
		.group = IK_GROUP_TOOLS,
		.description = N_("choose which tool calls are made: auto, ask, read-only"),
		.details = N_("auto: calls are made as the rules say. ask: all others are asked about. "
			"read-only: nothing that changes anything is called. Alone it lets you choose, and "
			"shows the rules; --keep keeps the choice in config.json; forget N takes back what "
			"you once allowed for good.")},
	{.name = "/sandbox", .usage = "[NAME]", .argument = IK_ARGUMENT_SANDBOX,
		.core = ik_command_sandbox,
		.group = IK_GROUP_TOOLS,
		.description = N_("choose where tools may write: off, project, read-only"),
		.details = N_("The kernel holds it, for tools and all that they start. project: files of "
			"the session's directory and temporary ones. read-only: temporary ones. Alone it lets "
			"you choose, and shows what is writable, what is hidden, and which rules the kernel "
			"does not hold. --keep keeps the choice in config.json.")},
	{.name = "/run", .usage = "TOOL JSON", .argument = IK_ARGUMENT_CALL, .writes = true,
		.core = ik_command_run,
		.group = IK_GROUP_CALLS, .description = N_("call a tool yourself"),
		.details = N_("For example: /run glob {\"pattern\": \"*.c\"}. The model does not see it.")},
	{.name = "/background", .usage = "[end [PID]]", .core = ik_command_background,
		.group = IK_GROUP_CALLS, .description = N_("list, or end, what tools left running"),
		.details = N_("Processes that outlived the call that started them. end PID ends one of "
			"them, end alone all; they end with ikigai in any case.")},
	{.name = "/model", .usage = "[NAME]", .argument = IK_ARGUMENT_MODEL, .run = use_model,
		.group = IK_GROUP_MODEL, .description = N_("choose another of the provider's models"),
		.details = N_("Alone it asks the provider which models there are. The conversation goes on "
			"with another model; what was said before is sent to it, too. --keep keeps the "
			"choice in config.json.")},
	{.name = "/provider", .usage = "[NAME]", .argument = IK_ARGUMENT_PROVIDER,
		.core = ik_command_provider,
		.group = IK_GROUP_MODEL, .description = N_("choose another provider"),
		.details = N_("--keep keeps the choice in config.json.")},
	{.name = "/context", .core = ik_command_context,
		.group = IK_GROUP_MODEL, .description = N_("what fills the model's context window")},
	{.name = "/usage", .core = ik_command_usage,
		.group = IK_GROUP_MODEL, .description = N_("tokens and cost: by turn, day, model and tool")},
	{.name = "/system", .core = ik_command_system,
		.group = IK_GROUP_MODEL, .description = N_("what is sent with every request")},
	{.name = "/compact", .usage = "[WORDS]", .writes = true, .core = ik_command_compact,
		.group = IK_GROUP_MODEL, .description = N_("go on with a summary of what was said"),
		.details = N_("The model writes a summary, which is sent in place of what it sums up. "
			"Nothing is lost: all of it stays on the screen and in the session. WORDS say what "
			"matters. ikigai does it by itself when the context window is nearly full "
			"(compact_at). /undo compact undoes it.")},
	{.name = "/copy", .usage = "[N | code]", .run = copy_reply,
		.group = IK_GROUP_READ,
		.description = N_("copy the last reply, the Nth last, or the last code"),
		.details = N_("The text as it was written goes to the clipboard of the terminal; in tmux "
			"that takes set-clipboard on. {next-pane} and {copy} copy any other part of the "
			"conversation.")},
	{.name = "/export", .usage = "[FILE]", .argument = IK_ARGUMENT_FILE,
		.core = ik_command_export,
		.group = IK_GROUP_READ,
		.description = N_("write the session to a file: Markdown, or .jsonl"),
		.details = N_("All of the session, also what is not on the screen. Without a name one is "
			"made. A file that is there is replaced with /export --force FILE only.")},
	{.name = "/new", .run = new_session,
		.group = IK_GROUP_SESSIONS,
		.description = N_("begin another session (this one can be resumed)")},
	{.name = "/sessions", .usage = "[WORDS]", .run = show_sessions,
		.group = IK_GROUP_SESSIONS, .description = N_("list the stored sessions"),
		.details = N_("With words: those that have them in their title, directory or id. {resume} "
			"goes on with one, {delete} deletes it; {sessions} shows them, too.")},
	{.name = "/search", .usage = "[WORDS]", .run = search_sessions,
		.group = IK_GROUP_READ, .description = N_("find what was said in any session"),
		.details = N_("All of the words, in any order, whoever said them; \"in quotation marks\" "
			"together; word* is how one begins. {resume} opens the session where it was said, "
			"{find-next} goes on from there. In {sessions} {search-sessions} does the same. "
			"{search} searches this conversation.")},
	{.name = "/resume", .usage = "[N | ID | WORDS]", .argument = IK_ARGUMENT_SESSION,
		.run = resume_session,
		.group = IK_GROUP_SESSIONS, .description = N_("go on with another session"),
		.details = N_("N counts from the newest session, 1; of an ID its beginning is enough; "
			"WORDS stand in the title; of several that have them, and alone, it lets you choose "
			"one. This session stays, and can be resumed itself.")},
	{.name = "/fork", .usage = "[PROMPT | N | ?]", .run = ik_chat_fork,
		.group = IK_GROUP_SESSIONS,
		.description = N_("go on in a copy of this session, or have another agent do it"),
		.details = N_("The copy has all that was said so far, by reference; from here on the two "
			"are apart. /fork N copies up to the answer to your Nth last message, /fork ? lets you "
			"choose it. With a PROMPT this conversation stays on the screen, and the copy begins "
			"with the PROMPT at once, as an agent of its own: {next-agent} shows it.")},
	{.name = "/join", .usage = "[N | ?] [WORDS]", .run = ik_agent_join,
		.group = IK_GROUP_SESSIONS,
		.description = N_("give an agent's last word to the model of another"),
		.details = N_("In the conversation that began agent N: its last reply, and WORDS, become a "
			"message here. Of several it lets you choose one, and so does ?. In that agent, "
			"without N: it is told to the one that began it, which is shown then.")},
	{.name = "/agents", .usage = "[N]", .run = ik_agents_list,
		.group = IK_GROUP_SESSIONS,
		.description = N_("list the agents at work in this program, or show one"),
		.details = N_("State, turns, tokens, cost and last word of each, and what it is about: "
			"choose the one to be shown. {next-agent} shows the next.")},
	{.name = "/close", .usage = "[N]", .run = ik_agent_close_named,
		.group = IK_GROUP_SESSIONS,
		.description = N_("close an agent (its session can be resumed)"),
		.details = N_("Without a number this one.")},
	{.name = "/rewind", .usage = "[N | ?]", .run = ik_chat_rewind_to,
		.group = IK_GROUP_SESSIONS,
		.description = N_("go back to before your last message, or the Nth last"),
		.details = N_("Nothing is deleted: a copy goes on from there, and the message is in the "
			"editor again. /rewind ? lets you choose the message; {next-pane} and {rewind} do it "
			"for the one with the mark.")},
	{.name = "/undo", .usage = "[N | FILE | compact | ?]", .writes = true, .core = ik_command_undo,
		.group = IK_GROUP_CALLS, .description = N_("undo what tools did to files"),
		.details = N_("The files of the last turn that wrote any, of the last N, or one FILE "
			"become what they were before. One that has changed since is not touched: FILE! does "
			"it all the same. /undo ? lists the turns and how their files stand; {inspector} and "
			"{undo-call} do it for one call. The model is told. /undo compact gives the model "
			"again what the last summary replaced.")},
	{.name = "/redo", .writes = true, .core = ik_command_redo,
		.group = IK_GROUP_CALLS, .description = N_("bring back what /undo took back"),
		.details = N_("What was undone last, and so on. A file that has changed since is "
			"not touched.")},
	{.name = "/title", .usage = "[TEXT]", .writes = true, .core = ik_command_title,
		.group = IK_GROUP_SESSIONS, .description = N_("give the session a title, or show it"),
		.details = N_("Until then it is called by the first words that you said in it.")},
	{.name = "/mouse", .key = IK_ACTION_MOUSE, .usage = "[on | off]",
		.argument = IK_ARGUMENT_MOUSE, .run = set_mouse,
		.group = IK_GROUP_SCREEN, .description = N_("take the mouse, or leave it to the terminal"),
		.details = N_("off: the terminal's own selection works. Alone it switches, as {mouse} "
			"does. To keep it off: ikigai config set ui.mouse false.")},
	{.name = "/theme", .usage = "[NAME]", .argument = IK_ARGUMENT_THEME, .run = set_theme,
		.group = IK_GROUP_SCREEN,
		.description = N_("choose the colours: auto, dark, light, contrast, mono"),
		.details = N_("auto goes by the background that the terminal says it has. Alone it lets "
			"you choose: you see each theme as you move. --keep keeps the choice in "
			"config.json.")},
	{.name = "/editor", .key = IK_ACTION_EXTERNAL_EDITOR, .run = ik_external_editor_open,
		.group = IK_GROUP_WRITE, .description = N_("write the next message in your editor"),
		.details = N_("In $VISUAL or $EDITOR; {external-editor} does the same.")},
	{.name = "/clear", .run = clear_screen,
		.group = IK_GROUP_SCREEN, .description = N_("empty the screen (the session stays)")},
	{.name = "/quit", .key = IK_ACTION_QUIT, .run = quit,
		.group = IK_GROUP_SCREEN, .description = N_("end ikigai (the session can be resumed)")},

	{.key = IK_ACTION_SEND, .run = submit},
	{.key = IK_ACTION_PASTE_IMAGE, .run = ik_chat_paste_image},
	{.key = IK_ACTION_EDIT_QUEUED, .run = ik_chat_take_back},
	{.key = IK_ACTION_GO_ON, .run = go_on},
	{.key = IK_ACTION_CANCEL, .run = cancel},
	{.key = IK_ACTION_ANSWER, .run = ik_chat_answered},
	{.key = IK_ACTION_SUSPEND, .run = suspend},
	{.key = IK_ACTION_REDRAW, .run = redraw},
	{.key = IK_ACTION_MODE, .run = next_mode},
	{.key = IK_ACTION_TAKE_OVER, .run = ik_chat_take_over},
	{.key = IK_ACTION_AGENT, .run = show_agent},
	{.key = IK_ACTION_COPY, .run = copy_text},
	{.key = IK_ACTION_RESUME, .run = resume_selected},
	{.key = IK_ACTION_DELETE, .run = ik_chat_delete_session},
	{.key = IK_ACTION_REWIND, .run = ik_chat_rewind},
	{.key = IK_ACTION_RERUN, .run = ik_chat_rerun},
	{.key = IK_ACTION_UNDO_CALL, .run = ik_chat_undo_call},
	{.key = IK_ACTION_PAGER, .run = ik_external_pager_open},
	{.key = IK_ACTION_SWITCH, .run = ik_chat_switch_tool},

	{.name = NULL}
};
/* clang-format on */

const struct ik_action_row *ik_chat_actions(void)
{
	return rows;
}
