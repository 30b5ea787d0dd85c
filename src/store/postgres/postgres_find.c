/*
 * Searching PostgreSQL's tsvectors, newest first, in statements that are short each.
 *
 * The newest events are read first: what is common is found there.  What is rare the index finds
 * at once.  It cannot be stopped, though, and takes seconds for common words that seldom stand
 * together: it gets a little time, and where that is not enough, ranges of events are read, one
 * behind the other. When a first few have next to nothing it gets some more.
 */
#include "store/postgres/postgres_private.h"

#include <string.h>

#include "store/search_query.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* How it goes on from a place. */
enum way { NEWEST, BY_INDEX, SOME_RANGES, PATIENTLY, BY_RANGES };

/* Events of the first range, and of the longest. */
#define FIRST_RANGE 2000
#define LONGEST_RANGE 100000
/* So many of that first range, and more ranges of this size fill the page soon. */
#define ENOUGH 10
/* After so many events it is looked at whether the last range had one hit in so many. */
#define SOME_EVENTS 30000
#define SPARSE 4000
/* What a range may take: it is made longer and shorter for that. */
#define RANGE_MS 100
/* What the index may take at first, and later. */
#define INDEX_MS 60
#define PATIENT_MS 400

/* What is found, and the session that has it: its own, or, when that was deleted, the newest
 * fork that has it still, or none. Last, where the range ends, unless nothing is behind it. */
#define ANSWER \
	" SELECT h.time::text, h.session::text, h.sequence::text, " \
	"h.hit::int::text, " IK_PQ_SESSION_COLUMNS("s") ", " IK_PQ_EVENT_COLUMNS( \
		"e") " FROM hits h" \
			 " LEFT JOIN events e ON h.hit AND e.session = h.session AND e.sequence = h.sequence" \
			 " LEFT JOIN LATERAL (WITH RECURSIVE line(id, own) AS (SELECT h.session, true WHERE " \
			 "h.hit" \
			 "  UNION SELECT c.id, false FROM line JOIN sessions c ON c.parent = line.id" \
			 "  WHERE c.forked_at >= h.sequence" \
			 "  AND NOT EXISTS (SELECT FROM sessions o WHERE o.id = h.session AND o.event_count " \
			 "> 0))" \
			 "  SELECT f.* FROM line JOIN sessions f ON f.id = line.id WHERE f.event_count > 0" \
			 "  ORDER BY own DESC, f.updated_ms DESC LIMIT 1) s ON true" \
			 " ORDER BY h.hit DESC, h.time DESC, h.session DESC, h.sequence DESC"
#define OF_DIRECTORY "($5 IS NULL OR session IN (SELECT id FROM sessions WHERE directory = $5))"
#define NEWEST_FIRST " ORDER BY time DESC, session DESC, sequence DESC"
enum { HIT = 3, HIT_SESSION, HIT_EVENT = 12 };

/* No other index helps with an order like this. */
static const char by_index[] =
	"WITH hits AS (SELECT session, sequence, time, true AS hit FROM search"
	"  WHERE words @@ $1::tsquery AND (time + 0, session, sequence) < ($2, $3, $4)"
	"  AND " OF_DIRECTORY " ORDER BY time + 0 DESC, session DESC, sequence DESC LIMIT $6)" ANSWER;

/* A range down to the row that range_settings has found. The words are compared by the function
 * of the operator, with which the index of words does not help. */
/* clang-format off */
static const char by_range[] =
	"WITH low AS (SELECT split_part(s, ' ', 1)::bigint AS time, split_part(s, ' ', 2)::uuid AS session,"
	"  split_part(s, ' ', 3)::bigint AS sequence FROM current_setting('ikigai.low') s WHERE s <> ''),"
	" hits AS ((SELECT session, sequence, time, true AS hit FROM search"
	"  WHERE (time, session, sequence) < ($2, $3, $4) AND (time, session, sequence) >="
	"   (coalesce((SELECT time FROM low), -9223372036854775807), coalesce((SELECT session FROM low),"
	"   '00000000-0000-0000-0000-000000000000'), coalesce((SELECT sequence FROM low), 0))"
	"  AND ts_match_vq(words, $1::tsquery) AND " OF_DIRECTORY NEWEST_FIRST " LIMIT $6)"
	" UNION ALL SELECT session, sequence, time, false FROM low)" ANSWER;
/* clang-format on */

/* For this transaction: nothing is compiled, no other process helps, and the index is used; the
 * rows that it names are read page by page, not each for itself. */
#define SETTINGS \
	"SELECT set_config('jit', 'off', true)," \
	" set_config('max_parallel_workers_per_gather', '0', true)," \
	" set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true),"
static const char range_settings[] = SETTINGS
	" set_config('ikigai.low', coalesce((SELECT time || ' ' || session || ' ' || sequence FROM"
	"  (SELECT time, session, sequence FROM search WHERE (time, session, sequence) < ($1, $2, "
	"$3)" NEWEST_FIRST " OFFSET $4 - 1 LIMIT 1) low), ''), true)";
static const char index_settings[] = SETTINGS
	" set_config('statement_timeout', $1::bigint::text, true)";

/* What a search has yet to find. */
static size_t missing(const struct ik_store_read *read)
{
	return read->count - read->found;
}

static bool is_by_index(const struct ik_search_place *place)
{
	return place->way == BY_INDEX || place->way == PATIENTLY;
}

/* Behind which row it goes on. */
static void put_place(const struct ik_search_place *place, struct ik_pq_statement *statement)
{
	ik_pq_put_number(statement, place->first);
	ik_pq_put_uuid(statement,
		place->session[0] ? place->session : "ffffffff-ffff-ffff-ffff-ffffffffffff");
	ik_pq_put_number(statement, place->second);
}

static void put_settings(const struct postgres *postgres, struct ik_pq_statement *statement)
{
	const struct ik_search_place *place = &postgres->read->place;
	int64_t most_ms = place->way == PATIENTLY ? PATIENT_MS : INDEX_MS;

	ik_pq_statement_init(statement, is_by_index(place) ? index_settings : range_settings);
	if (!is_by_index(place)) {
		put_place(place, statement);
		ik_pq_put_number(statement, place->range);
		return;
	}
	if (postgres->base.timeout_ms > 0 && postgres->base.timeout_ms < most_ms)
		most_ms = postgres->base.timeout_ms;
	ik_pq_put_number(statement, most_ms);
}

static void put_search(struct ik_store_read *read, struct ik_pq_statement *statement)
{
	const struct ik_search_place *place = &read->place;
	struct ik_buf words;

	ik_pq_statement_init(statement, is_by_index(place) ? by_index : by_range);
	ik_buf_init(&words, IK_KIB(64));
	ik_search_query_put_ts(read->query, &words);
	ik_pq_put_text(statement, words.data);
	ik_buf_done(&words);
	put_place(place, statement);
	if (read->directory)
		ik_pq_put_text(statement, read->directory);
	else
		ik_pq_put_null(statement, IK_PQ_TEXT);
	ik_pq_put_number(statement, (int64_t)missing(read));
}

bool ik_pq_send_search(struct postgres *postgres)
{
	struct ik_store_read *read = postgres->read;
	struct ik_pq_statement statement;
	bool sent;

	if (!read->place.range)
		read->place.range = FIRST_RANGE;
	postgres->asked_ms = ik_clock_ms();
	postgres->brief = is_by_index(&read->place);
	postgres->timed_out = false;
	put_settings(postgres, &statement);
	sent = ik_pq_begin(postgres) && ik_pq_send(postgres, &statement);
	ik_pq_statement_done(&statement);
	put_search(read, &statement);
	sent = sent && ik_pq_send(postgres, &statement);
	ik_pq_statement_done(&statement);
	return sent;
}

/* Go on behind a row. */
static void set_place(struct ik_search_place *place, const PGresult *result, int row)
{
	place->first = ik_pq_number(result, row, 0);
	memcpy(place->session, ik_pq_text(result, row, 1), sizeof(place->session) - 1);
	place->second = ik_pq_number(result, row, 2);
}

static void take_hit(struct ik_store_read *read, const PGresult *result, int row)
{
	struct ik_session_info info = { .id = "" };
	struct ik_message *message;

	if (PQgetisnull(result, row, HIT_SESSION) || PQgetisnull(result, row, HIT_EVENT))
		return;
	message = ik_pq_message(result, row, HIT_EVENT);
	if (!message)
		return;
	ik_pq_session(&info, result, row, HIT_SESSION);
	ik_store_read_add_hit(read, &info, message);
}

/* How the next range is looked through after one that took so long. */
static void choose_way(struct ik_search_place *place, size_t hits, int64_t took_ms)
{
	if (place->way == NEWEST)
		place->way = hits >= ENOUGH ? BY_RANGES : BY_INDEX;
	else if (place->way == SOME_RANGES && place->looked >= SOME_EVENTS)
		place->way = (int64_t)hits * SPARSE >= place->range ? BY_RANGES : PATIENTLY;
	if (took_ms < RANGE_MS / 2 && place->range < LONGEST_RANGE)
		place->range *= 2;
	else if (took_ms > RANGE_MS && place->range > FIRST_RANGE)
		place->range /= 2;
}

void ik_pq_take_hits(struct postgres *postgres, const PGresult *result)
{
	struct ik_store_read *read = postgres->read;
	struct ik_search_place *place = &read->place;
	int row, rows = PQntuples(result);
	size_t wanted = missing(read), hits = 0;
	bool end;

	for (row = 0; row < rows && ik_pq_number(result, row, HIT) > 0; row++, hits++) {
		set_place(place, result, row);
		take_hit(read, result, row);
	}
	end = row < rows;
	read->more = hits == wanted || end;
	if (hits < wanted && end) {
		set_place(place, result, row);
		place->looked += place->range;
	}
	if (!is_by_index(place) && hits < wanted)
		choose_way(place, hits, ik_clock_ms() - postgres->asked_ms);
}

enum ik_status ik_pq_finish_search(struct postgres *postgres, enum ik_status status)
{
	struct ik_store_read *read = postgres->read;

	if (status != IK_OK && postgres->timed_out) {
		read->place.way = read->place.way == BY_INDEX ? SOME_RANGES : BY_RANGES;
		read->more = true;
		status = IK_OK;
	}
	if (status == IK_OK && read->more && missing(read) > 0)
		read->again = ik_clock_ms() < read->told_by_ms;
	return status;
}
