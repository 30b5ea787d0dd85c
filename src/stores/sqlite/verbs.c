#include "stores/sqlite/verbs.h"

#include <sys/stat.h>

#include "json/write.h"
#include "stores/sqlite/recover.h"
#include "util/text.h"

enum ik_status ik_answer_backup(struct ik_database *database, struct ik_error *error)
{
	const char *file = ik_connection_text(database->client, "file");
	enum ik_status status;
	mode_t before;

	if (!file)
		return ik_error_set(error, IK_INVALID, "A backup needs the name of a file.");
	before = umask(077); /* nobody else may read what was said */
	status = ik_database_change(database, "VACUUM INTO ?1", IK_VALUES(ik_value_text(file)), error);
	(void)umask(before);
	return status;
}

enum ik_status ik_answer_check(struct ik_database *database, struct ik_error *error)
{
	struct ik_rows *rows;
	enum ik_status status = ik_database_ask(database, "PRAGMA quick_check(1)", NULL, &rows, error);

	if (status != IK_OK)
		return status;
	if (ik_rows_next(rows, &status, error) && !ik_text_equal(ik_rows_text(rows, 0), "ok"))
		status = ik_error_set(error, IK_INVALID, _("The database %s is damaged: %s."),
			database->name, ik_rows_text(rows, 0));
	(void)ik_rows_free(rows);
	return status;
}

static void put_number(struct ik_buf *line, const char *name, int64_t number)
{
	ik_json_key(line, name);
	ik_json_put_integer(line, number);
}

enum ik_status ik_answer_facts(struct ik_database *database, struct ik_error *error)
{
	static const char *const names[] = { "version", "bytes", "sessions", "events", "unindexed" };
	struct ik_rows *rows;
	enum ik_status status = ik_database_ask(database,
		"SELECT (SELECT user_version FROM pragma_user_version), (SELECT page_count * page_size"
		" FROM pragma_page_count, pragma_page_size),"
		" (SELECT count(*) FROM sessions WHERE event_count > 0), (SELECT count(*) FROM events),"
		" (SELECT count(*) FROM events WHERE rowid > (SELECT indexed FROM search_state))",
		NULL, &rows, error);
	struct ik_buf *line;

	if (status != IK_OK)
		return status;
	line = ik_connection_begin(database->client);
	if (ik_rows_next(rows, &status, error))
		for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
			put_number(line, names[i], ik_rows_number(rows, i));
	(void)ik_rows_free(rows);
	return status;
}

enum ik_status ik_answer_recover(struct ik_database *database, struct ik_error *error)
{
	int64_t events = 0, sessions = 0;
	bool whole = false;
	enum ik_status status = ik_sqlite_recover(database, false, &events, &sessions, &whole, error);
	struct ik_buf *line;

	if (status != IK_OK)
		return status;
	line = ik_connection_begin(database->client);
	put_number(line, "events", events);
	put_number(line, "sessions", sessions);
	ik_json_key(line, "whole");
	ik_json_put_bool(line, whole);
	return IK_OK;
}

enum ik_status ik_sqlite_repair(struct ik_database *database, bool only_whole,
	struct ik_error *error)
{
	int64_t events, sessions;
	bool whole;

	return ik_sqlite_recover(database, only_whole, &events, &sessions, &whole, error);
}
