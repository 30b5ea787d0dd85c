#include "store_fixture.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "store/begun.h"
#include "store/spool.h"
#include "util/buf.h"
#include "util/limits.h"

/* What has arrived of a reply when the process is killed is stored by the next one: once, in its
 * place. On SQLite and on a server. */
TestSuite(store_begun, .init = fixture_set_up, .fini = fixture_tear_down, .timeout = 60);

#define MARK "{\"interrupted\":true}"

static struct ik_begun *begun;

/* A message as it has grown so far. */
static struct ik_message *make(const char *id, enum ik_kind kind, const char *text)
{
	return ik_message_stored(kind, id, 0, 1700000000000, text, strlen(text),
		kind == IK_KIND_ASSISTANT ? MARK : NULL, kind == IK_KIND_ASSISTANT ? strlen(MARK) : 0);
}

static void keep(const char *session, const char *id, enum ik_kind kind, const char *text)
{
	struct ik_message *message = make(id, kind, text);

	ik_begun_keep(begun, session, message);
	ik_message_unref(message);
}

/* Files with events. */
static int files(void)
{
	return fixture.server ? fixture_count_spool(true) : fixture_count_files(".rescue-");
}

/* A session of one event, whose store is closed. */
static void one_event(char id[IK_UUID_TEXT])
{
	fixture_session(id, "/x", 1);
	fixture_close();
}

/* In another process: thinking and a reply come, piece by piece. */
static void reply(void *session)
{
	char thinking[IK_UUID_TEXT], text[IK_UUID_TEXT];

	ik_store_continue(fixture.store, session, "/x", 1);
	begun = ik_begun_new(fixture.store);
	ik_uuid_new(thinking);
	ik_uuid_new(text);
	keep(session, thinking, IK_KIND_THINKING, "hm");
	keep(session, thinking, IK_KIND_THINKING, "hm, \"so");
	keep(session, thinking, IK_KIND_THINKING, "hm, \"so\"\n");
	keep(session, text, IK_KIND_ASSISTANT, "Gr\303\274");
	keep(session, thinking, IK_KIND_THINKING, "hm, \"so\"\n");
	keep(session, text, IK_KIND_ASSISTANT, "Gr\303\274");
	keep(session, text, IK_KIND_ASSISTANT, "Gr\303\274\303\237e\t\033[1m");
}

Test(store_begun, is_stored_by_the_next_process)
{
	char id[IK_UUID_TEXT];

	one_event(id);
	fixture_die(reply, id);
	cr_expect_eq(files(), 1);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 hm, \"so\"\n Gr\303\274\303\237e\t\033[1m");
	(void)fixture_wait(ik_store_page(fixture.store, id, 0, 9, FIXTURE_READ));
	cr_assert_eq(fixture_answer.count, 3);
	cr_expect_eq(fixture_answer.messages[1]->kind, IK_KIND_THINKING);
	cr_expect_eq(fixture_answer.messages[2]->kind, IK_KIND_ASSISTANT);
	cr_expect_str_eq(fixture_answer.messages[2]->data, MARK);
	cr_expect_eq(files(), 0);
	cr_expect_eq(fixture.notices, 0, "%s", fixture.notice);
}

Test(store_begun, is_nobody_elses_while_the_process_lives)
{
	char id[IK_UUID_TEXT];
	pid_t pid;

	one_event(id);
	pid = fixture_live(reply, id);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1");
	fixture_close();
	fixture_kill(pid);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 hm, \"so\"\n Gr\303\274\303\237e\t\033[1m");
}

/* In another process: the reply is whole, is stored, and so is what follows; but the process is
 * killed before the file is gone. */
static void reply_wholly(void *session)
{
	struct ik_message *whole;
	char text[IK_UUID_TEXT];

	ik_store_continue(fixture.store, session, "/x", 1);
	begun = ik_begun_new(fixture.store);
	ik_uuid_new(text);
	keep(session, text, IK_KIND_ASSISTANT, "all of");
	whole = make(text, IK_KIND_ASSISTANT, "all of it");
	ik_store_append(fixture.store, session, whole);
	fixture_append(session, IK_KIND_USER, "and?");
	fixture_settle();
	ik_message_unref(whole);
}

Test(store_begun, is_not_there_twice)
{
	char id[IK_UUID_TEXT];

	one_event(id);
	fixture_die(reply_wholly, id);
	cr_expect_eq(files(), 1);
	fixture_open();
	fixture_settle();
	fixture_expect_page(id, 0, 9, "1 all of it and?");
	cr_expect_eq(fixture_query("SELECT count(*) FROM sessions"), 1);
	cr_expect_eq(fixture_query("SELECT count(*) FROM events"), 3);
	cr_expect_eq(files(), 0);
}

/* In another process: what a reply is to waits itself when that begins. */
static void reply_to_what_waits(void *session)
{
	char text[IK_UUID_TEXT];

	ik_store_continue(fixture.store, session, "/x", 1);
	fixture_append(session, IK_KIND_USER, "2");
	begun = ik_begun_new(fixture.store);
	ik_uuid_new(text);
	keep(session, text, IK_KIND_ASSISTANT, "yes");
	fixture_settle();
}

Test(store_begun, belongs_behind_what_waited_before_it)
{
	char id[IK_UUID_TEXT];

	one_event(id);
	fixture_die(reply_to_what_waits, id);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 2 yes");
	cr_expect_eq(fixture_query("SELECT count(*) FROM sessions"), 1);
}

/* In another process: something else is said while a reply is on its way. */
static void interrupt_reply(void *session)
{
	char text[IK_UUID_TEXT];

	ik_store_continue(fixture.store, session, "/x", 1);
	begun = ik_begun_new(fixture.store);
	ik_uuid_new(text);
	keep(session, text, IK_KIND_ASSISTANT, "so ");
	fixture_append(session, IK_KIND_NOTICE, "by-the-way");
	fixture_settle();
	ik_begun_clear(begun);
	keep(session, text, IK_KIND_ASSISTANT, "so far");
}

Test(store_begun, moves_behind_what_comes_between)
{
	char id[IK_UUID_TEXT];

	one_event(id);
	fixture_die(interrupt_reply, id);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 by-the-way so far");
	cr_expect_eq(fixture_query("SELECT count(*) FROM sessions"), 1);
}

/* Nobody is told of a server that cannot be reached. */
static void expect_nothing_waits(void)
{
	struct ik_spooled spooled = { .ours = 0 };

	if (fixture.server)
		spooled = ik_spool_look(fixture.spool, fixture.path);
	cr_expect_eq(spooled.ours + spooled.others, 0);
	ik_spooled_done(&spooled);
}

Test(store_begun, leaves_no_file_when_it_is_let_go)
{
	char id[IK_UUID_TEXT], text[IK_UUID_TEXT];

	fixture_session(id, "/x", 1);
	fixture_settle();
	begun = ik_begun_new(fixture.store);
	cr_expect(ik_begun_is_empty(begun));
	ik_uuid_new(text);
	for (int round = 0; round < 2; round++) {
		keep(id, text, IK_KIND_ASSISTANT, "some");
		cr_expect_not(ik_begun_is_empty(begun));
		cr_expect_eq(files(), 1);
		expect_nothing_waits();
		if (round == 0)
			ik_begun_clear(begun);
		else
			begun = ik_begun_free(begun);
		cr_expect_eq(files(), 0);
	}
	cr_expect_null(ik_begun_free(NULL));
	cr_expect_null(ik_begun_new(NULL));
}

/* In another process: a long reply, in pieces that are cut within no character. */
static void reply_at_length(void *session)
{
	struct ik_buf text;
	char id[IK_UUID_TEXT];

	ik_store_continue(fixture.store, session, "/x", 1);
	begun = ik_begun_new(fixture.store);
	ik_uuid_new(id);
	ik_buf_init(&text, IK_MIB(2));
	for (int i = 0; i < 300000; i++) {
		ik_buf_puts(&text, "\303\274\n");
		if (i % 99999 == 0)
			keep(session, id, IK_KIND_ASSISTANT, text.data);
	}
	ik_buf_done(&text);
}

Test(store_begun, may_be_long)
{
	char id[IK_UUID_TEXT];
	size_t i;

	one_event(id);
	fixture_die(reply_at_length, id);
	fixture_open();
	(void)fixture_wait(ik_store_page(fixture.store, id, 0, 9, FIXTURE_READ));
	cr_assert_eq(fixture_answer.count, 2);
	cr_assert_eq(fixture_answer.messages[1]->content_length, 3 * 299998);
	for (i = 0; i < 3 * 299998; i += 3)
		cr_assert_eq(memcmp(fixture_answer.messages[1]->content + i, "\303\274\n", 3), 0);
}
