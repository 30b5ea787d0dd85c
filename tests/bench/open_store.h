/*
 * open_store: a store for a benchmark: the store programs of this build, and journals in
 * DATABASE.journals, or in $IK_BENCH_JOURNALS.
 *
 * May include: libc, util, loop, store.
 */
#ifndef IK_BENCH_OPEN_STORE_H
#define IK_BENCH_OPEN_STORE_H

#include "store/store.h"

/* Both on a new loop. Prints why not, and exits. */
struct ik_store *bench_store_open(const char *database, struct ik_loop **ret_loop);

/* Close both. Prints what is not stored, and exits. */
void bench_store_close(struct ik_store *store, struct ik_loop *loop);

#endif
