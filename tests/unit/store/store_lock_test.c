/* Who may write: on a file and on a server, each with two programs of a kind. */
#include "store_fixture.h"

#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

#include "store/lock.h"
#include "util/alloc.h"
#include "util/text.h"

TestSuite(store_lock, .init = fixture_set_up, .fini = fixture_tear_down);

/* One who opens the session, and what it was told. */
struct opener {
	struct ik_lock *lock;
	enum ik_lock_state state;
	struct ik_holder holder, asker;
	bool asked, refused;
	int news, ours;
};
static struct opener one, two, three;

static void stop(void)
{
	ik_loop_stop(fixture.loop);
}

static void on_changed(void *arg, enum ik_lock_state state, const struct ik_holder *holder)
{
	struct opener *opener = arg;

	opener->state = state;
	opener->holder = *holder;
	opener->ours += state == IK_LOCK_OURS;
	stop();
}

static void on_asked(void *arg, const struct ik_holder *asker)
{
	struct opener *opener = arg;

	opener->asked = asker != NULL;
	if (asker)
		opener->asker = *asker;
	stop();
}

static void on_refused(void *arg, const struct ik_holder *holder)
{
	((struct opener *)arg)->refused = true;
	stop();
}

static void on_news(void *arg)
{
	struct opener *opener = arg;

	cr_expect_neq(opener->state, IK_LOCK_OURS, "what is ours has no news");
	opener->news++;
	stop();
}

static void open_lock(struct opener *opener, struct ik_store *store, const char *session)
{
	static const struct ik_lock_events events = {
		.changed = on_changed, .asked = on_asked, .refused = on_refused, .news = on_news,
	};

	*opener = (struct opener){ .state = IK_LOCK_UNKNOWN };
	opener->lock = ik_lock_new(store, session, &events, opener);
}

static void wait_for(const struct opener *opener, enum ik_lock_state state)
{
	struct ik_error error;

	while (opener->state != state)
		cr_assert_eq(ik_loop_run(fixture.loop, &error), IK_OK);
}

static void wait_until(const bool *flag, bool wanted)
{
	struct ik_error error;

	while (*flag != wanted)
		cr_assert_eq(ik_loop_run(fixture.loop, &error), IK_OK);
}

/* The second program's store, on the same database. */
static struct ik_store *open_second(void)
{
	return fixture_open_another();
}

/* The store of a program on another machine: its lock files are elsewhere. */
static struct ik_store *open_elsewhere(void)
{
	struct fixture here = fixture;
	struct ik_store *store;

	(void)snprintf(fixture.journals, sizeof(fixture.journals), "%s/elsewhere", fixture.directory);
	store = fixture_open_another();
	memcpy(fixture.journals, here.journals, sizeof(here.journals));
	return store;
}

/* One has it, the second asks for it, is refused, asks again, and gets it. */
static void go_to(struct ik_store *second)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 2);
	open_lock(&one, fixture.store, id);
	wait_for(&one, IK_LOCK_OURS);
	open_lock(&two, second, id);
	wait_for(&two, IK_LOCK_OTHERS);
	cr_expect_eq(two.holder.pid, getpid());
	cr_expect(ik_holder_is_self(&two.holder));
	fixture_wait(ik_store_find(fixture.store, id, FIXTURE_READ));
	cr_expect_eq(fixture_answer.sessions[0].holder.pid, getpid(), "it is marked in lists");

	ik_lock_wish(two.lock, IK_WISH_ASK);
	wait_until(&one.asked, true);
	cr_expect_eq(one.asker.pid, getpid());
	ik_lock_wish(two.lock, IK_WISH_FOLLOW);
	wait_until(&one.asked, false);
	ik_lock_wish(two.lock, IK_WISH_ASK);
	wait_until(&one.asked, true);
	ik_lock_refuse(one.lock);
	wait_until(&two.refused, true);
	cr_expect(!ik_lock_is_asking(two.lock));
	wait_until(&one.asked, false);

	ik_lock_wish(two.lock, IK_WISH_ASK);
	wait_until(&one.asked, true);
	ik_lock_wish(one.lock, IK_WISH_FOLLOW);
	wait_for(&two, IK_LOCK_OURS);
	wait_for(&one, IK_LOCK_OTHERS);
	ik_lock_wish(one.lock, IK_WISH_AWAIT);
	two.lock = ik_lock_close(two.lock);
	wait_for(&one, IK_LOCK_OURS);
	cr_expect(!two.asked, "who waits quietly asks for nothing");
	one.lock = ik_lock_close(one.lock);
	ik_store_close(second, NULL, NULL);
	fixture_close();
	fixture_open();
	fixture_wait(ik_store_find(fixture.store, id, FIXTURE_READ));
	cr_expect_eq(fixture_answer.sessions[0].holder.pid, 0, "it is nobody's any more");
}

Test(store_lock, goes_from_one_to_the_other)
{
	go_to(open_second());
}

Test(store_lock, goes_from_one_machine_to_the_other)
{
	if (!fixture.server)
		cr_skip_test("one file is on one machine");
	go_to(open_elsewhere());
}

/* Two here want what another machine has: one after the other. */
Test(store_lock, of_another_machine_is_asked_for_by_one_at_a_time)
{
	struct ik_store *remote, *second;
	char id[IK_UUID_TEXT];

	if (!fixture.server)
		cr_skip_test("one file is on one machine");
	remote = open_elsewhere();
	second = open_second();
	fixture_session(id, "/x", 2);
	fixture_settle();
	open_lock(&one, remote, id);
	wait_for(&one, IK_LOCK_OURS);
	open_lock(&two, fixture.store, id);
	wait_for(&two, IK_LOCK_OTHERS);
	ik_lock_wish(two.lock, IK_WISH_ASK);
	wait_until(&one.asked, true);
	open_lock(&three, second, id);
	wait_for(&three, IK_LOCK_OTHERS);
	cr_expect_eq(three.holder.since_ms, two.holder.since_ms, "who only asks isn't the holder");
	ik_lock_wish(three.lock, IK_WISH_ASK);
	ik_lock_wish(one.lock, IK_WISH_FOLLOW);
	wait_for(&two, IK_LOCK_OURS);
	wait_for(&one, IK_LOCK_OTHERS);
	wait_until(&two.asked, true);
	cr_expect_eq(three.state, IK_LOCK_OTHERS);
	two.lock = ik_lock_close(two.lock);
	wait_for(&three, IK_LOCK_OURS);
	three.lock = ik_lock_close(three.lock);
	one.lock = ik_lock_close(one.lock);
	ik_store_close(second, NULL, NULL);
	ik_store_close(remote, NULL, NULL);
}

Test(store_lock, tells_of_what_the_other_writes)
{
	struct ik_store *second = open_second();
	char id[IK_UUID_TEXT];
	struct ik_error error;
	int before;

	fixture_session(id, "/x", 2);
	fixture_settle();
	open_lock(&one, fixture.store, id);
	wait_for(&one, IK_LOCK_OURS);
	open_lock(&two, second, id);
	wait_for(&two, IK_LOCK_OTHERS);
	/* What its opening tells, and that the server is to tell, is over with the answer. */
	fixture_wait(ik_store_after(second, id, 0, 9, FIXTURE_READ));
	fixture_wait(ik_store_after(second, id, 0, 9, FIXTURE_READ));
	cr_expect_eq(fixture_answer.count, 2);
	before = two.news;
	fixture_append(id, IK_KIND_USER, "3");
	while (two.news == before)
		cr_assert_eq(ik_loop_run(fixture.loop, &error), IK_OK);
	fixture_wait(ik_store_after(second, id, 2, 9, FIXTURE_READ));
	cr_expect_eq(fixture_answer.count, 1);
	two.lock = ik_lock_close(two.lock);
	one.lock = ik_lock_close(one.lock);
	ik_store_close(second, NULL, NULL);
}

/* In another process. */
static void hold(void *id)
{
	open_lock(&one, fixture.store, id);
	wait_for(&one, IK_LOCK_OURS);
}

static void too_late(void *arg)
{
	cr_assert_fail("the end of the other process was not told");
}

/* Long before a lease is over, or looked at. */
Test(store_lock, of_one_who_is_killed_is_free_at_once, .timeout = 60)
{
	struct ik_timer *timer = ik_timer_new(fixture.loop, too_late, NULL);
	char id[IK_UUID_TEXT];
	pid_t pid;

	fixture_session(id, "/x", 2);
	fixture_close();
	pid = fixture_live(hold, id);
	fixture_open();
	open_lock(&two, fixture.store, id);
	wait_for(&two, IK_LOCK_OTHERS);
	cr_expect_eq(two.holder.pid, pid);
	/* It looks a second time once it has begun to listen. */
	fixture_wait(ik_store_after(fixture.store, id, 0, 9, FIXTURE_READ));
	fixture_wait(ik_store_after(fixture.store, id, 0, 9, FIXTURE_READ));
	ik_timer_start(timer, 15000);
	fixture_kill(pid);
	wait_for(&two, IK_LOCK_FREE);
	ik_timer_close(timer);
	ik_lock_wish(two.lock, IK_WISH_ASK);
	wait_for(&two, IK_LOCK_OURS);
	two.lock = ik_lock_close(two.lock);
}

/* In another process: hold it, and say something that no store program gets. */
static void hold_and_say(void *id)
{
	hold(id);
	cr_assert_eq(system("pkill -KILL -P $PPID store-"), 0);
	ik_store_continue(fixture.store, id, "/x", 2);
	fixture_append(id, IK_KIND_USER, "3");
}

/* What it has left is the session's, not a fork beside the next holder. */
Test(store_lock, of_one_who_is_killed_is_had_with_what_was_said_last, .timeout = 60)
{
	char id[IK_UUID_TEXT];

	if (!fixture.server)
		cr_skip_test("a lock of the kernel has no lease");
	fixture_session(id, "/x", 2);
	fixture_close();
	fixture_die(hold_and_say, id);
	fixture_open();
	open_lock(&two, fixture.store, id);
	wait_for(&two, IK_LOCK_OURS);
	fixture_expect_page(id, 0, 9, "1 2 3");
	two.lock = ik_lock_close(two.lock);
}

/* A child lives as long as this is open; when it has ended that is at its end. */
static int kept_open[2], ended[2];

/* In another process: it starts a child, which has all that is open until it is another program. */
static void hold_and_fork(void *id)
{
	char byte;

	hold(id);
	if (fork() == 0) {
		(void)close(kept_open[1]);
		(void)!read(kept_open[0], &byte, 1);
		_exit(0);
	}
	(void)close(kept_open[1]);
}

/* It is seen that the holder is dead, and waited for the child, which is about to let go. */
Test(store_lock, of_one_who_was_killed_while_it_started_a_child_is_waited_for, .timeout = 60)
{
	char id[IK_UUID_TEXT], byte;
	pid_t pid;

	fixture_session(id, "/x", 2);
	fixture_close();
	cr_assert_eq(pipe(kept_open), 0);
	cr_assert_eq(pipe(ended), 0);
	pid = fixture_live(hold_and_fork, id);
	cr_assert_eq(close(ended[1]), 0);
	fixture_open();
	fixture_kill(pid);
	open_lock(&two, fixture.store, id);
	fixture_turn(20);
	cr_expect_eq(two.state, IK_LOCK_UNKNOWN);
	cr_assert_eq(close(kept_open[1]), 0);
	cr_assert_eq(read(ended[0], &byte, 1), 0);
	wait_for(&two, IK_LOCK_OURS);
	(void)close(kept_open[0]);
	(void)close(ended[0]);
	two.lock = ik_lock_close(two.lock);
}

/* Run statements that were put together. */
static void execute(char *text)
{
	fixture_execute(text);
	free(text);
}

/* Of another machine nothing is known but how long its lease is. */
Test(store_lock, of_another_machine_is_free_when_its_lease_is_over, .timeout = 60)
{
	struct ik_timer *timer = ik_timer_new(fixture.loop, too_late, NULL);
	char id[IK_UUID_TEXT];

	if (!fixture.server)
		cr_skip_test("a lock of the kernel has no lease");
	fixture_session(id, "/x", 2);
	fixture_settle();
	execute(ik_format("INSERT INTO locks(session, holder, process, host, user_name, pid, since, expires)"
		" VALUES ('%s', gen_random_uuid(), gen_random_uuid(), 'elsewhere', 'eve', 4711, 1000,"
		" now() + interval '1 hour')", id));
	open_lock(&two, fixture.store, id);
	wait_for(&two, IK_LOCK_OTHERS);
	cr_expect_str_eq(two.holder.host, "elsewhere");
	execute(ik_format("UPDATE locks SET expires = now() + interval '1 second' WHERE session = '%s'", id));
	execute(ik_format("NOTIFY \"ikigai_%s\"", id));
	ik_timer_start(timer, 15000);
	wait_for(&two, IK_LOCK_FREE);
	ik_timer_close(timer);
	two.lock = ik_lock_close(two.lock);
}

/* Whoever is connected anew is told of nothing until it says that it listens. */
Test(store_lock, is_heard_of_after_a_connection_was_lost, .timeout = 60)
{
	struct ik_timer *timer = ik_timer_new(fixture.loop, too_late, NULL);
	char id[IK_UUID_TEXT];

	if (!fixture.server)
		cr_skip_test("there is no connection");
	fixture_session(id, "/x", 2);
	open_lock(&one, fixture.store, id);
	wait_for(&one, IK_LOCK_OURS);
	fixture_wait(ik_store_after(fixture.store, id, 0, 9, FIXTURE_READ));
	fixture_wait(ik_store_after(fixture.store, id, 0, 9, FIXTURE_READ));
	fixture_execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
		" WHERE datname = current_database() AND pid <> pg_backend_pid()");
	do {
		fixture_wait(ik_store_after(fixture.store, id, 0, 9, FIXTURE_READ));
	} while (fixture_answer.status != IK_OK);
	fixture_wait(ik_store_after(fixture.store, id, 0, 9, FIXTURE_READ));
	fixture_wait(ik_store_after(fixture.store, id, 0, 9, FIXTURE_READ));
	execute(ik_format("UPDATE locks SET asker = gen_random_uuid(), asker_host = 'elsewhere', asker_pid = 7,"
		" asker_expires = now() + interval '1 hour' WHERE session = '%s'", id));
	execute(ik_format("NOTIFY \"ikigai_%s\"", id));
	ik_timer_start(timer, 15000);
	wait_until(&one.asked, true);
	ik_timer_close(timer);
	one.lock = ik_lock_close(one.lock);
}

Test(store_lock, of_a_database_that_keeps_nothing_is_anybodys)
{
	struct ik_error error;
	struct ik_store *store = ik_store_open(fixture.loop, &(struct ik_store_options){ .database = NULL }, &error);

	open_lock(&one, store, "x");
	wait_for(&one, IK_LOCK_OURS);
	one.lock = ik_lock_close(one.lock);
	ik_store_close(store, NULL, NULL);
}

/* Something else is where the files would be: a lease is a lock all the same. */
Test(store_lock, without_files_is_a_lease_or_everybodys)
{
	struct ik_store *second;
	char id[IK_UUID_TEXT], *command;

	fixture_session(id, "/x", 2);
	fixture_settle();
	command = fixture.server ? ik_format("for at in %s/*; do : >$at/.locks; done", fixture.journals)
							 : ik_format(": >%s-locks", fixture.path);
	cr_assert_eq(system(command), 0);
	free(command);
	open_lock(&one, fixture.store, id);
	wait_for(&one, IK_LOCK_OURS);
	second = fixture.server ? open_elsewhere() : open_second();
	open_lock(&two, second, id);
	if (fixture.server) {
		wait_for(&two, IK_LOCK_OTHERS);
		ik_lock_wish(two.lock, IK_WISH_ASK);
		wait_until(&one.asked, true);
		ik_lock_refuse(one.lock);
		wait_until(&two.refused, true);
		cr_expect_eq(one.state, IK_LOCK_OURS);
		ik_lock_wish(two.lock, IK_WISH_ASK);
		wait_until(&one.asked, false);
		wait_until(&one.asked, true);
		ik_lock_wish(one.lock, IK_WISH_FOLLOW);
	}
	wait_for(&two, IK_LOCK_OURS);
	one.lock = ik_lock_close(one.lock);
	two.lock = ik_lock_close(two.lock);
	ik_store_close(second, NULL, NULL);
}

/* A holder that slept beyond its lease: another took it, and nobody gets in between. */
Test(store_lock, that_ended_makes_late_events_a_fork)
{
	struct ik_store *second;
	char id[IK_UUID_TEXT], *text;

	if (!fixture.server)
		cr_skip_test("a lock of the kernel does not end while its process lives");
	second = open_elsewhere();
	fixture_session(id, "/x", 2);
	open_lock(&one, fixture.store, id);
	wait_for(&one, IK_LOCK_OURS);
	text = ik_format("UPDATE locks SET expires = now() - interval '1 second' WHERE session = '%s'",
		id);
	/* The holder lives in this process, too, and may renew it before the other comes to it. */
	for (;;) {
		fixture_execute(text);
		open_lock(&two, second, id);
		while (two.state == IK_LOCK_UNKNOWN)
			fixture_run();
		if (two.state == IK_LOCK_OURS)
			break;
		two.lock = ik_lock_close(two.lock);
	}
	free(text);
	fixture_append(id, IK_KIND_USER, "late");
	fixture_settle();
	fixture_expect_page(id, 0, 9, "1 2");
	cr_expect(fixture.forked[0] != '\0');
	fixture_expect_page(fixture.forked, 0, 9, "1 2 late");
	two.lock = ik_lock_close(two.lock);
	one.lock = ik_lock_close(one.lock);
	ik_store_close(second, NULL, NULL);
}

/* Back in the session that was just left, with what was said in it still on its way. */
Test(store_lock, is_ours_again_while_it_is_being_let_go)
{
	char id[IK_UUID_TEXT];
	sqlite3 *other = NULL;

	fixture_session(id, "/x", 2);
	open_lock(&one, fixture.store, id);
	wait_for(&one, IK_LOCK_OURS);
	if (!fixture.server) {
		cr_assert_eq(sqlite3_open(fixture.path, &other), SQLITE_OK);
		/* The store program may still be at work. */
		cr_assert_eq(sqlite3_busy_timeout(other, 10000), SQLITE_OK);
		cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	}
	fixture_append(id, IK_KIND_USER, "3");
	while (other && fixture.waiting == 0)
		fixture_run();
	one.lock = ik_lock_close(one.lock);
	open_lock(&two, fixture.store, id);
	while (two.state == IK_LOCK_UNKNOWN)
		fixture_turn(2);
	cr_expect_eq(two.state, IK_LOCK_OURS);
	if (other) {
		cr_assert_eq(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(other);
	}
	while (other && fixture.waiting > 0)
		fixture_turn(2);
	fixture_settle();
	fixture_expect_page(id, 0, 9, "1 2 3");
	cr_expect_eq(two.state, IK_LOCK_OURS);
	fixture_wait(ik_store_find(fixture.store, id, FIXTURE_READ));
	cr_expect_eq(fixture_answer.sessions[0].holder.pid, getpid(), "it was not let go behind our back");
	two.lock = ik_lock_close(two.lock);
}

/* Wanted back before what was said in it is stored, while another asks: both are told. */
Test(store_lock, is_told_of_as_ours_when_it_is_wanted_back_while_it_is_being_let_go)
{
	struct ik_store *second;
	char id[IK_UUID_TEXT];
	sqlite3 *other;

	if (fixture.server)
		cr_skip_test("a server is not locked");
	second = open_second();
	fixture_session(id, "/x", 2);
	fixture_settle();
	open_lock(&one, fixture.store, id);
	wait_for(&one, IK_LOCK_OURS);
	open_lock(&two, second, id);
	wait_for(&two, IK_LOCK_OTHERS);
	ik_lock_wish(two.lock, IK_WISH_ASK);
	wait_until(&one.asked, true);
	cr_assert_eq(sqlite3_open(fixture.path, &other), SQLITE_OK);
	cr_assert_eq(sqlite3_busy_timeout(other, 10000), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	fixture_append(id, IK_KIND_USER, "3");
	ik_lock_wish(one.lock, IK_WISH_FOLLOW);
	fixture_turn(20);
	cr_expect_eq(two.state, IK_LOCK_OTHERS, "not before all is stored");
	one.state = IK_LOCK_UNKNOWN;
	one.asked = false;
	ik_lock_wish(one.lock, IK_WISH_ASK);
	wait_for(&one, IK_LOCK_OURS);
	wait_until(&one.asked, true);
	cr_assert_eq(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
	fixture_settle();
	cr_expect_eq(two.state, IK_LOCK_OTHERS);
	ik_lock_wish(one.lock, IK_WISH_FOLLOW);
	wait_for(&two, IK_LOCK_OURS);
	one.lock = ik_lock_close(one.lock);
	two.lock = ik_lock_close(two.lock);
	ik_store_close(second, NULL, NULL);
}

/* It is let go while its lease is being renewed: the renewal's answer makes it nobody's again. */
Test(store_lock, that_is_let_go_does_not_come_back)
{
	struct ik_store *second = open_second();
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 2);
	open_lock(&one, fixture.store, id);
	wait_for(&one, IK_LOCK_OURS);
	open_lock(&two, second, id);
	wait_for(&two, IK_LOCK_OTHERS);
	ik_lock_wish(two.lock, IK_WISH_ASK);
	wait_until(&one.asked, true);
	ik_lock_wish(one.lock, IK_WISH_OPEN);
	ik_lock_wish(one.lock, IK_WISH_FOLLOW);
	wait_for(&two, IK_LOCK_OURS);
	wait_for(&one, IK_LOCK_OTHERS);
	cr_expect_eq(one.ours, 1, "it was told once that it has it");
	one.lock = ik_lock_close(one.lock);
	two.lock = ik_lock_close(two.lock);
	ik_store_close(second, NULL, NULL);
}

/* Somebody clears the directory of the locks away while one is held. */
Test(store_lock, whose_file_was_removed_is_not_held_by_two)
{
	struct ik_store *second;
	char id[IK_UUID_TEXT], *path;

	if (fixture.server)
		cr_skip_test("there are no files");
	second = open_second();
	fixture_session(id, "/x", 2);
	open_lock(&one, fixture.store, id);
	wait_for(&one, IK_LOCK_OURS);
	path = ik_format("%s-locks/%s", fixture.path, id);
	cr_assert_eq(unlink(path), 0);
	while (access(path, F_OK) != 0)
		fixture_turn(2);
	cr_expect_eq(one.state, IK_LOCK_OURS, "it is put there again");
	cr_assert_eq(unlink(path), 0);
	open_lock(&two, second, id);
	wait_for(&two, IK_LOCK_OURS);
	wait_for(&one, IK_LOCK_OTHERS);
	one.lock = ik_lock_close(one.lock);
	two.lock = ik_lock_close(two.lock);
	ik_store_close(second, NULL, NULL);
	free(path);
}

/* Whoever is stopped keeps its file: here nobody takes what it has, elsewhere its lease runs out. */
Test(store_lock, of_one_who_is_stopped_is_kept_here_and_runs_out_elsewhere, .timeout = 60)
{
	struct ik_store *remote;
	char id[IK_UUID_TEXT];
	pid_t pid;

	if (!fixture.server)
		cr_skip_test("a lock of the kernel has no lease");
	fixture_session(id, "/x", 2);
	fixture_close();
	pid = fixture_live(hold, id);
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	fixture_open();
	remote = open_elsewhere();
	execute(ik_format("UPDATE locks SET expires = now() - interval '1 second' WHERE session = '%s'", id));
	open_lock(&two, fixture.store, id);
	wait_for(&two, IK_LOCK_OTHERS);
	cr_expect_eq(two.holder.pid, pid);
	ik_lock_wish(two.lock, IK_WISH_AWAIT);
	open_lock(&one, remote, id);
	wait_for(&one, IK_LOCK_OURS);
	while (two.holder.pid != getpid())
		fixture_run();
	fixture_kill(pid);
	fixture_turn(20);
	cr_expect_eq(two.state, IK_LOCK_OTHERS, "the other machine has it");
	one.lock = ik_lock_close(one.lock);
	wait_for(&two, IK_LOCK_OURS);
	two.lock = ik_lock_close(two.lock);
	ik_store_close(remote, NULL, NULL);
}

static void expect_place(const char *directory, const char *like)
{
	char *place = ik_holder_place(directory);

	cr_expect_str_eq(place, like);
	free(place);
}

Test(store_lock, a_place_is_one_directory_under_any_name)
{
	char *place = ik_holder_place(fixture.directory), *other = ik_holder_place("/");
	char *name = ik_format("%s/../%s", fixture.directory, strrchr(fixture.directory, '/') + 1);

	cr_expect(place[0] && other[0]);
	cr_expect_str_neq(place, other);
	expect_place(name, place);
	expect_place("/nowhere", "");
	free(name);
	free(other);
	free(place);
}

/* Services and containers often have no USER. */
Test(store_lock, names_the_user_without_a_variable)
{
	const struct passwd *entry = getpwuid(geteuid());
	struct ik_holder self;

	cr_assert_not_null(entry);
	unsetenv("USER");
	ik_holder_self(&self);
	cr_expect_str_eq(self.user, entry->pw_name);
	setenv("USER", "", 1);
	ik_holder_self(&self);
	cr_expect_str_eq(self.user, entry->pw_name);
	setenv("USER", "somebody", 1);
	ik_holder_self(&self);
	cr_expect_str_eq(self.user, "somebody");
}
