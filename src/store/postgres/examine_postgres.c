#include "store/postgres/examine_postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/lock_private.h"
#include "store/migrate.h"
#include "store/postgres/postgres_private.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/redact.h"
#include "util/text.h"

/* All rights that the program needs on a table. */
#define MAY(table) \
	"coalesce(has_table_privilege(to_regclass('" table "')::oid, 'SELECT')" \
	" AND has_table_privilege(to_regclass('" table "')::oid, 'INSERT')" \
	" AND has_table_privilege(to_regclass('" table "')::oid, 'UPDATE')" \
	" AND has_table_privilege(to_regclass('" table "')::oid, 'DELETE'), false)"
/* Events and large outputs are never changed. */
#define MAY_ADD(table) \
	"coalesce(has_table_privilege(to_regclass('" table "')::oid, 'SELECT')" \
	" AND has_table_privilege(to_regclass('" table "')::oid, 'INSERT')" \
	" AND has_table_privilege(to_regclass('" table "')::oid, 'DELETE'), false)"
#define NUMBER(condition) "(CASE WHEN " condition " THEN 1 ELSE 0 END)::text"

/* The columns are taken by their numbers. */
enum {
	SERVER,
	ROLE,
	ENCODING,
	READ_ONLY,
	PROCESS,
	CAN_CREATE,
	HAS_FORM,
	HAS_SESSIONS,
	CAN_USE,
	EVENTS,
	CLOCK,
	ENCRYPTED,
	OWNER,
	OWNS
};
/* clang-format off */
static const char question[] =
	"SELECT current_setting('server_version'), current_user::text,"
	" (SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()),"
	NUMBER("pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'") ","
	" pg_backend_pid()::text,"
	NUMBER("has_schema_privilege(current_schema(), 'CREATE')") ","
	NUMBER("to_regclass('ikigai_form') IS NOT NULL") ","
	NUMBER("to_regclass('sessions') IS NOT NULL") ","
	NUMBER(MAY("sessions") " AND " MAY_ADD("events") " AND " MAY_ADD("blobs")) ","
	" (SELECT greatest(reltuples, 0)::bigint::text FROM pg_class WHERE oid = to_regclass('events')),"
	" (extract(epoch FROM clock_timestamp()) * 1000)::bigint::text,"
	NUMBER("inet_client_addr() IS NULL OR"
	"  coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false)") ","
	" (SELECT relowner::regrole::text FROM pg_class WHERE oid = to_regclass('sessions')),"
	NUMBER("coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class"
	" WHERE oid = to_regclass('sessions')), false)");
/* clang-format on */

/* The form that the columns below are of. */
#define LOCKS_VERSION 4
static const char locks_question[] =
	"SELECT session::text, (count(*) OVER ())::text, host, user_name, pid::text, since::text, "
	"place,"
	" started::text FROM locks WHERE holder IS NOT NULL AND expires > now()"
	" ORDER BY since DESC, session LIMIT 8";

struct ik_postgres_examine {
	struct ik_loop *loop;
	char *shown;
	ik_postgres_examined *fn;
	void *arg;
	struct ik_timer *limit; /* of a step of connecting, or of an answer */
	int64_t limit_ms, connect_ms;
	struct ik_pq_hosts *hosts;
	PGconn *connection;
	struct ik_watch *watch;
	int watched;
	enum { CONNECTING, ASKING, ASKING_VERSION, ASKING_LOCKS } stage;
	struct ik_postgres_facts facts;
};

/* ---- the end ---- */

/* Nothing more is done on the connection. */
static void stop(struct ik_postgres_examine *examine)
{
	examine->hosts = ik_pq_hosts_close(examine->hosts);
	examine->watch = ik_watch_close(examine->watch);
	ik_timer_stop(examine->limit);
	if (examine->connection)
		PQfinish(examine->connection);
	examine->connection = NULL;
}

static void give(struct ik_postgres_examine *examine, const struct ik_error *error)
{
	stop(examine);
	examine->fn(examine->arg, error ? NULL : &examine->facts, error);
}

/* The library, or the server, says why not. */
static void give_failure(struct ik_postgres_examine *examine)
{
	char *words = ik_strdup(PQerrorMessage(examine->connection));
	struct ik_error error;
	char *at;

	for (at = words; *at; at++) {
		if (*at == '\n' || *at == '\t')
			*at = at[1] ? ' ' : '\0';
	}
	ik_error_set(&error, IK_IO, _("The database %s cannot be reached: %s"), examine->shown,
		words[0] ? words : _("the connection was closed"));
	free(words);
	give(examine, &error);
}

static bool connect_to_next(struct ik_postgres_examine *examine);

static void on_limit(void *arg)
{
	struct ik_postgres_examine *examine = arg;
	struct ik_error error;

	if (examine->stage == CONNECTING && examine->connection && connect_to_next(examine))
		return;
	if (!examine->connection && ik_pq_hosts_skip(examine->hosts)) {
		ik_timer_start(examine->limit, ik_pq_hosts_limit_ms(examine->hosts));
		return;
	}
	ik_error_set(&error, IK_IO, _("The database %s does not answer."), examine->shown);
	give(examine, &error);
}

/* ---- questions and answers ---- */

static void copy(char *out, size_t size, const PGresult *result, int column)
{
	(void)snprintf(out, size, "%s", ik_pq_text(result, 0, column));
}

static bool is_true(const PGresult *result, int column)
{
	return ik_pq_number(result, 0, column) != 0;
}

static void take_facts(struct ik_postgres_examine *examine, const PGresult *result)
{
	struct ik_postgres_facts *facts = &examine->facts;

	copy(facts->server, sizeof(facts->server), result, SERVER);
	copy(facts->role, sizeof(facts->role), result, ROLE);
	copy(facts->encoding, sizeof(facts->encoding), result, ENCODING);
	facts->read_only = is_true(result, READ_ONLY);
	facts->can_create = is_true(result, CAN_CREATE);
	facts->has_form = is_true(result, HAS_FORM);
	facts->has_others = !facts->has_form && is_true(result, HAS_SESSIONS);
	facts->can_use = is_true(result, CAN_USE);
	facts->events = ik_pq_number(result, 0, EVENTS);
	facts->ahead_ms = ik_pq_number(result, 0, CLOCK) - ik_clock_wall_ms();
	facts->encrypted = is_true(result, ENCRYPTED);
	copy(facts->owner, sizeof(facts->owner), result, OWNER);
	facts->owns = is_true(result, OWNS);
	facts->wanted = (int64_t)ik_pq_step_count;
	/* A pooler gives its clients a process id of its own making. */
	facts->pooled = ik_pq_number(result, 0, PROCESS) != PQbackendPID(examine->connection);
}

static void take_locks(struct ik_postgres_examine *examine, const PGresult *result)
{
	struct ik_postgres_facts *facts = &examine->facts;
	int row, rows = PQntuples(result);

	for (row = 0; row < rows && row < IK_POSTGRES_LOCKS; row++) {
		struct ik_postgres_lock *lock = &facts->locks[row];

		(void)snprintf(lock->session, sizeof(lock->session), "%s", ik_pq_text(result, row, 0));
		facts->locks_held = ik_pq_number(result, row, 1);
		ik_pq_take_holder(&lock->holder, result, row, 2);
		ik_pq_take_place(&lock->holder, result, row, 6);
		lock->dead = ik_holder_is_dead(&lock->holder);
		facts->locks_shown++;
	}
}

/* The next question; NULL: there is none. Who may not use the tables cannot be told more. */
static const char *next_question(struct ik_postgres_examine *examine)
{
	const struct ik_postgres_facts *facts = &examine->facts;

	if (examine->stage == ASKING && facts->has_form && facts->can_use) {
		examine->stage = ASKING_VERSION;
		return "SELECT version::text FROM ikigai_form";
	}
	if (examine->stage == ASKING_VERSION && facts->version >= LOCKS_VERSION) {
		examine->stage = ASKING_LOCKS;
		return locks_question;
	}
	return NULL;
}

/* What has come; false: it is over. */
static bool take_results(struct ik_postgres_examine *examine)
{
	while (!PQisBusy(examine->connection)) {
		PGresult *result = PQgetResult(examine->connection);

		if (!result) {
			/* The end of an answer. */
			const char *text = next_question(examine);

			if (!text)
				give(examine, NULL);
			else if (PQsendQuery(examine->connection, text))
				continue;
			else
				give_failure(examine);
			return false;
		}
		if (PQresultStatus(result) != PGRES_TUPLES_OK ||
			(PQntuples(result) == 0 && examine->stage != ASKING_LOCKS)) {
			PQclear(result);
			give_failure(examine);
			return false;
		}
		if (examine->stage == ASKING)
			take_facts(examine, result);
		else if (examine->stage == ASKING_VERSION)
			examine->facts.version = ik_pq_number(result, 0, 0);
		else
			take_locks(examine, result);
		PQclear(result);
	}
	return true;
}

static void on_socket(void *arg, int what);

/* Wait for the library's socket, which may be another one now. */
static void watch(struct ik_postgres_examine *examine, int what)
{
	int fd = PQsocket(examine->connection);

	if (examine->watch && examine->watched != fd)
		examine->watch = ik_watch_close(examine->watch);
	if (!examine->watch)
		examine->watch = ik_watch_new(examine->loop, fd, on_socket, examine);
	examine->watched = fd;
	if (ik_watch_set(examine->watch, what, NULL) != IK_OK)
		give_failure(examine);
}

static void on_socket(void *arg, int what)
{
	struct ik_postgres_examine *examine = arg;

	(void)what;
	ik_timer_start(examine->limit,
		examine->stage == CONNECTING ? examine->connect_ms : examine->limit_ms);
	if (examine->stage != CONNECTING) {
		if (!PQconsumeInput(examine->connection))
			give_failure(examine);
		else if (take_results(examine))
			watch(examine,
				PQflush(examine->connection) > 0 ? IK_READABLE | IK_WRITABLE : IK_READABLE);
		return;
	}
	/* The library may close the socket here; the next one often gets the same number, and only a
	 * new watch makes the kernel watch that one. */
	examine->watch = ik_watch_close(examine->watch);
	switch (PQconnectPoll(examine->connection)) {
	case PGRES_POLLING_READING:
		watch(examine, IK_READABLE);
		break;
	case PGRES_POLLING_WRITING:
		watch(examine, IK_WRITABLE);
		break;
	case PGRES_POLLING_OK:
		examine->stage = ASKING;
		if (PQsendQuery(examine->connection, question))
			watch(examine, IK_READABLE | IK_WRITABLE);
		else
			give_failure(examine);
		break;
	default:
		give_failure(examine);
		break;
	}
}

static void ignore_notice(void *arg, const char *message)
{
	(void)arg;
	(void)message;
}

/* Begin to connect. */
static void connect_to(struct ik_postgres_examine *examine,
	const struct ik_pq_parameters *parameters)
{
	examine->connection = PQconnectStartParams(parameters->keywords, parameters->values, 0);
	if (!examine->connection)
		ik_alloc_fail();
	(void)PQsetNoticeProcessor(examine->connection, ignore_notice, NULL);
	examine->connect_ms = parameters->connect_ms;
	ik_timer_start(examine->limit, examine->connect_ms);
	if (PQstatus(examine->connection) == CONNECTION_BAD ||
		PQsetnonblocking(examine->connection, 1) != 0)
		give_failure(examine);
	else
		watch(examine, IK_WRITABLE);
}

/* Go on without the host that does not answer; false: there is no other. */
static bool connect_to_next(struct ik_postgres_examine *examine)
{
	const struct ik_pq_parameters *parameters = ik_pq_hosts_next(examine->hosts,
		examine->connection);

	if (!parameters)
		return false;
	examine->watch = ik_watch_close(examine->watch);
	PQfinish(examine->connection);
	connect_to(examine, parameters);
	return true;
}

static void on_hosts(void *arg, const struct ik_pq_parameters *parameters,
	const struct ik_error *error)
{
	struct ik_postgres_examine *examine = arg;

	if (parameters) {
		connect_to(examine, parameters);
	} else {
		struct ik_error why = *error;

		give(examine, &why);
	}
}

/* Deferred: the library is not there. */
static void without_library(void *arg)
{
	struct ik_postgres_examine *examine = arg;
	struct ik_error error;

	if (ik_pq_library_load(&error) != IK_OK)
		give(examine, &error);
}

struct ik_postgres_examine *ik_postgres_examine_start(struct ik_loop *loop, const char *uri,
	int64_t limit_ms, ik_postgres_examined *fn, void *arg)
{
	struct ik_postgres_examine *examine = ik_alloc(sizeof(*examine));

	examine->loop = loop;
	examine->shown = ik_redact(uri);
	examine->fn = fn;
	examine->arg = arg;
	examine->limit = ik_timer_new(loop, on_limit, examine);
	if (ik_pq_library_load(NULL) != IK_OK) {
		ik_loop_defer(loop, without_library, examine);
		return examine;
	}
	examine->limit_ms = limit_ms;
	examine->hosts = ik_pq_hosts_start(loop, uri, on_hosts, examine);
	ik_timer_start(examine->limit, ik_pq_hosts_limit_ms(examine->hosts));
	return examine;
}

struct ik_postgres_examine *ik_postgres_examine_close(struct ik_postgres_examine *examine)
{
	if (!examine)
		return NULL;
	ik_loop_cancel_deferred(examine->loop, without_library, examine);
	stop(examine);
	examine->limit = ik_timer_close(examine->limit);
	free(examine->shown);
	free(examine);
	return NULL;
}

/* ---- what follows from it ---- */

enum ik_status ik_postgres_facts_check(const struct ik_postgres_facts *facts, const char *shown,
	struct ik_error *error)
{
	if (facts->has_others)
		return ik_error_set(error, IK_DENIED,
			_("%s is the database of another program: it has a table \"sessions\" of its own."),
			shown);
	return ik_migrate_check(facts->version, shown, ik_pq_step_count, error);
}
