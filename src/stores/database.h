/*
 * database: the interface between a store program and its database.
 *
 * sqlite/sqlite.c and postgres/server.c each implement this header, except for the functions in
 * database.c; the verbs are written once, on top of it. A statement has the parameters ?1 to ?12.
 * SQL that differs is a member of ik_database_sql.
 *
 * Everything here blocks: for other writers, for the disk, for a server. A request's reads can be
 * interrupted by its cancellation.
 *
 * The first failure is kept in the database's error. Until the caller clears it, every function
 * here does nothing, and rows end: check a sequence of statements once, at its end.
 *
 * May include: util, conversation, stores/connection.h.
 */
#ifndef IK_STORES_DATABASE_H
#define IK_STORES_DATABASE_H

#include "conversation/message.h"
#include "stores/connection.h"

struct ik_search_query;
struct ik_database;

/* A parameter's value; texts are borrowed until the call returns. */
struct ik_value {
	enum { IK_VALUE_END, IK_VALUE_NUMBER, IK_VALUE_TEXT, IK_VALUE_ID, IK_VALUE_BYTES } type;
	const char *text; /* NULL for null */
	size_t length;
	int64_t number;
};

/* An array of values for a statement: IK_VALUES(ik_value_id(session), ik_value_number(3)). */
#define IK_VALUES(...) ((const struct ik_value[]){ __VA_ARGS__, { .type = IK_VALUE_END } })
#define IK_VALUE_LIMIT 12
struct ik_value ik_value_number(int64_t number);
struct ik_value ik_value_text(const char *text); /* NULL for null */
struct ik_value ik_value_chars(const char *text, size_t length);
struct ik_value ik_value_id(const char *id); /* a UUID; null if it isn't one */
struct ik_value ik_value_bytes(const char *bytes, size_t length);

/* Columns of an event. */
enum { IK_EVENT_COLUMN_COUNT = 8 };

/* The rows of an answer, read one at a time. */
struct ik_rows {
	struct ik_database *database;
	void *answer;                                  /* the library's object */
	int row;                                       /* current one, if all rows are read */
	unsigned char *decoded[IK_EVENT_COLUMN_COUNT]; /* columns of bytes in the current row */
};

struct ik_database {
	struct ik_connection *client;
	const char *const *journals; /* their directories, ended by NULL */
	const char *address;         /* as given by the client */
	char *name;                  /* for messages; NULL while closed */
	const char *user;            /* our role there; NULL if it has no users */
	bool interruptible;          /* the current request may be cancelled during a statement */
	bool patient;                /* no time limit on statements */
	bool reads_only;             /* what is stored in it would be lost */
	bool damaged;                /* some of it couldn't be read */
	int64_t unindexed;           /* unindexed events when indexing began */
	struct ik_error error;       /* the first failure; IK_OK if none */
};

/* Statements of a backend; NULL if it needs none. */
struct ik_database_sql {
	const char *event; /* columns of ik_rows_event(), in a table "e" */
	/* ?1 a journal: other programs that store it wait for the end of the transaction. */
	const char *lock_journal;
	/* ?1 a session, ?2 IDs with commas, ?3 a writer: the number of the newest event, whether
	 * another writer has the lease, and each of the IDs that is stored, with its number. */
	const char *state;
	/* id, session, number, kind, content, data, time, content and data as bytes, size; an existing
	 * event is left as it is */
	const char *add_event;
	const char *holder; /* a column of a session: its holder as JSON, or null */
	const char *among;  /* after a column: is it one of the IDs in ?1, with commas? */
	/* ?1 words, ?2 position to continue at, ?3 directory, ?4 owner, ?5 limit: events, newest first,
	 * each with its position and the columns of IK_SHOWN_SESSION. */
	const char *search;
	/* The index has the events of each session, or of all, up to a mark. Returns the number of
	 * later events, as far as it is known quickly. */
	const char *behind;
	/* Choose sessions with unindexed events, as a text; others can't index or delete them
	 * meanwhile. */
	const char *choose;
	/* ?1 that text: their unindexed events, each with its key in the index, its session, and the
	 * mark once it is indexed; a row without an event has the mark past all events. */
	const char *unindexed;
	const char *add_words; /* ?1 {"KEY":"words",...} */
	const char *set_mark;  /* ?1 a session, ?2 its new mark */
	/* Delete the large texts of IK_OLDEST_EVENTS. */
	const char *drop_parts;
	const char *events_deleted; /* the next event may reuse a deleted event's key */
};

extern const struct ik_database_sql ik_database_sql;
extern const char ik_database_kind[]; /* "sqlite" */

bool ik_database_failed(const struct ik_database *database);

/* Open the database, and create or migrate its tables. Close it in any case. */
void ik_database_open(struct ik_database *database);
/* Is it open? Any request may lose the connection. */
bool ik_database_is_open(const struct ik_database *database);
void ik_database_close(struct ik_database *database);

/* Begin a transaction that writes; end it: everything is stored or, if anything failed, nothing. */
void ik_database_begin(struct ik_database *database);
void ik_database_end(struct ik_database *database);
/* Run a statement. The caller frees the rows, which may be NULL. */
struct ik_rows *ik_database_ask(struct ik_database *database, const char *statement,
	const struct ik_value *values);
/* Run a statement that returns no rows and is a string literal; NULL does nothing. Within a
 * transaction a failure may show only in a later call. */
void ik_database_change(struct ik_database *database, const char *statement,
	const struct ik_value *values);
/* Run several statements without values. */
void ik_database_run(struct ik_database *database, const char *statements);

/* Can a text column store it? */
bool ik_database_takes_text(const struct ik_database *database, const char *text, size_t length);
/* Append the words of a text, or of a query, in the index's format. */
void ik_database_put_words(struct ik_buf *out, const char *text, size_t length);
void ik_database_put_query(const struct ik_search_query *query, struct ik_buf *out);
/* Remove the words of a session's oldest deletable events, at most count, from the index. */
void ik_database_drop_words(struct ik_database *database, const char *session, int64_t count);

/* Fail with IK_IO if the database is read-only. */
void ik_database_check_writable(struct ik_database *database);

/* Return the first number, or ID, of the first row; 0, or "", if there is no row. */
int64_t ik_database_number(struct ik_database *database, const char *statement,
	const struct ik_value *values);
void ik_database_id(struct ik_database *database, const char *statement,
	const struct ik_value *values, char ret_id[IK_UUID_TEXT]);

/* ---- rows ---- */

/* Go to the next row, at first to the first one. Return false at the end, or if the database has
 * failed. */
bool ik_rows_next(struct ik_rows *rows);
struct ik_rows *ik_rows_free(struct ik_rows *rows); /* accepts NULL, returns NULL */

/* Return the text, or the bytes, of a column with its length; NULL for null. */
const char *ik_rows_chars(struct ik_rows *rows, int column, size_t *ret_length);
const char *ik_rows_bytes(struct ik_rows *rows, int column, size_t *ret_length);

/* Return a column's value; "" or 0 for null. */
const char *ik_rows_text(struct ik_rows *rows, int column);
int64_t ik_rows_number(struct ik_rows *rows, int column);
/* Return the text of a column; NULL for null. */
const char *ik_rows_text_or_null(struct ik_rows *rows, int column);
/* Append the members of a JSON object in a column. */
void ik_rows_put_members(struct ik_rows *rows, int column, struct ik_buf *line);
void ik_rows_copy_id(struct ik_rows *rows, int column, char ret_id[IK_UUID_TEXT]);

/* Return the event of a row that starts with an event's columns: id, sequence, kind, content, data,
 * the exact bytes of content and of data if they aren't text, time. The caller gets one reference;
 * NULL if the kind is unknown. */
struct ik_message *ik_rows_event(struct ik_rows *rows);

/* The columns of a session, in a table "s". */
#define IK_SESSION_COLUMNS \
	"s.id, s.title, s.directory, s.created_ms, s.updated_ms, s.event_count + s.forked_at, " \
	"s.parent," \
	" s.forked_at, s.owner"

/* The session that an event "e" is shown in: its own, or if that was deleted while it had forks, the
 * newest of the forks that have the event. */
#define IK_SHOWN_SESSION \
	"coalesce((SELECT id FROM sessions WHERE id = e.session AND event_count > 0)," \
	" (WITH RECURSIVE line(id) AS (SELECT id FROM sessions WHERE parent = e.session" \
	"  AND forked_at >= e.sequence UNION SELECT c.id FROM line" \
	"  JOIN sessions c ON c.parent = line.id WHERE c.forked_at >= e.sequence)" \
	"  SELECT f.id FROM line JOIN sessions f ON f.id = line.id WHERE f.event_count > 0" \
	"  ORDER BY f.updated_ms DESC LIMIT 1))"

/* The events of a session (?1) that no fork shares, oldest first, at most ?2. */
#define IK_OLDEST_EVENTS \
	" FROM events e WHERE e.session = ?1 AND e.sequence > coalesce((SELECT max(forked_at)" \
	" FROM sessions WHERE parent = ?1), 0) ORDER BY e.sequence LIMIT ?2"

/* ---- tables ---- */

/* The versions of a backend's tables: steps[n] leads from version n to n + 1. */
struct ik_database_form {
	const char *lock; /* first in the transaction: keeps other programs out; or NULL */
	const char *ask;  /* read the version */
	const char *set;  /* set the version; the number is appended */
	const char *const *steps;
	size_t count;
};

/* Migrate the tables to the newest version. IK_DENIED if they are newer than that. A failure
 * changes nothing. */
void ik_database_migrate(struct ik_database *database, const struct ik_database_form *form);

#endif
