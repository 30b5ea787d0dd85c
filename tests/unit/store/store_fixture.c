#include "store_fixture.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <libpq-fe.h>
#include <sqlite3.h>

#include "util/alloc.h"
#include "util/clock.h"

struct fixture fixture;

static void on_state(void *arg, size_t waiting, const char *message)
{
	fixture.waiting = waiting;
	snprintf(fixture.reason, sizeof(fixture.reason), "%s", message);
	if (fixture.stop_when_stored ? waiting == 0 : waiting > 0)
		ik_loop_stop(fixture.loop);
}

static void on_notice(void *arg, const char *sentence)
{
	fixture.notices++;
	snprintf(fixture.notice, sizeof(fixture.notice), "%s", sentence);
	ik_loop_stop(fixture.loop);
}

static void on_fork(void *arg, const char *from, const char *to)
{
	snprintf(fixture.forked, sizeof(fixture.forked), "%s", to);
}

struct ik_store *fixture_open_another(void)
{
	const char *build = getenv("IK_TOP_BUILDDIR");
	char *programs = ik_format("%s/libexec/stores", build ? build : ".");
	const struct ik_store_options options = {
		.database = fixture.path,
		.journals = fixture.journals,
		.spare = fixture.spare[0] ? fixture.spare : NULL,
		.programs = programs,
		.patience_s = 20,
	};
	struct ik_error error;
	struct ik_store *store = ik_store_open(fixture.loop, &options, &error);

	cr_assert_not_null(store, "%s", error.text);
	free(programs);
	return store;
}

void fixture_open(void)
{
	static const struct ik_store_events events = {
		.state = on_state,
		.notice = on_notice,
		.forked = on_fork,
	};

	fixture.store = fixture_open_another();
	ik_store_listen(fixture.store, &events, NULL);
}

void fixture_close(void)
{
	size_t lost;
	struct ik_error notice;

	fixture.store = ik_store_close(fixture.store, &lost, &notice);
	cr_assert_eq(lost, 0);
	cr_assert_eq(notice.status, IK_OK, "%s", notice.text);
}

void fixture_run(void)
{
	struct ik_error error;

	cr_assert_eq(ik_loop_run(fixture.loop, &error), IK_OK, "%s", error.text);
}

/* ---- other processes ---- */

pid_t fixture_live(void (*fn)(void *arg), void *arg)
{
	struct ik_error error;
	int told[2];
	char byte;
	pid_t pid;

	cr_assert_eq(pipe(told), 0);
	pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)close(told[0]);
		fixture.loop = ik_loop_new(&error); /* the kernel's part of the old one is the parent's, too */
		fixture_open();
		fn(arg);
		(void)!write(told[1], "", 1);
		for (;;)
			(void)pause();
	}
	cr_assert_gt(pid, 0);
	(void)close(told[1]);
	cr_assert_eq(read(told[0], &byte, 1), 1, "the other process died too early");
	(void)close(told[0]);
	return pid;
}

void fixture_kill(pid_t pid)
{
	int status;

	cr_assert_eq(kill(pid, SIGKILL), 0);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
}

void fixture_die(void (*fn)(void *arg), void *arg)
{
	fixture_kill(fixture_live(fn, arg));
}

/* ---- PostgreSQL ---- */

/* The next answer; NULL: that was all. What it waits for may be the store's own connection, in the
 * middle of something: then that goes on. */
static PGresult *next_result(PGconn *connection)
{
	struct pollfd wire = { .fd = PQsocket(connection), .events = POLLIN };

	while (PQisBusy(connection)) {
		if (poll(&wire, 1, fixture.store ? 300 : -1) == 0)
			fixture_turn(2);
		else
			cr_assert_eq(PQconsumeInput(connection), 1, "%s", PQerrorMessage(connection));
	}
	return PQgetResult(connection);
}

/* Run statements on a connection of its own; the first number that the last one gives. */
static int64_t ask_server(const char *address, const char *text)
{
	PGconn *connection = PQconnectdb(address);
	PGresult *result, *next;
	int64_t number = 0;

	cr_assert_eq(PQstatus(connection), CONNECTION_OK, "%s", PQerrorMessage(connection));
	cr_assert_eq(PQsendQuery(connection, text), 1, "%s", PQerrorMessage(connection));
	for (result = NULL; (next = next_result(connection)) != NULL; result = next)
		PQclear(result);
	cr_assert(PQresultStatus(result) == PGRES_TUPLES_OK || PQresultStatus(result) == PGRES_COMMAND_OK,
		"%s: %s", text, PQerrorMessage(connection));
	if (PQntuples(result) > 0)
		number = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
	PQclear(result);
	PQfinish(connection);
	return number;
}

/* The address of this test's database, from that of any. */
static void make_address(const char *pattern)
{
	const char *mark = strstr(pattern, "%s");

	cr_assert_not_null(mark);
	snprintf(fixture.path, sizeof(fixture.path), "%.*s%s%s", (int)(mark - pattern), pattern,
		fixture.database, mark + 2);
}

/* Make a database of its own for the test, where a server is there for it. */
static void set_up_server(void)
{
	const char *pattern = getenv("IK_TEST_POSTGRES"), *admin = getenv("IK_TEST_POSTGRES_ADMIN");
	char *text;

	fixture.server = pattern && pattern[0];
	if (!fixture.server)
		return;
	snprintf(fixture.admin, sizeof(fixture.admin), "%s", admin);
	/* A process ID comes again, and what an earlier one left may still be there. */
	snprintf(fixture.database, sizeof(fixture.database), "t%d_%lld", (int)getpid(),
		(long long)ik_clock_ms());
	make_address(pattern);
	text = ik_format("CREATE DATABASE %s", fixture.database);
	(void)ask_server(fixture.admin, text);
	free(text);
}

static void tear_down_server(void)
{
	char *text;

	if (!fixture.server)
		return;
	text = ik_format("DROP DATABASE %s WITH (FORCE)", fixture.database);
	(void)ask_server(fixture.admin, text);
	free(text);
}

/* The database without what stands between. */
static char *direct_address(void)
{
	return ik_format("%s dbname=%s", fixture.admin, fixture.database);
}

/* Another connection to the file. It waits for who is just leaving: that keeps all out for a moment. */
static void open_beside(sqlite3 **ret_db)
{
	cr_assert_eq(sqlite3_open(fixture.path, ret_db), SQLITE_OK);
	cr_assert_eq(sqlite3_busy_timeout(*ret_db, 10000), SQLITE_OK);
}

void fixture_execute(const char *text)
{
	sqlite3 *db;

	if (fixture.server) {
		char *address = direct_address();

		(void)ask_server(address, text);
		free(address);
		return;
	}
	open_beside(&db);
	cr_assert_eq(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
	sqlite3_close(db);
}

void fixture_settle(void)
{
	if (fixture.store)
		(void)fixture_wait(ik_store_list(fixture.store, NULL, 0, "", 1, FIXTURE_READ));
}

void fixture_set_up(void)
{
	struct ik_error error;

	strcpy(fixture.directory, "/tmp/ik-store-XXXXXX");
	cr_assert_not_null(mkdtemp(fixture.directory));
	snprintf(fixture.path, sizeof(fixture.path), "%s/ikigai.db", fixture.directory);
	snprintf(fixture.journals, sizeof(fixture.journals), "%s/journal", fixture.directory);
	set_up_server();
	setenv("TMPDIR", fixture.directory, 1);
	fixture.loop = ik_loop_new(&error);
	cr_assert_not_null(fixture.loop);
	fixture_open();
}

void fixture_tear_down(void)
{
	char *command;

	fixture_answer_done();
	if (fixture.store)
		fixture_close();
	ik_loop_free(fixture.loop);
	tear_down_server();
	command = ik_format("rm -rf %s", fixture.directory);
	cr_assert_eq(system(command), 0);
	free(command);
}

void fixture_append(const char *session, enum ik_kind kind, const char *content)
{
	struct ik_message *message = ik_message_new(kind, content, strlen(content), NULL, 0);

	ik_store_append(fixture.store, session, message);
	ik_message_unref(message);
}

void fixture_session(char id[IK_UUID_TEXT], const char *where, int count)
{
	int i;

	ik_uuid_new(id);
	ik_store_begin(fixture.store, id, where);
	for (i = 1; i <= count; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%d", i);
		fixture_append(id, IK_KIND_USER, text);
	}
}

/* ---- reading ---- */

struct fixture_answer fixture_answer;

void fixture_answer_done(void)
{
	size_t i;

	for (i = 0; i < sizeof(fixture_answer.sessions) / sizeof(fixture_answer.sessions[0]); i++) {
		free(fixture_answer.sessions[i].title);
		free(fixture_answer.sessions[i].directory);
	}
	for (i = 0; fixture_answer.messages && i < fixture_answer.count; i++)
		ik_message_unref(fixture_answer.messages[i]);
	free(fixture_answer.messages);
	ik_buf_done(&fixture_answer.bytes);
	fixture_answer = (struct fixture_answer){ .count = 0 };
}

void fixture_take(void *arg, const struct ik_store_answer *from)
{
	struct fixture_answer *answer = arg;
	size_t i;

	fixture_answer_done();
	answer->status = from->status;
	answer->error = from->error;
	answer->count = from->count;
	for (i = 0; from->sessions && i < from->count; i++) {
		cr_assert_lt(i, sizeof(answer->sessions) / sizeof(answer->sessions[0]));
		answer->sessions[i] = from->sessions[i];
		answer->sessions[i].title = ik_strdup(from->sessions[i].title);
		answer->sessions[i].directory = ik_strdup(from->sessions[i].directory);
	}
	if (from->messages)
		answer->messages = ik_alloc_array(NULL, from->count + 1, sizeof(struct ik_message *));
	for (i = 0; from->messages && i < from->count; i++)
		answer->messages[i] = ik_message_ref(from->messages[i]);
	ik_buf_init(&answer->bytes, 1 << 20);
	ik_buf_append(&answer->bytes, from->bytes, from->length);
	(void)snprintf(answer->row, sizeof(answer->row), "%s", from->row ? from->row : "");
	answer->more = from->row;
	fixture.answered = true;
	ik_loop_stop(fixture.loop);
}

const struct fixture_answer *fixture_wait(struct ik_store_read *read)
{
	cr_assert_not_null(read);
	fixture.answered = false;
	while (!fixture.answered)
		fixture_run();
	return &fixture_answer;
}

/* Deferred. */
static void count_turn(void *arg)
{
	int *left = arg;

	if (--*left > 0)
		ik_loop_defer(fixture.loop, count_turn, left);
	else
		ik_loop_stop(fixture.loop);
}

void fixture_turn(int times)
{
	int left = times;

	ik_loop_defer(fixture.loop, count_turn, &left);
	while (left > 0)
		fixture_run();
}

/* The contents of a page with blanks between, in new memory. */
static char *page(const char *session, int64_t before, size_t count)
{
	const struct fixture_answer *answer = fixture_wait(ik_store_page(fixture.store, session,
		before, count, FIXTURE_READ));
	struct ik_buf text;
	int64_t last = 0;
	size_t i;

	ik_buf_init(&text, 1 << 20);
	cr_assert_eq(answer->status, IK_OK, "%s", answer->error.text);
	for (i = 0; i < answer->count; i++) {
		ik_buf_printf(&text, "%s%s", i ? " " : "", answer->messages[i]->content);
		cr_assert_gt(answer->messages[i]->sequence, last);
		last = answer->messages[i]->sequence;
	}
	return ik_buf_take(&text, NULL);
}

void fixture_expect_page(const char *session, int64_t before, size_t count, const char *wanted)
{
	char *text = page(session, before, count);

	cr_assert_str_eq(text, wanted);
	free(text);
}

int64_t fixture_query(const char *text)
{
	fixture_settle();
	return fixture_look(text);
}

int64_t fixture_look(const char *text)
{
	sqlite3_stmt *statement;
	int64_t number;
	sqlite3 *db;

	if (fixture.server) {
		char *address = direct_address();

		number = ask_server(address, text);
		free(address);
		return number;
	}
	open_beside(&db);
	cr_assert_eq(sqlite3_prepare_v2(db, text, -1, &statement, NULL), SQLITE_OK, "%s",
		sqlite3_errmsg(db));
	cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
	number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return number;
}

void fixture_query_until(const char *text, int64_t least)
{
	while (fixture_query(text) < least)
		fixture_turn(2);
}

size_t fixture_count_journals(void)
{
	char *command = ik_format("find %s -type f | wc -l", fixture.journals);
	FILE *stream = popen(command, "r");
	size_t count = 0;

	cr_assert_eq(fscanf(stream, "%zu", &count), 1);
	pclose(stream);
	free(command);
	return count;
}
