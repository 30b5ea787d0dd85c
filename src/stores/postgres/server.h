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
	const char *prepared; /* the text of the unnamed statement; NULL: there is none */
	bool listens;         /* the client has a session, or follows one: it is told of changes */
	bool ascii;           /* the database's encoding may lack characters */
	char process[IK_UUID_TEXT]; /* the client's, as a holder of leases; "": it has none */
	char state[8];              /* SQLSTATE of the last failure */
};

extern const struct ik_database_ops ik_postgres_ops;

/* Append what tells one database from another, whichever way an address names it: with a role, or
 * options, its tables may be others. */
void ik_server_put_identity(const char *address, struct ik_buf *out);

/* Connect, and look at no tables. Close it in any case. */
enum ik_status ik_server_connect(struct ik_server *server, struct ik_error *error) IK_MUST_USE;

/* The name of a column, and what it has. */
enum ik_server_kind { IK_SERVER_TEXT, IK_SERVER_NUMBER, IK_SERVER_BOOL };
const char *ik_server_column_name(struct ik_rows *rows, int column);
enum ik_server_kind ik_server_column_kind(struct ik_rows *rows, int column);

/* Give up a connection; a client that follows sessions is told that it is lost. */
void ik_server_drop(struct ik_server *server);

#endif
