/*
 * store-sqlite DATABASE JOURNALS: a store program (ikigai-store(7)) for an SQLite file, and what only
 * such a one answers.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "json/write.h"
#include "stores/old_files.h"
#include "stores/service.h"
#include "stores/sqlite/recover.h"
#include "stores/sqlite/sqlite.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* backup {file}: write the whole database, as it is now, to a new file. */
static void answer_backup(struct ik_database *database)
{
	const char *file = ik_connection_text(database->client, "file");
	mode_t before;

	if (!file) {
		ik_error_set(&database->error, IK_INVALID, "A backup needs the name of a file.");
		return;
	}
	before = umask(077); /* nobody else may read what was said */
	ik_database_change(database, "VACUUM INTO ?1", IK_VALUES(ik_value_text(file)));
	(void)umask(before);
}

/* check: is the file whole? IK_INVALID: it is damaged. */
static void answer_check(struct ik_database *database)
{
	struct ik_rows *rows = ik_database_ask(database, "PRAGMA quick_check(1)", NULL);

	if (ik_rows_next(rows) && !ik_text_equal(ik_rows_text(rows, 0), "ok"))
		ik_error_set(&database->error, IK_INVALID, _("The database %s is damaged: %s."),
			database->name, ik_rows_text(rows, 0));
	(void)ik_rows_free(rows);
}

/* facts: form and size of the file, and what is in it. */
static void answer_facts(struct ik_database *database)
{
	struct ik_rows *rows = ik_database_ask(database,
		"SELECT json_object('version', (SELECT user_version FROM pragma_user_version),"
		" 'bytes', (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),"
		" 'sessions', (SELECT count(*) FROM sessions WHERE event_count > 0),"
		" 'events', (SELECT count(*) FROM events), 'unindexed', (SELECT count(*) FROM events"
		" WHERE rowid > (SELECT indexed FROM search_state)))",
		NULL);

	if (ik_rows_next(rows))
		ik_rows_put_members(rows, 0, ik_connection_begin(database->client));
	(void)ik_rows_free(rows);
}

/* recover: copy what can be read of the file, and put it aside; the database is closed. The last line
 * has events, sessions, and whole: nothing is lost. */
static void answer_recover(struct ik_database *database)
{
	const struct ik_recovered got = ik_sqlite_recover(database, false);

	ik_json_printf(ik_connection_begin(database->client),
		"'events':%lld,'sessions':%lld,'whole':%s", (long long)got.events, (long long)got.sessions,
		ik_json_word(got.whole));
}

static void repair(struct ik_database *database, bool only_whole)
{
	(void)ik_sqlite_recover(database, only_whole);
}

static const struct ik_store_verb verbs[] = {
	{ "backup", answer_backup, IK_VERB_LOOK },
	{ "check", answer_check, IK_VERB_LOOK },
	{ "facts", answer_facts, IK_VERB_LOOK },
	{ "recover", answer_recover, IK_VERB_CLOSED },
	{ NULL, NULL, IK_VERB_LONG },
};

/* Beside the file they have its name; elsewhere a number made of its whole path. */
static void convert_old_files(const struct ik_database *database, const char *journals)
{
	char *directory = ik_path_directory(database->address), *real = realpath(directory, NULL);
	const char *base = ik_path_base(database->address);
	char *whole = ik_format("%s/%s", real ? real : directory, base);
	char *beside = ik_format("%s.rescue-", base);
	char *elsewhere = ik_format("ikigai-%016llx.rescue-", (unsigned long long)ik_text_hash(whole));

	ik_old_files_convert_in(directory, beside, true, journals);
	ik_old_files_convert(elsewhere, journals);
	free(elsewhere);
	free(beside);
	free(whole);
	free(real);
	free(directory);
}

int main(int argc, char **argv)
{
	static const struct ik_service service = {
		.verbs = verbs,
		.convert_old_files = convert_old_files,
		.repair = repair,
	};
	struct ik_sqlite sqlite = { .db = NULL };

	return ik_service_run(&service, &sqlite.base, argc, argv);
}
