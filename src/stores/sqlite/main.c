/*
 * store-sqlite DATABASE JOURNALS: a store program (ikigai-store(7)) for an SQLite file.
 */
#include <stdlib.h>

#include "stores/old_files.h"
#include "stores/service.h"
#include "stores/sqlite/sqlite.h"
#include "stores/sqlite/verbs.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

static const struct ik_store_verb verbs[] = {
	{ "backup", ik_answer_backup, IK_VERB_LONG },
	{ "check", ik_answer_check, IK_VERB_LONG },
	{ "facts", ik_answer_facts, IK_VERB_LONG },
	{ "recover", ik_answer_recover, IK_VERB_CLOSED },
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
		.repair = ik_sqlite_repair,
	};
	struct ik_sqlite sqlite = { .db = NULL };

	return ik_service_run(&service, &sqlite.base, argc, argv);
}
