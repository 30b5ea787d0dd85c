/*
 * export_output: the large outputs of a session (store/store.h) in its JSON Lines.
 *
 * Behind the event whose "blobs" name an output stand its parts, in order, a line each:
 *   {"blob":"<UUID>","part":0,"base64":"..."}
 * with IK_LIMIT_PART bytes, the last one with what is left.  Of one that the database does not
 * have to its end, the first parts are there, or none.
 *
 * May include: util, json, conversation, store.
 */
#ifndef IK_CORE_EXPORT_OUTPUT_H
#define IK_CORE_EXPORT_OUTPUT_H

#include "conversation/message.h"
#include "json/scan.h"
#include "store/store.h"

/* How far the outputs of one event are written, or read. */
struct ik_outputs {
	struct ik_blob blobs[2];
	size_t count; /* of them */
	size_t at;    /* the one that is dealt with */
	size_t part;  /* of it, that comes next */
};

/* Those of an event, from the first. */
void ik_outputs_begin(struct ik_outputs *outputs, const struct ik_message *message);

/* Ask the store for the part that comes next; NULL: that was all. */
struct ik_store_read *ik_outputs_ask(const struct ik_outputs *outputs, struct ik_store *store,
	ik_store_reader *reader, void *arg);
/* Append the line of that part, and go on. False: it is not there, or not whole: go on behind
 * that output. */
bool ik_outputs_put(struct ik_outputs *outputs, const char *bytes, size_t length,
	struct ik_buf *out);
/* Go on behind the output that is dealt with. */
void ik_outputs_skip(struct ik_outputs *outputs);

/* Is a line (checked JSON, an object) a part of an output? */
bool ik_outputs_is_line(struct ik_json_span object);
/*
 * Read such a line, behind the event that outputs was begun with: the bytes go to bytes, which
 * is empty, and which output's which part they are to the other two. NULL, or what is wrong with it.
 */
const char *ik_outputs_take_line(struct ik_outputs *outputs, struct ik_json_span object,
	struct ik_buf *bytes, const char **ret_id, size_t *ret_part);

/* A sentence that so many outputs could not be read whole for an export; in new memory. */
char *ik_outputs_missing(size_t count);

/* Append for people where the outputs of an event are; nothing where it has none. */
void ik_outputs_markdown(struct ik_buf *out, const struct ik_message *message);

#endif
