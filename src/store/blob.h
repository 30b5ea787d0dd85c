/*
 * blob: large texts on their way to the database.
 *
 * A queue of its own beside that of the events (store.c), which go first: a
 * text is written a part at a time, so that no statement takes long.
 *
 * Owns a reference of each text.  May include: util, store/backend.h.
 */
#ifndef IK_STORE_BLOB_H
#define IK_STORE_BLOB_H

#include "store/backend.h"

struct ik_blob_queue {
	struct ik_queued_blob *first, **end;
};

void ik_blob_queue_init(struct ik_blob_queue *queue);
/* Forget all that waits; how many texts that was. */
size_t ik_blob_queue_done(struct ik_blob_queue *queue);

void ik_blob_queue_add(struct ik_blob_queue *queue, const char *id, struct ik_bytes *bytes);
bool ik_blob_queue_is_empty(const struct ik_blob_queue *queue);

/* Write the next part. On IK_TOO_LARGE the text it belongs to is dropped. */
enum ik_status ik_blob_queue_write(struct ik_blob_queue *queue, struct ik_backend *backend,
	struct ik_error *error) IK_MUST_USE;

/* Append a part of a text that waits. False: it does not wait, or has no such part. */
bool ik_blob_queue_read(const struct ik_blob_queue *queue, const char *id, size_t part,
	struct ik_buf *out);

#endif
