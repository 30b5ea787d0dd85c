#include "chat/chat.h"

#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/appearance.h"
#include "commands/commands.h"
#include "commands/complete.h"
#include "commands/tool_text.h"
#include "core/print.h"
#include "core/undo_command.h"
#include "loop/children.h"
#include "loop/killer.h"
#include "tui/term/query.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/text.h"
#include "util/utf8.h"

/* Watched until everything is stored, although the first one ends the chat: a closing terminal
 * sends SIGHUP twice, the second time when its shell has ended, and a process that waits for the
 * chat may repeat SIGTERM. */
static const int signal_numbers[] = { SIGTERM, SIGINT, SIGHUP };
#define SIGNAL_COUNT (sizeof(signal_numbers) / sizeof(*signal_numbers))

/* For the two hooks without an argument, such as the one for lack of memory. */
static struct ik_chat *current_chat;

/* Handle lack of memory: save the drafts first, since that allocates nothing, then the sessions. */
static void save_before_the_end(void)
{
	struct ik_chat *chat = current_chat;

	if (chat)
		(void)ik_chat_draft_save(chat);
	ik_memory_gone_with(chat && chat->core_started ? &chat->core : NULL, ik_tty_restore);
}

static void on_scan_progress(void *arg, size_t done, size_t total)
{
	struct ik_chat *chat = arg;

	ik_screen_set_scan(chat->screen, IK_SCAN_IN_PROGRESS, done, total);
}

/* Report in one line which tools are new, changed or gone since the last scan; report that
 * nothing changed only if the user asked. */
static void tell_changes(struct ik_chat *chat, const struct ik_registry *registry)
{
	size_t count = ik_registry_ok_count(registry);
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	if (ik_tool_text_changes(chat->registry, registry, &out)) {
		ik_session_add_notice(chat->core.session, out.data);
		if (chat->refresh_key)
			ik_screen_flash(chat->screen, out.data);
	} else if (chat->refresh_key) {
		ik_buf_printf(&out, ngettext("%zu tool, not changed", "%zu tools, none changed", count),
			count);
		ik_screen_flash(chat->screen, out.data);
	}
	ik_buf_done(&out);
}

static void on_scan_finished(void *arg, struct ik_registry *registry)
{
	struct ik_chat *chat = arg;
	size_t count = ik_registry_count(registry);

	ik_screen_set_registry(chat->screen, registry);
	ik_screen_set_scan(chat->screen, ik_registry_state(registry), count, count);
	ik_screen_candidates_changed(chat->screen);
	ik_chat_trust_ask(chat, registry);
	if (ik_discovery_scanning(chat->core.discovery))
		return;
	if (chat->refresh_line || chat->refresh_key)
		ik_screen_flash(chat->screen, NULL); /* "Refreshing tools…" */
	if (chat->refresh_line) {
		const struct ik_agent *asker = ik_agent_find(chat, chat->refresh_agent);

		ik_command_refreshed(asker ? asker->session : chat->core.session, chat->refresh_line,
			registry);
		free(chat->refresh_line);
		chat->refresh_line = NULL;
	} else if (chat->registry) {
		tell_changes(chat, registry);
	}
	chat->refresh_key = false;
	/* The results of the last run are read within a millisecond, so don't wait for a frame. */
	if (!chat->registry)
		ik_chat_draw_now(chat);
	ik_registry_unref(chat->registry);
	chat->registry = ik_registry_ref(registry);
}

static void on_signal(void *arg, int number)
{
	struct ik_chat *chat = arg;

	/* A Ctrl-C while a program has the terminal is for that program. */
	if (number == SIGINT && chat->program)
		return;
	ik_chat_end(chat, 128 + number);
}

static void wake(void *arg)
{
	/* Nothing to do here: the chat draws before the loop sleeps again. */
}

static bool is_ansi(const char *type)
{
	return type && type[0] != '\0' && !ik_text_equal(type, "dumb") &&
		!ik_text_equal(type, "unknown");
}

/* Open the terminal and the screen: everything that the first frame needs. */
static enum ik_status open_screen(struct ik_chat *chat, struct ik_error *error)
{
	const struct ik_setup *setup = chat->setup;
	struct ik_term_options term;

	memset(&term, 0, sizeof(term));
	term.type = getenv("TERM");
	ik_appearance_colours(&term);
	(void)ik_background_of_variable(getenv("COLORFGBG"), &chat->light);
	term.theme = ik_appearance_theme(&setup->themes, setup->config->ui_theme, chat->light);
	chat->tty = ik_tty_open(chat->loop, &ik_chat_tty_events, chat, error);
	if (!chat->tty)
		return IK_FAILED;
	chat->plain = chat->options->screen_reader || setup->config->ui_screen_reader;
	chat->ansi = is_ansi(term.type);
	chat->utf8 = ik_text_equal(nl_langinfo(CODESET), "UTF-8");
	chat->osc = ik_osc_find(getenv);
	ik_chat_size(chat, &term.rows, &term.columns);
	if (!chat->plain && !(chat->term = ik_term_new(&term, error)))
		return IK_FAILED;
	ik_cells_resize(&chat->cells, term.rows, term.columns);
	ik_chat_welcome_look(chat);
	chat->drawer = ik_chat_pictures_new(chat);
	ik_agent_show(ik_agent_new(chat));
	return ik_chat_terminal_enter(chat, error);
}

/* Send the message from the command line as if typed. It stays in the editor if its session
 * can't be opened. */
static void send_first(struct ik_agent *agent, bool can_send)
{
	const char *text = agent->chat->options->first;
	struct ik_buf message;

	if (!text)
		return;
	ik_buf_init(&message, IK_LIMIT_USER_TEXT);
	ik_utf8_repair(&message, text, strlen(text));
	if (can_send)
		ik_chat_submit(agent->chat, message.data, message.length);
	else
		ik_screen_set_draft(agent->chat->screen, message.data, message.length);
	ik_buf_done(&message);
}

/* Handle the end of a restore: the stored session is on the screen, or error says why not. */
static void on_resumed(void *arg, const struct ik_error *error)
{
	struct ik_agent *agent = arg;

	if (error)
		ik_session_add_problem(agent->session, error->text);
	else
		ik_chat_children_look(agent);
	send_first(agent, !error);
	ik_chat_draw_now(agent->chat);
}

/* Show the store program's progress with long work in the status bar. */
static void on_progress(void *arg, const char *work, int64_t done, int64_t of)
{
	struct ik_chat *chat = arg;

	ik_progress_note(&chat->work, work, done, of);
}

/* Start the rest after the first frame: tools, store, provider, session. */
static void start_core(void *arg)
{
	static const struct ik_core_events events = {
		.event = ik_agent_event,
		.store = ik_agents_store_event,
		.progress = on_progress,
		.scan_progress = on_scan_progress,
		.scan_finished = on_scan_finished,
	};
	struct ik_chat *chat = arg;
	struct ik_error error, notice;

	chat->setup->asks = true;
	ik_children_become_reaper(chat->loop);
	ik_killer_enable(chat->loop, "/proc/self/exe");
	ik_children_on_change(chat->loop, wake, chat);
	if (ik_core_start(&chat->core, chat->loop, chat->setup, chat->options->no_tools, IK_ASKING_USER,
			&events, chat, chat->agent, &error) != IK_OK) {
		ik_tty_leave(chat->tty);
		ik_complain(error.text);
		(void)ik_core_stop(&chat->core, &notice);
		ik_chat_end(chat, 1);
		return;
	}
	chat->core_started = true;
	chat->agent->session = chat->core.session;
	ik_screen_set_store(chat->screen, ik_store_name(chat->core.store));
	if (chat->core.scanned)
		on_scan_finished(chat, ik_core_registry(&chat->core));
	if (chat->options->resume)
		ik_session_restore(chat->core.session,
			&(struct ik_restoring){
				.id = chat->options->resume_id,
				.new_prompt = chat->options->system_prompt,
				.done = on_resumed,
				.arg = chat->agent,
			});
	else
		send_first(chat->agent, true);
	ik_chat_expire_sessions(chat);
}

/* Create the timers, draw the first frame, and start the rest after it. */
static int run(struct ik_chat *chat, struct ik_error *error)
{
	size_t i;

	chat->escape_timer = ik_timer_new(chat->loop, ik_chat_escape_timeout, chat);
	chat->frame_timer = ik_timer_new(chat->loop, wake, chat);
	chat->tick_timer = ik_timer_new(chat->loop, wake, chat);
	chat->answer_timer = ik_timer_new(chat->loop, ik_chat_terminal_unanswered, chat);
	chat->end_timer = ik_timer_new(chat->loop, ik_chat_stop, chat);
	chat->draft_timer = ik_timer_new(chat->loop, ik_chat_draft_due, chat);
	for (i = 0; i < SIGNAL_COUNT; i++)
		chat->signals[i] = ik_watch_signal(chat->loop, signal_numbers[i], on_signal, chat);
	chat->input = ik_input_new();
	ik_chat_draft_load(chat->agent);
	ik_chat_draw_now(chat);
	ik_chat_draw(chat);
	ik_chat_terminal_ask(chat);
	ik_loop_before_sleep(chat->loop, ik_chat_draw, chat);
	ik_loop_defer(chat->loop, start_core, chat);
	if (ik_loop_run(chat->loop, error) != IK_OK)
		chat->status = 1;
	else
		error->status = IK_OK;
	return chat->status;
}

/* Print a line on the terminal after the screen is closed, and free it. */
static void say(char *line)
{
	if (!ik_tty_say(STDERR_FILENO, line))
		(void)fputs(line, stderr);
	free(line);
}

/* Return the command that resumes a session with the model that it had in the end, in new memory. */
static char *resume_command(const struct ik_chat *chat, const struct ik_session *session)
{
	const struct ik_model *first = chat->setup->model, *last = ik_session_model(session);
	struct ik_options options = *chat->options;
	const char *provider = last->endpoint.provider;
	bool moved = !ik_text_equal(provider, first->endpoint.provider);

	if (moved || (!last->by_default && !ik_text_equal(last->name, first->name)))
		options.model = last->name;
	if (moved) {
		options.provider = provider;
		options.base_url = NULL;
	}
	return ik_resume_command(&options, ik_session_id(session));
}

/* Append how to resume each session. */
static void put_sessions(const struct ik_chat *chat, struct ik_buf *out)
{
	const struct ik_agent *agent;

	for (agent = chat->agents; agent; agent = agent->next) {
		char *command;

		if (!ik_resume_is_possible(agent->session))
			continue;
		command = resume_command(chat, agent->session);
		ik_buf_printf(out, _("Resume with: %s\n"), command);
		free(command);
	}
}

/* Release everything, the terminal first, so that later messages can be read. */
static void close_chat(struct ik_chat *chat)
{
	struct ik_buf sessions;
	struct ik_agent *agent;
	struct ik_error notice;
	int number;
	size_t i;

	ik_buf_init(&sessions, IK_LIMIT_USER_TEXT);
	ik_external_program_close(chat);
	for (agent = chat->agents; agent; agent = agent->next)
		ik_chat_stop_sending(agent);
	chat->tty = ik_tty_close(chat->tty);
	ik_loop_before_sleep(chat->loop, NULL, NULL);
	ik_children_on_change(chat->loop, NULL, NULL);
	/* Without a screen, or before the old draft was read, there is no draft. */
	number = chat->input ? ik_chat_draft_save(chat) : 0;
	if (number != 0)
		say(ik_format(_("ikigai: the message that was not sent yet could not be kept: %s\n"),
			strerror(number)));
	ik_chat_pictures_done(chat);
	if (chat->core_started) {
		chat->core.undo = ik_undo_work_finish(chat->core.undo);
		if (chat->setup->database)
			put_sessions(chat, &sessions);
		ik_chat_sessions_stop(chat);
		for (agent = chat->agents; agent; agent = agent->next) {
			agent->complete = ik_complete_free(agent->complete);
			agent->choices = ik_choices_free(agent->choices);
			ik_chat_forget_blobs(agent);
			ik_chat_sessions_done(agent);
			agent->picking = IK_PICKING_NOTHING;
			agent->session = NULL; /* the core ends it */
		}
		(void)ik_core_stop(&chat->core, &notice);
		say(ik_strdup(sessions.data));
		if (notice.status != IK_OK)
			say(ik_complaint(notice.text));
	}
	for (i = 0; i < SIGNAL_COUNT; i++)
		chat->signals[i] = ik_watch_close(chat->signals[i]);
	ik_chat_notify_done(chat);
	ik_chat_status_done(chat);
	ik_chat_paste_done(chat);
	ik_children_end(chat->loop);
	chat->escape_timer = ik_timer_close(chat->escape_timer);
	chat->frame_timer = ik_timer_close(chat->frame_timer);
	chat->tick_timer = ik_timer_close(chat->tick_timer);
	chat->answer_timer = ik_timer_close(chat->answer_timer);
	chat->end_timer = ik_timer_close(chat->end_timer);
	chat->draft_timer = ik_timer_close(chat->draft_timer);
	chat->input = ik_input_free(chat->input);
	ik_agents_done(chat);
	chat->trust = ik_chat_trust_free(chat->trust);
	chat->term = ik_term_free(chat->term);
	ik_cells_done(&chat->cells);
	ik_buf_done(&chat->frame);
	ik_chat_welcome_done(chat);
	free(chat->undo_call);
	free(chat->refresh_line);
	ik_registry_unref(chat->registry);
	free(chat->last_shell);
	ik_buf_done(&sessions);
}

int ik_chat_run(const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_error error = { .status = IK_OK };
	struct ik_chat chat;
	int status = 1;

	memset(&chat, 0, sizeof(chat));
	chat.options = options;
	chat.setup = setup;
	chat.actions = ik_actions_new(ik_chat_actions(), setup->custom_commands);
	ik_buf_init(&chat.frame, IK_MIB(64));
	ik_cells_init(&chat.cells);
	chat.loop = ik_loop_new(&error);
	if (chat.loop) {
		current_chat = &chat;
		ik_alloc_set_hook(save_before_the_end);
		if (open_screen(&chat, &error) == IK_OK)
			status = run(&chat, &error);
		current_chat = NULL;
		close_chat(&chat);
		ik_loop_free(chat.loop);
	}
	ik_actions_free(chat.actions);
	if (error.status != IK_OK)
		say(ik_complaint(error.text));
	return status;
}
