/*
 * store-sqlite DATABASE JOURNALS: a store program (ikigai-store(7)) for an SQLite file.
 */
#include "stores/service.h"
#include "stores/sqlite/sqlite.h"
#include "stores/sqlite/verbs.h"

static const struct ik_store_verb verbs[] = {
	{ "backup", ik_answer_backup, true },
	{ "check", ik_answer_check, true },
	{ NULL, NULL, false },
};

int main(int argc, char **argv)
{
	static const struct ik_service service = { .verbs = verbs };
	struct ik_sqlite sqlite = { .base.ops = &ik_sqlite_ops };

	return ik_service_run(&service, &sqlite.base, argc, argv);
}
