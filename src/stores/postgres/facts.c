#include "stores/postgres/facts.h"

#include "json/write.h"
#include "stores/postgres/server.h"
#include "stores/postgres/tables.h"

/* A right that the program needs on a table. */
#define MAY(right, table) \
	"coalesce(has_table_privilege(to_regclass('" table "')::oid, '" right "'), false)"
/* Events and large texts are never changed. */
#define MAY_ADD(table) \
	MAY("SELECT", table) " AND " MAY("INSERT", table) " AND " MAY("DELETE", table)

static const char question[] =
	"SELECT has_form AND can_use, json_strip_nulls(row_to_json(f)) FROM (SELECT"
	" current_setting('server_version') AS server, current_user::text AS role,"
	" (SELECT pg_encoding_to_char(encoding) FROM pg_database"
	"  WHERE datname = current_database()) AS encoding,"
	" pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS read_only,"
	" coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS can_create,"
	" to_regclass('ikigai_form') IS NOT NULL AS has_form,"
	" to_regclass('ikigai_form') IS NULL AND to_regclass('sessions') IS NOT NULL AS has_others,"
	/* clang-format off */
	" " MAY_ADD("sessions") " AND " MAY("UPDATE", "sessions") " AND " MAY_ADD("events") " AND "
	MAY_ADD("blobs") " AS can_use,"
										   /* clang-format on */
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
										   "  WHERE oid = to_regclass('sessions')), false) AS "
										   "owns) f";
enum { USABLE, FACTS };

/* The form of the tables that the columns below are of. */
#define LOCKS_FORM 4
static const char locks[] =
	"SELECT count(*) OVER (), row_to_json(l) FROM (SELECT session, host, user_name AS user, pid,"
	" since AS since_ms, place, started FROM locks WHERE holder IS NOT NULL AND expires > now()"
	" ORDER BY since DESC, session) l LIMIT 8";

static enum ik_status send_locks(struct ik_database *database, int64_t *ret_held,
	struct ik_error *error)
{
	struct ik_rows *rows;
	enum ik_status status = ik_database_ask(database, locks, NULL, &rows, error);

	if (status != IK_OK)
		return status;
	while (ik_rows_next(rows, &status, error)) {
		*ret_held = ik_rows_number(rows, 0);
		ik_json_printf(ik_connection_begin(database->client), "'lock':%s", ik_rows_text(rows, 1));
		ik_connection_send(database->client);
	}
	(void)ik_rows_free(rows);
	return status;
}

/* Who may not use the tables cannot be told more of them. */
static enum ik_status ask_tables(struct ik_database *database, bool usable, int64_t *ret_form,
	int64_t *ret_held, struct ik_error *error)
{
	enum ik_status status = IK_OK;

	if (usable)
		status = ik_database_number(database, ik_postgres_form.ask, NULL, ret_form, error);
	if (status == IK_OK && *ret_form >= LOCKS_FORM)
		status = send_locks(database, ret_held, error);
	return status;
}

static enum ik_status put_facts(struct ik_database *database, struct ik_error *error)
{
	int64_t form = 0, held = 0;
	struct ik_rows *rows;
	enum ik_status status = ik_database_ask(database, question, NULL, &rows, error);
	struct ik_buf *line;

	if (status != IK_OK)
		return status;
	if (ik_rows_next(rows, &status, error)) {
		status = ask_tables(database, ik_rows_text(rows, USABLE)[0] == 't', &form, &held, error);
		line = ik_connection_begin(database->client);
		ik_rows_put_members(rows, FACTS, line);
		ik_json_printf(line, "'version':%lld,'wanted':%zu,'locks_held':%lld", (long long)form,
			ik_postgres_form.count, (long long)held);
	}
	(void)ik_rows_free(rows);
	return status;
}

enum ik_status ik_answer_facts(struct ik_database *database, struct ik_error *error)
{
	struct ik_server server = { .base = {
									.client = database->client,
									.address = database->address,
									.interruptible = true,
								} };
	enum ik_status status = ik_server_connect(&server, error);

	if (status == IK_OK)
		status = put_facts(&server.base, error);
	ik_database_close(&server.base);
	return status;
}
