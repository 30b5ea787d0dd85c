#include "tool/mcp/source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guard/glob.h"
#include "guard/sandbox.h"
#include "json/write.h"
#include "tool/mcp/client.h"
#include "tool/mcp/content.h"
#include "tool/mcp/http_headers.h"
#include "tool/mcp/version.h"
#include "tool/protocol.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/path.h"
#include "util/sha256.h"
#include "util/text.h"
#include "util/utf8.h"

/* A server has to be ready within this time; it may have to be fetched first. */
#define START_MS 60000
/* A scan waits for a list for so many times its time-out: a server starts more slowly than a tool. */
#define PATIENCE 10
/* A call that makes progress may take so many times its time-out. */
#define STRETCH 10
/* A scan gives the loop a turn after this time. */
enum { SLICE_US = 3000 };
enum { NAME_MOST = 64, HASH_SHOWN = 6 };
/* Of a tool's own error, in the envelope's error; of what a server logs, to say why it didn't start. */
enum { WORDS_SHOWN = 4096, LOG_SHOWN = 500 };

struct mcp_source;
struct mcp_server;

/* A call at work, or over and not closed yet. */
struct mcp_call {
	struct mcp_server *server; /* NULL: it is over */
	struct mcp_call *next;
	struct ik_mcp_request *request;
	struct ik_child_events events;
	void *arg;
	struct ik_timer *timer;
	int64_t timeout_ms, begun_ms;
	void (*ask)(void *arg, struct ik_json_span question); /* as in struct ik_call_spec */
	int64_t asked_ms;                                     /* since when it asks; 0: it doesn't */
	bool cancelled;
	char *tool, *schema;           /* its own name, and its parameters */
	struct ik_json_span arguments; /* borrowed */
	bool outdated;                 /* the schema is: it waits for the list */
};

struct mcp_server {
	struct mcp_server *next;
	struct mcp_source *source;
	struct ik_mcp_entry entry;
	bool gone;                    /* its entry is */
	struct ik_mcp_client *client; /* NULL: it doesn't run */
	enum ik_sandbox_mode mode;    /* that it was started in */
	bool legacy;                  /* it needs initialize, as far as is known */
	struct ik_mcp_request *listing;
	struct ik_timer *starting; /* runs until it is ready */
	struct ik_timer *patience; /* runs while a scan waits for its list */
	bool waited_for;           /* by the scan */
	int64_t asked_ns;
	char *list; /* the last one as it is cached, JSON; NULL: not known in this run */
	size_t list_length;
	struct mcp_call *calls;
	struct ik_buf log; /* the end of what it logged */
};

struct mcp_source {
	struct ik_source source;
	struct ik_loop *loop;
	struct ik_mcp_options start;
	int64_t patience_ms;
	struct ik_schema_cache *cache;
	struct ik_mcp_reader reader;
	struct mcp_server *servers;

	const struct ik_source_events *events; /* NULL: closed, or not scanned yet */
	void *arg;
	bool scanning;
	struct mcp_server *next; /* to be looked at by the scan */
	/* The list that is being announced: a copy, since a newer one may come meanwhile. */
	struct mcp_server *announcing; /* NULL: none */
	char *text;
	struct ik_json_walk walk;
};

static void go_on(void *arg);

/* ---- names ---- */

char *ik_mcp_offered_name(const char *server, const char *tool)
{
	char *whole = ik_format("%s__%s", server, tool), *name, hash[IK_SHA256_TEXT];
	static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

	ik_sha256_of(whole, strlen(whole), hash);
	name = ik_format("%s%s", strspn(whole, good + 52) > 0 && whole[0] != '_' ? "_" : "", whole);
	for (char *at = name; *at; at++)
		if (!strchr(good, *at))
			*at = '_';
	if (strlen(name) > NAME_MOST) {
		memcpy(name + NAME_MOST - HASH_SHOWN, hash, HASH_SHOWN);
		name[NAME_MOST] = '\0';
	}
	free(whole);
	return name;
}

/* ---- the cache ---- */

/* Return what identifies the server in the cache: the file that is started, and all else by its hash.
 * The caller frees the path; NULL: it has no program. */
static struct ik_cached key_of(const struct ik_mcp_entry *entry, const struct ik_mcp_options *start,
	char **ret_path)
{
	struct ik_cached key = { .text = NULL };
	char *text = ik_mcp_entry_text(entry), hash[IK_SHA256_TEXT];
	struct ik_buf all;

	*ret_path = entry->command ? ik_mcp_stdio_program(entry, start) : ik_strdup("/");
	ik_buf_init(&all, IK_LIMIT_CONFIG * 4);
	ik_buf_puts(&all, text);
	/* What a server lists may depend on whether it can ask. */
	ik_buf_puts(&all, start->asks ? "asks" : "");
	/* The script that an interpreter runs counts, too. */
	for (size_t i = 0; entry->command && entry->args && entry->args[i]; i++) {
		const char *base = start->directory ? start->directory : ".";
		char *path = ik_path_join(base, entry->args[i]);
		struct stat status;

		if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
			const struct ik_identity file = ik_identity_of(&status);

			ik_buf_append(&all, (const char *)&file, sizeof(file));
		}
		free(path);
	}
	ik_sha256_of(all.data, all.length, hash);
	hash[15] = '\0';
	key.first = strtoll(hash, NULL, 16) | 2; /* no protocol of files has that number */
	key.path = *ret_path;
	if (*ret_path && entry->command)
		(void)!ik_identity_read(*ret_path, &key.identity, NULL);
	ik_buf_done(&all);
	free(text);
	return key;
}

/* Cache a list, or that there was none for that reason. */
static void store(struct mcp_server *server, const char *text, size_t length, const char *code)
{
	char *path;
	struct ik_cached cached = key_of(&server->entry, &server->source->start, &path);

	cached.text = text;
	cached.length = length;
	cached.code = code;
	if (server->source->cache && path)
		ik_schema_cache_store(server->source->cache, &cached, server->asked_ns);
	free(path);
}

/* ---- announcing tools ---- */

/* Report a server that has no tools for us. reason is taken over. */
static void announce_failure(struct mcp_server *server, const char *code, char *reason)
{
	struct mcp_source *source = server->source;
	struct ik_tool tool = {
		.name = ik_strdup(server->entry.name),
		.path = ik_format("mcp:%s/", server->entry.name),
		.kind = "mcp",
		.source = server->entry.project ? IK_SOURCE_PROJECT : IK_SOURCE_USER,
	};

	ik_tool_reject(&tool, IK_TOOL_FAILED, code, reason);
	source->events->found(source->arg, 1);
	source->events->tool(source->arg, &tool);
}

static void read_parameters(struct ik_tool *tool, struct ik_json_span schema)
{
	if (ik_json_count(schema) > 0 && !ik_json_string_is(ik_json_member(schema, "type"), "object"))
		ik_tool_reject(tool, IK_TOOL_FAILED, "INVALID_SCHEMA",
			ik_format(_("the member \"%s\" of the schema is wrong: %s"), "inputSchema",
				_("it has to be of type object")));
	else
		(void)ik_protocol_read_parameters(tool, schema, "inputSchema");
}

/* Return what the tool says it does: models want a description. */
static char *description_of(struct ik_json_span tool, const char *name)
{
	char *text = ik_json_text_new(ik_json_member(tool, "description"));

	if (!text)
		text = ik_json_text_new(ik_json_member(tool, "title"));
	return text ? text : ik_strdup(name);
}

/* Is it one of the tools that the entry wants? */
static bool is_wanted(const struct ik_mcp_entry *entry, const char *name)
{
	bool wanted = !entry->tools;

	for (char *const *glob = entry->tools; glob && *glob && !wanted; glob++)
		wanted = ik_glob_match(*glob, name, strlen(name), NULL);
	return wanted;
}

static void announce(struct mcp_server *server, struct ik_json_span value)
{
	struct mcp_source *source = server->source;
	char *name = ik_json_text_new(ik_json_member(value, "name"));
	struct ik_json_span hint = ik_json_at(value, "annotations.readOnlyHint");
	struct ik_tool tool = { .kind = "mcp" };
	struct ik_error error;

	if (!name || strchr(name, '/') || !is_wanted(&server->entry, name)) {
		free(name);
		return;
	}
	tool.name = ik_mcp_offered_name(server->entry.name, name);
	tool.path = ik_format("mcp:%s/%s", server->entry.name, name);
	tool.source = server->entry.project ? IK_SOURCE_PROJECT : IK_SOURCE_USER;
	tool.description = description_of(value, name);
	tool.schema = ik_strndup(value.text, value.length);
	tool.schema_length = value.length;
	tool.read_only = !server->entry.project && ik_json_is_true(hint);
	tool.timeout_s = server->entry.timeout_s;
	if (value.length > IK_LIMIT_SCHEMA)
		ik_tool_reject(&tool, IK_TOOL_FAILED, "SCHEMA_TOO_LARGE",
			ik_strdup(_("its description is too large")));
	else if (server->entry.url && !ik_mcp_headers_fit(ik_json_member(value, "inputSchema"), &error))
		ik_tool_reject(&tool, IK_TOOL_FAILED, "INVALID_SCHEMA", ik_strdup(error.text));
	else
		read_parameters(&tool, ik_json_member(value, "inputSchema"));
	source->events->found(source->arg, 1);
	source->events->tool(source->arg, &tool);
	free(name);
}

static void begin_list(struct mcp_server *server, const char *list, size_t length)
{
	struct mcp_source *source = server->source;

	source->announcing = server;
	source->text = ik_strndup(list, length);
	source->walk = ik_json_elements(ik_json_member((struct ik_json_span){ source->text, length },
		"tools"));
}

static void announce_next(struct mcp_source *source)
{
	if (ik_json_next(&source->walk)) {
		announce(source->announcing, source->walk.value);
	} else {
		source->announcing = NULL;
		free(source->text);
		source->text = NULL;
	}
}

/* ---- a running server ---- */

static void end_call(struct mcp_call *call, struct ik_child_result result);
static void ask_again(struct mcp_server *server);
static bool start(struct mcp_server *server, struct ik_error *error);

static void continue_scan(struct mcp_source *source)
{
	if (!source->scanning)
		return;
	ik_loop_cancel_deferred(source->loop, go_on, source);
	ik_loop_defer(source->loop, go_on, source);
}

/* The scan need not wait for this server any more. */
static void stop_waiting(struct mcp_server *server)
{
	server->waited_for = false;
	ik_timer_stop(server->patience);
	continue_scan(server->source);
}

/* Report to the scan, if it waits, that there is no list. reason is taken over. */
static void fail_scan(struct mcp_server *server, const char *code, char *reason)
{
	if (!server->waited_for) {
		free(reason);
		return;
	}
	store(server, reason, strlen(reason), code);
	announce_failure(server, code, reason);
	stop_waiting(server);
}

/* Return the client of a server whose process has ended or is to end now, to be closed. */
static struct ik_mcp_client *take_client(struct mcp_server *server)
{
	struct ik_mcp_client *client = server->client;

	if (client)
		ik_timer_stop(server->starting);
	server->listing = NULL;
	server->client = NULL;
	return client;
}

/* Take leave of a server, which ends when it sees that. */
static void part_with(struct mcp_server *server)
{
	struct ik_mcp_client *client = take_client(server);

	if (client)
		ik_mcp_client_end(client);
	ik_mcp_client_close(client);
}

static void on_patience(void *arg)
{
	struct mcp_server *server = arg;

	fail_scan(server, IK_CODE_SCHEMA_TIMEOUT,
		ik_format(_("the server named no tools within %lld s"),
			(long long)server->source->patience_ms / 1000));
}

/* Keep a list, with the era of its server. Return whether it has changed. */
static bool keep_list(struct mcp_server *server, struct ik_json_span result)
{
	struct ik_buf text;
	bool changed;

	ik_buf_init(&text, IK_LIMIT_SCHEMA_CACHE + IK_KIB(1));
	ik_json_printf(&text, "{'legacy':%s,'tools':%.*s}", ik_json_word(server->legacy),
		(int)ik_json_member(result, "tools").length, ik_json_member(result, "tools").text);
	changed = server->list_length != text.length || !ik_text_equal(server->list, text.data);
	free(server->list);
	server->list = ik_buf_take(&text, &server->list_length);
	store(server, server->list, server->list_length, NULL);
	return changed;
}

static void on_list(void *arg, struct ik_json_span result, struct ik_json_span error)
{
	struct mcp_server *server = arg;
	struct mcp_source *source = server->source;
	char *words = ik_json_string_new(ik_json_member(error, "message"), NULL);
	bool changed = false;

	server->listing = NULL;
	if (result.text)
		changed = keep_list(server, result);
	ask_again(server);
	if (!result.text) {
		fail_scan(server, "MCP_ERROR",
			ik_format(_("the server lists no tools: %s"), words ? words : "?"));
	} else {
		if (server->waited_for)
			continue_scan(source);
		else if (changed && source->events && !server->gone)
			source->events->changed(source->arg);
	}
	free(words);
}

/* Ask for the tools, unless that is being done. */
static void ask_list(void *arg)
{
	static const struct ik_mcp_request_events events = { .answer = on_list };
	struct mcp_server *server = arg;

	if (server->listing)
		return;
	server->asked_ns = ik_clock_wall_ns();
	server->listing = ik_mcp_client_list(server->client, &events, server);
}

static void on_ready(void *arg)
{
	struct mcp_server *server = arg;

	server->legacy = !ik_mcp_client_about(server->client)->modern;
	ik_timer_stop(server->starting);
	for (struct mcp_call *call = server->calls; call; call = call->next)
		ik_timer_start(call->timer, call->timeout_ms);
}

/* Show what the server logs with all of its calls, and keep the end. */
static void on_log(void *arg, const char *bytes, size_t length)
{
	struct mcp_server *server = arg;
	size_t shown = length < LOG_SHOWN ? length : LOG_SHOWN;
	struct mcp_call *next;

	ik_buf_append(&server->log, bytes + length - shown, shown);
	if (server->log.length > LOG_SHOWN)
		ik_buf_consume(&server->log, server->log.length - LOG_SHOWN);
	for (struct mcp_call *call = server->calls; call; call = next) {
		next = call->next;
		call->events.output(call->arg, IK_STDERR, bytes, length);
	}
}

/* Fail all calls of a server, in these words or, of a process that crashed, as that. */
static void fail_calls(struct mcp_server *server, const char *sentence,
	const struct ik_child_result *ended)
{
	struct ik_child_result result = { .exited = true, .failure = sentence };

	if (ended && (!ended->exited || ended->exit_code != 0)) {
		result = *ended;
		result.timed_out = result.cancelled = false;
	}
	while (server->calls)
		end_call(server->calls, result);
}

static void on_lost(void *arg)
{
	static const char sentence[] = "the server sent a message of more than 64 MiB";
	struct mcp_server *server = arg;

	server->listing = ik_mcp_request_cancel(server->listing);
	fail_calls(server, sentence, NULL);
	fail_scan(server, "MCP_ERROR", ik_strdup(sentence));
}

/* Return the last line that the server logged (new memory), or "". */
static char *last_words(const struct mcp_server *server)
{
	const char *text = server->log.data, *begin;
	size_t length = server->log.length;

	while (length > 0 && strchr("\r\n ", text[length - 1]))
		length--;
	begin = memrchr(text, '\n', length);
	begin = begin ? begin + 1 : text;
	return length > (size_t)(begin - text)
		? ik_format(": %.*s", (int)(length - (size_t)(begin - text)), begin)
		: ik_strdup("");
}

static void on_over(void *arg, const char *sentence, const struct ik_child_result *result)
{
	struct mcp_server *server = arg;
	struct ik_mcp_client *client = take_client(server);
	bool settled = ik_mcp_client_about(client)->version, restarted = false;
	char *words = last_words(server);
	struct ik_error error;

	ik_log(IK_LOG_INFO, "mcp server %s: %s%s", server->entry.name, sentence, words);
	fail_calls(server, sentence, result);
	ik_mcp_client_close(client);
	/* One that can't bear to be asked what it is: begin as it expects. */
	if (!settled && !server->legacy && result && server->waited_for) {
		server->legacy = true;
		restarted = start(server, &error);
	}
	if (!restarted)
		fail_scan(server, "MCP_ERROR", ik_format("%s%s", sentence, words));
	free(words);
}

/* It wasn't ready in time. */
static void on_starting(void *arg)
{
	struct mcp_server *server = arg;
	struct ik_mcp_client *client = take_client(server);

	while (server->calls)
		end_call(server->calls, (struct ik_child_result){ .exited = true, .timed_out = true });
	ik_mcp_client_close(client);
	fail_scan(server, IK_CODE_SCHEMA_TIMEOUT, ik_strdup(_("the server did not begin in time")));
}

/* Start a server, and ask it for its tools as soon as it is ready. */
static bool start(struct mcp_server *server, struct ik_error *error)
{
	static const struct ik_mcp_client_events events = { on_ready, ask_list, on_log, on_lost,
		on_over };
	struct mcp_source *source = server->source;

	ik_buf_clear(&server->log);
	server->client = ik_mcp_client_new(source->loop, &server->entry, &source->start, server->legacy,
		&events, server, error);
	if (!server->client)
		return false;
	server->mode = source->start.sandbox ? ik_sandbox_mode(source->start.sandbox) : IK_SANDBOX_OFF;
	ik_timer_start(server->starting, START_MS);
	ask_list(server);
	return true;
}

/* Have a server run, in the sandbox of the present mode. */
static bool have_run(struct mcp_server *server, struct ik_error *error)
{
	const struct ik_sandbox *sandbox = server->source->start.sandbox;

	if (server->client && sandbox && ik_sandbox_mode(sandbox) != server->mode && !server->calls)
		part_with(server);
	return server->client || start(server, error);
}

/* ---- servers ---- */

static struct mcp_server *server_new(struct mcp_source *source, const struct ik_mcp_entry *entry)
{
	struct mcp_server *server = ik_alloc(sizeof(*server));

	server->source = source;
	server->entry = *entry;
	server->starting = ik_timer_new(source->loop, on_starting, server);
	server->patience = ik_timer_new(source->loop, on_patience, server);
	ik_buf_init(&server->log, 3 * LOG_SHOWN);
	return server;
}

/* End a server that nobody can call any more. */
static void retire(struct mcp_server *server)
{
	server->gone = true;
	server->waited_for = false;
	server->patience = ik_timer_close(server->patience);
	if (server->calls)
		return;
	part_with(server);
	server->starting = ik_timer_close(server->starting);
}

static void server_free(struct mcp_server *server)
{
	ik_mcp_entry_done(&server->entry);
	free(server->list);
	ik_buf_done(&server->log);
	free(server);
}

/* Return the server of an entry, which is unchanged; NULL: there is none. */
static struct mcp_server *server_of(const struct mcp_source *source,
	const struct ik_mcp_entry *entry)
{
	struct mcp_server *server = source->servers;

	while (server && (server->gone || !ik_mcp_entry_equal(&server->entry, entry)))
		server = server->next;
	return server;
}

/* Read the entries: keep the servers that are unchanged, add new ones, and retire the others. */
static void read_entries(struct mcp_source *source)
{
	size_t count = 0;
	struct ik_mcp_entry *entries = source->reader.read(source->reader.arg, &count);
	struct mcp_server *old = source->servers, *kept = NULL, **end = &kept;

	for (size_t i = 0; i < count; i++) {
		struct mcp_server *server = server_of(source, &entries[i]), **at = &source->servers;

		if (server) {
			while (*at != server)
				at = &(*at)->next;
			*at = server->next;
			ik_mcp_entry_done(&entries[i]);
		} else {
			server = server_new(source, &entries[i]);
		}
		server->next = NULL;
		*end = server;
		end = &server->next;
	}
	*end = source->servers;
	for (old = source->servers; old; old = old->next)
		if (!old->gone)
			retire(old);
	source->servers = kept;
	free(entries);
}

/* ---- scans ---- */

/* Announce what is known of a server without asking it; false: it must be asked. */
static bool recall(struct mcp_server *server)
{
	char *path;
	struct ik_cached key = key_of(&server->entry, &server->source->start, &path);
	const struct ik_cached *cached = server->source->cache && path
		? ik_schema_cache_find(server->source->cache, &key)
		: NULL;
	struct ik_json_span value;

	free(path);
	if (!cached)
		return false;
	if (cached->code) {
		announce_failure(server, cached->code, ik_strdup(cached->text));
		return true;
	}
	if (ik_json_check(cached->text, cached->length, &value, NULL) != IK_OK)
		return false;
	if (!server->list) {
		server->list = ik_strndup(cached->text, cached->length);
		server->list_length = cached->length;
		server->legacy = ik_json_is_true(ik_json_member(value, "legacy"));
	}
	begin_list(server, cached->text, cached->length);
	return true;
}

long ik_mcp_known_tools(const struct ik_mcp_entry *entry, const struct ik_mcp_options *start,
	const struct ik_schema_cache *cache)
{
	char *path, *name;
	const struct ik_cached *cached = NULL;
	struct ik_json_span list;
	long count = 0;

	for (int asks = 0; asks < 2 && !cached; asks++) {
		struct ik_mcp_options options = *start;

		options.asks = asks;
		struct ik_cached key = key_of(entry, &options, &path);

		cached = path ? ik_schema_cache_find(cache, &key) : NULL;
		free(path);
	}
	if (!cached || cached->code ||
		ik_json_check(cached->text, cached->length, &list, NULL) != IK_OK)
		return -1;
	for (struct ik_json_walk walk = ik_json_walk(ik_json_member(list, "tools"));
		 ik_json_next(&walk);) {
		name = ik_json_text_new(ik_json_member(walk.value, "name"));
		count += name && is_wanted(entry, name);
		free(name);
	}
	return count;
}

static void look_at(struct mcp_server *server)
{
	struct ik_error error = { .text = "" };

	if (server->gone || !server->entry.enabled)
		return;
	if (server->entry.problem) {
		announce_failure(server, "INVALID_CONFIG", ik_strdup(server->entry.problem));
	} else if (!recall(server)) {
		server->waited_for = true;
		if (!have_run(server, &error)) {
			server->waited_for = false;
			announce_failure(server, "SPAWN_FAILED", ik_strdup(error.text));
			return;
		}
		ask_list(server);
		if (server->source->patience_ms > 0)
			ik_timer_start(server->patience, server->source->patience_ms);
	}
}

/* Return a server whose list has come, or NULL; *ret_waiting: there is one whose list has not. */
static struct mcp_server *listed(const struct mcp_source *source, bool *ret_waiting)
{
	*ret_waiting = false;
	for (struct mcp_server *server = source->servers; server; server = server->next) {
		if (server->waited_for && !server->listing && server->list)
			return server;
		*ret_waiting = *ret_waiting || server->waited_for;
	}
	return NULL;
}

/* Go on with the scan (deferred): look at the next server, announce a list that has come, and end when
 * all is known. */
static void go_on(void *arg)
{
	struct mcp_source *source = arg;
	int64_t begun_us = ik_clock_us();
	struct mcp_server *server;
	bool waiting;

	/* Starting a server and describing a tool take a moment. */
	while (source->events && ik_clock_us() - begun_us < SLICE_US) {
		if (source->announcing) {
			announce_next(source);
		} else if ((server = source->next)) {
			source->next = server->next;
			look_at(server);
		} else if ((server = listed(source, &waiting))) {
			server->waited_for = false;
			ik_timer_stop(server->patience);
			begin_list(server, server->list, server->list_length);
		} else {
			if (waiting)
				return;
			source->scanning = false;
			source->events->done(source->arg, source->servers, NULL);
			return;
		}
	}
	if (source->events)
		ik_loop_defer(source->loop, go_on, source);
}

static void mcp_scan(struct ik_source *base, const struct ik_source_events *events, void *arg)
{
	struct mcp_source *source = (struct mcp_source *)base;

	source->events = events;
	source->arg = arg;
	source->scanning = true;
	read_entries(source);
	source->next = source->servers;
	continue_scan(source);
}

/* ---- calls ---- */

static void report_cancelled(void *arg);

/* Take a call that is over out of its server, which need not answer it any more. */
static void forget_call(struct mcp_call *call)
{
	struct mcp_server *server = call->server;
	struct mcp_call **at = &server->calls;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	call->server = NULL;
	call->timer = ik_timer_close(call->timer);
	call->request = ik_mcp_request_cancel(call->request);
	ik_loop_cancel_deferred(server->source->loop, report_cancelled, call);
	if (server->gone)
		retire(server);
}

static void end_call(struct mcp_call *call, struct ik_child_result result)
{
	result.duration_ms = ik_clock_ms() - call->begun_ms;
	forget_call(call);
	call->events.done(call->arg, &result);
}

static void report_cancelled(void *arg)
{
	end_call(arg, (struct ik_child_result){ .exited = true, .cancelled = true });
}

static void on_late(void *arg)
{
	end_call(arg, (struct ik_child_result){ .exited = true, .timed_out = true });
}

/* Fail a call in the words of the tool or of the server; all of them are output if they are many. */
static void fail_call(struct mcp_call *call, const char *words, size_t length)
{
	struct ik_child_result result = { .exited = true };
	char *shown = ik_strndup(words, ik_utf8_cut(words, length, WORDS_SHOWN));

	result.failure = shown;
	if (length > WORDS_SHOWN)
		call->events.output(call->arg, IK_STDOUT, words, length);
	end_call(call, result);
	free(shown);
}

static void on_answer(void *arg, struct ik_json_span result, struct ik_json_span error)
{
	struct mcp_call *call = arg;
	struct ik_buf text;
	int64_t code;

	call->request = NULL;
	if (ik_json_integer(ik_json_member(error, "code"), &code) && code == IK_MCP_HEADER_MISMATCH &&
		!call->outdated) {
		/* What the schema says of headers has changed: once it is known, try again. */
		call->outdated = true;
		ask_list(call->server);
		return;
	}
	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	if (!result.text) {
		if (!ik_json_string(ik_json_member(error, "message"), &text))
			ik_buf_puts(&text, "the server answered with an error");
		fail_call(call, text.data, text.length);
	} else if (!ik_mcp_read_content(result, &text)) {
		fail_call(call, text.data, text.length);
	} else {
		call->events.output(call->arg, IK_STDOUT, text.data, text.length);
		end_call(call, (struct ik_child_result){ .exited = true });
	}
	ik_buf_done(&text);
}

/* Append how far a call is: "2/4: words", as much of it as there is. */
static void put_progress(struct ik_buf *text, struct ik_json_span params)
{
	struct ik_json_span done = ik_json_member(params, "progress");
	struct ik_json_span total = ik_json_member(params, "total");

	if (ik_json_span_type(total) == IK_JSON_NUMBER)
		ik_buf_printf(text, "%.*s/%.*s: ", (int)done.length, done.text ? done.text : "",
			(int)total.length, total.text);
	if (!ik_json_string(ik_json_member(params, "message"), text))
		ik_buf_truncate(text, text->length > 0 ? text->length - 2 : 0);
	if (text->length > 0)
		ik_buf_putc(text, '\n');
}

/* Progress gives the call more time, up to a limit; what it says is shown like stderr. */
static void on_progress(void *arg, struct ik_json_span params)
{
	struct mcp_call *call = arg;
	int64_t left = call->begun_ms + STRETCH * call->timeout_ms - ik_clock_ms();
	struct ik_buf text;

	if (call->asked_ms == 0)
		ik_timer_start(call->timer,
			left < call->timeout_ms ? (left > 0 ? left : 1) : call->timeout_ms);
	ik_buf_init(&text, IK_MCP_MESSAGE_LIMIT);
	put_progress(&text, params);
	if (text.length > 0)
		call->events.output(call->arg, IK_STDERR, text.data, text.length);
	ik_buf_done(&text);
}

/* The question is over: the time it took doesn't count. */
static void end_asking(struct mcp_call *call)
{
	call->begun_ms += ik_clock_ms() - call->asked_ms;
	call->asked_ms = 0;
	ik_timer_start(call->timer, call->timeout_ms);
}

/* Have the user asked what the server wants to know. */
static void on_ask(void *arg, struct ik_json_span params)
{
	struct mcp_call *call = arg;
	struct ik_json_span message = ik_json_member(params, "message");
	struct ik_json_span schema = ik_json_member(params, "requestedSchema");
	struct ik_buf question;

	if (!params.text) {
		if (call->asked_ms == 0)
			return;
		end_asking(call);
		call->ask(call->arg, params);
	} else if (!call->ask) {
		ik_mcp_request_reply(call->request, IK_JSON_SPAN("{\"action\":\"decline\"}"));
	} else {
		ik_timer_stop(call->timer);
		call->asked_ms = ik_clock_ms();
		ik_buf_init(&question, 2 * IK_LIMIT_SCHEMA);
		ik_json_printf(&question, "{'from':'%s','message':%.*s,'schema':%.*s}",
			call->server->entry.name, message.text ? (int)message.length : 2,
			message.text ? message.text : "\"\"", schema.text ? (int)schema.length : 2,
			schema.text ? schema.text : "{}");
		call->ask(call->arg, (struct ik_json_span){ question.data, question.length });
		ik_buf_done(&question);
	}
}

/* Return the server that a tool's path, mcp:SERVER/TOOL, names; NULL: it is gone. */
static struct mcp_server *server_at(const struct mcp_source *source, const char *path,
	const char **ret_name)
{
	const char *place = path + strlen("mcp:"), *slash = strrchr(path, '/');
	struct mcp_server *server = source->servers;
	size_t length = (size_t)(slash - place);

	*ret_name = slash + 1;
	while (server &&
		(server->gone || strlen(server->entry.name) != length ||
			strncmp(server->entry.name, place, length) != 0))
		server = server->next;
	return server;
}

static const struct ik_mcp_request_events call_events = { on_answer, on_progress, on_ask };

static void ask(struct mcp_call *call)
{
	struct ik_buf members;

	ik_buf_init(&members, IK_MCP_MESSAGE_LIMIT);
	ik_json_printf(&members, "'name':'%s','arguments':%.*s", call->tool,
		(int)call->arguments.length, call->arguments.text);
	call->request = ik_mcp_client_ask(call->server->client, "tools/call", members.data,
		(struct ik_json_span){ call->schema, strlen(call->schema) }, &call_events, call);
	ik_buf_done(&members);
}

/* Send the calls again that have waited for the list, with the schemas that it has now. */
static void ask_again(struct mcp_server *server)
{
	struct ik_json_span list = { NULL, 0 };

	if (server->list)
		(void)!ik_json_check(server->list, server->list_length, &list, NULL);
	for (struct mcp_call *call = server->calls; call; call = call->next) {
		if (!call->outdated || call->request || call->cancelled)
			continue;
		for (struct ik_json_walk walk = ik_json_walk(ik_json_member(list, "tools"));
			 ik_json_next(&walk);)
			if (ik_json_string_is(ik_json_member(walk.value, "name"), call->tool)) {
				struct ik_json_span schema = ik_json_member(walk.value, "inputSchema");

				free(call->schema);
				call->schema = ik_strndup(schema.text ? schema.text : "{}",
					schema.text ? schema.length : 2);
			}
		ask(call);
	}
}

static struct ik_call *mcp_call(struct ik_source *base, const struct ik_call_spec *spec,
	const struct ik_child_events *events, void *arg, struct ik_error *error)
{
	const char *name;
	struct mcp_server *server = server_at((struct mcp_source *)base, spec->tool->path, &name);
	struct mcp_call *call;

	if (!server)
		(void)ik_error_set(error, IK_NOT_FOUND, _("its server is no longer configured"));
	if (!server || !have_run(server, error))
		return NULL;
	call = ik_alloc(sizeof(*call));
	call->server = server;
	call->events = *events;
	call->arg = arg;
	call->ask = spec->ask;
	call->timeout_ms = spec->timeout_ms;
	call->begun_ms = ik_clock_ms();
	call->timer = ik_timer_new(server->source->loop, on_late, call);
	if (!ik_timer_running(server->starting))
		ik_timer_start(call->timer, spec->timeout_ms);
	call->next = server->calls;
	server->calls = call;
	call->tool = ik_strdup(name);
	call->schema = ik_strndup(spec->tool->parameters, spec->tool->parameters_length);
	call->arguments = (struct ik_json_span){ spec->arguments, spec->length };
	ask(call);
	return (struct ik_call *)call;
}

static void mcp_answer_call(struct ik_call *base, struct ik_json_span answer)
{
	struct mcp_call *call = (struct mcp_call *)base;

	if (!call->server || call->cancelled || call->asked_ms == 0)
		return;
	end_asking(call);
	if (call->request)
		ik_mcp_request_reply(call->request, answer);
}

static void mcp_cancel_call(struct ik_call *base)
{
	struct mcp_call *call = (struct mcp_call *)base;

	if (!call->server || call->cancelled)
		return;
	call->cancelled = true;
	call->request = ik_mcp_request_cancel(call->request);
	ik_loop_defer(call->server->source->loop, report_cancelled, call);
}

static void mcp_close_call(struct ik_call *base)
{
	struct mcp_call *call = (struct mcp_call *)base;

	if (call->server)
		forget_call(call);
	free(call->tool);
	free(call->schema);
	free(call);
}

/* ---- the source ---- */

static void mcp_close(struct ik_source *base)
{
	struct mcp_source *source = (struct mcp_source *)base;

	ik_loop_cancel_deferred(source->loop, go_on, source);
	source->events = NULL;
	source->scanning = false;
	source->cache = NULL;
	for (struct mcp_server *server = source->servers; server; server = server->next)
		retire(server);
}

static void mcp_places(struct ik_source *base, ik_source_place *place, void *arg)
{
	const struct mcp_source *source = (struct mcp_source *)base;

	if (source->reader.places)
		source->reader.places(source->reader.arg, place, arg);
}

static void mcp_free(struct ik_source *base)
{
	struct mcp_source *source = (struct mcp_source *)base;

	while (source->servers) {
		struct mcp_server *server = source->servers;

		source->servers = server->next;
		server_free(server);
	}
	if (source->reader.free)
		source->reader.free(source->reader.arg);
	free(source->text);
	free(source);
}

struct ik_source *ik_mcp_source_new(struct ik_loop *loop,
	const struct ik_mcp_source_options *options)
{
	static const struct ik_source_ops ops = {
		.scan = mcp_scan,
		.call = mcp_call,
		.answer_call = mcp_answer_call,
		.cancel_call = mcp_cancel_call,
		.close_call = mcp_close_call,
		.close = mcp_close,
		.free = mcp_free,
		.places = mcp_places,
	};
	struct mcp_source *source = ik_alloc(sizeof(*source));

	ik_source_init(&source->source, &ops, IK_SOURCE_USER);
	source->loop = loop;
	source->start = options->start;
	source->patience_ms = PATIENCE * options->timeout_ms;
	source->cache = options->cache;
	source->reader = options->reader;
	return &source->source;
}
