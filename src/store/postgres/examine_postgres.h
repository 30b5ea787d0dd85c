/*
 * examine_postgres: look at a PostgreSQL database without changing it.
 *
 * On the loop, with a connection of its own and a limit of time.
 *
 * May include: util, store/store.h, store/postgres/pq_library.h, store/postgres/postgres_private.h.
 */
#ifndef IK_STORE_POSTGRES_EXAMINE_POSTGRES_H
#define IK_STORE_POSTGRES_EXAMINE_POSTGRES_H

#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A session that is open for writing. */
struct ik_postgres_lock {
	char session[IK_UUID_TEXT];
	struct ik_holder holder;
	bool dead; /* its process, one of this machine, is no more: the next who wants it has it */
};
#define IK_POSTGRES_LOCKS 8

struct ik_postgres_facts {
	char server[64];   /* its version, as it says it */
	char role[64];     /* who we are there */
	char encoding[32]; /* of the database */
	bool read_only;
	bool can_create; /* tables in the schema where they would be made */
	bool has_form;   /* our tables are there */
	bool has_others; /* tables of ours are not, but one of the same name is */
	bool can_use;    /* read and write all of ours */
	int64_t version; /* of the tables; 0: none, or they may not be read */
	int64_t wanted;  /* the version that this program brings them to, */
	bool owns;       /* which only their owner may: we are */
	char owner[64];
	int64_t events;   /* about so many */
	int64_t ahead_ms; /* so much its clock is ahead of ours */
	bool encrypted;   /* TLS, or a socket of this machine */
	bool pooled;      /* something stands between us and the server: nothing is heard of */
	struct ik_postgres_lock locks[IK_POSTGRES_LOCKS]; /* the newest ones */
	size_t locks_shown;                               /* of them */
	int64_t locks_held;                               /* all there are */
};

/* facts, or NULL with an error that says why there are none. */
typedef void ik_postgres_examined(void *arg, const struct ik_postgres_facts *facts,
	const struct ik_error *error);

struct ik_postgres_examine;

/* Ask; fn is called once in a later turn of the loop. limit_ms is how long an answer may take;
 * a host that does not answer while connecting has the address's connect_timeout. */
struct ik_postgres_examine *ik_postgres_examine_start(struct ik_loop *loop, const char *uri,
	int64_t limit_ms, ik_postgres_examined *fn, void *arg);
/* No answer is wanted any more, or it was given. Takes NULL, returns NULL. */
struct ik_postgres_examine *ik_postgres_examine_close(struct ik_postgres_examine *examine);

/* IK_DENIED with a sentence when the tables are newer than this program, or not ours. */
enum ik_status ik_postgres_facts_check(const struct ik_postgres_facts *facts, const char *shown,
	struct ik_error *error) IK_MUST_USE;

#endif
