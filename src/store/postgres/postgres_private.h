/*
 * postgres_private: what the files of the PostgreSQL backend share.
 *
 * postgres.c connects and brings the database to its form; postgres_hosts.c makes the
 * library's parameters, with addresses for names; postgres_query.c sends statements and
 * takes their results; postgres_write.c and postgres_read.c are what is asked and stored;
 * postgres_search.c keeps the index of words, postgres_find.c searches it; postgres_name.c tells
 * databases apart; postgres_form.c has the tables.
 *
 * May include: what backend.h may, store/postgres/pq_library.h.
 */
#ifndef IK_STORE_POSTGRES_POSTGRES_PRIVATE_H
#define IK_STORE_POSTGRES_POSTGRES_PRIVATE_H

#include "store/backend.h"
#include "store/postgres/pq_library.h"

struct postgres;
struct ik_pq_operation;

/* ---- postgres_hosts.c ---- */

/* Where to connect to, for PQconnectStartParams(); two arrays that end with NULL. */
struct ik_pq_parameters {
	const char **keywords;
	const char **values;
	int64_t connect_ms; /* how long a host may be silent */
};
struct ik_pq_hosts;

/* Take uri apart, with what libpq takes from the environment and service files, and find the
 * addresses of its hosts. Answers in a later turn; parameters are NULL with an error. They are
 * valid until the next call or close. */
typedef void ik_pq_hosts_found(void *arg, const struct ik_pq_parameters *parameters,
	const struct ik_error *error);
struct ik_pq_hosts *ik_pq_hosts_start(struct ik_loop *loop, const char *uri, ik_pq_hosts_found *fn,
	void *arg);
/* How long a host may be silent, or the name server that is asked for it. */
int64_t ik_pq_hosts_limit_ms(const struct ik_pq_hosts *hosts);
/* No name server answers: go on without the host that is looked up. False: none is. */
bool ik_pq_hosts_skip(struct ik_pq_hosts *hosts);
/* Answer now; false: a name server has yet to. */
bool ik_pq_hosts_now(struct ik_pq_hosts *hosts);
/* The host that the connection waits for is silent: the parameters without it, so that the library
 * goes on with the others. NULL: there is no other. */
const struct ik_pq_parameters *ik_pq_hosts_next(struct ik_pq_hosts *hosts,
	const PGconn *connection);
struct ik_pq_hosts *ik_pq_hosts_close(struct ik_pq_hosts *hosts);
/* Fill what an address does not say with what the environment and service files do. */
void ik_pq_take_defaults(PQconninfoOption *options);

/* ---- postgres_query.c ---- */

/* A parameter of a statement; type: an object id of PostgreSQL's catalogue. */
enum { IK_PQ_BOOL = 16, IK_PQ_BYTEA = 17, IK_PQ_INT8 = 20, IK_PQ_TEXT = 25, IK_PQ_UUID = 2950 };
#define IK_PQ_PARAMETERS 13
struct ik_pq_statement {
	const char *text;
	unsigned types[IK_PQ_PARAMETERS];
	struct ik_buf bytes; /* of all of them */
	size_t starts[IK_PQ_PARAMETERS];
	int lengths[IK_PQ_PARAMETERS]; /* -1: NULL */
	int count;
};
void ik_pq_statement_init(struct ik_pq_statement *statement, const char *text);
void ik_pq_statement_done(struct ik_pq_statement *statement);
void ik_pq_put_bytes(struct ik_pq_statement *statement, unsigned type, const char *bytes,
	size_t length);
/* A text; of one that is none (a path is bytes) what can be read. */
void ik_pq_put_text(struct ik_pq_statement *statement, const char *text);
/* The same; ascii: for a database whose encoding may not have all characters. */
void ik_pq_put_name(struct ik_pq_statement *statement, const char *text, bool ascii);
/* Append what can be read of bytes to an empty buffer. */
void ik_pq_put_readable(struct ik_buf *out, const char *bytes, size_t length, bool ascii);
void ik_pq_put_null(struct ik_pq_statement *statement, unsigned type);
void ik_pq_put_number(struct ik_pq_statement *statement, int64_t number);
/* A UUID from its text; a text that is none becomes NULL. */
void ik_pq_put_uuid(struct ik_pq_statement *statement, const char *text);
/* An array: begin, its elements, end. */
void ik_pq_begin_array(struct ik_pq_statement *statement, unsigned type, size_t count);
void ik_pq_put_element(struct ik_pq_statement *statement, const char *bytes, size_t length);
void ik_pq_put_element_null(struct ik_pq_statement *statement);
void ik_pq_put_element_number(struct ik_pq_statement *statement, int64_t number);
void ik_pq_put_element_uuid(struct ik_pq_statement *statement, const char *text);
void ik_pq_end_array(struct ik_pq_statement *statement);

/* The 16 bytes of a UUID; false: the text is none. */
bool ik_pq_uuid(const char *text, char out[16]);

/* Send statements: begin, each of them, start, which puts the sync behind them that makes them
 * one transaction and waits for the results; false is a connection that is no good. */
bool ik_pq_begin(struct postgres *postgres);
bool ik_pq_send(struct postgres *postgres, const struct ik_pq_statement *statement);
void ik_pq_start(struct postgres *postgres, const struct ik_pq_operation *operation, bool sent);
/* Text of a column, "" where it is NULL; a number. */
const char *ik_pq_text(const PGresult *result, int row, int column);
int64_t ik_pq_number(const PGresult *result, int row, int column);

/* ---- postgres.c ---- */

enum ik_pq_stage {
	IK_PQ_CLOSED,
	IK_PQ_RESOLVING,
	IK_PQ_CONNECTING,
	IK_PQ_LOOKING, /* whether there are tables, and of which form */
	IK_PQ_VERSION,
	IK_PQ_LOCKING, /* to bring them to ours */
	IK_PQ_LIFTING,
	IK_PQ_READY
};

/* What is being done: takes a result of one of its statements; then its end. */
struct ik_pq_operation {
	void (*take)(struct postgres *postgres, int statement, const PGresult *result);
	void (*finish)(struct postgres *postgres, enum ik_status status, struct ik_error *error);
};

struct postgres {
	struct ik_backend base;
	struct ik_loop *loop;
	char *uri;
	char *shown; /* without its password */
	struct ik_pq_hosts *hosts;
	PGconn *connection;
	struct ik_watch *watch;
	int watched, awaited;   /* its descriptor; IK_READABLE, IK_WRITABLE */
	struct ik_timer *timer; /* a step, or an answer, takes too long */
	int64_t connect_ms;     /* a step of connecting may take, */
	int64_t connect_by_ms;  /* which ends then */
	enum ik_pq_stage stage;
	int64_t version; /* of the tables */
	bool has_tables; /* of anybody's */

	const struct ik_pq_operation *operation; /* NULL: none */
	int statement;                           /* whose results are due */
	bool had_result;
	enum ik_status status; /* of the operation so far */
	struct ik_error error;

	struct ik_record *first; /* that are being written */
	size_t count, written;
	struct ik_store_session *session; /* of them all */
	bool fits, exact;
	int64_t last;
	struct ik_store_read *read;
	int64_t asked_ms;                /* when a part of a search was */
	bool brief;                      /* a statement may take a moment only, which is tried */
	bool timed_out;                  /* and was not enough */
	bool direct;                     /* no pooler shares the connection: it can be told of things */
	struct ik_pq_indexing *indexing; /* NULL: none */
};

static inline struct postgres *postgres_of(struct ik_backend *backend)
{
	return (struct postgres *)backend;
}

/* Keep the first failure of the operation. */
void ik_pq_note(struct postgres *postgres, enum ik_status status, const struct ik_error *error);

/* ---- the others: as struct ik_backend_ops says ---- */

void ik_pq_write(struct ik_backend *backend, struct ik_record *first, size_t count);
struct ik_pq_statement;
/* The statement that does so. */
void ik_pq_part_statement(struct ik_pq_statement *statement, const char *id, size_t part,
	const char *bytes, size_t length);
void ik_pq_write_part(struct ik_backend *backend, const char *id, size_t part, const char *bytes,
	size_t length);
void ik_pq_read(struct ik_backend *backend, struct ik_store_read *read);
void ik_pq_index(struct ik_backend *backend);
/* Forget what is on its way into the index. */
void ik_pq_indexing_free(struct postgres *postgres);

/* Statements for postgres->read, a search; what they found; how that ended: a part of it was too
 * long, which is no failure, and another one comes. */
bool ik_pq_send_search(struct postgres *postgres);
void ik_pq_take_hits(struct postgres *postgres, const PGresult *result);
enum ik_status ik_pq_finish_search(struct postgres *postgres, enum ik_status status);
/* An event and a session in columns from first on, as EVENT and INFO have them; the event is NULL
 * when its kind is not known here. */
#define IK_PQ_EVENT_COLUMNS(of) \
	of ".id::text, " of ".sequence::text, " of ".kind, " of ".content, " of \
	   ".data_json::text, " of ".exact_content, " of ".exact_data, " of ".time::text"
#define IK_PQ_SESSION_COLUMNS(of) \
	of ".id::text, " of ".title, " of ".directory, " of ".created_ms::text, " of \
	   ".updated_ms::text, (" of ".event_count + " of ".forked_at)::text, " of \
	   ".parent::text, " of ".forked_at::text"
struct ik_message *ik_pq_message(const PGresult *result, int row, int first);
void ik_pq_session(struct ik_session_info *info, const PGresult *result, int row, int first);

/* ---- postgres_lock.c ---- */

/* The statements of postgres->read, a step of a lock; what they say. */
bool ik_pq_send_lock_step(struct postgres *postgres);
void ik_pq_take_lock_row(struct postgres *postgres, const PGresult *result);
/* Four columns: computer, user, number of the process, since when. */
void ik_pq_take_holder(struct ik_holder *holder, const PGresult *result, int row, int column);
/* Two columns: where that number means this process, when it was started. */
void ik_pq_take_place(struct ik_holder *holder, const PGresult *result, int row, int column);
/* What the server told by itself. */
void ik_pq_take_notifications(struct postgres *postgres);

/* ---- postgres_form.c ---- */

extern const char *const ik_pq_steps[];
extern const size_t ik_pq_step_count;

#endif
