#include "store_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "conversation/title.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"

TestSuite(store, .init = fixture_set_up, .fini = fixture_tear_down);

Test(store, opens_nothing_before_it_is_used)
{
	if (fixture.server)
		fixture_execute("CREATE TABLE events(x integer); DROP TABLE events"); /* there is none */
	else
		cr_assert_neq(access(fixture.path, F_OK), 0);
	cr_assert_str_eq(ik_store_name(fixture.store), fixture.server ? "postgresql" : "sqlite");
}

Test(store, keeps_events_with_all_they_have)
{
	static const char content[] = "a\0b\xc3\xa4\n";
	static const char data[] = "{\"n\":123456789012345678901234567890,\"z\":\"\\u0000\"}";
	struct ik_message *message = ik_message_new(IK_KIND_COMMAND, content, sizeof(content) - 1,
		data, sizeof(data) - 1);
	const struct ik_message *stored;
	char id[IK_UUID_TEXT];
	struct stat about;

	ik_uuid_new(id);
	ik_store_begin(fixture.store, id, "/here");
	ik_store_append(fixture.store, id, message);
	fixture_settle();
	cr_assert_eq(message->sequence, 1);
	if (!fixture.server) {
		cr_assert_eq(stat(fixture.path, &about), 0);
		cr_assert_eq(about.st_mode & 0777, 0600);
	}
	fixture_close();
	fixture_open();
	cr_assert_eq(fixture_wait(ik_store_page(fixture.store, id, 0, 10, FIXTURE_READ))->count, 1);
	stored = fixture_answer.messages[0];
	cr_assert_eq(stored->kind, IK_KIND_COMMAND);
	cr_assert_str_eq(stored->id, message->id);
	cr_assert_eq(stored->time_ms, message->time_ms);
	cr_assert_eq(stored->content_length, sizeof(content) - 1);
	cr_assert_eq(memcmp(stored->content, content, sizeof(content)), 0);
	cr_assert_eq(stored->data_length, sizeof(data) - 1);
	cr_assert_eq(memcmp(stored->data, data, sizeof(data)), 0);
	ik_message_unref(message);
}

Test(store, pages_go_backwards)
{
	char id[IK_UUID_TEXT], other[IK_UUID_TEXT];

	fixture_session(other, "/x", 3);
	fixture_session(id, "/x", 7);
	fixture_expect_page(id, 0, 3, "5 6 7");
	fixture_expect_page(id, 5, 3, "2 3 4");
	fixture_expect_page(id, 2, 3, "1");
	fixture_expect_page(id, 1, 3, "");
	fixture_expect_page(id, 0, 100, "1 2 3 4 5 6 7");
	fixture_expect_page("00000000-0000-7000-8000-000000000000", 0, 9, "");
}

Test(store, a_page_of_large_events_is_short)
{
	const size_t length = IK_LIMIT_PAGE / 2;
	char *text = ik_alloc(length + 1);
	const struct fixture_answer *answer;
	char id[IK_UUID_TEXT];
	int64_t before = 0;
	size_t count, pages = 0, all = 0;

	fixture_session(id, "/x", 2);
	memset(text, 'x', length);
	for (int i = 0; i < 5; i++)
		fixture_append(id, IK_KIND_USER, text);
	do {
		answer = fixture_wait(ik_store_page(fixture.store, id, before, 100, FIXTURE_READ));
		cr_assert_eq(answer->status, IK_OK);
		count = answer->count;
		if (count > 0)
			before = answer->messages[0]->sequence;
		all += count;
		pages++;
	} while (count > 0);
	cr_assert_eq(all, 7, "none is left out");
	cr_assert_eq(pages, 4, "two, two, three with the small ones, none");
	free(text);
}

/* List the newest session of a directory; return how many there are. */
static size_t newest(const char *directory)
{
	const struct ik_session_choice choice = { .directory = directory };

	return fixture_wait(ik_store_list(fixture.store, &choice, 0, "", 1, FIXTURE_READ))->count;
}

static enum ik_status find(const char *prefix)
{
	return fixture_wait(ik_store_find(fixture.store, prefix, FIXTURE_READ))->status;
}

Test(store, finds_sessions)
{
	char one[IK_UUID_TEXT], two[IK_UUID_TEXT], empty[IK_UUID_TEXT], prefix[IK_UUID_TEXT];
	const struct fixture_answer *answer = &fixture_answer;
	const struct ik_session_info *info = answer->sessions;

	cr_assert_eq(newest(NULL), 0);
	fixture_session(one, "/one", 2);
	fixture_session(two, "/two", 1);
	fixture_session(empty, "/one", 0);
	fixture_append(one, IK_KIND_ASSISTANT, "later");

	cr_assert_eq(newest("/two"), 1);
	cr_assert_str_eq(info->id, two);
	cr_assert_eq(info->event_count, 1);
	cr_assert_str_eq(info->directory, "/two");
	cr_assert_str_eq(info->title, "1");
	cr_assert_gt(info->created_ms, 1600000000000);
	cr_assert_eq(newest("/nowhere"), 0);

	cr_assert_eq(find(one), IK_OK);
	cr_assert_eq(info->event_count, 3);
	/* Both were made within one millisecond or a few: they share a beginning. */
	snprintf(prefix, sizeof(prefix), "%.8s", one);
	cr_assert_eq(find(prefix), IK_INVALID);
	cr_assert_eq(answer->count, 0);
	cr_assert_eq(find("ffffffff"), IK_NOT_FOUND);
	cr_assert_eq(find(""), IK_NOT_FOUND);
	cr_assert_eq(find("%"), IK_NOT_FOUND);
}

/* What reads gave, in the order of their answers. */
static char answers[8];

static void note(void *arg, const struct ik_store_answer *answer)
{
	answers[strlen(answers)] = *(char *)arg;
	ik_loop_stop(fixture.loop);
}

Test(store, answers_reads_in_their_order_and_never_inside_the_call)
{
	char id[IK_UUID_TEXT];
	struct ik_store_read *second;

	fixture_session(id, "/x", 3);
	(void)ik_store_page(fixture.store, id, 0, 1, note, (char []){ "1" });
	second = ik_store_page(fixture.store, id, 0, 2, note, (char []){ "2" });
	(void)ik_store_list(fixture.store, NULL, 0, "", 1, note, (char []){ "3" });
	cr_assert_str_eq(answers, "");
	second = ik_store_read_close(second);
	while (strlen(answers) < 2)
		fixture_run();
	cr_assert_str_eq(answers, "13", "the second one is silent");
	/* One that has no answer when the store is closed never gets one. */
	(void)ik_store_page(fixture.store, id, 0, 1, note, (char []){ "4" });
	fixture_close();
	cr_assert_str_eq(answers, "13");
	/* What it changes is changed. */
	fixture_open();
	(void)ik_store_delete(fixture.store, id, note, (char []){ "5" });
	fixture_close();
	cr_assert_str_eq(answers, "13");
	cr_assert_eq(fixture_look("SELECT count(*) FROM events"), 0);
}

Test(store, lists_the_newest_first)
{
	char ids[4][IK_UUID_TEXT], message_id[IK_UUID_TEXT];
	const struct fixture_answer *answer = &fixture_answer;
	int i;

	for (i = 0; i < 4; i++) {
		struct ik_message *message;
		char title[16];

		snprintf(title, sizeof(title), "t%d", i);
		ik_uuid_new(ids[i]);
		ik_store_begin(fixture.store, ids[i], "/x");
		ik_uuid_new(message_id);
		message = ik_message_stored(IK_KIND_USER, message_id, 0,
			ik_clock_wall_ms() + 10000 * (int64_t)(i + 1), title, 2,
			NULL, 0);
		ik_store_append(fixture.store, ids[i], message);
		ik_message_unref(message);
	}
	fixture_wait(ik_store_list(fixture.store, NULL, 0, "", 2, FIXTURE_READ));
	cr_assert_eq(answer->count, 2);
	cr_assert_str_eq(answer->sessions[0].title, "t3");
	cr_assert_str_eq(answer->sessions[1].title, "t2");
	fixture_append(ids[2], IK_KIND_NOTICE, "seen"); /* the store may be used in between */
	fixture_wait(ik_store_list(fixture.store, NULL, answer->sessions[1].updated_ms, ids[2], 8,
		FIXTURE_READ));
	cr_assert_eq(answer->count, 2);
	cr_assert_str_eq(answer->sessions[0].title, "t1");
	cr_assert_str_eq(answer->sessions[1].title, "t0");
	fixture_wait(ik_store_list(fixture.store, NULL, answer->sessions[1].updated_ms, ids[0], 8,
		FIXTURE_READ));
	cr_assert_eq(answer->status, IK_OK);
	cr_assert_eq(answer->count, 0);
}

Test(store, an_event_is_stored_once)
{
	struct ik_message *message = ik_message_new(IK_KIND_USER, "x", 1, NULL, 0);
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 1);
	ik_store_append(fixture.store, id, message);
	ik_store_append(fixture.store, id, message);
	ik_message_unref(message);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 2);
	cr_assert_eq(fixture_query("SELECT event_count FROM sessions"), 2);
}

Test(store, two_processes_in_one_session_never_share_a_number)
{
	struct ik_store *first = fixture.store, *second;
	char id[IK_UUID_TEXT];
	int i;

	fixture_session(id, "/x", 1);
	fixture_settle();
	fixture_open();
	second = fixture.store;
	ik_store_continue(second, id, "/x", 1);
	for (i = 0; i < 10; i++) {
		fixture.store = i % 3 ? first : second;
		fixture_append(i % 3 && fixture.forked[0] ? fixture.forked : id, IK_KIND_USER,
			i % 3 ? "first" : "second");
		fixture_settle();
	}
	fixture.store = second;
	fixture_settle();
	fixture_turn(2);
	/* The second was faster, so what the first says from then on is a fork. */
	cr_assert_neq(fixture.forked[0], '\0');
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 11);
	cr_assert_eq(fixture_query("SELECT count(*) FROM (SELECT DISTINCT session, sequence FROM events) e"), 11);
	fixture_expect_page(id, 0, 20, "1 second second second second");
	fixture_expect_page(fixture.forked, 0, 20, "1 first first first first first first");
	fixture_expect_page(fixture.forked, 3, 1, "first");
	fixture_expect_page(fixture.forked, 2, 20, "1");
	cr_assert_eq(find(fixture.forked), IK_OK);
	cr_assert_eq(fixture_answer.sessions[0].event_count, 7);
	cr_assert_eq(fixture_answer.sessions[0].forked_at, 1);
	cr_assert_str_eq(fixture_answer.sessions[0].parent, id);
	cr_assert_str_eq(fixture_answer.sessions[0].title, "1");
	cr_assert_eq(fixture.notices, 1, "%d %s", fixture.notices, fixture.notice);
	fixture_close();
	fixture.store = first;
}

Test(store, a_session_is_continued)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 3);
	fixture_settle();
	fixture_close();
	fixture_open();
	ik_store_continue(fixture.store, id, "/x", 3);
	fixture_append(id, IK_KIND_USER, "4");
	fixture_expect_page(id, 0, 9, "1 2 3 4");
	cr_assert_eq(fixture.forked[0], '\0');
}

/* A session that nobody has open has no journal once all is stored, large texts too. */
Test(store, a_session_that_rests_has_no_journal)
{
	char id[IK_UUID_TEXT], blob[IK_UUID_TEXT];
	struct ik_bytes *bytes;
	struct ik_buf text;

	ik_buf_init(&text, IK_KIB(1));
	ik_buf_puts(&text, "large");
	bytes = ik_bytes_take(&text);
	fixture_session(id, "/x", 2);
	ik_uuid_new(blob);
	ik_store_put_blob(fixture.store, id, blob, bytes);
	(void)ik_bytes_unref(bytes);
	ik_store_rest(fixture.store, id);
	fixture_settle();
	while (fixture_count_journals() > 0)
		fixture_turn(2);
	cr_assert_eq(fixture_wait(ik_store_read_part(fixture.store, blob, 0, FIXTURE_READ))->status,
		IK_OK);
	fixture_append(id, IK_KIND_USER, "3");
	fixture_settle();
	fixture_expect_page(id, 0, 9, "1 2 3");
	cr_expect_eq(fixture_count_journals(), 1, "it is open again");
	ik_store_rest(fixture.store, id);
	while (fixture_count_journals() > 0)
		fixture_turn(2);
	cr_expect_str_empty(fixture.forked);
}

Test(store, titles)
{
	static const char *const titles[][2] = {
		{ "review this\n\ndiff --git a/x b/x", "review this" },
		{ "\n\n one\ntwo", "one two" },
		{ "hello", "hello" },
		{ "  two\n\twords \n", "two words" },
		{ "", "" },
		{ "\n\n", "" },
		{ "fix the test that fails when the moon is full and the wind comes from the west",
		  "fix the test that fails when the moon is full and the wind…" },
		{ "ääääääääääääääääääääääääääääääääääääääääääääääää",
		  "ääääääääääääääääääääääääääääää…" },
	};
	size_t i;

	for (i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		char *title = ik_session_title(titles[i][0], strlen(titles[i][0]));

		cr_expect_str_eq(title, titles[i][1]);
		free(title);
	}
}

Test(store, without_a_place_nothing_is_kept)
{
	struct ik_error error, notice;
	char id[IK_UUID_TEXT];
	size_t lost;

	fixture_close();
	fixture.store = ik_store_open(fixture.loop, &(struct ik_store_options){ .database = NULL }, &error);
	cr_assert_str_eq(ik_store_name(fixture.store), "memory");
	fixture_session(id, "/x", 3);
	cr_assert_eq(newest(NULL), 0);
	fixture.store = ik_store_close(fixture.store, &lost, &notice);
	cr_assert_eq(lost, 0);
}

struct closing {
	struct ik_timer *timer, *other;
	int64_t begun_ms;
	bool turned; /* the other timer's function has run */
	struct ik_error notice;
};

static void note_turn(void *arg)
{
	*(bool *)arg = true;
}

/* Close the store while another timer is due at once. */
static void close_inside(void *arg)
{
	struct closing *closing = arg;

	ik_timer_start(closing->other, 0);
	closing->begun_ms = ik_clock_ms();
	fixture.store = ik_store_close(fixture.store, NULL, &closing->notice);
	cr_assert_not(closing->turned);
	ik_loop_stop(fixture.loop);
}

static void close_in_a_callback(struct closing *closing)
{
	closing->other = ik_timer_new(fixture.loop, note_turn, &closing->turned);
	closing->timer = ik_timer_new(fixture.loop, close_inside, closing);
	ik_timer_start(closing->timer, 0);
	fixture_run();
	closing->timer = ik_timer_close(closing->timer);
	closing->other = ik_timer_close(closing->other);
}

/* An ACP session is closed while the loop runs, and the owner of a store may be half gone. */
Test(store, stores_all_when_it_is_closed_in_a_callback_and_nothing_else_runs)
{
	struct closing closing = { .turned = false };
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 3);
	close_in_a_callback(&closing);
	cr_assert_eq(closing.notice.status, IK_OK, "%s", closing.notice.text);
	cr_assert_eq(fixture_look("SELECT count(*) FROM events"), 3);
	cr_assert_eq(fixture_count_journals(), 0);
	fixture_open();
}

Test(store, refuses_places_it_does_not_know)
{
	struct ik_error error;

	cr_assert_null(ik_store_open(fixture.loop, &(struct ik_store_options){ .database = "sqlite:" }, &error));
	cr_assert_eq(error.status, IK_INVALID);
	cr_assert_null(ik_store_open(fixture.loop, &(struct ik_store_options){ .database = "" }, &error));
}

static void close_and_stop(void *arg)
{
	fixture_close();
	ik_loop_stop(fixture.loop);
}

/* As a session that an editor closes: nobody can wait for the store program then. */
Test(store, closed_by_the_loop_leaves_the_rest_to_its_program)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 2);
	ik_loop_defer(fixture.loop, close_and_stop, NULL);
	fixture_run();
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 2");
	ik_store_continue(fixture.store, id, "/x", 2);
	fixture_append(id, IK_KIND_USER, "3");
	fixture_settle();
	fixture_expect_page(id, 0, 9, "1 2 3");
	cr_expect_eq(fixture_query("SELECT count(*) FROM sessions"), 1, "nothing became a fork");
}

Test(store, takes_many_events_at_once)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 2001);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 2001);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events WHERE content = cast(sequence AS text)"),
		2001);
}

Test(store, a_kind_of_a_newer_program_is_passed_over)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 3);
	fixture_settle();
	fixture_execute("UPDATE events SET kind = 'dream' WHERE sequence = 2");
	fixture_expect_page(id, 0, 3, "1 3");
}
