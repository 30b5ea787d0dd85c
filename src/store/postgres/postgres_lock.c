#include "store/postgres/postgres_private.h"

#include <stdlib.h>
#include <string.h>

#include "store/lock_private.h"
#include "util/alloc.h"
#include "util/text.h"

#define NOW "(extract(epoch FROM now()) * 1000)::bigint"
#define HELD "holder IS NOT NULL AND expires > now()"
/* Who listens for the session is told. */
#define TELL "pg_notify('ikigai_' || $1::text, '')::text"

static const char add_row[] = "INSERT INTO locks(session) VALUES($1) ON CONFLICT DO NOTHING";

/* $2: the lock; $3: its process; $4 to $8: who. */
/* clang-format off */
static const char take[] =
	"WITH old AS (SELECT holder FROM locks WHERE session = $1 FOR UPDATE),"
	" done AS (UPDATE locks SET holder = $2, process = $3, host = $4, user_name = $5, pid = $6,"
	"  place = $7, started = $8,"
	"  since = CASE WHEN locks.holder = $2 THEN since ELSE " NOW " END,"
	"  expires = now() + interval '" IK_LOCK_LEASE "',"
	"  asker = CASE WHEN asker = $2 THEN NULL ELSE asker END FROM old"
	"  WHERE session = $1 AND (old.holder = $2 OR NOT coalesce(old.holder IS NOT NULL"
	"  AND expires > now(), false)) RETURNING old.holder AS before)"
	" SELECT " TELL " FROM done WHERE before IS DISTINCT FROM $2";
/* clang-format on */
/* Once a holder has refused, the question is to be put anew. */
/* clang-format off */
static const char ask[] =
	"WITH old AS (SELECT asker FROM locks WHERE session = $1 FOR UPDATE),"
	" done AS (UPDATE locks SET asker = $2, asker_host = $4, asker_user = $5, asker_pid = $6,"
	"  asker_since = CASE WHEN locks.asker = $2 THEN asker_since ELSE " NOW " END,"
	"  asker_expires = now() + interval '" IK_LOCK_LEASE "' FROM old"
	"  WHERE session = $1 AND " HELD " AND holder <> $2 AND refused IS DISTINCT FROM $2"
	"  AND (old.asker IS NULL OR old.asker = $2 OR asker_expires <= now())"
	"  RETURNING old.asker AS before)"
	" SELECT " TELL " FROM done WHERE before IS DISTINCT FROM $2";
/* clang-format on */
static const char withdraw[] =
	"WITH done AS (UPDATE locks SET asker = NULL WHERE session = $1 AND asker = $2 RETURNING 1)"
	" SELECT " TELL " FROM done";
static const char refuse[] =
	"WITH done AS (UPDATE locks SET refused = asker, asker = NULL WHERE session = $1"
	" AND holder = $2 AND asker IS NOT NULL RETURNING 1) SELECT " TELL " FROM done";
static const char release[] =
	"WITH done AS (UPDATE locks SET holder = NULL WHERE session = $1 AND holder = $2"
	" RETURNING 1) SELECT " TELL " FROM done";
/* $9: whose holder is dead. */
static const char bury[] =
	"WITH done AS (UPDATE locks SET holder = NULL WHERE session = $1 AND holder = $9"
	" RETURNING 1) SELECT " TELL " FROM done";
/* Also those of others whose holder was killed, and that nobody has looked at since. */
static const char forget[] =
	"DELETE FROM locks WHERE (session = $1 AND holder IS NULL"
	" AND asker IS NULL AND followed <= now()) OR (expires < now() - interval '1 hour'"
	" AND asker_expires < now() - interval '1 hour' AND followed < now() - interval '1 hour')";
/* Whoever writes tells those who follow. */
static const char follow[] =
	"UPDATE locks SET followed = greatest(followed, now() + interval '" IK_LOCK_LEASE "')"
	" WHERE session = $1 AND holder IS DISTINCT FROM $2";
static const char forget_refusal[] =
	"UPDATE locks SET refused = NULL WHERE session = $1 AND refused = $2";

enum {
	COLUMN_STATE,
	COLUMN_HOST,
	COLUMN_USER,
	COLUMN_PID,
	COLUMN_SINCE,
	COLUMN_ASKER_HOST,
	COLUMN_ASKER_USER,
	COLUMN_ASKER_PID,
	COLUMN_ASKER_SINCE,
	COLUMN_REFUSED,
	COLUMN_BACKEND,
	COLUMN_LATE,
	COLUMN_HELD,
	COLUMN_PLACE,
	COLUMN_STARTED,
	COLUMN_LEFT,
	COLUMN_COUNT
};
/* clang-format off */
static const char state[] =
	"SELECT (CASE WHEN holder = $2 THEN 1 WHEN " HELD " THEN 2 ELSE 3 END)::text,"
	" host, user_name, pid::text, since::text, asker_host, asker_user,"
	" (CASE WHEN asker IS NOT NULL AND asker_expires > now() THEN asker_pid ELSE 0 END)::text,"
	" asker_since::text, (CASE WHEN refused = $2 THEN 1 ELSE 0 END)::text,"
	" pg_backend_pid()::text, (SELECT count(*) FROM sessions WHERE parent = $1 AND late)::text,"
	" holder::text, place, started::text,"
	" greatest(0, extract(epoch FROM expires - now()) * 1000)::bigint::text FROM locks WHERE session = $1";
/* clang-format on */

static bool send(struct postgres *postgres, const struct ik_store_read *read, const char *text)
{
	const struct ik_lock_row *row = &read->row;
	struct ik_pq_statement statement;
	bool sent;

	ik_pq_statement_init(&statement, text);
	ik_pq_put_uuid(&statement, read->text);
	ik_pq_put_uuid(&statement, row->id);
	ik_pq_put_uuid(&statement, postgres->base.process);
	ik_pq_put_text(&statement, row->self.host);
	ik_pq_put_text(&statement, row->self.user);
	ik_pq_put_number(&statement, row->self.pid);
	ik_pq_put_text(&statement, row->self.place);
	ik_pq_put_number(&statement, row->self.started);
	ik_pq_put_uuid(&statement, row->dead);
	sent = ik_pq_send(postgres, &statement);
	ik_pq_statement_done(&statement);
	return sent;
}

/* LISTEN takes no parameters: the id of a session is digits and hyphens. */
static bool listen_for(struct postgres *postgres, const struct ik_store_read *read,
	const char *verb)
{
	struct ik_pq_statement statement;
	char bytes[16], *text;
	bool sent;

	if (!postgres->direct || !ik_pq_uuid(read->text, bytes))
		return true;
	text = ik_format("%s \"ikigai_%s\"", verb, read->text);
	ik_pq_statement_init(&statement, text);
	sent = ik_pq_send(postgres, &statement);
	ik_pq_statement_done(&statement);
	free(text);
	return sent;
}

bool ik_pq_send_lock_step(struct postgres *postgres)
{
	const struct ik_store_read *read = postgres->read;
	static const char *const actions[] = {
		[IK_LOCK_STEP_FOLLOW] = follow,
		[IK_LOCK_STEP_TAKE] = take,
		[IK_LOCK_STEP_ASK] = ask,
		[IK_LOCK_STEP_WITHDRAW] = withdraw,
		[IK_LOCK_STEP_REFUSE] = refuse,
		[IK_LOCK_STEP_RELEASE] = release,
		[IK_LOCK_STEP_CLOSE] = release,
	};
	enum ik_lock_step step = read->row.step;

	if (!ik_pq_begin(postgres))
		return false;
	if (step == IK_LOCK_STEP_CLOSE)
		return send(postgres, read, withdraw) && send(postgres, read, release) &&
			send(postgres, read, forget) && listen_for(postgres, read, "UNLISTEN");
	return listen_for(postgres, read, "LISTEN") && send(postgres, read, add_row) &&
		(!read->row.dead[0] || send(postgres, read, bury)) &&
		(step != IK_LOCK_STEP_ASK || send(postgres, read, take)) &&
		send(postgres, read, actions[step]) && send(postgres, read, follow) &&
		send(postgres, read, state) && send(postgres, read, forget_refusal);
}

void ik_pq_take_holder(struct ik_holder *holder, const PGresult *result, int row, int column)
{
	const char *host = ik_pq_text(result, row, column);
	const char *user = ik_pq_text(result, row, column + 1);

	memcpy(holder->host, host, strnlen(host, sizeof(holder->host) - 1));
	memcpy(holder->user, user, strnlen(user, sizeof(holder->user) - 1));
	holder->pid = ik_pq_number(result, row, column + 2);
	holder->since_ms = ik_pq_number(result, row, column + 3);
}

void ik_pq_take_place(struct ik_holder *holder, const PGresult *result, int row, int column)
{
	const char *place = ik_pq_text(result, row, column);

	memcpy(holder->place, place, strnlen(place, sizeof(holder->place) - 1));
	holder->started = ik_pq_number(result, row, column + 1);
}

void ik_pq_take_lock_row(struct postgres *postgres, const PGresult *result)
{
	struct ik_lock_row *row = &postgres->read->row;
	const char *held;
	bool direct;

	if (PQnfields(result) != COLUMN_COUNT || PQntuples(result) == 0)
		return;
	held = ik_pq_text(result, 0, COLUMN_HELD);
	row->state = ik_pq_number(result, 0, COLUMN_STATE) == 1 ? IK_LOCK_OURS
		: ik_pq_number(result, 0, COLUMN_STATE) == 2        ? IK_LOCK_OTHERS
															: IK_LOCK_FREE;
	ik_pq_take_holder(&row->holder, result, 0, COLUMN_HOST);
	ik_pq_take_place(&row->holder, result, 0, COLUMN_PLACE);
	memcpy(row->held, held, strnlen(held, sizeof(row->held) - 1));
	row->left_ms = ik_pq_number(result, 0, COLUMN_LEFT);
	ik_pq_take_holder(&row->asker, result, 0, COLUMN_ASKER_HOST);
	row->late_forks = ik_pq_number(result, 0, COLUMN_LATE);
	row->refused = ik_pq_number(result, 0, COLUMN_REFUSED) != 0;
	/* A pooler that shares connections has a number of its own for this one. */
	direct = ik_pq_number(result, 0, COLUMN_BACKEND) == PQbackendPID(postgres->connection);
	row->heard = direct && postgres->direct;
	row->again = direct && !postgres->direct;
	postgres->direct = direct;
}

void ik_pq_take_notifications(struct postgres *postgres)
{
	static const char prefix[] = "ikigai_";
	PGnotify *notify;

	while (postgres->connection && (notify = PQnotifies(postgres->connection))) {
		if (ik_text_starts(notify->relname, prefix))
			ik_locks_heard(postgres->base.store, notify->relname + sizeof(prefix) - 1);
		PQfreemem(notify);
	}
}
