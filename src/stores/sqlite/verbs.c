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

enum ik_status ik_answer_facts(struct ik_database *database, struct ik_error *error)
{
	struct ik_rows *rows;
	enum ik_status status = ik_database_ask(database,
		"SELECT json_object('version', (SELECT user_version FROM pragma_user_version),"
		" 'bytes', (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),"
		" 'sessions', (SELECT count(*) FROM sessions WHERE event_count > 0),"
		" 'events', (SELECT count(*) FROM events), 'unindexed', (SELECT count(*) FROM events"
		" WHERE rowid > (SELECT indexed FROM search_state)))",
		NULL, &rows, error);

	if (status != IK_OK)
		return status;
	if (ik_rows_next(rows, &status, error))
		ik_rows_put_members(rows, 0, ik_connection_begin(database->client));
	(void)ik_rows_free(rows);
	return status;
}

enum ik_status ik_answer_recover(struct ik_database *database, struct ik_error *error)
{
	int64_t events = 0, sessions = 0;
	bool whole = false;
	enum ik_status status = ik_sqlite_recover(database, false, &events, &sessions, &whole, error);

	if (status == IK_OK)
		ik_json_printf(ik_connection_begin(database->client),
			"'events':%lld,'sessions':%lld,'whole':%s", (long long)events, (long long)sessions,
			ik_json_word(whole));
	return status;
}

enum ik_status ik_sqlite_repair(struct ik_database *database, bool only_whole,
	struct ik_error *error)
{
	int64_t events, sessions;
	bool whole;

	return ik_sqlite_recover(database, only_whole, &events, &sessions, &whole, error);
}
