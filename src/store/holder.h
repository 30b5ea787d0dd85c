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

/* Describe this process; is it the holder? */
void ik_holder_self(struct ik_holder *ret_self);
bool ik_holder_is_self(const struct ik_holder *holder);

/* Return what identifies a directory of lock files: two processes that have the same one see each
 * other's locks. In new memory; "" if the directory is missing. */
char *ik_holder_place(const char *directory);

/* Read a holder from a JSON object; pid is 0 if the object has none. */
void ik_holder_read(struct ik_json_span object, struct ik_holder *ret_holder);

/* A lock file is named after its session, and has one kernel lock for each role. */
enum ik_holder_role { IK_HOLDER_WRITES, IK_HOLDER_ASKS };
/* Report who has the lock, without taking it: pid is 0 if it is free, -1 if the file doesn't say
 * who has it. */
void ik_holder_of_file(const char *path, enum ik_holder_role role, struct ik_holder *ret_holder);
/* Take the lock until the descriptor is closed, and write this process into the file. Return false
 * with errno if that fails (EAGAIN: another process has it). */
bool ik_holder_lock(int fd, enum ik_holder_role role);
void ik_holder_unlock(int fd, enum ik_holder_role role);
/* Erase the holder's name from the file. */
void ik_holder_erase(int fd, enum ik_holder_role role);

/* Append the holder for people: "USER@HOST, pid N, since 12:03". */
void ik_holder_put(struct ik_buf *out, const struct ik_holder *holder);
/* Append a sentence that says where the session is open. */
void ik_holder_put_sentence(struct ik_buf *out, const struct ik_holder *holder);

#endif
