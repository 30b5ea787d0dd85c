#include "stores/postgres/tables.h"

/*
 * Steps are only ever added: these have been run on users' databases and do not change any more.
 *
 * PostgreSQL's text holds no U+0000; its JSONB holds neither that nor a lone surrogate, does not
 * keep the order of members, and rewrites numbers. What a model wrote has to come back to the
 * letter, so data_json is json, which keeps the text; data is JSONB made from it for queries
 * (without the long texts, which would be stored twice), or NULL where that is impossible. Whatever
 * PostgreSQL does not take as text is in exact_content and exact_data.
 */
static const char *const steps[] = {
	/* 0 to 1 */
	"CREATE TABLE sessions("
	" id uuid PRIMARY KEY,"
	" directory text NOT NULL,"
	" title text NOT NULL DEFAULT '',"
	" created_ms bigint NOT NULL,"
	" updated_ms bigint NOT NULL,"
	" event_count bigint NOT NULL DEFAULT 0,"
	" last_sequence bigint NOT NULL DEFAULT 0,"
	" parent uuid,"                          /* of a fork */
	" forked_at bigint NOT NULL DEFAULT 0,"  /* its last event that is the fork's too */
	" late boolean NOT NULL DEFAULT false);" /* made of events that came too late */
	"CREATE INDEX sessions_of_directory ON sessions(directory);"
	"CREATE INDEX sessions_of_parent ON sessions(parent) WHERE parent IS NOT NULL;"
	"CREATE TABLE events("
	" id uuid PRIMARY KEY,"
	" session uuid NOT NULL,"
	" sequence bigint NOT NULL,"
	" kind text NOT NULL,"
	" content text NOT NULL,"
	" data_json json,"
	" exact_content bytea,"
	" exact_data bytea,"
	" size bigint NOT NULL," /* bytes of content and data */
	" time bigint NOT NULL," /* milliseconds since 1970 UTC */
	" data jsonb GENERATED ALWAYS AS (CASE WHEN data_json::text !~ '\\\\u(0000|[dD][89a-fA-F])'"
	"  THEN (data_json::text::jsonb - 'output' - 'summary' - 'opaque')"
	"   #- '{function,arguments}' END) STORED,"
	" UNIQUE(session, sequence));"
	"CREATE INDEX events_of_tool ON events((data->'function'->>'name')) WHERE kind = 'tool_call';"
	"CREATE INDEX events_of_call ON events((data->>'tool_call_id')) WHERE kind = 'tool_result';"
	"CREATE TABLE blobs("
	" id uuid NOT NULL,"
	" part integer NOT NULL,"
	" bytes bytea NOT NULL,"
	" PRIMARY KEY(id, part));",
	/* 1 to 2: who may write to a session, and who asks for that */
	"CREATE TABLE locks("
	" session uuid PRIMARY KEY,"
	" holder uuid, process uuid, host text, user_name text, pid bigint,"
	" since bigint," /* milliseconds since 1970 UTC */
	" expires timestamptz NOT NULL DEFAULT '-infinity',"
	" asker uuid, asker_host text, asker_user text, asker_pid bigint, asker_since bigint,"
	" asker_expires timestamptz NOT NULL DEFAULT '-infinity',"
	" refused uuid,"                                        /* the asker who was told so last */
	" followed timestamptz NOT NULL DEFAULT '-infinity');", /* until then somebody reads along */
	/* 2 to 3: the words of events (conversation/search_text.h), of each session up to one of them */
	"CREATE TABLE search("
	" session uuid NOT NULL,"
	" sequence bigint NOT NULL,"
	" time bigint NOT NULL,"
	" words tsvector NOT NULL,"
	" PRIMARY KEY(session, sequence));"
	/* A search reads all that waits to be put in order: little of it. */
	"CREATE INDEX search_of_words ON search USING gin(words) WITH (gin_pending_list_limit = 256);"
	"CREATE INDEX search_of_time ON search(time, session, sequence);"
	"ALTER TABLE sessions ADD COLUMN searched bigint NOT NULL DEFAULT 0;"
	"CREATE INDEX sessions_to_search ON sessions(id) WHERE searched < last_sequence;"
	"CREATE INDEX sessions_of_time ON sessions(updated_ms, id);",
	/* 3 to 4: where the holder's process is, so that others there see that it is dead */
	"ALTER TABLE locks ADD COLUMN place text, ADD COLUMN started bigint;",
	/* 4 to 5: how far journals are stored; who said what, known from here on */
	"CREATE TABLE journals("
	" name text PRIMARY KEY,"
	" place bigint NOT NULL,"    /* all before this byte is stored */
	" sequence bigint NOT NULL," /* of the newest event that the writer knew */
	" stored_as uuid NOT NULL);" /* the session, or the fork that late events became */
	"ALTER TABLE sessions ADD COLUMN owner text; ALTER TABLE events ADD COLUMN owner text;"
	"ALTER TABLE blobs ADD COLUMN owner text;"
	"ALTER TABLE blobs ALTER COLUMN owner SET DEFAULT session_user;"
	"ALTER TABLE sessions ALTER COLUMN owner SET DEFAULT session_user;"
	"ALTER TABLE events ALTER COLUMN owner SET DEFAULT session_user;"
	"CREATE INDEX sessions_of_owner ON sessions(owner, updated_ms, id);"
	"CREATE INDEX locks_of_process ON locks(process);"
	"CREATE INDEX locks_of_time ON locks(expires);",
};

const struct ik_database_form ik_postgres_form = {
	.lock = "BEGIN; SELECT pg_advisory_xact_lock(" IK_POSTGRES_LOCK ")",
	.ask = "SELECT version FROM ikigai_form",
	.set = "DELETE FROM ikigai_form; INSERT INTO ikigai_form SELECT ",
	.steps = steps,
	.count = sizeof(steps) / sizeof(steps[0]),
};
