#include "stores/postgres/lease.h"

#include <string.h>

#include "json/write.h"
#include "stores/postgres/server.h"
#include "util/text.h"

#define LEASE "interval '90 seconds'"
#define NOW "(extract(epoch FROM now()) * 1000)::bigint"
#define HELD "(holder IS NOT NULL AND expires > now())"
#define ASKED "(asker IS NOT NULL AND asker_expires > now())"

/*
 * Each statement has all parameters in this order, whether it uses them or not: ?1 the session, ?2
 * the lock, ?3 the process, ?4 host, ?5 user, ?6 pid, ?7 place, ?8 started, ?9 the dead lock.
 */
static const char add_row[] = "INSERT INTO locks(session) VALUES(?1) ON CONFLICT DO NOTHING";

static const char take[] =
	"UPDATE locks SET holder = ?2, process = ?3, host = ?4, user_name = ?5, pid = ?6, place = ?7,"
	" started = ?8, since = CASE WHEN holder = ?2 THEN since ELSE " NOW " END,"
	" expires = now() + " LEASE ", asker = CASE WHEN asker = ?2 THEN NULL ELSE asker END"
	" WHERE session = ?1 AND (holder = ?2 OR NOT " HELD ")";

/* Once a holder has refused, the question has to be put anew. */
static const char ask[] =
	"UPDATE locks SET asker = ?2, asker_host = ?4, asker_user = ?5, asker_pid = ?6,"
	" asker_since = CASE WHEN asker = ?2 THEN asker_since ELSE " NOW " END,"
	" asker_expires = now() + " LEASE " WHERE session = ?1 AND " HELD " AND holder <> ?2"
	" AND refused IS DISTINCT FROM ?2 AND (asker = ?2 OR NOT " ASKED ")";

static const char withdraw[] = "UPDATE locks SET asker = NULL WHERE session = ?1 AND asker = ?2";

static const char refuse[] =
	"UPDATE locks SET refused = asker, asker = NULL WHERE session = ?1 AND holder = ?2"
	" AND asker IS NOT NULL";

static const char release[] = "UPDATE locks SET holder = NULL WHERE session = ?1 AND holder = ?2";

static const char bury[] = "UPDATE locks SET holder = NULL WHERE session = ?1 AND holder = ?9";

/* Also the rows of others that were killed, and that nobody has looked at since. */
static const char forget[] =
	"DELETE FROM locks WHERE (session = ?1 AND holder IS NULL AND asker IS NULL)"
	" OR (expires < now() - interval '1 hour' AND asker_expires < now() - interval '1 hour')";

static const char state[] =
	"SELECT json_strip_nulls(json_build_object("
	"'state', CASE WHEN holder = ?2 THEN 'ours' WHEN " HELD " THEN 'others' ELSE 'free' END,"
	" 'holder', CASE WHEN " HELD " AND holder <> ?2 THEN json_build_object('host', host,"
	"  'user', user_name, 'pid', pid, 'since_ms', since, 'place', place, 'started', started) END,"
	" 'asker', CASE WHEN " ASKED " THEN json_build_object('host', asker_host,"
	"  'user', asker_user, 'pid', asker_pid, 'since_ms', asker_since) END,"
	" 'lock', holder, 'refused', refused IS NOT DISTINCT FROM ?2,"
	" 'left_ms', greatest(0, extract(epoch FROM expires - now()) * 1000)::bigint,"
	" 'newest', (SELECT last_sequence FROM sessions WHERE id = ?1)))"
	" FROM (SELECT ?1 AS wanted) one LEFT JOIN locks ON session = wanted";

/* A refusal is said once. */
static const char forget_refusal[] =
	"UPDATE locks SET refused = NULL WHERE session = ?1 AND refused = ?2";

static const struct lease_step {
	const char *name;
	const char *statements[4];
} steps[] = {
	{ "follow", { bury } },
	{ "take", { add_row, bury, take } },
	{ "ask", { add_row, bury, take, ask } },
	{ "withdraw", { withdraw } },
	{ "refuse", { refuse } },
	{ "release", { release } },
	{ "close", { withdraw, release, forget } },
};

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

static const struct lease_step *find_step(const char *name)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (name && ik_text_equal(steps[i].name, name))
			return &steps[i];
	return NULL;
}

/* In one transaction: take the step, and say how things are. */
static enum ik_status take_step(struct ik_database *database, const struct lease_step *step,
	struct ik_error *error)
{
	enum ik_status status = ik_database_begin(database, error);
	struct ik_value values[10];
	struct ik_rows *rows = NULL;

	if (status != IK_OK)
		return status;
	take_values(database->client, values);
	for (size_t i = 0; status == IK_OK && i < 4 && step->statements[i]; i++)
		status = ik_database_change(database, step->statements[i], values, error);
	if (status == IK_OK)
		status = ik_database_ask(database, state, values, &rows, error);
	if (rows && ik_rows_next(rows, &status, error))
		ik_rows_put_members(rows, 0, ik_connection_begin(database->client));
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
	const char *process = ik_connection_text(database->client, "process");
	const struct lease_step *step = find_step(name);

	if (!step)
		return ik_error_set(error, IK_INVALID, "There is no step \"%s\".", name ? name : "");
	if (!ik_value_id(session).text)
		return ik_error_set(error, IK_INVALID, "A lease is for a session.");
	memset(server->process, 0, sizeof(server->process));
	memcpy(server->process, process ? process : "",
		process ? strnlen(process, sizeof(server->process) - 1) : 0);
	return take_step(database, step, error);
}

void ik_lease_end(struct ik_database *database)
{
	const struct ik_value *process =
		IK_VALUES(ik_value_id(((struct ik_server *)database)->process));
	struct ik_error ignored;

	if (!process->text)
		return;
	if (ik_database_change(database, "UPDATE locks SET holder = NULL WHERE process = ?1", process,
			&ignored) == IK_OK)
		(void)!ik_database_change(database,
			"DELETE FROM locks WHERE process = ?1 AND holder IS NULL AND asker IS NULL", process,
			&ignored);
}
