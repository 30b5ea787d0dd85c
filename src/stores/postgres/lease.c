#include "stores/postgres/lease.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "stores/postgres/server.h"
#include "util/alloc.h"
#include "util/text.h"

#define LEASE "interval '60 seconds'"
#define NOW "(extract(epoch FROM now()) * 1000)::bigint"
#define HELD "holder IS NOT NULL AND expires > now()"
#define TELL "pg_notify('ikigai_' || ?1::text, '')"
#define CHANNEL "ikigai_"

/*
 * Each statement takes all parameters in this order, whether it uses them or not: ?1 the session,
 * ?2 the lock, ?3 the process, ?4 host, ?5 user, ?6 pid, ?7 place, ?8 started, ?9 the dead lock.
 */
#define PARAMETERS \
	"WITH given AS (SELECT ?1 AS session, ?2 AS lock, ?3 AS process," \
	" ?4 AS host, ?5 AS user_name, ?6 AS pid, ?7 AS place," \
	" ?8 AS started, ?9 AS dead) "

static const char add_row[] = PARAMETERS
	"INSERT INTO locks(session) SELECT session FROM given ON CONFLICT DO NOTHING";

static const char take[] = PARAMETERS
	", old AS (SELECT l.holder FROM locks l, given WHERE l.session = given.session FOR UPDATE OF "
	"l),"
	" done AS (UPDATE locks SET holder = given.lock, process = given.process, host = given.host,"
	"  user_name = given.user_name, pid = given.pid, place = given.place, started = given.started,"
	"  since = CASE WHEN locks.holder = given.lock THEN since ELSE " NOW " END,"
	"  expires = now() + " LEASE ", asker = CASE WHEN asker = given.lock THEN NULL ELSE asker END"
	"  FROM old, given WHERE locks.session = given.session AND (old.holder = given.lock"
	"  OR NOT coalesce(old.holder IS NOT NULL AND expires > now(), false))"
	"  RETURNING old.holder AS before)"
	" SELECT " TELL " FROM done, given WHERE before IS DISTINCT FROM lock";

/* Once a holder has refused, the question has to be put anew. */
static const char ask[] = PARAMETERS
	", old AS (SELECT l.asker FROM locks l, given WHERE l.session = given.session FOR UPDATE OF l),"
	" done AS (UPDATE locks SET asker = given.lock, asker_host = given.host,"
	"  asker_user = given.user_name, asker_pid = given.pid,"
	"  asker_since = CASE WHEN locks.asker = given.lock THEN asker_since ELSE " NOW " END,"
	"  asker_expires = now() + " LEASE " FROM old, given WHERE locks.session = given.session"
	"  AND " HELD " AND holder <> given.lock AND refused IS DISTINCT FROM given.lock"
	"  AND (old.asker IS NULL OR old.asker = given.lock OR asker_expires <= now())"
	"  RETURNING old.asker AS before)"
	" SELECT " TELL " FROM done, given WHERE before IS DISTINCT FROM lock";

static const char withdraw[] = PARAMETERS
	", done AS (UPDATE locks SET asker = NULL FROM given WHERE locks.session = given.session"
	" AND asker = given.lock RETURNING 1) SELECT " TELL " FROM done";

static const char refuse[] = PARAMETERS
	", done AS (UPDATE locks SET refused = asker, asker = NULL FROM given"
	" WHERE locks.session = given.session AND holder = given.lock AND asker IS NOT NULL"
	" RETURNING 1) SELECT " TELL " FROM done";

static const char release[] = PARAMETERS
	", done AS (UPDATE locks SET holder = NULL FROM given WHERE locks.session = given.session"
	" AND holder = given.lock RETURNING 1) SELECT " TELL " FROM done";

static const char bury[] = PARAMETERS
	", done AS (UPDATE locks SET holder = NULL FROM given WHERE locks.session = given.session"
	" AND holder = given.dead RETURNING 1) SELECT " TELL " FROM done";

/* Whoever writes tells those who follow. */
static const char follow[] = PARAMETERS
	"UPDATE locks SET followed = greatest(followed, now() + " LEASE ") FROM given"
	" WHERE locks.session = given.session AND holder IS DISTINCT FROM given.lock";

static const char forget_refusal[] = PARAMETERS
	"UPDATE locks SET refused = NULL FROM given WHERE locks.session = given.session"
	" AND refused = given.lock";

/* Also the rows of others that were killed, and that nobody has looked at since. */
static const char forget[] = PARAMETERS
	"DELETE FROM locks USING given WHERE (locks.session = given.session AND holder IS NULL"
	" AND asker IS NULL AND followed <= now()) OR (expires < now() - interval '1 hour'"
	" AND asker_expires < now() - interval '1 hour' AND followed < now() - interval '1 hour')";

static const char state[] = PARAMETERS
	"SELECT CASE WHEN holder = given.lock THEN 'ours' WHEN " HELD " THEN 'others' ELSE 'free' END,"
	" l.host, l.user_name, l.pid, l.since, l.place, l.started, asker_host, asker_user,"
	" CASE WHEN asker IS NOT NULL AND asker_expires > now() THEN asker_pid ELSE 0 END, asker_since,"
	" coalesce(refused = given.lock, false)::int, (SELECT count(*) FROM sessions s, given"
	"  WHERE s.parent = given.session AND s.late), holder,"
	" greatest(0, extract(epoch FROM expires - now()) * 1000)::bigint, pg_backend_pid()"
	" FROM locks l, given WHERE l.session = given.session";
enum { STATE, HOLDER, ASKER = 7, REFUSED = 11, LATE, LOCK, LEFT, BACKEND };

/* ---- steps ---- */

/* Fill in all parameters. */
static void take_values(struct ik_connection *client, struct ik_value values[10])
{
	static const struct {
		const char *name;
		int type;
	} members[] = {
		{ "session", IK_VALUE_ID },
		{ "lock", IK_VALUE_ID },
		{ "process", IK_VALUE_ID },
		{ "host", IK_VALUE_TEXT },
		{ "user", IK_VALUE_TEXT },
		{ "pid", IK_VALUE_NUMBER },
		{ "place", IK_VALUE_TEXT },
		{ "started", IK_VALUE_NUMBER },
		{ "dead", IK_VALUE_ID },
	};
	size_t count = sizeof(members) / sizeof(members[0]);

	for (size_t i = 0; i < count; i++) {
		const char *name = members[i].name;

		if (members[i].type == IK_VALUE_NUMBER)
			values[i] = ik_value_number(ik_connection_number(client, name, 0));
		else if (members[i].type == IK_VALUE_ID)
			values[i] = ik_value_id(ik_connection_text(client, name));
		else
			values[i] = ik_value_text(ik_connection_text(client, name));
	}
	values[count].type = IK_VALUE_END;
}

/* LISTEN takes no parameters: the session's id was checked to be digits and hyphens. */
static enum ik_status listen_for(struct ik_database *database, const char *verb,
	const char *session, struct ik_error *error)
{
	char *text = ik_format("%s \"" CHANNEL "%s\"", verb, session);
	enum ik_status status = ik_database_change(database, text, NULL, error);

	free(text);
	return status;
}

static const struct lease_step {
	const char *name;
	const char *statements[6];
} steps[] = {
	{ "follow", { add_row, follow } },
	{ "take", { add_row, bury, take, follow } },
	{ "ask", { add_row, bury, take, ask, follow } },
	{ "withdraw", { withdraw, follow } },
	{ "refuse", { refuse } },
	{ "release", { release, follow } },
	{ "close", { withdraw, release, forget } },
};

static const struct lease_step *find_step(const char *name)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (name && ik_text_equal(steps[i].name, name))
			return &steps[i];
	return NULL;
}

/* ---- answers ---- */

static void put_number(struct ik_buf *line, const char *name, int64_t number)
{
	ik_json_key(line, name);
	ik_json_put_integer(line, number);
}

static void put_text(struct ik_buf *line, const char *name, const char *text)
{
	ik_json_key(line, name);
	ik_json_put_text(line, text);
}

/* Append who has it (columns from HOLDER on) or who asks for it (from ASKER on). */
static void put_who(struct ik_buf *line, const char *name, struct ik_rows *rows, int first)
{
	ik_json_key(line, name);
	ik_json_open(line, '{');
	put_text(line, "host", ik_rows_text(rows, first));
	put_text(line, "user", ik_rows_text(rows, first + 1));
	put_number(line, "pid", ik_rows_number(rows, first + 2));
	put_number(line, "since_ms", ik_rows_number(rows, first + 3));
	if (first == HOLDER) {
		put_text(line, "place", ik_rows_text(rows, first + 4));
		put_number(line, "started", ik_rows_number(rows, first + 5));
	}
	ik_json_close(line, '}');
}

static void put_state(struct ik_server *server, struct ik_rows *rows)
{
	struct ik_buf *line = ik_connection_begin(server->base.client);
	const char *how = ik_rows_text(rows, STATE);

	put_text(line, "state", how);
	if (ik_text_equal(how, "others"))
		put_who(line, "holder", rows, HOLDER);
	if (ik_rows_number(rows, ASKER + 2) != 0)
		put_who(line, "asker", rows, ASKER);
	put_text(line, "lock", ik_rows_text(rows, LOCK));
	put_number(line, "left_ms", ik_rows_number(rows, LEFT));
	put_number(line, "late_forks", ik_rows_number(rows, LATE));
	ik_json_key(line, "refused");
	ik_json_put_bool(line, ik_rows_number(rows, REFUSED) != 0);
	/* A pooler that shares connections has another backend for each transaction: nothing is heard. */
	ik_json_key(line, "heard");
	ik_json_put_bool(line, ik_rows_number(rows, BACKEND) == PQbackendPID(server->connection));
}

/* In one transaction: take the step, and say how things are; a refusal is said once. */
static enum ik_status take_step(struct ik_server *server, const struct lease_step *step,
	struct ik_error *error)
{
	struct ik_database *database = &server->base;
	enum ik_status status = ik_database_begin(database, error);
	struct ik_value values[10];
	struct ik_rows *rows = NULL;

	if (status != IK_OK)
		return status;
	take_values(database->client, values);
	for (size_t i = 0; status == IK_OK && step->statements[i]; i++)
		status = ik_database_change(database, step->statements[i], values, error);
	if (status == IK_OK)
		status = ik_database_ask(database, state, values, &rows, error);
	if (rows && ik_rows_next(rows, &status, error))
		put_state(server, rows);
	else if (rows)
		put_text(ik_connection_begin(database->client), "state", "free");
	(void)ik_rows_free(rows);
	if (status == IK_OK)
		status = ik_database_change(database, forget_refusal, values, error);
	return ik_database_end(database, status, error);
}

enum ik_status ik_answer_lease(struct ik_database *database, struct ik_error *error)
{
	struct ik_server *server = (struct ik_server *)database;
	const char *session = ik_connection_text(database->client, "session");
	const char *name = ik_connection_text(database->client, "step");
	const char *text = ik_connection_text(database->client, "process");
	const char *process = text ? text : "";
	const struct lease_step *step = find_step(name);
	bool closing = step && ik_text_equal(step->name, "close");
	int64_t others = 1;
	enum ik_status status;

	if (!step)
		return ik_error_set(error, IK_INVALID, "There is no step \"%s\".", name ? name : "");
	if (!session || strspn(session, "0123456789abcdef-") != strlen(session))
		return ik_error_set(error, IK_INVALID, "A lease is for a session.");
	memset(server->process, 0, sizeof(server->process));
	memcpy(server->process, process, strnlen(process, sizeof(server->process) - 1));
	/* Before the state is read, so that no change is missed. */
	status = listen_for(database, closing ? "UNLISTEN" : "LISTEN", session, error);
	if (status == IK_OK)
		status = take_step(server, step, error);
	if (status == IK_OK && closing)
		status = ik_database_number(database, "SELECT count(*) FROM pg_listening_channels()", NULL,
			&others, error);
	if (status == IK_OK)
		server->listens = others > 0;
	return status;
}

void ik_lease_end(struct ik_database *database)
{
	const struct ik_value *process =
		IK_VALUES(ik_value_id(((struct ik_server *)database)->process));
	struct ik_error ignored;

	if (!process->text)
		return;
	if (ik_database_change(database,
			"WITH done AS (UPDATE locks SET holder = NULL WHERE process = ?1 AND holder IS NOT NULL"
			" RETURNING session) SELECT pg_notify('ikigai_' || session::text, '') FROM done",
			process, &ignored) == IK_OK)
		(void)!ik_database_change(database,
			"DELETE FROM locks WHERE process = ?1 AND holder IS NULL AND asker IS NULL"
			" AND followed <= now()",
			process, &ignored);
}

int ik_lease_watched(const struct ik_database *database)
{
	const struct ik_server *server = (const struct ik_server *)database;

	return server->connection && server->listens ? PQsocket(server->connection) : -1;
}

void ik_lease_tell_heard(struct ik_database *database)
{
	struct ik_server *server = (struct ik_server *)database;
	PGnotify *notify;

	if (!server->connection)
		return;
	if (!PQconsumeInput(server->connection)) {
		ik_server_drop(server);
		return;
	}
	while ((notify = PQnotifies(server->connection))) {
		if (ik_text_starts(notify->relname, CHANNEL))
			ik_connection_tell(database->client, "heard", notify->relname + sizeof(CHANNEL) - 1);
		PQfreemem(notify);
	}
}
