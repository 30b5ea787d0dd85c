#include "store_fixture.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

#include "conversation/conversation.h"
#include "store/lock.h"
#include "util/alloc.h"
#include "util/path.h"

/*
 * What earlier processes could not store is gone on with while it still cannot be stored: it stays
 * one conversation, in its order, and is no other process's. On SQLite and on a server.
 */
static sqlite3 *other;
static struct ik_conversation *shown; /* what who goes on with the session sees */
static struct ik_lock *lock; /* of the session that is gone on with */

static void tear_down(void)
{
	shown = ik_conversation_free(shown);
	fixture_tear_down();
}

TestSuite(store_behind, .init = fixture_set_up, .fini = tear_down);

/* From here on no event can be stored; all can be read. */
static void refuse_events(void)
{
	if (fixture.server) {
		fixture_execute("CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
			" RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;"
			" CREATE TRIGGER trouble BEFORE INSERT ON events"
			" FOR EACH STATEMENT EXECUTE FUNCTION trouble()");
		return;
	}
	cr_assert_eq(sqlite3_open(fixture.path, &other), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
}

static void take_events(void)
{
	if (fixture.server) {
		fixture_execute("DROP FUNCTION trouble CASCADE");
		return;
	}
	cr_assert_eq(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
}

/* The process ends, and leaves what it could not store. */
static void end_process(void)
{
	struct ik_error notice;
	size_t lost;

	lock = ik_lock_close(lock);
	fixture.store = ik_store_close(fixture.store, &lost, &notice);
	cr_assert_eq(lost, 0);
	cr_assert_eq(notice.status, IK_UNAVAILABLE, "%s", notice.text);
}

/* A session of one event; behind it "two" was said, and could not be stored. */
static void leave_two(char id[IK_UUID_TEXT])
{
	fixture_session(id, "/x", 1);
	fixture_settle();
	refuse_events();
	fixture_append(id, IK_KIND_USER, "two");
	end_process();
}

/* Its newest page is on the screen. */
static void show_page(const char *id)
{
	(void)fixture_wait(ik_store_page(fixture.store, id, 0, 9, FIXTURE_READ));
	ik_conversation_free(shown);
	shown = ik_conversation_new();
	ik_conversation_prepend(shown, fixture_answer.messages, fixture_answer.count);
}

/* What was left behind is this, with blanks between, and is shown from now on. */
static void expect_behind(const char *id, const char *wanted)
{
	struct ik_message **messages;
	struct ik_buf text;
	size_t count, i;

	messages = ik_store_left_behind(fixture.store, id, shown, &count);
	ik_buf_init(&text, 1 << 20);
	ik_buf_puts(&text, "");
	for (i = 0; i < count; i++) {
		ik_buf_printf(&text, "%s%s", i ? " " : "", messages[i]->content);
		ik_conversation_append(shown, messages[i]);
		ik_message_unref(messages[i]);
	}
	free(messages);
	cr_expect_str_eq(text.data, wanted);
	ik_buf_done(&text);
}

static void on_changed(void *arg, enum ik_lock_state state, const struct ik_holder *holder)
{
	ik_loop_stop(fixture.loop);
}

static void on_asked(void *arg, const struct ik_holder *asker)
{
}

static void on_nothing(void *arg)
{
}

/* It is nobody else's. */
static void open_lock(const char *id)
{
	static const struct ik_lock_events events = {
		.changed = on_changed, .asked = on_asked, .refused = on_nothing, .news = on_nothing,
	};

	lock = ik_lock_new(fixture.store, id, &events, NULL);
	while (ik_lock_state(lock) != IK_LOCK_OURS)
		fixture_run();
}

/* Another process goes on with it. */
static void go_on(const char *id, const char *behind, const char *say)
{
	fixture_open();
	open_lock(id);
	fixture_expect_page(id, 0, 9, "1");
	ik_store_continue(fixture.store, id, "/x", 1);
	show_page(id);
	expect_behind(id, behind);
	fixture_append(id, IK_KIND_USER, say);
}

static void wait_for_events(int count)
{
	fixture_query_until("SELECT count(*) FROM events", count);
}

static void expect_one_session(void)
{
	cr_expect_eq(fixture_query("SELECT count(*) FROM sessions"), 1);
	cr_expect_str_eq(fixture.forked, "");
	cr_expect_eq(fixture_count_files(".rescue-"), 0);
}

Test(store_behind, a_process_may_end_behind_another_one)
{
	char id[IK_UUID_TEXT];

	leave_two(id);
	go_on(id, "two", "three");
	end_process();
	/* By now it can be stored: both files, in their order. */
	take_events();
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 two three");
	expect_one_session();
}

Test(store_behind, several_processes_may_end_behind_each_other)
{
	char id[IK_UUID_TEXT];

	leave_two(id);
	go_on(id, "two", "three");
	end_process();
	go_on(id, "two three", "four");
	expect_behind(id, "four"); /* the others are shown; its own it did not show yet */
	expect_behind(id, "");
	show_page(id); /* it was left, and is opened anew */
	expect_behind(id, "two three four");
	take_events();
	wait_for_events(4);
	fixture_expect_page(id, 0, 9, "1 two three four");
	fixture_append(id, IK_KIND_USER, "five");
	wait_for_events(5);
	expect_one_session();
	lock = ik_lock_close(lock);
}

/* Put what a process of a session of one event leaves that was killed when two of its three events
 * were stored, and it did not know: the file tells all three. */
static void leave_half(const char *id)
{
	struct ik_buf text;
	char *path;
	int i;

	fixture_append(id, IK_KIND_USER, "two");
	fixture_append(id, IK_KIND_USER, "three");
	fixture_settle();
	ik_buf_init(&text, 1 << 20);
	fixture_wait(ik_store_page(fixture.store, id, 0, 9, FIXTURE_READ));
	for (i = 1; i <= 3; i++) {
		char uuid[IK_UUID_TEXT];

		ik_uuid_new(uuid);
		ik_buf_printf(&text, "{\"session\":\"%s\",\"directory\":\"/x\",\"created_ms\":1,\"known\":1,"
			"\"id\":\"%s\",\"kind\":\"user\",\"time_ms\":1,\"content\":\"%s\",\"data\":null}\n", id,
			i < 3 ? fixture_answer.messages[i]->id : uuid,
			i < 3 ? fixture_answer.messages[i]->content : "four");
	}
	path = ik_format("%s.rescue-x.jsonl", fixture.path);
	cr_assert_eq(ik_file_write(path, text.data, text.length, 0600, NULL), IK_OK);
	free(path);
	ik_buf_done(&text);
}

Test(store_behind, what_is_stored_of_it_is_not_shown_twice)
{
	char id[IK_UUID_TEXT];

	if (fixture.server)
		return; /* what a server's spool is named after is its own secret */
	fixture_session(id, "/x", 1);
	leave_half(id);
	fixture_close();
	refuse_events();
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 two three");
	ik_store_continue(fixture.store, id, "/x", 3);
	show_page(id);
	expect_behind(id, "four");
	fixture_append(id, IK_KIND_USER, "five");
	take_events();
	wait_for_events(5);
	fixture_expect_page(id, 0, 9, "1 two three four five");
	expect_one_session();
}

/* Opened anew in the same program, before that could store what was said in it. */
Test(store_behind, what_this_process_has_not_stored_yet_is_there_too)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 1);
	fixture_settle();
	refuse_events();
	fixture_append(id, IK_KIND_USER, "two");
	fixture_append(id, IK_KIND_USER, "three");
	ik_store_continue(fixture.store, id, "/x", 1);
	show_page(id);
	expect_behind(id, "two three");
	expect_behind(id, "");
	take_events();
	wait_for_events(3);
	fixture_expect_page(id, 0, 9, "1 two three");
	expect_behind(id, "");
	expect_one_session();
}

/* Who did not see it goes on behind something else. */
Test(store_behind, what_nobody_has_seen_is_another_ones)
{
	char id[IK_UUID_TEXT];

	leave_two(id);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1");
	ik_store_continue(fixture.store, id, "/x", 1);
	fixture_append(id, IK_KIND_USER, "three");
	take_events();
	wait_for_events(3);
	fixture_expect_page(id, 0, 9, "1 two");
	fixture_settle();
	fixture_expect_page(fixture.forked, 0, 9, "1 three");
	cr_expect_eq(fixture_query("SELECT count(*) FROM sessions"), 2);
}
