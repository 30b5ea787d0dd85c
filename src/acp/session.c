#include "acp/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acp/buffers.h"
#include "acp/permission.h"
#include "acp/prompt.h"
#include "acp/servers.h"
#include "acp/settings.h"
#include "acp/trust.h"
#include "acp/view.h"
#include "conversation/title.h"
#include "core/attach.h"
#include "core/print.h"
#include "core/undo_command.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

struct ik_editor_session {
	struct ik_editor_options options;
	struct ik_options command_line; /* the program's, with the session's directory */
	char *directory, *id;
	struct ik_setup setup;
	struct ik_core core;
	struct ik_viewer viewer;
	struct ik_view view;
	struct ik_buffers buffers;
	struct ik_editor_trust trust;
	struct ik_choices *choices; /* of models */
	struct ik_actions *actions; /* the commands */

	enum ik_opening opening;
	char *request; /* that opens it: JSON; NULL: it is open */
	bool restored; /* its newest messages are there */
	bool failed;   /* it could not be opened */

	struct ik_editor_prompt *prompts;  /* in order; the first is at work */
	struct ik_attach *attach;          /* reads what goes with it */
	char shared_command[IK_UUID_TEXT]; /* the last one that a message told the model of */
	bool running_command;              /* the prompt is one */
	bool handing_over;                 /* to another program, once nothing is at work */
	enum ik_error_code code;           /* of the last error */
	char *error;                       /* its sentence; NULL: none in this turn */
	struct ik_buf told;                /* the settings, as the editor knows them */
	struct ik_buf commands_told;
};

const char *ik_editor_session_id(const struct ik_editor_session *session)
{
	return session->id;
}

bool ik_editor_session_is_busy(const struct ik_editor_session *session)
{
	return session->prompts;
}

/* ---- commands ---- */

/* Tell of the commands, if they have changed: prompt files and skills come and go. */
static void tell_commands(struct ik_editor_session *session)
{
	const struct ik_action_row *row = ik_actions_rows(session->actions);
	struct ik_buf out;

	ik_update_open(&out, &session->viewer, "available_commands_update");
	ik_json_printf(&out, "'availableCommands':[");
	for (; (row = ik_action_next_command(row)); row++) {
		if (row->run)
			continue; /* it needs a screen */
		ik_json_printf(&out, "{'name':'%s','description':'%s'", row->name + 1, _(row->description));
		if (row->usage)
			ik_json_printf(&out, "'input':{'hint':'%s'}", row->usage);
		ik_json_close(&out, '}');
	}
	ik_json_close(&out, ']');
	if (ik_text_equal(out.data, session->commands_told.data)) {
		ik_buf_done(&out);
		return;
	}
	ik_buf_clear(&session->commands_told);
	ik_buf_append(&session->commands_told, out.data, out.length);
	ik_update_send(&session->viewer, &out);
}

/* ---- prompts ---- */

/* Remove the first prompt, which was answered. */
static void drop_prompt(struct ik_editor_session *session)
{
	struct ik_editor_prompt *prompt = session->prompts;

	session->attach = ik_attach_close(session->attach);
	session->prompts = prompt->next;
	session->running_command = false;
	free(session->error);
	session->error = NULL;
	ik_editor_prompt_free(prompt);
}

static struct ik_json_span id_of(const struct ik_editor_prompt *prompt)
{
	return (struct ik_json_span){ prompt->id, strlen(prompt->id) };
}

/* Answer the first prompt. */
static void finish_prompt(struct ik_editor_session *session, const char *stop)
{
	struct ik_buf result;

	if (!session->prompts)
		return;
	ik_peer_open(&result);
	ik_json_printf(&result, "'stopReason':'%s'", session->prompts->cancelled ? "cancelled" : stop);
	ik_peer_answer(session->options.peer, id_of(session->prompts), &result);
	drop_prompt(session);
	tell_commands(session);
}

/* Answer the first prompt with an error, unless it was cancelled. */
static void refuse_prompt(struct ik_editor_session *session, int code, const char *sentence)
{
	if (session->prompts->cancelled) {
		finish_prompt(session, "cancelled");
		return;
	}
	ik_peer_refuse(session->options.peer, id_of(session->prompts), code, sentence);
	drop_prompt(session);
}

static void on_attached(void *arg, struct ik_message *message, const char *last_command,
	const struct ik_error *error)
{
	struct ik_editor_session *session = arg;

	if (!message) {
		refuse_prompt(session, IK_RPC_INVALID_PARAMS, error->text);
		return;
	}
	if (last_command[0] != '\0')
		memcpy(session->shared_command, last_command, sizeof(session->shared_command));
	session->prompts->runs = true;
	ik_session_submit(session->core.session, message);
}

/* Send a message, with what goes with it. */
static void send_message(struct ik_editor_session *session, const struct ik_editor_prompt *prompt)
{
	struct ik_core *core = &session->core;
	const struct ik_attach_options options = {
		.loop = core->loop,
		.places = &session->setup.places,
		.core = core,
		.conversation = ik_session_conversation(core->session),
		.since = session->shared_command,
		.model = ik_session_model(core->session),
		.given = prompt->files,
		.given_count = prompt->file_count,
	};

	/* The model must also hear of files being undone. */
	core->undo = ik_undo_work_finish(core->undo);
	session->attach = ik_attach_start(&options, prompt->text.data, prompt->text.length,
		prompt->text.length, on_attached, session);
}

/* Append what the argument of a command can be. */
static void put_choices(struct ik_core *core, const struct ik_action_row *row, struct ik_buf *out)
{
	struct ik_choices *choices = ik_choices_new(core, NULL, NULL);
	struct ik_pick_list list;

	ik_choices_list(choices, row, &list);
	for (size_t i = 0; i < list.count; i++)
		ik_buf_printf(out, "%s %s%s\n", row->name, list.picks[i].title,
			list.picks[i].current ? " *" : "");
	ik_pick_list_clear(&list);
	ik_choices_free(choices);
}

/* Run a command of ours. Its output is a message (ik_command_answer()), now or later. */
static void run_command(struct ik_editor_session *session, const char *line)
{
	const struct ik_action_row *row = ik_action_of_command(ik_actions_table(session->actions),
		line);
	const char *start = line + strcspn(line, " \t\n");
	struct ik_core *core = &session->core;
	struct ik_invocation invocation = { .line = line };
	struct ik_buf answer;

	start += strspn(start, " \t\n");
	invocation.text = start;
	invocation.length = strlen(start);
	ik_buf_init(&answer, IK_MIB(16));
	session->prompts->runs = session->running_command = true;
	if (!row)
		ik_command_unknown(ik_actions_rows(session->actions), line, &answer);
	else if (!row->core)
		ik_buf_printf(&answer, _("%s needs ikigai's own screen: ikigai --resume=%s"), row->name,
			session->id);
	else if (ik_choices_has(row->argument) && start[0] == '\0')
		put_choices(core, row, &answer);
	else
		row->core(core, &invocation, &answer);
	if (answer.length > 0)
		ik_command_answer(core->session, line, &answer);
	ik_buf_done(&answer);
}

/* Begin the first prompt, if that is possible now. */
static void advance(struct ik_editor_session *session)
{
	struct ik_editor_prompt *prompt = session->prompts;
	char *text;

	if (!prompt || prompt->begun || session->request ||
		!ik_editor_trust_is_settled(&session->trust))
		return;
	if (ik_session_is_following(session->core.session)) {
		/* Who writes is asked for the session; IK_EVENT_LOCK has the answer. */
		if (!ik_stored_is_asking(ik_session_stored(session->core.session)))
			ik_stored_ask(ik_session_stored(session->core.session));
		return;
	}
	prompt->begun = true;
	text = ik_strndup(prompt->text.data, prompt->text.length);
	/* A custom command is a message, for which core/attach.c makes the prompt. */
	if (ik_command_is(text) &&
		!ik_custom_command_of(session->setup.custom_commands, text, strlen(text)))
		run_command(session, text);
	else
		send_message(session, prompt);
	free(text);
}

void ik_editor_session_prompt(struct ik_editor_session *session, struct ik_json_span request,
	struct ik_json_span params)
{
	struct ik_editor_prompt **end = &session->prompts, *prompt;
	struct ik_error error;

	prompt = ik_editor_prompt_read(request, ik_json_member(params, "prompt"), &error);
	if (!prompt) {
		ik_peer_refuse(session->options.peer, request, IK_RPC_INVALID_PARAMS, error.text);
		return;
	}
	while (*end)
		end = &(*end)->next;
	*end = prompt;
}

bool ik_editor_session_cancel(struct ik_editor_session *session, struct ik_json_span request)
{
	struct ik_editor_prompt *prompt = session->prompts;
	bool found = false;

	for (; prompt; prompt = prompt->next)
		if (!request.text || ik_json_equal(id_of(prompt), request))
			found = prompt->cancelled = true;
	if (!found)
		return false;
	/* What runs ends with an event; what has not begun ends now. */
	if (session->prompts->runs && session->prompts->cancelled) {
		ik_session_cancel(session->core.session);
		if (session->running_command && !ik_session_busy(session->core.session))
			finish_prompt(session, "cancelled");
		return true;
	}
	if (session->prompts->cancelled && !session->request) {
		ik_stored_withdraw(ik_session_stored(session->core.session));
		finish_prompt(session, "cancelled");
	}
	return true;
}

/* ---- settings ---- */

static void put_settings(const struct ik_editor_session *session, struct ik_buf *out)
{
	ik_settings_put_options(&session->core, session->choices, out);
}

/* Tell the editor of settings that have changed. */
static void tell_settings(void *arg)
{
	struct ik_editor_session *session = arg;
	struct ik_buf now, out;

	if (session->request)
		return;
	ik_buf_init(&now, IK_LIMIT_ENVELOPE);
	put_settings(session, &now);
	if (!ik_text_equal(now.data, session->told.data)) {
		ik_update_open(&out, &session->viewer, "config_option_update");
		put_settings(session, &out);
		ik_update_send(&session->viewer, &out);
		ik_update_open(&out, &session->viewer, "current_mode_update");
		ik_json_printf(&out, "'currentModeId':'%s'",
			ik_mode_name(ik_policy_mode(session->core.policy)));
		ik_update_send(&session->viewer, &out);
	}
	ik_buf_done(&session->told);
	session->told = now;
}

/* Set what is called id to the string in value, and answer. */
static void set(struct ik_editor_session *session, struct ik_json_span request, const char *id,
	struct ik_json_span value, bool whole)
{
	char *text = ik_json_text_new(value);
	struct ik_error error = { .text = "" };
	struct ik_buf result;

	if (!text || ik_settings_set(&session->core, id, text, &error) != IK_OK) {
		ik_peer_refuse(session->options.peer, request, IK_RPC_INVALID_PARAMS,
			text ? error.text : "there is no value");
	} else {
		ik_peer_open(&result);
		if (whole) {
			ik_buf_clear(&session->told);
			put_settings(session, &session->told);
			put_settings(session, &result);
		}
		ik_peer_answer(session->options.peer, request, &result);
		tell_settings(session);
	}
	free(text);
}

void ik_editor_session_set_mode(struct ik_editor_session *session, struct ik_json_span request,
	struct ik_json_span params)
{
	set(session, request, "mode", ik_json_member(params, "modeId"), false);
}

void ik_editor_session_set_option(struct ik_editor_session *session, struct ik_json_span request,
	struct ik_json_span params)
{
	char *id = ik_json_text_new(ik_json_member(params, "configId"));

	set(session, request, id ? id : "", ik_json_member(params, "value"), true);
	free(id);
}

/* ---- events ---- */

/* Answer the prompt when its turn is over. */
static void end_turn(struct ik_editor_session *session, const struct ik_event *event)
{
	static const char *const reasons[] = {
		[IK_TURN_STOP_END] = "end_turn",
		[IK_TURN_STOP_LENGTH] = "max_tokens",
		[IK_TURN_STOP_REFUSED] = "refusal",
		[IK_TURN_STOP_LIMIT] = "max_turn_requests",
		[IK_TURN_STOP_REPEATED] = "max_turn_requests",
		[IK_TURN_STOP_CANCELLED] = "cancelled",
		[IK_TURN_STOP_ERROR] = NULL,
	};

	ik_calls_viewed_end(&session->view.calls);
	if (!session->prompts || !session->prompts->runs)
		return;
	if (reasons[event->stop])
		finish_prompt(session, reasons[event->stop]);
	else
		refuse_prompt(session,
			session->code == IK_CODE_AUTH ? IK_ACP_AUTH_REQUIRED : IK_RPC_INTERNAL_ERROR,
			session->error ? session->error : _("The turn failed."));
}

/* The right to write has changed. A program that asks for the session gets it: its user is there,
 * and the next prompt here asks for it again. */
static void take_lock(struct ik_editor_session *session, const struct ik_event *event)
{
	if (event->lock == IK_LOCK_CHANGE_ASKED || event->lock == IK_LOCK_CHANGE_UNASKED)
		session->handing_over = event->lock == IK_LOCK_CHANGE_ASKED;
	else if (event->lock == IK_LOCK_CHANGE_REFUSED && session->prompts && !session->prompts->begun)
		refuse_prompt(session, IK_RPC_INTERNAL_ERROR,
			_("This session is open in another ikigai, which keeps it."));
}

/* Note an error of a turn, which answers its prompt; tell others at once. */
static void take_error(struct ik_editor_session *session, const struct ik_event *event)
{
	if (!session->prompts || !session->prompts->runs || session->running_command) {
		ik_update_notice(&session->viewer, "error", event->text, event->text_length);
		return;
	}
	free(session->error);
	session->error = ik_strndup(event->text, event->text_length);
	session->code = event->code;
}

/* Is this the end of a command? */
static bool ends_command(const struct ik_event *event)
{
	return (event->kind == IK_EVENT_MESSAGE && event->message->kind == IK_KIND_COMMAND) ||
		(event->kind == IK_EVENT_TOOL_DONE && event->round == 0);
}

static void on_event(void *arg, const struct ik_event *event)
{
	struct ik_editor_session *session = arg;

	ik_core_log_event(event);
	if (session->request)
		return; /* all of it is told when the session is open */
	if (event->kind == IK_EVENT_LOCK)
		take_lock(session, event);
	else if (event->kind == IK_EVENT_ERROR)
		take_error(session, event);
	else
		ik_view_event(&session->view, event);
	if (session->running_command && ends_command(event)) {
		tell_settings(session);
		finish_prompt(session, "end_turn");
	} else if (event->kind == IK_EVENT_TURN_DONE) {
		end_turn(session, event);
	}
}

static void on_store(void *arg, const struct ik_event *event)
{
	struct ik_editor_session *session = arg;

	if (event->kind == IK_EVENT_NOTICE && !session->request)
		ik_update_notice(&session->viewer, "warning", event->text, event->text_length);
}

/* Skills may have become commands. */
static void on_scan_finished(void *arg, struct ik_registry *registry)
{
	struct ik_editor_session *session = arg;

	if (!session->request) /* it is open */
		tell_commands(session);
}

/* ---- opening ---- */

/* Refuse the request that opens the session, which is then to be closed. */
static void refuse_opening(struct ik_editor_session *session, int code, const char *sentence)
{
	ik_peer_refuse(session->options.peer,
		(struct ik_json_span){ session->request, strlen(session->request) }, code, sentence);
	session->failed = true;
}

/* Answer the request that opens the session, after (load) all that was said. */
static void open_session(struct ik_editor_session *session)
{
	char *request = session->request;
	struct ik_buf result;

	session->request = NULL;
	if (session->opening == IK_OPENING_LOAD)
		ik_view_replay(&session->view);
	ik_peer_open(&result);
	if (session->opening == IK_OPENING_NEW)
		ik_json_printf(&result, "'sessionId':'%s'", session->id);
	ik_settings_put_modes(&session->core, &result);
	put_settings(session, &result);
	put_settings(session, &session->told);
	ik_peer_answer(session->options.peer, (struct ik_json_span){ request, strlen(request) },
		&result);
	free(request);
	tell_commands(session);
	if (session->opening == IK_OPENING_NEW)
		ik_view_replay(&session->view); /* what the setup had to say */
	ik_view_tell_title(&session->view);
}

static void on_restored(void *arg, const struct ik_error *error)
{
	struct ik_editor_session *session = arg;

	if (error)
		refuse_opening(session,
			error->status == IK_NOT_FOUND ? IK_ACP_NOT_FOUND : IK_RPC_INTERNAL_ERROR, error->text);
	else
		session->restored = true;
}

/* What was said is told again with the kinds of calls, which the tools know. */
bool ik_editor_session_turn(struct ik_editor_session *session)
{
	const struct ik_editor_prompt *first;

	if (!session->failed && session->request && session->restored &&
		(session->opening != IK_OPENING_LOAD ||
			(session->core.scanned && !ik_session_loading(session->core.session))))
		open_session(session);
	if (session->handing_over && !ik_session_busy(session->core.session) &&
		!(session->prompts && session->prompts->begun)) {
		ik_stored_release(ik_session_stored(session->core.session));
		session->handing_over = false;
	}
	do {
		first = session->prompts;
		advance(session);
	} while (session->prompts && session->prompts != first);
	return !session->failed;
}

/* Prepare the file that a call is about. */
static struct ik_preparation *prepare(void *arg, const struct ik_tool *tool,
	struct ik_json_span arguments, ik_prepared *ready, void *ready_arg)
{
	const struct ik_editor_session *session = arg;

	return ik_buffers_prepare(&session->buffers, tool, arguments, ready, ready_arg);
}

/* Start what is at work in a session. */
static enum ik_status start(struct ik_editor_session *session, struct ik_json_span servers,
	struct ik_error *error)
{
	static const struct ik_preparer preparer = { prepare, ik_buffers_close };
	static const struct ik_core_events events = {
		.preparer = &preparer,
		.event = on_event,
		.store = on_store,
		.scan_finished = on_scan_finished,
	};
	struct ik_core *core = &session->core;
	enum ik_status status;

	session->command_line = *session->options.options;
	session->command_line.directory = session->directory;
	session->command_line.verb = IK_VERB_EXEC; /* which needs the same */
	status = ik_setup_read(&session->command_line, &session->setup, error);
	session->setup.servers = ik_editor_servers(servers);
	if (status == IK_OK)
		status = ik_core_start(core, session->options.loop, &session->setup,
			session->command_line.no_tools, IK_ASKING_USER, &events, session, session, error);
	if (status != IK_OK)
		return status;
	session->choices = ik_choices_new(core, tell_settings, session);
	ik_custom_commands_leave(session->setup.custom_commands, session->options.is_taken);
	session->actions = ik_actions_new(session->options.rows, session->setup.custom_commands);
	if (session->opening == IK_OPENING_NEW) {
		session->id = ik_strdup(ik_session_id(core->session));
		session->restored = true;
	} else {
		ik_session_restore(core->session,
			&(struct ik_restoring){ .id = session->id, .done = on_restored, .arg = session });
	}
	return IK_OK;
}

struct ik_editor_session *ik_editor_session_open(const struct ik_editor_options *options,
	enum ik_opening opening, struct ik_json_span request, struct ik_json_span params)
{
	struct ik_editor_session *session = ik_alloc(sizeof(*session));
	struct ik_error error;

	session->options = *options;
	session->opening = opening;
	session->request = ik_strndup(request.text, request.length);
	session->directory = ik_json_text_new(ik_json_member(params, "cwd"));
	session->id = opening == IK_OPENING_NEW ? NULL
											: ik_json_text_new(ik_json_member(params, "sessionId"));
	ik_buf_init(&session->told, IK_LIMIT_ENVELOPE);
	ik_buf_init(&session->commands_told, IK_LIMIT_ENVELOPE);
	if (!session->directory || session->directory[0] != '/')
		refuse_opening(session, IK_RPC_INVALID_PARAMS, "cwd must be an absolute path");
	else if (opening != IK_OPENING_NEW && !session->id)
		refuse_opening(session, IK_RPC_INVALID_PARAMS, "sessionId is missing");
	else if (start(session, ik_json_member(params, "mcpServers"), &error) != IK_OK)
		refuse_opening(session,
			error.status == IK_DENIED ? IK_ACP_AUTH_REQUIRED : IK_RPC_INTERNAL_ERROR, error.text);
	if (!session->id)
		session->id = ik_strdup("");
	session->viewer = (struct ik_viewer){
		.peer = options->peer,
		.session = session->id,
		.directory = session->setup.places.directory,
		.shows_notices = ik_json_span_type(ik_json_at(options->capabilities, "session.notices")) ==
			IK_JSON_OBJECT,
	};
	session->buffers = (struct ik_buffers){
		.viewer = &session->viewer,
		.sandbox = session->setup.sandbox,
		.reads = ik_json_is_true(ik_json_at(options->capabilities, "fs.readTextFile")),
		.writes = ik_json_is_true(ik_json_at(options->capabilities, "fs.writeTextFile")),
	};
	session->trust = (struct ik_editor_trust){ .core = &session->core, .viewer = &session->viewer };
	session->view = (struct ik_view){
		.viewer = &session->viewer,
		.core = &session->core,
		.calls = { &session->viewer, &session->core, NULL },
	};
	return session->failed ? ik_editor_session_close(session) : session;
}

struct ik_editor_session *ik_editor_session_close(struct ik_editor_session *session)
{
	struct ik_error notice;

	if (session->request && !session->failed)
		refuse_opening(session, IK_ACP_CANCELLED, "the session was closed while it was opened");
	session->attach = ik_attach_close(session->attach);
	ik_editor_trust_done(&session->trust);
	session->choices = ik_choices_free(session->choices);
	session->actions = ik_actions_free(session->actions);
	while (session->prompts) {
		struct ik_editor_prompt *prompt = session->prompts;
		struct ik_buf result;

		ik_peer_open(&result);
		ik_json_printf(&result, "'stopReason':'cancelled'");
		ik_peer_answer(session->options.peer, id_of(prompt), &result);
		drop_prompt(session);
	}
	ik_view_done(&session->view);
	(void)ik_core_stop(&session->core, &notice);
	if (notice.status != IK_OK)
		ik_complain(notice.text);
	ik_setup_done(&session->setup);
	ik_buf_done(&session->told);
	ik_buf_done(&session->commands_told);
	free(session->error);
	free(session->request);
	free(session->directory);
	free(session->id);
	free(session);
	return NULL;
}
