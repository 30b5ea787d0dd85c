#include "store_fixture.h"
#include "server_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "store/backend.h"
#include "store/lock.h"
#include "store/search_query.h"
#include "util/alloc.h"

/*
 * A server that is away, restarted, read-only, killed: no event may be lost by any of it, and
 * none may be there twice. tests/store/postgres starts the server, and gives a command that
 * stops and starts it; without that there is nothing to be run.
 */
TestSuite(postgres_trouble, .init = server_set_up, .fini = fixture_tear_down);
TestSuite(postgres, .init = fixture_set_up, .fini = fixture_tear_down);

Test(postgres_trouble, a_server_that_is_away)
{
	char id[IK_UUID_TEXT];

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 1);
	fixture_settle();
	server_control("stop");
	server_append_numbers(id, 2, 5);
	do {
		fixture_run();
	} while (fixture.waiting != 4 || !fixture.reason[0]);
	cr_assert(strstr(fixture.reason, "cannot be reached"), "%s", fixture.reason);
	cr_expect_eq(ik_store_trouble(fixture.store), IK_STORE_AWAY);
	cr_assert_eq(fixture_count_spool(true), 1);
	/* A read says so too. */
	fixture_wait(ik_store_newest(fixture.store, NULL, FIXTURE_READ));
	cr_assert_eq(fixture_answer.status, IK_IO);
	server_control("start");
	server_settle();
	server_expect_numbers(id, 5);
	cr_assert_eq(fixture_count_spool(true), 0);
	fixture_close();
	cr_assert_eq(fixture_count_spool(false), 0);
}

static void append_four(void *id)
{
	ik_store_continue(fixture.store, id, "/x", 2);
	server_append_numbers(id, 3, 6);
}

Test(postgres_trouble, killed_with_events_on_their_way)
{
	char id[IK_UUID_TEXT];

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 2);
	fixture_close();
	server_control("stop");
	fixture_die(append_four, id);
	cr_assert_eq(fixture_count_spool(true), 1);
	server_control("start");
	fixture_open();
	server_expect_numbers(id, 6);
	if (fixture.notices == 0)
		fixture_run();
	cr_assert(strstr(fixture.notice, "4 events"), "%s", fixture.notice);
	cr_assert_eq(fixture_count_spool(true), 0);
}

Test(postgres_trouble, the_spool_of_a_living_process_is_left_alone)
{
	char id[IK_UUID_TEXT], other[IK_UUID_TEXT];
	struct ik_store *first;

	if (!server_is_there())
		return;
	server_control("stop");
	fixture_session(id, "/x", 3);
	first = fixture.store;
	fixture_open();
	fixture_session(other, "/y", 2);
	server_control("start");
	server_expect_numbers(other, 2);
	fixture_close();
	fixture.store = first;
	server_expect_numbers(id, 3);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 5);
}

Test(postgres_trouble, connections_that_are_cut)
{
	char id[IK_UUID_TEXT];
	int round;

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 0);
	for (round = 0; round < 5; round++) {
		server_append_numbers(id, round * 100 + 1, round * 100 + 100);
		fixture_turn(round + 1);
		fixture_execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
			" WHERE datname = current_database() AND pid <> pg_backend_pid()");
	}
	server_append_numbers(id, 501, 501);
	server_settle();
	server_expect_numbers(id, 501);
}

Test(postgres_trouble, a_server_that_crashes_in_mid_commit)
{
	char id[IK_UUID_TEXT];
	int round;

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 0);
	for (round = 0; round < 3; round++) {
		server_append_numbers(id, round * 500 + 1, round * 500 + 500);
		fixture_turn(10 * round + 3);
		server_control("immediate");
		fixture_turn(3);
		server_control("start");
	}
	server_append_numbers(id, 1501, 1501);
	server_settle();
	server_expect_numbers(id, 1501);
}

Test(postgres_trouble, a_server_that_can_only_be_read)
{
	char id[IK_UUID_TEXT];
	char *text;

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 1);
	fixture_settle();
	text = ik_format("ALTER DATABASE %s SET default_transaction_read_only = on", fixture.database);
	fixture_execute(text);
	fixture_close();
	fixture_open();
	ik_store_continue(fixture.store, id, "/x", 1);
	server_append_numbers(id, 2, 3);
	do {
		fixture_run();
	} while (fixture.waiting != 2 || !fixture.reason[0]);
	cr_assert(strstr(fixture.reason, "only be read"), "%s", fixture.reason);
	cr_expect_eq(ik_store_trouble(fixture.store), IK_STORE_REFUSES);
	server_expect_numbers(id, 1); /* which goes on */
	free(text);
	text = ik_format("BEGIN READ WRITE; ALTER DATABASE %s RESET default_transaction_read_only;"
		" COMMIT", fixture.database);
	fixture_execute(text);
	free(text);
	server_settle();
	server_expect_numbers(id, 3);
}

static void append_two(void *id)
{
	ik_store_continue(fixture.store, id, "/x", 2);
	server_append_numbers(id, 3, 4);
}

Test(postgres_trouble, late_events_become_a_fork)
{
	char id[IK_UUID_TEXT], *elsewhere;

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 2);
	fixture_close();
	server_control("stop");
	fixture_die(append_two, id);
	server_control("start");
	/* Another machine, which knows nothing of that spool, goes on. */
	elsewhere = ik_strdup(fixture.spool);
	snprintf(fixture.spool, sizeof(fixture.spool), "%s/other", fixture.directory);
	fixture_open();
	ik_store_continue(fixture.store, id, "/x", 2);
	fixture_append(id, IK_KIND_USER, "other");
	fixture_expect_page(id, 0, 9, "1 2 other");
	snprintf(fixture.spool, sizeof(fixture.spool), "%s", elsewhere);
	free(elsewhere);
	/* And the first one is back. */
	{
		struct ik_store *other = fixture.store;

		fixture_open();
		fixture_expect_page(id, 0, 9, "1 2 other");
		fixture_wait(ik_store_list(fixture.store, 0, "", 8, FIXTURE_READ));
		cr_assert_eq(fixture_answer.count, 2);
		strcpy(fixture.forked, fixture_answer.sessions[0].forked_at ?
			fixture_answer.sessions[0].id : fixture_answer.sessions[1].id);
		server_expect_numbers(fixture.forked, 4);
		fixture_turn(2);
		cr_assert_geq(fixture.notices, 1);
		cr_assert(strstr(fixture.notice, "stored now") || strstr(fixture.notice, fixture.forked),
			"%s", fixture.notice);
		cr_assert_eq(fixture_count_spool(true), 0);
		fixture_close();
		/* The other hears of it when it goes on. */
		fixture.store = other;
		fixture.notices = 0;
		fixture_append(id, IK_KIND_USER, "more");
		fixture_settle();
		fixture_turn(2);
		cr_assert_eq(fixture.notices, 1);
		cr_assert(strstr(fixture.notice, "fork"), "%s", fixture.notice);
		fixture_expect_page(id, 0, 9, "1 2 other more");
	}
}

/* ---- without stopping the server ---- */

static void ignore_change(void *arg, enum ik_lock_state state, const struct ik_holder *holder)
{
}

static void ignore_asker(void *arg, const struct ik_holder *asker)
{
}

static void ignore(void *arg)
{
}

static const struct ik_lock_events silent = { ignore_change, ignore_asker, ignore, ignore };

static void append_without_a_table(void *session)
{
	ik_store_continue(fixture.store, session, "/x", 2);
	fixture_execute("ALTER TABLE events RENAME TO away");
	server_append_numbers(session, 3, 4);
	while (!fixture.reason[0])
		fixture_run();
}

static void append_with_its_lock(void *session)
{
	struct ik_lock *lock = ik_lock_new(fixture.store, session, &silent, NULL);

	while (ik_lock_state(lock) != IK_LOCK_OURS)
		fixture_settle();
	append_without_a_table(session);
}

/* A process that dies with events 3 and 4 of a session in its spool, and with its lock. */
static void die_with_events(char *session, bool locked)
{
	fixture_die(locked ? append_with_its_lock : append_without_a_table, session);
	fixture_execute("ALTER TABLE away RENAME TO events");
	cr_assert_eq(fixture_count_spool(true), 1);
}

Test(postgres, what_a_dead_one_left_goes_where_its_own_lease_still_is)
{
	char id[IK_UUID_TEXT];

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 2);
	fixture_close();
	die_with_events(id, true);
	fixture_open();
	server_expect_numbers(id, 4);
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions"), 1);
}

Test(postgres, what_a_dead_one_left_does_not_go_where_another_is_writing)
{
	char id[IK_UUID_TEXT], *spool;
	struct ik_store *living;
	struct ik_lock *lock;

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 2);
	fixture_close();
	die_with_events(id, false);
	/* Another machine has the session open, and has not said anything yet. */
	spool = ik_strdup(fixture.spool);
	snprintf(fixture.spool, sizeof(fixture.spool), "%s/other", fixture.directory);
	fixture_open();
	lock = ik_lock_new(fixture.store, id, &silent, NULL);
	while (ik_lock_state(lock) != IK_LOCK_OURS)
		fixture_settle();
	server_expect_numbers(id, 2);
	ik_store_continue(fixture.store, id, "/x", 2);
	living = fixture.store;
	snprintf(fixture.spool, sizeof(fixture.spool), "%s", spool);
	free(spool);
	fixture_open();
	server_expect_numbers(id, 2);
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions WHERE late"), 1);
	cr_assert_eq(fixture_count_spool(true), 0);
	fixture_close();
	/* It goes on as if nothing had been, but that it hears of it. */
	fixture.store = living;
	fixture.notices = 0;
	server_append_numbers(id, 3, 3);
	server_expect_numbers(id, 3);
	cr_assert_eq(fixture.notices, 1);
	cr_assert(strstr(fixture.notice, "fork of its own"), "%s", fixture.notice);
	cr_assert_str_eq(fixture.forked, "");
	lock = ik_lock_close(lock);
}

/* Take the lock of a session; how it stands once that is known. */
static enum ik_lock_state try_lock(const char *session, struct ik_holder *ret_holder)
{
	struct ik_lock *lock = ik_lock_new(fixture.store, session, &silent, NULL);
	enum ik_lock_state state;

	while (ik_lock_state(lock) == IK_LOCK_UNKNOWN)
		fixture_settle();
	state = ik_lock_state(lock);
	*ret_holder = *ik_lock_holder(lock);
	lock = ik_lock_close(lock);
	fixture_settle();
	return state;
}

Test(postgres, the_lease_of_a_dead_one_of_this_machine_is_nobodys)
{
	char id[IK_UUID_TEXT];
	struct ik_holder holder;

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 2);
	fixture_close();
	die_with_events(id, true);
	fixture_open();
	fixture_wait(ik_store_find(fixture.store, id, FIXTURE_READ));
	cr_assert_eq(fixture_answer.sessions[0].holder.pid, 0);
	cr_assert_eq(try_lock(id, &holder), IK_LOCK_OURS);
}

/* Of one elsewhere that cannot be known: in another container the number is another process's. */
Test(postgres, the_lease_of_one_elsewhere_is_waited_for)
{
	static const char *const changes[] = {
		"place = replace(place, 'pid:[', 'pid:[9')", "host = 'elsewhere'", "place = NULL",
		"place = '0' || place",
	};
	char id[IK_UUID_TEXT], *text;
	struct ik_holder holder;
	size_t i;

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 2);
	fixture_close();
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		if (i == 0)
			die_with_events(id, true);
		text = ik_format("UPDATE locks SET %s", changes[i]);
		if (i == 0)
			fixture_execute("CREATE TABLE kept AS SELECT * FROM locks");
		fixture_execute("DELETE FROM locks; INSERT INTO locks SELECT * FROM kept");
		fixture_execute(text);
		free(text);
		fixture_open();
		cr_expect_eq(try_lock(id, &holder), IK_LOCK_OTHERS, "%s", changes[i]);
		cr_expect_gt(holder.pid, 0);
		fixture.notices = 0;
		fixture_close();
	}
	/* As it was it is known; and so is a number that is a living process's by now. */
	fixture_execute("DELETE FROM locks; INSERT INTO locks SELECT * FROM kept");
	text = ik_format("UPDATE locks SET pid = %d", (int)getppid());
	fixture_execute(text);
	free(text);
	fixture_open();
	cr_expect_eq(try_lock(id, &holder), IK_LOCK_OURS);
}

Test(postgres, two_databases_share_no_spool)
{
	char id[IK_UUID_TEXT], *one, *other;

	if (!server_is_there())
		return;
	/* The address is the same; the environment says which database it is. */
	fixture_close();
	setenv("PGHOST", getenv("IK_TEST_POSTGRES_SOCKETS"), 1);
	setenv("PGPORT", getenv("IK_TEST_POSTGRES_PORT"), 1);
	setenv("PGDATABASE", "not_there", 1);
	snprintf(fixture.path, sizeof(fixture.path), "postgresql://ikigai@");
	one = ik_postgres_name(fixture.path);
	fixture_open();
	fixture_session(id, "/x", 3);
	server_run_until_waiting(3, "not_there");
	(void)ik_store_close(fixture.store, NULL, NULL);
	cr_assert_eq(fixture_count_spool(true), 1);
	setenv("PGDATABASE", fixture.database, 1);
	other = ik_postgres_name(fixture.path);
	cr_assert_str_neq(one, other);
	fixture.waiting = 0;
	fixture_open();
	fixture_wait(ik_store_list(fixture.store, 0, "", 8, FIXTURE_READ));
	cr_assert_eq(fixture_answer.status, IK_OK, "%s", fixture_answer.error.text);
	cr_assert_eq(fixture_answer.count, 0);
	cr_assert_eq(fixture_count_spool(true), 1);
	free(one);
	/* And another address of the same one shares it. */
	one = ik_format("host=%s port=%s dbname=%s user=ikigai password=x", getenv("PGHOST"),
		getenv("PGPORT"), fixture.database);
	free(other);
	other = ik_postgres_name(one);
	cr_assert_null(strstr(other, "password"));
	free(one);
	one = ik_postgres_name(fixture.path);
	cr_assert_str_eq(one, other);
	free(one);
	free(other);
}

Test(postgres, several_processes_make_the_tables_once)
{
	enum { PROCESSES = 8, EVENTS = 50 };
	int i, status, failed = 0;

	if (!server_is_there())
		return;
	/* Each with a loop of its own: what a loop waits with is not shared. */
	fixture_close();
	fixture.loop = ik_loop_free(fixture.loop);
	for (i = 0; i < PROCESSES; i++) {
		if (fork() == 0) {
			/* No assertions here: they would be told in the parent's name. */
			struct ik_error notice = { .status = IK_FAILED };
			char id[IK_UUID_TEXT];
			size_t lost;

			(void)alarm(30);
			fixture.loop = ik_loop_new(NULL);
			fixture_open();
			fixture_session(id, "/x", EVENTS);
			fixture.store = ik_store_close(fixture.store, &lost, &notice);
			if (notice.status != IK_OK)
				(void)fprintf(stderr, "%s\n", notice.text);
			_exit(lost == 0 && notice.status == IK_OK ? 0 : 3);
		}
	}
	for (i = 0; i < PROCESSES; i++) {
		cr_assert_gt(wait(&status), 0);
		failed += status != 0;
	}
	cr_assert_eq(failed, 0);
	fixture.loop = ik_loop_new(NULL);
	fixture_open();
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), PROCESSES * EVENTS);
	cr_assert_eq(fixture_query("SELECT count(*) FROM ikigai_form"), 1);
}

Test(postgres, a_newer_database_is_refused_and_left_alone)
{
	char id[IK_UUID_TEXT];

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 1);
	fixture_close();
	fixture_execute("UPDATE ikigai_form SET version = 99");
	fixture_open();
	fixture_wait(ik_store_find(fixture.store, id, FIXTURE_READ));
	cr_assert_eq(fixture_answer.status, IK_DENIED);
	cr_assert(strstr(fixture_answer.error.text, "newer ikigai"), "%s", fixture_answer.error.text);
	fixture_execute("UPDATE ikigai_form SET version = 1");
}

Test(postgres, another_programs_database_is_left_alone)
{
	if (!server_is_there())
		return;
	fixture_execute("CREATE TABLE sessions(theirs integer)");
	fixture_wait(ik_store_newest(fixture.store, NULL, FIXTURE_READ));
	cr_assert_eq(fixture_answer.status, IK_DENIED);
	cr_assert(strstr(fixture_answer.error.text, "another program"), "%s",
		fixture_answer.error.text);
	fixture_execute("DROP TABLE sessions");
}

Test(postgres, json_that_its_types_do_not_hold_comes_back_to_the_letter)
{
	static const char *const data[] = {
		"{\"b\":1,\"a\":0.10,\"b\":2}", "{\"n\":1e999999999}",
		"{\"zero\":\"a\\u0000b\"}", "{\"function\":{\"name\":\"bash\",\"arguments\":\"{}\"}}",
	};
	enum { COUNT = sizeof(data) / sizeof(data[0]) };
	char id[IK_UUID_TEXT];
	size_t i;

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 0);
	for (i = 0; i < COUNT; i++) {
		struct ik_message *message = ik_message_new(IK_KIND_TOOL_CALL, "x", 1, data[i],
			strlen(data[i]));

		ik_store_append(fixture.store, id, message);
		ik_message_unref(message);
	}
	fixture_wait(ik_store_page(fixture.store, id, 0, 9, FIXTURE_READ));
	cr_assert_eq(fixture_answer.count, COUNT);
	for (i = 0; i < COUNT; i++)
		cr_assert_str_eq(fixture_answer.messages[i]->data, data[i]);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events WHERE kind = 'tool_call'"
		" AND data->'function'->>'name' = 'bash'"), 1);
}

Test(postgres, a_name_that_has_no_address_is_said)
{
	struct ik_error notice;
	char id[IK_UUID_TEXT];
	size_t lost;

	if (!server_is_there())
		return;
	fixture_close();
	snprintf(fixture.path, sizeof(fixture.path),
		"postgresql://ada:secret@nowhere.invalid/x?connect_timeout=2");
	fixture_open();
	fixture_session(id, "/x", 1);
	do {
		fixture_run();
	} while (!fixture.reason[0]);
	cr_assert(strstr(fixture.reason, "nowhere.invalid"), "%s", fixture.reason);
	cr_assert_null(strstr(fixture.reason, "secret"));
	fixture.store = ik_store_close(fixture.store, &lost, &notice);
	cr_assert_eq(lost, 0);
	cr_assert_eq(fixture_count_spool(true), 1);
}

/* ---- many sessions ---- */

/* Rows of sessions that were read one after the other, by all connections. */
#define SCANNED "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'sessions'"

/* What a chat does may not cost more, the more sessions others have. */
Test(postgres, no_work_on_the_index_reads_all_sessions)
{
	enum { SESSIONS = 20000 };
	struct ik_search_query query;
	struct ik_error error;
	int64_t before;
	char id[IK_UUID_TEXT];
	int round;

	if (!server_is_there())
		return;
	fixture_settle();
	fixture_execute("INSERT INTO sessions(id, directory, created_ms, updated_ms, event_count,"
		" last_sequence, searched) SELECT md5(n::text)::uuid, '/x', n, n, 5, 5, 5"
		" FROM generate_series(1, 20000) n");
	fixture_execute("VACUUM ANALYZE sessions");
	before = fixture_query(SCANNED);
	fixture_session(id, "/x", 3);
	cr_assert_eq(ik_search_query_read(&query, "2", 1, &error), IK_OK);
	for (round = 0; round < 5; round++) {
		fixture_append(id, IK_KIND_USER, "2");
		do {
			fixture_wait(ik_store_search(fixture.store, &query, NULL, NULL, 9, FIXTURE_READ));
		} while (fixture_answer.indexed < fixture_answer.events);
	}
	cr_expect_eq(fixture_answer.count, 6);
	fixture_close();
	/* A connection counts its work together when it ends. */
	while (fixture_query("SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'events'") < 8)
		;
	cr_expect_lt(fixture_query(SCANNED) - before, SESSIONS);
}

/* ---- holders that were killed ---- */

Test(postgres, the_rows_of_killed_holders_go)
{
	struct ik_lock *lock;
	char id[IK_UUID_TEXT];

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 1);
	fixture_settle();
	fixture_execute("INSERT INTO locks(session, holder, process, host, pid, expires)"
		" SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'elsewhere', 1,"
		" now() - n * interval '50 minutes' FROM generate_series(0, 9) n");
	lock = ik_lock_new(fixture.store, id, &silent, NULL);
	while (ik_lock_state(lock) != IK_LOCK_OURS)
		fixture_turn(2);
	(void)ik_lock_close(lock);
	fixture_close();
	/* The holder of one that ended within the last hour may only be late. */
	cr_expect_eq(fixture_query("SELECT count(*) FROM locks"), 2);
}
