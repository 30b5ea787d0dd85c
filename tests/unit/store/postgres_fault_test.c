#include "server_fixture.h"
#include "store_fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "store/postgres/examine_postgres.h"
#include "store/search_query.h"
#include "util/alloc.h"
#include "util/limits.h"

/*
 * A server that is there, but does not do what it should, or says nothing of what it did: events
 * arrive once and in their order all the same, and until then the store says why they wait.
 */
TestSuite(postgres_fault, .init = server_set_up, .fini = fixture_tear_down);

/* Open the store anew, at another address of the same database; "": as before. */
static void open_at(const char *address)
{
	if (address[0])
		snprintf(fixture.path, sizeof(fixture.path), "%s", address);
	fixture_close();
	fixture_open();
}

/* ---- the answer to a commit is lost ---- */

static void lose_answers(bool half)
{
	char id[IK_UUID_TEXT];
	int round;

	server_relay(2, half);
	open_at("");
	fixture_session(id, "/x", 0);
	for (round = 0; round < 4; round++) {
		server_append_numbers(id, 3 * round + 1, 3 * round + 3);
		server_settle();
	}
	server_expect_numbers(id, 12);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 12);
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions"), 1);
	cr_assert_eq(fixture_count_spool(true), 0);
	cr_assert_eq(fixture.notices, 0, "%s", fixture.notice);
}

Test(postgres_fault, a_commit_whose_answer_is_lost)
{
	if (server_is_there())
		lose_answers(false);
}

Test(postgres_fault, a_commit_with_half_an_answer)
{
	if (server_is_there())
		lose_answers(true);
}

static void append_until_waiting(void *id)
{
	ik_store_continue(fixture.store, id, "/x", 2);
	server_append_numbers(id, 3, 6);
	while (!fixture.reason[0])
		fixture_run();
}

Test(postgres_fault, a_process_that_dies_between_commit_and_answer)
{
	char id[IK_UUID_TEXT];

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 2);
	fixture_close();
	server_relay(1000, false);
	fixture_die(append_until_waiting, id);
	cr_assert_eq(fixture_count_spool(true), 1);
	server_relay(0, false); /* the database has the same address */
	fixture_open();
	ik_store_continue(fixture.store, id, "/x", 2);
	/* They are there already, and the session is no fork of itself. */
	server_expect_numbers(id, 6);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 6);
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions"), 1);
	cr_assert_eq(fixture_count_spool(true), 0);
}

/* ---- what the server cannot do ---- */

/* From now on nothing can be stored, as this statement fails. */
static void break_events(const char *body)
{
	char *text = ik_format("CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS"
		" $$ BEGIN %s; RETURN NEW; END $$; CREATE TRIGGER trouble BEFORE INSERT ON events"
		" FOR EACH STATEMENT EXECUTE FUNCTION trouble()", body);

	fixture_execute(text);
	free(text);
}

static void mend_events(void)
{
	fixture_execute("DROP FUNCTION trouble CASCADE");
}

Test(postgres_fault, a_disk_that_is_full_by_its_code)
{
	char id[IK_UUID_TEXT];

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 1);
	fixture_settle();
	break_events("RAISE 'could not extend file' USING ERRCODE = '53100'");
	server_append_numbers(id, 2, 4);
	server_run_until_waiting(3, "disk");
	server_expect_numbers(id, 1); /* reading goes on */
	server_append_numbers(id, 5, 6);
	mend_events();
	server_settle();
	server_expect_numbers(id, 6);
}

/* Read while it waits, it is gone on with: nothing of it is another one's. */
Test(postgres_fault, what_an_earlier_process_could_not_store_comes_first)
{
	struct ik_message **messages;
	char id[IK_UUID_TEXT];
	size_t count, i;

	if (!server_is_there())
		return;
	fixture_session(id, "/x", 2);
	fixture_settle();
	fixture_close();
	break_events("RAISE 'could not extend file' USING ERRCODE = '53100'");
	fixture_die(append_until_waiting, id);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 2");
	ik_store_continue(fixture.store, id, "/x", 1);
	cr_expect_null(ik_store_left_behind(fixture.store, id, NULL, &count), "others went on with it");
	ik_store_continue(fixture.store, id, "/x", 2);
	messages = ik_store_left_behind(fixture.store, id, NULL, &count);
	cr_assert_eq(count, 4);
	for (i = 0; i < count; i++) {
		cr_expect_eq(messages[i]->content[0], (char)('3' + i));
		ik_message_unref(messages[i]);
	}
	free(messages);
	server_append_numbers(id, 7, 8);
	mend_events();
	server_settle();
	server_expect_numbers(id, 8);
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions"), 1);
	cr_assert_eq(fixture_count_spool(true), 0);
}

Test(postgres_fault, a_disk_that_is_full)
{
	const char *disk = getenv("IK_TEST_POSTGRES_DISK");
	char id[IK_UUID_TEXT], *text, *noise;
	size_t i;

	if (!server_is_there())
		return;
	if (!disk) {
		cr_log_info("no disk of its own");
		return;
	}
	fixture_session(id, "/x", 1);
	fixture_settle();
	text = ik_format("CREATE TABLESPACE small LOCATION '%s'", disk);
	fixture_execute(text);
	free(text);
	fixture_execute("ALTER TABLE events SET TABLESPACE small");
	/* More than the disk has, and not to be compressed. */
	noise = ik_alloc((2 << 20) + 1);
	for (i = 0; i < 2 << 20; i++)
		noise[i] = (char)('!' + random() % 90);
	fixture_append(id, IK_KIND_ASSISTANT, noise);
	free(noise);
	server_append_numbers(id, 2, 3);
	server_run_until_waiting(3, "is full");
	server_control("grow");
	server_settle();
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 4);
	cr_assert_eq(fixture_query("SELECT length(content) FROM events WHERE sequence = 2"), 2 << 20);
	cr_assert_eq(fixture_query("SELECT content FROM events WHERE sequence = 4"), 3);
	fixture_execute("ALTER TABLE events SET TABLESPACE pg_default");
	fixture_execute("DROP TABLESPACE small");
}

Test(postgres_fault, a_server_that_is_slow)
{
	char id[IK_UUID_TEXT];

	if (!server_is_there())
		return;
	ik_store_set_timeout(fixture.store, 1);
	fixture_session(id, "/x", 1);
	fixture_settle();
	break_events("PERFORM pg_sleep(600)");
	server_append_numbers(id, 2, 4);
	server_run_until_waiting(3, "takes too long");
	mend_events();
	server_settle();
	server_expect_numbers(id, 4);
	cr_assert_eq(fixture_query("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%'"
		" AND state = 'active' AND pid <> pg_backend_pid()"), 0);
}

Test(postgres_fault, a_server_that_is_frozen)
{
	char id[IK_UUID_TEXT];

	if (!server_is_there())
		return;
	ik_store_set_timeout(fixture.store, 1);
	fixture_session(id, "/x", 1);
	fixture_settle();
	/* It takes what is sent, but neither answers nor closes the connection. */
	server_control("freeze");
	server_append_numbers(id, 2, 4);
	server_run_until_waiting(3, "does not answer");
	server_append_numbers(id, 5, 5);
	server_control("thaw");
	/* What it was sent before is done now, too, perhaps at the same time. */
	server_settle();
	server_expect_numbers(id, 5);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 5);
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions"), 1);
	cr_assert_eq(fixture_count_spool(true), 0);
}

/* ---- a search that the index is too slow for ---- */

/* The server's process for the store. */
#define THE_PROCESS "SELECT max(pid) FROM pg_stat_activity WHERE datname = current_database()" \
	" AND pid <> pg_backend_pid() AND backend_type = 'client backend'"

/* Whoever has less than a second for a statement does not get through. */
static const char slow_index[] =
	"ALTER TABLE search RENAME TO words_of_events;"
	"INSERT INTO words_of_events SELECT session, 10 + n, time - 1000000, '' FROM words_of_events,"
	" generate_series(1, 3000) n WHERE sequence = 1;"
	"CREATE FUNCTION slow() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
	" IF current_setting('statement_timeout')::interval < interval '1 second' THEN"
	"  PERFORM pg_sleep(600);"
	" END IF; RETURN true; END $$;"
	"CREATE VIEW search AS SELECT * FROM words_of_events WHERE (SELECT slow())";

Test(postgres_fault, an_index_that_is_too_slow_costs_no_connection)
{
	struct ik_search_query query;
	struct ik_error error;
	char id[IK_UUID_TEXT];
	int64_t process;

	if (!server_is_there())
		return;
	cr_assert_eq(ik_search_query_read(&query, "2", 1, &error), IK_OK);
	fixture_session(id, "/x", 3);
	do {
		fixture_wait(ik_store_search(fixture.store, &query, NULL, NULL, 9, FIXTURE_READ));
	} while (fixture_answer.indexed < fixture_answer.events ||
	         fixture_query("SELECT count(*) FROM search") < 3);
	fixture_execute(slow_index);
	process = fixture_query(THE_PROCESS);
	fixture_wait(ik_store_search(fixture.store, &query, NULL, NULL, 9, FIXTURE_READ));
	cr_expect_eq(fixture_answer.status, IK_OK, "%s", fixture_answer.error.text);
	cr_expect_eq(fixture_answer.count, 1);
	cr_expect_eq(fixture_query(THE_PROCESS), process);
}

/* ---- large texts ---- */

/* The length of a large text, as far as it is stored; its bytes are known to be right. */
static size_t stored_length(const char *id)
{
	const struct fixture_answer *answer = &fixture_answer;
	size_t length = 0, part = 0, i;

	for (;; part++) {
		fixture_wait(ik_store_read_part(fixture.store, id, part, FIXTURE_READ));
		if (answer->status != IK_OK)
			return length;
		for (i = 0; i < answer->bytes.length; i++, length++)
			cr_assert_eq(answer->bytes.data[i], (char)('a' + length % 23 + length / IK_LIMIT_PART));
	}
}

static void put_text(const char *id, size_t length)
{
	struct ik_bytes *bytes;
	struct ik_buf text;
	size_t i;

	ik_buf_init(&text, length);
	for (i = 0; i < length; i++)
		ik_buf_putc(&text, (char)('a' + i % 23 + i / IK_LIMIT_PART));
	bytes = ik_bytes_take(&text);
	ik_store_put_blob(fixture.store, id, bytes);
	ik_bytes_unref(bytes);
}

enum { LENGTH = 3 * IK_LIMIT_PART + 17 };

static void put_two_texts(void *ids)
{
	char (*texts)[IK_UUID_TEXT] = ids;

	put_text(texts[0], LENGTH);
	put_text(texts[1], 5);
	fixture_turn(20);
}

Test(postgres_fault, large_texts_survive_with_the_server_away)
{
	char id[IK_UUID_TEXT], texts[3][IK_UUID_TEXT];
	struct ik_error notice;
	size_t i, lost;

	if (!server_is_there())
		return;
	for (i = 0; i < 3; i++)
		ik_uuid_new(texts[i]);
	fixture_session(id, "/x", 1);
	fixture_close();
	server_control("stop");
	/* One process is killed, another one ends in peace. */
	fixture_die(put_two_texts, texts);
	cr_assert_eq(fixture_count_spool(true), 1);
	fixture_open();
	put_text(texts[2], LENGTH);
	fixture.store = ik_store_close(fixture.store, &lost, &notice);
	cr_assert_eq(notice.status, IK_UNAVAILABLE, "%s", notice.text);
	cr_assert(strstr(notice.text, fixture.spool), "%s", notice.text);
	cr_assert_eq(fixture_count_spool(true), 2);
	server_control("start");
	fixture_open();
	fixture_settle();
	cr_assert_eq(stored_length(texts[0]), LENGTH); /* wherever it is by now */
	fixture_query_until("SELECT count(*) FROM blobs", 9);
	fixture_close();
	cr_assert_eq(fixture_count_spool(false), 0);
	fixture_open();
	cr_assert_eq(stored_length(texts[0]), LENGTH);
	cr_assert_eq(stored_length(texts[1]), 5);
	cr_assert_eq(stored_length(texts[2]), LENGTH);
	cr_assert_eq(fixture_query("SELECT count(*) FROM blobs"), 9);
}

/* ---- another server takes its place ---- */

/* Until then what was stored is on the standby, too. */
static void wait_for_standby(void)
{
	fixture_execute("DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_stat_replication"
		" WHERE replay_lsn >= pg_current_wal_lsn()) LOOP PERFORM pg_sleep(0.02); END LOOP; END $$");
}

/* The standby by itself, where events cannot be stored yet: they stay in the spool. */
static void write_to_standby(const char *session, const char *standby)
{
	struct ik_error notice;
	size_t lost;

	open_at(standby);
	ik_store_continue(fixture.store, session, "/x", 1);
	server_append_numbers(session, 2, 2);
	server_run_until_waiting(1, "only be read");
	server_expect_numbers(session, 1);
	fixture.store = ik_store_close(fixture.store, &lost, &notice);
	cr_assert_eq(lost, 0);
	cr_assert_eq(notice.status, IK_UNAVAILABLE, "%s", notice.text);
	fixture.waiting = 0;
	fixture.reason[0] = '\0';
}

/* A port of this machine on which connections are accepted by the kernel and never answered, as by
 * a server that hangs; *ret_listener keeps it. */
static int silent_port(int *ret_listener)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);

	*ret_listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(bind(*ret_listener, (struct sockaddr *)&address, length), 0);
	cr_assert_eq(listen(*ret_listener, 8), 0);
	cr_assert_eq(getsockname(*ret_listener, (struct sockaddr *)&address, &length), 0);
	return ntohs(address.sin_port);
}

/* The server over TCP, after a host on another port of this machine. */
static void open_after(int port, const char *more)
{
	char *address = ik_format("host=127.0.0.1,127.0.0.1 port=%d,%s user=ikigai password=secret"
		" dbname=%s %s", port, getenv("IK_TEST_POSTGRES_PORT"), fixture.database, more);

	open_at(address);
	free(address);
}

static void expect_stored(void)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 3);
	server_settle();
	server_expect_numbers(id, 3);
	cr_expect_eq(fixture_query("SELECT count(*) FROM events"), 3);
}

static void on_examined(void *arg, const struct ik_postgres_facts *facts,
	const struct ik_error *error)
{
	bool *found = arg;

	cr_expect_not_null(facts, "%s", error ? error->text : "");
	*found = facts != NULL;
	ik_loop_stop(fixture.loop);
}

/* doctor asks by a connection of its own. */
static void expect_examined(void)
{
	struct ik_postgres_examine *examine;
	bool found = false;

	examine = ik_postgres_examine_start(fixture.loop, fixture.path, 10000, on_examined, &found);
	fixture_run();
	cr_expect(found);
	(void)ik_postgres_examine_close(examine);
}

/* The library closes the first socket, and the second one gets the same number. */
Test(postgres_fault, a_first_host_that_refuses_over_tcp)
{
	int listener, port;

	if (!server_is_there())
		return;
	port = silent_port(&listener);
	close(listener);
	open_after(port, "");
	expect_stored();
	expect_examined();
}

Test(postgres_fault, a_first_host_that_is_silent)
{
	int listener, port;

	if (!server_is_there())
		return;
	port = silent_port(&listener);
	open_after(port, "connect_timeout=1");
	expect_stored();
	expect_examined();
	close(listener);
}

/* The library tells of where it connects in a form of its own. */
Test(postgres_fault, a_silent_host_with_its_address_in_another_form)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char *text;

	if (!server_is_there() || bind(listener, (struct sockaddr *)&address, length) != 0)
		return;
	cr_assert_eq(listen(listener, 8), 0);
	cr_assert_eq(getsockname(listener, (struct sockaddr *)&address, &length), 0);
	text = ik_format("host=0:0:0:0:0:0:0:1,127.0.0.1 port=%d,%s user=ikigai password=secret dbname=%s"
		" connect_timeout=1", ntohs(address.sin6_port), getenv("IK_TEST_POSTGRES_PORT"),
		fixture.database);
	open_at(text);
	free(text);
	expect_stored();
	expect_examined();
	close(listener);
}

/* At the end of the program, when the loop does not turn any more. */
Test(postgres_fault, a_first_host_that_is_silent_as_the_program_ends)
{
	char id[IK_UUID_TEXT];
	int listener, port;

	if (!server_is_there())
		return;
	port = silent_port(&listener);
	open_after(port, "connect_timeout=1");
	fixture_session(id, "/x", 3);
	fixture_close();
	cr_expect_eq(fixture_query("SELECT count(*) FROM events"), 3);
	close(listener);
}

Test(postgres_fault, a_standby_that_is_promoted)
{
	const char *sockets = getenv("IK_TEST_POSTGRES_SOCKETS"), *port = getenv("IK_TEST_POSTGRES_PORT");
	char early[IK_UUID_TEXT], id[IK_UUID_TEXT], *place, *hosts, *standby, *both;

	if (!server_is_there())
		return;
	fixture_session(early, "/x", 1);
	fixture_settle();
	server_control("standby");
	wait_for_standby();
	place = ik_format("%s/standby", sockets);
	hosts = ik_format("%s,%s", sockets, place);
	standby = server_address_of(place, port);
	both = server_address_of(hosts, port);
	write_to_standby(early, standby);

	/* Of the two the one that can be written is taken. */
	snprintf(fixture.path, sizeof(fixture.path), "%s target_session_attrs=read-write", both);
	fixture_open();
	fixture_session(id, "/x", 3);
	fixture_settle();
	wait_for_standby();
	server_control("immediate");
	server_append_numbers(id, 4, 6);
	do {
		fixture_run();
	} while (fixture.waiting != 3 || !fixture.reason[0]);
	cr_assert(strstr(fixture.reason, "cannot be reached"), "%s", fixture.reason);
	server_control("promote");
	server_append_numbers(id, 7, 7);
	server_settle();
	server_expect_numbers(id, 7);

	/* And the next one at the standby's own address takes in what waits for it. */
	open_at(standby);
	server_expect_numbers(early, 2);
	fixture_close();
	cr_assert_eq(fixture_count_spool(true), 0);
	server_control("start");
	free(place);
	free(hosts);
	free(standby);
	free(both);
}
