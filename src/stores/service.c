#include "stores/service.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "json/write.h"
#include "stores/answers.h"
#include "stores/index.h"
#include "stores/intake.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"

/* Without anything to do for so long, the program ends: the next request starts another. */
#define IDLE_MS 5000
/* After a request nothing else is done for so long: another one may follow. */
#define PAUSE_MS 200
/* A database that could not be opened is left alone for so long: requests are answered meanwhile. */
#define RETRY_MS 1000
#define PROTOCOL_VERSION 1

/* A service at work. */
struct serving {
	const struct ik_service *service;
	struct ik_database *database;
	struct ik_connection *connection;
	struct ik_error away; /* why it could not be opened */
	int64_t retry_ms;     /* when to try again */
	bool converted;       /* files of earlier versions */
	bool tried;           /* to repair it for a read */
};

/* hello: which store this is, and who we are there. */
static void answer_hello(struct ik_database *database)
{
	struct ik_buf *line = ik_connection_begin(database->client);

	ik_json_printf(line, "'name':'%s','protocol':%d", ik_database_kind, PROTOCOL_VERSION);
	if (database->user)
		ik_json_printf(line, "'user':'%s'", database->user);
}

/* Open the database, unless it is open. */
static void open_database(struct serving *serving)
{
	struct ik_database *database = serving->database;
	struct ik_error *error = &database->error;

	if (ik_database_is_open(database))
		return;
	ik_database_close(database);
	if (ik_clock_ms() < serving->retry_ms) {
		*error = serving->away;
		return;
	}
	ik_database_open(database);
	if (error->status == IK_OK && !serving->converted) {
		serving->service->convert_old_files(database, database->journals[0]);
		serving->converted = true;
	}
	if (error->status == IK_NOT_FOUND) /* which means what was asked for, not the database */
		error->status = IK_IO;
	if (error->status == IK_OK)
		return;
	ik_database_close(database);
	serving->away = *error;
	serving->retry_ms = ik_clock_ms() + (error->status == IK_UNAVAILABLE ? RETRY_MS : 0);
}

static const struct ik_store_verb common_verbs[] = {
	{ "hello", answer_hello, IK_VERB_PLAIN },
	{ "take", ik_answer_take, IK_VERB_PLAIN },
	{ "sync", ik_answer_sync, IK_VERB_APART },
	{ "newest", ik_answer_newest, IK_VERB_LONG },
	{ "find", ik_answer_find, IK_VERB_LONG },
	{ "list", ik_answer_list, IK_VERB_LONG },
	{ "page", ik_answer_page, IK_VERB_LONG },
	{ "after", ik_answer_after, IK_VERB_LONG },
	{ "part", ik_answer_part, IK_VERB_LONG },
	{ "search", ik_answer_search, IK_VERB_LONG },
	{ "delete", ik_answer_delete, IK_VERB_LONG },
	{ NULL, NULL, IK_VERB_LONG },
};

static const struct ik_store_verb *find_verb(const struct ik_store_verb *verbs, const char *name)
{
	while (verbs->name && !ik_text_equal(verbs->name, name))
		verbs++;
	return verbs->name ? verbs : NULL;
}

/* Answer the current request; the database's error says how that ended. */
static void try_answer(struct serving *serving, const struct ik_store_verb *verb)
{
	struct ik_database *database = serving->database;

	database->error.status = IK_OK;
	database->damaged = false;
	if (verb->kind == IK_VERB_CLOSED)
		ik_database_close(database);
	else if (verb->kind != IK_VERB_APART)
		open_database(serving);
	if (ik_database_failed(database))
		return;
	database->interruptible = verb->kind == IK_VERB_LONG || verb->kind == IK_VERB_LOOK;
	verb->answer(database);
	database->interruptible = false;
}

/* Is the request to be tried again, since the database was damaged, and is repaired now? What is to be
 * stored needs that; a read must not cost what others can still read. */
static bool repair(struct serving *serving, const struct ik_store_verb *verb)
{
	struct ik_database *database = serving->database;
	struct ik_error failed = database->error;
	bool stores = ik_text_equal(verb->name, "take") && ik_intake_is_due(database), repaired;

	if (!database->damaged || !serving->service->repair || verb->kind == IK_VERB_LOOK ||
		(serving->tried && !stores))
		return false;
	serving->tried = true;
	ik_database_close(database);
	database->error.status = IK_OK;
	serving->service->repair(database, !stores);
	repaired = !ik_database_failed(database);
	database->error = failed;
	return repaired && !ik_connection_has_answered(serving->connection);
}

static void answer(struct serving *serving)
{
	const char *asked = ik_connection_text(serving->connection, "do"), *name = asked ? asked : "";
	const struct ik_store_verb *verb = find_verb(common_verbs, name);
	struct ik_error *error = &serving->database->error;

	if (!verb)
		verb = find_verb(serving->service->verbs, name);
	if (verb)
		try_answer(serving, verb);
	else
		ik_error_set(error, IK_INVALID, "There is no request \"%s\".", name);
	if (verb && error->status == IK_INVALID && repair(serving, verb))
		try_answer(serving, verb);
	ik_connection_finish(serving->connection, error);
}

/* Do some of what can wait; true: there is more. A search tells why, if it fails. */
static bool work(struct ik_database *database)
{
	database->error.status = IK_OK;
	return ik_database_is_open(database) && ik_index_some(database, true);
}

/* Answer requests until the client is gone, or nothing happens: false; do what can wait in between. */
static bool serve(struct serving *serving)
{
	bool working = true;

	for (;;) {
		enum ik_connection_news news = ik_connection_wait(serving->connection,
			working ? PAUSE_MS : IDLE_MS);

		if (news == IK_CONNECTION_REQUEST)
			answer(serving);
		else if (news == IK_CONNECTION_END || !working)
			return news == IK_CONNECTION_END;
		working = news == IK_CONNECTION_REQUEST;
		while (!working && work(serving->database) && !ik_connection_has_input(serving->connection))
			;
	}
}

/* A password in the environment must not show in /proc/PID/environ, where tools could read it. */
static void hide_environment(void)
{
	for (char **entry = environ; entry && *entry; entry++) {
		char *shown = *entry, *value = strchr(shown, '=');

		*entry = ik_strdup(shown);
		if (value)
			explicit_bzero(value + 1, strlen(value + 1));
	}
}

/* Read where the database is from the first line, {"database":"..."}; new memory, NULL: there was
 * none. */
static char *read_address(struct ik_connection *connection)
{
	const char *address = NULL;

	if (ik_connection_wait(connection, IDLE_MS) == IK_CONNECTION_REQUEST)
		address = ik_connection_text(connection, "database");
	return address ? ik_strdup(address) : NULL;
}

int ik_service_run(const struct ik_service *service, struct ik_database *database, int argc,
	char **argv)
{
	struct serving serving = { .service = service, .database = database };
	char *address = NULL;

	hide_environment();
	setlocale(LC_CTYPE, "");
	setlocale(LC_MESSAGES, "");
	bindtextdomain(PACKAGE, IK_LOCALEDIR);
	textdomain(PACKAGE);
	if (argc < 3) {
		(void)fprintf(stderr, "Usage: store-%s DATABASE JOURNALS...\n", ik_database_kind);
		return 2;
	}
	(void)signal(SIGPIPE, SIG_IGN);
	database->address = argv[1];
	database->journals = (const char *const *)argv + 2;
	serving.connection = ik_connection_new(STDIN_FILENO, STDOUT_FILENO);
	database->client = serving.connection;
	if (ik_text_equal(argv[1], "-"))
		database->address = address = read_address(serving.connection);
	if (!database->address) {
		(void)ik_connection_free(serving.connection);
		return 2;
	}
	if (serve(&serving)) {
		/* The client is gone, perhaps killed: store what it has left. */
		database->error.status = IK_OK;
		open_database(&serving);
		if (!ik_database_failed(database))
			ik_answer_take(database);
		if (!ik_database_failed(database) && service->end)
			service->end(database);
	}
	ik_database_close(database);
	(void)ik_connection_free(serving.connection);
	free(address);
	return ik_database_failed(database) ? 1 : 0;
}
