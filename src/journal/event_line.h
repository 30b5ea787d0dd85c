/*
 * event_line: an event as a JSON object on one line.
 *
 * The same object is a record of a journal, an answer of a store program, and a line of an export:
 *     {"id":UUID,"kind":"user","time":MS,"content":"...","data":{...}}
 * with "session" and "sequence" where the reader cannot know them. "data" is the event's data_json,
 * byte for byte; it is left out where there is none.
 *
 * Pure.  May include: util, json, conversation.
 */
#ifndef IK_JOURNAL_EVENT_LINE_H
#define IK_JOURNAL_EVENT_LINE_H

#include "conversation/message.h"

/* A line that has such an object is so much deeper than its data. */
#define IK_EVENT_LINE_LEVELS 2

/* Append the object, without a line feed. session may be NULL; a sequence of 0 is left out. */
void ik_event_line_put(struct ik_buf *out, const char *session, const struct ik_message *message);

/* Return the event of a checked object, one reference; NULL where a member is missing or of the
 * wrong type, or the kind is unknown. Its sequence is 0 where the object has none. */
struct ik_message *ik_event_line_read(struct ik_json_span object);

/* Copy a member that is a UUID; false, and *ret_id empty, where it is missing or anything else. */
bool ik_event_line_id(struct ik_json_span object, const char *name, char ret_id[IK_UUID_TEXT]);

#endif
