/*
 * server: a PostgreSQL server as the database of a store program.
 *
 * Connecting is the library's: several hosts, target_session_attrs, connect_timeout, service files
 * and TLS mean what they mean to psql. Changes within a transaction are sent without waiting; their
 * answers are read with the next question, or at the end: a round trip each, however many there are.
 *
 * Owns the connection.  May include: util, stores, <libpq-fe.h>.
 */
#ifndef IK_STORES_POSTGRES_SERVER_H
#define IK_STORES_POSTGRES_SERVER_H

#include <libpq-fe.h>

#include "stores/database.h"

struct ik_server {
	struct ik_database base;
	PGconn *connection; /* NULL: there is none */
	bool in_transaction;
	int silent_ms;              /* a server that says nothing for so long is given up */
	const char *prepared;       /* the text of the unnamed statement; NULL: there is none */
	bool ascii;                 /* the database's encoding may lack characters */
	char process[IK_UUID_TEXT]; /* the client's, as a holder of leases; "": it has none */
	char state[8];              /* SQLSTATE of the last failure */
};

/* Append what tells one database from another, whichever way an address names it: with a role, or
 * options, its tables may be others. */
void ik_server_put_identity(const char *address, struct ik_buf *out);

/* Connect, and look at no tables. Close it in any case. */
void ik_server_connect(struct ik_server *server);

extern const struct ik_database_form ik_postgres_form;

#endif
