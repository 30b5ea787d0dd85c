#include "stores/sqlite/tables.h"

/*
 * Steps are only ever added: these have been run on users' databases and do not change any more.
 */
static const char *const steps[] = {
	/* 0 to 1 */
	"CREATE TABLE sessions("
	" id TEXT PRIMARY KEY NOT NULL,"
	" directory TEXT NOT NULL,"
	" title TEXT NOT NULL DEFAULT '',"
	" created_ms INTEGER NOT NULL,"
	" updated_ms INTEGER NOT NULL,"
	" event_count INTEGER NOT NULL DEFAULT 0);"
	/* Not with the time, which would be one more page to write for each event. */
	"CREATE INDEX sessions_of_directory ON sessions(directory);"
	"CREATE TABLE events("
	" id TEXT UNIQUE NOT NULL,"
	" session TEXT NOT NULL,"
	" sequence INTEGER NOT NULL,"
	" kind TEXT NOT NULL,"
	" content TEXT NOT NULL,"
	" data_json TEXT,"
	" time INTEGER NOT NULL," /* milliseconds since 1970 UTC */
	" PRIMARY KEY(session, sequence));",
	/* 1 to 2: large texts that events name, in parts from 0 on */
	"CREATE TABLE blobs("
	" id TEXT NOT NULL,"
	" part INTEGER NOT NULL,"
	" bytes BLOB NOT NULL,"
	" PRIMARY KEY(id, part));",
	/* 2 to 3: a session may be a fork of another, up to one of its events */
	"ALTER TABLE sessions ADD COLUMN parent TEXT;"
	"ALTER TABLE sessions ADD COLUMN forked_at INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE sessions ADD COLUMN late INTEGER NOT NULL DEFAULT 0;" /* of late events */
	"CREATE INDEX sessions_of_parent ON sessions(parent) WHERE parent IS NOT NULL;",
	/* 3 to 4: the words of events (conversation/search_text.h) by their rows, of all up to a row */
	"CREATE VIRTUAL TABLE search USING fts5(words, content='', columnsize=0, tokenize='ascii');"
	"INSERT INTO search(search, rank) VALUES('automerge', 0);"
	"CREATE TABLE search_state(indexed INTEGER NOT NULL);"
	"INSERT INTO search_state VALUES(0);"
	"CREATE INDEX sessions_of_time ON sessions(updated_ms, id);",
	/* 4 to 5: rows of the index have a word for their block; those up to one have not */
	("ALTER TABLE search_state ADD COLUMN plain_rows INTEGER NOT NULL DEFAULT 0;"
	 "UPDATE search_state SET plain_rows = indexed;"),
	/* 5 to 6: how far journals are stored; rows of the index after one have no such word again;
	 * columns as on a server, which has users */
	"CREATE TABLE journals("
	" name TEXT PRIMARY KEY NOT NULL,"
	" place INTEGER NOT NULL,"     /* all before this byte is stored */
	" stored_as TEXT NOT NULL,"    /* the session, or the fork that late events became */
	" sequence INTEGER NOT NULL);" /* of its newest event that the writer knew */
	"INSERT INTO search(search, rank) VALUES('automerge', 4);"
	"ALTER TABLE search_state ADD COLUMN named_rows INTEGER NOT NULL DEFAULT 0;"
	"UPDATE search_state SET named_rows = indexed;"
	"ALTER TABLE sessions ADD COLUMN owner TEXT;"
	"ALTER TABLE sessions ADD COLUMN last_sequence INTEGER NOT NULL DEFAULT 0;"
	"UPDATE sessions SET last_sequence = coalesce((SELECT max(sequence) FROM events"
	" WHERE session = sessions.id), forked_at);",
};

const struct ik_database_form ik_sqlite_form = {
	.lock = "BEGIN IMMEDIATE",
	.ask = "PRAGMA user_version",
	.set = "PRAGMA application_id = " IK_SQLITE_APPLICATION "; PRAGMA user_version = ",
	.steps = steps,
	.count = sizeof(steps) / sizeof(steps[0]),
};
