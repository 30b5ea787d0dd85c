/*
 * export_output: the large outputs and the attached files of a session (store/store.h) in its JSON
 * Lines.
 *
 * The parts of an output follow the event whose "blobs" or "attached" name it, in order, one per line:
 * {"blob":"<UUID>","part":0,"base64":"..."} Each has IK_LIMIT_PART bytes, the last one the rest. If
 * the database lacks the end of an output, only its first parts are written, or none.
 *
 * May include: util, json, conversation, store.
 */
#ifndef IK_CORE_EXPORT_OUTPUT_H
#define IK_CORE_EXPORT_OUTPUT_H

#include "conversation/attachment.h"
#include "json/scan.h"
#include "store/store.h"

/* A position in the outputs of one event, for writing or reading. */
struct ik_outputs {
	struct ik_blob blobs[2 + IK_MESSAGE_FILES_MOST];
	size_t count; /* of blobs */
	size_t at;    /* index of the current output */
	size_t part;  /* its next part */
};

/* Start at the first output of an event. */
void ik_outputs_begin(struct ik_outputs *outputs, const struct ik_message *message);

/* Read the next part from the store. Return NULL if there is none. */
struct ik_store_read *ik_outputs_ask(const struct ik_outputs *outputs, struct ik_store *store,
	ik_store_reader *reader, void *arg);
/* Append the line for that part, and advance. Return false if the part is missing or incomplete;
 * the output is then skipped. */
bool ik_outputs_put(struct ik_outputs *outputs, const char *bytes, size_t length,
	struct ik_buf *out);
/* Skip the current output. */
void ik_outputs_skip(struct ik_outputs *outputs);

/* Is a line (checked JSON, an object) a part of an output? */
bool ik_outputs_is_line(struct ik_json_span object);
/* Read such a line after the event that outputs began with. Append its bytes to bytes, which must
 * be empty, and set the output's id and the part's number. Return NULL, or the reason why the line
 * is invalid. */
const char *ik_outputs_take_line(struct ik_outputs *outputs, struct ik_json_span object,
	struct ik_buf *bytes, const char **ret_id, size_t *ret_part);

/* Return a sentence that says that count outputs are incomplete in an export; the caller frees
 * it. */
char *ik_outputs_missing(size_t count);

/* Append a text that says where the outputs of an event are, if it has any. */
void ik_outputs_markdown(struct ik_buf *out, const struct ik_message *message);

#endif
