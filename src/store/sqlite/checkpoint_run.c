/* The helper: it may wait for the disk. */
#include "store/sqlite/checkpoint.h"

#include <stdlib.h>
#include <time.h>

#include "store/sqlite/merge.h"
#include "store/sqlite/sqlite_library.h"
#include "util/alloc.h"
#include "util/text.h"

/* So often it is tried beside the writers; then under their lock, with pauses. */
#define PASSES 3
#define ATTEMPTS 40
#define PAUSE_NS 5000000
/* A log with fewer pages has begun anew since, by a writer's hand. */
#define FEW_PAGES (IK_CHECKPOINT_PAGES / 4)

/* The log's pages after the helper's own commit. */
static int note_pages(void *arg, sqlite3 *database, const char *name, int pages)
{
	(void)database;
	(void)name;
	*(int *)arg = pages;
	return SQLITE_OK;
}

bool ik_checkpoint_has_log(sqlite3 *database)
{
	sqlite3_stmt *query = NULL;
	bool found = false;

	if (sqlite3_prepare_v2(database, "PRAGMA journal_mode", -1, &query, NULL) == SQLITE_OK &&
		sqlite3_step(query) == SQLITE_ROW)
		found = ik_text_equal((const char *)sqlite3_column_text(query, 0), "wal");
	sqlite3_finalize(query);
	return found;
}

/*
 * Write something that changes nothing. Where all of the log was taken in it begins anew with
 * that, which costs an fsync of its head that the program is spared, and what it has above its
 * limit is given back. False: somebody else was faster.
 */
static bool begin_anew(sqlite3 *database, int *pages)
{
	char *text = NULL;
	bool good = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
	int64_t version = good ? ik_sqlite_number(database, "PRAGMA user_version") : -1;

	*pages = IK_CHECKPOINT_PAGES;
	if (version >= 0) {
		text = ik_format("PRAGMA user_version = %lld; COMMIT", (long long)version);
		good = sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK;
		free(text);
	}
	if (!sqlite3_get_autocommit(database))
		(void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return good && *pages < FEW_PAGES;
}

static int take_in(sqlite3 *database)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };
	int pages = 0, attempt;

	(void)sqlite3_wal_hook(database, note_pages, &pages);
	for (attempt = 0; attempt < ATTEMPTS; attempt++) {
		int all = 0, taken = 0;
		int code = sqlite3_wal_checkpoint_v2(database, NULL,
			attempt < PASSES ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_RESTART, &all, &taken);

		if ((code != SQLITE_OK && code != SQLITE_BUSY) || all < 0)
			return IK_CHECKPOINT_FAILED;
		if (code == SQLITE_OK && all == taken && begin_anew(database, &pages))
			return IK_CHECKPOINT_DONE;
		if (code == SQLITE_OK && attempt > 0 && all < FEW_PAGES)
			return IK_CHECKPOINT_DONE;
		if (attempt >= PASSES || code == SQLITE_BUSY)
			(void)nanosleep(&pause, NULL);
	}
	return IK_CHECKPOINT_HELD;
}

int ik_checkpoint_run(const char *path)
{
	sqlite3 *database = NULL;
	int status = IK_CHECKPOINT_FAILED;
	char *settings;

	if (ik_sqlite_library_load(NULL) != IK_OK)
		return status;
	if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ==
		SQLITE_OK) {
		ik_sqlite_protect(database);
		/* As in the program, only the log's beginning anew waits for the disk. */
		settings = ik_format("PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = %lld",
			(long long)IK_CHECKPOINT_PAGES * 4096);
		/* The log is opened by the first that is read. */
		if (sqlite3_exec(database, settings, NULL, NULL, NULL) == SQLITE_OK &&
			ik_sqlite_number(database, "PRAGMA user_version") >= 0 &&
			ik_checkpoint_has_log(database)) {
			ik_merge_all(database);
			status = take_in(database);
		}
		free(settings);
	}
	(void)sqlite3_close_v2(database);
	return status;
}
