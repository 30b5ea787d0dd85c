#include "store/sqlite/merge.h"

#include <stdio.h>

#include <criterion/criterion.h>

/* Pieces of the index of words: which come next, and that they are put together. */

/* Of a record with these numbers, which are all below 128. */
#define NEXT(...) next_of((const unsigned char[]){ 0, 0, 0, 1, __VA_ARGS__ }, \
	sizeof((const unsigned char[]){ 0, 0, 0, 1, __VA_ARGS__ }))

static long long next_of(const unsigned char *record, size_t length)
{
	return (long long)ik_merge_next(record, length);
}

Test(merge, of_pieces_of_one_size_four_are_put_together)
{
	/* levels, pieces, written; of each level: at it, pieces, of each its id, first and last page */
	cr_expect_eq(NEXT(0, 0, 0), 0);
	cr_expect_eq(NEXT(1, 3, 9, 0, 3, 1, 1, 5, 2, 1, 5, 3, 1, 5), 0);
	cr_expect_eq(NEXT(1, 4, 9, 0, 4, 1, 1, 5, 2, 1, 5, 3, 1, 5, 4, 2, 2), 16);
	cr_expect_eq(next_of((const unsigned char[]){ 0xff, 0, 0, 1, 1, 4, 9, 0, 4, 1, 1, 5, 2, 1, 5, 3, 1,
		5, 4, 2, 2 }, 21), 16, "whatever the count of changes is");
	cr_expect_eq(NEXT(2, 5, 9, 0, 1, 5, 1, 1, 0, 4, 1, 1, 100, 2, 1, 100, 3, 1, 100, 4, 1, 100), 400);
}

Test(merge, what_is_begun_is_gone_on_with)
{
	cr_expect_eq(NEXT(2, 3, 9, 0, 1, 5, 1, 1, 2, 2, 1, 7, 16, 2, 1, 10), 20);
	/* But for smaller ones of which there are more. */
	cr_expect_eq(NEXT(2, 5, 9, 0, 4, 1, 1, 1, 2, 1, 1, 3, 1, 1, 4, 1, 1, 2, 1, 7, 16, 99), 4);
}

Test(merge, a_record_that_is_another_says_nothing)
{
	static const unsigned char numbers[] = { 0, 0, 0, 1, 0x81, 0x80 };

	cr_expect_eq(next_of(numbers, 0), 0);
	cr_expect_eq(next_of(numbers, sizeof(numbers)), 0);
	cr_expect_eq(next_of((const unsigned char[]){ 0, 0, 0, 9, 0xff, 0, 0, 1, 1, 4, 9, 0, 4, 1, 1, 1 },
		16), 0);
	for (size_t length = 4; length < 17; length++)
		cr_expect_eq(next_of((const unsigned char[]){ 0, 0, 0, 1, 1, 4, 9, 0, 4, 1, 1, 5, 2, 1, 5, 3,
			1 }, length), 0);
	cr_expect_eq(NEXT(1, 4, 9, 0, 0xff, 0xff, 0xff, 0x7f, 1, 1), 0);
}

/* What the statement says, a number. */
static long long ask(sqlite3 *database, const char *statement)
{
	sqlite3_stmt *query = NULL;
	long long number = -1;

	cr_assert_eq(sqlite3_prepare_v2(database, statement, -1, &query, NULL), SQLITE_OK);
	if (sqlite3_step(query) == SQLITE_ROW)
		number = sqlite3_column_int64(query, 0);
	sqlite3_finalize(query);
	return number;
}

static void run(sqlite3 *database, const char *statement)
{
	cr_assert_eq(sqlite3_exec(database, statement, NULL, NULL, NULL), SQLITE_OK, "%s: %s", statement,
		sqlite3_errmsg(database));
}

/* An index of nine pieces. */
static sqlite3 *nine_pieces(void)
{
	sqlite3 *database = NULL;
	struct ik_error error;
	char text[100];

	cr_assert_eq(ik_sqlite_library_load(&error), IK_OK);
	cr_assert_eq(sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
		NULL), SQLITE_OK);
	run(database, "CREATE VIRTUAL TABLE search USING fts5(words, content='', columnsize=0);"
		"INSERT INTO search(search, rank) VALUES('automerge', 0)");
	for (int i = 1; i <= 9; i++) {
		(void)snprintf(text, sizeof(text), "INSERT INTO search(rowid, words) VALUES(%d, 'boat %d')", i, i);
		run(database, text);
	}
	return database;
}

Test(merge, an_index_that_wants_more_pieces_is_left_as_it_is, .timeout = 60)
{
	sqlite3 *database = nine_pieces();

	run(database, "INSERT INTO search(search, rank) VALUES('usermerge', 16)");
	ik_merge_all(database);
	cr_expect_eq(ask(database, "SELECT count(*) FROM search WHERE search MATCH 'boat'"), 9);
	sqlite3_close_v2(database);
}

Test(merge, all_is_put_together_and_found)
{
	sqlite3 *database = nine_pieces();

	cr_expect_geq(ask(database, "SELECT count(DISTINCT segid) FROM search_idx"), 9);
	ik_merge_all(database);
	cr_expect_lt(ask(database, "SELECT count(DISTINCT segid) FROM search_idx"), 4);
	cr_expect_eq(ask(database, "SELECT count(*) FROM search WHERE search MATCH 'boat'"), 9);
	cr_expect_eq(ask(database, "SELECT rowid FROM search WHERE search MATCH 'boat 7'"), 7);
	sqlite3_close_v2(database);
}
