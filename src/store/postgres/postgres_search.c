/* The words of events in PostgreSQL's tsvectors: put there in slices (postgres_find.c searches). */
#include "store/postgres/postgres_private.h"

#include <stdlib.h>
#include <string.h>

#include "store/search_text.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Events of a slice, and bytes of them: what is more waits for the next one. */
#define SLICE "300"
#define SLICE_BYTES "262144"

/* ---- the index ---- */

/*
 * The next events of a session that has some which are not in the index: one by chance of the
 * oldest of these, since other programs are at it, too.  A session that has none behind what was
 * searched (a fork) comes alone.  Its index has only such sessions, in this order: nothing here
 * may read all sessions, which can be a million.
 */
#define PENDING(limit) \
	" (SELECT id, searched, last_sequence, forked_at FROM sessions" \
	" WHERE searched < last_sequence ORDER BY id LIMIT " limit ") pending"
/* clang-format off */
static const char unindexed[] =
	"WITH chosen AS (SELECT id, searched, last_sequence FROM" PENDING("64")
	"  ORDER BY uuid_hash_extended(id, pg_backend_pid()) LIMIT 1)"
	" SELECT " IK_PQ_EVENT_COLUMNS("e") ", c.id::text, c.searched::text, c.last_sequence::text"
	" FROM chosen c LEFT JOIN LATERAL (SELECT * FROM (SELECT *,"
	"  sum(size) OVER (ORDER BY sequence) - size AS before FROM (SELECT * FROM events"
	"  WHERE session = c.id AND sequence > c.searched ORDER BY sequence LIMIT " SLICE ") s) t"
	"  WHERE before < " SLICE_BYTES ") e ON true ORDER BY e.sequence";
/* clang-format on */
enum { SESSION_COLUMN = 8, SEARCHED_COLUMN, LAST_COLUMN };

/* They, unless another program was faster. */
static const char add_words[] =
	"WITH mine AS (UPDATE sessions SET searched = $3 WHERE id = $1 AND searched = $2 RETURNING id)"
	" INSERT INTO search(session, sequence, time, words) SELECT $1, g.sequence, g.time,"
	"  g.words::tsvector FROM unnest($4::bigint[], $5::bigint[], $6::text[])"
	"  AS g(sequence, time, words) WHERE EXISTS (SELECT FROM mine) ON CONFLICT DO NOTHING";

/* All events, as the server estimates, and those that are missing, of the first sessions. */
static const char how_many[] =
	"SELECT (SELECT greatest(reltuples, 0)::bigint::text FROM pg_class"
	"  WHERE oid = to_regclass('events')),"
	" coalesce(sum(last_sequence - greatest(searched, forked_at)), 0)::text FROM" PENDING("2000");

/* What is on its way into the index. */
struct ik_pq_indexing {
	char session[IK_UUID_TEXT];
	int64_t from, to; /* events behind one, up to another */
	size_t count;
	int64_t *sequences, *times;
	char **words;
	int64_t events, missing;
};

void ik_pq_indexing_free(struct postgres *postgres)
{
	struct ik_pq_indexing *indexing = postgres->indexing;

	postgres->indexing = NULL;
	if (!indexing)
		return;
	for (size_t i = 0; i < indexing->count; i++)
		free(indexing->words[i]);
	free(indexing->words);
	free(indexing->sequences);
	free(indexing->times);
	free(indexing);
}

/* The words of an event as a tsvector. */
static char *words_of(const struct ik_message *message)
{
	struct ik_buf text, words;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_init(&words, 16 * IK_SEARCH_BYTES);
	if (message) {
		ik_search_text(&text, message);
		ik_search_words(&words, text.data, text.length, IK_SEARCH_PLACES);
	}
	ik_buf_done(&text);
	return ik_buf_take(&words, NULL);
}

static void take_unindexed(struct postgres *postgres, int statement, const PGresult *result)
{
	struct ik_pq_indexing *indexing = postgres->indexing;
	int row, rows = PQntuples(result);

	if (statement == 0 || rows == 0)
		return;
	if (statement == 2) {
		indexing->events = ik_pq_number(result, 0, 0);
		indexing->missing = ik_pq_number(result, 0, 1);
		return;
	}
	memcpy(indexing->session, ik_pq_text(result, 0, SESSION_COLUMN), sizeof(indexing->session) - 1);
	indexing->from = ik_pq_number(result, 0, SEARCHED_COLUMN);
	indexing->to = ik_pq_number(result, 0, LAST_COLUMN);
	if (PQgetisnull(result, 0, 0))
		return;
	indexing->sequences = ik_alloc_array(NULL, (size_t)rows, sizeof(int64_t));
	indexing->times = ik_alloc_array(NULL, (size_t)rows, sizeof(int64_t));
	indexing->words = ik_alloc_array(NULL, (size_t)rows, sizeof(char *));
	for (row = 0; row < rows; row++) {
		struct ik_message *message = ik_pq_message(result, row, 0);

		indexing->to = ik_pq_number(result, row, 1);
		indexing->sequences[row] = indexing->to;
		indexing->times[row] = ik_pq_number(result, row, 7);
		indexing->words[row] = words_of(message);
		ik_message_unref(message);
	}
	indexing->count = (size_t)rows;
}

static void take_added(struct postgres *postgres, int statement, const PGresult *result)
{
	if (statement != 2 || PQntuples(result) == 0)
		return;
	postgres->indexing->events = ik_pq_number(result, 0, 0);
	postgres->indexing->missing = ik_pq_number(result, 0, 1);
}

static void finish_indexing(struct postgres *postgres, enum ik_status status,
	struct ik_error *error)
{
	int64_t events = postgres->indexing->events, missing = postgres->indexing->missing;

	/* The estimate may be an old one. */
	if (events < missing)
		events = missing;
	ik_pq_indexing_free(postgres);
	ik_store_indexed(postgres->base.store, events - missing, events, status, error);
}

/* Send a statement, and behind it the one that says how far the index is. */
static void start(struct postgres *postgres, const struct ik_pq_operation *operation,
	struct ik_pq_statement *statement)
{
	bool sent = ik_pq_begin(postgres) && ik_pq_send(postgres, statement);

	ik_pq_statement_done(statement);
	ik_pq_statement_init(statement, how_many);
	sent = sent && ik_pq_send(postgres, statement);
	ik_pq_statement_done(statement);
	ik_pq_start(postgres, operation, sent);
}

static void put_numbers(struct ik_pq_statement *statement, const int64_t *numbers, size_t count)
{
	ik_pq_begin_array(statement, IK_PQ_INT8, count);
	for (size_t i = 0; i < count; i++)
		ik_pq_put_element_number(statement, numbers[i]);
	ik_pq_end_array(statement);
}

/* The events are here: their words go back. */
static void send_words(struct postgres *postgres, enum ik_status status, struct ik_error *error)
{
	static const struct ik_pq_operation operation = { take_added, finish_indexing };
	const struct ik_pq_indexing *indexing = postgres->indexing;
	struct ik_pq_statement statement;

	if (status != IK_OK || !indexing->session[0]) {
		finish_indexing(postgres, status, error);
		return;
	}
	ik_pq_statement_init(&statement, add_words);
	ik_pq_put_uuid(&statement, indexing->session);
	ik_pq_put_number(&statement, indexing->from);
	ik_pq_put_number(&statement, indexing->to);
	put_numbers(&statement, indexing->sequences, indexing->count);
	put_numbers(&statement, indexing->times, indexing->count);
	ik_pq_begin_array(&statement, IK_PQ_TEXT, indexing->count);
	for (size_t i = 0; i < indexing->count; i++)
		ik_pq_put_element(&statement, indexing->words[i], strlen(indexing->words[i]));
	ik_pq_end_array(&statement);
	start(postgres, &operation, &statement);
}

void ik_pq_index(struct ik_backend *backend)
{
	static const struct ik_pq_operation operation = { take_unindexed, send_words };
	struct postgres *postgres = postgres_of(backend);
	struct ik_pq_statement statement;

	ik_pq_indexing_free(postgres);
	postgres->indexing = ik_alloc(sizeof(*postgres->indexing));
	ik_pq_statement_init(&statement, unindexed);
	start(postgres, &operation, &statement);
}
