#include "store/postgres/postgres_private.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "store/lock_private.h"
#include "store/migrate.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/redact.h"
#include "util/text.h"

/* The server may take so long over a statement where nothing else was said, and says itself
 * when it gives up: its answer may take longer by this, or by twice the time where that is less. */
#define STATEMENT_MS 20000
#define ANSWER_MS 10000
/* Of several programs that come first one makes the tables; any number of ours will do. */
#define LOCK "7308327837116294983"

static void take_results(struct postgres *postgres);
static bool connect_to_next(struct postgres *postgres);
static void connect_step(struct postgres *postgres);

/* ---- the connection ---- */

/* Let the connection go. */
static void drop(struct postgres *postgres)
{
	postgres->hosts = ik_pq_hosts_close(postgres->hosts);
	postgres->watch = ik_watch_close(postgres->watch);
	ik_timer_stop(postgres->timer);
	if (postgres->connection)
		PQfinish(postgres->connection);
	postgres->connection = NULL;
	postgres->stage = IK_PQ_CLOSED;
	postgres->direct = false;
}

void ik_pq_note(struct postgres *postgres, enum ik_status status, const struct ik_error *error)
{
	if (postgres->status != IK_OK)
		return;
	postgres->status = status;
	postgres->error = *error;
}

/* The operation is over, or opening has failed. */
static void finish(struct postgres *postgres)
{
	const struct ik_pq_operation *operation = postgres->operation;
	struct ik_error error = postgres->error;
	enum ik_status status = postgres->status;

	postgres->operation = NULL;
	postgres->brief = false;
	ik_timer_stop(postgres->timer);
	/* A server that cannot do it (read-only after a change of the leader, a full disk, about to
	 * end) may not be the one to ask next time. */
	if (operation && status == IK_IO && postgres->stage == IK_PQ_READY)
		drop(postgres);
	if (operation)
		operation->finish(postgres, status, &error);
	else
		ik_store_opened(postgres->base.store, "", status, &error);
}

/* It is gone, or no good: say so to whoever waits for it. */
static void lose(struct postgres *postgres, enum ik_status status, const struct ik_error *error)
{
	bool awaited = postgres->operation || postgres->stage < IK_PQ_READY;

	drop(postgres);
	postgres->base.refuses = false;
	ik_pq_note(postgres, status, error);
	if (awaited)
		finish(postgres);
	else
		ik_log(IK_LOG_INFO, "store: %s", error->text);
}

/* The library's words in one line. */
static char *words_of(const char *message)
{
	struct ik_buf out;

	ik_buf_init(&out, 1 << 16);
	for (; *message; message++) {
		if (*message != '\n' || message[1])
			ik_buf_putc(&out, *message == '\n' || *message == '\t' ? ' ' : *message);
	}
	return ik_buf_take(&out, NULL);
}

/* The library says that the connection is no good. */
static void lose_connection(struct postgres *postgres)
{
	char *words = words_of(PQerrorMessage(postgres->connection));
	struct ik_error error;

	ik_error_set(&error, IK_IO, _("The database %s cannot be reached: %s"), postgres->shown,
		words[0] ? words : _("the connection was closed"));
	free(words);
	lose(postgres, IK_IO, &error);
}

/* A step or an answer took too long. */
static void on_timeout(void *arg)
{
	struct postgres *postgres = arg;
	struct ik_error error;

	if (postgres->stage == IK_PQ_CONNECTING && connect_to_next(postgres))
		return;
	if (postgres->stage == IK_PQ_RESOLVING && ik_pq_hosts_skip(postgres->hosts)) {
		ik_timer_start(postgres->timer, ik_pq_hosts_limit_ms(postgres->hosts));
		return;
	}
	ik_error_set(&error, IK_IO, _("The database %s does not answer."), postgres->shown);
	lose(postgres, IK_IO, &error);
}

static void on_socket(void *arg, int what)
{
	struct postgres *postgres = arg;

	if (postgres->stage == IK_PQ_CONNECTING)
		connect_step(postgres);
	else
		take_results(postgres);
}

/* Watch the library's socket, which may be another one now. */
static void watch(struct postgres *postgres, int what)
{
	int fd = PQsocket(postgres->connection);

	if (postgres->watch && postgres->watched != fd)
		postgres->watch = ik_watch_close(postgres->watch);
	if (!postgres->watch) {
		postgres->watch = ik_watch_new(postgres->loop, fd, on_socket, postgres);
		postgres->watched = fd;
	}
	postgres->awaited = what;
	if (ik_watch_set(postgres->watch, what, NULL) != IK_OK)
		lose_connection(postgres);
}

/* Send what the library has, as far as the socket takes it. */
static void flush(struct postgres *postgres)
{
	int result = PQflush(postgres->connection);

	if (result < 0)
		lose_connection(postgres);
	else
		watch(postgres, result > 0 ? IK_READABLE | IK_WRITABLE : IK_READABLE);
}

/* ---- results ---- */

/* A failure of the server's as status and sentence. */
static void note_failure(struct postgres *postgres, const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	char *words = words_of(message ? message : _("no reason given"));
	enum ik_status status = IK_IO;
	struct ik_error error;
	bool late;

	if (!state)
		state = "";
	/* Not when it is about to end, or too slow. */
	postgres->base.refuses = !ik_text_starts(state, "57");
	/* Of the server it says nothing that little time was not enough. */
	late = postgres->brief && ik_text_equal(state, "57014");
	postgres->timed_out = postgres->timed_out || late;
	if (late || ik_text_starts(state, "40") || ik_text_equal(state, "55P03"))
		status = IK_UNAVAILABLE;
	else if (ik_text_starts(state, "22") || ik_text_starts(state, "54"))
		status = IK_INVALID;
	if (ik_text_equal(state, "53100"))
		ik_error_set(&error, status, _("The disk of the database %s is full."), postgres->shown);
	else if (ik_text_equal(state, "25006"))
		ik_error_set(&error, status, _("The database %s can only be read now."), postgres->shown);
	else if (ik_text_equal(state, "57014"))
		ik_error_set(&error, status, _("The database %s takes too long."), postgres->shown);
	else if (ik_text_equal(state, "42501") && postgres->has_tables &&
		(postgres->stage == IK_PQ_LOCKING || postgres->stage == IK_PQ_LIFTING))
		ik_error_set(&error, status,
			_("The tables of the database %s are older than this ikigai: their "
			  "owner has to use it once."),
			postgres->shown);
	else if (ik_text_starts(state, "57P"))
		ik_error_set(&error, status, _("The database %s cannot be reached: %s"), postgres->shown,
			words);
	else
		ik_error_set(&error, status, _("The database %s refuses: %s (%s)"), postgres->shown, words,
			state);
	free(words);
	ik_pq_note(postgres, status, &error);
}

/* Take what has come. */
static void take_results(struct postgres *postgres)
{
	if (!PQconsumeInput(postgres->connection)) {
		lose_connection(postgres);
		return;
	}
	while (postgres->operation && !PQisBusy(postgres->connection)) {
		PGresult *result = PQgetResult(postgres->connection);
		bool end = false;

		if (!result) {
			/* The end of a statement's results; of all, where there is no pipeline. */
			if (postgres->stage != IK_PQ_READY)
				finish(postgres);
			else if (!postgres->had_result)
				break;
			postgres->statement++;
			postgres->had_result = false;
			continue;
		}
		postgres->had_result = true;
		switch (PQresultStatus(result)) {
		case PGRES_TUPLES_OK:
		case PGRES_COMMAND_OK:
			postgres->operation->take(postgres, postgres->statement, result);
			break;
		case PGRES_PIPELINE_SYNC:
			end = true;
			break;
		case PGRES_PIPELINE_ABORTED:
			break;
		default:
			note_failure(postgres, result);
			break;
		}
		PQclear(result);
		if (end)
			finish(postgres);
	}
	ik_pq_take_notifications(postgres);
	if (postgres->connection && PQstatus(postgres->connection) == CONNECTION_BAD)
		lose_connection(postgres);
	else if (postgres->connection)
		flush(postgres);
}

/* Begin to wait for an operation's results. */
static void await(struct postgres *postgres, const struct ik_pq_operation *operation)
{
	int64_t timeout_ms = postgres->base.timeout_ms, grace_ms = 2 * timeout_ms;

	postgres->operation = operation;
	postgres->statement = 0;
	postgres->had_result = false;
	postgres->status = IK_OK;
	ik_timer_start(postgres->timer, timeout_ms + (grace_ms < ANSWER_MS ? grace_ms : ANSWER_MS));
	flush(postgres);
}

void ik_pq_start(struct postgres *postgres, const struct ik_pq_operation *operation, bool sent)
{
	postgres->operation = operation;
	postgres->status = IK_OK;
	if (!sent || !PQpipelineSync(postgres->connection))
		lose_connection(postgres);
	else
		await(postgres, operation);
}

/* ---- opening: bring the tables to their form ---- */

static void run(struct postgres *postgres, enum ik_pq_stage stage, const char *statements);

/* All is as it should be: from here on statements are sent without waiting for answers. */
static void become_ready(struct postgres *postgres)
{
	if (!PQenterPipelineMode(postgres->connection)) {
		lose_connection(postgres);
		return;
	}
	postgres->stage = IK_PQ_READY;
	ik_locks_connected(postgres->base.store);
	ik_store_opened(postgres->base.store, "", IK_OK, NULL);
}

/* The steps from the form that was found to ours. */
static void lift(struct postgres *postgres)
{
	struct ik_buf text;
	int64_t version = postgres->version;

	ik_buf_init(&text, 1 << 20);
	for (; version < (int64_t)ik_pq_step_count; version++)
		ik_buf_puts(&text, ik_pq_steps[version]);
	ik_buf_printf(&text, "DELETE FROM ikigai_form; INSERT INTO ikigai_form VALUES(%lld); COMMIT",
		(long long)version);
	run(postgres, IK_PQ_LIFTING, text.data);
	ik_buf_done(&text);
}

/* A number that one of the questions below gives. */
static void take_form(struct postgres *postgres, int statement, const PGresult *result)
{
	if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) == 0)
		return;
	if (postgres->stage == IK_PQ_LOOKING)
		postgres->has_tables = ik_pq_number(result, 0, 1) != 0;
	if (ik_pq_text(result, 0, 0)[0])
		postgres->version = ik_pq_number(result, 0, 0);
}

static void decide(struct postgres *postgres, enum ik_status status, struct ik_error *error)
{
	enum ik_pq_stage stage = postgres->stage;

	if (status == IK_OK && stage == IK_PQ_LOOKING && postgres->version == 0 && postgres->has_tables)
		status = ik_error_set(error, IK_DENIED,
			_("%s is the database of another program: it has a table \"sessions\" of its own."),
			postgres->shown);
	if (status == IK_OK && stage != IK_PQ_LOOKING)
		status = ik_migrate_check(postgres->version, postgres->shown, ik_pq_step_count, error);
	if (status != IK_OK) {
		if (postgres->connection) {
			postgres->status = IK_OK;
			lose(postgres, status == IK_INVALID ? IK_FAILED : status, error);
		} else {
			ik_store_opened(postgres->base.store, "", status, error);
		}
		return;
	}
	if (stage == IK_PQ_LOOKING && postgres->version != 0)
		run(postgres, IK_PQ_VERSION, "SELECT version FROM ikigai_form");
	else if (stage == IK_PQ_LOCKING)
		lift(postgres); /* which ends the transaction, too, where nothing is left to be done */
	else if (stage == IK_PQ_LIFTING || postgres->version == (int64_t)ik_pq_step_count)
		become_ready(postgres);
	else
		/* Another program may be faster; then the lock is had when it is done. */
		run(postgres, IK_PQ_LOCKING,
			"BEGIN; SELECT 0, pg_advisory_xact_lock(" LOCK ")::text;"
			" CREATE TABLE IF NOT EXISTS ikigai_form(version integer NOT NULL);"
			" SELECT version FROM ikigai_form");
}

/* Run statements outside a pipeline; decide() goes on from there. */
static void run(struct postgres *postgres, enum ik_pq_stage stage, const char *statements)
{
	static const struct ik_pq_operation operation = { take_form, decide };

	postgres->stage = stage;
	if (PQsendQuery(postgres->connection, statements))
		await(postgres, &operation);
	else
		lose_connection(postgres);
}

/* Begin a step of connecting, which may take so long. */
static void start_step(struct postgres *postgres)
{
	ik_timer_start(postgres->timer, postgres->connect_ms);
	postgres->connect_by_ms = ik_clock_ms() + postgres->connect_ms;
}

static void connect_step(struct postgres *postgres)
{
	start_step(postgres);
	/* The library may close the socket here; the next one often gets the same number, and only a
	 * new watch makes the kernel watch that one. */
	postgres->watch = ik_watch_close(postgres->watch);
	switch (PQconnectPoll(postgres->connection)) {
	case PGRES_POLLING_READING:
		watch(postgres, IK_READABLE);
		break;
	case PGRES_POLLING_WRITING:
		watch(postgres, IK_WRITABLE);
		break;
	case PGRES_POLLING_OK:
		postgres->hosts = ik_pq_hosts_close(postgres->hosts);
		postgres->version = 0;
		postgres->has_tables = false;
		run(postgres, IK_PQ_LOOKING,
			"SELECT CASE WHEN to_regclass('ikigai_form') IS NULL"
			" THEN 0 ELSE 1 END, CASE WHEN to_regclass('sessions') IS NULL THEN 0 ELSE 1 END");
		break;
	default:
		lose_connection(postgres);
		break;
	}
}

/* What the server says beside its answers is for the log. */
static void on_server_notice(void *arg, const char *message)
{
	ik_log(IK_LOG_DEBUG, "store: %s", message);
}

/* Begin to connect. */
static void connect_to(struct postgres *postgres, const struct ik_pq_parameters *parameters)
{
	postgres->connection = PQconnectStartParams(parameters->keywords, parameters->values, 0);
	if (!postgres->connection)
		ik_alloc_fail();
	(void)PQsetNoticeProcessor(postgres->connection, on_server_notice, postgres);
	postgres->stage = IK_PQ_CONNECTING;
	postgres->connect_ms = parameters->connect_ms;
	start_step(postgres);
	if (PQstatus(postgres->connection) == CONNECTION_BAD ||
		PQsetnonblocking(postgres->connection, 1) != 0)
		lose_connection(postgres);
	else
		watch(postgres, IK_WRITABLE);
}

/* Go on without the host that does not answer; false: there is no other. */
static bool connect_to_next(struct postgres *postgres)
{
	const struct ik_pq_parameters *parameters = ik_pq_hosts_next(postgres->hosts,
		postgres->connection);

	if (!parameters)
		return false;
	postgres->watch = ik_watch_close(postgres->watch);
	PQfinish(postgres->connection);
	connect_to(postgres, parameters);
	return true;
}

static void on_hosts(void *arg, const struct ik_pq_parameters *parameters,
	const struct ik_error *error)
{
	struct postgres *postgres = arg;

	if (parameters) {
		connect_to(postgres, parameters);
	} else {
		struct ik_error why = *error;

		lose(postgres, why.status, &why);
	}
}

static void postgres_open(struct ik_backend *backend)
{
	struct postgres *postgres = postgres_of(backend);
	struct ik_error error;

	postgres->status = IK_OK;
	if (ik_pq_library_load(&error) != IK_OK) {
		ik_store_opened(backend->store, "", error.status, &error);
		return;
	}
	postgres->stage = IK_PQ_RESOLVING;
	postgres->hosts = ik_pq_hosts_start(postgres->loop, postgres->uri, on_hosts, postgres);
	ik_timer_start(postgres->timer, ik_pq_hosts_limit_ms(postgres->hosts));
}

static bool postgres_is_open(const struct ik_backend *backend)
{
	return ((const struct postgres *)backend)->stage == IK_PQ_READY;
}

/* Turn over the socket alone, as the program ends. */
static bool postgres_wait(struct ik_backend *backend, int64_t milliseconds)
{
	struct postgres *postgres = postgres_of(backend);
	struct pollfd socket = { .events = 0 };
	bool connecting = postgres->stage == IK_PQ_CONNECTING;
	int64_t left = connecting ? postgres->connect_by_ms - ik_clock_ms() : milliseconds;
	int ready;

	if (postgres->stage == IK_PQ_RESOLVING)
		return ik_pq_hosts_now(postgres->hosts);
	if (!postgres->connection)
		return false;
	if (left < 0)
		left = 0;
	socket.fd = PQsocket(postgres->connection);
	if (!connecting || (postgres->awaited & IK_READABLE))
		socket.events |= POLLIN;
	if (connecting ? (postgres->awaited & IK_WRITABLE) != 0 : PQflush(postgres->connection) > 0)
		socket.events |= POLLOUT;
	ready = poll(&socket, 1, (int)(left < milliseconds ? left : milliseconds));
	if (ready < 0 || (ready == 0 && left >= milliseconds))
		return false;
	if (ready > 0)
		on_socket(postgres, 0);
	else
		on_timeout(postgres);
	return true;
}

static struct ik_backend *postgres_free(struct ik_backend *backend)
{
	struct postgres *postgres = postgres_of(backend);

	drop(postgres);
	ik_pq_indexing_free(postgres);
	postgres->timer = ik_timer_close(postgres->timer);
	free(postgres->uri);
	free(postgres->shown);
	free(postgres);
	return NULL;
}

static const struct ik_backend_ops postgres_ops = {
	.name = "postgresql",
	.batch = 2048, /* one statement, which costs the server some milliseconds to plan */
	.open = postgres_open,
	.is_open = postgres_is_open,
	.write = ik_pq_write,
	.write_part = ik_pq_write_part,
	.read = ik_pq_read,
	.index = ik_pq_index,
	.wait = postgres_wait,
	.locks = &ik_lock_row_ops,
	.free = postgres_free,
};

struct ik_backend *ik_postgres_new(struct ik_loop *loop, const char *uri)
{
	struct postgres *postgres = ik_alloc(sizeof(*postgres));

	postgres->base.ops = &postgres_ops;
	postgres->base.timeout_ms = STATEMENT_MS;
	postgres->loop = loop;
	postgres->uri = ik_strdup(uri);
	postgres->shown = ik_redact(uri);
	postgres->timer = ik_timer_new(loop, on_timeout, postgres);
	ik_uuid_new(postgres->base.process);
	return &postgres->base;
}
