#include "stores/sqlite/verbs.h"

#include "util/text.h"

enum ik_status ik_answer_backup(struct ik_database *database, struct ik_error *error)
{
	const char *file = ik_connection_text(database->client, "file");

	if (!file)
		return ik_error_set(error, IK_INVALID, "A backup needs the name of a file.");
	return ik_database_change(database, "VACUUM INTO ?1", IK_VALUES(ik_value_text(file)), error);
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
