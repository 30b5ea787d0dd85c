/*
 * database_file: the file of an embedded database, as a file.
 *
 * May include: util.
 */
#ifndef IK_STORE_DATABASE_FILE_H
#define IK_STORE_DATABASE_FILE_H

#include <stdbool.h>

#include "util/buf.h"
#include "util/identity.h"

/* Make an empty file with its directory, for its owner only, unless it is
 * there (the database's library would go by the umask). */
enum ik_status ik_database_file_make(const char *path, struct ik_error *error) IK_MUST_USE;

/* Can memory be shared by way of a file beside it? Some network file systems refuse that. A log
 * that is there shows that it can. */
bool ik_database_file_can_share(const char *path);

/* Is it on a file system that is mounted read-only? */
bool ik_database_file_is_read_only(const char *path);

/* Is it not the file any more that had this identity (it was removed, replaced, or has another
 * name)? False where nobody can tell. */
bool ik_database_file_is_another(const char *path, const struct ik_identity *identity);

/* Which file the log of a database is that is open; false: it has none. */
bool ik_database_file_log(const char *path, struct ik_identity *ret_log);
/* The database was replaced whose log this is: unless others still have it, remove it. Whoever
 * opens the new one would read into it what was written to the old one
 * (https://www.sqlite.org/howtocorrupt.html, 1.4). No handle on it may be open in the process. */
void ik_database_file_drop_log(const char *path, const struct ik_identity *log);

/* Does the kernel tell of what another machine writes there? Not on a file system of the network. */
bool ik_database_file_is_told(const char *path);

/* Give a damaged database and its side files another name (IK_DAMAGED in it) and say so in
 * notice; then give its name to the file at instead (NULL: there is none). */
#define IK_DAMAGED ".damaged-"
enum ik_status ik_database_file_put_aside(const char *path, const char *instead,
	struct ik_buf *notice, struct ik_error *error) IK_MUST_USE;

#endif
