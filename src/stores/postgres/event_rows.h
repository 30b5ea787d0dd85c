/*
 * event_rows: sessions and their events, read from a server.
 *
 * Their store is a struct ik_server. Each function answers the current request as the one of the
 * same name in SQLite does (stores/sqlite/session_rows.h).
 *
 * May include: util, json, conversation, journal, stores.
 */
#ifndef IK_STORES_POSTGRES_EVENT_ROWS_H
#define IK_STORES_POSTGRES_EVENT_ROWS_H

#include "conversation/message.h"
#include "stores/postgres/server.h"

enum ik_status ik_pg_answer_newest(void *store, struct ik_error *error);
enum ik_status ik_pg_answer_find(void *store, struct ik_error *error);
/* With "owner": only that user's. */
enum ik_status ik_pg_answer_list(void *store, struct ik_error *error);
enum ik_status ik_pg_answer_page(void *store, struct ik_error *error);
enum ik_status ik_pg_answer_after(void *store, struct ik_error *error);
enum ik_status ik_pg_answer_part(void *store, struct ik_error *error);

/* The columns of an event, and of a session, of tables with these names. */
#define IK_PG_EVENT(e) \
	e ".id, " e ".sequence, " e ".kind, " e ".content, " e ".data_json::text, " e \
	  ".exact_content, " e ".exact_data, " e ".time"
enum { IK_PG_EVENT_COLUMNS = 8 };
#define IK_PG_SESSION(s) \
	s ".id, " s ".title, " s ".directory, " s ".created_ms, " s ".updated_ms, " s \
	  ".event_count + " s ".forked_at, " s ".parent, " s ".forked_at, " s ".owner"
enum { IK_PG_SESSION_COLUMNS = 9 };

/* The event of a row whose columns begin there, one reference; NULL where its kind is unknown. */
struct ik_message *ik_pg_event(const PGresult *result, int row, int first);
/* Append the session of a row to the line of an answer. */
void ik_pg_put_session(struct ik_buf *line, const PGresult *result, int row, int first);

#endif
