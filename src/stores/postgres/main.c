/*
 * store-postgres ADDRESS JOURNALS: the store program (ikigai-store(7)) for a PostgreSQL server,
 * with the requests that only a server answers.
 */
#include <stdio.h>
#include <stdlib.h>

#include "json/write.h"
#include "stores/old_files.h"
#include "stores/postgres/server.h"
#include "stores/service.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* ---- facts: what the server reports about itself ---- */

/* Events and large texts are never updated; some columns of sessions are. */
#define MAY_USE \
	"coalesce(has_any_column_privilege(to_regclass('sessions')::oid, 'UPDATE'), false)" \
	" AND (SELECT bool_and(coalesce(has_table_privilege(to_regclass(t)::oid, may), false))" \
	"  FROM unnest(ARRAY['sessions', 'events', 'blobs']) t," \
	"  unnest(ARRAY['SELECT', 'INSERT', 'DELETE']) may)"

static const char question[] =
	"SELECT has_form AND can_use, json_strip_nulls(row_to_json(f)) FROM (SELECT"
	" current_setting('server_version') AS server, current_user::text AS role,"
	" (SELECT pg_encoding_to_char(encoding) FROM pg_database"
	"  WHERE datname = current_database()) AS encoding,"
	" pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS read_only,"
	" coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS can_create,"
	" to_regclass('ikigai_form') IS NOT NULL AS has_form,"
	" to_regclass('ikigai_form') IS NULL AND to_regclass('sessions') IS NOT NULL AS has_others,"
	" " MAY_USE " AS can_use,"
	" coalesce((SELECT greatest(reltuples, 0)::bigint FROM pg_class"
	"  WHERE oid = to_regclass('events')), 0) AS events,"
	" coalesce((SELECT greatest(reltuples, 0)::bigint FROM pg_class"
	"  WHERE oid = to_regclass('sessions')), 0) AS sessions,"
	" pg_database_size(current_database()) AS bytes,"
	" (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock_ms,"
	" inet_client_addr() IS NULL OR coalesce((SELECT ssl FROM pg_stat_ssl"
	"  WHERE pid = pg_backend_pid()), false) AS encrypted,"
	" (SELECT relowner::regrole::text FROM pg_class"
	"  WHERE oid = to_regclass('sessions')) AS owner,"
	" coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class"
	"  WHERE oid = to_regclass('sessions')), false) AS owns) f";
enum { USABLE, FACTS };

/* First version of the tables that has the columns below. */
#define LOCKS_FORM 4
static const char open_locks[] =
	"SELECT count(*) OVER (), session, row_to_json(l) FROM locks, LATERAL (SELECT host,"
	" user_name AS user, pid, since AS since_ms, place) l"
	" WHERE holder IS NOT NULL AND expires > now() ORDER BY since DESC, session LIMIT 8";

/* Send the newest sessions that are open for writing. Return the number of all open ones. */
static int64_t send_locks(struct ik_database *database)
{
	struct ik_rows *rows = ik_database_ask(database, open_locks, NULL);
	int64_t held = 0;

	while (ik_rows_next(rows)) {
		held = ik_rows_number(rows, 0);
		ik_json_printf(ik_connection_begin(database->client), "'session':{'id':'%s','lock':%s}",
			ik_rows_text(rows, 1), ik_rows_text(rows, 2));
		ik_connection_send(database->client);
	}
	(void)ik_rows_free(rows);
	return held;
}

static void put_facts(struct ik_database *database)
{
	struct ik_rows *rows = ik_database_ask(database, question, NULL);
	int64_t form = 0, held = 0;
	struct ik_buf *line;

	if (ik_rows_next(rows)) {
		/* Without privileges on the tables nothing more can be read. */
		if (ik_rows_text(rows, USABLE)[0] == 't')
			form = ik_database_number(database, ik_postgres_form.ask, NULL);
		if (form >= LOCKS_FORM)
			held = send_locks(database);
		line = ik_connection_begin(database->client);
		ik_rows_put_members(rows, FACTS, line);
		ik_json_printf(line, "'version':%lld,'wanted':%zu,'locks_held':%lld", (long long)form,
			ik_postgres_form.count, (long long)held);
	}
	(void)ik_rows_free(rows);
}

/* facts: changes nothing, and the tables needn't exist. */
static void answer_facts(struct ik_database *database)
{
	database->interruptible = true;
	ik_server_connect((struct ik_server *)database);
	put_facts(database);
	ik_database_close(database);
}

/* ---- leases: which process may write to a session, until a time on the server's clock ---- */

/* The holder renews its lease; a process that wants the session asks for it in the same row, where
 * others see it when they look. A row of the asking process's own place binds nobody: there, lock
 * files decide (store/lock.h). */
#define LEASE "interval '90 seconds'"
#define NOW "(extract(epoch FROM now()) * 1000)::bigint"
#define HELD "(holder IS NOT NULL AND expires > now())"
#define ELSEWHERE "(" HELD " AND holder <> ?2 AND place IS DISTINCT FROM ?6)"
#define ASKED "(asker IS NOT NULL AND asker_expires > now())"

/*
 * Every statement gets all parameters in this order, even those it doesn't use: ?1 the session, ?2
 * the process, ?3 host, ?4 user, ?5 pid, ?6 place.
 */
static const char add_row[] = "INSERT INTO locks(session) VALUES(?1) ON CONFLICT DO NOTHING";

static const char take[] =
	"UPDATE locks SET holder = ?2, process = ?2, host = ?3, user_name = ?4, pid = ?5, place = ?6,"
	" since = CASE WHEN holder = ?2 THEN since ELSE " NOW " END, expires = now() + " LEASE ","
	" asker = CASE WHEN asker = ?2 THEN NULL ELSE asker END"
	" WHERE session = ?1 AND NOT " ELSEWHERE;

/* A refused asker has to ask again, once the refusal was reported. */
static const char ask[] =
	"UPDATE locks SET asker = ?2, asker_host = ?3, asker_user = ?4, asker_pid = ?5,"
	" asker_since = CASE WHEN asker = ?2 THEN asker_since ELSE " NOW " END,"
	" asker_expires = now() + " LEASE " WHERE session = ?1 AND " ELSEWHERE
	" AND refused IS DISTINCT FROM ?2 AND (asker = ?2 OR NOT " ASKED ")";

static const char withdraw[] = "UPDATE locks SET asker = NULL WHERE session = ?1 AND asker = ?2";

static const char refuse[] =
	"UPDATE locks SET refused = asker, asker = NULL WHERE session = ?1 AND holder = ?2"
	" AND asker IS NOT NULL";

static const char release[] = "UPDATE locks SET holder = NULL WHERE session = ?1 AND holder = ?2";

/* Also deletes rows of killed processes that no one has looked at since. */
static const char forget[] =
	"DELETE FROM locks WHERE (session = ?1 AND holder IS NULL AND asker IS NULL)"
	" OR (expires < now() - interval '1 hour' AND asker_expires < now() - interval '1 hour')";

static const char state[] = "SELECT json_strip_nulls(json_build_object("
							"'holder', CASE WHEN " ELSEWHERE " THEN json_build_object("
							"  'host', host, 'user', user_name, 'pid', pid, 'since_ms', since) END,"
							" 'asker', CASE WHEN " ASKED
							" THEN json_build_object('host', asker_host,"
							"  'user', asker_user, 'pid', asker_pid, 'since_ms', asker_since) END,"
							" 'refused', refused IS NOT DISTINCT FROM ?2,"
							" 'newest', (SELECT last_sequence FROM sessions WHERE id = ?1)))"
							" FROM (SELECT ?1 AS wanted) one LEFT JOIN locks ON session = wanted";

/* A refusal is reported once. */
static const char forget_refusal[] =
	"UPDATE locks SET refused = NULL WHERE session = ?1 AND refused = ?2";

static const struct lease_step {
	const char *name;
	const char *statements[3];
} steps[] = {
	{ "take", { add_row, take } },
	{ "ask", { add_row, take, ask } },
	{ "refuse", { refuse } },
	{ "release", { withdraw, release, forget } },
};

static const struct lease_step *find_step(const char *name)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (name && ik_text_equal(steps[i].name, name))
			return &steps[i];
	return NULL;
}

/* Run the step and send the new state, in one transaction. */
static void take_step(struct ik_database *database, const struct lease_step *step,
	const struct ik_value *values)
{
	struct ik_rows *rows;

	ik_database_begin(database);
	for (size_t i = 0; i < 3 && step->statements[i]; i++)
		ik_database_change(database, step->statements[i], values);
	rows = ik_database_ask(database, state, values);
	if (ik_rows_next(rows))
		ik_rows_put_members(rows, 0, ik_connection_begin(database->client));
	(void)ik_rows_free(rows);
	ik_database_change(database, forget_refusal, values);
	ik_database_end(database);
}

static void answer_lease(struct ik_database *database)
{
	struct ik_server *server = (struct ik_server *)database;
	struct ik_connection *client = database->client;
	const char *name = ik_connection_text(client, "step");
	const struct lease_step *step = find_step(name);
	const struct ik_value session = ik_value_id(ik_connection_text(client, "session")),
						  process = ik_value_id(ik_connection_text(client, "process"));

	if (process.text)
		(void)snprintf(server->process, sizeof(server->process), "%s", process.text);
	if (!step)
		ik_error_set(&database->error, IK_INVALID, "There is no step \"%s\".", name ? name : "");
	else if (!session.text || !process.text)
		ik_error_set(&database->error, IK_INVALID, "A lease is for a session and a process.");
	else
		take_step(database, step,
			IK_VALUES(session, process, ik_value_text(ik_connection_text(client, "host")),
				ik_value_text(ik_connection_text(client, "user")),
				ik_value_number(ik_connection_number(client, "pid", 0)),
				ik_value_text(ik_connection_text(client, "place"))));
}

/* Release the leases of a client that is gone. */
static void end_leases(struct ik_database *database)
{
	const struct ik_value *process =
		IK_VALUES(ik_value_id(((struct ik_server *)database)->process));

	if (!process->text)
		return;
	ik_database_change(database, "UPDATE locks SET holder = NULL WHERE process = ?1", process);
	ik_database_change(database,
		"DELETE FROM locks WHERE process = ?1 AND holder IS NULL AND asker IS NULL", process);
}

/* ---- the program ---- */

static const struct ik_store_verb verbs[] = {
	{ "facts", answer_facts, IK_VERB_CLOSED },
	{ "lease", answer_lease, IK_VERB_PLAIN },
	{ NULL, NULL, IK_VERB_LONG },
};

/* Convert old files, whose names start with a hash of the database's identity. */
static void convert_old_files(const struct ik_database *database, const char *journals)
{
	struct ik_buf identity;
	char *prefix;

	ik_buf_init(&identity, IK_KIB(64));
	ik_server_put_identity(database->address, &identity);
	prefix = ik_format("%016llx-", (unsigned long long)ik_text_hash(identity.data));
	ik_old_files_convert(prefix, journals);
	free(prefix);
	ik_buf_done(&identity);
}

int main(int argc, char **argv)
{
	static const struct ik_service service = {
		.verbs = verbs,
		.convert_old_files = convert_old_files,
		.end = end_leases,
	};
	struct ik_server server = { .connection = NULL };

	return ik_service_run(&service, &server.base, argc, argv);
}
