#include "stores/postgres/server.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conversation/search_query.h"
#include "conversation/search_text.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/redact.h"
#include "util/text.h"
#include "util/utf8.h"

/* Limit on a server's silence, while connecting and in an answer that can't be cancelled, unless
 * the address has a connect_timeout. */
#define SILENT_S 10
/* Interval of looks for a cancellation: it seems instant. */
#define LOOK_MS 20
/* Types of parameters (pg_type.dat). */
enum { BYTEA = 17, INT8 = 20, TEXT = 25, UUID = 2950 };

/* ---- tables ---- */

/* Advisory lock under which one of several starting programs creates the tables; the number is
 * arbitrary. */
#define MAKING_LOCK "7308327837116294983"

/*
 * Steps are only ever added: these have run on users' databases and must not change.
 *
 * PostgreSQL's text can't hold U+0000; its JSONB can't hold that or a lone surrogate, loses the
 * order of members, and rewrites numbers. What a model wrote must be returned verbatim, so
 * data_json is json, which keeps the text; data is JSONB made from it for queries (without the long
 * texts, which would be stored twice), or NULL where that is impossible. Text that PostgreSQL
 * refuses is in exact_content and exact_data.
 */
static const char *const steps[] = {
	/* 0 to 1 */
	"CREATE TABLE sessions("
	" id uuid PRIMARY KEY,"
	" directory text NOT NULL,"
	" title text NOT NULL DEFAULT '',"
	" created_ms bigint NOT NULL,"
	" updated_ms bigint NOT NULL,"
	" event_count bigint NOT NULL DEFAULT 0,"
	" last_sequence bigint NOT NULL DEFAULT 0,"
	" parent uuid,"                          /* set in a fork */
	" forked_at bigint NOT NULL DEFAULT 0,"  /* the last event it shares with the fork */
	" late boolean NOT NULL DEFAULT false);" /* created for events that came too late */
	"CREATE INDEX sessions_of_directory ON sessions(directory);"
	"CREATE INDEX sessions_of_parent ON sessions(parent) WHERE parent IS NOT NULL;"
	"CREATE TABLE events("
	" id uuid PRIMARY KEY,"
	" session uuid NOT NULL,"
	" sequence bigint NOT NULL,"
	" kind text NOT NULL,"
	" content text NOT NULL,"
	" data_json json,"
	" exact_content bytea,"
	" exact_data bytea,"
	" size bigint NOT NULL," /* bytes of content and data */
	" time bigint NOT NULL," /* milliseconds since 1970 UTC */
	" data jsonb GENERATED ALWAYS AS (CASE WHEN data_json::text !~ '\\\\u(0000|[dD][89a-fA-F])'"
	"  THEN (data_json::text::jsonb - 'output' - 'summary' - 'opaque')"
	"   #- '{function,arguments}' END) STORED,"
	" UNIQUE(session, sequence));"
	"CREATE INDEX events_of_tool ON events((data->'function'->>'name')) WHERE kind = 'tool_call';"
	"CREATE INDEX events_of_call ON events((data->>'tool_call_id')) WHERE kind = 'tool_result';"
	"CREATE TABLE blobs("
	" id uuid NOT NULL,"
	" part integer NOT NULL,"
	" bytes bytea NOT NULL,"
	" PRIMARY KEY(id, part));",
	/* 1 to 2: which process may write to a session, and which one asks for it */
	"CREATE TABLE locks("
	" session uuid PRIMARY KEY,"
	" holder uuid, process uuid, host text, user_name text, pid bigint,"
	" since bigint," /* milliseconds since 1970 UTC */
	" expires timestamptz NOT NULL DEFAULT '-infinity',"
	" asker uuid, asker_host text, asker_user text, asker_pid bigint, asker_since bigint,"
	" asker_expires timestamptz NOT NULL DEFAULT '-infinity',"
	" refused uuid,"                                        /* the last asker refused */
	" followed timestamptz NOT NULL DEFAULT '-infinity');", /* a process follows until then */
	/* 2 to 3: the words of events (conversation/search_text.h), in each session up to a mark */
	"CREATE TABLE search("
	" session uuid NOT NULL,"
	" sequence bigint NOT NULL,"
	" time bigint NOT NULL,"
	" words tsvector NOT NULL,"
	" PRIMARY KEY(session, sequence));"
	/* A search reads the whole pending list, so keep it short. */
	"CREATE INDEX search_of_words ON search USING gin(words) WITH (gin_pending_list_limit = 256);"
	"CREATE INDEX search_of_time ON search(time, session, sequence);"
	"ALTER TABLE sessions ADD COLUMN searched bigint NOT NULL DEFAULT 0;"
	"CREATE INDEX sessions_to_search ON sessions(id) WHERE searched < last_sequence;"
	"CREATE INDEX sessions_of_time ON sessions(updated_ms, id);",
	/* 3 to 4: where the holder's lock file is (store/holder.h); started is unused */
	"ALTER TABLE locks ADD COLUMN place text, ADD COLUMN started bigint;",
	/* 4 to 5: how far journals are stored; owners, known from now on */
	"CREATE TABLE journals("
	" name text PRIMARY KEY,"
	" place bigint NOT NULL,"    /* everything before this byte is stored */
	" sequence bigint NOT NULL," /* of the newest event the writer knew */
	" stored_as uuid NOT NULL);" /* the session, or the fork that late events became */
	"ALTER TABLE sessions ADD COLUMN owner text; ALTER TABLE events ADD COLUMN owner text;"
	"ALTER TABLE blobs ADD COLUMN owner text;"
	"ALTER TABLE blobs ALTER COLUMN owner SET DEFAULT session_user;"
	"ALTER TABLE sessions ALTER COLUMN owner SET DEFAULT session_user;"
	"ALTER TABLE events ALTER COLUMN owner SET DEFAULT session_user;"
	"CREATE INDEX sessions_of_owner ON sessions(owner, updated_ms, id);"
	"CREATE INDEX locks_of_process ON locks(process);"
	"CREATE INDEX locks_of_time ON locks(expires);"
	"ALTER INDEX search_of_words SET (gin_pending_list_limit = 1024);",
	/* 5 to 6: the limit on the pending list is set by the program that adds words */
	"ALTER INDEX search_of_words RESET (gin_pending_list_limit);",
};

const struct ik_database_form ik_postgres_form = {
	.lock = "SELECT pg_advisory_xact_lock(" MAKING_LOCK ")",
	.ask = "SELECT version FROM ikigai_form",
	.set = "DELETE FROM ikigai_form; INSERT INTO ikigai_form SELECT ",
	.steps = steps,
	.count = sizeof(steps) / sizeof(steps[0]),
};

static struct ik_server *server_of(struct ik_database *database)
{
	return (struct ik_server *)database;
}

/* ---- failures ---- */

/* Return the server's or the library's message in one line, in new memory. */
static char *words_of(const char *message)
{
	struct ik_buf out;

	ik_buf_init(&out, 1 << 16);
	for (; *message; message++)
		if (*message != '\n' || message[1])
			ik_buf_putc(&out, *message == '\n' || *message == '\t' ? ' ' : *message);
	return ik_buf_take(&out, NULL);
}

static void drop(struct ik_server *server)
{
	PQfinish(server->connection);
	server->connection = NULL;
	server->base.user = NULL;
	server->in_transaction = false;
}

/* Set the error, and drop the connection if there is one: it is broken. */
static void lose(struct ik_server *server)
{
	char *words = words_of(server->connection ? PQerrorMessage(server->connection) : "");

	ik_error_set(&server->base.error, IK_UNAVAILABLE, _("The database %s cannot be reached: %s"),
		server->base.name, words[0] ? words : _("the connection was closed"));
	free(words);
	drop(server);
}

static void give_up(struct ik_server *server)
{
	drop(server);
	ik_error_set(&server->base.error, IK_UNAVAILABLE, _("The database %s does not answer."),
		server->base.name);
}

/* Return the status that an SQLSTATE means for the request. */
static enum ik_status status_of(const char *state)
{
	if (ik_text_starts(state, "40") || ik_text_equal(state, "55P03") ||
		ik_text_equal(state, "25006"))
		return IK_UNAVAILABLE;
	return ik_text_starts(state, "22") || ik_text_starts(state, "54") ? IK_INVALID : IK_IO;
}

/* Set the error from a failed statement. */
static void explain(struct ik_server *server, const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	struct ik_error *error = &server->base.error;
	char *words;

	if (!state || PQstatus(server->connection) == CONNECTION_BAD || ik_text_starts(state, "57P")) {
		lose(server);
		return;
	}
	(void)snprintf(server->state, sizeof(server->state), "%s", state);
	words = words_of(message ? message : _("no reason given"));
	if (ik_text_equal(state, "53100"))
		ik_error_set(error, status_of(state), _("The disk of the database %s is full."),
			server->base.name);
	else if (ik_text_equal(state, "25006"))
		ik_error_set(error, status_of(state), _("The database %s can only be read now."),
			server->base.name);
	else if (ik_text_equal(state, "57014"))
		ik_error_set(error, status_of(state), _("The database %s takes too long."),
			server->base.name);
	else
		ik_error_set(error, status_of(state), _("The database %s refuses: %s (%s)"),
			server->base.name, words, state);
	free(words);
	/* Connect again after a read-only error: another server may be the writable one next time. */
	if (ik_text_equal(state, "25006"))
		drop(server);
}

/* ---- answers ---- */

static void cancel(struct ik_server *server)
{
	PGcancel *cancel = PQgetCancel(server->connection);
	char words[256];

	if (cancel)
		(void)PQcancel(cancel, words, sizeof(words));
	PQfreeCancel(cancel);
}

/* Wait until a whole result has arrived; cancel the statement if the request is cancelled. Return
 * false if the connection is lost. */
static bool wait_for_result(struct ik_server *server)
{
	struct pollfd ready = { .fd = PQsocket(server->connection), .events = POLLIN };
	int64_t limit_ms = ik_clock_ms() + server->silent_ms;
	bool interruptible = server->base.interruptible;

	while (server->connection && PQisBusy(server->connection)) {
		int found = poll(&ready, 1, interruptible ? LOOK_MS : server->silent_ms);

		if (interruptible && ik_connection_is_cancelled(server->base.client)) {
			interruptible = false;
			cancel(server);
		}
		if (found > 0 && !PQconsumeInput(server->connection))
			lose(server);
		else if (found > 0)
			limit_ms = ik_clock_ms() + server->silent_ms;
		else if (!interruptible && !server->base.patient && ik_clock_ms() >= limit_ms)
			give_up(server);
	}
	return server->connection;
}

static bool is_good(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

/* Read the answers to everything sent, up to a synchronization point. Return the last successful
 * one, or NULL; the first failure is kept. */
static PGresult *read_answers(struct ik_server *server)
{
	PGresult *last = NULL, *result;
	bool end = false;
	int empty = 0;

	while (!end && wait_for_result(server)) {
		result = PQgetResult(server->connection);
		/* Each answer is followed by one NULL; two in a row mean that the pipeline is broken. */
		empty = result ? 0 : empty + 1;
		end = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
		if (is_good(result)) {
			PQclear(last);
			last = result;
			continue;
		}
		if (empty > 1)
			lose(server);
		else if (result && !end && !ik_database_failed(&server->base) &&
			PQresultStatus(result) != PGRES_PIPELINE_ABORTED)
			explain(server, result);
		PQclear(result);
	}
	if (ik_database_failed(&server->base)) {
		PQclear(last);
		last = NULL;
	}
	return last;
}

/* ---- statements ---- */

/* Can statements be sent? If not, the error is set. */
static bool is_usable(struct ik_server *server)
{
	if (!server->connection && !ik_database_failed(&server->base))
		lose(server);
	return !ik_database_failed(&server->base);
}

/* Return how many bytes at the start of a text the server takes as text. */
static size_t takes(const struct ik_server *server, const char *text, size_t length)
{
	size_t good = 0;

	while (good < length && text[good]) {
		bool is_ascii = (unsigned char)text[good] < 0x80;
		uint32_t codepoint;
		int count = is_ascii ? 1
			: server->ascii  ? 0
							 : ik_utf8_decode(text + good, length - good, &codepoint);

		if (count <= 0)
			break;
		good += (size_t)count;
	}
	return good;
}

bool ik_database_takes_text(const struct ik_database *database, const char *text, size_t length)
{
	return takes((const struct ik_server *)database, text, length) == length;
}

/* Values in libpq's format. */
struct server_values {
	int count;
	Oid types[IK_VALUE_LIMIT];
	const char *texts[IK_VALUE_LIMIT];
	int lengths[IK_VALUE_LIMIT], formats[IK_VALUE_LIMIT];
	char numbers[IK_VALUE_LIMIT][24];
	struct ik_buf copies[IK_VALUE_LIMIT]; /* texts that the server takes */
};

/* Append a text with "?" for each byte that the server refuses. */
static void put_readable(const struct ik_server *server, struct ik_buf *out, const char *text,
	size_t length)
{
	for (size_t at = 0; at < length; at++) {
		size_t good = takes(server, text + at, length - at);

		ik_buf_append(out, text + at, good);
		at += good;
		if (at < length)
			ik_buf_putc(out, '?');
	}
}

static void put_value(const struct ik_server *server, struct server_values *out, int i,
	const struct ik_value *value)
{
	static const Oid types[] = {
		[IK_VALUE_NUMBER] = INT8,
		[IK_VALUE_TEXT] = TEXT,
		[IK_VALUE_ID] = UUID,
		[IK_VALUE_BYTES] = BYTEA,
	};
	struct ik_buf *copy = &out->copies[i];

	ik_buf_init(copy, SIZE_MAX / 2);
	out->types[i] = types[value->type];
	out->texts[i] = value->text;
	out->lengths[i] = (int)value->length;
	/* Binary, where the length counts; else up to a NUL. */
	out->formats[i] = value->type == IK_VALUE_TEXT || value->type == IK_VALUE_BYTES;
	if (value->type == IK_VALUE_NUMBER) {
		(void)snprintf(out->numbers[i], sizeof(out->numbers[i]), "%lld", (long long)value->number);
		out->texts[i] = out->numbers[i];
	} else if (value->type == IK_VALUE_TEXT && value->text &&
		takes(server, value->text, value->length) < value->length) {
		put_readable(server, copy, value->text, value->length);
		out->texts[i] = copy->data;
		out->lengths[i] = (int)copy->length;
	}
}

/* Return the statement with the server's parameters ($1), in new memory. */
static char *with_parameters(const char *text)
{
	char *out = ik_strdup(text);

	for (char *at = out; (at = strchr(at, '?')); at++)
		*at = '$';
	return out;
}

/* Send a statement; one repeated in a transaction isn't prepared again. */
static void send_statement(struct ik_server *server, const char *text,
	const struct ik_value *values)
{
	struct server_values *out;
	bool sent = true;
	char *words;

	if (!is_usable(server))
		return;
	out = ik_alloc(sizeof(*out));
	for (; values && values->type != IK_VALUE_END; values++)
		put_value(server, out, out->count++, values);
	if (server->prepared != text) {
		words = with_parameters(text);
		sent = PQsendPrepare(server->connection, "", words, out->count, out->types);
		free(words);
		/* Outside a transaction a pooler may use another server for the next statement. */
		server->prepared = server->in_transaction ? text : NULL;
	}
	sent = sent &&
		PQsendQueryPrepared(server->connection, "", out->count, out->texts, out->lengths,
			out->formats, 0);
	for (int i = 0; i < out->count; i++)
		ik_buf_done(&out->copies[i]);
	free(out);
	if (!sent)
		lose(server);
}

/* Wait for the answers to everything sent. Return the last answer, or NULL. */
static PGresult *synchronize(struct ik_server *server)
{
	PGresult *result = NULL;

	if (!is_usable(server))
		return NULL;
	if (PQpipelineSync(server->connection))
		result = read_answers(server);
	else
		lose(server);
	if (!result)
		server->prepared = NULL;
	return result;
}

void ik_database_change(struct ik_database *database, const char *statement,
	const struct ik_value *values)
{
	struct ik_server *server = server_of(database);

	if (!statement)
		return;
	send_statement(server, statement, values);
	if (!server->in_transaction)
		PQclear(synchronize(server));
}

void ik_database_run(struct ik_database *database, const char *statements)
{
	struct ik_server *server = server_of(database);
	PGresult *result;

	/* Several statements at once need the simple protocol, which needs an empty pipeline. */
	PQclear(synchronize(server));
	if (!is_usable(server))
		return;
	(void)PQexitPipelineMode(server->connection);
	result = PQexec(server->connection, statements);
	if (!is_good(result))
		explain(server, result);
	PQclear(result);
	if (server->connection && !PQenterPipelineMode(server->connection))
		lose(server);
	server->prepared = NULL;
}

void ik_database_begin(struct ik_database *database)
{
	struct ik_server *server = server_of(database);
	char milliseconds[16];

	(void)snprintf(milliseconds, sizeof(milliseconds), "%d", server->silent_ms);
	server->in_transaction = true;
	send_statement(server, "BEGIN", NULL);
	/* If packets are lost, the server must release our locks once we have given it up. */
	send_statement(server, "SELECT set_config('idle_in_transaction_session_timeout', ?1, true)",
		IK_VALUES(ik_value_text(milliseconds)));
	server->in_transaction = !ik_database_failed(database);
}

static void roll_back(struct ik_server *server)
{
	const struct ik_error failed = server->base.error;

	if (!server->connection)
		return;
	/* The server skips everything between a failure and the next synchronization point. */
	server->base.error.status = IK_OK;
	PQclear(synchronize(server));
	server->base.error.status = IK_OK;
	send_statement(server, "ROLLBACK", NULL);
	PQclear(synchronize(server));
	server->base.error = failed;
}

void ik_database_end(struct ik_database *database)
{
	struct ik_server *server = server_of(database);

	send_statement(server, "COMMIT", NULL);
	PQclear(synchronize(server));
	if (ik_database_failed(database))
		roll_back(server);
	server->in_transaction = false;
	server->prepared = NULL;
}

/* ---- rows ---- */

struct ik_rows *ik_database_ask(struct ik_database *database, const char *statement,
	const struct ik_value *values)
{
	struct ik_server *server = server_of(database);
	struct ik_rows *rows;
	PGresult *result;

	/* Turn off JIT: compiling takes longer than any of our plans. Up to the answer this is one
	 * transaction, to which the setting is local. */
	if (!server->in_transaction)
		send_statement(server, "SELECT set_config('jit', 'off', true)", NULL);
	send_statement(server, statement, values);
	result = synchronize(server);
	if (!result)
		return NULL;
	rows = ik_alloc(sizeof(*rows));
	rows->database = database;
	rows->answer = result;
	rows->row = -1;
	return rows;
}

static void forget_decoded(struct ik_rows *rows)
{
	for (size_t i = 0; i < sizeof(rows->decoded) / sizeof(rows->decoded[0]); i++) {
		PQfreemem(rows->decoded[i]);
		rows->decoded[i] = NULL;
	}
}

bool ik_rows_next(struct ik_rows *rows)
{
	if (!rows || ik_database_failed(rows->database))
		return false;
	forget_decoded(rows);
	return ++rows->row < PQntuples(rows->answer);
}

const char *ik_rows_chars(struct ik_rows *rows, int column, size_t *ret_length)
{
	*ret_length = (size_t)PQgetlength(rows->answer, rows->row, column);
	return PQgetisnull(rows->answer, rows->row, column)
		? NULL
		: PQgetvalue(rows->answer, rows->row, column);
}

const char *ik_rows_bytes(struct ik_rows *rows, int column, size_t *ret_length)
{
	const char *hexadecimal = ik_rows_chars(rows, column, ret_length);

	if (!hexadecimal)
		return NULL;
	PQfreemem(rows->decoded[column]);
	rows->decoded[column] = PQunescapeBytea((const unsigned char *)hexadecimal, ret_length);
	if (!rows->decoded[column])
		ik_alloc_fail();
	return (const char *)rows->decoded[column];
}

struct ik_rows *ik_rows_free(struct ik_rows *rows)
{
	if (!rows)
		return NULL;
	forget_decoded(rows);
	PQclear(rows->answer);
	free(rows);
	return NULL;
}

/* ---- opening ---- */

/* Check that the database is ours or empty; create the table for its version. */
static void check_owner(struct ik_database *database)
{
	enum { OURS, EMPTY, OTHERS };
	int64_t found = ik_database_number(database,
		"SELECT CASE WHEN to_regclass('ikigai_form') IS NOT NULL THEN 0"
		" WHEN to_regclass('sessions') IS NULL THEN 1 ELSE 2 END",
		NULL);

	if (found == OURS)
		return;
	if (found == OTHERS)
		ik_error_set(&database->error, IK_DENIED,
			_("%s is the database of another program: it has a table \"sessions\" of its own."),
			database->name);
	ik_database_run(database,
		"BEGIN; SELECT pg_advisory_xact_lock(" MAKING_LOCK ");"
		" CREATE TABLE IF NOT EXISTS ikigai_form(version integer NOT NULL);"
		" COMMIT");
}

static void put_part(struct ik_buf *out, const char *name, const char *value)
{
	ik_buf_printf(out, "%s%s='", out->length > 0 ? " " : "", name);
	for (; *value; value++) {
		if (*value == '\'' || *value == '\\')
			ik_buf_putc(out, '\\');
		ik_buf_putc(out, *value);
	}
	ik_buf_putc(out, '\'');
}

/* Return an option's value; NULL if it has none. */
static const char *value_of(const PQconninfoOption *options, const char *keyword)
{
	for (; options && options->keyword; options++)
		if (ik_text_equal(options->keyword, keyword))
			return options->val && options->val[0] ? options->val : NULL;
	return NULL;
}

void ik_server_put_identity(const char *address, struct ik_buf *out)
{
	static const char *const parts[] = { "host", "hostaddr", "port", "dbname", "user", "options" };
	PQconninfoOption *options = PQconninfoParse(address, NULL), *defaults;
	const char *service = value_of(options, "service");

	/* libpq reads a service's defaults only under this name. */
	if (service)
		(void)setenv("PGSERVICE", service, 1);
	defaults = PQconndefaults();
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *value = value_of(options, parts[i]);

		if (!value)
			value = value_of(defaults, parts[i]);
		if (value)
			put_part(out, parts[i], value);
	}
	PQconninfoFree(defaults);
	PQconninfoFree(options);
}

/* Does an address name several hosts? Set *ret_silent_s to its connect_timeout, if it has one. */
static bool read_address(const char *address, int *ret_silent_s)
{
	PQconninfoOption *options = PQconninfoParse(address, NULL);
	const char *host = value_of(options, "host"), *number = value_of(options, "hostaddr");
	const char *timeout = value_of(options, "connect_timeout");
	long seconds = timeout ? strtol(timeout, NULL, 10) : 0;
	bool several = (host && strchr(host, ',')) || (number && strchr(number, ','));

	if (seconds > 0 && seconds <= INT_MAX / 1000)
		*ret_silent_s = (int)seconds;
	PQconninfoFree(options);
	return several;
}

static void ignore_notice(void *arg, const char *message)
{
	(void)arg;
	(void)message;
}

void ik_server_connect(struct ik_server *server)
{
	const char *address = server->base.address;
	int silent_s = SILENT_S;
	bool several = read_address(address, &silent_s);
	char seconds[16], milliseconds[16];
	/* What comes after the address wins over its own settings. A silent host is given up after this
	 * time, while connecting and later; of several hosts the writable one is used. */
	const char *const keywords[] = { "application_name", "connect_timeout", "tcp_user_timeout",
		"keepalives_idle", "target_session_attrs", "dbname", "client_encoding", NULL };
	const char *values[] = { "ikigai", seconds, milliseconds, seconds,
		several ? "read-write" : "any", address, "UTF8", NULL };
	const char *encoding;

	server->silent_ms = silent_s * 1000;
	(void)snprintf(seconds, sizeof(seconds), "%d", silent_s);
	(void)snprintf(milliseconds, sizeof(milliseconds), "%d", server->silent_ms);
	server->base.name = ik_redact(address);
	server->prepared = NULL;
	server->state[0] = '\0';
	server->connection = PQconnectdbParams(keywords, values, 1);
	if (!server->connection)
		ik_alloc_fail();
	if (PQstatus(server->connection) != CONNECTION_OK) {
		lose(server);
		return;
	}
	(void)PQsetNoticeProcessor(server->connection, ignore_notice, NULL);
	if (!PQenterPipelineMode(server->connection)) {
		lose(server);
		return;
	}
	encoding = PQparameterStatus(server->connection, "server_encoding");
	server->ascii = !encoding || !ik_text_equal(encoding, "UTF8");
	server->base.user = PQuser(server->connection);
}

void ik_database_open(struct ik_database *database)
{
	struct ik_server *server = server_of(database);

	ik_server_connect(server);
	check_owner(database);
	if (ik_database_failed(database))
		return;
	ik_database_migrate(database, &ik_postgres_form);
	if (ik_database_failed(database) && ik_text_equal(server->state, "42501"))
		ik_error_set(&database->error, database->error.status,
			_("The tables of the database %s are older than this ikigai: their "
			  "owner has to use it once."),
			database->name);
}

bool ik_database_is_open(const struct ik_database *database)
{
	return ((const struct ik_server *)database)->connection;
}

void ik_database_close(struct ik_database *database)
{
	drop(server_of(database));
	free(database->name);
	database->name = NULL;
}

/* ---- the index of words ---- */

void ik_database_put_words(struct ik_buf *out, const char *text, size_t length)
{
	ik_search_words(out, text, length, IK_SEARCH_PLACES);
}

void ik_database_put_query(const struct ik_search_query *query, struct ik_buf *out)
{
	ik_search_query_put_ts(query, out);
}

void ik_database_drop_words(struct ik_database *database, const char *session, int64_t count)
{
	ik_database_change(database,
		"DELETE FROM search WHERE session = ?1 AND sequence IN (SELECT e.sequence" IK_OLDEST_EVENTS
		")",
		IK_VALUES(ik_value_id(session), ik_value_number(count)));
}

#define EVENT \
	"e.id, e.sequence, e.kind, e.content, e.data_json::text, e.exact_content, e.exact_data, " \
	"e.time"

/* The row of a deleted session with forks may be changed only by its owner. */
#define BEHIND \
	"searched < last_sequence AND (event_count > 0 OR owner IS NULL OR owner = session_user)" \
	" ORDER BY id"

/* Where an event is in the index. */
#define EVENT_PLACE "e.time || ' ' || e.session || ' ' || e.sequence"
/* Where the previous page ended. */
#define PLACE \
	"(split_part(?2, ' ', 1)::bigint, split_part(?2, ' ', 2)::uuid," \
	" split_part(?2, ' ', 3)::bigint)"
/* Look up the owner of each hit, not all sessions of an owner. */
#define FOUND \
	"words @@ ?1::tsquery" \
	" AND (?3 IS NULL OR session IN (SELECT id FROM sessions WHERE directory = ?3))" \
	" AND (?4 IS NULL OR (SELECT owner = ?4 OR owner IS NULL FROM sessions WHERE id = s.session))"

const char ik_database_kind[] = "postgres";

const struct ik_database_sql ik_database_sql = {
	.lock_journal = "SELECT pg_advisory_xact_lock(hashtextextended(?1, 0))",
	.state = "SELECT s.last_sequence, EXISTS (SELECT FROM locks WHERE session = ?1"
			 " AND holder IS NOT NULL AND process IS DISTINCT FROM ?3 AND expires > now())::int,"
			 " e.id, CASE WHEN e.session = s.id THEN e.sequence ELSE 0 END FROM sessions s"
			 " LEFT JOIN events e ON e.id = ANY(string_to_array(?2, ',')::uuid[])"
			 " WHERE s.id = ?1 FOR UPDATE OF s",
	.add_event = "INSERT INTO events(id, session, sequence, kind, content, data_json, time,"
				 " exact_content, exact_data, size)"
				 " VALUES(?1, ?2, ?3, ?4, ?5, ?6::json, ?7, ?8, ?9, ?10)"
				 " ON CONFLICT(id) DO NOTHING",
	.holder =
		"(SELECT row_to_json(l) FROM (SELECT host, user_name AS user, pid, since AS since_ms,"
		" place FROM locks WHERE session = s.id AND holder IS NOT NULL AND expires > now()) l)",
	.among = "= ANY(string_to_array(?1, ',')::uuid[])",
	.event = EVENT,
	/* Search the newest events first, which is enough for common words; a phrase is checked in each
	 * event that has its words in any case. Find older events by their words, never in order of
	 * time: in that order, two common words that never occur together would be searched for
	 * everywhere. */
	.search =
		"WITH recent AS MATERIALIZED (SELECT session, sequence, time FROM (SELECT * FROM search"
		"  WHERE ?2 IS NULL OR (time, session, sequence) < " PLACE
		"  ORDER BY time DESC, session DESC, sequence DESC"
		"  LIMIT CASE WHEN ?1 LIKE '%<->%' THEN 300000 ELSE 20000 END) s"
		"  WHERE " FOUND " LIMIT ?5), hits AS MATERIALIZED ("
		" SELECT * FROM recent WHERE (SELECT count(*) FROM recent) = ?5 UNION ALL"
		" (SELECT session, sequence, time FROM search s"
		"  WHERE (SELECT count(*) FROM recent) < ?5"
		"  AND (?2 IS NULL OR (time + 0, session, sequence) < " PLACE ")"
		"  AND " FOUND " ORDER BY time + 0 DESC, session DESC, sequence DESC LIMIT ?5))"
		" SELECT " EVENT ", " EVENT_PLACE ", " IK_SESSION_COLUMNS " FROM hits h"
		" JOIN events e ON e.session = h.session AND e.sequence = h.sequence"
		" LEFT JOIN LATERAL (SELECT * FROM sessions WHERE id = " IK_SHOWN_SESSION
		" LIMIT 1) s ON true"
		" ORDER BY h.time DESC, h.session DESC, h.sequence DESC",
	.behind =
		"SELECT coalesce(sum(last_sequence - searched), 0) FROM (SELECT last_sequence, searched"
		" FROM sessions WHERE " BEHIND " LIMIT 1000) s",
	/* Other programs index other ones of the first sessions. Nothing here may read all sessions:
	 * there can be a million. Very many words are sorted in half the time if they wait in the
	 * pending list; for the last ones, which a search may read there, keep it short. */
	.choose = "SELECT string_agg(id::text, ','), set_config('work_mem', '128MB', true),"
			  " set_config('gin_pending_list_limit', CASE WHEN count(*) = 16"
			  "  OR sum(least(event_count, last_sequence - searched)) > 1000"
			  "  THEN '32MB' ELSE '1MB' END, true),"
			  " pg_sleep(CASE count(*) WHEN 0 THEN 0.05 ELSE 0 END)"
			  " FROM (SELECT id, event_count, last_sequence, searched FROM sessions WHERE " BEHIND
			  "  LIMIT 16 FOR UPDATE SKIP LOCKED) s",
	/* Words past a mark are of events that somebody has deleted with SQL. Look for them in one
	 * session after the other: it seems to the server that there are many. */
	.unindexed = "WITH stale AS (DELETE FROM search WHERE ctid = ANY(ARRAY(SELECT w.ctid"
				 "  FROM sessions s, LATERAL (SELECT ctid FROM search WHERE session = s.id"
				 "   AND sequence > s.searched AND sequence <= s.last_sequence OFFSET 0) w"
				 "  WHERE s.id = ANY(string_to_array(?1, ',')::uuid[]))))"
				 " SELECT " EVENT ", " EVENT_PLACE ", e.of, e.mark FROM (SELECT e.*, s.id AS of,"
				 "  coalesce(e.sequence, s.last_sequence) AS mark,"
				 "  sum(e.size) OVER (ORDER BY s.id, e.sequence) - e.size AS before"
				 "  FROM sessions s LEFT JOIN LATERAL (SELECT * FROM events WHERE session = s.id"
				 "   AND sequence > s.searched ORDER BY sequence LIMIT 200) e ON true"
				 "  WHERE s.id = ANY(string_to_array(?1, ',')::uuid[])) e"
				 " WHERE e.before IS NULL OR e.before < 8388608 ORDER BY e.of, e.sequence",
	.add_words = "INSERT INTO search(time, session, sequence, words)"
				 " SELECT split_part(key, ' ', 1)::bigint, split_part(key, ' ', 2)::uuid,"
				 " split_part(key, ' ', 3)::bigint, value::tsvector"
				 " FROM json_each_text(?1::json) WHERE value <> ''",
	.set_mark = "UPDATE sessions SET searched = ?2 WHERE id = ?1",
	.drop_parts = "DELETE FROM blobs WHERE id IN (SELECT (e.data->'blobs'->stream->>'id')::uuid"
				  " FROM events e, unnest(ARRAY['stdout', 'stderr']) stream"
				  " WHERE e.kind IN ('tool_result', 'command') AND e.session = ?1"
				  " AND e.sequence IN (SELECT e.sequence" IK_OLDEST_EVENTS ")"
				  " UNION ALL SELECT CASE WHEN id ~"
				  "  '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN id::uuid END"
				  " FROM (SELECT jsonb_path_query(e.data, '$.attached[*].blob') #>> '{}' AS id"
				  "  FROM events e WHERE e.kind IN ('user', 'tool_result', 'command')"
				  "  AND e.session = ?1 AND e.sequence IN (SELECT e.sequence" IK_OLDEST_EVENTS
				  ")) files)",
};
