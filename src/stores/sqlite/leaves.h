/*
 * leaves: reads the rows of a damaged SQLite file from its leaf pages, without the pages that lead
 * to them: a bad page costs only what is on it. The format: https://sqlite.org/fileformat.html
 *
 * First, pages in the write-ahead log are written to the file, which then has all that was
 * committed. Free pages, which may have deleted rows, are skipped. The table of a row has to be found
 * from its values.
 *
 * Owns the descriptor.  May include: util, stores/database.h.
 */
#ifndef IK_STORES_SQLITE_LEAVES_H
#define IK_STORES_SQLITE_LEAVES_H

#include "stores/database.h"

#define IK_LEAF_COLUMNS 12

/* A row as the parameters of a statement: its rowid, then its values. */
struct ik_leaf_row {
	size_t count; /* of values, without the rowid */
	struct ik_value values[IK_LEAF_COLUMNS + 2];
	int64_t page, pages; /* where it was found, of how many */
};
enum { IK_LEAF_FIRST = 1 }; /* the first value */

struct ik_leaves;

/* Open a file; NULL with error if it can't be read. The path is borrowed. */
struct ik_leaves *ik_leaves_open(const char *path, struct ik_error *error);
struct ik_leaves *ik_leaves_close(struct ik_leaves *leaves); /* accepts NULL, returns NULL */

/* Read the next row with at most IK_LEAF_COLUMNS values, which are valid until the one after it is
 * read. Return false at the end or, with an error, if the disk has failed; rows then don't count as
 * lost. */
bool ik_leaves_next(struct ik_leaves *leaves, struct ik_leaf_row *row, struct ik_error *error);

#endif
