/* Searching the index of words in SQLite: newest rows first, in slices that hold up nobody. */
#include "store/sqlite/sqlite_private.h"

#include <stdlib.h>
#include <string.h>

#include "store/search_text.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* So long a slice of work may take; what it has begun by then is finished. */
#define SLICE_US 4000
/*
 * FTS5 puts the rows of all words with one beginning together before it gives the first of them,
 * which no statement can be stopped in.  Of a beginning that stands in more places than these the
 * events are read instead: where there are so many, the page is soon full.
 */
#define MOST_PLACES 5000
/* Of blocks one statement looks through. */
#define MOST_BLOCKS 2

enum { SESSION_COLUMN = 6, FOUND_ROW_COLUMN = 7 };
enum plan { NO_PLAN, WHOLE, BLOCK_BY_BLOCK, THROUGH };

/* A slice of a search. */
struct sqlite_find_finding {
	struct sqlite *sqlite;
	struct ik_store_read *read;
	int64_t begun_us;
	bool loose;      /* what is found has to be looked at */
	int64_t indexed; /* events behind this row are in no index: they are read */
	struct ik_buf text;
	char passed[IK_UUID_TEXT]; /* a session that is not wanted */
};

void ik_sqlite_put_block(struct ik_buf *out, int64_t row)
{
	/* No word has such a byte. */
	ik_buf_printf(out, "\xff%lld", (long long)(row / IK_SQLITE_BLOCK));
}

/* ---- how to look ---- */

/* Are there many places of words that begin so? */
static enum ik_status is_common(struct sqlite *sqlite, const struct ik_search_term *term,
	bool *ret_common, struct ik_error *error)
{
	enum ik_status status = ik_sqlite_execute(sqlite,
		"CREATE VIRTUAL TABLE IF NOT EXISTS"
		" temp.search_words USING fts5vocab(main, search, instance)",
		error);
	sqlite3_stmt *query = status == IK_OK ? ik_sqlite_statement(sqlite, BEGINS_SO) : NULL;
	char behind[sizeof(term->text)];

	if (status != IK_OK || !query)
		return status != IK_OK ? status : ik_sqlite_explain(sqlite, error);
	memcpy(behind, term->text, term->length);
	behind[term->length - 1]++;
	ik_sqlite_bind_text(query, 1, term->text, term->length);
	ik_sqlite_bind_text(query, 2, behind, term->length);
	sqlite3_bind_int64(query, 3, MOST_PLACES);
	if (sqlite3_step(query) == SQLITE_ROW)
		*ret_common = sqlite3_column_int64(query, 0) >= MOST_PLACES;
	else
		status = ik_sqlite_explain(sqlite, error);
	ik_sqlite_rewind(query);
	return status;
}

/* One word gives a row wherever FTS5 walks; of several it may find none for long. */
static enum ik_status choose_plan(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error)
{
	struct ik_search_query *query = read->query;
	enum ik_status status = IK_OK;
	size_t looked_up = 0;

	for (size_t i = 0; i < query->count && status == IK_OK; i++) {
		struct ik_search_term *term = &query->terms[i];

		if (term->prefix)
			status = is_common(sqlite, term, &term->loose, error);
		looked_up += !term->loose;
	}
	read->number = looked_up > 1 ? BLOCK_BY_BLOCK : looked_up == 1 ? WHOLE : THROUGH;
	return status;
}

/* ---- what was found ---- */

/* The session in which an event is found: its own, or, when that was deleted, a fork that has
 * it still; *ret_found: there is one. */
static enum ik_status find_session(struct sqlite *sqlite, enum ik_sqlite_statement which,
	const char *session, int64_t sequence, struct ik_session_info *ret_info, bool *ret_found,
	struct ik_error *error)
{
	sqlite3_stmt *query = ik_sqlite_statement(sqlite, which);
	struct ik_store_read one = { .count = 1 };
	enum ik_status status;

	if (!query)
		return ik_sqlite_explain(sqlite, error);
	ik_sqlite_bind_text(query, 1, session, strlen(session));
	if (which == SEEN_IN)
		sqlite3_bind_int64(query, 2, sequence);
	status = ik_sqlite_take_sessions(sqlite, query, 1, &one, error);
	ik_sqlite_rewind(query);
	*ret_found = one.found > 0;
	if (*ret_found)
		*ret_info = one.sessions[0];
	free(one.sessions);
	return status;
}

/* The event of a row where all that was asked for stands in it; or NULL. */
static struct ik_message *take_hit(struct sqlite_find_finding *finding, sqlite3_stmt *row)
{
	struct ik_message *message = ik_sqlite_take_event(row);

	if (!message ||
		(!finding->loose && sqlite3_column_int64(row, FOUND_ROW_COLUMN) <= finding->indexed))
		return message;
	ik_buf_clear(&finding->text);
	ik_search_text(&finding->text, message);
	if (ik_search_query_fits(finding->read->query, finding->text.data, finding->text.length))
		return message;
	ik_message_unref(message);
	return NULL;
}

/* Add what was found, unless nobody has it any more, or another directory's session. */
static enum ik_status add_hit(struct sqlite_find_finding *finding, sqlite3_stmt *row,
	struct ik_error *error)
{
	const struct ik_store_read *read = finding->read;
	const char *text = (const char *)sqlite3_column_text(row, SESSION_COLUMN);
	int64_t sequence = sqlite3_column_int64(row, 1);
	struct ik_session_info info = { .id = "" };
	struct ik_message *message;
	char session[IK_UUID_TEXT] = "";
	bool found = false, own;
	enum ik_status status;

	memcpy(session, text ? text : "", strnlen(text ? text : "", sizeof(session) - 1));
	if (ik_text_equal(session, finding->passed))
		return IK_OK;
	message = take_hit(finding, row);
	if (!message)
		return IK_OK;
	status = find_session(finding->sqlite, SESSION, session, sequence, &info, &found, error);
	own = found;
	if (status == IK_OK && !found)
		status = find_session(finding->sqlite, SEEN_IN, session, sequence, &info, &found, error);
	if (status == IK_OK && found &&
		(!read->directory || ik_text_equal(read->directory, info.directory))) {
		ik_store_read_add_hit(finding->read, &info, message);
		return IK_OK;
	}
	if (own)
		memcpy(finding->passed, session, sizeof(session));
	ik_message_unref(message);
	if (found)
		ik_session_info_done(&info);
	return status;
}

/* ---- looking ---- */

static bool is_over(const struct sqlite_find_finding *finding)
{
	return finding->read->found >= finding->read->count ||
		ik_clock_us() - finding->begun_us >= SLICE_US;
}

/* Take the rows of a statement, downwards; at its end low is the place where all has been seen. */
static enum ik_status take_rows(struct sqlite_find_finding *finding, sqlite3_stmt *query,
	int64_t low, struct ik_error *error)
{
	struct ik_store_read *read = finding->read;
	enum ik_status status = IK_OK;
	int step = SQLITE_ROW;

	while (status == IK_OK && (step = sqlite3_step(query)) == SQLITE_ROW) {
		read->place.first = sqlite3_column_int64(query, FOUND_ROW_COLUMN);
		status = add_hit(finding, query, error);
		if (is_over(finding))
			break;
	}
	if (step == SQLITE_DONE)
		read->place.first = low;
	else if (status == IK_OK && step != SQLITE_ROW)
		status = ik_sqlite_explain(finding->sqlite, error);
	ik_sqlite_rewind(query);
	return status;
}

/* The newest row that has to be looked at; 0: there is none. */
static int64_t newest_row(const struct sqlite_find_finding *finding)
{
	sqlite3_stmt *query = ik_sqlite_statement(finding->sqlite, ROW_BELOW);
	int64_t row = 0;

	if (!query)
		return finding->read->place.first - 1;
	sqlite3_bind_int64(query, 1, finding->read->place.first);
	if (sqlite3_step(query) == SQLITE_ROW)
		row = sqlite3_column_int64(query, 0);
	ik_sqlite_rewind(query);
	return row;
}

/* Ask for some blocks from that of row last on, downwards; returns the first row of the lowest. */
static int64_t put_blocks(const struct ik_store_read *read, int64_t last, struct ik_buf *words)
{
	struct ik_buf names[MOST_BLOCKS];
	const char *with[MOST_BLOCKS];

	/* How many were looked through together, when what was loose was decided otherwise, says nothing
	 * of a phrase. */
	int64_t most = ik_search_query_has_phrase(read->query) ? 1 : read->place.range;
	size_t count = 0, i;

	last -= last % IK_SQLITE_BLOCK;
	for (;;) {
		ik_buf_init(&names[count], 64);
		ik_sqlite_put_block(&names[count], last);
		with[count] = names[count].data;
		if (++count == MOST_BLOCKS || (int64_t)count >= most || last == 0)
			break;
		last -= IK_SQLITE_BLOCK;
	}
	ik_search_query_put_fts(read->query, with, count, words);
	for (i = 0; i < count; i++)
		ik_buf_done(&names[i]);
	return last;
}

/* Where the rows begin that one statement looks through, and what it asks. */
static int64_t put_query(const struct sqlite_find_finding *finding, struct ik_buf *words)
{
	const struct ik_store_read *read = finding->read;
	int64_t last = newest_row(finding), plain = finding->sqlite->plain_rows;

	if (read->number != BLOCK_BY_BLOCK || last <= plain) {
		ik_search_query_put_fts(read->query, NULL, 0, words);
		return 0;
	}
	last = put_blocks(read, last, words);
	return last > plain ? last : plain + 1;
}

/* After a statement that took so long: more blocks at once are found through in less time, but
 * of several FTS5 cannot tell where a phrase has to end. */
static void choose_blocks(struct ik_store_read *read, int64_t took_us)
{
	int64_t *blocks = &read->place.range;

	if (took_us < SLICE_US && *blocks < MOST_BLOCKS && !ik_search_query_has_phrase(read->query))
		*blocks = *blocks > 0 ? 2 * *blocks : 2;
	else if (took_us > 2 * SLICE_US && *blocks > 1)
		*blocks /= 2;
}

/* Run one statement over the next rows. */
static enum ik_status look(struct sqlite_find_finding *finding, struct ik_error *error)
{
	bool behind = finding->read->place.first - 1 > finding->indexed;
	bool through = behind || finding->read->number == THROUGH;
	sqlite3_stmt *query = ik_sqlite_statement(finding->sqlite, through ? READ_THROUGH : SEARCH);
	enum ik_status status;
	int64_t low = 0, begun_us = ik_clock_us();
	struct ik_buf words;

	if (!query)
		return ik_sqlite_explain(finding->sqlite, error);
	ik_buf_init(&words, IK_KIB(64));
	if (through) {
		low = behind ? finding->indexed + 1 : 0;
		sqlite3_bind_int64(query, 1, finding->read->place.first);
		sqlite3_bind_int64(query, 2, low);
	} else {
		low = put_query(finding, &words);
		ik_sqlite_bind_text(query, 1, words.data, words.length);
		sqlite3_bind_int64(query, 2, low);
		sqlite3_bind_int64(query, 3, finding->read->place.first);
	}
	status = take_rows(finding, query, low, error);
	choose_blocks(finding->read, ik_clock_us() - begun_us);
	ik_buf_done(&words);
	return status;
}

enum ik_status ik_sqlite_search(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error)
{
	struct sqlite_find_finding finding = {
		.sqlite = sqlite,
		.read = read,
		.begun_us = ik_clock_us(),
		.indexed = INT64_MAX,
	};
	enum ik_status status;
	int64_t last = 0;
	size_t i;

	status = ik_sqlite_ask(sqlite, LAST_ROW, &last, error);
	if (status == IK_OK)
		status = ik_sqlite_ask(sqlite, PLAIN_ROWS, &sqlite->plain_rows, error);
	if (status == IK_OK && (sqlite->index_stuck || ik_sqlite_is_read_only(sqlite)))
		status = ik_sqlite_ask(sqlite, INDEXED, &finding.indexed, error);
	if (status == IK_OK && read->number == NO_PLAN)
		status = choose_plan(sqlite, read, error);
	for (i = 0; i < read->query->count; i++)
		finding.loose = finding.loose || read->query->terms[i].loose;
	ik_buf_init(&finding.text, SIZE_MAX / 2);
	if (read->place.first > last + 1)
		read->place.first = last + 1;
	while (status == IK_OK && read->place.first > 1 && !is_over(&finding))
		status = look(&finding, error);
	ik_buf_done(&finding.text);
	read->more = read->place.first > 1;
	read->place.looked = last + 1 - read->place.first;
	read->again = status == IK_OK && read->more && read->found < read->count &&
		ik_clock_ms() < read->told_by_ms;
	return status;
}
