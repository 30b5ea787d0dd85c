#include "stores/service.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "json/write.h"
#include "stores/delete.h"
#include "stores/index.h"
#include "stores/intake.h"
#include "stores/read.h"
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
static enum ik_status answer_hello(struct ik_database *database, struct ik_error *error)
{
	struct ik_buf *line = ik_connection_begin(database->client);

	(void)error;
	ik_json_printf(line, "'name':'%s','protocol':%d", ik_database_kind, PROTOCOL_VERSION);
	if (database->user)
		ik_json_printf(line, "'user':'%s'", database->user);
	return IK_OK;
}

/* Open the database, unless it is open. */
static enum ik_status open_database(struct serving *serving, struct ik_error *error)
{
	struct ik_database *database = serving->database;
	enum ik_status status;

	if (ik_database_is_open(database))
		return IK_OK;
	ik_database_close(database);
	if (ik_clock_ms() < serving->retry_ms) {
		*error = serving->away;
		return error->status;
	}
	status = ik_database_open(database, error);
	if (status == IK_OK && !serving->converted)
		serving->service->convert_old_files(database, database->journals[0]);
	serving->converted = serving->converted || status == IK_OK;
	if (status == IK_NOT_FOUND) /* which means what was asked for, not the database */
		status = error->status = IK_IO;
	if (status != IK_OK) {
		ik_database_close(database);
		serving->away = *error;
		serving->retry_ms = ik_clock_ms() + (status == IK_UNAVAILABLE ? RETRY_MS : 0);
	}
	return status;
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

static enum ik_status answer_verb(struct serving *serving, const char *name, struct ik_error *error)
{
	struct ik_database *database = serving->database;
	const struct ik_store_verb *verb = find_verb(common_verbs, name);
	enum ik_status status = IK_OK;

	if (!verb)
		verb = find_verb(serving->service->verbs, name);
	if (!verb)
		return ik_error_set(error, IK_INVALID, "There is no request \"%s\".", name);
	if (verb->kind == IK_VERB_CLOSED)
		ik_database_close(database);
	else if (verb->kind != IK_VERB_APART)
		status = open_database(serving, error);
	if (status != IK_OK)
		return status;
	database->interruptible = verb->kind == IK_VERB_LONG;
	status = verb->answer(database, error);
	database->interruptible = false;
	return status;
}

/* Is the request to be tried again, since the database was damaged, and is repaired now? What is to be
 * stored needs that; a read must not cost what others can still read. */
static bool repair(struct serving *serving, const char *name)
{
	struct ik_database *database = serving->database;
	bool stores = ik_text_equal(name, "take") && ik_intake_is_due(database);
	struct ik_error ignored;

	if (!database->damaged || !serving->service->repair || (serving->tried && !stores))
		return false;
	serving->tried = true;
	ik_database_close(database);
	return serving->service->repair(database, !stores, &ignored) == IK_OK &&
		!ik_connection_has_answered(serving->connection);
}

static void answer(struct serving *serving)
{
	const char *name = ik_connection_verb(serving->connection);
	struct ik_error error = { .status = IK_OK };
	enum ik_status status;

	serving->database->damaged = false;
	status = answer_verb(serving, name, &error);
	if (status == IK_INVALID && repair(serving, name))
		status = answer_verb(serving, name, &error);
	ik_connection_finish(serving->connection, status, &error);
}

/* Do some of what can wait; true: there is more. */
static bool work(struct ik_database *database)
{
	struct ik_error error;
	bool more = false;

	/* A search tells why, if it fails. */
	return ik_database_is_open(database) && ik_index_some(database, true, &more, &error) == IK_OK &&
		more;
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
	struct ik_error error = { .status = IK_OK };
	enum ik_status status = IK_OK;
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
		status = open_database(&serving, &error);
		if (status == IK_OK)
			status = ik_answer_take(database, &error);
		if (status == IK_OK && service->end)
			service->end(database);
	}
	ik_database_close(database);
	(void)ik_connection_free(serving.connection);
	free(address);
	return status == IK_OK ? 0 : 1;
}
