/*
 * rescue: events that the database would not take, kept in a file.
 *
 * One JSON object a line: the first names the database, each further one is an
 * event with its session.  The file lies beside the database, or, when that
 * place is full or closed, in TMPDIR; its name tells which database it is for,
 * and only a regular file of this user is ever read.
 *
 * May include: util, json, conversation, store/backend.h.
 */
#ifndef IK_STORE_RESCUE_H
#define IK_STORE_RESCUE_H

#include "store/backend.h"

/* Write the records for the database at path; *ret_path is where (new memory). */
enum ik_status ik_rescue_write(const char *database, const struct ik_record *first,
	char **ret_path, struct ik_error *error) IK_MUST_USE;

/* The rescue files for the database at path, beside it and in TMPDIR: a
 * NULL-terminated array in new memory, or NULL without any. */
char **ik_rescue_find(const char *database);
char **ik_rescue_find_free(char **paths);

/* Read a file: session and record are called in turn for each event; record
 * takes the message over. A line that is no event (the last one, of a process
 * that was killed) is passed over. */
struct ik_rescue_reader {
	struct ik_store_session *(*session)(void *arg, const char *id, const char *directory,
		int64_t created_ms);
	void (*record)(void *arg, struct ik_store_session *session, struct ik_message *message);
};
enum ik_status ik_rescue_read(const char *path, const struct ik_rescue_reader *reader, void *arg,
	struct ik_error *error) IK_MUST_USE;

#endif
