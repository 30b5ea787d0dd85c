#include "stores/postgres/facts.h"

#include <stdlib.h>

#include "json/write.h"
#include "stores/postgres/server.h"
#include "stores/postgres/tables.h"

/* A right that the program needs on a table. */
#define MAY(right, table) \
	"coalesce(has_table_privilege(to_regclass('" table "')::oid, '" right "'), false)"
/* Events and large texts are never changed. */
#define MAY_ADD(table) \
	MAY("SELECT", table) " AND " MAY("INSERT", table) " AND " MAY("DELETE", table)

/* The columns' names are those of the answer. */
static const char question[] =
	"SELECT current_setting('server_version') AS server, current_user::text AS role,"
	" (SELECT pg_encoding_to_char(encoding) FROM pg_database"
	"  WHERE datname = current_database()) AS encoding,"
	" pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS read_only,"
	" coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS can_create,"
	" to_regclass('ikigai_form') IS NOT NULL AS has_form,"
	" to_regclass('ikigai_form') IS NULL AND to_regclass('sessions') IS NOT NULL AS has_others,"
	" " MAY_ADD("sessions") " AND " MAY("UPDATE", "sessions") " AND " MAY_ADD(
		"events") " AND " MAY_ADD("blobs") " AS can_use,"
										   " coalesce((SELECT greatest(reltuples, 0)::bigint FROM "
										   "pg_class"
										   "  WHERE oid = to_regclass('events')), 0) AS events,"
										   " coalesce((SELECT greatest(reltuples, 0)::bigint FROM "
										   "pg_class"
										   "  WHERE oid = to_regclass('sessions')), 0) AS sessions,"
										   " pg_database_size(current_database()) AS bytes,"
										   " (extract(epoch FROM clock_timestamp()) * "
										   "1000)::bigint AS clock_ms,"
										   " inet_client_addr() IS NULL OR coalesce((SELECT ssl "
										   "FROM pg_stat_ssl"
										   "  WHERE pid = pg_backend_pid()), false) AS encrypted,"
										   " (SELECT relowner::regrole::text FROM pg_class WHERE "
										   "oid = to_regclass('sessions')) AS owner,"
										   " coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM "
										   "pg_class"
										   "  WHERE oid = to_regclass('sessions')), false) AS owns,"
										   " pg_backend_pid() AS process";
/* As the columns are above. */
enum { HAS_FORM = 5, CAN_USE = 7, PROCESS = 15 };

/* The form of the tables that the columns below are of. */
#define LOCKS_FORM 4
static const char locks[] =
	"SELECT session, host, user_name AS user, pid, since AS since_ms, place, started,"
	" count(*) OVER () AS held FROM locks WHERE holder IS NOT NULL AND expires > now()"
	" ORDER BY since DESC, session LIMIT 8";
enum { HELD = 7 };

/* Append columns of a row as members, by their names. */
static void put_columns(struct ik_buf *line, struct ik_rows *rows, int count)
{
	for (int i = 0; i < count; i++) {
		const char *text = ik_rows_text(rows, i);

		if (ik_rows_is_null(rows, i))
			continue;
		ik_json_key(line, ik_server_column_name(rows, i));
		switch (ik_server_column_kind(rows, i)) {
		case IK_SERVER_NUMBER:
			ik_json_put_integer(line, ik_rows_number(rows, i));
			break;
		case IK_SERVER_BOOL:
			ik_json_put_bool(line, text[0] == 't');
			break;
		case IK_SERVER_TEXT:
			ik_json_put_text(line, text);
			break;
		}
	}
}

static enum ik_status send_locks(struct ik_server *server, int64_t *ret_held,
	struct ik_error *error)
{
	struct ik_connection *client = server->base.client;
	struct ik_rows *rows;
	enum ik_status status = ik_database_ask(&server->base, locks, NULL, &rows, error);

	if (status != IK_OK)
		return status;
	while (ik_rows_next(rows, &status, error)) {
		struct ik_buf *line = ik_connection_begin(client);

		*ret_held = ik_rows_number(rows, HELD);
		ik_json_key(line, "lock");
		ik_json_open(line, '{');
		put_columns(line, rows, HELD);
		ik_json_close(line, '}');
		ik_connection_send(client);
	}
	(void)ik_rows_free(rows);
	return status;
}

static void put_number(struct ik_buf *line, const char *name, int64_t number)
{
	ik_json_key(line, name);
	ik_json_put_integer(line, number);
}

/* Who may not use the tables cannot be told more of them. */
static enum ik_status ask_tables(struct ik_server *server, bool usable, int64_t *ret_form,
	int64_t *ret_held, struct ik_error *error)
{
	enum ik_status status = IK_OK;

	if (usable)
		status = ik_database_number(&server->base, ik_postgres_form.ask, NULL, ret_form, error);
	if (status == IK_OK && *ret_form >= LOCKS_FORM)
		status = send_locks(server, ret_held, error);
	return status;
}

static enum ik_status put_facts(struct ik_server *server, struct ik_error *error)
{
	int64_t form = 0, held = 0;
	struct ik_rows *rows;
	enum ik_status status = ik_database_ask(&server->base, question, NULL, &rows, error);
	struct ik_buf *line;
	bool usable;

	if (status != IK_OK)
		return status;
	if (ik_rows_next(rows, &status, error)) {
		usable = ik_rows_text(rows, HAS_FORM)[0] == 't' && ik_rows_text(rows, CAN_USE)[0] == 't';
		status = ask_tables(server, usable, &form, &held, error);
		line = ik_connection_begin(server->base.client);
		put_columns(line, rows, PROCESS);
		put_number(line, "version", form);
		put_number(line, "wanted", (int64_t)ik_postgres_form.count);
		put_number(line, "locks_held", held);
		/* A pooler gives its clients a process id of its own making. */
		ik_json_key(line, "pooled");
		ik_json_put_bool(line,
			server->connection &&
				ik_rows_number(rows, PROCESS) != PQbackendPID(server->connection));
	}
	(void)ik_rows_free(rows);
	return status;
}

enum ik_status ik_answer_facts(struct ik_database *database, struct ik_error *error)
{
	struct ik_server server = { .base = {
									.ops = database->ops,
									.client = database->client,
									.address = database->address,
									.interruptible = true,
								} };
	enum ik_status status = ik_server_connect(&server, error);

	if (status == IK_OK)
		status = put_facts(&server, error);
	server.base.ops->close(&server.base);
	return status;
}
