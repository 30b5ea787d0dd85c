/*
 * answer: parts of answers that are the same for every database.
 *
 * Pure.  May include: util, json, conversation, journal.
 */
#ifndef IK_STORES_ANSWER_H
#define IK_STORES_ANSWER_H

#include "conversation/message.h"

/* A session as a list has it; strings are borrowed. */
struct ik_session_line {
	const char *id, *title, *directory;
	int64_t created_ms, updated_ms;
	int64_t event_count; /* with those that it shares with its parent */
	const char *parent;  /* "": it is no fork */
	int64_t forked_at;
	const char *owner; /* NULL: the database has no users */
};

/* Append the member "session", or "event", to the line of an answer. */
void ik_answer_put_session(struct ik_buf *line, const struct ik_session_line *session);
void ik_answer_put_event(struct ik_buf *line, const char *session,
	const struct ik_message *message);

/* Append a pattern for LIKE with the escape character \: words in this order, with anything before,
 * between and after them. */
void ik_answer_put_pattern(struct ik_buf *out, const char *words);

/* IK_NOT_FOUND: there is no such session; IK_INVALID: several begin so. */
enum ik_status ik_answer_no_session(struct ik_error *error);
enum ik_status ik_answer_several(const char *prefix, struct ik_error *error);

#endif
