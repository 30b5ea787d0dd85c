/*
 * examine: look at a database without changing it.
 *
 * May include: util, store/sqlite/sqlite_library.h.
 */
#ifndef IK_STORE_SQLITE_EXAMINE_H
#define IK_STORE_SQLITE_EXAMINE_H

#include "util/err.h"

#include <stdint.h>

struct ik_store_facts {
	int64_t version; /* of its tables */
	int64_t events;  /* that it holds */
};

/* Open the SQLite file path for reading only and check all of it (blocks as long as that
 * takes). The error says what is wrong with it. */
enum ik_status ik_store_examine(const char *path, struct ik_store_facts *ret_facts,
	struct ik_error *error) IK_MUST_USE;

#endif
