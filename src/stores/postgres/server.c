#include "stores/postgres/server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "store/migrate.h"
#include "stores/postgres/tables.h"
#include "util/alloc.h"
#include "util/redact.h"
#include "util/text.h"
#include "util/utf8.h"

/* Of several programs that come first one makes the tables; any number of ours will do. */
#define LOCK "7308327837116294983"
/* A request has one large value at most: a batch of events. */
#define VALUE_LIMIT ((size_t)1 << 30)

/* ---- failures ---- */

/* The server's or the library's words in one line; new memory. */
static char *words_of(const char *message)
{
	struct ik_buf out;

	ik_buf_init(&out, 1 << 16);
	for (; *message; message++)
		if (*message != '\n' || message[1])
			ik_buf_putc(&out, *message == '\n' || *message == '\t' ? ' ' : *message);
	return ik_buf_take(&out, NULL);
}

void ik_server_drop(struct ik_server *server)
{
	PQfinish(server->connection);
	server->connection = NULL;
	server->listens = false;
}

/* The connection is no good any more: say why. */
static enum ik_status lose(struct ik_server *server, struct ik_error *error)
{
	char *words = words_of(PQerrorMessage(server->connection));

	(void)ik_error_set(error, IK_UNAVAILABLE, _("The database %s cannot be reached: %s"),
		server->shown, words[0] ? words : _("the connection was closed"));
	free(words);
	ik_server_drop(server);
	return IK_UNAVAILABLE;
}

/* A failure of a statement as status and sentence. */
static enum ik_status explain(struct ik_server *server, const PGresult *result,
	struct ik_error *error)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	enum ik_status status = IK_IO;
	char *words;

	if (!state || PQstatus(server->connection) == CONNECTION_BAD || ik_text_starts(state, "57P"))
		return lose(server, error);
	words = words_of(message ? message : _("no reason given"));
	if (ik_text_starts(state, "40") || ik_text_equal(state, "55P03"))
		status = IK_UNAVAILABLE;
	else if (ik_text_starts(state, "22") || ik_text_starts(state, "54"))
		status = IK_INVALID;
	if (ik_text_equal(state, "53100"))
		(void)ik_error_set(error, status, _("The disk of the database %s is full."), server->shown);
	else if (ik_text_equal(state, "25006"))
		(void)ik_error_set(error, status, _("The database %s can only be read now."),
			server->shown);
	else if (ik_text_equal(state, "57014"))
		(void)ik_error_set(error, status, _("The database %s takes too long."), server->shown);
	else
		(void)ik_error_set(error, status, _("The database %s refuses: %s (%s)"), server->shown,
			words, state);
	free(words);
	return status;
}

/* ---- parameters ---- */

void ik_statement_init(struct ik_statement *statement, const char *text)
{
	statement->text = text;
	statement->count = 0;
}

static struct ik_buf *next_value(struct ik_statement *statement)
{
	struct ik_buf *value = &statement->values[statement->count];

	ik_buf_init(value, VALUE_LIMIT);
	statement->null[statement->count++] = false;
	return value;
}

static struct ik_buf *last_value(struct ik_statement *statement)
{
	return &statement->values[statement->count - 1];
}

/* Append text without what the server takes for none: U+0000 and invalid UTF-8 become "?". */
static void put_valid(struct ik_buf *out, const char *text, size_t length)
{
	while (length > 0) {
		size_t valid = ik_utf8_valid_prefix(text, length);
		size_t plain = strnlen(text, valid);

		ik_buf_append(out, text, plain);
		if (plain == length)
			return;
		ik_buf_putc(out, '?');
		text += plain + 1;
		length -= plain + 1;
	}
}

void ik_statement_put(struct ik_statement *statement, const char *text)
{
	put_valid(next_value(statement), text ? text : "", text ? strlen(text) : 0);
	statement->null[statement->count - 1] = !text;
}

void ik_statement_put_number(struct ik_statement *statement, int64_t number)
{
	ik_buf_printf(next_value(statement), "%lld", (long long)number);
}

void ik_statement_put_uuid(struct ik_statement *statement, const char *text)
{
	bool valid = strlen(text) == 36 && strspn(text, "0123456789abcdef-") == 36;

	ik_buf_puts(next_value(statement), text);
	statement->null[statement->count - 1] = !valid;
}

static void put_hexadecimal(struct ik_buf *out, const char *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < length; i++) {
		ik_buf_putc(out, digits[(unsigned char)bytes[i] >> 4]);
		ik_buf_putc(out, digits[(unsigned char)bytes[i] & 15]);
	}
}

void ik_statement_put_bytes(struct ik_statement *statement, const char *bytes, size_t length)
{
	struct ik_buf *value = next_value(statement);

	ik_buf_puts(value, "\\x");
	put_hexadecimal(value, bytes, length);
}

void ik_statement_begin_array(struct ik_statement *statement)
{
	ik_buf_putc(next_value(statement), '{');
}

/* Begin an element: a comma after the one before it. */
static struct ik_buf *next_element(struct ik_statement *statement)
{
	struct ik_buf *value = last_value(statement);

	if (value->length > 1)
		ik_buf_putc(value, ',');
	return value;
}

void ik_statement_put_element(struct ik_statement *statement, const char *text, size_t length)
{
	struct ik_buf *value = next_element(statement);
	size_t i, plain;

	ik_buf_putc(value, '"');
	for (i = 0; i < length; i += plain) {
		for (plain = 0; i + plain < length && text[i + plain] != '"' && text[i + plain] != '\\';)
			plain++;
		put_valid(value, text + i, plain);
		if (i + plain < length) {
			ik_buf_putc(value, '\\');
			ik_buf_putc(value, text[i + plain++]);
		}
	}
	ik_buf_putc(value, '"');
}

void ik_statement_put_element_null(struct ik_statement *statement)
{
	ik_buf_puts(next_element(statement), "NULL");
}

void ik_statement_put_element_bytes(struct ik_statement *statement, const char *bytes,
	size_t length)
{
	struct ik_buf *value = next_element(statement);

	ik_buf_puts(value, "\"\\\\x");
	put_hexadecimal(value, bytes, length);
	ik_buf_putc(value, '"');
}

void ik_statement_put_element_number(struct ik_statement *statement, int64_t number)
{
	ik_buf_printf(next_element(statement), "%lld", (long long)number);
}

void ik_statement_end_array(struct ik_statement *statement)
{
	ik_buf_putc(last_value(statement), '}');
}

static void release(struct ik_statement *statement)
{
	while (statement->count > 0)
		ik_buf_done(&statement->values[--statement->count]);
}

/* ---- statements ---- */

/* Wait for the library's next piece of input; a cancellation of the request meanwhile cancels the
 * statement. False: the connection is broken. */
static bool wait_for_input(struct ik_server *server, bool *cancelled)
{
	struct pollfd ready = { .fd = PQsocket(server->connection), .events = POLLIN };
	/* Looked for often enough to seem instant, without a second descriptor to watch. */
	int timeout = server->interruptible && !*cancelled ? 20 : -1;
	char words[256];
	PGcancel *cancel;

	if (poll(&ready, 1, timeout) < 0 && errno != EINTR)
		return false;
	if (server->interruptible && !*cancelled && ik_connection_is_cancelled(server->client)) {
		*cancelled = true;
		cancel = PQgetCancel(server->connection);
		if (cancel)
			(void)PQcancel(cancel, words, sizeof(words));
		PQfreeCancel(cancel);
	}
	return ready.revents == 0 || PQconsumeInput(server->connection);
}

/* Take the results of what was sent: the last one, or the first failure. */
static PGresult *take_result(struct ik_server *server, struct ik_error *error)
{
	PGresult *kept = NULL, *result;
	bool cancelled = false, failed = false;

	for (;;) {
		while (PQisBusy(server->connection))
			if (!wait_for_input(server, &cancelled)) {
				PQclear(kept);
				(void)lose(server, error);
				return NULL;
			}
		result = PQgetResult(server->connection);
		if (!result)
			break;
		if (failed) {
			PQclear(result);
			continue;
		}
		PQclear(kept);
		kept = result;
		failed = PQresultStatus(result) != PGRES_TUPLES_OK &&
			PQresultStatus(result) != PGRES_COMMAND_OK;
	}
	if (!failed && kept)
		return kept;
	if (kept)
		(void)explain(server, kept, error);
	else
		(void)lose(server, error);
	PQclear(kept);
	return NULL;
}

static bool is_lost(struct ik_server *server, struct ik_error *error)
{
	if (server->connection)
		return false;
	(void)ik_error_set(error, IK_UNAVAILABLE, _("The database %s cannot be reached: %s"),
		server->shown, _("the connection was closed"));
	return true;
}

PGresult *ik_server_ask(struct ik_server *server, struct ik_statement *statement,
	struct ik_error *error)
{
	const char *values[IK_STATEMENT_PARAMETERS];
	PGresult *result = NULL;
	bool short_of_memory = false;

	for (int i = 0; i < statement->count; i++) {
		values[i] = statement->null[i] ? NULL : statement->values[i].data;
		short_of_memory = short_of_memory || ik_buf_status(&statement->values[i]) != IK_OK;
	}
	if (short_of_memory)
		(void)ik_error_set(error, IK_TOO_LARGE, _("An event is too large for the database %s."),
			server->shown);
	else if (!is_lost(server, error)) {
		if (PQsendQueryParams(server->connection, statement->text, statement->count, NULL, values,
				NULL, NULL, 0))
			result = take_result(server, error);
		else
			(void)lose(server, error);
	}
	release(statement);
	return result;
}

enum ik_status ik_server_do(struct ik_server *server, struct ik_statement *statement,
	struct ik_error *error)
{
	PGresult *result = ik_server_ask(server, statement, error);

	if (!result)
		return error->status;
	PQclear(result);
	return IK_OK;
}

enum ik_status ik_server_run(struct ik_server *server, const char *statements,
	struct ik_error *error)
{
	PGresult *result;

	if (is_lost(server, error))
		return error->status;
	if (!PQsendQuery(server->connection, statements))
		return lose(server, error);
	result = take_result(server, error);
	if (!result)
		return error->status;
	PQclear(result);
	return IK_OK;
}

enum ik_status ik_server_begin(struct ik_server *server, struct ik_error *error)
{
	return ik_server_run(server, "BEGIN", error);
}

enum ik_status ik_server_end(struct ik_server *server, enum ik_status status,
	struct ik_error *error)
{
	struct ik_error ignored;

	if (status == IK_OK)
		return ik_server_run(server, "COMMIT", error);
	if (server->connection && PQtransactionStatus(server->connection) != PQTRANS_IDLE)
		(void)!ik_server_run(server, "ROLLBACK", &ignored);
	return status;
}

const char *ik_result_text(const PGresult *result, int row, int column)
{
	return PQgetisnull(result, row, column) ? "" : PQgetvalue(result, row, column);
}

int64_t ik_result_number(const PGresult *result, int row, int column)
{
	return strtoll(ik_result_text(result, row, column), NULL, 10);
}

/* ---- opening ---- */

/* One number that a statement gives; 0 where it gives nothing. */
static enum ik_status ask_number(struct ik_server *server, const char *text, int64_t *ret_number,
	struct ik_error *error)
{
	struct ik_statement statement;
	PGresult *result;

	ik_statement_init(&statement, text);
	result = ik_server_ask(server, &statement, error);
	if (!result)
		return error->status;
	*ret_number = PQntuples(result) > 0 ? ik_result_number(result, 0, 0) : 0;
	PQclear(result);
	return IK_OK;
}

static enum ik_status get_version(void *server, int64_t *ret_version, struct ik_error *error)
{
	return ask_number(server, "SELECT version FROM ikigai_form", ret_version, error);
}

static enum ik_status set_version(void *server, int64_t version, struct ik_error *error)
{
	char *text = ik_format("DELETE FROM ikigai_form; INSERT INTO ikigai_form VALUES(%lld)",
		(long long)version);
	enum ik_status status = ik_server_run(server, text, error);

	free(text);
	return status;
}

static enum ik_status execute(void *server, const char *statements, struct ik_error *error)
{
	return ik_server_run(server, statements, error);
}

static enum ik_status migrate(struct ik_server *server, struct ik_error *error)
{
	static const struct ik_migrate_ops ops = {
		.begin = "BEGIN; SELECT pg_advisory_xact_lock(" LOCK ")",
		.version = get_version,
		.set_version = set_version,
		.execute = execute,
	};
	int64_t ours = 0, others = 0;
	enum ik_status status = ask_number(server,
		"SELECT (to_regclass('ikigai_form') IS NOT NULL)::int", &ours, error);

	if (status == IK_OK && !ours) {
		status = ask_number(server, "SELECT (to_regclass('sessions') IS NOT NULL)::int", &others,
			error);
		if (status == IK_OK && others)
			return ik_error_set(error, IK_DENIED,
				_("%s is the database of another program: it has a table \"sessions\" of its own."),
				server->shown);
		if (status == IK_OK)
			status = ik_server_run(server,
				"BEGIN; SELECT pg_advisory_xact_lock(" LOCK ");"
				" CREATE TABLE IF NOT EXISTS ikigai_form(version integer NOT NULL); COMMIT",
				error);
	}
	return status != IK_OK
		? status
		: ik_migrate(&ops, server, server->shown, ik_postgres_steps, ik_postgres_step_count, error);
}

static void ignore_notice(void *arg, const char *message)
{
	(void)arg;
	(void)message;
}

enum ik_status ik_server_open(struct ik_server *server, const char *address,
	struct ik_connection *client, struct ik_error *error)
{
	/* What the address says itself wins: it comes last. A host that stays silent is left after this
	 * time for the next one, in connecting and afterwards. */
	static const char *const keywords[] = { "application_name", "connect_timeout",
		"tcp_user_timeout", "client_encoding", "dbname", NULL };
	const char *values[] = { "ikigai", "10", "10000", "UTF8", address, NULL };
	const char *encoding;

	memset(server, 0, sizeof(*server));
	server->client = client;
	server->shown = ik_redact(address);
	server->connection = PQconnectdbParams(keywords, values, 1);
	if (!server->connection)
		ik_alloc_fail();
	if (PQstatus(server->connection) != CONNECTION_OK)
		return lose(server, error);
	(void)PQsetNoticeProcessor(server->connection, ignore_notice, NULL);
	encoding = PQparameterStatus(server->connection, "server_encoding");
	server->ascii = !encoding || !ik_text_equal(encoding, "UTF8");
	return migrate(server, error);
}

void ik_server_close(struct ik_server *server)
{
	if (server->connection)
		PQfinish(server->connection);
	free(server->shown);
	memset(server, 0, sizeof(*server));
}
