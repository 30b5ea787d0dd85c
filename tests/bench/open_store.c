#include "open_store.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/text.h"

struct ik_store *bench_store_open(const char *database, struct ik_loop **ret_loop)
{
	const char *build = getenv("IK_TOP_BUILDDIR"), *place = getenv("IK_BENCH_JOURNALS");
	char *journals = place ? ik_strdup(place) : ik_format("%s.journals", database);
	char *programs = ik_format("%s/libexec/stores", build ? build : ".");
	const struct ik_store_options options = {
		.database = database,
		.journals = journals,
		.programs = programs,
	};
	struct ik_store *store = NULL;
	struct ik_error error;

	*ret_loop = ik_loop_new(&error);
	if (*ret_loop)
		store = ik_store_open(*ret_loop, &options, &error);
	if (!store) {
		(void)fprintf(stderr, "no store: %s\n", error.text);
		exit(1);
	}
	free(journals);
	free(programs);
	return store;
}

void bench_store_close(struct ik_store *store, struct ik_loop *loop)
{
	struct ik_error notice;

	(void)ik_store_close(store, NULL, &notice);
	if (notice.status != IK_OK) {
		(void)fprintf(stderr, "not all is stored: %s\n", notice.text);
		exit(1);
	}
	(void)ik_loop_free(loop);
}
