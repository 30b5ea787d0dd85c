#include "stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

#include "provider/formats.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"

/* Stop at nothing. */
#define NO_KIND ((enum ik_event_kind) - 1)

struct stage stage;

/* ---- the provider ---- */

/* Take the request, and give the next reply: its head, its chunks, its end. */
static struct raw_script on_request(void *arg, const char *body, size_t length)
{
	const struct stage_reply *reply = stage.replies++;
	struct raw_script script = { .pieces = stage.pieces, .pause_ms = 1, .end = RAW_CLOSE };
	size_t count = 0;

	cr_assert_lt(stage.request_count, 16);
	stage.requests[stage.request_count++] = ik_strndup(body, length);
	snprintf(stage.head, sizeof stage.head,
		"HTTP/1.1 %d Said\r\nContent-Type: %s\r\n"
		"Connection: close\r\n\r\n",
		reply->status ? reply->status : 200,
		reply->content_type ? reply->content_type : "text/event-stream");
	stage.pieces[0] = stage.head;
	while (reply->chunks[count] && strcmp(reply->chunks[count], STAGE_HOLD) != 0 &&
		strcmp(reply->chunks[count], STAGE_BREAK) != 0) {
		stage.pieces[count + 1] = reply->chunks[count];
		count++;
	}
	stage.pieces[count + 1] = NULL;
	if (reply->chunks[count])
		script.end = strcmp(reply->chunks[count], STAGE_HOLD) == 0 ? RAW_STALL : RAW_RESET;
	return script;
}

/* ---- what is told ---- */

static const char *const words[] = {
	[IK_EVENT_SESSION] = "session",
	[IK_EVENT_OLDER] = "older",
	[IK_EVENT_TURN_STARTED] = "started",
	[IK_EVENT_WAITING] = "waiting",
	[IK_EVENT_ROUND_STARTED] = "round",
	[IK_EVENT_TEXT] = "text",
	[IK_EVENT_THINKING] = "thinking",
	[IK_EVENT_TOOL_STARTED] = "tool",
	[IK_EVENT_TOOL_OUTPUT] = "output",
	[IK_EVENT_TOOL_DONE] = "answer",
	[IK_EVENT_USAGE] = "usage",
	[IK_EVENT_NOTICE] = "notice",
	[IK_EVENT_ERROR] = "error",
	[IK_EVENT_RETRY] = "retry",
	[IK_EVENT_QUEUED] = "queued",
	[IK_EVENT_TURN_DONE] = "done",
};

static void on_event(void *arg, const struct ik_event *event)
{
	const char *name = event->name ? event->name : ik_error_code_word(event->code);

	if (event->kind == IK_EVENT_TURN_DONE)
		name = ik_turn_stop_word(event->stop);
	if (event->kind == IK_EVENT_MESSAGE)
		ik_buf_printf(&stage.log, "+%s %s\n", ik_kind_name(event->message->kind),
			event->message->content);
	else if (event->kind != IK_EVENT_CALL_PROGRESS && event->kind != IK_EVENT_STORE)
		ik_buf_printf(&stage.log, "%s%s%s%s%.*s\n", words[event->kind],
			event->id || name[0] ? " " : "", event->id ? event->id : name, event->text ? " " : "",
			(int)event->text_length, event->text ? event->text : "");
	if (event->kind == stage.stop_kind ||
		(stage.stop_text && strstr(stage.log.data, stage.stop_text))) {
		stage.stopped = true;
		ik_loop_stop(stage.loop);
	}
	if (stage.on_event)
		stage.on_event(event);
}

void stage_run_until(enum ik_event_kind kind)
{
	struct ik_error error;

	stage.stop_kind = kind;
	stage.stopped = false;
	cr_assert_eq(ik_loop_run(stage.loop, &error), IK_OK, "%s", error.text);
	cr_assert(stage.stopped);
	stage.stop_kind = NO_KIND;
}

void stage_run_until_told(const char *text)
{
	struct ik_error error;

	stage.stop_text = text;
	while (strstr(stage.log.data, text) == NULL) {
		stage.stopped = false;
		cr_assert_eq(ik_loop_run(stage.loop, &error), IK_OK, "%s", error.text);
		cr_assert(stage.stopped, "never told \"%s\" but:\n%s", text, stage.log.data);
	}
	stage.stop_text = NULL;
}

/* ---- tools ---- */

/* Write a tool; annotations: further members of its schema. */
static void write_tool(const char *name, const char *annotations, const char *script)
{
	char *path = ik_format("%s/tools/%s", stage.directory, name);
	char *text =
		ik_format("#!/bin/sh\nif [ \"$1\" = --schema ]; then\n"
				  "echo '{\"name\":\"%s\",\"description\":\"A tool.\",%s\"parameters\":{\"text\":"
				  "{\"type\":\"string\",\"description\":\"Some "
				  "text.\",\"required\":false}}}'\nexit\nfi\n%s\n",
			name, annotations, script);

	cr_assert_eq(ik_file_write(path, text, strlen(text), 0755, NULL), IK_OK);
	free(path);
	free(text);
}

void stage_tool(const char *name, const char *script)
{
	write_tool(name, "", script);
}

void stage_read_only_tool(const char *name, const char *script)
{
	write_tool(name, "\"annotations\":{\"readOnly\":true},", script);
}

static void scanned(void *arg, struct ik_registry *registry)
{
	ik_loop_stop(stage.loop);
}

static void scan(void)
{
	static const struct ik_discovery_events events = { .finished = scanned };
	char *path = ik_format("%s/tools", stage.directory);
	struct ik_source_directory_options options = {
		.path = path,
		.origin = IK_SOURCE_SYSTEM,
		.timeout_ms = 5000,
		.working_directory = stage.directory,
	};
	struct ik_error error;

	stage.discovery = ik_discovery_new(stage.loop, &events, NULL);
	ik_discovery_add_source(stage.discovery, ik_source_directory_new(stage.loop, &options));
	ik_discovery_scan(stage.discovery, IK_CACHE_ALL);
	cr_assert_eq(ik_loop_run(stage.loop, &error), IK_OK, "%s", error.text);
	free(path);
}

/* ---- the session ---- */

void stage_use_model(const struct ik_model *like)
{
	struct ik_model *model = ik_model_new(like);

	ik_session_set_model(stage.session, model);
	ik_model_unref(model);
}

void stage_set_model(int port)
{
	char *url = ik_format("http://127.0.0.1:%d/v1", port);
	struct ik_endpoint endpoint = {
		.provider = "test",
		.base_url = url,
		.api_key = "sk-secret",
		.key_variable = "TEST_API_KEY",
	};

	stage_use_model(&(struct ik_model){
		.format = ik_wire_format_find("openai-chat"),
		.endpoint = endpoint,
		.name = "m",
		.facts = { .price = IK_PRICE_UNKNOWN, .context_window = stage.context_window },
	});
	free(url);
}

void stage_make_session(void)
{
	struct ik_session_options options = {
		.loop = stage.loop,
		.http = stage.http,
		.store = stage.store,
		.run = { .loop = stage.loop, .timeout_ms = 20000, .output_limit = IK_LIMIT_MODEL_OUTPUT },
		.concurrency = stage.concurrency ? stage.concurrency : 4,
		.max_tool_turns = stage.max_tool_turns ? stage.max_tool_turns : 50,
		.compact_at = stage.compact_at,
		.hooks = stage.hooks,
		.retry = { .max = 2, .base_ms = 2, .cap_ms = 4 },
		.idle_timeout_ms = stage.idle_timeout_ms ? stage.idle_timeout_ms : 10000,
		.directory = stage.directory,
		.sink = on_event,
	};

	stage.session = ik_session_new(&options);
	stage_set_model(stage.server ? raw_server_port(stage.server) : 1);
}

void stage_set_up(void)
{
	struct ik_http_options http = { .connect_timeout_ms = 5000 };
	struct ik_error error;
	char *tools;

	strcpy(stage.directory, "/tmp/ik-agent-XXXXXX");
	cr_assert_not_null(mkdtemp(stage.directory));
	tools = ik_format("%s/tools", stage.directory);
	cr_assert_eq(mkdir(tools, 0755), 0);
	free(tools);
	ik_buf_init(&stage.log, IK_MIB(16));
	stage.stop_kind = NO_KIND;
	stage.sink = on_event;
	stage.loop = ik_loop_new(&error);
	cr_assert_not_null(stage.loop, "%s", error.text);
	stage.http = ik_http_new(stage.loop, &http);
	stage.database = ik_format("%s/ikigai.db", stage.directory);
	stage_open_store();
	stage.server = raw_server_new_asking(stage.loop, on_request, NULL);
}

void stage_open_store(void)
{
	const char *build = getenv("IK_TOP_BUILDDIR");
	char *journals = ik_format("%s/journal", stage.directory);
	char *programs = ik_format("%s/libexec/stores", build ? build : ".");
	const struct ik_store_options options = {
		.database = stage.database,
		.journals = journals,
		.programs = programs,
	};
	struct ik_error error;

	stage.store = ik_store_open(stage.loop, &options, &error);
	cr_assert_not_null(stage.store, "%s", error.text);
	free(programs);
	free(journals);
}

void stage_open(const struct stage_reply *replies)
{
	stage.replies = replies;
	scan();
	stage_make_session();
	if (!stage.without_tools_at_first)
		ik_session_set_registry(stage.session, ik_discovery_registry(stage.discovery), true);
	ik_buf_clear(&stage.log);
}

void stage_submit(const char *text)
{
	struct ik_message *message = ik_message_new(IK_KIND_USER, text, strlen(text), NULL, 0);

	ik_session_submit(stage.session, message);
	ik_message_unref(message);
}

void stage_tear_down(void)
{
	struct ik_error notice;
	char *command;
	size_t lost, i;

	stage.on_event = NULL;
	stage.session = ik_session_close(stage.session);
	stage.discovery = ik_discovery_close(stage.discovery);
	stage.http = ik_http_free(stage.http);
	stage.server = raw_server_close(stage.server);
	stage.store = ik_store_close(stage.store, &lost, &notice);
	cr_assert_eq(lost, 0);
	stage.loop = ik_loop_free(stage.loop);
	for (i = 0; i < stage.request_count; i++)
		free(stage.requests[i]);
	ik_buf_done(&stage.log);
	command = ik_format("rm -rf %s", stage.directory);
	cr_assert_eq(system(command), 0);
	free(command);
	free(stage.database);
}

static void on_newest(void *arg, const struct ik_store_answer *answer)
{
	*(bool *)arg = true;
	ik_loop_stop(stage.loop);
}

/* Turn the loop until all that was said is stored. */
static void settle(void)
{
	struct ik_error error;
	bool answered = false;

	(void)ik_store_list(stage.store, NULL, 0, "", 1, on_newest, &answered);
	while (!answered)
		cr_assert_eq(ik_loop_run(stage.loop, &error), IK_OK, "%s", error.text);
}

char *stage_stored(const char *session)
{
	sqlite3_stmt *rows = NULL;
	sqlite3 *database = NULL;
	struct ik_buf text;

	settle();
	ik_buf_init(&text, IK_MIB(16));
	/* Without a table, or a file, nothing was stored yet. */
	if (sqlite3_open_v2(stage.database, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(database,
			"SELECT kind, coalesce(json_extract(data_json, '$.tool_call_id'),"
			" json_extract(data_json, '$.id')), content"
			" FROM events WHERE session = ? AND kind <> 'system'"
			" ORDER BY sequence",
			-1, &rows, NULL) == SQLITE_OK)
		sqlite3_bind_text64(rows, 1, session, strlen(session), SQLITE_STATIC, SQLITE_UTF8);
	while (rows && sqlite3_step(rows) == SQLITE_ROW) {
		const char *call = (const char *)sqlite3_column_text(rows, 1);

		ik_buf_printf(&text, "%s%s%s %s\n", (const char *)sqlite3_column_text(rows, 0),
			call ? " " : "", call ? call : "", (const char *)sqlite3_column_text(rows, 2));
	}
	sqlite3_finalize(rows);
	sqlite3_close_v2(database);
	return ik_buf_take(&text, NULL);
}

char *stage_journaled(void)
{
	char *command = ik_format("find %s/journal -type f -exec cat {} +", stage.directory);
	FILE *stream = popen(command, "r");
	struct ik_buf text;
	int byte;

	ik_buf_init(&text, IK_MIB(16));
	while ((byte = fgetc(stream)) != EOF)
		ik_buf_putc(&text, (char)byte);
	pclose(stream);
	free(command);
	return ik_buf_take(&text, NULL);
}

/* ---- checks ---- */

void expect_log(const char *wanted)
{
	cr_expect_str_eq(stage.log.data, wanted, "told:\n%s\nnot:\n%s", stage.log.data, wanted);
}

void expect_stored(const char *session, const char *wanted)
{
	char *text = stage_stored(session);

	cr_expect_str_eq(text, wanted, "stored:\n%s\nnot:\n%s", text, wanted);
	free(text);
}

void expect_in(const char *text, const char *part)
{
	cr_expect(strstr(text, part) != NULL, "%s\nis not in\n%s", part, text);
}

void expect_order(const char *text, const char *const *parts)
{
	const char *at = text;

	for (; *parts; parts++) {
		const char *found = strstr(at, *parts);

		cr_assert(found != NULL, "%s\nnot in its place in\n%s", *parts, text);
		at = found + strlen(*parts);
	}
}
