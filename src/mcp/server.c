#include "mcp/server.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"

#include "agent/slots.h"
#include "core/policy_file.h"
#include "core/print.h"
#include "guard/glob.h"
#include "hook/hook_run.h"
#include "json/write.h"
#include "mcp/content.h"
#include "rpc/jsonrpc.h"
#include "tool/mcp/version.h"
#include "tool/run.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/sanitize.h"
#include "util/text.h"

/* The one in which several messages may come as a batch. */
#define BATCH_VERSION "2025-03-26"

/* How long a client may keep the list of tools; it is told of changes if it listens. */
#define LIST_TTL_MS 60000
/* Requests that wait or run, of all clients: each new one looks at all others. */
#define REQUESTS 10000
/* The shortest time between two messages about a call's progress. */
#define PROGRESS_MS 100
/* Such a message has at most so much of a line. */
#define PROGRESS_BYTES IK_KIB(4)

/* A request that is not answered at once. */
struct request {
	struct request *next;
	struct ik_mcp_session *session;
	struct ik_mcp_channel *channel; /* NULL: nobody wants the answer any more */
	char *id;                       /* JSON */
	bool modern;
	enum { LIST, CALL, LISTEN } kind;
	bool started;
	bool wants_changes;   /* of the tools */
	struct ik_buf params; /* of a call: JSON */
	struct ik_registry *registry;
	const struct ik_tool *tool; /* in registry */
	struct ik_slot slot;
	struct ik_run *run;
	struct ik_hook_work *before, *after; /* hooks about the call; NULL: none */
	const struct ik_run_result *result;  /* while hooks are told of it */
	struct ik_json_span token;           /* in params: for messages about progress; or no value */
	int64_t progress;                    /* number of such messages */
	struct ik_buf line;                  /* the last one of stderr, if not reported yet */
	struct ik_buf partial;               /* the one that has begun */
	struct ik_timer *pause;              /* between two messages; NULL: never needed */
};

struct ik_mcp_session {
	struct ik_mcp_session *next;
	struct ik_mcp_server *server;
	const char *version;            /* agreed by initialize; NULL: not yet */
	bool ready;                     /* the client has confirmed it */
	bool closed;                    /* it is freed with its last request */
	struct ik_mcp_channel *listens; /* for messages that answer no request; NULL: none */
	int slots_held;
};

struct ik_mcp_server {
	struct ik_cli *cli;
	struct ik_policy *policy;
	struct ik_hooks *hooks;
	struct ik_hook_runner *hook_runner;
	struct ik_slots *slots;
	struct ik_mcp_session *sessions;
	struct request *requests; /* in order */
	int request_count;
	struct ik_buf listing; /* the tools as JSON */
	bool scanned;
};

/* A request that is being read. */
struct incoming {
	struct ik_mcp_session *session;
	struct ik_mcp_channel *channel;
	struct ik_json_span id, params;
	bool modern;
};

/* ---- answers ---- */

/* Send a message, and release it. */
static void send_buf(struct ik_mcp_channel *channel, struct ik_buf *out)
{
	if (channel && ik_buf_status(out) == IK_OK)
		channel->send(channel, out->data, out->length);
	ik_buf_done(out);
}

/* A request, or the reading of a message, is over. */
static void settle(struct ik_mcp_channel *channel)
{
	if (channel && --channel->unanswered == 0 && channel->settled)
		channel->settled(channel);
}

/* No value. */
static const struct ik_json_span nothing;

static void answer_error_with(struct ik_mcp_channel *channel, struct ik_json_span id, int code,
	const char *message, struct ik_json_span data)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_rpc_put_error(&out, id, code, message, data);
	send_buf(channel, &out);
	settle(channel);
}

static void answer_error(struct ik_mcp_channel *channel, struct ik_json_span id, int code,
	const char *message)
{
	answer_error_with(channel, id, code, message, nothing);
}

/* Append who we are. */
static void put_self(struct ik_buf *out)
{
	ik_json_printf(out, "{'name':'ikigai','version':'%s'}", PACKAGE_VERSION);
}

/* Send the result that begins with these members ("{...", released). */
static void answer(struct ik_mcp_channel *channel, struct ik_json_span id, bool modern,
	struct ik_buf *result)
{
	struct ik_buf out;

	if (modern) {
		ik_json_printf(result, "'resultType':'complete','_meta':{'" IK_MCP_META "serverInfo':");
		put_self(result);
		ik_json_close(result, '}');
	}
	ik_json_close(result, '}');
	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_rpc_put_result(&out, id, (struct ik_json_span){ result->data, result->length });
	if (ik_buf_status(result) != IK_OK || ik_buf_status(&out) != IK_OK) {
		ik_buf_clear(&out);
		ik_rpc_put_error(&out, id, IK_RPC_INTERNAL_ERROR, "the result does not fit into memory",
			nothing);
	}
	ik_buf_done(result);
	send_buf(channel, &out);
	settle(channel);
}

/* Begin the members of a result. */
static void open_result(struct ik_buf *result)
{
	ik_buf_init(result, IK_LIMIT_ENVELOPE);
	ik_json_open(result, '{');
}

static void notify(struct ik_mcp_channel *channel, const char *method, struct ik_buf *params)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	ik_rpc_put_notification(&out, method, (struct ik_json_span){ params->data, params->length });
	send_buf(channel, &out);
	ik_buf_done(params);
}

/* ---- requests ---- */

static void free_request(void *arg)
{
	struct request *request = arg;

	ik_registry_unref(request->registry);
	ik_buf_done(&request->params);
	ik_buf_done(&request->line);
	ik_buf_done(&request->partial);
	free(request->id);
	free(request);
}

/* Free a session that was closed, unless one of its tools still runs. */
static void free_session(struct ik_mcp_session *session)
{
	struct ik_mcp_session **at = &session->server->sessions;

	for (struct request *request = session->server->requests; request; request = request->next)
		if (request->session == session)
			return;
	while (*at != session)
		at = &(*at)->next;
	*at = session->next;
	free(session);
}

/* End a request, whether it was answered or not. */
static void release(struct request *request)
{
	struct ik_mcp_server *server = request->session->server;
	struct request **at = &server->requests;

	while (*at != request)
		at = &(*at)->next;
	*at = request->next;
	server->request_count--;
	request->run = ik_run_close(request->run);
	request->before = ik_hook_close(request->before);
	request->after = ik_hook_close(request->after);
	request->pause = ik_timer_close(request->pause);
	ik_slots_give_back(server->slots, &request->slot);
	ik_loop_defer(server->cli->loop, free_request, request);
	if (request->session->closed)
		free_session(request->session);
}

static struct ik_json_span id_of(const struct request *request)
{
	return (struct ik_json_span){ request->id, strlen(request->id) };
}

/* Answer a request that failed. */
static void refuse(struct request *request, int code, const char *message)
{
	struct ik_mcp_channel *channel = request->channel;

	if (channel)
		answer_error(channel, id_of(request), code, message);
	release(request);
}

/* Answer a call with its envelope. */
static void answer_call(struct request *request, const char *envelope, size_t length,
	const struct ik_message *files)
{
	struct ik_json_span value;
	struct ik_buf result;

	if (request->channel && ik_json_check_around(envelope, length, 2, &value, NULL) == IK_OK) {
		open_result(&result);
		ik_mcp_put_result(request->tool, value, files, &result);
		answer(request->channel, id_of(request), request->modern, &result);
	}
	release(request);
}

/* Is a tool among those of --tools, names and globs between commas? */
static bool is_served(const struct ik_mcp_server *server, const char *name)
{
	const char *globs = server->cli->options->tools;
	bool served = !globs;

	while (globs && *globs && !served) {
		size_t length = strcspn(globs, ",");
		char *glob = ik_strndup(globs, length);

		served = ik_glob_match(glob, name, strlen(name), NULL);
		free(glob);
		globs += length + (globs[length] == ',');
	}
	return served;
}

/* ---- progress ---- */

/* Report the last line that the tool wrote to stderr, if it wrote one since the last report. */
static void report_progress(void *arg)
{
	struct request *request = arg;
	struct ik_buf params, clean;

	if (request->line.length == 0 || !request->channel)
		return;
	ik_buf_init(&clean, IK_LIMIT_ENVELOPE);
	ik_sanitize_line(&clean, request->line.data, request->line.length);
	ik_buf_clear(&request->line);
	ik_buf_init(&params, IK_LIMIT_ENVELOPE);
	ik_json_printf(&params, "{'progressToken':%.*s,'progress':%lld,'message':'%s'}",
		(int)request->token.length, request->token.text, (long long)++request->progress,
		clean.data);
	ik_buf_done(&clean);
	notify(request->channel, "notifications/progress", &params);
	ik_timer_start(request->pause, PROGRESS_MS);
}

/* Note a line feed or carriage return: what came before is a line. */
static void end_line(struct request *request)
{
	struct ik_buf line = request->line;

	if (request->partial.length == 0)
		return;
	request->line = request->partial;
	request->partial = line;
	ik_buf_clear(&request->partial);
}

static void on_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct request *request = arg;

	if (stream != IK_STDERR || !request->token.text)
		return;
	while (length > 0) {
		size_t count = 0;

		while (count < length && bytes[count] != '\n' && bytes[count] != '\r')
			count++;
		ik_buf_append(&request->partial, bytes,
			count < PROGRESS_BYTES - request->partial.length
				? count
				: PROGRESS_BYTES - request->partial.length);
		if (count < length)
			end_line(request);
		count += count < length;
		bytes += count;
		length -= count;
	}
	if (!ik_timer_running(request->pause))
		report_progress(request);
}

/* ---- calls ---- */

/* Return the arguments of a call, as hooks have changed them. */
static struct ik_json_span arguments_of(const struct request *request)
{
	struct ik_json_span params = { request->params.data, request->params.length };
	struct ik_json_span arguments = ik_json_member(params, "arguments");
	const struct ik_hook_outcome *outcome = request->before ? ik_hook_outcome(request->before)
															: NULL;

	if (outcome && outcome->input.length > 0)
		return (struct ik_json_span){ outcome->input.data, outcome->input.length };
	return ik_run_arguments(arguments.text, arguments.length);
}

/* Start the hooks of an event about a call. */
static struct ik_hook_work *start_hooks(struct request *request, enum ik_hook_event event,
	ik_hook_done *done)
{
	const struct ik_mcp_server *server = request->session->server;
	const struct ik_run_result *result = request->result;
	struct ik_hook_call call = {
		.event = event,
		.subject = request->tool->name,
		.session = "",
		.directory = server->cli->setup->places.directory,
		.mode = ik_mode_name(ik_policy_mode(server->policy)),
		.id = request->id,
		.input = arguments_of(request),
		.schema = { request->tool->parameters, request->tool->parameters_length },
	};

	if (result)
		call.response = (struct ik_json_span){ result->envelope, result->envelope_length };
	return ik_hook_start(server->hook_runner, &call, done, request);
}

/* Answer a call, with what hooks say. */
static void finish_call(void *arg)
{
	struct request *request = arg;
	const struct ik_run_result *result = request->result;
	struct ik_buf context, envelope;
	struct ik_message *files = result->attachments
		? ik_message_with_attachments(ik_message_new(IK_KIND_TOOL_RESULT, "", 0, NULL, 0),
			  result->attachments)
		: NULL;

	ik_log(IK_LOG_INFO, "mcp: tool %s: %lld ms, envelope of %zu bytes", request->tool->name,
		(long long)result->duration_ms, result->envelope_length);
	end_line(request);
	report_progress(request);
	ik_buf_init(&context, IK_LIMIT_USER_TEXT);
	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	ik_hook_put_context(request->before, request->after, &context);
	ik_buf_append(&envelope, result->envelope, result->envelope_length);
	if (context.length > 0)
		ik_envelope_add(&envelope, "hook", context.data);
	answer_call(request, envelope.data, envelope.length, files);
	ik_buf_done(&context);
	ik_buf_done(&envelope);
	ik_message_unref(files);
}

static void on_done(void *arg, const struct ik_run_result *result)
{
	struct request *request = arg;

	request->result = result;
	request->after = start_hooks(request, IK_HOOK_POST_TOOL_USE, finish_call);
	if (!request->after)
		finish_call(request);
}

/* Run the tool, now that there is a slot. */
static void run_call(void *arg)
{
	static const struct ik_run_events events = { .output = on_output, .done = on_done };
	struct request *request = arg;
	const struct ik_cli *cli = request->session->server->cli;
	const struct ik_run_options options = ik_core_run_options(cli->loop, cli->setup,
		cli->environment);
	struct ik_json_span arguments = arguments_of(request);

	request->run = ik_run_start(&options, request->registry, request->tool->name, arguments.text,
		arguments.length, &events, request);
}

/* Return why the policy forbids the call, as a sentence (new memory); NULL: it doesn't. Nobody is
 * there to be asked. */
static char *judge(const struct request *request)
{
	const struct ik_mcp_server *server = request->session->server;
	const struct ik_hook_outcome *hooks = request->before ? ik_hook_outcome(request->before) : NULL;
	struct ik_json_span text = arguments_of(request);
	enum ik_decision decision;
	struct ik_verdict verdict;

	verdict = ik_policy_judge(server->policy, request->tool->name,
		ik_tool_reads_only(request->tool), text.text, text.length);
	decision = ik_hook_decide(verdict.decision, hooks);
	if (decision == IK_DECISION_ALLOW || (decision == IK_DECISION_ASK && server->cli->options->yes))
		return NULL;
	return ik_hook_refusal(server->policy, request->tool->name, &verdict, hooks);
}

/* Run a call if it is allowed, now that hooks have spoken. */
static void rule(void *arg)
{
	struct request *request = arg;
	char *denial = judge(request);
	struct ik_buf envelope;

	if (denial) {
		ik_buf_init(&envelope, IK_KIB(64));
		ik_envelope_refusal(&envelope, IK_TOOL_DENIED, denial);
		answer_call(request, envelope.data, envelope.length, NULL);
		ik_buf_done(&envelope);
	} else if (ik_slots_take(request->session->server->slots, &request->slot)) {
		run_call(request);
	}
	free(denial);
}

/* Start a call, now that the tools are known. */
static void start_call(struct request *request)
{
	struct ik_mcp_server *server = request->session->server;
	struct ik_json_span params = { request->params.data, request->params.length };
	char *name = ik_json_string_new(ik_json_member(params, "name"), NULL);

	request->registry = ik_registry_ref(ik_discovery_registry(server->cli->discovery));
	request->tool = is_served(server, name) ? ik_registry_find(request->registry, name) : NULL;
	if (!request->tool) {
		char *message = ik_format("Unknown tool: %s", name);

		refuse(request, IK_RPC_INVALID_PARAMS, message);
		free(message);
	} else {
		request->before = start_hooks(request, IK_HOOK_PRE_TOOL_USE, rule);
		if (!request->before)
			rule(request);
	}
	free(name);
}

/* ---- requests that wait for the tools ---- */

static void answer_list(struct request *request)
{
	struct ik_buf result;

	open_result(&result);
	ik_json_printf(&result, "'tools':%s", request->session->server->listing.data);
	if (request->modern)
		ik_json_printf(&result, "'ttlMs':%d,'cacheScope':'private'", LIST_TTL_MS);
	answer(request->channel, id_of(request), request->modern, &result);
	release(request);
}

/* Start what waits, if the tools are known. */
static void start_waiting(struct ik_mcp_server *server)
{
	struct request *request = server->requests;

	if (ik_discovery_scanning(server->cli->discovery))
		return;
	while (request) {
		struct request *next = request->next;

		if (!request->started) {
			request->started = true;
			(request->kind == LIST ? answer_list : start_call)(request);
		}
		request = next;
	}
}

/* Keep a request until it can be answered. */
static struct request *keep(const struct incoming *in, int kind)
{
	struct ik_mcp_server *server = in->session->server;
	struct request *request = ik_alloc(sizeof(*request)), **end = &server->requests;

	request->session = in->session;
	request->channel = in->channel;
	request->id = ik_strndup(in->id.text, in->id.length);
	request->modern = in->modern;
	request->kind = kind;
	request->slot = (struct ik_slot){
		.owner = &in->session->slots_held,
		.begin = run_call,
		.arg = request,
	};
	ik_buf_init(&request->params, IK_LIMIT_ENVELOPE);
	ik_buf_init(&request->line, PROGRESS_BYTES);
	ik_buf_init(&request->partial, PROGRESS_BYTES);
	while (*end)
		end = &(*end)->next;
	*end = request;
	server->request_count++;
	return request;
}

/* ---- methods ---- */

static void bad_params(const struct incoming *in, const char *message)
{
	answer_error(in->channel, in->id, IK_RPC_INVALID_PARAMS, message);
}

static void put_capabilities(struct ik_buf *out)
{
	ik_json_printf(out, "'capabilities':{'tools':{'listChanged':true}}");
}

static void initialize(const struct incoming *in)
{
	struct ik_json_span wanted = ik_json_member(in->params, "protocolVersion");
	struct ik_buf result;

	in->session->version = ik_mcp_legacy_version(wanted);
	if (!in->session->version)
		in->session->version = IK_MCP_LEGACY;
	open_result(&result);
	ik_json_printf(&result, "'protocolVersion':'%s'", in->session->version);
	put_capabilities(&result);
	ik_json_key(&result, "serverInfo");
	put_self(&result);
	answer(in->channel, in->id, false, &result);
}

static void ping(const struct incoming *in)
{
	struct ik_buf result;

	open_result(&result);
	answer(in->channel, in->id, false, &result);
}

static void discover(const struct incoming *in)
{
	struct ik_buf result;

	open_result(&result);
	ik_json_printf(&result, "'supportedVersions':['%s']", IK_MCP_MODERN);
	put_capabilities(&result);
	ik_json_printf(&result, "'ttlMs':%d,'cacheScope':'private'", LIST_TTL_MS);
	answer(in->channel, in->id, true, &result);
}

static void list_tools(const struct incoming *in)
{
	if (ik_json_member(in->params, "cursor").text)
		bad_params(in, "this cursor is not known: the list has one page");
	else
		(void)keep(in, LIST);
}

static void call_tool(const struct incoming *in)
{
	enum ik_json_type arguments = ik_json_span_type(ik_json_member(in->params, "arguments"));
	char *name = ik_json_text_new(ik_json_member(in->params, "name"));
	struct request *request;
	struct ik_json_span params;

	if (!name) {
		bad_params(in, "tools/call needs the name of a tool");
	} else if (arguments != IK_JSON_OBJECT && arguments != IK_JSON_NONE) {
		bad_params(in, "the arguments of tools/call must be an object");
	} else {
		request = keep(in, CALL);
		ik_buf_append(&request->params, in->params.text, in->params.length);
		params = (struct ik_json_span){ request->params.data, request->params.length };
		request->token = ik_json_at(params, "_meta.progressToken");
		if (request->token.text)
			request->pause = ik_timer_new(in->session->server->cli->loop, report_progress, request);
	}
	free(name);
}

/* Append {"KEY":ID}, the _meta that names a subscription. */
static void put_subscription(struct ik_buf *out, struct ik_json_span id)
{
	ik_json_printf(out, "'_meta':{'" IK_MCP_META "subscriptionId':%.*s}", (int)id.length, id.text);
}

static void listen(const struct incoming *in)
{
	bool wanted = ik_json_is_true(ik_json_at(in->params, "notifications.toolsListChanged"));
	struct request *request = keep(in, LISTEN);
	struct ik_buf params;

	request->started = true;
	request->wants_changes = wanted;
	ik_buf_init(&params, IK_LIMIT_ENVELOPE);
	ik_json_printf(&params, "{'notifications':{");
	if (wanted)
		ik_json_printf(&params, "'toolsListChanged':true");
	ik_json_close(&params, '}');
	put_subscription(&params, in->id);
	ik_json_close(&params, '}');
	notify(in->channel, "notifications/subscriptions/acknowledged", &params);
}

static const struct method {
	const char *name;
	bool legacy, modern;
	bool early; /* before initialize, too */
	void (*fn)(const struct incoming *in);
} methods[] = {
	{ "initialize", true, false, true, initialize },
	{ "ping", true, false, true, ping },
	{ "server/discover", false, true, false, discover },
	{ "subscriptions/listen", false, true, false, listen },
	{ "tools/list", true, true, false, list_tools },
	{ "tools/call", true, true, false, call_tool },
};

/* Check what each modern request must say. */
static bool check_meta(const struct incoming *in, struct ik_json_span version)
{
	struct ik_json_span meta = ik_json_member(in->params, "_meta");
	struct ik_buf data;

	if (!ik_json_string_is(version, IK_MCP_MODERN)) {
		ik_buf_init(&data, IK_LIMIT_ENVELOPE);
		ik_json_printf(&data, "{'supported':['%s'],'requested':%.*s}", IK_MCP_MODERN,
			(int)version.length, version.text);
		answer_error_with(in->channel, in->id, IK_MCP_UNSUPPORTED_VERSION,
			"Unsupported protocol version", (struct ik_json_span){ data.data, data.length });
		ik_buf_done(&data);
		return false;
	}
	if (ik_json_span_type(ik_json_member(meta, IK_MCP_META "clientCapabilities")) == IK_JSON_OBJECT)
		return true;
	bad_params(in, "_meta lacks " IK_MCP_META "clientCapabilities");
	return false;
}

/* Find the method of a request and call it, or answer why that is impossible. */
static void dispatch(struct incoming *in, struct ik_json_span name)
{
	const struct ik_json_span version = ik_json_member(ik_json_member(in->params, "_meta"),
		IK_MCP_META "protocolVersion");
	const struct method *method = methods, *end = methods + sizeof(methods) / sizeof(methods[0]);

	in->modern = version.length > 0;
	while (method < end &&
		(!ik_json_string_is(name, method->name) || !(in->modern ? method->modern : method->legacy)))
		method++;
	if (in->modern && !check_meta(in, version))
		return;
	if (!in->modern && !in->session->version && (method == end || !method->early))
		bad_params(in,
			"begin with initialize, or name the version in _meta (" IK_MCP_META "protocolVersion)");
	else if (method == end)
		answer_error(in->channel, in->id, IK_RPC_UNKNOWN_METHOD, "Method not found");
	else if (in->session->server->request_count == REQUESTS)
		answer_error(in->channel, in->id, IK_RPC_INTERNAL_ERROR, "too many requests are waiting");
	else
		method->fn(in);
}

/* ---- notifications ---- */

/* End a request without an answer, or, if its tool runs, as soon as that has ended. */
static void cancel(struct request *request)
{
	struct ik_mcp_channel *channel = request->channel;

	request->channel = NULL;
	if (request->run)
		ik_run_cancel(request->run);
	else
		release(request);
	settle(channel);
}

static void take_notification(struct ik_mcp_session *session, const struct ik_rpc_message *message)
{
	struct ik_json_span id = ik_json_member(message->params, "requestId");
	struct request *request = session->server->requests;

	if (ik_json_string_is(message->method, "notifications/initialized"))
		session->ready = session->version;
	if (!ik_json_string_is(message->method, "notifications/cancelled") || !id.text)
		return;
	while (request &&
		(request->session != session || !request->channel || !ik_json_equal(id_of(request), id)))
		request = request->next;
	if (request)
		cancel(request);
}

/* Tell all clients that listen that the tools have changed. */
static void tell_change(struct ik_mcp_server *server)
{
	static const char name[] = "notifications/tools/list_changed";
	struct ik_buf params;

	for (struct ik_mcp_session *session = server->sessions; session; session = session->next) {
		ik_buf_init(&params, IK_LIMIT_ENVELOPE);
		if (session->ready && session->listens)
			notify(session->listens, name, &params);
	}
	for (struct request *request = server->requests; request; request = request->next) {
		if (!request->wants_changes)
			continue;
		ik_buf_init(&params, IK_LIMIT_ENVELOPE);
		ik_json_open(&params, '{');
		put_subscription(&params, id_of(request));
		ik_json_close(&params, '}');
		notify(request->channel, name, &params);
	}
}

/* ---- messages ---- */

/* Take one message that is no batch. */
static void take_one(struct ik_mcp_session *session, struct ik_mcp_channel *channel,
	struct ik_json_span value)
{
	const struct ik_rpc_message message = ik_rpc_read(value);
	struct incoming in = { session, channel, message.id, message.params, false };

	if (message.kind == IK_RPC_NOTIFICATION)
		take_notification(session, &message);
	if (message.kind == IK_RPC_NOTIFICATION || message.kind == IK_RPC_RESPONSE)
		return; /* we ask nothing, so a response answers nothing */
	channel->unanswered++;
	if (message.kind == IK_RPC_INVALID)
		answer_error(channel, message.id, IK_RPC_INVALID_REQUEST, "Invalid request");
	else
		dispatch(&in, message.method);
}

/* Take a batch. Each request is answered by itself, as clients of that version expect it. */
static void take_batch(struct ik_mcp_session *session, struct ik_mcp_channel *channel,
	struct ik_json_span batch)
{
	if (!session->version || !ik_text_equal(session->version, BATCH_VERSION) ||
		ik_json_count(batch) == 0) {
		channel->unanswered++;
		answer_error(channel, nothing, IK_RPC_INVALID_REQUEST, "a batch is not possible here");
		return;
	}
	for (struct ik_json_walk walk = ik_json_walk(batch); ik_json_next(&walk);)
		take_one(session, channel, walk.value);
}

void ik_mcp_session_take(struct ik_mcp_session *session, struct ik_mcp_channel *channel,
	const char *text, size_t length)
{
	struct ik_error error = { .text = "the message is too long" };
	struct ik_json_span value;

	channel->unanswered++; /* so that it isn't settled before all of the message is read */
	if (!text || ik_json_check(text, length, &value, &error) != IK_OK) {
		channel->unanswered++;
		answer_error(channel, nothing, IK_RPC_PARSE_ERROR, error.text);
	} else if (ik_json_span_type(value) == IK_JSON_ARRAY) {
		take_batch(session, channel, value);
	} else {
		take_one(session, channel, value);
	}
	start_waiting(session->server);
	settle(channel);
}

/* ---- sessions ---- */

struct ik_mcp_session *ik_mcp_session_new(struct ik_mcp_server *server)
{
	struct ik_mcp_session *session = ik_alloc(sizeof(*session));

	session->server = server;
	session->next = server->sessions;
	server->sessions = session;
	return session;
}

void ik_mcp_session_listen(struct ik_mcp_session *session, struct ik_mcp_channel *channel)
{
	session->listens = channel;
}

void ik_mcp_session_leave(struct ik_mcp_session *session, const struct ik_mcp_channel *channel,
	bool cancelling)
{
	struct request *request = session->server->requests, *next;

	if (session->listens == channel)
		session->listens = NULL;
	for (; request; request = next) {
		next = request->next;
		if (request->channel != channel)
			continue;
		request->channel = NULL;
		if (cancelling && request->run)
			ik_run_cancel(request->run);
		else if (cancelling || request->kind != CALL)
			release(request);
	}
}

struct ik_mcp_session *ik_mcp_session_close(struct ik_mcp_session *session)
{
	struct request *request, *next;

	if (!session)
		return NULL;
	session->ready = false;
	for (request = session->server->requests; request; request = next) {
		next = request->next;
		if (request->session != session)
			continue;
		request->channel = NULL;
		if (request->run)
			ik_run_cancel(request->run);
		else
			release(request);
	}
	session->closed = true;
	free_session(session);
	return NULL;
}

/* ---- the server ---- */

/* Write the list of tools again. Return whether it has changed. */
static bool renew_listing(struct ik_mcp_server *server, const struct ik_registry *registry)
{
	struct ik_buf listing;
	bool changed;

	ik_buf_init(&listing, IK_LIMIT_ENVELOPE);
	ik_json_open(&listing, '[');
	for (size_t i = 0; i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state == IK_TOOL_OK && is_served(server, tool->name))
			ik_mcp_put_tool(tool, &listing);
	}
	ik_json_close(&listing, ']');
	changed = !ik_text_equal(listing.data, server->listing.data);
	ik_buf_done(&server->listing);
	server->listing = listing;
	return changed;
}

/* Say once what is missing, and why. */
static void warn(const struct ik_mcp_server *server, const struct ik_registry *registry)
{
	ik_cli_warn_of_trust(server->cli->setup, registry);
	if (ik_text_equal(server->listing.data, "[]"))
		ik_complain(server->cli->options->tools
				? _("no tool has a name that --tools allows; ikigai tool list shows them")
				: _("there are no tools; ikigai tool list --all says why"));
}

static void on_scanned(void *arg, struct ik_registry *registry)
{
	struct ik_mcp_server *server = arg;
	bool changed = renew_listing(server, registry);

	if (!server->scanned)
		warn(server, registry);
	else if (changed)
		tell_change(server);
	server->scanned = true;
	start_waiting(server);
	ik_discovery_ask_later(server->cli->discovery, IK_DISCOVERY_LATER_MS);
}

static void on_problem(void *arg, const char *sentence)
{
	(void)arg;
	ik_complain(sentence);
}

/* Read the rules that decide which calls are made. */
static struct ik_policy *read_policy(const struct ik_setup *setup)
{
	struct ik_policy *policy = ik_core_policy(setup);
	char *path = ik_places_file(&setup->places, "policy.json");
	struct ik_error error;

	if (ik_policy_file_read(path, ik_policy_kept(policy), &error) != IK_OK)
		ik_complain(error.text);
	free(path);
	return policy;
}

struct ik_mcp_server *ik_mcp_server_new(struct ik_cli *cli)
{
	static const struct ik_discovery_events events = {
		.finished = on_scanned,
		.problem = on_problem,
	};
	const struct ik_config *config = cli->setup->config;
	struct ik_mcp_server *server = ik_alloc(sizeof(*server));

	server->cli = cli;
	cli->setup->config->skills_enabled = false; /* tools alone are served */
	server->policy = read_policy(cli->setup);
	server->hooks = ik_hooks_read(&cli->setup->places, config, &cli->setup->project);
	server->hook_runner = ik_hook_runner_new(cli->loop, (const char *const *)cli->environment);
	ik_hook_runner_set(server->hook_runner, server->hooks);
	server->slots = ik_slots_new((int)config->tools_concurrency);
	ik_buf_init(&server->listing, IK_LIMIT_ENVELOPE);
	ik_buf_puts(&server->listing, "[]");
	cli->discovery = ik_core_discovery(cli->loop, cli->setup, cli->environment, &events, server);
	if (config->tools_enabled)
		ik_discovery_scan(cli->discovery, IK_CACHE_ALL);
	if (config->tools_enabled && config->tools_watch)
		ik_discovery_watch(cli->discovery);
	return server;
}

struct ik_mcp_server *ik_mcp_server_close(struct ik_mcp_server *server)
{
	/* The end of one call must not start another. */
	ik_slots_shut(server->slots);
	while (server->requests)
		release(server->requests);
	server->cli->discovery = ik_discovery_close(server->cli->discovery);
	ik_slots_free(server->slots);
	ik_policy_free(server->policy);
	ik_hook_runner_close(server->hook_runner);
	ik_hooks_free(server->hooks);
	ik_buf_done(&server->listing);
	free(server);
	return NULL;
}
