#include "stores/service.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "json/write.h"
#include "util/clock.h"
#include "util/text.h"

/* Without anything to do for so long, the program ends: the next request starts another. */
#define IDLE_MS 10000
/* A database that could not be opened is left alone for so long: requests are answered meanwhile. */
#define RETRY_MS 1000
#define PROTOCOL_VERSION 1

/* A service at work. */
struct serving {
	const struct ik_service *service;
	void *store;
	struct ik_connection *connection;
	const char *database, *journals;
	struct ik_error away; /* why it could not be opened */
	int64_t retry_ms;     /* when to try again */
};

static void put_number(struct ik_buf *line, const char *name, int64_t number)
{
	ik_json_key(line, name);
	ik_json_put_integer(line, number);
}

/* hello: which store this is. */
static enum ik_status answer_hello(struct serving *serving)
{
	struct ik_buf *line = ik_connection_begin(serving->connection);

	ik_json_key(line, "name");
	ik_json_put_text(line, serving->service->name);
	put_number(line, "protocol", PROTOCOL_VERSION);
	return IK_OK;
}

/* The member "journal", the name of a file; NULL where it is anything else. */
static const char *journal_name(struct serving *serving)
{
	const char *name = ik_connection_text(serving->connection, "journal");

	return name && !strchr(name, '/') ? name : NULL;
}

static enum ik_status no_journal(struct serving *serving, struct ik_error *error)
{
	const char *name = ik_connection_text(serving->connection, "journal");

	return ik_error_set(error, IK_INVALID, "\"%s\" is not the name of a journal.",
		name ? name : "");
}

/* take {journal}: store what is new in it, or in all whose writers are gone. */
static enum ik_status answer_take(struct serving *serving, struct ik_error *error)
{
	struct ik_json_span member = ik_connection_member(serving->connection, "journal");
	struct ik_journal_position position;
	enum ik_status status;
	struct ik_buf *line;

	if (ik_json_span_type(member) == IK_JSON_NONE)
		return ik_intake_all(serving->service->intake, serving->store, serving->journals, error);
	if (!journal_name(serving))
		return no_journal(serving, error);
	status = ik_intake_journal(serving->service->intake, serving->store, serving->journals,
		journal_name(serving), &position, error);
	if (status != IK_OK)
		return status;
	line = ik_connection_begin(serving->connection);
	put_number(line, "place", position.place);
	put_number(line, "sequence", position.sequence);
	ik_json_key(line, "session");
	ik_json_put_text(line, position.stored_as);
	put_number(line, "damaged", position.damaged);
	return IK_OK;
}

/* sync {journal}: have on disk what was written to it so far. */
static enum ik_status answer_sync(struct serving *serving, struct ik_error *error)
{
	struct ik_journal_reader *reader = NULL;
	enum ik_status status;

	if (!journal_name(serving))
		return no_journal(serving, error);
	status = ik_journal_reader_open(serving->journals, journal_name(serving), &reader, error);
	if (status == IK_OK)
		status = ik_journal_reader_sync(reader, error);
	(void)ik_journal_reader_close(reader);
	return status;
}

/* Open the database, unless it is open. */
static enum ik_status open_store(struct serving *serving, struct ik_error *error)
{
	enum ik_status status;

	if (serving->service->is_open(serving->store))
		return IK_OK;
	serving->service->close(serving->store);
	if (ik_clock_ms() < serving->retry_ms) {
		*error = serving->away;
		return error->status;
	}
	status = serving->service->open(serving->store, serving->database, serving->connection, error);
	if (status != IK_OK) {
		serving->service->close(serving->store);
		serving->away = *error;
		serving->retry_ms = ik_clock_ms() + (status == IK_UNAVAILABLE ? RETRY_MS : 0);
	}
	return status;
}

static enum ik_status answer_verb(struct serving *serving, const char *name, struct ik_error *error)
{
	const struct ik_service *service = serving->service;
	enum ik_status status;

	for (size_t i = 0; i < service->verb_count; i++) {
		if (!ik_text_equal(service->verbs[i].name, name))
			continue;
		service->interruptible(serving->store, service->verbs[i].reads);
		status = service->verbs[i].answer(serving->store, error);
		service->interruptible(serving->store, false);
		return status;
	}
	return ik_error_set(error, IK_INVALID, "There is no request \"%s\".", name);
}

static void answer(struct serving *serving)
{
	const char *name = ik_connection_verb(serving->connection);
	struct ik_error error = { .status = IK_OK };
	enum ik_status status;

	if (ik_text_equal(name, "sync")) /* needs no database */
		status = answer_sync(serving, &error);
	else if ((status = open_store(serving, &error)) != IK_OK)
		;
	else if (ik_text_equal(name, "hello"))
		status = answer_hello(serving);
	else if (ik_text_equal(name, "take"))
		status = answer_take(serving, &error);
	else
		status = answer_verb(serving, name, &error);
	ik_connection_finish(serving->connection, status, &error);
}

/* Answer requests until the client is gone or nothing happens; do what can wait in between. */
static void serve(struct serving *serving)
{
	const struct ik_service *service = serving->service;
	bool working = false;

	for (;;) {
		int other = service->watched ? service->watched(serving->store) : -1;
		int wait_ms = working ? 0 : other >= 0 ? -1 : IDLE_MS;
		enum ik_connection_news news = ik_connection_wait(serving->connection, other, wait_ms);

		if (news == IK_CONNECTION_REQUEST)
			answer(serving);
		else if (news == IK_CONNECTION_END || (news == IK_CONNECTION_IDLE && !working))
			return;
		if (news != IK_CONNECTION_OTHER)
			working = service->is_open(serving->store) && service->work(serving->store);
		/* Last: whatever was asked above may have read what the database says by itself, too. */
		if (service->heard)
			service->heard(serving->store);
	}
}

int ik_service_run(const struct ik_service *service, void *store, int argc, char **argv)
{
	struct serving serving = { .service = service, .store = store };
	struct ik_error error = { .status = IK_OK };
	enum ik_status status;

	setlocale(LC_CTYPE, "");
	setlocale(LC_MESSAGES, "");
	bindtextdomain(PACKAGE, IK_LOCALEDIR);
	textdomain(PACKAGE);
	if (argc != 3) {
		(void)fprintf(stderr, "Usage: store-%s DATABASE JOURNALS\n", service->name);
		return 2;
	}
	(void)signal(SIGPIPE, SIG_IGN);
	serving.database = argv[1];
	serving.journals = argv[2];
	serving.connection = ik_connection_new(STDIN_FILENO, STDOUT_FILENO);
	serve(&serving);
	/* The client is gone, perhaps killed: store what it has left. */
	status = open_store(&serving, &error);
	if (status == IK_OK)
		status = ik_intake_all(service->intake, store, serving.journals, &error);
	service->close(store);
	(void)ik_connection_free(serving.connection);
	return status == IK_OK ? 0 : 1;
}
