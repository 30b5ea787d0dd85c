#include "acp/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#include "acp/session.h"
#include "cli/cli.h"
#include "commands/stored_session.h"
#include "core/print.h"
#include "core/undo_command.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Sessions on a page of the list. */
enum { PAGE = 50 };

struct session {
	struct session *next;
	struct ik_editor_session *session;
};

/* A request that waits for the store. */
struct store_request {
	struct store_request *next;
	struct server *server;
	char *id; /* JSON */
	struct ik_store_read *read;
	char *session;          /* that is to be deleted; or NULL */
	struct ik_taken *taken; /* keeps others from writing to it meanwhile */
};

struct server {
	struct ik_cli *cli;
	struct ik_peer *peer;
	struct ik_editor_options options;
	struct ik_buf capabilities; /* of the editor */
	struct session *sessions;
	struct store_request *readings;
	struct ik_store *store; /* for lists; NULL: not needed yet */
};

/* A request or notification that is being handled. */
struct editor_request {
	struct server *server;
	struct ik_json_span id, params;
	enum ik_opening opening; /* of a request to open a session */
};

static void refuse(const struct editor_request *in, int code, const char *sentence)
{
	ik_peer_refuse(in->server->peer, in->id, code, sentence);
}

static void answer_empty(const struct editor_request *in)
{
	struct ik_buf result;

	ik_peer_open(&result);
	ik_peer_answer(in->server->peer, in->id, &result);
}

/* ---- sessions ---- */

/* Return where the session that params name is in the list, or NULL. */
static struct session **find_session(const struct editor_request *in)
{
	struct ik_json_span id = ik_json_member(in->params, "sessionId");
	struct session **at = &in->server->sessions;

	while (*at && !ik_json_string_is(id, ik_editor_session_id((*at)->session)))
		at = &(*at)->next;
	return *at ? at : NULL;
}

/* Return the session that params name, or refuse the request. */
static struct ik_editor_session *session_of(const struct editor_request *in)
{
	struct session **at = find_session(in);

	if (at)
		return (*at)->session;
	refuse(in, IK_ACP_NOT_FOUND,
		"this session is not open: session/new, session/load or session/resume opens one");
	return NULL;
}

static void close_session(struct session **at)
{
	struct session *session = *at;

	*at = session->next;
	ik_editor_session_close(session->session);
	free(session);
}

/* Let each session do what is due, before the loop sleeps. */
static void on_turn(void *arg)
{
	struct server *server = arg;
	struct session **at = &server->sessions;

	while (*at)
		if (ik_editor_session_turn((*at)->session))
			at = &(*at)->next;
		else
			close_session(at);
}

/* Open a session. One that is open already is opened anew. */
static void open_session(const struct editor_request *in)
{
	struct server *server = in->server;
	struct session **at = in->opening == IK_OPENING_NEW ? NULL : find_session(in), *session;
	struct ik_editor_session *opened;

	if (at && ik_editor_session_is_busy((*at)->session)) {
		refuse(in, IK_RPC_INVALID_REQUEST, "a prompt is at work in this session");
		return;
	}
	if (at)
		close_session(at);
	server->options.capabilities = (struct ik_json_span){ server->capabilities.data,
		server->capabilities.length };
	opened = ik_editor_session_open(&server->options, in->opening, in->id, in->params);
	if (!opened)
		return;
	session = ik_alloc(sizeof(*session));
	*session = (struct session){ server->sessions, opened };
	server->sessions = session;
}

static void end_session(const struct editor_request *in)
{
	struct session **at = find_session(in);

	if (!session_of(in))
		return;
	close_session(at);
	answer_empty(in);
}

/* ---- the store ---- */

/* Return the store, opened when it is first needed; NULL if the request was refused. */
static struct ik_store *store_of(const struct editor_request *in)
{
	struct server *server = in->server;
	struct ik_error error;

	if (!server->store)
		server->store = ik_setup_open_store(server->cli->setup, server->cli->loop, &error);
	if (!server->store)
		refuse(in, IK_RPC_INTERNAL_ERROR, error.text);
	return server->store;
}

static struct store_request *keep(const struct editor_request *in)
{
	struct store_request *reading = ik_alloc(sizeof(*reading));

	reading->server = in->server;
	reading->id = ik_strndup(in->id.text, in->id.length);
	reading->next = in->server->readings;
	in->server->readings = reading;
	return reading;
}

static void drop(struct store_request *reading)
{
	struct store_request **at = &reading->server->readings;

	while (*at != reading)
		at = &(*at)->next;
	*at = reading->next;
	ik_taken_close(reading->taken);
	free(reading->session);
	free(reading->id);
	free(reading);
}

/* Answer a request that the store has answered: with this result (NULL: its failure). */
static void answer_read(struct store_request *reading, const struct ik_store_answer *answer,
	struct ik_buf *result)
{
	struct ik_json_span id = { reading->id, strlen(reading->id) };

	if (answer->status == IK_OK)
		ik_peer_answer(reading->server->peer, id, result);
	else
		ik_peer_refuse(reading->server->peer, id,
			answer->status == IK_NOT_FOUND ? IK_ACP_NOT_FOUND : IK_RPC_INTERNAL_ERROR,
			answer->error.text);
	drop(reading);
}

static void on_list(void *arg, const struct ik_store_answer *answer)
{
	struct ik_buf result;

	ik_peer_open(&result);
	ik_json_printf(&result, "'sessions':[");
	for (size_t i = 0; i < answer->count; i++) {
		const struct ik_session_info *info = &answer->sessions[i];
		char when[IK_CLOCK_TEXT];

		ik_clock_text(info->updated_ms, when);
		ik_json_printf(&result, "{'sessionId':'%s','cwd':'%s','title':'%s','updatedAt':'%s'}",
			info->id, info->directory, info->title, when);
	}
	ik_json_close(&result, ']');
	if (answer->count == PAGE) {
		char *cursor = ik_format("%" PRId64 " %s", answer->sessions[PAGE - 1].updated_ms,
			answer->sessions[PAGE - 1].id);

		ik_json_printf(&result, "'nextCursor':'%s'", cursor);
		free(cursor);
	}
	answer_read(arg, answer, &result);
	if (answer->status != IK_OK)
		ik_buf_done(&result);
}

static void list_sessions(const struct editor_request *in)
{
	struct ik_store *store = store_of(in);
	char *named = ik_json_text_new(ik_json_member(in->params, "cwd"));
	char *cursor = ik_json_text_new(ik_json_member(in->params, "cursor"));
	char *directory = named ? ik_path_canonical(named) : NULL, id[IK_UUID_TEXT] = "";
	const struct ik_session_choice choice = { .directory = directory };
	int64_t updated_ms = 0;
	struct store_request *reading;

	if (cursor && sscanf(cursor, "%" SCNd64 " %36s", &updated_ms, id) != 2) {
		refuse(in, IK_RPC_INVALID_PARAMS, "this cursor is not known");
	} else if (store) {
		reading = keep(in);
		reading->read = ik_store_list(store, &choice, updated_ms, id, PAGE, on_list, reading);
	}
	free(named);
	free(cursor);
	free(directory);
}

static void on_deleted(void *arg, const struct ik_store_answer *answer)
{
	const struct store_request *reading = arg;
	struct ik_buf result;

	if (answer->status == IK_OK) {
		ik_undo_session_deleted(&reading->server->cli->setup->places, reading->session);
		ik_peer_open(&result);
	}
	answer_read(arg, answer, &result);
}

static void on_taken(void *arg, const struct ik_error *error)
{
	struct store_request *reading = arg;

	if (error)
		answer_read(reading, &(struct ik_store_answer){ .status = error->status, .error = *error },
			NULL);
	else
		reading->read = ik_store_delete(reading->server->store, reading->session, on_deleted,
			reading);
}

static void delete_session(const struct editor_request *in)
{
	char *id = ik_json_text_new(ik_json_member(in->params, "sessionId"));
	struct session **at = find_session(in);
	struct ik_store *store = store_of(in);
	struct store_request *reading;

	if (at)
		close_session(at);
	/* It names a file (store/lock.h). */
	if (store && (!id || strlen(id) != IK_UUID_TEXT - 1 || strchr(id, '/'))) {
		refuse(in, IK_ACP_NOT_FOUND, "there is no such session");
	} else if (store) {
		reading = keep(in);
		reading->session = ik_strdup(id);
		reading->taken = ik_take_session(store, id, on_taken, reading);
	}
	free(id);
}

/* ---- methods ---- */

static void initialize(const struct editor_request *in)
{
	struct ik_json_span capabilities = ik_json_member(in->params, "clientCapabilities");
	struct ik_buf result;

	ik_buf_clear(&in->server->capabilities);
	ik_buf_append(&in->server->capabilities, capabilities.text, capabilities.length);
	ik_peer_open(&result);
	/* Version 1, whatever the editor names: it decides whether it goes on. */
	ik_json_printf(&result,
		"'protocolVersion':1,'agentCapabilities':{'loadSession':true,"
		"'promptCapabilities':{'image':true,'audio':false,'embeddedContext':true},"
		"'mcpCapabilities':{'http':true,'sse':false},"
		"'sessionCapabilities':{'list':{},'resume':{},'close':{},'delete':{}}},"
		"'authMethods':[],'agentInfo':{'name':'ikigai','title':'ikigai','version':'%s'}",
		PACKAGE_VERSION);
	ik_peer_answer(in->server->peer, in->id, &result);
}

static void cancel(const struct editor_request *in)
{
	struct session **at = find_session(in);

	if (at)
		(void)ik_editor_session_cancel((*at)->session, (struct ik_json_span){ NULL, 0 });
}

static void cancel_request(const struct editor_request *in)
{
	struct ik_json_span id = ik_json_member(in->params, "requestId");
	struct session *session = in->server->sessions;

	while (id.text && session && !ik_editor_session_cancel(session->session, id))
		session = session->next;
}

static const struct acp_method {
	const char *name;
	bool notification;
	void (*fn)(const struct editor_request *in);
	/* Or a request about an open session. */
	void (*session)(struct ik_editor_session *session, struct ik_json_span request,
		struct ik_json_span params);
	enum ik_opening opening; /* for open_session() */
} methods[] = {
	{ "initialize", .fn = initialize },
	{ "authenticate", .fn = answer_empty },
	{ "session/new", .fn = open_session, .opening = IK_OPENING_NEW },
	{ "session/load", .fn = open_session, .opening = IK_OPENING_LOAD },
	{ "session/resume", .fn = open_session, .opening = IK_OPENING_RESUME },
	{ "session/list", .fn = list_sessions },
	{ "session/close", .fn = end_session },
	{ "session/delete", .fn = delete_session },
	{ "session/prompt", .session = ik_editor_session_prompt },
	{ "session/set_mode", .session = ik_editor_session_set_mode },
	{ "session/set_config_option", .session = ik_editor_session_set_option },
	{ "session/cancel", .notification = true, .fn = cancel },
	{ "$/cancel_request", .notification = true, .fn = cancel_request },
};

static void on_message(void *arg, const struct ik_rpc_message *message)
{
	const struct acp_method *method = methods,
							*end = methods + sizeof(methods) / sizeof(methods[0]);
	struct editor_request in = { arg, message->id, message->params, IK_OPENING_NEW };
	struct ik_editor_session *session;
	bool notification = message->kind == IK_RPC_NOTIFICATION;

	while (method < end &&
		(method->notification != notification || !ik_json_string_is(message->method, method->name)))
		method++;
	if (method == end) {
		if (!notification)
			refuse(&in, IK_RPC_UNKNOWN_METHOD, "Method not found");
		return;
	}
	in.opening = method->opening;
	if (method->fn)
		method->fn(&in);
	else if ((session = session_of(&in)))
		method->session(session, in.id, in.params);
}

/* The editor is gone: store what was said, end what runs. */
static void on_ended(void *arg)
{
	struct server *server = arg;

	while (server->sessions)
		close_session(&server->sessions);
	while (server->readings) {
		server->readings->read = ik_store_read_close(server->readings->read);
		drop(server->readings);
	}
}

int ik_acp_serve(const struct ik_options *options, struct ik_setup *setup,
	const struct ik_action_row *rows, ik_custom_name_is_taken *is_taken)
{
	static const struct ik_peer_events events = { on_message, on_ended };
	struct server server = { .cli = NULL };
	struct ik_cli cli;
	bool written;

	if (!ik_cli_open(&cli, options, setup))
		return 1;
	server.cli = &cli;
	ik_buf_init(&server.capabilities, IK_LIMIT_CONFIG);
	server.peer = ik_peer_new(cli.loop, &events, &server);
	server.options = (struct ik_editor_options){
		.loop = cli.loop,
		.peer = server.peer,
		.options = options,
		.rows = rows,
		.is_taken = is_taken,
	};
	ik_loop_before_sleep(cli.loop, on_turn, &server);
	(void)!ik_cli_wait(&cli);
	on_ended(&server);
	if (server.store)
		(void)ik_store_close(server.store, NULL, NULL);
	written = ik_peer_close(server.peer);
	ik_buf_done(&server.capabilities);
	return ik_cli_close(&cli, written ? 0 : 1);
}
