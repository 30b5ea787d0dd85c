/* Who may write: on a file and on a server, each with two programs of a kind. */
#include "store_fixture.h"

#include <stdlib.h>
#include <string.h>
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
static struct opener one, two;

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

static void on_refused(void *arg)
{
	((struct opener *)arg)->refused = true;
	stop();
}

static void on_news(void *arg)
{
	((struct opener *)arg)->news++;
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
	struct ik_error error;
	struct ik_store *store = ik_store_open(fixture.loop, fixture.path, &error);

	cr_assert_not_null(store);
	return store;
}

Test(store_lock, goes_from_one_to_the_other)
{
	struct ik_store *second = open_second();
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

	ik_lock_ask(two.lock);
	wait_until(&one.asked, true);
	cr_expect_eq(one.asker.pid, getpid());
	ik_lock_withdraw(two.lock);
	wait_until(&one.asked, false);
	ik_lock_ask(two.lock);
	wait_until(&one.asked, true);
	ik_lock_refuse(one.lock);
	wait_until(&two.refused, true);
	cr_expect(!ik_lock_is_asking(two.lock));
	wait_until(&one.asked, false);

	ik_lock_ask(two.lock);
	wait_until(&one.asked, true);
	ik_lock_let_go(one.lock);
	wait_for(&two, IK_LOCK_OURS);
	wait_for(&one, IK_LOCK_OTHERS);
	ik_lock_await(one.lock);
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

Test(store_lock, tells_of_what_the_other_writes)
{
	struct ik_store *second = open_second();
	char id[IK_UUID_TEXT];
	struct ik_error error;
	int before;

	fixture_session(id, "/x", 2);
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

Test(store_lock, of_a_database_that_keeps_nothing_is_none)
{
	struct ik_error error;
	struct ik_store *store = ik_store_open(fixture.loop, NULL, &error);

	open_lock(&one, store, "x");
	wait_for(&one, IK_LOCK_NONE);
	one.lock = ik_lock_close(one.lock);
	ik_store_close(store, NULL, NULL);
}

/* A holder that slept beyond its lease: another took it, and nobody gets in between. */
Test(store_lock, that_ended_makes_late_events_a_fork)
{
	struct ik_store *second;
	char id[IK_UUID_TEXT], *text;

	if (!fixture.server)
		cr_skip_test("a lock of the kernel does not end while its process lives");
	second = open_second();
	fixture_session(id, "/x", 2);
	open_lock(&one, fixture.store, id);
	wait_for(&one, IK_LOCK_OURS);
	text = ik_format("UPDATE locks SET expires = now() - interval '1 second' WHERE session = '%s'",
		id);
	fixture_execute(text);
	free(text);
	open_lock(&two, second, id);
	wait_for(&two, IK_LOCK_OURS);
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
	ik_lock_ask(two.lock);
	wait_until(&one.asked, true);
	ik_lock_continue(one.lock);
	ik_lock_let_go(one.lock);
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
