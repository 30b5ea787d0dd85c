#include "store/sqlite/merge.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

/* FTS5 begins with so many pieces of one size. */
#define FEWEST 4
#define MOST_LEVELS 64
/* Begins a record of a later version, which has more in it. */
static const unsigned char later[] = { 0xff, 0, 0, 1 };
/* Between two steps, and how often somebody else's transaction is waited for. */
#define PAUSE_NS 5000000
#define ATTEMPTS 400

/* A record as it is read. */
struct merge_record {
	const unsigned char *at, *end;
	bool failed;
};

/* The next number; 0 where the record ends. */
static uint64_t take_number(struct merge_record *record)
{
	uint64_t number = 0;

	for (int i = 0; i < 8 && record->at < record->end; i++) {
		unsigned char byte = *record->at++;

		number = number << 7 | (byte & 0x7f);
		if (byte < 0x80)
			return number;
	}
	record->failed = true;
	return 0;
}

/* The pages of a level's pieces. */
static int64_t take_level(struct merge_record *record, uint64_t pieces)
{
	int64_t pages = 0;

	for (uint64_t i = 0; i < pieces && !record->failed; i++) {
		uint64_t first, last;

		(void)take_number(record); /* its id */
		first = take_number(record);
		last = take_number(record);
		if (last >= first && last <= INT32_MAX)
			pages += (int64_t)(last - first) + 1;
	}
	return pages;
}

int64_t ik_merge_next(const void *bytes, size_t length)
{
	struct merge_record record = { .at = bytes, .end = (const unsigned char *)bytes + length };
	uint64_t levels, most = 0;
	int64_t pages = 0;
	bool begun = false;

	if (length < 4 + sizeof(later))
		return 0;
	record.at += 4; /* what counts changes */
	if (memcmp(record.at, later, sizeof(later)) == 0)
		return 0;
	levels = take_number(&record);
	(void)take_number(&record); /* of pieces */
	(void)take_number(&record); /* of pages that were written */
	/* The level with the most pieces, up to one that is at it. */
	for (uint64_t level = 0; level < levels && level < MOST_LEVELS && !record.failed; level++) {
		uint64_t merging = take_number(&record), pieces = take_number(&record);
		int64_t its_pages = take_level(&record, pieces);
		uint64_t weight = merging > 0 ? merging : pieces;

		if (weight > most) {
			most = weight;
			pages = its_pages;
			begun = merging > 0; /* and is gone on with, however few they are */
		}
		if (merging > 0)
			break;
	}
	return !record.failed && (begun || most >= FEWEST) ? pages : 0;
}

static int64_t next_of(sqlite3 *database)
{
	sqlite3_stmt *query = NULL;
	int64_t pages = 0;

	if (sqlite3_prepare_v2(database, IK_MERGE_RECORD, -1, &query, NULL) == SQLITE_OK &&
		sqlite3_step(query) == SQLITE_ROW) {
		const void *record = sqlite3_column_blob(query, 0);

		pages = record ? ik_merge_next(record, (size_t)sqlite3_column_bytes(query, 0)) : 0;
	}
	sqlite3_finalize(query);
	return pages;
}

void ik_merge_all(sqlite3 *database)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };
	int attempts = 0, code, before;

	while (attempts < ATTEMPTS && next_of(database) > 0) {
		before = sqlite3_total_changes(database);
		code = sqlite3_exec(database, "BEGIN IMMEDIATE;" IK_MERGE_STEP ";COMMIT", NULL, NULL, NULL);
		if (!sqlite3_get_autocommit(database))
			(void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
		if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY)
			return;
		if (code == SQLITE_OK && sqlite3_total_changes(database) - before < 2) /* as FTS5 says it */
			return;
		attempts = code == SQLITE_OK ? 0 : attempts + 1;
		(void)nanosleep(&pause, NULL);
	}
}
