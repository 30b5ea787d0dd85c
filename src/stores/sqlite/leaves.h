/*
 * leaves: the rows of a damaged SQLite file, read from the pages that have them, whatever leads
 * there: a bad page costs what is on it. The format: https://sqlite.org/fileformat.html
 *
 * A page is as the log beside the file has it. Free pages, which may have what was deleted, are
 * passed over. Of which table a row is, its values have to say.
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
	const char *bytes; /* until the next row is read */
	size_t length;
};

struct ik_leaf_row {
	int64_t rowid;
	size_t count; /* of values */
	struct ik_leaf_value values[IK_LEAF_COLUMNS];
};

struct ik_leaves;

/* NULL: it cannot be read. The path is borrowed. */
struct ik_leaves *ik_leaves_open(const char *path, struct ik_error *error);
struct ik_leaves *ik_leaves_close(struct ik_leaves *leaves); /* takes NULL, returns NULL */

/* Read the next row with at most IK_LEAF_COLUMNS values. False: there is none, or, with an error, the
 * disk has failed, with which nothing may count as lost. */
bool ik_leaves_next(struct ik_leaves *leaves, struct ik_leaf_row *row, struct ik_error *error);

/* How many pages there are, and how many of them are read. */
int64_t ik_leaves_pages(const struct ik_leaves *leaves);
int64_t ik_leaves_read(const struct ik_leaves *leaves);

#endif
