#include "stores/postgres/delete.h"

#include <stdlib.h>
#include <string.h>

#include "stores/answer.h"
#include "stores/postgres/server.h"
#include "util/text.h"
#include "util/uuid.h"

/* Events of a session that no fork shares, oldest first: those of one transaction. */
#define BATCH "2000"
#define OWN_EVENTS \
	"(SELECT id FROM events WHERE session = $1::uuid AND sequence > coalesce((SELECT" \
	" max(forked_at) FROM sessions WHERE parent = $1::uuid), 0) ORDER BY sequence LIMIT " BATCH \
	")"

/* Run a statement about a session; *ret_rows: how many rows it changed. */
static enum ik_status change(struct ik_server *server, const char *text, const char *session,
	int64_t *ret_rows, struct ik_error *error)
{
	struct ik_statement statement;
	PGresult *result;

	ik_statement_init(&statement, text);
	ik_statement_put_uuid(&statement, session);
	result = ik_server_ask(server, &statement, error);
	if (!result)
		return error->status;
	*ret_rows = strtoll(PQcmdTuples(result), NULL, 10);
	PQclear(result);
	return IK_OK;
}

/* One transaction; *ret_more: there may be other events. Hidden first, so that what is half deleted
 * is never listed. */
static enum ik_status delete_some(struct ik_server *server, const char *session, bool *ret_more,
	struct ik_error *error)
{
	static const char *const statements[] = {
		"UPDATE sessions SET event_count = 0, updated_ms = 0 WHERE id = $1::uuid",
		"DELETE FROM blobs WHERE id IN (SELECT (data->'blobs'->stream->>'id')::uuid FROM events,"
		" unnest(ARRAY['stdout', 'stderr']) stream WHERE kind IN ('tool_result', 'command')"
		" AND events.id IN " OWN_EVENTS ")",
		"DELETE FROM search WHERE (session, sequence) IN (SELECT session, sequence FROM events"
		" WHERE id IN " OWN_EVENTS ")",
		"DELETE FROM events WHERE id IN " OWN_EVENTS,
	};
	enum ik_status status = ik_server_begin(server, error);
	int64_t rows = 0;

	if (status != IK_OK)
		return status;
	for (size_t i = 0; status == IK_OK && i < sizeof(statements) / sizeof(statements[0]); i++)
		status = change(server, statements[i], session, &rows, error);
	*ret_more = rows > 0;
	if (status == IK_OK && !*ret_more)
		status = change(server,
			"DELETE FROM sessions WHERE id = $1::uuid AND NOT EXISTS (SELECT FROM events"
			" WHERE session = $1::uuid) AND NOT EXISTS (SELECT FROM sessions c"
			" WHERE c.parent = $1::uuid)",
			session, &rows, error);
	return ik_server_end(server, status, error);
}

static enum ik_status delete_session(struct ik_server *server, const char *session,
	struct ik_error *error)
{
	enum ik_status status = IK_OK;
	bool more = true;

	while (status == IK_OK && more)
		status = delete_some(server, session, &more, error);
	return status;
}

/* A hidden session that no fork needs: its last fork was deleted, or its deletion was killed; ""
 * where there is none. */
static enum ik_status find_hidden(struct ik_server *server, char ret_id[IK_UUID_TEXT],
	struct ik_error *error)
{
	struct ik_statement statement;
	PGresult *result;

	ret_id[0] = '\0';
	ik_statement_init(&statement,
		"SELECT h.id FROM sessions h WHERE h.updated_ms = 0 AND h.event_count = 0"
		" AND NOT EXISTS (SELECT FROM sessions c WHERE c.parent = h.id) ORDER BY h.id LIMIT 1");
	result = ik_server_ask(server, &statement, error);
	if (!result)
		return error->status;
	if (PQntuples(result) > 0) {
		memset(ret_id, 0, IK_UUID_TEXT);
		memcpy(ret_id, ik_result_text(result, 0, 0),
			strnlen(ik_result_text(result, 0, 0), IK_UUID_TEXT - 1));
	}
	PQclear(result);
	return IK_OK;
}

enum ik_status ik_pg_answer_delete(void *store, struct ik_error *error)
{
	struct ik_server *server = store;
	const char *session = ik_connection_text(server->client, "session");
	char hidden[IK_UUID_TEXT];
	int64_t rows = 0;
	enum ik_status status = change(server, "SELECT 1 FROM sessions WHERE id = $1::uuid",
		session ? session : "", &rows, error);

	if (status == IK_OK && rows == 0)
		return ik_answer_no_session(error);
	if (status == IK_OK)
		status = delete_session(server, session, error);
	if (status == IK_OK)
		status = find_hidden(server, hidden, error);
	while (status == IK_OK && hidden[0]) {
		status = delete_session(server, hidden, error);
		if (status == IK_OK)
			status = find_hidden(server, hidden, error);
	}
	return status;
}
