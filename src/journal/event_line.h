/*
 * event_line: an event as a JSON object on one line.
 *
 * A journal's records, a store program's answers and the lines of an export all contain this
 * object:
 *     {"id":UUID,"kind":"user","time":MS,"content":"...","data":{...}}
 * with "session" and "sequence" if the reader cannot know them. "data" is the event's data_json,
 * byte for byte; it is omitted if the event has none.
 *
 * Pure. May include: util, json, conversation.
 */
#ifndef IK_JOURNAL_EVENT_LINE_H
#define IK_JOURNAL_EVENT_LINE_H

#include "conversation/message.h"

/* How many levels deeper than its data a line with such an object is nested. */
#define IK_EVENT_LINE_LEVELS 2

/* Append the object, without a line feed. session may be NULL; a sequence of 0 is omitted. */
void ik_event_line_put(struct ik_buf *out, const char *session, const struct ik_message *message);

/* Return the event of a checked object (one reference); NULL if a member is missing or of the wrong
 * type, or the kind is unknown. Its sequence is 0 if the object has none. */
struct ik_message *ik_event_line_read(struct ik_json_span object);

/* Copy a member that is a UUID. Return false, with an empty ret_id, if it is missing or not a
 * UUID. */
bool ik_event_line_id(struct ik_json_span object, const char *name, char ret_id[IK_UUID_TEXT]);

#endif
