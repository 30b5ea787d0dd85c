/*
 * session_rows: sessions and their events, read.
 *
 * Their store is a struct ik_database. Each function answers the current request: it sends a line
 * for each session ({"session":{...}}) or event ({"event":{...}}), and returns how it ended.
 *
 * May include: util, json, conversation, journal, stores.
 */
#ifndef IK_STORES_SQLITE_SESSION_ROWS_H
#define IK_STORES_SQLITE_SESSION_ROWS_H

#include "conversation/message.h"
#include "stores/sqlite/database.h"

/* newest {directory}: the newest session with events, of that directory or of all. IK_NOT_FOUND. */
enum ik_status ik_answer_newest(void *store, struct ik_error *error);
/* find {prefix}: the only session whose id begins so. IK_NOT_FOUND; IK_INVALID: there are several. */
enum ik_status ik_answer_find(void *store, struct ik_error *error);
/* list {count, directory, words, updated_ms, session}: newest first, after that session if named. */
enum ik_status ik_answer_list(void *store, struct ik_error *error);
/* page {session, before, count}: events of a session and of what it was forked from, newest first. */
enum ik_status ik_answer_page(void *store, struct ik_error *error);
/* after {session, sequence, count}: events of the session itself that came later, oldest first. */
enum ik_status ik_answer_after(void *store, struct ik_error *error);
/* part {blob, part}: {"base64":"..."}. IK_NOT_FOUND. */
enum ik_status ik_answer_part(void *store, struct ik_error *error);

/* The columns of an event, in order from a row's first column on. */
#define IK_EVENT_COLUMNS "events.id, sequence, kind, content, data_json, time"
/* The event of such a row, one reference; NULL where its kind is unknown here. */
struct ik_message *ik_event_of_row(sqlite3_stmt *row);

/* Append the session with this id to the line of an answer; *ret_found: it is there. */
enum ik_status ik_put_session(struct ik_database *database, const char *id, struct ik_buf *line,
	bool *ret_found, struct ik_error *error) IK_MUST_USE;

#endif
