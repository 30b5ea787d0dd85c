/*
 * holder: a process that writes to a session or asks for it, and the file that it locks.
 *
 * May include: util, json.
 */
#ifndef IK_STORE_HOLDER_H
#define IK_STORE_HOLDER_H

#include "json/scan.h"

struct ik_holder {
	char host[65], user[33]; /* "" if unknown */
	int64_t pid;             /* 0 if there is no holder */
	int64_t since_ms;        /* wall clock; the database's clock if there is one */
};

/* Describe this process. Is it the holder? */
void ik_holder_self(struct ik_holder *ret_self);
bool ik_holder_is_self(const struct ik_holder *holder);

/* Return what identifies a directory of lock files: two processes that have the same one see each
 * other's locks. In new memory; "" if the directory is missing. */
char *ik_holder_place(const char *directory);

/* Read a holder from a JSON object; pid is 0 if the object has none. */
void ik_holder_read(struct ik_json_span object, struct ik_holder *ret_holder);

/* A file that exists and is locked while a process has it: that which writes to a session, or that
 * which asks for the session. */
struct ik_lock_file {
	char *path;
	int fd; /* -1: it isn't ours */
};

/* Report who has the file, without taking it: pid is 0 if nobody has it, -1 if it doesn't say
 * who. */
void ik_lock_file_holder(const char *path, struct ik_holder *ret_holder);
/* Lock the file until it is released, and write this process into it. Return 0 or an errno (EAGAIN:
 * another process has it). */
int ik_lock_file_take(struct ik_lock_file *file);
/* Is it ours, and has nobody removed it? */
bool ik_lock_file_is_ours(const struct ik_lock_file *file);
/* Remove it, if it is ours. */
void ik_lock_file_release(struct ik_lock_file *file);

/* Append the holder for people: "USER@HOST, pid N, since 12:03". */
void ik_holder_put(struct ik_buf *out, const struct ik_holder *holder);
/* Set an error that says where the session is open. Return IK_UNAVAILABLE. */
enum ik_status ik_holder_refuse(const struct ik_holder *holder, struct ik_error *error);

#endif
