/*
 * holder: a process that writes to a session, or would like to, and whether it is alive.
 *
 * May include: util, json.
 */
#ifndef IK_STORE_HOLDER_H
#define IK_STORE_HOLDER_H

#include "json/scan.h"

struct ik_holder {
	char host[65], user[33]; /* "": not known */
	int64_t pid;             /* 0: there is none */
	int64_t since_ms;        /* wall clock, where it is known by the database's */
	char place[112];         /* where its number means this process: a boot of a machine,
	                            namespaces; "": not known */
	int64_t started;         /* when the process was, to know it by */
};

/* This process; is it the holder? */
void ik_holder_self(struct ik_holder *ret_self);
bool ik_holder_is_self(const struct ik_holder *holder);

/* Is it certain that this process, one of this machine, is no more? */
bool ik_holder_is_dead(const struct ik_holder *holder);

/* Read it from an object; pid 0 where that says nothing. */
void ik_holder_read(struct ik_json_span object, struct ik_holder *ret_holder);

/* The file of a session's locks beside a database: DATABASE-locks/SESSION. New memory. */
char *ik_holder_path(const char *database, const char *session);
/* It has a lock of the kernel's for each of these. */
enum ik_holder_role { IK_HOLDER_WRITES, IK_HOLDER_ASKS };
/* Who has it; pid 0: nobody; -1: nothing says who. Takes no lock. */
void ik_holder_of_file(const char *path, enum ik_holder_role role, struct ik_holder *ret_holder);
/* Take it, until the descriptor is closed, and write this process there; false with errno: not to
 * be had (EAGAIN: somebody has it). */
bool ik_holder_lock(int fd, enum ik_holder_role role);
void ik_holder_unlock(int fd, enum ik_holder_role role);
/* Take out who has it. */
void ik_holder_erase(int fd, enum ik_holder_role role);

/* Append who it is, for people: "USER@HOST, pid N, since 12:03". */
void ik_holder_put(struct ik_buf *out, const struct ik_holder *holder);
/* The same as a sentence: that the session is open there. */
void ik_holder_put_sentence(struct ik_buf *out, const struct ik_holder *holder);

#endif
