#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>

#include "commands/appearance.h"
#include "commands/background_text.h"
#include "commands/commands_model.h"
#include "commands/commands_session.h"
#include "commands/commands_text.h"
#include "commands/mode_command.h"
#include "commands/sandbox_command.h"
#include "commands/tool_text.h"
#include "commands/usage_text.h"
#include "core/system_text.h"
#include "core/undo_command.h"
#include "tui/edit/keymap.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Columns of a command's usage in the list of /help. */
#define USAGE_COLUMNS 24

static const struct ik_command *find_command(const char *name);
static void put_unknown(const char *word, struct ik_buf *out);

/* Append a line in which the keys are those of now. */
static void put_text(const struct ik_core *core, const char *text, struct ik_buf *out)
{
	struct ik_keymap *keymap = ik_keymap_new_with(core->setup->config->ui_keys);
	char *line = ik_keymap_sentence(keymap, text);

	ik_buf_printf(out, "%s\n", line);
	free(line);
	ik_keymap_free(keymap);
}

/* Append what one command does; name may lack its "/". */
static void put_command_help(const struct ik_core *core, const char *name, struct ik_buf *out)
{
	char *wanted = ik_format("%s%s", name[0] == '/' ? "" : "/", name);
	const struct ik_command *command = find_command(wanted);

	if (!command) {
		put_unknown(wanted, out);
	} else {
		ik_buf_printf(out, "%s\n  %s\n", command->usage, _(command->description));
		if (command->details) {
			ik_buf_putc(out, '\n');
			put_text(core, _(command->details), out);
		}
	}
	free(wanted);
}

/* /help [COMMAND] */
static enum ik_command_effect run_help(struct ik_core *core, const char *line, const char *rest)
{
	const struct ik_command *command;
	struct ik_buf out;
	size_t i;

	ik_buf_init(&out, IK_KIB(64));
	if (rest[0] != '\0') {
		put_command_help(core, rest, &out);
		ik_command_answer(core, line, &out);
		return IK_COMMAND_NOTHING;
	}
	for (i = 0; (command = ik_command_at(i)); i++)
		ik_buf_printf(&out, "  %-*s  %s\n", USAGE_COLUMNS, command->usage, _(command->description));
	put_text(core,
		_("!COMMAND runs a shell command of your own (without a terminal); its "
		  "output goes with your next message. @PATH in a message gives the model that file."),
		&out);
	put_text(core,
		_("Anything else is a message for the model; {new-line} begins a new line in it. "
		  "{cancel} cancels what runs, {end-of-input} ends. /help COMMAND says more of one, {help} "
		  "shows all keys."),
		&out);
	ik_command_answer(core, line, &out);
	return IK_COMMAND_NOTHING;
}

static enum ik_command_effect run_tool(struct ik_core *core, const char *line, const char *rest)
{
	struct ik_registry *registry = ik_core_registry(core);
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(16));
	if (!core->scanned)
		ik_buf_printf(&out, "%s\n", _("Loading tools…"));
	else if (rest[0] == '\0' || ik_text_equal(rest, "--all"))
		ik_tool_text_list(registry, rest[0] != '\0', &out);
	else
		(void)ik_tool_text_show(registry, rest, "/tool", &out);
	ik_command_answer(core, line, &out);
	return IK_COMMAND_NOTHING;
}

static enum ik_command_effect run_refresh(struct ik_core *core, const char *line, const char *rest)
{
	(void)core;
	(void)line;
	(void)rest;
	return IK_COMMAND_REFRESH;
}

void ik_command_refreshed(struct ik_session *session, const char *line,
	const struct ik_registry *registry)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(16));
	ik_buf_printf(&out, "%s\n", _("Refreshing tools…"));
	ik_tool_text_refreshed(registry, &out);
	ik_command_answer_in(session, line, &out);
}

/* /run TOOL JSON */
static enum ik_command_effect run_run(struct ik_core *core, const char *line, const char *rest)
{
	size_t length = strcspn(rest, " \t\n");
	const char *arguments = rest + length + strspn(rest + length, " \t\n");
	struct ik_buf out;
	char *name;

	if (length == 0) {
		ik_buf_init(&out, IK_KIB(4));
		ik_buf_puts(&out,
			_("/run needs the name of a tool and its arguments: "
			  "/run glob {\"pattern\": \"*.c\"}"));
		ik_command_answer(core, line, &out);
		return IK_COMMAND_NOTHING;
	}
	name = ik_strndup(rest, length);
	ik_session_run_tool(core->session, name, arguments, strlen(arguments));
	free(name);
	return IK_COMMAND_NOTHING;
}

/* /mode [NAME | forget N] */
static enum ik_command_effect run_mode(struct ik_core *core, const char *line, const char *rest)
{
	enum ik_command_effect effect = IK_COMMAND_NOTHING;
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	if (ik_mode_command(core->policy, core->policy_path, rest, &out))
		effect = IK_COMMAND_MODE;
	ik_command_answer(core, line, &out);
	return effect;
}

/* /sandbox [NAME] */
static enum ik_command_effect run_sandbox(struct ik_core *core, const char *line, const char *rest)
{
	enum ik_command_effect effect = IK_COMMAND_NOTHING;
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(1));
	if (ik_sandbox_command(core->setup, rest, &out)) {
		for (size_t i = 0; i < core->session_count; i++)
			ik_session_sandbox_changed(core->sessions[i].session);
		effect = IK_COMMAND_MODE;
	}
	ik_command_answer(core, line, &out);
	return effect;
}

/* /theme [NAME] */
static enum ik_command_effect run_theme(struct ik_core *core, const char *line, const char *rest)
{
	enum ik_command_effect effect = IK_COMMAND_NOTHING;
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	if (ik_theme_command(core->setup->config, rest, &out))
		effect = IK_COMMAND_THEME;
	ik_command_answer(core, line, &out);
	return effect;
}

/* Store a command that has nothing to say, once the session has begun. */
static void note(struct ik_core *core, const char *line)
{
	if (ik_conversation_count(ik_session_conversation(core->session)) > 0)
		ik_session_add_command(core->session, line, "");
}

static enum ik_command_effect run_clear(struct ik_core *core, const char *line, const char *rest)
{
	(void)rest;
	note(core, line);
	return IK_COMMAND_CLEAR;
}

/* /mouse [on | off]: nothing of it is worth being stored, but for a mistake. */
static enum ik_command_effect run_mouse(struct ik_core *core, const char *line, const char *rest)
{
	if (rest[0] == '\0' || ik_text_equal(rest, "on") || ik_text_equal(rest, "off"))
		return IK_COMMAND_MOUSE;
	ik_session_add_command(core->session, line, _("/mouse takes on or off; alone it switches."));
	return IK_COMMAND_NOTHING;
}

/* /editor: nothing of it is worth being stored. */
static enum ik_command_effect run_editor(struct ik_core *core, const char *line, const char *rest)
{
	(void)core;
	(void)line;
	(void)rest;
	return IK_COMMAND_EDITOR;
}

static enum ik_command_effect run_new(struct ik_core *core, const char *line, const char *rest)
{
	(void)rest;
	if (ik_session_busy(core->session)) {
		ik_session_add_command(core->session, line,
			_("Something is under way: wait for its end, or cancel it."));
		return IK_COMMAND_NOTHING;
	}
	note(core, line);
	return IK_COMMAND_NEW;
}

static enum ik_command_effect run_quit(struct ik_core *core, const char *line, const char *rest)
{
	(void)rest;
	note(core, line);
	return IK_COMMAND_QUIT;
}

/* /background [end [PID]] */
static enum ik_command_effect run_background(struct ik_core *core, const char *line,
	const char *rest)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_MIB(16));
	ik_background_text(core->loop, ik_session_conversation(core->session), rest, &out);
	ik_command_answer(core, line, &out);
	return IK_COMMAND_NOTHING;
}

static enum ik_command_effect run_usage(struct ik_core *core, const char *line, const char *rest)
{
	struct ik_buf out;

	(void)rest;
	ik_buf_init(&out, IK_KIB(64));
	ik_usage_text(ik_session_conversation(core->session), &out);
	ik_command_answer(core, line, &out);
	return IK_COMMAND_NOTHING;
}

static enum ik_command_effect run_system(struct ik_core *core, const char *line, const char *rest)
{
	struct ik_model_spec spec = ik_model_choice_spec(ik_core_choice(core));
	struct ik_buf out;

	(void)rest;
	ik_buf_init(&out, IK_MIB(16));
	if (ik_session_loading(core->session)) /* the prompt is the first of its events, read last */
		ik_buf_puts(&out, _("This session is still being read. Type /system again in a moment."));
	else
		ik_system_text(core->session, &spec, &out);
	ik_command_answer(core, line, &out);
	return IK_COMMAND_NOTHING;
}

static enum ik_command_effect run_compact(struct ik_core *core, const char *line, const char *rest)
{
	ik_session_compact(core->session, line, rest);
	return IK_COMMAND_NOTHING;
}

/* clang-format off */
static const struct ik_command commands[] = {
	{"/help", "/help [COMMAND]", N_("list the commands, or explain one"), run_help, NULL},
	{"/tool", "/tool [NAME | --all]", N_("list the tools, or show one"), run_tool,
		N_("Without a name: all tools that the model is offered. With one: what it takes and what it "
			"returns. --all: also those that failed, and why. {browser} shows the same, and more, in a "
			"pane.")},
	{"/refresh", "/refresh", N_("look for tools again"), run_refresh,
		N_("All tools are asked for their schemas again, and the project's instructions are read "
			"again. Tools that are saved, changed or removed are noticed by themselves.")},
	{"/mode", "/mode [NAME | forget N]",
		N_("which tool calls are made; NAME: auto, ask, read-only"), run_mode,
		N_("auto: calls are made as the rules say. ask: all others are asked about. read-only: nothing "
			"that changes anything is called. Alone it shows the rules; forget N takes back what you "
			"once allowed for good.")},
	{"/sandbox", "/sandbox [NAME]",
		N_("where tools may write: off, project, read-only"), run_sandbox,
		N_("The kernel holds it, for tools and all that they start. project: files of the session's "
			"directory and temporary ones. read-only: temporary ones. Alone it shows what is writable, "
			"what is hidden, and which rules the kernel does not hold. To keep a choice, write it into "
			"~/.ikigai/config.json: {\"sandbox\": {\"mode\": \"project\"}}.")},
	{"/run", "/run TOOL JSON", N_("call a tool yourself"), run_run,
		N_("For example: /run glob {\"pattern\": \"*.c\"}. The model does not see it.")},
	{"/background", "/background [end [PID]]", N_("list, or end, what tools left running"), run_background,
		N_("Processes that outlived the call that started them. end PID ends one of them, end alone "
			"all; they end with ikigai in any case.")},
	{"/model", "/model [NAME]", N_("list the provider's models, or switch to another"), ik_command_model,
		N_("Alone it asks the provider which models there are. The conversation goes on with another "
			"model; what was said before is sent to it, too.")},
	{"/provider", "/provider [NAME]", N_("list the providers, or take another"), ik_command_provider, NULL},
	{"/usage", "/usage", N_("tokens and cost so far"), run_usage, NULL},
	{"/system", "/system", N_("what is sent with every request"), run_system, NULL},
	{"/compact", "/compact [WORDS]", N_("go on with a summary of what was said"), run_compact,
		N_("The model writes a summary, which is sent in place of what it sums up. Nothing is lost: "
			"all of it stays on the screen and in the session. WORDS say what matters.")},
	{"/copy", "/copy [N | code]", N_("copy the last reply, the Nth last, or the last code"),
		ik_command_copy,
		N_("The text as it was written goes to the clipboard of the terminal; in tmux that takes "
			"set-clipboard on. {next-pane} and {copy} copy any other part of the "
			"conversation.")},
	{"/export", "/export [FILE]", N_("write the session to a file: Markdown, or .jsonl"),
		ik_command_export,
		N_("All of the session, also what is not on the screen. Without a name one is made. A file "
			"that is there is replaced with /export --force FILE only.")},
	{"/new", "/new", N_("begin another session (this one can be resumed)"), run_new, NULL},
	{"/sessions", "/sessions [WORDS]", N_("list the stored sessions"), ik_command_sessions,
		N_("With words: those that have them in their title, directory or id. {resume} goes on "
			"with one, {delete} deletes it; {sessions} shows them, too.")},
	{"/search", "/search [WORDS]", N_("find what was said in any session"), ik_command_search,
		N_("All of the words, in any order, whoever said them; \"in quotation marks\" together; word* "
			"is how one begins. {resume} opens the session where it was said, {find-next} goes on from "
			"there. In {sessions} {search-sessions} does the same. {search} searches this "
			"conversation.")},
	{"/resume", "/resume [N | ID | WORDS]", N_("go on with another session"), ik_command_resume,
		N_("N counts from the newest session, 1; of an ID its beginning is enough; WORDS stand in "
			"the title; of several that have them, and alone, it lets you choose one. This session stays, "
			"and can be resumed itself.")},
	{"/fork", "/fork [PROMPT | N | ?]",
		N_("go on in a copy of this session, or have another agent do it"), ik_command_fork,
		N_("The copy has all that was said so far, by reference; from here on the two are apart. /fork N "
			"copies up to the answer to your Nth last message, /fork ? lets you choose it. With a "
			"PROMPT this conversation stays on the screen, and the copy begins with the PROMPT at once, "
			"as an agent of its own: {next-agent} shows it.")},
	{"/join", "/join [N | ?] [WORDS]", N_("give an agent's last word to the model of another"),
		ik_command_join,
		N_("In the conversation that began agent N: its last reply, and WORDS, become a message here. "
			"Of several it lets you choose one, and so does ?. In that agent, without N: it is "
			"told to the one that began it, which is shown then.")},
	{"/agents", "/agents [N]", N_("list the agents at work in this program, or show one"),
		ik_command_agents,
		N_("State, turns, tokens, cost and last word of each, and what it is about: choose the one to be "
			"shown. {next-agent} shows the next.")},
	{"/close", "/close [N]", N_("close an agent (its session can be resumed)"), ik_command_close,
		N_("Without a number this one.")},
	{"/rewind", "/rewind [N | ?]", N_("go back to before your last message, or the Nth last"),
		ik_command_rewind,
		N_("Nothing is deleted: a copy goes on from there, and the message is in the editor again. "
			"/rewind ? lets you choose the message; {next-pane} and {rewind} do it for the one with "
			"the mark.")},
	{"/undo", "/undo [N | FILE | ?]", N_("take back what tools did to files"), ik_command_undo,
		N_("The files of the last turn that wrote any, of the last N, or one FILE become what they "
			"were before. One that has changed since is not touched: FILE! does it all the same. "
			"/undo ? lists the turns and how their files stand; {inspector} and {undo-call} do it "
			"for one call. The model is told.")},
	{"/redo", "/redo", N_("bring back what /undo took back"), ik_command_redo,
		N_("The last that was taken back, and so on. A file that has changed since is not touched.")},
	{"/title", "/title [TEXT]", N_("give the session a title, or show it"), ik_command_title,
		N_("Until then it is called by the first words that you said in it.")},
	{"/mouse", "/mouse [on | off]", N_("take the mouse, or leave it to the terminal"), run_mouse,
		N_("off: the terminal's own selection works. Alone it switches, as {mouse} does. To keep it off, "
			"write into ~/.ikigai/config.json: {\"ui\": {\"mouse\": false}}.")},
	{"/theme", "/theme [NAME]", N_("colours: auto, dark, light, contrast, mono"), run_theme,
		N_("auto goes by the background that the terminal says it has. To keep a choice, write it into "
			"~/.ikigai/config.json: {\"ui\": {\"theme\": \"light\"}}.")},
	{"/editor", "/editor", N_("write the next message in your editor"), run_editor,
		N_("In $VISUAL or $EDITOR; {external-editor} does the same.")},
	{"/clear", "/clear", N_("empty the screen (the session stays)"), run_clear, NULL},
	{"/quit", "/quit", N_("end ikigai (the session can be resumed)"), run_quit, NULL},
};
/* clang-format on */

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

const struct ik_command *ik_command_at(size_t index)
{
	return index < COMMAND_COUNT ? &commands[index] : NULL;
}

bool ik_command_is(const char *line)
{
	return line[0] == '/' &&
		((line[1] >= 'a' && line[1] <= 'z') || (line[1] >= 'A' && line[1] <= 'Z')) &&
		!memchr(line + 1, '/', strcspn(line + 1, " \t\n"));
}

/* The command of that name, or NULL. */
static const struct ik_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (ik_text_equal(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* Append that there is no such command, and which is nearest. */
static void put_unknown(const char *word, struct ik_buf *out)
{
	const char *names[COMMAND_COUNT], *near;

	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i].name;
	near = ik_text_nearest(word, names, COMMAND_COUNT);
	if (near)
		ik_buf_printf(out, _("There is no command %s. Did you mean %s?"), word, near);
	else
		ik_buf_printf(out, _("There is no command %s. /help lists them."), word);
}

/* Answer a command that does not exist. */
static void answer_unknown(struct ik_core *core, const char *line, const char *word)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_USER_TEXT);
	put_unknown(word, &out);
	ik_command_answer(core, line, &out);
}

enum ik_command_effect ik_command_run(struct ik_core *core, const char *line)
{
	size_t length = strcspn(line, " \t\n"), end;
	const struct ik_command *command;
	enum ik_command_effect effect = IK_COMMAND_NOTHING;
	char *word = ik_strndup(line, length), *rest;

	rest = ik_strdup(line + length + strspn(line + length, " \t\n"));
	for (end = strlen(rest); end > 0 && strchr(" \t\n", rest[end - 1]); end--)
		rest[end - 1] = '\0';
	command = find_command(word);
	if (command)
		effect = command->run(core, line, rest);
	else
		answer_unknown(core, line, word);
	free(word);
	free(rest);
	return effect;
}
