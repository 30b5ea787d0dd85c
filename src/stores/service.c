#include "stores/service.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "conversation/search_query.h"
#include "journal/event_line.h"
#include "json/write.h"
#include "stores/index.h"
#include "stores/intake.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/clock.h"
#include "util/environment.h"
#include "util/limits.h"
#include "util/text.h"

/* Idle time after which the program exits; the next request starts another. */
#define IDLE_MS 5000
/* Delay after a request before background work starts: another request may follow. */
#define PAUSE_MS 200
/* Delay before a database that couldn't be opened is tried again; until then requests fail at
 * once. */
#define RETRY_MS 1000
#define PROTOCOL_VERSION 1
/* Limit on the depth of forks: only damage makes a cycle. */
#define PARENTS_LIMIT 10000
/* Rows of an answer if the request has no count. */
#define DEFAULT_COUNT 100
/* Limit on events deleted in one transaction; others can write in between. */
#define DELETED_EVENTS 5000

/* Column after those of a session: its holder. */
enum { HOLDER = 9 };

#define FIRST_UUID "00000000-0000-0000-0000-000000000000"
#define LAST_UUID "ffffffff-ffff-ffff-ffff-ffffffffffff"

/* A running service. */
struct serving {
	const struct ik_service *service;
	struct ik_database *database;
	struct ik_connection *connection;
	struct ik_error away; /* why it couldn't be opened */
	int64_t retry_ms;     /* when to try again */
	bool converted;       /* old files are converted */
	bool tried;           /* a repair was tried for a read */
};

/* ---- sessions ---- */

static int64_t count_of(struct ik_database *database)
{
	return ik_connection_number(database->client, "count", DEFAULT_COUNT);
}

static bool only_mine(struct ik_database *database)
{
	bool mine = false;

	return ik_json_bool(ik_connection_member(database->client, "mine"), &mine) && mine;
}

/* No session was found. Frees the sentence. */
static void fail_without_session(struct ik_database *database, char *sentence)
{
	if (!ik_database_failed(database))
		ik_error_set(&database->error, IK_NOT_FOUND, "%s", sentence);
	free(sentence);
}

/* Append the session of a row whose IK_SESSION_COLUMNS start at column first. lock (or NULL): its
 * holder, as JSON. */
static void put_session(struct ik_buf *line, struct ik_rows *rows, int first, const char *lock)
{
	ik_json_printf(line,
		"'session':{'id':'%s','title':'%s','directory':'%s','created_ms':%lld,'updated_ms':%lld,"
		"'event_count':%lld,'parent':'%s','forked_at':%lld,'owner':'%s','lock':%s}",
		ik_rows_text(rows, first), ik_rows_text(rows, first + 1), ik_rows_text(rows, first + 2),
		(long long)ik_rows_number(rows, first + 3), (long long)ik_rows_number(rows, first + 4),
		(long long)ik_rows_number(rows, first + 5), ik_rows_text_or_null(rows, first + 6),
		(long long)ik_rows_number(rows, first + 7), ik_rows_text_or_null(rows, first + 8), lock);
}

/* Send the chosen sessions and their holders. Return false if there are none. */
static bool send_sessions(struct ik_database *database, const char *choice,
	const struct ik_value *values)
{
	char *statement = ik_format("SELECT " IK_SESSION_COLUMNS ", %s FROM sessions s WHERE %s",
		ik_database_sql.holder, choice);
	struct ik_rows *rows = ik_database_ask(database, statement, values);
	bool found = false;

	for (; ik_rows_next(rows); found = true) {
		put_session(ik_connection_begin(database->client), rows, 0,
			ik_rows_text_or_null(rows, HOLDER));
		ik_connection_send(database->client);
	}
	(void)ik_rows_free(rows);
	free(statement);
	return found;
}

/* Complete the start of a UUID from another UUID. Return false if it isn't the start of one. */
static bool fill_up(const char *prefix, const char *rest, char ret_id[IK_UUID_TEXT])
{
	size_t at = 0;

	memcpy(ret_id, rest, IK_UUID_TEXT);
	for (; *prefix; prefix++) {
		if (*prefix == '-')
			continue;
		at += ret_id[at] == '-';
		if (at >= IK_UUID_TEXT - 1 || !strchr("0123456789abcdef", *prefix))
			return false;
		ret_id[at++] = *prefix;
	}
	return true;
}

static void answer_find(struct ik_database *database)
{
	const char *prefix = ik_connection_text(database->client, "prefix");
	char first[IK_UUID_TEXT] = "", last[IK_UUID_TEXT] = "";
	bool whole = prefix && prefix[0] && fill_up(prefix, FIRST_UUID, first) &&
		fill_up(prefix, LAST_UUID, last);
	const struct ik_value *bounds = IK_VALUES(ik_value_id(first), ik_value_id(last));

/* Skip deleted sessions that are kept for their forks; find half-deleted ones, so that they can be
 * deleted. */
#define BEGIN_SO \
	"s.id >= ?1 AND s.id <= ?2 AND (s.event_count > 0 OR" \
	" (SELECT 1 FROM sessions c WHERE c.parent = s.id LIMIT 1) IS NULL)"
	if (whole &&
		ik_database_number(database,
			"SELECT count(*) FROM (SELECT 1 FROM sessions s WHERE " BEGIN_SO " LIMIT 2) found",
			bounds) > 1)
		ik_error_set(&database->error, IK_INVALID,
			_("Several sessions begin with %s. Write more of the id."), prefix);
	else if (!whole || !send_sessions(database, BEGIN_SO, bounds))
		fail_without_session(database,
			ik_format(_("There is no session %s. --resume without an id takes the newest of this "
						"directory."),
				prefix ? prefix : ""));
}

/* The pattern for LIKE: the words in this order, with anything before, between and after them. */
#define PATTERN \
	"'%' || replace(replace(replace(replace(lower(?4), '\\', '\\\\'), '%', '\\%'), '_', '\\_')," \
	" ' ', '%') || '%'"

/* Send the matching sessions with events, newest first. The statement has only the requested
 * conditions, so that each uses its index. */
static void answer_list(struct ik_database *database)
{
	struct ik_connection *client = database->client;
	const char *words = ik_connection_text(client, "words");
	const char *after = ik_connection_text(client, "session");
	const char *directory = ik_connection_text(client, "directory");
	const char *owner = only_mine(database) ? database->user : ik_connection_text(client, "owner");
	struct ik_buf choice;

	ik_buf_init(&choice, IK_KIB(4));
	ik_buf_puts(&choice, "s.event_count > 0");
	if (after)
		ik_buf_puts(&choice, " AND (s.updated_ms, s.id) < (?2, ?1)");
	if (directory)
		ik_buf_puts(&choice, " AND s.directory = ?3");
	if (words)
		ik_buf_puts(&choice,
			" AND lower(s.title || '\n' || s.directory || '\n' || s.id) LIKE " PATTERN
			" ESCAPE '\\'");
	if (owner)
		ik_buf_puts(&choice,
			only_mine(database) ? " AND (s.owner = ?5 OR s.owner IS NULL)" : " AND s.owner = ?5");
	ik_buf_puts(&choice, " ORDER BY s.updated_ms DESC, s.id DESC LIMIT ?6");
	(void)send_sessions(database, choice.data,
		IK_VALUES(ik_value_id(after),
			ik_value_number(ik_connection_number(client, "updated_ms", INT64_MAX)),
			ik_value_text(directory), ik_value_text(words), ik_value_text(owner),
			ik_value_number(count_of(database))));
	ik_buf_done(&choice);
}

/* ---- events ---- */

static void send_event(struct ik_database *database, const char *session,
	const struct ik_message *message)
{
	struct ik_buf *line = ik_connection_begin(database->client);

	ik_json_key(line, "event");
	ik_event_line_put(line, session, message);
	ik_connection_send(database->client);
}

/* Send events of a session. Subtract their number from *left, and set *ret_last to the number of
 * the last one. */
static void send_events(struct ik_database *database, const char *choice, const char *session,
	int64_t bound, int64_t *left, int64_t *ret_last)
{
	char *statement = ik_format("SELECT %s FROM events e WHERE e.session = ?1 AND e.sequence %s",
		ik_database_sql.event, choice);
	struct ik_rows *rows = ik_database_ask(database, statement,
		IK_VALUES(ik_value_id(session), ik_value_number(bound), ik_value_number(*left)));

	while (ik_rows_next(rows)) {
		struct ik_message *message = ik_rows_event(rows);

		*ret_last = ik_rows_number(rows, 1);
		(*left)--;
		if (message)
			send_event(database, session, message);
		ik_message_unref(message);
		if (ik_connection_is_cancelled(database->client))
			ik_error_set(&database->error, IK_FAILED, "The request was cancelled.");
	}
	(void)ik_rows_free(rows);
	free(statement);
}

/* Replace session with its parent ("" if it has none), and lower *before to the events they
 * share. */
static void go_to_parent(struct ik_database *database, char session[IK_UUID_TEXT], int64_t *before)
{
	struct ik_rows *rows = ik_database_ask(database,
		"SELECT parent, forked_at FROM sessions WHERE id = ?1", IK_VALUES(ik_value_id(session)));

	session[0] = '\0';
	if (ik_rows_next(rows)) {
		ik_rows_copy_id(rows, 0, session);
		if (ik_rows_number(rows, 1) + 1 < *before)
			*before = ik_rows_number(rows, 1) + 1;
	}
	(void)ik_rows_free(rows);
}

/* Send the events before *before that are only in journals, newest first. Return how many of the
 * journals' events are other writers'. */
static size_t send_unstored(struct ik_database *database, const char *session, int64_t *before,
	int64_t *left)
{
	struct ik_unstored unstored = ik_unstored_read(database, session,
		ik_connection_text(database->client, "writer"));
	size_t others = unstored.left;

	for (size_t i = unstored.count; i > 0 && *left > 0; i--) {
		const struct ik_message *message = unstored.messages[i - 1];

		if (message->sequence >= *before)
			continue;
		send_event(database, session, message);
		*before = message->sequence;
		(*left)--;
	}
	ik_unstored_done(&unstored);
	return others;
}

static void answer_page(struct ik_database *database)
{
	const char *id = ik_connection_text(database->client, "session");
	int64_t before = ik_connection_number(database->client, "before", INT64_MAX);
	int64_t left = count_of(database);
	char session[IK_UUID_TEXT] = "";
	size_t others;

	if (id)
		memcpy(session, id, strnlen(id, sizeof(session) - 1));
	others = send_unstored(database, session, &before, &left);
	/* Most sessions aren't forks; reaching their first event shows it without another query. */
	for (int depth = 0; depth <= PARENTS_LIMIT && session[0] && before > 1 && left > 0; depth++) {
		send_events(database, "< ?2 ORDER BY e.sequence DESC LIMIT ?3", session, before, &left,
			&before);
		if (before > 1 && left > 0)
			go_to_parent(database, session, &before);
	}
	ik_json_printf(ik_connection_begin(database->client), "'unstored':%zu", others);
}

static void answer_after(struct ik_database *database)
{
	const char *session = ik_connection_text(database->client, "session");
	int64_t left = count_of(database), last;

	send_events(database, "> ?2 ORDER BY e.sequence LIMIT ?3", session ? session : "",
		ik_connection_number(database->client, "sequence", 0), &left, &last);
}

static void answer_part(struct ik_database *database)
{
	struct ik_rows *rows = ik_database_ask(database,
		"SELECT bytes FROM blobs WHERE id = ?1 AND part = ?2",
		IK_VALUES(ik_value_id(ik_connection_text(database->client, "blob")),
			ik_value_number(ik_connection_number(database->client, "part", 0))));

	if (ik_rows_next(rows)) {
		struct ik_buf *line = ik_connection_begin(database->client);
		size_t length = 0;
		const char *bytes = ik_rows_bytes(rows, 0, &length);

		ik_json_key(line, "base64");
		ik_json_quote_open(line);
		ik_base64_put(line, bytes ? bytes : "", length);
		ik_json_quote_close(line);
	} else if (!ik_database_failed(database)) {
		ik_error_set(&database->error, IK_NOT_FOUND, "There is no such part.");
	}
	(void)ik_rows_free(rows);
}

/* known: report which IDs are those of sessions or of events. */
static void answer_known(struct ik_database *database)
{
	char *statement = ik_format("SELECT s.id FROM sessions s WHERE s.id %s"
								" UNION SELECT e.id FROM events e WHERE e.id %s",
		ik_database_sql.among, ik_database_sql.among);
	struct ik_rows *rows = ik_database_ask(database, statement,
		IK_VALUES(ik_value_text(ik_connection_text(database->client, "ids"))));
	struct ik_buf *line = ik_connection_begin(database->client);

	ik_json_key(line, "known");
	ik_json_open(line, '[');
	while (ik_rows_next(rows))
		ik_json_put_text(line, ik_rows_text(rows, 0));
	ik_json_close(line, ']');
	(void)ik_rows_free(rows);
	free(statement);
}

/* ---- searching ---- */

enum { PLACE = IK_EVENT_COLUMN_COUNT, SESSION };

/* Send the event of a found row, if it is still in a session. */
static void send_found(struct ik_database *database, struct ik_rows *rows)
{
	struct ik_message *message = ik_rows_event(rows);
	struct ik_buf *line = ik_connection_begin(database->client);

	if (message && ik_rows_text_or_null(rows, SESSION)) {
		put_session(line, rows, SESSION, NULL);
		ik_json_printf(line, "'row':'%s'", ik_rows_text(rows, PLACE));
		send_event(database, ik_rows_text(rows, SESSION), message);
	}
	ik_message_unref(message);
}

static void search(struct ik_database *database, const struct ik_search_query *query)
{
	struct ik_connection *client = database->client;
	int64_t count = count_of(database), found = 0;
	struct ik_rows *rows;
	struct ik_buf text;

	ik_buf_init(&text, IK_KIB(64));
	ik_database_put_query(query, &text);
	rows = ik_database_ask(database, ik_database_sql.search,
		IK_VALUES(ik_value_text(text.data), ik_value_text(ik_connection_text(client, "row")),
			ik_value_text(ik_connection_text(client, "directory")),
			ik_value_text(only_mine(database) ? database->user : NULL), ik_value_number(count)));
	while (ik_rows_next(rows)) {
		send_found(database, rows);
		ik_buf_clear(&text);
		ik_buf_puts(&text, ik_rows_text(rows, PLACE));
		found++;
	}
	(void)ik_rows_free(rows);
	ik_json_printf(ik_connection_begin(client), "'row':'%s'", found == count ? text.data : NULL);
	ik_buf_done(&text);
}

static void answer_search(struct ik_database *database)
{
	const char *text = ik_connection_text(database->client, "query");
	struct ik_search_query query;
	bool more = true;

	if (ik_search_query_read(&query, text ? text : "", strlen(text ? text : ""),
			&database->error) != IK_OK)
		return;
	while (more && !ik_connection_is_cancelled(database->client))
		more = ik_index_some(database, false);
	/* Search a read-only database as it is. */
	if (database->error.status == IK_IO)
		database->error.status = IK_OK;
	search(database, &query);
}

/* ---- deleting ---- */

/* Delete some events of a session that no fork shares, and its row after the last of them. Return
 * their number. Hide the session first, so that a half-deleted one is never listed. */
static int64_t delete_some(struct ik_database *database, const char *session)
{
	const struct ik_value *values = IK_VALUES(ik_value_id(session),
		ik_value_number(DELETED_EVENTS));
	int64_t count;

	ik_database_change(database,
		"UPDATE sessions SET event_count = 0, updated_ms = 0 WHERE id = ?1", values);
	count = ik_database_number(database,
		"SELECT count(*) FROM (SELECT 1" IK_OLDEST_EVENTS ") oldest", values);
	if (count == 0) {
		ik_database_change(database,
			"DELETE FROM sessions WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM events"
			" WHERE session = ?1) AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent = ?1)",
			values);
		return 0;
	}
	ik_database_drop_words(database, session, DELETED_EVENTS);
	ik_database_change(database, ik_database_sql.drop_parts, values);
	ik_database_change(database,
		"DELETE FROM events WHERE session = ?1 AND sequence IN (SELECT e.sequence" IK_OLDEST_EVENTS
		")",
		values);
	ik_database_change(database, ik_database_sql.events_deleted, values);
	return count;
}

/* Delete a session in transactions of limited size. */
static void delete_session(struct ik_database *database, const char *session)
{
	int64_t all = ik_database_number(database, "SELECT count(*) FROM events WHERE session = ?1",
		IK_VALUES(ik_value_id(session)));
	int64_t count = 1, deleted = 0;

	while (count > 0 && !ik_database_failed(database)) {
		ik_database_begin(database);
		count = delete_some(database, session);
		ik_database_end(database);
		deleted += count;
		if (!ik_connection_progress(database->client, "delete", deleted, all))
			ik_error_set(&database->error, IK_FAILED, "The request was cancelled.");
	}
}

static void answer_delete(struct ik_database *database)
{
	/* A hidden session that no fork needs: its last fork was deleted, or its deletion killed. */
	static const char hidden[] =
		"SELECT s.id FROM sessions s WHERE s.updated_ms = 0 AND s.event_count = 0"
		" AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent = s.id) ORDER BY s.id LIMIT 1";
	const char *session = ik_connection_text(database->client, "session");
	char id[IK_UUID_TEXT];

	ik_database_check_writable(database);
	ik_database_id(database, "SELECT id FROM sessions WHERE id = ?1",
		IK_VALUES(ik_value_id(session)), id);
	if (!id[0])
		fail_without_session(database,
			ik_format(_("There is no session %s."), session ? session : ""));
	while (id[0] && !ik_database_failed(database)) {
		delete_session(database, id);
		ik_database_id(database, hidden, NULL, id);
	}
}

/* ---- the program ---- */

/* hello: report the kind of store and our user name there. */
static void answer_hello(struct ik_database *database)
{
	struct ik_buf *line = ik_connection_begin(database->client);

	ik_json_printf(line, "'name':'%s','protocol':%d", ik_database_kind, PROTOCOL_VERSION);
	if (database->user)
		ik_json_printf(line, "'user':'%s'", database->user);
}

/* Open the database, unless it is open. */
static void open_database(struct serving *serving)
{
	struct ik_database *database = serving->database;
	struct ik_error *error = &database->error;

	if (ik_database_is_open(database))
		return;
	ik_database_close(database);
	if (ik_clock_ms() < serving->retry_ms) {
		*error = serving->away;
		return;
	}
	ik_database_open(database);
	if (error->status == IK_OK && !serving->converted) {
		serving->service->convert_old_files(database, database->journals[0]);
		serving->converted = true;
	}
	if (error->status == IK_NOT_FOUND) /* this status means that the requested object is missing */
		error->status = IK_IO;
	if (error->status == IK_OK)
		return;
	ik_database_close(database);
	serving->away = *error;
	serving->retry_ms = ik_clock_ms() + (error->status == IK_UNAVAILABLE ? RETRY_MS : 0);
}

static const struct ik_store_verb common_verbs[] = {
	{ "hello", answer_hello, IK_VERB_PLAIN },
	{ "take", ik_answer_take, IK_VERB_PLAIN },
	{ "sync", ik_answer_sync, IK_VERB_APART },
	{ "find", answer_find, IK_VERB_LONG },
	{ "list", answer_list, IK_VERB_LONG },
	{ "page", answer_page, IK_VERB_LONG },
	{ "after", answer_after, IK_VERB_LONG },
	{ "part", answer_part, IK_VERB_LONG },
	{ "known", answer_known, IK_VERB_LONG },
	{ "search", answer_search, IK_VERB_LONG },
	{ "delete", answer_delete, IK_VERB_LONG },
	{ NULL, NULL, IK_VERB_LONG },
};

static const struct ik_store_verb *find_verb(const struct ik_store_verb *verbs, const char *name)
{
	while (verbs->name && !ik_text_equal(verbs->name, name))
		verbs++;
	return verbs->name ? verbs : NULL;
}

/* Answer the current request; errors are in the database's error. */
static void try_answer(struct serving *serving, const struct ik_store_verb *verb)
{
	struct ik_database *database = serving->database;

	database->error.status = IK_OK;
	database->damaged = false;
	if (verb->kind == IK_VERB_CLOSED)
		ik_database_close(database);
	else if (verb->kind != IK_VERB_APART)
		open_database(serving);
	if (ik_database_failed(database))
		return;
	database->interruptible = verb->kind == IK_VERB_LONG || verb->kind == IK_VERB_LOOK;
	verb->answer(database);
	database->interruptible = false;
}

/* Repair a damaged database, and return true if the request should be retried. A request that
 * stores needs the repair; a read must not cost data that others can still read. */
static bool repair(struct serving *serving, const struct ik_store_verb *verb)
{
	struct ik_database *database = serving->database;
	struct ik_error failed = database->error;
	bool stores = ik_text_equal(verb->name, "take") && ik_intake_is_due(database), repaired;

	if (!database->damaged || !serving->service->repair || verb->kind == IK_VERB_LOOK ||
		(serving->tried && !stores))
		return false;
	serving->tried = true;
	ik_database_close(database);
	database->error.status = IK_OK;
	serving->service->repair(database, !stores);
	repaired = !ik_database_failed(database);
	database->error = failed;
	return repaired && !ik_connection_has_answered(serving->connection);
}

static void answer(struct serving *serving)
{
	const char *asked = ik_connection_text(serving->connection, "do"), *name = asked ? asked : "";
	const struct ik_store_verb *verb = find_verb(common_verbs, name);
	struct ik_error *error = &serving->database->error;

	if (!verb)
		verb = find_verb(serving->service->verbs, name);
	if (verb)
		try_answer(serving, verb);
	else
		ik_error_set(error, IK_INVALID, "There is no request \"%s\".", name);
	if (verb && error->status == IK_INVALID && repair(serving, verb))
		try_answer(serving, verb);
	ik_connection_finish(serving->connection, error);
}

/* Do some background work. Return true if there is more. Errors are ignored: a search reports
 * them. */
static bool work(struct ik_database *database)
{
	database->error.status = IK_OK;
	return ik_database_is_open(database) && ik_index_some(database, true);
}

/* Answer requests, and work in between. Return true when the client is gone, false after the idle
 * time. */
static bool serve(struct serving *serving)
{
	bool working = true;

	for (;;) {
		enum ik_connection_news news = ik_connection_wait(serving->connection,
			working ? PAUSE_MS : IDLE_MS);

		if (news == IK_CONNECTION_REQUEST)
			answer(serving);
		else if (news == IK_CONNECTION_END || !working)
			return news == IK_CONNECTION_END;
		working = news == IK_CONNECTION_REQUEST;
		while (!working && work(serving->database) && !ik_connection_has_input(serving->connection))
			;
	}
}

/* Read the database's address from the first line, {"database":"..."}. Return it in new memory, or
 * NULL if there was none. */
static char *read_address(struct ik_connection *connection)
{
	const char *address = NULL;

	if (ik_connection_wait(connection, IDLE_MS) == IK_CONNECTION_REQUEST)
		address = ik_connection_text(connection, "database");
	return address ? ik_strdup(address) : NULL;
}

int ik_service_run(const struct ik_service *service, struct ik_database *database, int argc,
	char **argv)
{
	struct serving serving = { .service = service, .database = database };
	char *address = NULL;

	ik_environment_hide();
	setlocale(LC_CTYPE, "");
	setlocale(LC_MESSAGES, "");
	bindtextdomain(PACKAGE, IK_LOCALEDIR);
	textdomain(PACKAGE);
	if (argc < 3) {
		(void)fprintf(stderr, "Usage: store-%s DATABASE JOURNALS...\n", ik_database_kind);
		return 2;
	}
	(void)signal(SIGPIPE, SIG_IGN);
	database->address = argv[1];
	database->journals = (const char *const *)argv + 2;
	serving.connection = ik_connection_new(STDIN_FILENO, STDOUT_FILENO);
	database->client = serving.connection;
	if (ik_text_equal(argv[1], "-"))
		database->address = address = read_address(serving.connection);
	if (!database->address) {
		(void)ik_connection_free(serving.connection);
		return 2;
	}
	if (serve(&serving)) {
		/* The client is gone, perhaps killed: store what it left in its journals. */
		database->error.status = IK_OK;
		open_database(&serving);
		if (!ik_database_failed(database))
			ik_answer_take(database);
		if (!ik_database_failed(database) && service->end)
			service->end(database);
	}
	ik_database_close(database);
	(void)ik_connection_free(serving.connection);
	free(address);
	return ik_database_failed(database) ? 1 : 0;
}
