/*
 * server: a PostgreSQL server as the database of a store program.
 *
 * libpq makes the connection: several hosts, target_session_attrs, connect_timeout, service files
 * and TLS work as in psql. Changes within a transaction are sent without waiting; their answers are
 * read with the next query, or at the end: one round trip each, however many changes there are.
 *
 * Owns the connection.  May include: util, stores, <libpq-fe.h>.
 */
#ifndef IK_STORES_POSTGRES_SERVER_H
#define IK_STORES_POSTGRES_SERVER_H

#include <libpq-fe.h>

#include "stores/database.h"

struct ik_server {
	struct ik_database base;
	PGconn *connection; /* NULL if there is none */
	bool in_transaction;
	int silent_ms;              /* limit on the server's silence */
	const char *prepared;       /* text of the unnamed prepared statement; NULL if there is none */
	bool ascii;                 /* the database's encoding may lack some characters */
	char process[IK_UUID_TEXT]; /* the client, as a holder of leases; "" if unknown */
	char state[8];              /* SQLSTATE of the last failure */
};

/* Append what identifies a database, however an address names it; includes the role and the
 * options, which may lead to other tables. */
void ik_server_put_identity(const char *address, struct ik_buf *out);

/* Connect without looking at tables. Close the database in any case. */
void ik_server_connect(struct ik_server *server);

extern const struct ik_database_form ik_postgres_form;

#endif
