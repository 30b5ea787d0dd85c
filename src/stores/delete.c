#include "stores/delete.h"

#include "stores/read.h"

/* Events of one transaction: between two of them others can write. */
#define BATCH_EVENTS 5000

/* Delete some events of a session that no fork shares, its row after the last of them. Hidden first,
 * so that what is half deleted is never listed. */
static enum ik_status delete_some(struct ik_database *database, const char *session,
	int64_t *ret_count, struct ik_error *error)
{
	const char *const statements[] = {
		ik_database_sql.drop_parts,
		"DELETE FROM events WHERE session = ?1 AND sequence IN (SELECT e.sequence" IK_OLDEST_EVENTS
		")",
		ik_database_sql.events_deleted,
	};
	const struct ik_value *values = IK_VALUES(ik_value_id(session), ik_value_number(BATCH_EVENTS));
	enum ik_status status = ik_database_change(database,
		"UPDATE sessions SET event_count = 0, updated_ms = 0 WHERE id = ?1", values, error);

	*ret_count = 0;
	if (status == IK_OK)
		status = ik_database_number(database,
			"SELECT count(*) FROM (SELECT 1" IK_OLDEST_EVENTS ") oldest", values, ret_count, error);
	if (status == IK_OK && *ret_count == 0)
		return ik_database_change(database,
			"DELETE FROM sessions WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM events"
			" WHERE session = ?1) AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent = ?1)",
			values, error);
	if (status == IK_OK)
		status = ik_database_drop_words(database, session, BATCH_EVENTS, error);
	for (size_t i = 0; status == IK_OK && i < sizeof(statements) / sizeof(statements[0]); i++)
		status = ik_database_change(database, statements[i], values, error);
	return status;
}

/* In transactions of a bounded size. */
static enum ik_status delete_session(struct ik_database *database, const char *session,
	struct ik_error *error)
{
	enum ik_status status = IK_OK;
	int64_t count = 1;

	while (status == IK_OK && count > 0) {
		status = ik_database_begin(database, error);
		if (status != IK_OK)
			return status;
		status = delete_some(database, session, &count, error);
		status = ik_database_end(database, status, error);
	}
	return status;
}

/* A hidden session that no fork needs: its last fork was deleted, or its deletion was killed; ""
 * where there is none. */
static enum ik_status find_hidden(struct ik_database *database, char ret_id[IK_UUID_TEXT],
	struct ik_error *error)
{
	return ik_database_id(database,
		"SELECT s.id FROM sessions s WHERE s.updated_ms = 0 AND s.event_count = 0"
		" AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent = s.id) ORDER BY s.id LIMIT 1",
		NULL, ret_id, error);
}

enum ik_status ik_answer_delete(struct ik_database *database, struct ik_error *error)
{
	const char *session = ik_connection_text(database->client, "session");
	char id[IK_UUID_TEXT];
	enum ik_status status = ik_database_check_writable(database, error);

	if (status == IK_OK)
		status = ik_database_id(database, "SELECT id FROM sessions WHERE id = ?1",
			IK_VALUES(ik_value_id(session)), id, error);
	if (status == IK_OK && !id[0])
		return ik_no_session(error);
	while (status == IK_OK && id[0]) {
		status = delete_session(database, id, error);
		if (status == IK_OK)
			status = find_hidden(database, id, error);
	}
	return status;
}
