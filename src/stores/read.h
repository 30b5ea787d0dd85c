/*
 * read: sessions and their events, read, and the search in all of them.
 *
 * Each function answers the current request: it sends a line for each session ({"session":{...}}) or
 * event ({"event":{...}}), and returns how it ended.
 *
 * May include: util, json, conversation, journal, stores, conversation/search_query.h.
 */
#ifndef IK_STORES_READ_H
#define IK_STORES_READ_H

#include "stores/database.h"

/* newest {directory, mine}: the newest session with events. IK_NOT_FOUND. */
enum ik_status ik_answer_newest(struct ik_database *database, struct ik_error *error);
/* find {prefix}: the only session whose id begins so. IK_NOT_FOUND; IK_INVALID: there are several. */
enum ik_status ik_answer_find(struct ik_database *database, struct ik_error *error);
/* list {count, directory, words, owner, mine, updated_ms, session}: newest first, after that session
 * if named. */
enum ik_status ik_answer_list(struct ik_database *database, struct ik_error *error);
/* page {session, before, count, writer}: events of a session and of what it was forked from, newest
 * first, with those that only the journals of this writer, or of dead ones, have. The last line has
 * "unstored": so many of these are of dead ones. */
enum ik_status ik_answer_page(struct ik_database *database, struct ik_error *error);
/* after {session, sequence, count}: events of the session itself that came later, oldest first. */
enum ik_status ik_answer_after(struct ik_database *database, struct ik_error *error);
/* part {blob, part}: {"base64":"..."}. IK_NOT_FOUND. */
enum ik_status ik_answer_part(struct ik_database *database, struct ik_error *error);
/* search {query, directory, mine, row, count}: a line {"session":{...},"event":{...},"row":R} for
 * each event that has the words, newest first. The last line has "row": continue there, or null
 * where there are no more. */
enum ik_status ik_answer_search(struct ik_database *database, struct ik_error *error);

/* IK_NOT_FOUND: there is no such session. */
enum ik_status ik_no_session(struct ik_error *error);

#endif
