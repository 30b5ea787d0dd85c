#include "stores/postgres/lease.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/text.h"

#define LEASE "interval '60 seconds'"
#define NOW "(extract(epoch FROM now()) * 1000)::bigint"
#define HELD "holder IS NOT NULL AND expires > now()"
#define TELL "pg_notify('ikigai_' || $1, '')"
#define CHANNEL "ikigai_"

/*
 * Each statement takes all parameters in this order, whether it uses them or not: $1 the session,
 * $2 the lock, $3 the process, $4 host, $5 user, $6 pid, $7 place, $8 started, $9 the dead lock.
 */
#define PARAMETERS \
	"WITH given AS (SELECT $1::uuid AS session, $2::uuid AS lock, $3::uuid AS process," \
	" $4::text AS host, $5::text AS user_name, $6::bigint AS pid, $7::text AS place," \
	" $8::bigint AS started, $9::uuid AS dead) "

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

static void put_all(struct ik_server *server, struct ik_statement *statement, const char *text)
{
	static const char *const ids[] = { "session", "lock", "process" };
	struct ik_connection *client = server->client;
	const char *id;

	ik_statement_init(statement, text);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		id = ik_connection_text(client, ids[i]);
		ik_statement_put_uuid(statement, id ? id : "");
	}
	ik_statement_put(statement, ik_connection_text(client, "host"));
	ik_statement_put(statement, ik_connection_text(client, "user"));
	ik_statement_put_number(statement, ik_connection_number(client, "pid", 0));
	ik_statement_put(statement, ik_connection_text(client, "place"));
	ik_statement_put_number(statement, ik_connection_number(client, "started", 0));
	id = ik_connection_text(client, "dead");
	ik_statement_put_uuid(statement, id ? id : "");
}

static enum ik_status run(struct ik_server *server, const char *text, struct ik_error *error)
{
	struct ik_statement statement;

	put_all(server, &statement, text);
	return ik_server_do(server, &statement, error);
}

/* LISTEN takes no parameters: the session's id was checked to be digits and hyphens. */
static enum ik_status listen_for(struct ik_server *server, const char *verb, const char *session,
	struct ik_error *error)
{
	char *text = ik_format("%s \"" CHANNEL "%s\"", verb, session);
	enum ik_status status = ik_server_run(server, text, error);

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

static enum ik_status take_step(struct ik_server *server, const struct lease_step *step,
	struct ik_error *error)
{
	enum ik_status status = ik_server_begin(server, error);

	if (status != IK_OK)
		return status;
	for (size_t i = 0; status == IK_OK && step->statements[i]; i++)
		status = run(server, step->statements[i], error);
	return ik_server_end(server, status, error);
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
static void put_who(struct ik_buf *line, const char *name, const PGresult *result, int first)
{
	ik_json_key(line, name);
	ik_json_open(line, '{');
	put_text(line, "host", ik_result_text(result, 0, first));
	put_text(line, "user", ik_result_text(result, 0, first + 1));
	put_number(line, "pid", ik_result_number(result, 0, first + 2));
	put_number(line, "since_ms", ik_result_number(result, 0, first + 3));
	if (first == HOLDER) {
		put_text(line, "place", ik_result_text(result, 0, first + 4));
		put_number(line, "started", ik_result_number(result, 0, first + 5));
	}
	ik_json_close(line, '}');
}

static void put_state(struct ik_server *server, const PGresult *result)
{
	struct ik_buf *line = ik_connection_begin(server->client);
	const char *how = ik_result_text(result, 0, STATE);

	put_text(line, "state", how);
	if (ik_text_equal(how, "others"))
		put_who(line, "holder", result, HOLDER);
	if (ik_result_number(result, 0, ASKER + 2) != 0)
		put_who(line, "asker", result, ASKER);
	put_text(line, "lock", ik_result_text(result, 0, LOCK));
	put_number(line, "left_ms", ik_result_number(result, 0, LEFT));
	put_number(line, "late_forks", ik_result_number(result, 0, LATE));
	ik_json_key(line, "refused");
	ik_json_put_bool(line, ik_result_number(result, 0, REFUSED) != 0);
	/* A pooler that shares connections has another backend for each transaction: nothing is heard. */
	ik_json_key(line, "heard");
	ik_json_put_bool(line,
		ik_result_number(result, 0, BACKEND) == PQbackendPID(server->connection));
}

/* Say how things are; a refusal is said once. */
static enum ik_status answer_state(struct ik_server *server, struct ik_error *error)
{
	struct ik_statement statement;
	PGresult *result;

	put_all(server, &statement, state);
	result = ik_server_ask(server, &statement, error);
	if (!result)
		return error->status;
	if (PQntuples(result) > 0)
		put_state(server, result);
	else
		put_text(ik_connection_begin(server->client), "state", "free");
	PQclear(result);
	return run(server, forget_refusal, error);
}

/* Does this connection listen for anything? */
static bool ask_listens(struct ik_server *server)
{
	struct ik_statement statement;
	struct ik_error ignored;
	PGresult *result;
	bool listens;

	ik_statement_init(&statement, "SELECT 1 FROM pg_listening_channels() LIMIT 1");
	result = ik_server_ask(server, &statement, &ignored);
	listens = result && PQntuples(result) > 0;
	PQclear(result);
	return listens;
}

enum ik_status ik_pg_answer_lease(void *store, struct ik_error *error)
{
	struct ik_server *server = store;
	const char *session = ik_connection_text(server->client, "session");
	const char *name = ik_connection_text(server->client, "step");
	const struct lease_step *step = find_step(name);
	bool closing = step && ik_text_equal(step->name, "close");
	enum ik_status status;

	if (!step)
		return ik_error_set(error, IK_INVALID, "There is no step \"%s\".", name ? name : "");
	if (!session || strspn(session, "0123456789abcdef-") != strlen(session))
		return ik_error_set(error, IK_INVALID, "A lease is for a session.");
	/* Before the state is read, so that no change is missed. */
	status = listen_for(server, closing ? "UNLISTEN" : "LISTEN", session, error);
	if (status == IK_OK)
		status = take_step(server, step, error);
	if (status == IK_OK)
		status = answer_state(server, error);
	server->listens = status == IK_OK ? ask_listens(server) : server->listens;
	return status;
}

void ik_lease_tell_heard(struct ik_server *server)
{
	PGnotify *notify;

	if (!server->connection)
		return;
	if (!PQconsumeInput(server->connection)) {
		ik_connection_tell(server->client, "lost", server->shown);
		ik_server_drop(server);
		return;
	}
	while ((notify = PQnotifies(server->connection))) {
		if (ik_text_starts(notify->relname, CHANNEL))
			ik_connection_tell(server->client, "heard", notify->relname + sizeof(CHANNEL) - 1);
		PQfreemem(notify);
	}
}
