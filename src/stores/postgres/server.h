/*
 * server: a connection to a PostgreSQL server, and statements on it.
 *
 * Connecting is the library's: several hosts, target_session_attrs, connect_timeout, service files
 * and TLS mean what they mean to psql. Everything here blocks; while a statement of a request that
 * reads is at work, its cancellation cancels the statement.
 *
 * Owns the connection.  May include: util, stores, <libpq-fe.h>.
 */
#ifndef IK_STORES_POSTGRES_SERVER_H
#define IK_STORES_POSTGRES_SERVER_H

#include <libpq-fe.h>
#include <stdint.h>

#include "stores/connection.h"
#include "util/buf.h"

struct ik_server {
	PGconn *connection; /* NULL: there is none */
	char *shown;        /* the address without its password */
	struct ik_connection *client;
	bool interruptible; /* the current request may be cancelled within a statement */
	bool listens;       /* the client has a session, or follows one: it is told of changes */
	bool ascii;         /* the database's encoding may lack characters */
};

/* Connect, make the tables or bring them to their present form. Close it in any case. */
enum ik_status ik_server_open(struct ik_server *server, const char *address,
	struct ik_connection *client, struct ik_error *error) IK_MUST_USE;
void ik_server_close(struct ik_server *server);
/* Give up a connection that is broken. */
void ik_server_drop(struct ik_server *server);

/* A statement with parameters, all of them texts for the server: it knows their types from casts. */
#define IK_STATEMENT_PARAMETERS 12
struct ik_statement {
	const char *text;
	struct ik_buf values[IK_STATEMENT_PARAMETERS];
	bool null[IK_STATEMENT_PARAMETERS];
	int count;
};
void ik_statement_init(struct ik_statement *statement, const char *text);
void ik_statement_put(struct ik_statement *statement, const char *text); /* NULL: null */
void ik_statement_put_number(struct ik_statement *statement, int64_t number);
/* A UUID; a text that is none becomes null. */
void ik_statement_put_uuid(struct ik_statement *statement, const char *text);
void ik_statement_put_bytes(struct ik_statement *statement, const char *bytes, size_t length);
/* An array: begin, its elements, end. */
void ik_statement_begin_array(struct ik_statement *statement);
void ik_statement_put_element(struct ik_statement *statement, const char *text, size_t length);
void ik_statement_put_element_null(struct ik_statement *statement);
void ik_statement_put_element_bytes(struct ik_statement *statement, const char *bytes,
	size_t length);
void ik_statement_put_element_number(struct ik_statement *statement, int64_t number);
void ik_statement_end_array(struct ik_statement *statement);

/*
 * Run it and release it: its result, to be cleared by the caller, or NULL with *error.
 * IK_UNAVAILABLE: the server is gone, and the connection with it, or the transaction failed because
 * of another; IK_INVALID: the server does not take the values.
 */
PGresult *ik_server_ask(struct ik_server *server, struct ik_statement *statement,
	struct ik_error *error);
/* The same for statements whose results are of no interest. */
enum ik_status ik_server_do(struct ik_server *server, struct ik_statement *statement,
	struct ik_error *error) IK_MUST_USE;
enum ik_status ik_server_run(struct ik_server *server, const char *statements,
	struct ik_error *error) IK_MUST_USE;

/* A transaction: begin it, and end it by what its work came to. */
enum ik_status ik_server_begin(struct ik_server *server, struct ik_error *error) IK_MUST_USE;
enum ik_status ik_server_end(struct ik_server *server, enum ik_status status,
	struct ik_error *error) IK_MUST_USE;

/* Columns of a result: "" and 0 where they are null. */
const char *ik_result_text(const PGresult *result, int row, int column);
int64_t ik_result_number(const PGresult *result, int row, int column);

#endif
