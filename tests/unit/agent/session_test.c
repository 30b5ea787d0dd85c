#include "stage.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

#include "journal/journal.h"
#include "provider/formats.h"
#include "store/lock.h"
#include "util/alloc.h"
#include "util/path.h"

TestSuite(session, .init = stage_set_up, .fini = stage_tear_down, .timeout = 60);

Test(session, a_reply)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("Hel"), TEXT("lo."), STOP("stop") } },
	};

	stage_open(replies);
	stage_submit("hi");
	cr_assert(ik_session_busy(stage.session));
	stage_run_until(IK_EVENT_TURN_DONE);
	cr_assert(!ik_session_busy(stage.session));
	expect_log("+user hi\nstarted\nround\ntext Hel\ntext lo.\n+assistant Hello.\ndone end\n");
	expect_stored(ik_session_id(stage.session), "user hi\nassistant Hello.\n");
	expect_in(stage.requests[0], "\"model\":\"m\"");
	expect_in(stage.requests[0], "tool_success"); /* the envelope's paragraph */
	expect_in(stage.requests[0], stage.directory);
}

Test(session, a_call)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("Look:"), CALL("0", "c1", "echo", "{\\\"text\\\":\\\"x\\\"}"),
			STOP("tool_calls") } },
		{ .chunks = { TEXT("Done."), STOP("stop") } },
	};
	static const char *const order[] = { "\"tool_calls\"", "\"c1\"", "\"role\":\"tool\"",
		"\"tool_call_id\":\"c1\"", "tool_success\\\":true", "\\\"text\\\":\\\"x", NULL };

	stage_tool("echo", "echo seen >&2; cat");
	stage_open(replies);
	stage_submit("go");
	stage_run_until(IK_EVENT_TURN_DONE);
	cr_assert_eq(stage.request_count, 2);
	expect_in(stage.requests[0], "\"name\":\"echo\"");
	expect_order(stage.requests[1], order);
	expect_in(stage.log.data, "tool c1 {\"text\":\"x\"}\n");
	expect_in(stage.log.data, "output c1 seen\n");
	expect_in(stage.log.data, "answer c1 {\"tool_success\":true,\"result\":{\"text\":\"x\"}}\n");
	expect_in(stage.log.data, "done end\n");
	expect_order(stage.log.data, (const char *const[]){ "+assistant Look:", "+tool_call", "tool c1",
		"+tool_result", "answer c1", "round", "+assistant Done.", NULL });
}

/* The answer of the quick one lets the slow one go on: they run at the same time. */
static void release_slow(const struct ik_event *event)
{
	if (event->kind == IK_EVENT_TOOL_DONE && strcmp(event->id, "c2") == 0) {
		char *mark = ik_format("%s/mark", stage.directory);

		cr_assert_eq(ik_file_write(mark, "", 0, 0600, NULL), IK_OK);
		free(mark);
	}
}

Test(session, two_calls_are_answered_in_their_order)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { CALL("0", "c1", "slow", "{}"), CALL("1", "c2", "quick", "{}"),
			STOP("tool_calls") } },
		{ .chunks = { TEXT("ok"), STOP("stop") } },
	};
	static const char *const told[] = { "tool c1", "tool c2", "answer c2", "answer c1", NULL };
	static const char *const sent[] = { "\"tool_call_id\":\"c1\"", "\"tool_call_id\":\"c2\"", NULL };
	char *slow;

	slow = ik_format("while [ ! -e %s/mark ]; do sleep 0.01; done; echo 1", stage.directory);
	stage_read_only_tool("slow", slow);
	free(slow);
	stage_read_only_tool("quick", "echo 2");
	stage.on_event = release_slow;
	stage_open(replies);
	stage_submit("go");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_order(stage.log.data, told);
	expect_order(stage.requests[1], sent);
}

Test(session, arguments_that_are_no_json_go_back_as_an_envelope)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { CALL("0", "c1", "echo", "{\\\"text\\\":"), STOP("tool_calls") } },
		{ .chunks = { TEXT("ok"), STOP("stop") } },
	};

	stage_tool("echo", "cat");
	stage_open(replies);
	stage_submit("go");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.log.data, "\"INVALID_PARAMS\"");
	expect_in(stage.log.data, "done end");
}

Test(session, the_last_round_keeps_the_tools_and_forbids_them)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { CALL("0", "c1", "echo", "{}"), STOP("tool_calls") } },
		{ .chunks = { TEXT("ok"), STOP("stop") } },
	};

	stage.max_tool_turns = 1;
	stage_tool("echo", "cat");
	stage_open(replies);
	stage_submit("go");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.requests[1], "\"tool_choice\":\"none\"");
	expect_in(stage.requests[1], "\"name\":\"echo\"");
	expect_in(stage.requests[1], "Tool call limit reached (1). Stopping tool loop.");
	expect_in(stage.log.data, "done limit");
}

Test(session, a_message_waits_for_the_tools)
{
	static const struct stage_reply replies[] = { { .chunks = { TEXT("ok"), STOP("stop") } } };

	stage.without_tools_at_first = true;
	stage_tool("echo", "cat");
	stage_open(replies);
	stage_submit("go");
	expect_log("+user go\nstarted\nwaiting Loading tools…\n");
	ik_session_set_registry(stage.session, ik_discovery_registry(stage.discovery), true);
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.requests[0], "\"name\":\"echo\"");
}

Test(session, what_came_last_is_journaled_when_memory_runs_out)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("The beginning"), STAGE_HOLD } },
	};
	char *text;

	stage_open(replies);
	stage_submit("go");
	stage_run_until(IK_EVENT_TEXT);
	ik_store_end_now(stage.store);
	ik_session_end_now(stage.session);
	text = stage_journaled();
	expect_in(text, "\"content\":\"go\"");
	expect_in(text, "The beginning");
	free(text);
}

/* Memory runs out while what the tool said is told. */
static void end_at_result(const struct ik_event *event)
{
	char *text;

	if (event->kind != IK_EVENT_TOOL_DONE)
		return;
	ik_store_end_now(stage.store);
	ik_session_end_now(stage.session);
	text = stage_journaled();
	expect_in(text, "\"kind\":\"tool_result\"");
	cr_assert_null(strstr(strstr(text, "\"kind\":\"tool_result\"") + 1,
		"\"kind\":\"tool_result\""));
	free(text);
}

Test(session, nothing_is_journaled_twice_when_memory_runs_out)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { CALL("0", "c1", "echo", "{}"), STOP("tool_calls") } },
	};

	stage_tool("echo", "cat");
	stage_open(replies);
	stage.on_event = end_at_result;
	stage_submit("go");
	stage_run_until(IK_EVENT_TOOL_DONE);
}

/* What was announced is in the journal when the provider hears of it. */
static void check_stored(const struct ik_event *event)
{
	char *text = stage_journaled();

	if (event->kind == IK_EVENT_ROUND_STARTED)
		expect_in(text, "\"kind\":\"user\"");
	if (event->kind == IK_EVENT_TOOL_STARTED)
		expect_in(text, "\"kind\":\"tool_call\"");
	if (event->kind == IK_EVENT_TOOL_DONE)
		expect_in(text, "\"kind\":\"tool_result\"");
	free(text);
}

Test(session, is_stored_before_it_is_acted_on)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { CALL("0", "c1", "echo", "{}"), STOP("tool_calls") } },
		{ .chunks = { TEXT("ok"), STOP("stop") } },
	};

	stage_tool("echo", "cat");
	stage_open(replies);
	stage.on_event = check_stored;
	stage_submit("go");
	stage_run_until(IK_EVENT_TURN_DONE);
}

/* ---- cancel, queue, close ---- */

Test(session, cancel_in_mid_reply)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("half"), STAGE_HOLD } },
		{ .chunks = { TEXT("again"), STOP("stop") } },
	};

	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TEXT);
	ik_session_cancel(stage.session);
	expect_in(stage.log.data, "+assistant half\ndone cancelled\n");
	cr_assert(!ik_session_busy(stage.session));
	stage_submit("go on");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.requests[1], "half");
	expect_stored(ik_session_id(stage.session), "user hi\nassistant half\nuser go on\nassistant again\n");
}

Test(session, cancel_of_a_tool)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { CALL("0", "c1", "sleeper", "{}"), STOP("tool_calls") } },
		{ .chunks = { TEXT("ok"), STOP("stop") } },
	};
	static const char *const sent[] = { "\"tool_call_id\":\"c1\"", "TOOL_CANCELLED", NULL };
	char *pid_path = ik_format("%s/pid", stage.directory);
	char *script = ik_format("echo $$ > %s; echo begun >&2; exec sleep 60", pid_path);
	struct ik_buf pid;

	stage_tool("sleeper", script);
	stage_open(replies);
	stage_submit("go");
	stage_run_until(IK_EVENT_TOOL_OUTPUT);
	ik_session_cancel(stage.session);
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_in(stage.log.data, "TOOL_CANCELLED");
	expect_in(stage.log.data, "begun"); /* what it had said is kept */
	expect_in(stage.log.data, "done cancelled");
	ik_buf_init(&pid, 100);
	cr_assert_eq(ik_file_read(pid_path, &pid, NULL), IK_OK);
	cr_assert_neq(kill(atoi(pid.data), 0), 0, "the tool lives");
	ik_buf_done(&pid);
	stage_submit("go on");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_order(stage.requests[1], sent);
	free(pid_path);
	free(script);
}

Test(session, a_second_cancel_does_not_wait)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { CALL("0", "c1", "stubborn", "{}"), STOP("tool_calls") } },
	};

	stage_tool("stubborn", "trap '' TERM; echo begun >&2; while :; do sleep 1; done");
	stage_open(replies);
	stage_submit("go");
	stage_run_until(IK_EVENT_TOOL_OUTPUT);
	ik_session_cancel(stage.session);
	cr_assert(ik_session_busy(stage.session));
	ik_session_cancel(stage.session);
	cr_assert(!ik_session_busy(stage.session));
	expect_in(stage.log.data, "done cancelled");
}

Test(session, messages_wait_for_the_end_of_the_turn)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("1"), STOP("stop") } },
		{ .chunks = { TEXT("2"), STOP("stop") } },
	};

	stage_open(replies);
	stage_submit("a");
	stage_submit("b");
	stage_run_until(IK_EVENT_TURN_DONE);
	cr_assert(ik_session_busy(stage.session));
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_stored(ik_session_id(stage.session), "user a\nassistant 1\nuser b\nassistant 2\n");
}

static void close_at_text(const struct ik_event *event)
{
	if (event->kind == IK_EVENT_TEXT)
		stage.session = ik_session_close(stage.session);
}

Test(session, closed_by_whom_it_tells)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("one") TEXT("two"), STOP("stop") } },
	};
	char id[IK_UUID_TEXT];
	char *text;

	stage_open(replies);
	strcpy(id, ik_session_id(stage.session));
	stage.on_event = close_at_text;
	stage_submit("hi");
	stage_submit("queued");
	stage_run_until(IK_EVENT_TEXT);
	text = stage_stored(id);
	cr_assert_str_eq(text, "user hi\nassistant one\n");
	free(text);
}

static void cancel_at_text(const struct ik_event *event)
{
	if (event->kind == IK_EVENT_TEXT)
		ik_session_cancel(stage.session);
	if (event->kind == IK_EVENT_TURN_DONE && stage.request_count == 1)
		stage_submit("next");
}

Test(session, cancelled_and_fed_by_whom_it_tells)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("one") TEXT("two") STOP("stop") } },
		{ .chunks = { STOP("stop") } },
	};

	stage_open(replies);
	stage.on_event = cancel_at_text;
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_order(stage.log.data, (const char *const[]){ "text one", "+assistant one",
		"done cancelled", "+user next", "done end", NULL });
	cr_assert_null(strstr(stage.log.data, "two"));
}

Test(session, closing_stores_what_had_come)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { CALL("0", "c1", "sleeper", "{}"), STOP("tool_calls") } },
	};
	char id[IK_UUID_TEXT];
	char *text;

	stage_tool("sleeper", "echo begun >&2; exec sleep 60");
	stage_open(replies);
	strcpy(id, ik_session_id(stage.session));
	stage_submit("go");
	stage_run_until(IK_EVENT_TOOL_OUTPUT);
	stage.session = ik_session_close(stage.session);
	text = stage_stored(id);
	expect_order(text, (const char *const[]){ "user go", "tool_call c1", "tool_result c1", NULL });
	free(text);
}

/* ---- the model that is built in ---- */

/* A session without a server: there is no client of one either. */
static void open_practice(void)
{
	stage_tool("echo", "cat");
	stage_open(NULL);
	stage.session = ik_session_close(stage.session);
	stage.server = raw_server_close(stage.server);
	stage.http = ik_http_free(stage.http);
	stage_make_session();
	ik_session_set_registry(stage.session, ik_discovery_registry(stage.discovery), true);
	stage_use_model(&(struct ik_model){
		.format = &ik_practice_format, .endpoint = { .provider = "practice" },
		.name = IK_PRACTICE_MODEL, .facts.price = IK_PRICE_UNKNOWN,
	});
	ik_buf_clear(&stage.log);
}

Test(session, practice_calls_and_speaks_in_the_process)
{
	open_practice();
	stage_submit("call echo {\"text\": \"x\"}");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_order(stage.log.data, (const char *const[]){ "round\n", "+tool_call echo text=x",
		"tool call_1 {\"text\": \"x\"}", "answer call_1", "round\n",
		"text `echo` answered:", "+assistant `echo` answered:", "done end\n", NULL });
}

Test(session, practice_is_cancelled_in_mid_reply)
{
	open_practice();
	stage_submit("stream 1000");
	stage_run_until(IK_EVENT_TEXT);
	ik_session_cancel(stage.session);
	cr_assert(!ik_session_busy(stage.session));
	expect_in(stage.log.data, "done cancelled\n");
	stage_submit("stream 3");
	stage_run_until(IK_EVENT_TURN_DONE);
	expect_order(stage.log.data, (const char *const[]){ "done cancelled", "+user stream 3",
		"+assistant water runs past\n", "done end\n", NULL });
	/* Closed while it speaks. */
	stage_submit("stream 1000");
	stage_run_until(IK_EVENT_TEXT);
}

Test(session, practice_makes_a_summary)
{
	open_practice();
	stage_submit("stream 3");
	stage_run_until(IK_EVENT_TURN_DONE);
	ik_session_compact(stage.session, "/compact", "");
	stage_run_until(IK_EVENT_MESSAGE);
	expect_in(stage.log.data, "+command /compact");
}

Test(session, shows_all_of_a_summary)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { TEXT("Hello"), STOP("stop") } },
		{ .chunks = { TEXT("a\\u0000summary"), STOP("stop") } },
	};
	const struct ik_conversation *said;

	stage_open(replies);
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	ik_session_compact(stage.session, "/compact", "");
	stage_run_until(IK_EVENT_MESSAGE);
	said = ik_session_conversation(stage.session);
	expect_order(ik_conversation_at(said, ik_conversation_count(said) - 1)->data,
		(const char *const[]){ "\"output\":", "a\\u0000summary", "\"summary\":\"a\\u0000summary\"",
			NULL });
}

/* ---- a person's own ---- */

Test(session, commands_and_notices_are_kept)
{
	static const struct stage_reply replies[] = { { .chunks = { TEXT("ok"), STOP("stop") } } };

	stage_open(replies);
	ik_session_add_notice(stage.session, "Welcome.");
	expect_stored(ik_session_id(stage.session), "");
	ik_session_add_command(stage.session, "/help", "words");
	expect_stored(ik_session_id(stage.session), "notice Welcome.\ncommand /help\n");
	expect_log("notice Welcome.\n+command /help\n");
	stage_submit("hi");
	stage_run_until(IK_EVENT_TURN_DONE);
	cr_assert_null(strstr(stage.requests[0], "Welcome"));
	cr_assert_null(strstr(stage.requests[0], "/help"));
}

Test(session, runs_a_tool_for_the_person)
{
	stage.without_tools_at_first = true;
	stage_tool("echo", "cat");
	stage_open(NULL);
	ik_session_run_tool(stage.session, "echo", "{\"text\":\"x\"}", 12);
	ik_session_run_tool(stage.session, "nothing", "", 0);
	cr_assert(ik_session_busy(stage.session));
	ik_session_set_registry(stage.session, ik_discovery_registry(stage.discovery), true);
	stage_run_until_told("answer run_1 ");
	stage_run_until_told("TOOL_NOT_FOUND");
	cr_assert(!ik_session_busy(stage.session));
	expect_in(stage.log.data, "tool run_1 {\"text\":\"x\"}\n");
	expect_in(stage.log.data, "answer run_1 {\"tool_success\":true,\"result\":{\"text\":\"x\"}}\n");
	expect_in(stage.log.data, "TOOL_NOT_FOUND");
	cr_assert_eq(ik_conversation_count(ik_session_conversation(stage.session)), 3);
}

Test(session, cancels_a_tool_of_the_persons)
{
	stage_tool("sleeper", "echo begun >&2; exec sleep 60");
	stage_open(NULL);
	ik_session_run_tool(stage.session, "sleeper", "{}", 2);
	stage_run_until(IK_EVENT_TOOL_OUTPUT);
	ik_session_cancel(stage.session);
	stage_run_until(IK_EVENT_TOOL_DONE);
	expect_in(stage.log.data, "TOOL_CANCELLED");
}

/* ---- restoring ---- */

/* Store count user messages "1", "2", ..., then a call without its result. */
static void store_session(char id[IK_UUID_TEXT], int count)
{
	struct ik_message *message;
	int i;

	ik_uuid_new(id);
	ik_store_begin(stage.store, id, stage.directory);
	for (i = 1; i <= count; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%d", i);
		message = ik_message_new(IK_KIND_USER, text, strlen(text), NULL, 0);
		ik_store_append(stage.store, id, message);
		ik_message_unref(message);
	}
	message = ik_message_tool_call("c1", "bash", "{}", 2, "bash");
	ik_store_append(stage.store, id, message);
	ik_message_unref(message);
}

static void on_restored(void *arg, const struct ik_error *error)
{
	snprintf(arg, sizeof(error->text), "%s", error ? error->text : "");
	ik_loop_stop(stage.loop);
}

/* Restore a session up to its first page; the reason why not. */
static const char *try_restore(const char *id)
{
	static char reason[sizeof(((struct ik_error *)0)->text)];
	struct ik_error error;

	ik_session_restore(stage.session,
		&(struct ik_restoring){ .id = id, .done = on_restored, .arg = reason });
	cr_assert_eq(ik_loop_run(stage.loop, &error), IK_OK, "%s", error.text);
	return reason;
}

static void restore(const char *id)
{
	cr_assert_str_eq(try_restore(id), "");
	cr_assert_str_eq(ik_session_id(stage.session), id);
}

static void add_text(struct ik_store *store, const char *id, const char *text)
{
	struct ik_message *message = ik_message_new(IK_KIND_USER, text, strlen(text), NULL, 0);

	ik_store_append(store, id, message);
	ik_message_unref(message);
}

/* A process that knew two events of the session has said this, and nobody has stored it yet. */
static void leave_journal(const char *id, const char *text)
{
	struct ik_message *message = ik_message_new(IK_KIND_USER, text, strlen(text), NULL, 0);
	const struct ik_journal_session session = { .id = id, .directory = "/x", .after = 2 };
	char *directories = ik_format("%s/journal/*", stage.directory), writer[IK_UUID_TEXT];
	struct ik_journal *journal = NULL;
	struct ik_error error;
	glob_t found;

	cr_assert_eq(glob(directories, 0, NULL, &found), 0);
	ik_uuid_new(writer);
	cr_assert_eq(ik_journal_new(found.gl_pathv[0], writer, &session, &journal, &error), IK_OK);
	cr_assert_eq(ik_journal_add_event(journal, message, &error), IK_OK);
	(void)ik_journal_close(journal);
	globfree(&found);
	ik_message_unref(message);
	free(directories);
}

static void on_lock(void *arg, enum ik_lock_state state, const struct ik_holder *holder)
{
}

/* What is left has a number until the holder's event has it. */
Test(session, that_is_followed_has_all_of_the_holders_events)
{
	static const struct ik_lock_events events = { .changed = on_lock };
	struct ik_store *holder = stage.store;
	sqlite3 *database = NULL;
	struct ik_lock *lock;
	char id[IK_UUID_TEXT];

	store_session(id, 1);
	free(stage_stored(id));
	stage_open_store();
	lock = ik_lock_new(holder, id, &events, NULL);
	cr_assert_eq(sqlite3_open(stage.database, &database), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	add_text(holder, id, "of the holder");
	leave_journal(id, "left");
	stage_open(NULL);
	restore(id);
	expect_in(stage.log.data, "left");
	cr_assert_eq(sqlite3_exec(database, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	cr_assert_eq(sqlite3_close(database), SQLITE_OK);
	stage_run_until_told("of the holder");
	(void)ik_lock_close(lock);
	cr_assert_null(ik_store_close(holder, NULL, NULL));
}

static size_t older_told;

static void check_older(const struct ik_event *event)
{
	if (event->kind == IK_EVENT_OLDER) {
		int64_t first = event->older[0]->sequence;

		older_told += event->count;
		cr_assert_eq(first, 2301 - (int64_t)older_told + 1);
	}
}

Test(session, restores_the_newest_first_and_mends)
{
	static const struct stage_reply replies[] = {
		{ .chunks = { CALL("0", "c1", "echo", "{}"), STOP("tool_calls") } },
		{ .chunks = { TEXT("ok"), STOP("stop") } },
	};
	const struct ik_conversation *conversation;
	char id[IK_UUID_TEXT];
	size_t i;

	store_session(id, 2500);
	stage_tool("echo", "cat");
	stage_open(replies);
	ik_session_add_notice(stage.session, "Welcome.");
	stage.on_event = check_older;
	restore(id);
	expect_in(stage.log.data, "+user 2302\n");
	cr_assert_null(strstr(stage.log.data, "+user 2301\n"));
	expect_in(stage.log.data, "notice [Session restored: 2501 messages]\n");
	stage_submit("go"); /* waits for the rest */
	expect_in(stage.log.data, "waiting Loading the session…\n");
	cr_assert_eq(stage.request_count, 0);
	stage_run_until(IK_EVENT_TURN_DONE);
	cr_assert_eq(older_told, 2301);

	conversation = ik_session_conversation(stage.session);
	for (i = 0; i < 2500; i++)
		cr_assert_eq(atoi(ik_conversation_at(conversation, i)->content), (int)i + 1);
	expect_order(stage.requests[0], (const char *const[]){ "\"content\":\"1\\n\\n2\\n\\n", "2500\"}",
		"\"tool_call_id\":\"c1\"", "tool_success\\\":false", "\"content\":\"go\"", NULL });
	/* The id of the old call is not used again. */
	expect_in(stage.log.data, "tool call_1");
	stage.session = ik_session_close(stage.session);
	stage.on_event = NULL;

	/* And again: what was mended is stored. */
	stage_make_session();
	ik_session_set_registry(stage.session, ik_discovery_registry(stage.discovery), true);
	restore(id);
	expect_in(stage.log.data, "notice [Session restored: 2507 messages]\n");
}

Test(session, closed_while_it_loads)
{
	char id[IK_UUID_TEXT];

	store_session(id, 1500);
	stage_open(NULL);
	restore(id);
	stage_submit("typed");
	stage.session = ik_session_close(stage.session);
	stage_make_session();
	restore(id);
	/* It is the user's, as a draft. */
	cr_assert_null(strstr(stage.log.data, "+user typed\n"));
}

Test(session, what_is_said_before_it_is_there_belongs_to_it)
{
	static const struct stage_reply replies[] = { { .chunks = { TEXT("ok"), STOP("stop") } } };
	char id[IK_UUID_TEXT], *text;

	store_session(id, 3);
	stage_open(replies);
	ik_session_restore(stage.session, &(struct ik_restoring){ .id = id });
	ik_session_add_command(stage.session, "/help", "words");
	stage_submit("typed");
	stage_run_until(IK_EVENT_TURN_STARTED);
	cr_assert_str_eq(ik_session_id(stage.session), id);
	text = stage_stored(id);
	expect_in(text, "user 1\nuser 2\nuser 3\ntool_call c1 bash\ncommand /help\n"
		"tool_result c1 The program ended before this call had a result\nuser typed\n");
	free(text);
}

Test(session, what_is_said_is_kept_when_there_is_nothing_to_restore)
{
	stage_open(NULL);
	ik_session_add_command(stage.session, "/first", "");
	cr_assert_str_neq(try_restore("ffffffff"), "");
	ik_session_restore(stage.session, &(struct ik_restoring){ .id = "eeeeeeee" });
	ik_session_add_command(stage.session, "/help", "words");
	stage.session = ik_session_close(stage.session);
	stage_make_session();
	cr_assert_str_eq(try_restore(NULL), "");
	expect_stored(ik_session_id(stage.session), "command /first\ncommand /help\n");
}

Test(session, a_short_session_restores)
{
	char id[IK_UUID_TEXT];

	store_session(id, 0);
	stage_open(NULL);
	restore(id);
	expect_in(stage.log.data, "notice [Session restored: 1 message]\n");
}
