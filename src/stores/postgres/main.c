/*
 * store-postgres ADDRESS JOURNALS: a store program (ikigai-store(7)) for a PostgreSQL server.
 */
#include <stdlib.h>

#include "stores/old_files.h"
#include "stores/postgres/facts.h"
#include "stores/postgres/lease.h"
#include "stores/postgres/server.h"
#include "stores/service.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

static const struct ik_store_verb verbs[] = {
	{ "facts", ik_answer_facts, IK_VERB_CLOSED },
	{ "lease", ik_answer_lease, IK_VERB_PLAIN },
	{ NULL, NULL, IK_VERB_LONG },
};

/* Their names begin with a number that is made of the database's identity. */
static void convert_old_files(const struct ik_database *database, const char *journals)
{
	struct ik_buf identity;
	char *prefix;

	ik_buf_init(&identity, IK_KIB(64));
	ik_server_put_identity(database->address, &identity);
	prefix = ik_format("%016llx-", (unsigned long long)ik_text_hash(identity.data));
	ik_old_files_convert(prefix, journals);
	free(prefix);
	ik_buf_done(&identity);
}

int main(int argc, char **argv)
{
	static const struct ik_service service = {
		.verbs = verbs,
		.convert_old_files = convert_old_files,
		.end = ik_lease_end,
	};
	struct ik_server server = { .connection = NULL };

	return ik_service_run(&service, &server.base, argc, argv);
}
