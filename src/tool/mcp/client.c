#include "tool/mcp/client.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"

#include "json/write.h"
#include "tool/mcp/version.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/text.h"

/* How long a server may think about server/discover before it counts as one that doesn't know it. */
enum { SILENCE_MS = 5000 };
/* When a message can't be sent, the end of its process may be about to be known. */
enum { UNREAD_MS = 500 };
/* A list may have so many pages, and bytes: the cache has to have room for those of other servers. */
enum { PAGES = 1000 };
#define LIST_LIMIT IK_MIB(2)
/* How often one call may be answered by questions, and how many may wait. */
enum { QUESTIONS = 10 };
/* How long after a change the tools are asked for: it doubles while they keep changing. */
enum { PAUSE_FIRST_MS = 100, PAUSE_LONGEST_MS = 60000 };

/* What the user is asked: a request of a legacy server, or a part of a modern one's answer. */
struct mcp_question {
	struct mcp_question *next;
	char *id;     /* JSON: of that request, or the part's name */
	char *params; /* JSON */
};

struct ik_mcp_request {
	struct ik_mcp_request *next;
	struct ik_mcp_client *client;
	int64_t id; /* 0: not sent yet */
	char *method;
	char *members; /* of params */
	size_t asked;  /* length of those that were asked for; answers to questions follow */
	struct ik_json_span schema;
	const struct ik_mcp_request_events *events;
	void *arg;
	int rounds;                     /* how often a modern server asked back */
	struct mcp_question *questions; /* the first one is being asked */
	struct ik_buf replies;          /* of a modern server's round: members of the next request */
	struct ik_buf list;             /* of tools/list: the pages so far */
	int pages;
};

struct ik_mcp_client {
	struct ik_loop *loop;
	struct ik_mcp_transport *transport;
	const struct ik_mcp_client_events *events;
	void *arg;
	int64_t discover, initialize; /* the requests; 0: not sent */
	bool refused;                 /* initialize was */
	bool asked_again;             /* discover was */
	bool unread;                  /* a message couldn't be sent */
	bool asks;                    /* as in struct ik_mcp_options */
	bool over, closed;
	struct ik_mcp_about about;
	char *failure; /* why it is of no use, reported deferred */
	int64_t last_id;
	struct ik_mcp_request *requests;
	struct ik_timer *silence;
	struct ik_timer *pause;        /* until a change of the tools is reported */
	int64_t pause_ms, reported_ms; /* the next one, and when it was over the last time */
};

/* ---- sending ---- */

static void report_failure(void *arg)
{
	struct ik_mcp_client *client = arg;
	char *sentence = client->failure;

	client->failure = NULL;
	client->events->over(client->arg, sentence, NULL);
	free(sentence);
}

/* Give up on the server; sentence is taken over. */
static void give_up(struct ik_mcp_client *client, char *sentence)
{
	if (client->failure || client->closed) {
		free(sentence);
		return;
	}
	client->failure = sentence;
	ik_loop_defer(client->loop, report_failure, client);
}

/* Send a message, and release it. */
static void send_buf(struct ik_mcp_client *client, struct ik_buf *out, struct ik_json_span schema)
{
	size_t length = out->length;

	ik_buf_putc(out, '\n');
	if ((ik_buf_status(out) != IK_OK ||
			!client->transport->ops->send(client->transport,
				(struct ik_json_span){ out->data, length }, schema)) &&
		!client->unread) {
		/* If its process has ended, how it did says more. */
		client->unread = true;
		ik_timer_start(client->silence, UNREAD_MS);
	}
	ik_buf_done(out);
}

static void notify(struct ik_mcp_client *client, const char *method, const char *params)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_MCP_MESSAGE_LIMIT);
	ik_rpc_put_notification(&out, method,
		(struct ik_json_span){ params, params ? strlen(params) : 0 });
	send_buf(client, &out, (struct ik_json_span){ NULL, 0 });
}

/* Answer a request of the server's. id and result are checked JSON. */
static void send_result(struct ik_mcp_client *client, struct ik_json_span id,
	struct ik_json_span result)
{
	struct ik_buf out;

	if (client->over || client->failure || client->closed)
		return;
	ik_buf_init(&out, IK_MCP_MESSAGE_LIMIT);
	ik_rpc_put_result(&out, id, result);
	send_buf(client, &out, (struct ik_json_span){ NULL, 0 });
}

/* Append what we offer: forms for the user. */
static void put_capabilities(struct ik_buf *out, const struct ik_mcp_client *client)
{
	ik_json_printf(out, "{%s}", client->asks ? "\"elicitation\":{}" : "");
}

static void put_self(struct ik_buf *out)
{
	ik_json_printf(out, "{'name':'ikigai','version':'%s'}", PACKAGE_VERSION);
}

/* Append _meta: what each modern request has, and the token (0: none) for messages about progress. */
static void put_meta(struct ik_buf *out, const struct ik_mcp_client *client, bool modern,
	int64_t token)
{
	if (!modern && token == 0)
		return;
	ik_json_printf(out, "'_meta':{");
	if (modern) {
		ik_json_printf(out,
			"'" IK_MCP_META "protocolVersion':'" IK_MCP_MODERN "','" IK_MCP_META
			"clientCapabilities':");
		put_capabilities(out, client);
		ik_json_printf(out, "'" IK_MCP_META "clientInfo':");
		put_self(out);
	}
	if (modern && token != 0)
		ik_json_printf(out, "'" IK_MCP_META "logLevel':'info'");
	if (token != 0)
		ik_json_printf(out, "'progressToken':%lld", (long long)token);
	ik_json_close(out, '}');
}

/* Send a request with these members of params, and return its id. */
static int64_t send_request(struct ik_mcp_client *client, const char *method, const char *members,
	bool modern, bool progress, struct ik_json_span schema)
{
	struct ik_buf params, out;
	int64_t id = ++client->last_id;

	ik_buf_init(&params, IK_MCP_MESSAGE_LIMIT);
	ik_buf_printf(&params, "{%s", members);
	put_meta(&params, client, modern, progress ? id : 0);
	ik_json_close(&params, '}');
	ik_buf_init(&out, IK_MCP_MESSAGE_LIMIT);
	ik_rpc_put_request(&out, id, method, (struct ik_json_span){ params.data, params.length });
	if (ik_buf_status(&params) != IK_OK)
		out.status = ik_buf_status(&params);
	ik_buf_done(&params);
	send_buf(client, &out, schema);
	return id;
}

static void send_ours(struct ik_mcp_request *request)
{
	request->id = send_request(request->client, request->method, request->members,
		request->client->about.modern, request->events->progress, request->schema);
}

/* ---- requests ---- */

static struct ik_mcp_request *find(const struct ik_mcp_client *client, struct ik_json_span id)
{
	struct ik_mcp_request *request = client->requests;
	int64_t number;

	if (!ik_json_integer(id, &number) || number <= 0)
		return NULL;
	while (request && request->id != number)
		request = request->next;
	return request;
}

static void ask_next(void *arg);

static struct ik_json_span span_of(const char *text)
{
	return (struct ik_json_span){ text, strlen(text) };
}

/* Answer the question at that place, and forget it: a legacy server at once, a modern one when all are
 * answered. */
static void reply(struct ik_mcp_request *request, struct mcp_question **at,
	struct ik_json_span answer)
{
	struct mcp_question *question = *at;

	*at = question->next;
	if (request->replies.length > 0)
		ik_json_printf(&request->replies, "%s:%.*s", question->id, (int)answer.length, answer.text);
	else
		send_result(request->client, span_of(question->id), answer);
	free(question->id);
	free(question->params);
	free(question);
}

/* Take a request out of the list, and free it. */
static void forget(struct ik_mcp_request *request)
{
	struct ik_mcp_request **at = &request->client->requests;

	while (*at != request)
		at = &(*at)->next;
	*at = request->next;
	ik_loop_cancel_deferred(request->client->loop, ask_next, request);
	while (request->questions)
		reply(request, &request->questions, IK_JSON_SPAN("{\"action\":\"cancel\"}"));
	ik_buf_done(&request->replies);
	ik_buf_done(&request->list);
	free(request->method);
	free(request->members);
	free(request);
}

struct ik_mcp_request *ik_mcp_client_ask(struct ik_mcp_client *client, const char *method,
	const char *members, struct ik_json_span schema, const struct ik_mcp_request_events *events,
	void *arg)
{
	struct ik_mcp_request *request = ik_alloc(sizeof(*request)), **end = &client->requests;

	request->client = client;
	request->method = ik_strdup(method);
	request->members = ik_strdup(members);
	request->asked = strlen(members);
	request->schema = schema;
	request->events = events;
	request->arg = arg;
	ik_buf_init(&request->list, LIST_LIMIT);
	ik_buf_init(&request->replies, IK_MCP_MESSAGE_LIMIT);
	while (*end)
		end = &(*end)->next;
	*end = request;
	if (client->about.version)
		send_ours(request);
	return request;
}

struct ik_mcp_request *ik_mcp_client_list(struct ik_mcp_client *client,
	const struct ik_mcp_request_events *events, void *arg)
{
	return ik_mcp_client_ask(client, "tools/list", "", (struct ik_json_span){ NULL, 0 }, events,
		arg);
}

struct ik_mcp_request *ik_mcp_request_cancel(struct ik_mcp_request *request)
{
	if (!request)
		return NULL;
	if (request->id != 0 && !request->client->over && !request->client->failure) {
		char *params = ik_format("{\"requestId\":%lld}", (long long)request->id);

		notify(request->client, "notifications/cancelled", params);
		free(params);
	}
	forget(request);
	return NULL;
}

/* ---- the beginning ---- */

static void ask_discover(struct ik_mcp_client *client)
{
	client->discover = send_request(client, "server/discover", "", true, false,
		(struct ik_json_span){ NULL, 0 });
	if (!client->unread)
		ik_timer_start(client->silence, SILENCE_MS);
}

static void ask_initialize(struct ik_mcp_client *client)
{
	struct ik_buf members;

	ik_buf_init(&members, IK_KIB(4));
	ik_json_printf(&members, "'protocolVersion':'" IK_MCP_LEGACY "','capabilities':");
	put_capabilities(&members, client);
	ik_json_printf(&members, "'clientInfo':");
	put_self(&members);
	client->initialize = send_request(client, "initialize", members.data, false, false,
		(struct ik_json_span){ NULL, 0 });
	ik_buf_done(&members);
}

static void on_silence(void *arg)
{
	struct ik_mcp_client *client = arg;

	if (client->unread)
		give_up(client, ik_strdup(_("the server doesn't read what it is sent")));
	else if (client->initialize == 0)
		ask_initialize(client);
	else
		give_up(client, ik_strdup(_("the server doesn't answer")));
}

/* The era is settled: keep what the server says of itself, and send what has waited. */
static void begin(struct ik_mcp_client *client, const char *version, struct ik_json_span result,
	struct ik_json_span info)
{
	struct ik_json_span tools = ik_json_at(result, "capabilities.tools");

	client->about = (struct ik_mcp_about){
		.version = version,
		.modern = ik_text_equal(version, IK_MCP_MODERN),
		.name = ik_json_text_new(ik_json_member(info, "name")),
		.server_version = ik_json_text_new(ik_json_member(info, "version")),
	};
	client->transport->version = version;
	if (!client->unread)
		ik_timer_stop(client->silence);
	if (!client->about.modern)
		notify(client, "notifications/initialized", NULL);
	else if (ik_json_is_true(ik_json_member(tools, "listChanged")))
		(void)send_request(client, "subscriptions/listen",
			"\"notifications\":{\"toolsListChanged\":true}", true, false,
			(struct ik_json_span){ NULL, 0 });
	for (struct ik_mcp_request *request = client->requests; request; request = request->next)
		send_ours(request);
	client->events->ready(client->arg);
}

/* The answer to initialize: the version is one of ours, or we can't go on. */
static void on_initialized(struct ik_mcp_client *client, struct ik_json_span result)
{
	struct ik_json_span named = ik_json_member(result, "protocolVersion");
	const char *version = ik_mcp_legacy_version(named);

	if (version)
		begin(client, version, result, ik_json_member(result, "serverInfo"));
	else
		give_up(client,
			ik_format(_("the server speaks a version of MCP that ikigai doesn't: %.*s"),
				(int)(named.length < 40 ? named.length : 40), named.length ? named.text : "?"));
}

static bool speaks_modern(struct ik_json_span versions)
{
	return ik_json_span_type(versions) == IK_JSON_ARRAY &&
		ik_json_holds(versions, IK_JSON_SPAN("\"" IK_MCP_MODERN "\""));
}

static bool answers(const struct ik_rpc_message *message, int64_t id)
{
	int64_t number;

	return id != 0 && ik_json_integer(message->id, &number) && number == id;
}

/* Give up, since the server knows neither beginning. */
static void give_up_refused(struct ik_mcp_client *client, struct ik_json_span error)
{
	char *words = ik_json_string_new(ik_json_member(error, "message"), NULL);

	give_up(client, ik_format(_("the server can't be used: %s"), words ? words : "?"));
	free(words);
}

/* Process the answer to discover or to initialize. A late answer to the first is better than none
 * to the second; other answers are of no interest. */
static void take_first_answer(struct ik_mcp_client *client, const struct ik_rpc_message *message)
{
	bool to_discover = answers(message, client->discover);
	struct ik_json_span result = message->result;

	if (client->about.version || (!to_discover && !answers(message, client->initialize)))
		return;
	client->refused = client->refused || (!to_discover && !result.text);
	if (to_discover && speaks_modern(ik_json_member(result, "supportedVersions")))
		begin(client, IK_MCP_MODERN, result,
			ik_json_member(ik_json_member(result, "_meta"), IK_MCP_META "serverInfo"));
	else if (!to_discover && result.text)
		on_initialized(client, result);
	else if (to_discover && !client->asked_again &&
		speaks_modern(ik_json_at(message->error, "data.supported"))) {
		/* It refuses the version, and names it: that may be over now. */
		client->asked_again = true;
		ask_discover(client);
	} else if (to_discover && client->initialize == 0)
		ask_initialize(client);
	else if (!to_discover && client->discover == 0)
		ask_discover(client);
	else if (client->refused)
		give_up_refused(client, message->error);
}

/* ---- answers ---- */

/* Hand over the answer; the request is gone when the receiver learns of it. */
static void answer(struct ik_mcp_request *request, struct ik_json_span result,
	struct ik_json_span error)
{
	const struct ik_mcp_request_events *events = request->events;
	void *arg = request->arg;
	struct ik_buf list = request->list; /* the result may be in it */

	ik_buf_init(&request->list, 0);
	forget(request);
	events->answer(arg, result, error);
	ik_buf_done(&list);
}

static void fail(struct ik_mcp_request *request, const char *message)
{
	struct ik_json_span error;
	struct ik_buf text;

	ik_buf_init(&text, IK_KIB(4));
	ik_json_printf(&text, "{'code':%d,'message':'%s'}", IK_RPC_INTERNAL_ERROR, message);
	error = (struct ik_json_span){ text.data, text.length };
	answer(request, (struct ik_json_span){ NULL, 0 }, error);
	ik_buf_done(&text);
}

/* Replace the members of a request, which are taken over, and send it again under a new id. */
static void ask_again(struct ik_mcp_request *request, struct ik_buf *members)
{
	free(request->members);
	request->members = ik_buf_take(members, NULL);
	send_ours(request);
}

/* Take a page of the list. An empty cursor is one, too. */
static void take_page(struct ik_mcp_request *request, struct ik_json_span result)
{
	struct ik_json_span tools = ik_json_member(result, "tools");
	struct ik_json_span cursor = ik_json_member(result, "nextCursor");
	struct ik_buf *list = &request->list, members;

	if (request->pages++ == 0)
		ik_json_printf(list, "{'tools':[");
	for (struct ik_json_walk walk = ik_json_elements(tools); ik_json_next(&walk);)
		ik_json_put_raw(list, walk.value);
	if (ik_buf_status(list) != IK_OK || (cursor.text && request->pages == PAGES)) {
		fail(request, "the list of tools has no end");
	} else if (ik_json_span_type(cursor) == IK_JSON_STRING) {
		ik_buf_init(&members, IK_LIMIT_SCHEMA_CACHE);
		ik_json_printf(&members, "'cursor':%.*s", (int)cursor.length, cursor.text);
		ask_again(request, &members);
	} else {
		ik_json_close(list, ']');
		ik_json_close(list, '}');
		answer(request, (struct ik_json_span){ list->data, list->length },
			(struct ik_json_span){ NULL, 0 });
	}
}

/* ---- questions ---- */

/* Ask the next question (deferred: the user may be asked and answer at once), or go on with the
 * request when a modern server's are answered. */
static void ask_next(void *arg)
{
	struct ik_mcp_request *request = arg;
	struct ik_buf members = request->replies;

	if (request->questions) {
		request->events->ask(request->arg, span_of(request->questions->params));
	} else if (members.length > 0) {
		ik_buf_init(&request->replies, IK_MCP_MESSAGE_LIMIT);
		ik_json_close(&members, '}');
		ask_again(request, &members);
	}
}

static void go_on(struct ik_mcp_request *request)
{
	ik_loop_cancel_deferred(request->client->loop, ask_next, request);
	ik_loop_defer(request->client->loop, ask_next, request);
}

void ik_mcp_request_reply(struct ik_mcp_request *request, struct ik_json_span answer)
{
	if (!request->questions)
		return;
	reply(request, &request->questions, answer);
	go_on(request);
}

/* Add a question to those of a request, if it is one for a form and there aren't many. */
static bool add_question(struct ik_mcp_request *request, struct ik_json_span id,
	struct ik_json_span params)
{
	struct ik_json_span mode = ik_json_member(params, "mode");
	struct mcp_question *question, **end = &request->questions;
	int waiting = 0;

	for (; *end; end = &(*end)->next)
		waiting++;
	if (!request->client->asks || !request->events->ask || waiting == QUESTIONS ||
		ik_json_span_type(params) != IK_JSON_OBJECT ||
		id.length + params.length > IK_LIMIT_SCHEMA ||
		(mode.text && !ik_json_string_is(mode, "form")))
		return false;
	question = ik_alloc(sizeof(*question));
	question->id = ik_strndup(id.text, id.length);
	question->params = ik_strndup(params.text, params.length);
	*end = question;
	if (waiting == 0)
		go_on(request);
	return true;
}

/* A modern server wants to know something before it goes on: ask the user, or decline, and send the
 * call again with the answers. */
static void take_questions(struct ik_mcp_request *request, struct ik_json_span result)
{
	struct ik_json_span inputs = ik_json_member(result, "inputRequests");
	struct ik_json_span state = ik_json_member(result, "requestState");
	struct ik_buf *replies = &request->replies;

	if ((ik_json_span_type(inputs) != IK_JSON_OBJECT && !state.text) ||
		++request->rounds > QUESTIONS) {
		fail(request, "the server asks, and never answers");
		return;
	}
	request->id = 0; /* it has been answered, and is to be once */
	ik_buf_append(replies, request->members, request->asked);
	if (state.text)
		ik_json_printf(replies, "'requestState':%.*s", (int)state.length, state.text);
	ik_json_printf(replies, "'inputResponses':{");
	for (struct ik_json_walk walk = ik_json_walk(inputs);
		 ik_json_span_type(inputs) == IK_JSON_OBJECT && ik_json_next(&walk);)
		if (!ik_json_string_is(ik_json_member(walk.value, "method"), "elicitation/create") ||
			!add_question(request, walk.key, ik_json_member(walk.value, "params")))
			ik_json_printf(replies, "%.*s:{'action':'decline'}", (int)walk.key.length,
				walk.key.text);
	go_on(request);
}

/* A legacy server asks the user something, on behalf of no request in particular: the first one that
 * can ask does. Return false if nobody was asked. */
static bool take_question(struct ik_mcp_client *client, const struct ik_rpc_message *message)
{
	struct ik_mcp_request *request = client->requests;

	while (request && !request->events->ask)
		request = request->next;
	return request && add_question(request, message->id, message->params);
}

/* Return the place of a request's question with this ID; NULL: it has none. */
static struct mcp_question **find_question(struct ik_mcp_request *request, struct ik_json_span id)
{
	struct mcp_question **at = &request->questions;

	while (*at && !ik_json_equal(span_of((*at)->id), id))
		at = &(*at)->next;
	return *at ? at : NULL;
}

/* A legacy server no longer wants to know something, be it asked already or not. */
static void drop_question(struct ik_mcp_client *client, struct ik_json_span id)
{
	struct ik_mcp_request *request = client->requests;
	struct mcp_question **at = NULL;

	while (!client->about.modern && request && !(at = find_question(request, id)))
		request = request->next;
	if (!at)
		return;
	bool first = at == &request->questions;

	reply(request, at, IK_JSON_SPAN("{\"action\":\"cancel\"}"));
	if (first) {
		go_on(request);
		/* The last thing: who learns of it may end the request. */
		request->events->ask(request->arg, (struct ik_json_span){ NULL, 0 });
	}
}

/* ---- an answer ---- */

static void take_answer(struct ik_mcp_request *request, const struct ik_rpc_message *message)
{
	struct ik_json_span type = ik_json_member(message->result, "resultType");

	if (message->error.text)
		answer(request, (struct ik_json_span){ NULL, 0 }, message->error);
	else if (ik_json_string_is(type, "input_required"))
		take_questions(request, message->result);
	else if (type.text && !ik_json_string_is(type, "complete"))
		fail(request, "the server's answer is of an unknown type");
	else if (ik_text_equal(request->method, "tools/list"))
		take_page(request, message->result);
	else
		answer(request, message->result, (struct ik_json_span){ NULL, 0 });
}

/* ---- what else the server says ---- */

static void on_pause(void *arg)
{
	struct ik_mcp_client *client = arg;

	client->reported_ms = ik_clock_ms();
	client->events->changed(client->arg);
}

/* Report a change after a pause, so that many become one. */
static void take_change(struct ik_mcp_client *client)
{
	if (ik_timer_running(client->pause))
		return;
	if (ik_clock_ms() - client->reported_ms > 2 * PAUSE_LONGEST_MS)
		client->pause_ms = PAUSE_FIRST_MS;
	ik_timer_start(client->pause, client->pause_ms);
	client->pause_ms *= 2;
	if (client->pause_ms > PAUSE_LONGEST_MS)
		client->pause_ms = PAUSE_LONGEST_MS;
}

/* Pass on a message of the log: its text, or its JSON. */
static void take_log(struct ik_mcp_client *client, struct ik_json_span data)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_MCP_MESSAGE_LIMIT);
	if (!ik_json_string(data, &text))
		ik_buf_append(&text, data.text, data.length);
	ik_buf_putc(&text, '\n');
	if (ik_buf_status(&text) == IK_OK)
		client->events->log(client->arg, text.data, text.length);
	ik_buf_done(&text);
}

static void take_notification(struct ik_mcp_client *client, const struct ik_rpc_message *message)
{
	struct ik_mcp_request *request;

	if (ik_json_string_is(message->method, "notifications/tools/list_changed")) {
		take_change(client);
	} else if (ik_json_string_is(message->method, "notifications/message")) {
		take_log(client, ik_json_member(message->params, "data"));
	} else if (ik_json_string_is(message->method, "notifications/progress")) {
		request = find(client, ik_json_member(message->params, "progressToken"));
		if (request && request->events->progress)
			request->events->progress(request->arg, message->params);
	} else if (ik_json_string_is(message->method, "notifications/cancelled")) {
		drop_question(client, ik_json_member(message->params, "requestId"));
	}
}

/* Answer a request of the server: it may ping and, in the legacy era, ask the user. */
static void take_request(struct ik_mcp_client *client, const struct ik_rpc_message *message)
{
	static const struct ik_json_span none = { NULL, 0 };
	struct ik_buf out;

	if (ik_json_string_is(message->method, "ping")) {
		send_result(client, message->id, IK_JSON_SPAN("{}"));
	} else if (client->asks && !client->about.modern &&
		ik_json_string_is(message->method, "elicitation/create")) {
		if (!take_question(client, message))
			send_result(client, message->id, IK_JSON_SPAN("{\"action\":\"decline\"}"));
	} else {
		ik_buf_init(&out, IK_MCP_MESSAGE_LIMIT);
		ik_rpc_put_error(&out, message->id, IK_RPC_UNKNOWN_METHOD, "Method not found", none);
		send_buf(client, &out, none);
	}
}

static void take_message(struct ik_mcp_client *client, struct ik_json_span value)
{
	struct ik_rpc_message message = ik_rpc_read(value);
	struct ik_mcp_request *request;

	if (message.kind == IK_RPC_NOTIFICATION) {
		take_notification(client, &message);
	} else if (message.kind == IK_RPC_REQUEST) {
		take_request(client, &message);
	} else if (message.kind == IK_RPC_RESPONSE) {
		request = find(client, message.id);
		if (request)
			take_answer(request, &message);
		else
			take_first_answer(client, &message);
	}
}

static void on_message(void *arg, const char *text, size_t length)
{
	struct ik_mcp_client *client = arg;
	struct ik_json_span value;
	struct ik_buf repaired;

	if (client->closed || client->failure)
		return;
	ik_buf_init(&repaired, 2 * IK_MCP_MESSAGE_LIMIT);
	if (!text) {
		client->events->lost(client->arg);
	} else if (!ik_json_check_repaired(text, length, &repaired, &value)) {
		ik_log(IK_LOG_DEBUG, "mcp: a message is not JSON");
	} else if (ik_json_span_type(value) == IK_JSON_ARRAY) {
		/* A batch, as in 2025-03-26. */
		for (struct ik_json_walk walk = ik_json_walk(value);
			 !client->closed && ik_json_next(&walk);)
			take_message(client, walk.value);
	} else {
		take_message(client, value);
	}
	ik_buf_done(&repaired);
}

static void on_log(void *arg, const char *bytes, size_t length)
{
	struct ik_mcp_client *client = arg;

	if (!client->closed)
		client->events->log(client->arg, bytes, length);
}

static void on_over(void *arg, const char *sentence, const struct ik_child_result *result)
{
	struct ik_mcp_client *client = arg;

	client->over = true;
	if (!client->failure && !client->closed)
		client->events->over(client->arg, sentence, result);
}

/* ---- making and ending ---- */

struct ik_mcp_client *ik_mcp_client_new(struct ik_loop *loop, const struct ik_mcp_entry *entry,
	const struct ik_mcp_options *options, bool legacy, const struct ik_mcp_client_events *events,
	void *arg, struct ik_error *error)
{
	static const struct ik_mcp_transport_events heard = { on_message, on_log, on_over };
	struct ik_mcp_client *client = ik_alloc(sizeof(*client));

	client->loop = loop;
	client->events = events;
	client->arg = arg;
	client->asks = options->asks;
	client->silence = ik_timer_new(loop, on_silence, client);
	client->pause = ik_timer_new(loop, on_pause, client);
	client->pause_ms = PAUSE_FIRST_MS;
	client->transport = entry->url ? ik_mcp_http_new(loop, entry, options, &heard, client)
								   : ik_mcp_stdio_new(loop, entry, options, &heard, client, error);
	if (!client->transport)
		return ik_mcp_client_close(client);
	if (legacy)
		ask_initialize(client);
	else
		ask_discover(client);
	return client;
}

const struct ik_mcp_about *ik_mcp_client_about(const struct ik_mcp_client *client)
{
	return &client->about;
}

void ik_mcp_client_end(struct ik_mcp_client *client)
{
	client->transport->ops->end(client->transport);
}

/* Deferred: a message may be at work. */
static void release(void *arg)
{
	struct ik_mcp_client *client = arg;

	free(client->about.name);
	free(client->about.server_version);
	free(client->failure);
	free(client);
}

struct ik_mcp_client *ik_mcp_client_close(struct ik_mcp_client *client)
{
	if (!client)
		return NULL;
	client->closed = true;
	ik_loop_cancel_deferred(client->loop, report_failure, client);
	while (client->requests)
		forget(client->requests);
	client->silence = ik_timer_close(client->silence);
	client->pause = ik_timer_close(client->pause);
	if (client->transport)
		client->transport->ops->close(client->transport);
	ik_loop_defer(client->loop, release, client);
	return NULL;
}
