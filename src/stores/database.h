/*
 * database: what a store program asks of its database, whichever that is.
 *
 * sqlite/sqlite.c and postgres/server.c each implement this header, but for what database.c has; all
 * verbs are written once, on top of it. A statement has the parameters ?1 to ?12. What differs in SQL
 * is a member of ik_database_sql.
 *
 * Everything here blocks: for other writers, for the disk, for a server. What a request reads can be
 * interrupted by its cancellation.
 *
 * The first failure is kept in the database's error. Until somebody has taken that, every function
 * here does nothing, and rows have ended: a sequence of statements needs one look at its end.
 *
 * May include: util, conversation, stores/connection.h.
 */
#ifndef IK_STORES_DATABASE_H
#define IK_STORES_DATABASE_H

#include "conversation/message.h"
#include "stores/connection.h"

struct ik_search_query;
struct ik_database;

/* A value for a parameter; texts are borrowed until the call returns. */
struct ik_value {
	enum { IK_VALUE_END, IK_VALUE_NUMBER, IK_VALUE_TEXT, IK_VALUE_ID, IK_VALUE_BYTES } type;
	const char *text; /* NULL: null */
	size_t length;
	int64_t number;
};

/* The values of a statement: IK_VALUES(ik_value_id(session), ik_value_number(3)). */
#define IK_VALUES(...) ((const struct ik_value[]){ __VA_ARGS__, { .type = IK_VALUE_END } })
#define IK_VALUE_LIMIT 12
struct ik_value ik_value_number(int64_t number);
struct ik_value ik_value_text(const char *text); /* NULL: null */
struct ik_value ik_value_chars(const char *text, size_t length);
struct ik_value ik_value_id(const char *id); /* a UUID; what is none becomes null */
struct ik_value ik_value_bytes(const char *bytes, size_t length);

/* Columns of an event. */
enum { IK_EVENT_COLUMN_COUNT = 8 };

/* The rows of an answer, one at a time. */
struct ik_rows {
	struct ik_database *database;
	void *answer;                                  /* the library's */
	int row;                                       /* of it, where all rows are there */
	unsigned char *decoded[IK_EVENT_COLUMN_COUNT]; /* columns of bytes of that row */
};

struct ik_database {
	struct ik_connection *client;
	const char *const *journals; /* their directories; NULL ends them */
	const char *address;         /* as the program's client gave it */
	char *name;                  /* as sentences have it; NULL: it is closed */
	const char *user;            /* who we are there; NULL: it has no users */
	bool interruptible;          /* the current request may be cancelled within a statement */
	bool patient;                /* a statement may take any time */
	bool reads_only;             /* what is stored in it would be lost */
	bool damaged;                /* something in it could not be read */
	int64_t unindexed;           /* events that were to be indexed when that began */
	bool exact;            /* it has refused a text of this transaction: all go as bytes, too */
	struct ik_error error; /* what failed first; IK_OK: nothing has */
};

/* Statements of a backend. NULL: it needs none. */
struct ik_database_sql {
	const char *event; /* columns of ik_rows_event(), of a table "e" */
	/* ?1 a journal: others who store it wait for the end of the transaction. */
	const char *lock_journal;
	/* ?1 a session, ?2 ids with commas, ?3 a writer: the number of the newest event, whether another
	 * writer has the lease, and each of the ids that is stored, with its number. */
	const char *state;
	/* id, session, number, kind, content, data, time, content and data as bytes, size; one that is
	 * there stays */
	const char *add_event;
	const char *holder; /* a column of a session: who has it open, as JSON, or null */
	/* ?1 words, ?2 the place to continue at, ?3 a directory, ?4 an owner, ?5 how many: events, newest
	 * first, each with its place and the id of its session, then that, unless it was deleted. */
	const char *search;
	/* The index has the events of a session, or of all, up to a mark. How many others
	 * there are, as far as that is known quickly. */
	const char *behind;
	/* Sessions that have others, as a text; nobody else indexes or deletes them meanwhile. */
	const char *choose;
	/* ?1 that text: events of them that are not in the index, each with its key there, its session,
	 * and the mark once it is indexed; without an event, the mark after all. */
	const char *unindexed;
	const char *add_words; /* ?1 {"KEY":"words",...} */
	const char *set_mark;  /* ?1 a session, ?2 its mark */
	/* The large texts of IK_OLDEST_EVENTS. */
	const char *drop_parts;
	const char *events_deleted; /* the next event may get the key of one of them */
};

extern const struct ik_database_sql ik_database_sql;
extern const char ik_database_kind[]; /* "sqlite" */

bool ik_database_failed(const struct ik_database *database);

/* Open it, make its tables, or bring them to their present form. Close it in any case. */
void ik_database_open(struct ik_database *database);
/* Is it open? A connection may be lost with any request. */
bool ik_database_is_open(const struct ik_database *database);
void ik_database_close(struct ik_database *database);

/* Begin a transaction that writes; end it: all of it is stored, or, if anything failed, nothing. */
void ik_database_begin(struct ik_database *database);
void ik_database_end(struct ik_database *database);
/* Run a statement; its rows, which may be NULL, are freed by the caller. */
struct ik_rows *ik_database_ask(struct ik_database *database, const char *statement,
	const struct ik_value *values);
/* Run one that is a literal and gives no rows; NULL changes nothing. Within a transaction a failure
 * may be seen by a later call. */
void ik_database_change(struct ik_database *database, const char *statement,
	const struct ik_value *values);
/* Run several without values. */
void ik_database_run(struct ik_database *database, const char *statements);

/* Can a text column have it? */
bool ik_database_takes_text(const struct ik_database *database, const char *text, size_t length);
/* Append the words of a text, or of a query, as the index wants them. */
void ik_database_put_words(struct ik_buf *out, const char *text, size_t length);
void ik_database_put_query(const struct ik_search_query *query, struct ik_buf *out);
/* Take the words of the oldest events of a session that may go, at most count, out of the index. */
void ik_database_drop_words(struct ik_database *database, const char *session, int64_t count);

/* Fails with IK_IO where nothing can be stored in it. */
void ik_database_check_writable(struct ik_database *database);

/* The first number, or id, of the first row; 0, or "", where there is none. */
int64_t ik_database_number(struct ik_database *database, const char *statement,
	const struct ik_value *values);
void ik_database_id(struct ik_database *database, const char *statement,
	const struct ik_value *values, char ret_id[IK_UUID_TEXT]);

/* ---- rows ---- */

/* Go to the next row, or the first; false: there is none, or the database has failed. */
bool ik_rows_next(struct ik_rows *rows);
struct ik_rows *ik_rows_free(struct ik_rows *rows); /* takes NULL, returns NULL */

/* The text of a column, with its length, or the bytes of one that has bytes; NULL: null. */
const char *ik_rows_chars(struct ik_rows *rows, int column, size_t *ret_length);
const char *ik_rows_bytes(struct ik_rows *rows, int column, size_t *ret_length);

/* Columns: "" and 0 where they are null. */
const char *ik_rows_text(struct ik_rows *rows, int column);
int64_t ik_rows_number(struct ik_rows *rows, int column);
bool ik_rows_is_null(struct ik_rows *rows, int column);
/* The text of a column; NULL where it is null. */
const char *ik_rows_text_or_null(struct ik_rows *rows, int column);
/* Append the members of an object, which a column has as JSON. */
void ik_rows_put_members(struct ik_rows *rows, int column, struct ik_buf *line);
void ik_rows_copy_id(struct ik_rows *rows, int column, char ret_id[IK_UUID_TEXT]);

/* The event of a row that begins with an event's columns: id, sequence, kind, content, data, the
 * exact bytes of content and of data where these are no texts, time. One reference; NULL where its
 * kind is unknown. */
struct ik_message *ik_rows_event(struct ik_rows *rows);

/* The columns of a session (of a table "s"). */
#define IK_SESSION_COLUMNS \
	"s.id, s.title, s.directory, s.created_ms, s.updated_ms, s.event_count + s.forked_at, " \
	"s.parent," \
	" s.forked_at, s.owner"

/* Events of a session (?1) that no fork shares, oldest first, at most ?2. */
#define IK_OLDEST_EVENTS \
	" FROM events e WHERE e.session = ?1 AND e.sequence > coalesce((SELECT max(forked_at)" \
	" FROM sessions WHERE parent = ?1), 0) ORDER BY e.sequence LIMIT ?2"

/* ---- tables ---- */

/* How a backend's tables got their present form: steps[n] leads from form n to n + 1. */
struct ik_database_form {
	const char
		*lock; /* in a transaction: that no other program does it at the same time; may be NULL */
	const char *ask; /* which form is it? */
	const char *set; /* a number that follows is the form */
	const char *const *steps;
	size_t count;
};

/* Bring the tables to their present form. IK_DENIED: they are newer. On failure they are as they
 * were. */
void ik_database_migrate(struct ik_database *database, const struct ik_database_form *form);

#endif
