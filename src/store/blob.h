/*
 * blob: large texts on their way to the database.
 *
 * A queue of its own beside that of the events (store.c), which go first: a
 * text is written a part at a time, so that no statement takes long.
 *
 * Owns a reference of each text.  May include: util, conversation.
 */
#ifndef IK_STORE_BLOB_H
#define IK_STORE_BLOB_H

#include "util/bytes.h"
#include "util/uuid.h"

#include <stdbool.h>

struct ik_blob_queue {
	struct ik_queued_blob *first, **end;
};

void ik_blob_queue_init(struct ik_blob_queue *queue);
/* Forget all that waits; how many texts that was. */
size_t ik_blob_queue_done(struct ik_blob_queue *queue);

void ik_blob_queue_add(struct ik_blob_queue *queue, const char *id, struct ik_bytes *bytes);
bool ik_blob_queue_is_empty(const struct ik_blob_queue *queue);

/* The next part to be written, of a queue that is not empty. */
struct ik_blob_part {
	const char *id;
	size_t part;
	const char *bytes;
	size_t length;
};
struct ik_blob_part ik_blob_queue_next(const struct ik_blob_queue *queue);
/* It is written. */
void ik_blob_queue_written(struct ik_blob_queue *queue);
/* It can never be: forget the text it belongs to. */
void ik_blob_queue_drop(struct ik_blob_queue *queue);

/* Append a part of a text that waits. False: it does not wait, or has no such part. */
bool ik_blob_queue_read(const struct ik_blob_queue *queue, const char *id, size_t part,
	struct ik_buf *out);

#endif
