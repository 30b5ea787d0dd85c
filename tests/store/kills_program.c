/*
 * kills_program: kill the real chat, its store program, or both with SIGKILL at random moments;
 * nothing that was shown is lost.
 *
 *     kills_program sqlite | postgres      $IK_TEST_KILLS runs (25); $IK_TEST_POSTGRES_ADMIN
 *
 * Each run is the program in a pseudo-terminal with the loopback server and a tool. It resumes
 * the session of the last run, which was killed too, gets a message, calls the tool twice, and a
 * moment after the screen showed one of MILESTONES a victim is killed. Where that is the store
 * program, the chat goes on to its last milestone and is killed there. What the user has seen by
 * then must be in the database or in a journal, and the database must be intact. The loopback server
 * refuses the next request if no service would accept it. $IK_TEST_SEED repeats a run. Some runs kill the
 * database server too ($IK_TEST_POSTGRES_CONTROL).
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <libpq-fe.h>
#include <sqlite3.h>

#include "tests/screen/place.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/text.h"

#define WAIT_MS 30000
/* Runs before a new session starts, and runs that end normally. */
#define RUNS_OF_A_SESSION 12
/* Limit on the time between milestone and kill. */
#define DELAY_MS 25

enum milestone { STARTED, DRAWN, SENT, ASKED, CALLED, ANSWERED, REPLIED, DONE, MILESTONES };

/* What is killed, in turn. */
enum victim { CHAT, STORE, BOTH, VICTIMS };

/* What a user can see of a run, and the kinds of events that store it. */
enum { USER, CALL, RESULT, REPLY, SIGHTS };
static const struct {
	const char *before, *after; /* the run's number, in the event and on the screen */
	const char *shown;          /* on the screen this before it; a tool that runs shows more */
	const char *kind;
} sights[SIGHTS] = {
	[USER] = { "ask-", ".", "> ", "user" },
	[CALL] = { "A", "a", "act command=", "tool_call" },
	[RESULT] = { "R", "a", "command: ", "tool_result" },
	[REPLY] = { "F", "x", "  ", "assistant" },
};

#define TOKEN 32
/* What stands for a sight of a run. */
static void make_token(char token[TOKEN], int sight, int number)
{
	(void)snprintf(token, TOKEN, "%s%04d%s", sights[sight].before, number, sights[sight].after);
}

struct kills {
	struct harness place;
	bool postgres;
	char *address; /* of the database; of SQLite: its path */
	int count;
	bool (*seen)[SIGHTS]; /* by run */
	int number;           /* of the run */
	int store_kills;      /* store programs that were there to be killed */
};

/* ---- the database, by a separate connection ---- */

static long ask_postgres(struct kills *kills, const char *text)
{
	PGconn *connection = PQconnectdb(kills->address);
	PGresult *result = PQexec(connection, text);
	long number = -1;

	if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) > 0)
		number = strtol(PQgetvalue(result, 0, 0), NULL, 10);
	else if (PQresultStatus(result) != PGRES_COMMAND_OK)
		(void)fail(&kills->place, "%s: %s", text, PQerrorMessage(connection));
	PQclear(result);
	PQfinish(connection);
	return number;
}

static long ask_sqlite(struct kills *kills, const char *text)
{
	sqlite3_stmt *statement = NULL;
	sqlite3 *db = NULL;
	long number = -1;

	if (sqlite3_open(kills->address, &db) == SQLITE_OK &&
		sqlite3_busy_timeout(db, 10000) == SQLITE_OK &&
		sqlite3_prepare_v2(db, text, -1, &statement, NULL) == SQLITE_OK &&
		sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_int64(statement, 0);
	else
		(void)fail(&kills->place, "%s: %s", text, sqlite3_errmsg(db));
	(void)sqlite3_finalize(statement);
	(void)sqlite3_close(db);
	return number;
}

/* One number. */
static long ask(struct kills *kills, const char *text)
{
	return kills->postgres ? ask_postgres(kills, text) : ask_sqlite(kills, text);
}

/* Are there the tables yet? */
static bool has_tables(struct kills *kills)
{
	if (kills->postgres)
		return ask(kills, "SELECT count(*) FROM pg_class WHERE relname = 'events'") > 0;
	return access(kills->address, F_OK) == 0 &&
		ask(kills, "SELECT count(*) FROM sqlite_schema WHERE name = 'events'") > 0;
}

/* How many events keep a sight. */
static long count_events(struct kills *kills, int sight, const char *token)
{
	char *text;
	long count;

	if (!has_tables(kills))
		return 0;
	text = ik_format("SELECT count(*) FROM events WHERE kind = '%s' AND (content LIKE '%%%s%%'"
					 " OR CAST(data_json AS text) LIKE '%%%s%%')",
		sights[sight].kind, token, token);
	count = ask(kills, text);
	free(text);
	return count;
}

/* Does a journal have it? */
static bool is_journaled(struct kills *kills, int sight, const char *token)
{
	char *command = ik_format("cat '%s'/journal/*/* 2>/dev/null", kills->place.ikigai_home);
	char *kind = ik_format("\"kind\":\"%s\"", sights[sight].kind), *line = NULL;
	FILE *stream = popen(command, "r");
	size_t capacity = 0;
	bool found = false;

	while (stream && getline(&line, &capacity, stream) >= 0)
		found = found || (strstr(line, kind) && strstr(line, token));
	if (stream)
		(void)pclose(stream);
	free(line);
	free(kind);
	free(command);
	return found;
}

/* Have the journals of the chat that was killed stored. */
static void store_journals(struct kills *kills)
{
	const char *build = getenv("IK_TOP_BUILDDIR");
	char *command = ik_format("IKIGAI_HOME='%s' '%s/ikigai' --database '%s' session list"
							  " >/dev/null 2>&1 </dev/null",
		kills->place.ikigai_home, build ? build : ".", kills->address);

	(void)!system(command);
	free(command);
}

/* ---- what the screen shows ---- */

/* Is it shown above the editor? */
static bool shows(struct kills *kills, const char *text)
{
	struct terminal *terminal = &kills->place.terminal;
	bool found = false;
	int row;

	for (row = 0; row < terminal->rows; row++) {
		const char *line = terminal_row(terminal, row);

		if (ik_text_starts(line, "────────"))
			return found;
		/* A call that still arrives (◌) is no event yet. */
		found = found || (strstr(line, text) && !ik_text_starts(line, "◌"));
	}
	return false; /* there is no editor, or half a frame */
}

static bool shows_anywhere(struct kills *kills, const char *text)
{
	int row;

	for (row = 0; row < kills->place.terminal.rows; row++) {
		if (strstr(terminal_row(&kills->place.terminal, row), text))
			return true;
	}
	return false;
}

static bool shows_sight(struct kills *kills, int sight)
{
	char token[TOKEN], line[2 * TOKEN];

	make_token(token, sight, kills->number);
	(void)snprintf(line, sizeof line, "%s%s", sights[sight].shown, token);
	return shows(kills, line);
}

/* Is the turn over? Its last word may be shown before. */
static bool is_done(struct kills *kills)
{
	return !shows_anywhere(kills, "Esc to stop") && shows_sight(kills, REPLY);
}

static bool reached(struct kills *kills, enum milestone milestone)
{
	switch (milestone) {
	case STARTED:
	case SENT:
		return true;
	case DRAWN:
		return shows_anywhere(kills, "────────");
	case ASKED:
		return shows_sight(kills, USER);
	case CALLED:
		return shows_sight(kills, CALL);
	case ANSWERED:
		return shows_sight(kills, RESULT);
	case REPLIED:
		return shows_sight(kills, REPLY);
	default:
		return is_done(kills);
	}
}

static bool wait_for(struct kills *kills, enum milestone milestone)
{
	int64_t end = ik_clock_ms() + WAIT_MS;

	while (!reached(kills, milestone)) {
		(void)terminal_pump(&kills->place.terminal, 20);
		if (shows_anywhere(kills, "REFUSED"))
			return fail(&kills->place, "the request of run %d was refused", kills->number);
		if (shows(kills, "· 0 events"))
			return fail(&kills->place, "run %d tells of events that there are none of",
				kills->number);
		if (ik_clock_ms() > end || kills->place.terminal.exited)
			return fail(&kills->place, "run %d never reached milestone %d", kills->number,
				milestone);
	}
	return true;
}

/* The end is judged by the database alone: let what waits for it arrive. */
static bool wait_until_stored(struct kills *kills)
{
	int64_t end = ik_clock_ms() + WAIT_MS;

	while (shows_anywhere(kills, "unsaved")) {
		(void)terminal_pump(&kills->place.terminal, 20);
		if (ik_clock_ms() > end)
			return fail(&kills->place, "what waits is never stored");
	}
	return true;
}

/* ---- a run ---- */

/* The session that was written to last, in new memory; NULL: there is none yet. */
static char *newest_session(struct kills *kills)
{
	char *id = NULL;

	store_journals(kills);
	if (!has_tables(kills))
		return NULL;
	if (kills->postgres) {
		PGconn *connection = PQconnectdb(kills->address);
		PGresult *result = PQexec(connection,
			"SELECT id FROM sessions WHERE event_count > 0 ORDER BY id DESC LIMIT 1");

		if (PQntuples(result) > 0)
			id = ik_strdup(PQgetvalue(result, 0, 0));
		PQclear(result);
		PQfinish(connection);
	} else {
		sqlite3_stmt *statement = NULL;
		sqlite3 *db = NULL;

		if (sqlite3_open(kills->address, &db) == SQLITE_OK &&
			sqlite3_busy_timeout(db, 10000) == SQLITE_OK &&
			sqlite3_prepare_v2(db,
				"SELECT id FROM sessions WHERE event_count > 0"
				" ORDER BY id DESC LIMIT 1",
				-1, &statement, NULL) == SQLITE_OK &&
			sqlite3_step(statement) == SQLITE_ROW)
			id = ik_strdup((const char *)sqlite3_column_text(statement, 0));
		(void)sqlite3_finalize(statement);
		(void)sqlite3_close(db);
	}
	return id;
}

static bool start(struct kills *kills)
{
	const char *build = getenv("IK_TOP_BUILDDIR");
	char *program = ik_path_join(build ? build : ".", "ikigai"), *resume = NULL;
	char *argv[] = { program, NULL, NULL };
	char *id = kills->number % RUNS_OF_A_SESSION ? newest_session(kills) : NULL;
	bool started;

	if (id)
		argv[1] = resume = ik_format("--resume=%s", id);
	started = terminal_start(&kills->place.terminal, argv, kills->place.variables,
		kills->place.work);
	free(resume);
	free(id);
	free(program);
	return started || fail(&kills->place, "cannot start: %s", strerror(errno));
}

static bool send_message(struct kills *kills)
{
	char *text = ik_format("\x03"
						   "ask-%04d.\r",
		kills->number); /* a draft may be there */
	bool sent = terminal_write(&kills->place.terminal, text, strlen(text));

	free(text);
	return sent || fail(&kills->place, "run %d takes no input", kills->number);
}

/* Stop the database's server as a crash does; it comes back while the chat goes on. */
static bool crash_server(struct kills *kills, const char *word)
{
	char *command = ik_format("%s %s", getenv("IK_TEST_POSTGRES_CONTROL"), word);
	int status = system(command);

	free(command);
	return status == 0 || fail(&kills->place, "the server: %s failed", word);
}

/* SIGKILL to the chat's store program, if there is one at this moment. */
static void kill_store(struct kills *kills)
{
	char *list = ik_format("/proc/%d/task/%d/children", (int)kills->place.terminal.pid,
		(int)kills->place.terminal.pid);
	FILE *children = fopen(list, "r");
	int child;

	while (children && fscanf(children, "%d", &child) == 1) {
		char *path = ik_format("/proc/%d/comm", child), name[32] = "";
		FILE *file = fopen(path, "r");

		if (file && fgets(name, sizeof name, file) && ik_text_starts(name, "store-") &&
			kill(child, SIGKILL) == 0)
			kills->store_kills++;
		if (file)
			(void)fclose(file);
		free(path);
	}
	if (children)
		(void)fclose(children);
	free(list);
}

/* SIGKILL, and all that it had written by then. */
static void kill_program(struct kills *kills)
{
	struct terminal *terminal = &kills->place.terminal;
	int64_t end = ik_clock_ms() + WAIT_MS;

	(void)kill(terminal->pid, SIGKILL);
	while (!terminal->exited && ik_clock_ms() < end)
		(void)terminal_pump(terminal, 5);
	while (terminal_pump(terminal, 0))
		;
}

/* What was seen of this run is kept. */
static bool check_kept(struct kills *kills)
{
	char token[TOKEN];
	int sight;

	for (sight = 0; sight < SIGHTS; sight++) {
		bool seen = sight == REPLY ? is_done(kills) : shows_sight(kills, sight);

		kills->seen[kills->number][sight] = seen;
		make_token(token, sight, kills->number);
		/* The other way round it might go from one to the other in between. */
		if (seen && !is_journaled(kills, sight, token) && count_events(kills, sight, token) == 0)
			return fail(&kills->place, "run %d: %s was seen and is not kept", kills->number, token);
	}
	return true;
}

static bool check_whole(struct kills *kills)
{
	if (kills->postgres || !has_tables(kills))
		return true;
	return ask(kills, "SELECT integrity_check = 'ok' FROM pragma_integrity_check") == 1 ||
		fail(&kills->place, "run %d: the database is damaged", kills->number);
}

/* Reach the milestones from one to another, and send the message on the way. */
static bool go_on(struct kills *kills, enum milestone first, enum milestone last, bool crash)
{
	for (enum milestone milestone = first; milestone <= last; milestone++) {
		if (milestone == SENT && !send_message(kills))
			return false;
		if (crash && milestone == CALLED && !crash_server(kills, "immediate"))
			return false;
		if (!wait_for(kills, milestone))
			return false;
	}
	return true;
}

/* One life of the program, with a kill after a milestone. */
static bool live(struct kills *kills, enum milestone last)
{
	bool crash = kills->postgres && kills->number % 10 == 8 && last >= ASKED &&
		kills->number < kills->count - 1,
		 good;
	/* While its server is away, there is only the chat to kill, and at the end all is to be stored. */
	enum victim victim = crash || kills->number == kills->count - 1
		? CHAT
		: (enum victim)(kills->number % VICTIMS);

	if (!start(kills) || !go_on(kills, STARTED, last, crash))
		return false;
	if (last != DONE)
		(void)terminal_pump(&kills->place.terminal, (int)(random() % DELAY_MS));
	if (victim != CHAT)
		kill_store(kills);
	if (victim == STORE && !go_on(kills, last + 1, DONE, false))
		return false;
	if (kills->number == kills->count - 1 && !wait_until_stored(kills))
		return false;
	kill_program(kills);
	good = !crash || crash_server(kills, "start");
	return good && check_kept(kills) && check_whole(kills);
}

/* ---- all of it ---- */

/* The server's answers: for each run two calls, then the end. The newest first: the texts of
 * the earlier runs stand in the requests, too. */
static bool serve(struct kills *kills)
{
	struct ik_buf text;
	int number;

	ik_buf_init(&text, 1 << 24);
	for (number = kills->count - 1; number >= 0; number--)
		ik_buf_printf(&text,
			"answer always\nwhen R%04db\nchat F%04dx\nsleep 3\nchat  done.\n"
			"finish stop\nusage 10 5\ndone\n"
			"answer always\nwhen ask-%04d.\nchat Let me\nsleep 2\nchat  look.\n"
			"call 0 call_%da act {\"command\":\"A%04da\"}\nsleep 2\n"
			"call 1 call_%db act {\"command\":\"A%04db\"}\n"
			"finish tool_calls\nusage 10 5\ndone\n",
			number, number, number, number, number, number, number);
	free(kills->place.body);
	kills->place.body = ik_buf_take(&text, NULL);
	return start_server(&kills->place);
}

static bool write_text(struct kills *kills, const char *directory, const char *name, mode_t mode,
	char *text)
{
	free(kills->place.body);
	kills->place.body = text;
	return write_file(&kills->place, directory, name, mode);
}

static bool set_up(struct kills *kills)
{
	struct harness *place = &kills->place;
	const char *admin = getenv("IK_TEST_POSTGRES_ADMIN");
	char *tools = ik_path_join(place->ikigai_home, "tools"), *url;
	bool good = write_text(kills, tools, "act", 0755,
		ik_strdup("#!/bin/sh\n"
				  "if [ \"$1\" = --schema ]; then echo "
				  "'{\"name\":\"act\",\"description\":\"Act.\",\"parameters\":"
				  "{\"command\":{\"type\":\"string\",\"description\":\"n\",\"required\":true}}}'; "
				  "exit; fi\n"
				  "sleep 0.005\ntr A R\n"));

	free(tools);
	if (kills->postgres) {
		char *address = ik_format("%s dbname=postgres", admin);

		kills->address = address;
		(void)ask(kills, "CREATE DATABASE kills");
		kills->address = ik_format("%s dbname=kills", admin);
		free(address);
	} else {
		kills->address = ik_path_join(place->ikigai_home, "ikigai.db");
	}
	if (!good || !serve(kills))
		return false;
	url = expand(place, "$SERVER");
	good = write_text(kills, place->ikigai_home, "config.json", 0600,
		ik_format("{\"database\":\"%s\","
				  "\"providers\":{\"loop\":{\"type\":\"openai-chat\",\"base_url\":\"%s/"
				  "v1\",\"model\":\"m\","
				  "\"context_window\":1000000}},\"provider\":\"loop\"}",
			kills->address, url));
	free(url);
	return good;
}

/* At the end all that was ever seen is there once, in order, and in no fork. */
static bool check_end(struct kills *kills)
{
	char token[TOKEN];
	int number, sight;

	for (number = 0; number < kills->count; number++) {
		for (sight = 0; sight < SIGHTS; sight++) {
			long count;

			make_token(token, sight, number);
			count = count_events(kills, sight, token);
			if (count > 1 || (count == 0 && kills->seen[number][sight]))
				return fail(&kills->place, "%s is there %ld times", token, count);
		}
	}
	if (ask(kills,
			"SELECT count(*) FROM (SELECT session FROM events GROUP BY session"
			" HAVING min(sequence) <> 1 OR max(sequence) <> count(*)) AS wrong") != 0)
		return fail(&kills->place, "the numbers of a session have gaps");
	if (ask(kills, "SELECT count(*) FROM sessions WHERE parent IS NOT NULL") != 0)
		return fail(&kills->place, "a session became a fork of itself");
	return true;
}

static bool run_all(struct kills *kills)
{
	for (kills->number = 0; kills->number < kills->count; kills->number++) {
		bool peaceful = kills->number == kills->count - 1;

		if (!live(kills, peaceful ? DONE : (enum milestone)(random() % MILESTONES)))
			return false;
	}
	return check_end(kills);
}

int main(int argc, char **argv)
{
	const char *count = getenv("IK_TEST_KILLS"), *seed = getenv("IK_TEST_SEED");
	struct kills kills = { .place.terminal.master = -1,
		.count = count ? (int)strtol(count, NULL, 10) : 25 };
	unsigned number = seed ? (unsigned)strtoul(seed, NULL, 10) : (unsigned)(time(NULL) ^ getpid());
	bool good;
	int row;

	if (argc != 2)
		return 99;
	kills.postgres = ik_text_equal(argv[1], "postgres");
	kills.seen = ik_alloc((size_t)kills.count * sizeof *kills.seen);
	srandom(number);
	make_place(&kills.place);
	set_variable(&kills.place, "LANGUAGE=C");
	terminal_init(&kills.place.terminal, 40, 80);
	good = set_up(&kills) && run_all(&kills);
	printf("%s - %s: %d kills lose nothing\n", good ? "ok" : "not ok", argv[1], kills.count - 1);
	printf("# %d store programs were killed\n", kills.store_kills);
	if (!good) {
		printf("# IK_TEST_SEED=%u: %s\n", number, kills.place.failure);
		for (row = 0; row < kills.place.terminal.rows; row++)
			printf("# |%s\n", terminal_row(&kills.place.terminal, row));
	}
	terminal_done(&kills.place.terminal);
	remove_place(&kills.place);
	free(kills.address);
	free(kills.seen);
	return !good;
}
