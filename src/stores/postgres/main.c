/*
 * store-postgres ADDRESS JOURNALS: a store program (ikigai-store(7)) for a PostgreSQL server.
 */
#include "stores/postgres/lease.h"
#include "stores/postgres/server.h"
#include "stores/service.h"

static const struct ik_store_verb verbs[] = {
	{ "lease", ik_answer_lease, false },
	{ NULL, NULL, false },
};

int main(int argc, char **argv)
{
	static const struct ik_service service = {
		.verbs = verbs,
		.watched = ik_lease_watched,
		.heard = ik_lease_tell_heard,
	};
	struct ik_server server = { .base.ops = &ik_postgres_ops };

	return ik_service_run(&service, &server.base, argc, argv);
}
