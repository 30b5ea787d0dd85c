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
/* Fill in where this process is, and when it was started. */
void ik_holder_locate(struct ik_holder *holder);

/* Is it certain that this process, one of this machine, is no more? */
bool ik_holder_is_dead(const struct ik_holder *holder);
/* Is a process of this number, on a machine of this name, no more? It may live in another namespace
 * of process numbers. */
bool ik_holder_seems_dead(const struct ik_holder *holder);

/* Read it from an object; pid 0 where that says nothing. */
void ik_holder_read(struct ik_json_span object, struct ik_holder *ret_holder);

/* A lock of a file's: "DATABASE-locks/SESSION". New memory. */
char *ik_holder_directory(const char *database);
/* Who has the lock of the file at path; pid 0: nobody. Takes no lock. */
void ik_holder_of_file(const char *path, struct ik_holder *ret_holder);
/* Write this process to a file that it has locked. */
void ik_holder_write(int fd);

/* Append who it is, for people: "USER@HOST, pid N, since 12:03". */
void ik_holder_put(struct ik_buf *out, const struct ik_holder *holder);
/* The same as a sentence: that the session is open there. */
void ik_holder_put_sentence(struct ik_buf *out, const struct ik_holder *holder);

#endif
