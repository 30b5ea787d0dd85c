/*
 * rescue: events that the database would not take, kept in a file.
 *
 * One JSON object a line: the first names the database, each further one is an
 * event with its session, or more of the content of the event before it.
 * The file is beside the database, or, when that place is full or closed or the
 * database is a server's, in a directory of ours; its name tells which database it
 * is for, and only a regular file of this user is ever read.  The last resort is TMPDIR, where every tool may
 * write: what is found there is never stored without the user, who is told where
 * it is and can import it.
 *
 * May include: util, json, conversation, store/backend.h.
 */
#ifndef IK_STORE_RESCUE_H
#define IK_STORE_RESCUE_H

#include "store/backend.h"

/* One event as a line, with all that is known of its session. */
void ik_rescue_put(struct ik_buf *out, const struct ik_record *record);
/* A session that became a fork, as a line: the events behind it, and those before it that are
 * not stored yet, are the fork's. */
void ik_rescue_put_fork(struct ik_buf *out, const struct ik_store_session *session);
/* More of the content of the event that was put last, as a line. */
void ik_rescue_put_more(struct ik_buf *out, const char *id, const char *text, size_t length);
/* The first line; writer: this process as a holder of locks, "" where there are none; begun: of
 * what was not whole yet (store/begun.h). */
void ik_rescue_put_head(struct ik_buf *out, const char *database, const char *writer, bool begun);

/* The places for a database's files, in the order in which they are tried. */
enum {
	IK_RESCUE_BESIDE,  /* the database */
	IK_RESCUE_PRIVATE, /* and so on: directories of ours, mode 0700 */
	IK_RESCUE_PRIVATE_COUNT = 2,
	IK_RESCUE_TEMPORARY = IK_RESCUE_PRIVATE + IK_RESCUE_PRIVATE_COUNT,
	IK_RESCUE_PLACES
};
struct ik_rescue {
	const char *database; /* borrowed; its path, or the address of a server's */
	char *directories[IK_RESCUE_PRIVATE_COUNT]; /* NULL: there is none */
	bool beside_is_private;                     /* no tool can write beside the database either */
};
void ik_rescue_done(struct ik_rescue *rescue);

/* Write the records; *ret_path is where (new memory), *ret_place in which place. */
enum ik_status ik_rescue_write(const struct ik_rescue *rescue, const struct ik_record *first,
	char **ret_path, int *ret_place, struct ik_error *error) IK_MUST_USE;

/* A path in a place that no file has yet, in new memory; the directory is there. NULL: there is no
 * such place. */
char *ik_rescue_new_path(const struct ik_rescue *rescue, int place, struct ik_error *error);

/* The rescue files for the database in all places but TMPDIR, and those in TMPDIR: a
 * NULL-terminated array in new memory, or NULL without any. */
char **ik_rescue_find(const struct ik_rescue *rescue);
char **ik_rescue_find_temporary(const struct ik_rescue *rescue);
char **ik_rescue_find_free(char **paths);

/* May a tool have made this file, which was found in a place that is not TMPDIR? */
bool ik_rescue_may_be_forged(const struct ik_rescue *rescue, const char *path);

#define IK_RESCUE_TAIL ".jsonl" /* of the names of files with events */
/* Add the files of a directory whose names begin and end so to a NULL-terminated list. */
void ik_rescue_find_in(const char *directory, const char *prefix, const char *tail, char ***paths,
	size_t *count);
/* Oldest first. */
void ik_rescue_sort(char **paths, size_t count);

/* Read a file that is open (fd is the caller's): writer is called for the first line, where it has
 * one; begun, where that says so; session for each further line, with what the line says of it
 * (its strings are borrowed); then, with all that the lines behind it add, record for one that has
 * an event, which takes the message over. A line that is neither (the last one, of a process that was killed)
 * is passed over. */
struct ik_rescue_reader {
	void (*writer)(void *arg, const char *id);
	void (*begun)(void *arg);
	struct ik_store_session *(*session)(void *arg, const struct ik_store_session *said);
	void (*record)(void *arg, struct ik_store_session *session, struct ik_message *message);
};
enum ik_status ik_rescue_read(int fd, const char *path, const struct ik_rescue_reader *reader,
	void *arg, struct ik_error *error) IK_MUST_USE;

#endif
