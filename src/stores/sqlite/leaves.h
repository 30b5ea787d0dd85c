/*
 * leaves: reads the rows of a damaged SQLite file from its leaf pages, without the pages that lead
 * to them: a bad page costs only what is on it. The format: https://sqlite.org/fileformat.html
 *
 * Pages in the write-ahead log replace those in the file. Free pages, which may have deleted rows,
 * are skipped. The table of a row has to be found from its values.
 *
 * Owns the two descriptors.  May include: util.
 */
#ifndef IK_STORES_SQLITE_LEAVES_H
#define IK_STORES_SQLITE_LEAVES_H

#include <stdint.h>

#include "util/buf.h"

#define IK_LEAF_COLUMNS 12

struct ik_leaf_value {
	enum { IK_LEAF_NULL, IK_LEAF_NUMBER, IK_LEAF_TEXT, IK_LEAF_BYTES } type;
	int64_t number;
	const char *bytes; /* valid until the next row is read */
	size_t length;
};

struct ik_leaf_row {
	int64_t rowid;
	size_t count; /* of values */
	struct ik_leaf_value values[IK_LEAF_COLUMNS];
};

struct ik_leaves;

/* Open a file; NULL with error if it can't be read. The path is borrowed. */
struct ik_leaves *ik_leaves_open(const char *path, struct ik_error *error);
struct ik_leaves *ik_leaves_close(struct ik_leaves *leaves); /* accepts NULL, returns NULL */

/* Read the next row with at most IK_LEAF_COLUMNS values. Return false at the end or, with an error,
 * if the disk has failed; rows then don't count as lost. */
bool ik_leaves_next(struct ik_leaves *leaves, struct ik_leaf_row *row, struct ik_error *error);

/* Return the number of pages, and of pages read so far. */
int64_t ik_leaves_pages(const struct ik_leaves *leaves);
int64_t ik_leaves_read(const struct ik_leaves *leaves);

#endif
